"""Numbers of accounts, cards, people, passports and cars, by their form and their check digits (python-stdnum).

A number whose form says little is one only after a word that says so, or, for the most distinct, by its check digit.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import islice

from annotation.domain.masking.spans import Place, Places, Plain, whole
from vocabulary.late_patterns import late

_BEFORE = 40  # characters in which the word stands
_IBAN = late(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ .-]?[A-Z0-9]{4}){2,7}(?:[ .-]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])", re.IGNORECASE
)
_MAY_BE_IBAN = re.compile(r"[A-Za-z\u0130\u0131\u017f\u212a]{2}\d\d")
_CARD = re.compile(
    r"(?<![A-Za-z0-9.-])[2-6]\d{3}(?P<sign>[ .-]?)(?:\d{4}(?P=sign)){2}(?:\d{4}(?P=sign)\d{1,3}|\d{1,7})"
    r"(?![A-Za-z0-9-]|\.\d)"
    r"|(?<![A-Za-z0-9.-])[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![A-Za-z0-9-]|\.\d)"
    r"|(?<![A-Za-z0-9.-])3[47]\d\d[ .-]?\d{6}[ .-]?\d{5}(?![A-Za-z0-9-])"
)
_FEWEST_OF_IBAN, _FEWEST_OF_CARD = 8, 13
_CARD_OF_A_COUNTRY = re.compile(r"(?<![A-Za-z0-9.-])9\d{3}(?:[ -]?\d{4}){3}(?![A-Za-z0-9-])")
_IS_CARD = re.compile(
    r"(?:\bcards?\b(?: number| no\.?)?|\b(?:visa|mastercard|amex|carte|karte|kartennummer|kreditkarte|tarjeta"
    r"|carta|cartão|kart|карта|карты)\b"
    r"|카드(?:번호)?|卡号|卡號|信用卡|银行卡|储蓄卡|カード(?:番号)?|بطاقة|البطاقة|कार्ड)[^\d\n]{0,12}\Z",
    re.IGNORECASE,
)
"""A number after such a word is one although a digit of it may be wrong."""


def ibans(text: Plain) -> Places:
    """Return the international numbers of bank accounts."""
    if text.digits < _FEWEST_OF_IBAN or not _MAY_BE_IBAN.search(text):
        return []
    return [place for found in _IBAN.finditer(text) for place in _without_words_behind(found)]


def _without_words_behind(found: re.Match[str]) -> list[Place]:
    """Return the place of the account's number in what looks like one, which may end with a short word."""
    written = found.group()
    ends = [len(written), *(sign.start() for sign in reversed(list(re.finditer("[ .-]", written))))]
    held = (end for end in ends if _holds("iban", re.sub("[ .-]", "", written[:end])))
    return [(found.start(), found.start() + end) for end in islice(held, 1)]


def cards(text: Plain) -> Places:
    """Return the numbers of payment cards."""
    if text.digits < _FEWEST_OF_CARD:
        return []
    by_digit = (found.span() for found in _CARD.finditer(text) if _holds("luhn", re.sub(r"\D", "", found.group())))
    return whole([*by_digit, *_after(text, _IS_CARD, _CARD), *_after(text, _IS_CARD, _CARD_OF_A_COUNTRY)])


def _holds(module: str, number: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(number))


