"""What identifies a person is found in every script; what looks alike is left alone."""

import time
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.masking import identity
from annotation.domain.masking.mask import WORDS, Mask, examples_of, find, mask
from annotation.domain.masking.regions import regions_of

E, U, H, P, M = Mask.EMAILS, Mask.URLS, Mask.HANDLES, Mask.PHONES, Mask.MESSENGERS
D, B, C, L, S = Mask.IDS, Mask.IBANS, Mask.CARDS, Mask.PLATES, Mask.PASSPORTS

SECRETS = [
    # telephone numbers
    ("010-1234-0199로 전화", P, "010-1234-0199"),
    ("전화는 010-1234-0199입니다", P, "010-1234-0199"),
    ("민수야 01012345678로 전화해", P, "01012345678"),
    ("문의 02-312-4567, 감사", P, "02-312-4567"),
    ("연락처 ０１０－１２３４－５６７８", P, "０１０－１２３４－５６７８"),
    ("致电13800550199吧", P, "13800550199"),
    ("手机13800138000找我", P, "13800138000"),
    ("电话 010-6552 9988 谢谢", P, "010-6552 9988"),
    ("tel 090-1234-5678です", P, "090-1234-5678"),
    ("電話は03-1234-5678まで", P, "03-1234-5678"),
    ("+82 10-1234-5678 연락", P, "+82 10-1234-5678"),
    ("Call me at +1 202 555 0147 today", P, "+1 202 555 0147"),
    ("Call (202) 555-0147 now", P, "(202) 555-0147"),
    ("my number is 202-555-0147", P, "202-555-0147"),
    ("Ruf an: 030 901820", P, "030 901820"),
    ("Tel. 0171 2345678", P, "0171 2345678"),
    ("téléphone 01 42 68 53 00", P, "01 42 68 53 00"),
    ("llama al +34 612 345 678", P, "+34 612 345 678"),
    ("звони +7 912 345-67-89", P, "+7 912 345-67-89"),
    ("0044 20 7946 0958 works", P, "0044 20 7946 0958"),
    ("010.1234.5678 연락주세요", P, "010.1234.5678"),
    ("8 (912) 345-67-89 звони", P, "8 (912) 345-67-89"),
    ("٠٥٠١٢٣٤٥٦٧ اتصل", P, "٠٥٠١٢٣٤٥٦٧"),
    ("llámame al 612 345 678", P, "612 345 678"),
    # mail addresses
    ("write to ada@example.org now", E, "ada@example.org"),
    ("ada@example.com으로 보내", E, "ada@example.com"),
    ("发到ada@example.cn吧", E, "ada@example.cn"),
    ("schreib an jörg@müller.de bitte", E, "jörg@müller.de"),
    ("name＠host is mine", E, "name＠host"),
    ("name (at) host (dot) example", E, "name (at) host (dot) example"),
    ("name [at] host [dot] com", E, "name [at] host [dot] com"),
    ("ada 골뱅이 naver.com", E, "ada 골뱅이 naver.com"),
    ("ada at example dot com", E, "ada at example dot com"),
    # web addresses
    ("see https://a.example/b?c=1.", U, "https://a.example/b?c=1"),
    ("see www.example.org/a", U, "www.example.org/a"),
    ("see garden-shop.net/a", U, "garden-shop.net/a"),
    ("blog.naver.com/minsu로 와", U, "blog.naver.com/minsu"),
    ("看 weibo.com/u123 吧", U, "weibo.com/u123"),
    # handles
    ("谢谢@小草莓 分享", H, "@小草莓"),
    ("고마워요@딸기님 덕분", H, "@딸기님"),
    ("＠小草莓 你好", H, "＠小草莓"),
    ("ask @ada_b. Now", H, "@ada_b"),
    ("by u/garden_fan today", H, "u/garden_fan"),
    # messengers
    ("카톡아이디는 minsu_77이에요", M, "minsu_77"),
    ("카톡 minsu77 추가", M, "minsu77"),
    ("open.kakao.com/o/sAbc123 으로", M, "open.kakao.com/o/sAbc123"),
    ("加我微信wxid_abc123吧", M, "wxid_abc123"),
    ("VX：xiaocao88", M, "xiaocao88"),
    ("加薇信 caomei_99", M, "caomei_99"),
    ("加v:caomei99", M, "caomei99"),
    ("加微♥ xiaoming2020", M, "xiaoming2020"),
    ("薇❤信：ming12345", M, "ming12345"),
    ("q群 123456789", M, "123456789"),
    ("連絡は lineのID→abc_123 まで", M, "abc_123"),
    ("텔레 happy_77로 연락", M, "happy_77"),
    ("QQ号12345678", M, "12345678"),
    ("扣扣3群 87654321", M, "87654321"),
    ("라인 아이디: minsu.k", M, "minsu.k"),
    ("LINE ID: ada_b", M, "ada_b"),
    ("텔레그램 @minsu_77", M, "minsu_77"),
    ("t.me/ada_chat please", M, "t.me/ada_chat"),
    ("抖音号:caomei123", M, "caomei123"),
    ("인스타 아이디 minsu.77", M, "minsu.77"),
    # accounts, cards, people, passports, cars
    ("IBAN DE89 3704 0044 0532 0130 00 bitte", B, "DE89 3704 0044 0532 0130 00"),
    ("konto gb82west12345698765432", B, "gb82west12345698765432"),
    ("card 4111 1111 1111 1111 stolen", C, "4111 1111 1111 1111"),
    ("卡号4111111111111111在这", C, "4111111111111111"),
    ("주민번호 900101-1234567입니다", D, "900101-1234567"),
    ("身份证110101199003077758", D, "110101199003077758"),
    ("マイナンバーは1234-5678-9018です", D, "1234-5678-9018"),
    ("DNI 12345678Z mío", D, "12345678Z"),
    ("codice RSSMRA85T10A562S", D, "RSSMRA85T10A562S"),
    ("SSN 123-45-6789 here", D, "123-45-6789"),
    ("PESEL: 44051401359", D, "44051401359"),
    ("Steuer-ID 36 574 261 809", D, "36 574 261 809"),
    ("여권번호 M12345678", S, "M12345678"),
    ("护照号码E12345678", S, "E12345678"),
    ("passport no. X1234567", S, "X1234567"),
    ("차 12가 3456 봤다", L, "12가 3456"),
    ("车牌京A·12345", L, "京A·12345"),
    ("品川 500 さ 12-34 の車", L, "品川 500 さ 12-34"),
    ("Kennzeichen B-AB 123", L, "B-AB 123"),
    # signs that nobody sees, digits as keys and in circles
    ("전화 010\u200b-1234-\u20600199로", P, "010\u200b-1234-\u20600199"),
    ("1\ufe0f\u20e33800550199", P, "1\ufe0f\u20e33800550199"),
    ("打①③⑧００５５０１９９吧", P, "①③⑧００５５０１９９"),
    # what touches it or stands beside it stays
    ("여기https://example.kr/a?x=1꼭", U, "https://example.kr/a?x=1"),
    ("look at example.com please", U, "example.com"),
    ("see example[.]com/a today", U, "example[.]com/a"),
    ("no reply at p.oak@example.org", E, "p.oak@example.org"),
    ("IBAN ES91 2100 0418 4502 0005 1332 por fin", B, "ES91 2100 0418 4502 0005 1332"),
    ("BSN 111222333 here", D, "111222333"),
    ("call 202-555-0147 ext. 12 now", P, "202-555-0147 ext. 12"),
    ("my van, AB12 CDE, is gone", L, "AB12 CDE"),
]

