"""Boxes of post offices are street addresses, and a telephone number may be written in words for its digits."""

import pytest

from annotation.domain.masking.mask import Mask, find

BOXES = [
    ("write to P.O. Box 12, Leeds LS1 4AP, not to me", "P.O. Box 12, Leeds LS1 4AP"),
    ("send it to PO Box 3380 Portland OR 97208", "PO Box 3380 Portland OR 97208"),
    ("mail goes to post office box 77, Dover", "post office box 77, Dover"),
    ("her po box is p.o.box 451", "p.o.box 451"),
    ("PO BOX 1190, SYDNEY NSW 2001 is theirs", "PO BOX 1190, SYDNEY NSW 2001"),
    ("GPO Box 9, Hobart TAS 7001", "GPO Box 9, Hobart TAS 7001"),
    ("Schreib an Postfach 10 20 30, 50667 Köln bitte", "Postfach 10 20 30, 50667 Köln"),
    ("Postfach 1234 in Kassel gehört ihm", "Postfach 1234"),
    ("boîte postale 45, 69002 Lyon", "boîte postale 45, 69002 Lyon"),
    ("écrivez à BP 12, 75001 Paris", "BP 12, 75001 Paris"),
    ("B.P. 1203, Lomé c'est chez lui", "B.P. 1203, Lomé"),
    ("su apartado de correos 123, 28080 Madrid", "apartado de correos 123, 28080 Madrid"),
    ("escriba a Apartado Postal 55", "Apartado Postal 55"),
    ("la casilla de correo 12 es de ella", "casilla de correo 12"),
    ("Casilla Postal 2345, La Paz", "Casilla Postal 2345, La Paz"),
    ("escríbele a Casilla 415, Valparaíso", "Casilla 415, Valparaíso"),
    ("Caixa Postal 990, 01310-100 São Paulo", "Caixa Postal 990, 01310-100 São Paulo"),
    ("Casella postale 12, 20121 Milano", "Casella postale 12, 20121 Milano"),
    ("Postbus 90, 1000 AB Amsterdam", "Postbus 90, 1000 AB Amsterdam"),
    ("skrytka pocztowa 15, 00-950 Warszawa", "skrytka pocztowa 15, 00-950 Warszawa"),
    ("пишите: а/я 114, Казань", "а/я 114"),
    ("абонентский ящик № 7", "абонентский ящик № 7"),
    ("ص.ب 2345 الرياض عنوانه", "ص.ب 2345"),
    ("صندوق بريد رقم 77 دبي", "صندوق بريد رقم 77"),
    ("받는 곳은 사서함 123호입니다", "사서함 123호"),
    ("강남우체국 사서함 제45호로 보내", "강남우체국 사서함 제45호"),
    ("대전 유성우체국 사서함 9호 앞", "유성우체국 사서함 9호"),
    ("寄到北京市第1234信箱12分箱", "第1234信箱12分箱"),
    ("地址是邮政信箱88号", "邮政信箱88号"),
    ("台北郵政信箱7-99號信箱收", "郵政信箱7-99號信箱"),
    ("写信到信箱 2045 号", "信箱 2045 号"),
    ("新宿郵便局私書箱12号まで", "新宿郵便局私書箱12号"),
    ("宛先は私書箱第34号です", "私書箱第34号"),
]
NO_BOXES = [
    "a post box, 12 letters in it",
    "box 12 was empty",
    "the PO box costs 12 pounds a month",
    "po boxes: 3 of 4 were full",
    "Mein Postfach hat 12 neue Mails",
    "im Postfach 3 Mails gefunden",
    "Das Postfach ist zu 90 % voll",
    "BP 120/80, all fine",
    "BP 15, 20 and 30 are stations",
    "BP made 12 billion in 2019",
    "la casilla 5 del tablero",
    "marque la casilla 12 del formulario",
    "el apartado 12 de la ley",
    "ver apartado 3, página 20",
    "der Postbus 12 kommt um 8",
    "음성사서함 3건이 있다",
    "사서함이 2개 남았다",
    "사서함 5개를 열었다",
    "사서함 3시 방송",
    "信箱里有3封信",
    "我的信箱收到12封邮件",
    "3个信箱都满了",
    "第2信箱客满",
    "私書箱が12個ある",
    "私書箱を3つ借りた",
    "صندوق فيه 12 كتابا",
    "ящик № 7 пуст",
    "caixa 990 da loja",
    "Casilla 505, Rendimientos del trabajo",
]
IN_WORDS = [
    (
        "call her on zero one five five, two three four, nine eight seven six",
        "zero one five five, two three four, nine eight seven six",
    ),
    ("five five five eight six seven five three oh nine is hers", "five five five eight six seven five three oh nine"),
    ("oh seven seven double oh, nine oh one two three", "oh seven seven double oh, nine oh one two three"),
    (
        "text oh-seven-nine-four-one, six-two-two, eight-eight-five",
        "oh-seven-nine-four-one, six-two-two, eight-eight-five",
    ),
    (
        "his number: Zero Two Zero Seven Nine Four Six Zero Nine Five Eight.",
        "Zero Two Zero Seven Nine Four Six Zero Nine Five Eight",
    ),
    ("ring double four one, triple two, nine six", "double four one, triple two, nine six"),
    ("four one five... five five five... oh one three two", "four one five... five five five... oh one three two"),
    (
        "plus four four seven seven zero zero nine zero zero one two three",
        "plus four four seven seven zero zero nine zero zero one two three",
    ),
    ("it is two one two / five five five / zero one nine nine", "two one two / five five five / zero one nine nine"),
    ("ZERO FOUR ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT for him", "ZERO FOUR ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT"),
    ("nine one one is short but nine seven zero two two eight four is hers", "nine seven zero two two eight four"),
    ("Ruf an: null eins sieben eins, zwei drei fünf, neun acht", "null eins sieben eins, zwei drei fünf, neun acht"),
    ("appelle zéro six un deux huit huit quatre sept neuf cinq", "zéro six un deux huit huit quatre sept neuf cinq"),
    ("звони: восемь девять один два три три пять ноль семь", "восемь девять один два три три пять ноль семь"),
    ("İyi, zero five three two one one nine seven", "zero five three two one one nine seven"),
    ("llama al seis uno dos cinco cinco cuatro nueve ocho siete", "seis uno dos cinco cinco cuatro nueve ocho siete"),
    ("공일공 일이삼사 오육칠팔로 전화해", "공일공 일이삼사 오육칠팔"),
    ("공일공-오오이이-구팔칠일", "공일공-오오이이-구팔칠일"),
    ("번호가 영일영구삼사칠육이오팔이야", "영일영구삼사칠육이오팔"),
    ("공이에 칠육오사에 삼이구팔로 걸어", "공이에 칠육오사에 삼이구팔"),
    ("집은 공삼일 이오육 칠팔구공", "공삼일 이오육 칠팔구공"),
    ("공칠공 사사삼이 팔육구일 사무실", "공칠공 사사삼이 팔육구일"),
    ("공일공 다시 삼육사이 다시 구공오팔", "공일공 다시 삼육사이 다시 구공오팔"),
    ("연락은 일오팔팔 삼육구이", "일오팔팔 삼육구이"),
    ("전화 오육이 구삼사칠로 해", "오육이 구삼사칠"),
    ("공 일 공 팔 팔 이 삼 구 사 오 육", "공 일 공 팔 팔 이 삼 구 사 오 육"),
    ("공하나공 둘둘삼넷 오육칠팔", "공하나공 둘둘삼넷 오육칠팔"),
    ("打一三八零零五五零一九九找他", "一三八零零五五零一九九"),
    ("幺三九 零零二八 七六五四", "幺三九 零零二八 七六五四"),
    ("座机零二一 六五三四 七八九二", "零二一 六五三四 七八九二"),
    ("四零零 八二零 八八二零 是客服", "四零零 八二零 八八二零"),
    ("电话：八七六二 三四零九", "八七六二 三四零九"),
    ("零九一二 三四五 八七六 台灣的", "零九一二 三四五 八七六"),
    ("壹叁柒零零贰捌陆伍肆玖", "壹叁柒零零贰捌陆伍肆玖"),
    ("他家零七五五 二六九三 八一零四", "零七五五 二六九三 八一零四"),
    ("一八六-二七三四-九零五一", "一八六-二七三四-九零五一"),
    ("微信同号一五九八二七三六四零五", "一五九八二七三六四零五"),
    ("打零一零，八二三四，六七五九", "零一零，八二三四，六七五九"),
    ("電話は〇三の五六七八の二三四一です", "〇三の五六七八の二三四一"),
    ("ゼロキュウゼロ、イチニーサンヨン、ロクナナハチゴ", "ゼロキュウゼロ、イチニーサンヨン、ロクナナハチゴ"),
]
NOT_IN_WORDS = [
    "one two three four five six seven eight nine ten, here I come",
    "ten nine eight seven six five four three two one go",
    "one two three, one two three, one two three",
    "five six seven eight, five six seven eight",
    "one two one two one two one two, mic check",
    "no no no no no no no no",
    "zero zero zero zero zero zero zero",
    "two or three, four or five, six or seven, eight or nine",
    "he scored nine, eight, seven and ten",
    "one of two, two of three, three of four",
    "SİX zero three sıx two ſix nine five one two",
    "eins zwei drei vier fünf sechs sieben acht",
    "uno dos tres cuatro cinco seis siete",
    "일이삼사오육칠팔구십",
    "구팔칠육오사삼이일",
    "하나둘셋넷다섯여섯일곱",
    "오오오오오오오오 대박",
    "이 일이 사실이 아니면 오 구이 이 사이",
    "이사오는 이일이 구이 오일이 삼사일이",
    "삼삼칠 삼삼칠 삼삼칠 박수",
    "구구구구구구구구 비둘기",
    "공이 오이 사이로 갔다",
    "一二三四五六七八九十",
    "九八七六五四三二一",
    "一二三四五六七，七六五四三二一",
    "六六六六六六六六六",
    "二三三三三三三三",
    "三点一四一五九二六五三五",
    "π是三点一四一五九二六",
    "二〇二三年五月十四日",
    "一九九八年到二〇〇四年",
    "三三两两一五一十",
    "三七二十一，五八四十，七九六十三",
    "一一得一一二得二一三得三",
    "十二三四五六七八个人",
    "円周率は三・一四一五九二六五",
    "いちにさんしごろくしちはち",
    "二〇二三〇五一四",
]


@pytest.mark.parametrize(("text", "box"), BOXES)
def test_a_box_of_a_post_office_is_an_address(text: str, box: str) -> None:
    assert [(found.kind, text[found.start : found.end]) for found in find(text, list(Mask))] == [(Mask.ADDRESSES, box)]


@pytest.mark.parametrize("text", NO_BOXES)
def test_other_boxes_stay(text: str) -> None:
    assert find(text, list(Mask)) == []


@pytest.mark.parametrize(("text", "number"), IN_WORDS)
def test_a_number_in_words_is_found_whole(text: str, number: str) -> None:
    assert [(found.kind, text[found.start : found.end]) for found in find(text, list(Mask))] == [(Mask.PHONES, number)]


@pytest.mark.parametrize("text", NOT_IN_WORDS)
def test_other_words_for_digits_stay(text: str) -> None:
    assert find(text, list(Mask)) == []