_IS_ID = late(
    r"(?:주민(?:등록)?번호|외국인등록번호|身份证|身分證|证件号|マイナンバー|個人番号|national id\w*"
    r"|identity (?:card|number|no)|id card|id number|social security|\bssn\b|\bnino\b|national insurance"
    r"|personalausweis\w*|\bperso\b|identiteitskaart|id-kaart|carte d['’]identité|\bcni\b|carta d['’]identità"
    r"|dow[oó]d\w*|신분증(?: ?번호)?|在留カード(?:番号)?|steuer-?id\w*|\bidnr\b"
    r"|steuernummer|identifikationsnummer|\bnir\b|sécurité sociale|numéro de sécu\w*"
    r"|\bdni\b|\bnie\b|\bnif\b|codice fiscale|\bpesel\b|\bbsn\b|burgerservicenummer|rijksregister\w*|personnummer"
    r"|henkilötunnus|\bcpr\b|\bcnp\b|\begn\b|\boib\b|rodné číslo|\bemso\b|\bamka\b|\bppsn?o?\b|\btaj\b"
    r"|személyi szám|samordningsnummer|contribuinte|егн|αμκα|αφμ|α\.?μ\.?κ\.?α|codice ?fiscale"
    r"|\bpan\b(?: card)?|पैन|n° ?(?:de )?s[ée]cu|isikukood|asmens kodas"
    r"|personas kods|\bsvnr\b|versicherungsnummer"
    r"|\bni (?:number|no)\b|personal(?:ausweis)?nummer|ausweis(?:nummer|nr)|\bcurp\b|\bcpf\b|cédula"
    r"|carnet de identidad|kimlik n(?:o|umara\w*)|\btckn\b|\bt\.?c\.?(?:['’]\w{0,4}| no\b)"
    r"|снилс|\bинн\b|aadhaar|आधार|居民证|居留证|統一編號|الرقم القومي|الرقم الوطني|هوي(?:ة|ته|تها|تي)|الهوية الوطنية"
    r"|رقم الإقامة|السجل المدني)[^0-9\n]{0,20}\Z",
    re.IGNORECASE,
)
_HAS_ID_WORD = (
    *("번호", "身份证", "身分證", "证件号", "マイナンバー", "個人番号", "居民证", "居留证", "居留證", "統一編號"),
    *("national i", "identity", "id card", "id number", "social sec", "ssn", "nino", "ausweis", "steuer", "sécu"),
    *("identifikation", "nir", "numéro", "dni", "nie", "nif", "codice", "pesel", "bsn", "burgerservice", "rijksreg"),
    *(
        "perso",
        "personnummer",
        "henkilö",
        "cpr",
        "cnp",
        "egn",
        "oib",
        "rodné",
        "emso",
        "amka",
        "pps",
        "taj",
        "személyi",
    ),
    *("samordning", "contribuinte", "егн", "αμκα", "αφμ", "α.μ", "αμ.κ", "pan", "पैन", "n°", "secu", "isikukood"),
    *(
        "identit",
        "id-kaart",
        "cni",
        "dow",
        "신분증",
        "在留カード",
        "idnr",
        "asmens",
        "personas",
        "svnr",
        "versicherung",
        "ni n",
        "personal",
        "curp",
        "cpf",
        "cédula",
        "carnet",
        "tckn",
        "tc'",
        "tc’",
        "tc no",
        "t.c",
        "kimlik",
    ),
    *("снилс", "инн", "aadhaar", "आधार", "الرقم", "هوي", "رقم", "السجل"),
)
"""What these words have, in small letters."""
_ID_BY_FORM = (
    (7, "kr.rrn", r"\d{6} ?- ?[1-8](?:\d{6}|\*{6})", False),
    (7, "kr.rrn", r"\d{13}", True),
    (17, "cn.ric", r"\d{6} ?\d{4} ?\d{2} ?\d{2} ?\d{3}[\dXx]", True),
    (8, "es.dni", r"\d{8}[- ]?[A-HJ-NP-TV-Za-hj-np-tv-z]", True),
    (7, "es.nie", r"[XYZxyz][- ]?\d{7}[- ]?[A-Za-z]", True),
    (7, "it.codicefiscale", r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]", True),
    (13, "fr.nir", r"[1-478] ?\d{2} ?\d{2} ?(?:\d{2}|2[ABab]) ?\d{3} ?\d{3} ?\d{2}", True),
    (11, "be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", True),
    (9, "fi.hetu", r"\d{6}[-+ABCDEF]\d{3}[0-9A-Y]", True),
    (10, "se.personnummer", r"(?:\d{2})?\d{6}[-+]\d{4}", True),
    (9, "cz.rc", r"\d{6}/\d{3,4}", True),
    (11, "lv.pvn", r"\d{6}-\d{5}", True),
    (11, "br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}", True),
    (9, "us.ssn", r"\d{3}-\d{2}-\d{4}", True),
    (4, "in_.pan", r"[A-Z]{5}\d{4}[A-Z]", True),
    (7, "ie.pps", r"\d{7}[A-Wa-w][ABHWTXabhwtx]?", True),
    (13, "ro.cnp", r"[1-9]\d{12}", True),
)
"""The fewest digits, modules of stdnum, forms, and whether the check digit must hold.

Since 2020 Korea draws the last digits by lot.
"""
_IDS = [
    (fewest, module, late(rf"(?<![A-Za-z0-9.,-])(?:{form})(?![A-Za-z0-9-]|[.,]\d)"), is_checked)
    for fewest, module, form, is_checked in _ID_BY_FORM
]
_DENSE_FROM, _DENSE = 7, re.compile(r"\d(?:[A-Za-z ./+-]{0,3}\d){6}")
"""Forms of so many digits have this: most texts with as many do not."""
_AFTER_WORD = late(
    r"(?<![A-Za-z0-9\u00c0-\u024f])(?:(?!id|no|nr|ni|is|es|en|de|la|le|se|va|su)[A-Z]{1,2} ?|[A-Z]{3})?"
    r"\d[\dA-Z]?(?:[./-]?[\dA-Z]| (?=[A-Z]?\d)[\dA-Z]"
    r"| (?-i:[A-Z])(?!\w)){5,18}(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_FEWEST_OF_ID = 4
_KR_DAY = re.compile(r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def ids(text: Plain) -> Places:
    """Return the numbers of people: residents of Korea, China and Japan, and of European and American states."""
    if text.digits < _FEWEST_OF_ID:
        return []
    named = _after(text, _IS_ID, _AFTER_WORD) if text.has(_HAS_ID_WORD) else ()
    return whole([*_by_form(text), *named])


def _by_form(text: Plain) -> Iterator[Place]:
    is_dense = bool(_DENSE.search(text))
    for fewest, module, form, is_checked in _IDS:
        if text.digits < fewest or (fewest >= _DENSE_FROM and not is_dense):
            continue
        for found in form.finditer(text):
            number = found.group()
            if _holds(module, number) if is_checked else _KR_DAY.match(number):
                yield found.span()


def _after(text: str, word: re.Pattern[str], form: re.Pattern[str]) -> Iterator[Place]:
    """Yield what has this form and stands after such a word."""
    for found in form.finditer(text):
        if word.search(text[max(0, found.start() - _BEFORE) : found.start()]):
            yield found.span()


_IS_PASSPORT = re.compile(
    r"(?:passport|여권|护照|護照|旅券|パスポート|reisepass|passeport|pasaporte|passaporto|paspoort|passaporte"
    r"|pasaport|паспорт\w*|загранпаспорт\w*|جواز(?: سفر| السفر)?|पासपोर्ट"
    r"|(?:personal)?ausweis(?:nummer|nr)?)\D{0,15}\Z",
    re.IGNORECASE,
)
_PASSPORT = re.compile(
    r"(?<![A-Za-z0-9\u00c0-\u024f])(?:[A-Z]{1,3}\d{6,8}|\d{2} ?\d{2} ?\d{6}|(?=[A-Z]*\d[A-Z]*\d)[A-Z\d]{9}"
    r"|[A-Z]\d{3}[A-Z]\d{4}|[A-Z]\d[A-Z0-9]{7}|\d{2}[A-Z]{2}\d{5}|\d{9})"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_HAS_PASSPORT = (
    *(
        "pass",
        "여권",
        "护照",
        "護照",
        "旅券",
        "パスポート",
        "pasaporte",
        "paspoort",
        "pasaport",
        "паспорт",
        "جواز",
        "पासपोर्ट",
    ),
    "ausweis",
)
_ZONE = re.compile(r"P[A-Z<][A-Z]{3}[A-Z<]{39}\s[A-Z0-9<]{44}")


def passports(text: Plain) -> Places:
    """Return the numbers of passports after a word that says so, and the two lines that machines read."""
    named = _after(text, _IS_PASSPORT, _PASSPORT) if text.digits and text.has(_HAS_PASSPORT) else ()
    zones = _ZONE.finditer(text) if "<" in text else ()
    return whole([*named, *(found.span() for found in zones)])


_KR_SIGN = "가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주하허호배아바사자"
_CN_PLACE = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_PLATE = late(
    rf"(?<![\d제])\d{{2,3}}[{_KR_SIGN}] ?\d{{4}}(?![\d원호년])"
    rf"|[{_CN_PLACE}][A-HJ-NP-Z][·• .-]?(?:[A-HJ-NP-Z0-9]{{5,6}}(?![A-Za-z0-9])|[A-HJ-NP-Z0-9]{{4}}[挂学警港澳使领])"
    r"|(?<![\w-])[A-Z]{2}-\d{3}-[A-Z]{2}(?![\w-])|(?<![\w-])(?!BY-)[A-ZÄÖÜ]{1,3}-(?:[A-Z]{2} \d{1,4}"
    r"|[A-Z] \d{3,4})[EH]?(?![\w-]|\.\d)"
    r"|(?:[\u4e00-\u9fff]{2,4}|なにわ|いわき|つくば|とちぎ) ?\d{2,3} ?[あ-んア-ン] ?"
    r"(?:\d{1,2}-\d{2}|\d{4}|[・･·]{1,3}\d{1,3})(?!\d)"
    r"|(?<!\w)[АВЕКМНОРСТУХ]\d{3}[АВЕКМНОРСТУХ]{2} ?\d{2,3}(?!\w)"
    r"|(?<!\w)(?:[\u0621-\u064a] ){3}\d{1,4}(?!\d)"
)
_MAY_BE_PLATE = re.compile(
    rf"\d[{_KR_SIGN}]|[{_CN_PLACE}][A-HJ-NP-Z]|-[A-Z]{{1,2}} \d|-\d{{3}}-[A-Z]|[あ-んア-ン] ?[\d・･·]"
    r"|[АВЕКМНОРСТУХ]\d{3}| [\u0621-\u064a] \d"
)
_CN_PLATE = late(rf"[{_CN_PLACE}][A-HJ-NP-Z]")
_PLATE_WORDS = (
    *(
        "plate",
        "registration",
        "kennzeichen",
        "immatriculation",
        "matrícula",
        "targa",
        "kenteken",
        "nummer",
        "rejestrac",
    ),
    *("tablic", "rendszám", "plaque", "plaka", "차량번호", "번호판", "车牌", "車牌", "ナンバー"),
)
_IS_PLATE = late(
    r"(?:\bplates?\b|number ?plate|licen[cs]e plate|registration|kennzeichen|immatriculation|matrícula|targa"
    r"|kenteken|nummerplaat|rejestrac\w+|tablic\w+|rendszám|nummerskylt|plaque|plaka"
    r"|차량번호|번호판|车牌\S{0,2}|車牌\S{0,2}|ナンバー)[^A-Za-z0-9\n]{0,6}(?:is |ist |est |es |è |no\.? "
    r"|number )?\Z",
    re.IGNORECASE,
)
_ANY_PLATE = re.compile(
    r"(?<![A-Za-z0-9\u00c0-\u024f])[A-ZÄÖÜ0-9]{1,4}[ -]?[A-Z0-9]{1,4}(?:[ -]?\d{1,4}[A-Z]{0,2})?(?![A-Za-z0-9])"
)


_CAR = late(
    r"\b(?:cars?|vans?|trucks?|lorry|taxi|cab|driver|drives?|driving|parked|parking|reg|plates?|suv|pickup"
    r"|vehicle|scooter"
    r"|bmw|audi|vw|golf|polo|passat|ford|fiesta|focus|fiat|seat|toyota|honda|civic|clio|twingo|renault|peugeot|citroën"
    r"|opel|corsa|vauxhall|mercedes|tesla|skoda|škoda|kia|hyundai|nissan|mazda|volvo|dacia|mini|jeep"
    r"|coche|furgoneta|matr[ií]cula|aparc\w+|voiture|camionnette|bagnole|gar[ée]e?|plaque|wagen|auto|lieferwagen"
    r"|geparkt|parkt|kennzeichen|macchina|targa|carro|samochód|bil|fahrer|conductor|chauffeur)\b"
    r"|车|車|차량|차주|ナンバー|سيارة|गाड़ी|गाडी",
    re.IGNORECASE,
)
_NEAR_CAR = re.compile(
    r"(?<![\w-])(?:(?!FY|CY)[A-HJ-PR-Y][A-HJ-Y](?:[02]\d|1\d|5[1-9]|6\d|7\d) ?[A-HJ-PR-Z]{3}"
    r"|[A-Z]{2}[ -]?\d{3}[ -]?[A-Z]{2}|\d[A-Z]{3}\d{3}"
    r"|[A-ZÄÖÜ]{1,3}[ -][A-Z]{1,2} ?\d{2,4}[EH]?"
    r"|\d{2}-[A-Z]{2,3}-\d{1,2}|[A-Z]{1,2}-\d{2,3}-[A-Z]{1,2}|\d-[A-Z]{3}-\d{2}"
    r"|[A-Z]{2}[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}|[A-Z]{3}\d[A-Z]\d{2})(?![\w-])"
)
_SPANISH = re.compile(r"\b\d{4}[ -]?(?!GBP|KMS|RPM|KMH|LTS|PTS|HRS|DVD|CDS)[BCDFGHJKLMNPRSTVWXYZ]{3}(?![\w-])")
_SPANISH_CAR = re.compile(
    r"\b(?:coches?|furgoneta|aparc\w+|seat|conductor\w*|taxi|moto|camión"
    r"|matr[ií]culas?)\b",
    re.IGNORECASE,
)
_TURKISH = re.compile(r"(?<![\w-])(?:0[1-9]|[1-7]\d|8[01]) ?(?!TL|KM|KG|CM)[A-Z]{1,3} ?\d{2,4}(?![\w-])")
_TURKISH_CAR = re.compile(r"\b(?:plaka|araba|araç|otomobil|kamyon|minibüs|taksi|motosiklet)\w*", re.IGNORECASE)
_POLISH = re.compile(r"(?<![\w-])(?!PLN|EUR|USD|ISO)[A-Z]{2,3} \d{4,5}(?![\w-])")
_POLISH_CAR = re.compile(r"\b(?:samoch[oó]d|auto\b|tablic|rejestrac|kierowc|zaparkowa)\w*", re.IGNORECASE)
"""Plates of Europe, Turkey, India, Brazil and California whose form says little."""
_NEAR_CARS = (
    (_NEAR_CAR, _CAR),
    (_SPANISH, _SPANISH_CAR),
    (_TURKISH, _TURKISH_CAR),
    (_POLISH, _POLISH_CAR),
)
_CAPITAL_AND_DIGIT = re.compile("[A-ZÄÖÜ][ -]?\\d|\\d[ -]?[A-Z]")
_NEAR = 40


def _near_car(text: str) -> Iterator[Place]:
    if not _CAPITAL_AND_DIGIT.search(text):
        return
    for form, car in _NEAR_CARS:
        for start, end in (found.span() for found in form.finditer(text)):
            if car.search(f"{text[max(0, start - _NEAR) : start]} | {text[end : end + _NEAR]}"):
                yield start, end


def plates(text: Plain) -> Places:
    """Return the plates of cars: Korean, Chinese and Japanese ones by form, others by a word before or a car near."""
    if not text.digits and (text.isascii() or not _CN_PLATE.search(text)):
        return []
    named = _after(text, _IS_PLATE, _ANY_PLATE) if text.digits and text.has(_PLATE_WORDS) else ()
    marked = (place for place in named if re.search(r"\d", text[slice(*place)]))
    may_be = ("-" in text or not text.isascii()) and _MAY_BE_PLATE.search(text)
    formed = _PLATE.finditer(text) if may_be else ()
    near_cars = _near_car(text) if text.has_letters else ()
    return whole([*(found.span() for found in formed), *marked, *near_cars])