LOOKALIKES = [
    "on 2023-05-14 at noon", "1998-2004 was fun", "2024.05.14 화요일", "serial 3001234567", "ISBN 978-3-16-148410-0",
    "978-3-16-148410-0", "192.168.10.254 is up", "build 10.0.22631", "order 2023-000777", "12 34 56 78 90",
    "3.14159265358979", "(^@_^)", "@_@ what", "이 글은 2023년 5월 14일 오후 3시에 썼다", "총 1,234,567,890원 나왔다",
    "一共1234567890元", "２０２３年５月１４日", "20230514", "from 1914 - 1918", "14/05/2023 10:30", "1:23:45",
    "100-200-300",
    "v1.2.3.4", "5 000 000 people came", "3 @ 2 each", "Node.js and e.g. this", "the file report.pdf", "Mr.Smith said",
    "in line with this", "tell a gram of it", "the kakao tree grows", "qq, that is sad",
    "계좌 110-123-456789 국민은행",
    "score 12:34", "room 101-202", "0.12345678", "#20231234", "1/2/3/4/5/6/7", "2023-05-14T10:00:00",
    "7 8 9 10 11 12 13",
    "9 out of 10", "weeds 2024, roses 2023", "10,000,000 won", "$12345678", "version 2023.10.11", "part 1234-5678",
    "tv.show is fun", "3000만원 벌었다", "그는 12가 아니라 13이다", "at home dot by dot", "1234567890123456789012",
    "the mini cost 1500 GBP", "JIS X 0208-1990", "tiktok covid19", "AT&T is down", "docs/at/night.io", "V我50",
]  # fmt: skip


STREETS = [
    ("يسكن في شارع التحرير رقم 15 الدقي القاهرة", "شارع التحرير رقم 15"),
    ("العنوان: ٢٣ شارع الملك فيصل، الجيزة", "٢٣ شارع الملك فيصل"),
    ("بيته في حي النزهة، شارع الأمير سلطان، فيلا 42", "شارع الأمير سلطان، فيلا 42"),
    ("वह मकान नंबर 42, गांधी रोड, लखनऊ में रहता है", "मकान नंबर 42, गांधी रोड"),
    ("पता: फ्लैट 12बी, सेक्टर 15, नोएडा", "फ्लैट 12बी, सेक्टर 15"),
    ("१२३ महात्मा गांधी मार्ग, मुंबई ४००००१ पर आ", "१२३ महात्मा गांधी मार्ग"),
    ("الرياض، طريق الملك فهد، مبنى 120", "طريق الملك فهد، مبنى 120"),
    ("عمارة 7 شارع الجمهورية بغداد", "عمارة 7 شارع الجمهورية بغداد"),
    ("زنقة ابن بطوطة رقم 9 الرباط", "زنقة ابن بطوطة رقم 9"),
    ("تقاطع كذا، شارع 26 يوليو، شقة 5", "شارع 26 يوليو، شقة 5"),
    ("म.नं. 18, गली नं. 4, करोल बाग, दिल्ली", "म.नं. 18, गली नं. 4"),
    ("ब्लॉक सी-21, राजेंद्र नगर कॉलोनी", "ब्लॉक सी-21, राजेंद्र नगर"),
    ("प्लॉट संख्या 77, स्टेशन रोड, पटना", "प्लॉट संख्या 77, स्टेशन रोड"),
    ("पिन कोड 226001, मकान क्रमांक ५६/२", "मकान क्रमांक ५६/२"),
    ("هو ساكن في ١٢ شارع النيل", "١٢ شارع النيل"),
    ("شارع الحمرا، بناية 30، بيروت", "شارع الحمرا، بناية 30"),
    ("فيلا 9 شارع العليا بالرياض", "فيلا 9 شارع العليا بالرياض"),
    ("نهج ابن خلدون رقم 4 تونس", "نهج ابن خلدون رقم 4"),
    ("شقة رقم 3، شارع الثورة، دمشق", "شقة رقم 3، شارع الثورة"),
    ("حارة اليهود عقار 17", "حارة اليهود عقار 17"),
    ("उसका घर नंबर 7, शिव कॉलोनी, जयपुर है", "घर नंबर 7, शिव कॉलोनी"),
    ("कोठी नं. 221, सेक्टर 9, चंडीगढ़", "कोठी नं. 221, सेक्टर 9"),
    ("४५ नेहरू मार्ग, भोपाल ४६२००१", "४५ नेहरू मार्ग"),
    ("दुकान नंबर 5, सदर बाजार में मिलेगा", "दुकान नंबर 5, सदर बाजार"),
    ("फ्लैट 301, सूर्या अपार्टमेंट, पुणे", "फ्लैट 301, सूर्या अपार्टमेंट"),
    ("गली नंबर 12, शाहदरा", "गली नंबर 12"),
]
NO_STREETS = [
    "في شارع كبير كان هناك 15 شخصا",
    "سنة ٢٠٢٣ مات ١٢٣٤ شخصا",
    "الشارع العربي غاضب منذ 10 سنوات",
    "الساعة 10:30 يوم 5 مايو",
    "حي على الصلاة 5 مرات",
    "सड़क पर 100 लोग थे",
    "2019 में 42 मकान गिरे",
    "सेक्टर में 15 प्रतिशत गिरावट",
    "रोड पर 3 घंटे जाम",
    "१५ अगस्त १९४७ को आज़ादी मिली",
    "طريق النجاح طويل 120 كيلومتر",
    "عمارة من 7 طوابق",
    "رقم 9 سجل هدفا",
    "في الطريق 3 حوادث",
    "المبنى الذي انهار قتل 12 شخصا",
    "गली में 4 कुत्ते",
    "ब्लॉक के 21 गांव",
    "स्टेशन पर 77 लोग",
    "नगर में 5 चोरी",
    "मकान की कीमत 56 लाख",
    "مشيت في شارع النيل 12 كيلومترا",
    "طريق الحرير فتح سنة 2013",
    "قتل 12 في شارع النيل",
    "منزل كبير وفيه 5 غرف",
    "اللاعب رقم 10 في الطريق إلى البيت",
    "بناية من 30 طابقا",
    "रोड पर 12 गाड़ियां",
    "इस मार्ग पर 462001 लोग",
    "घर में 7 लोग हैं",
    "फ्लैट की कीमत 301 लाख",
    "गली में 12 बच्चे खेलते हैं",
    "नंबर 5 की टीम जीती",
]


@pytest.mark.parametrize(("text", "kind", "secret"), SECRETS)
def test_a_secret_is_found_in_its_place(text: str, kind: Mask, secret: str) -> None:
    assert [(found.kind, text[found.start : found.end]) for found in find(text, list(Mask))] == [(kind, secret)]
    assert mask(text, [kind])[0] == text.replace(secret, WORDS[kind])


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_looks_alike_is_left_alone(text: str) -> None:
    assert mask(text, list(Mask)) == (text, {})


def test_only_the_kinds_that_are_asked_for_are_masked() -> None:
    text = "card 4111 1111 1111 1111, mail ada@example.org, @ada"
    assert mask(text, [H])[0] == "card 4111 1111 1111 1111, mail ada@example.org, <user>"
    assert mask(text, [P])[0] == text  # a card is no telephone number where cards may stay
    assert mask(text, []) == (text, {})


def test_an_example_shows_the_form_and_never_the_thing() -> None:
    text = "write to ada@example.org or call 010-1234-5678 before noon, and again after it"
    assert dict(examples_of(text, [E, P])) == {
        E: {"was": "ad•@•••••••.•••", "became": "write to <email> or call <phone> bef"},
        P: {"was": "01•-••••-••••", "became": " to <email> or call <phone> before noon, and ag"},
    }
    assert list(examples_of(text, [C])) == []


@given(st.text(alphabet="a1@.-: 전화号QQ+/", max_size=80))
def test_places_are_in_order_and_apart_and_nothing_is_found_twice(text: str) -> None:
    found = find(text, list(Mask))
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in zip(found, found[1:], strict=False))


@pytest.mark.parametrize("module", sorted({module for _fewest, module, _form, _is_checked in identity._ID_BY_FORM}))
def test_each_form_of_a_number_has_its_check_in_the_library(module: str) -> None:
    assert import_module(f"stdnum.{module}").is_valid("1") is False


def test_the_number_of_a_person_in_latvia_is_found_by_its_check_digit() -> None:
    assert mask("kods 161175-19997 un 161175-19998", {Mask.IDS})[0] == "kods <id> un 161175-19998"


@pytest.mark.parametrize(("text", "street"), STREETS)
def test_streets_of_arabic_and_hindi_are_found_whole(text: str, street: str) -> None:
    assert [text[found.start : found.end] for found in find(text, {Mask.ADDRESSES})][:1] == [street]


@pytest.mark.parametrize("text", NO_STREETS)
def test_streets_without_a_number_of_a_house_stay(text: str) -> None:
    assert find(text, set(Mask)) == []


@pytest.mark.parametrize(
    "part",
    ["한", "a at b.", "my insta is a.", "insta user ", "한@", "a艾特b点", "공일공 ", "12 Aa Road, ", "@ab가", "word_"],
)
def test_long_texts_of_what_nearly_fits_take_no_long_time(part: str) -> None:
    begun = time.process_time()
    mask(part * (20_000 // len(part)) + "@예시.한국", list(Mask), regions_of(["ko", "en"]))
    assert time.process_time() - begun < 5
