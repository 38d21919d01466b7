"""Street addresses, in the forms of nine countries, of Arabic and of Hindi, whose parts leave little doubt.

A street alone is none: it needs its number, and the town, the postcode or a word that only addresses have.
"""

import re
from collections.abc import Sequence

from annotation.domain.masking.post_boxes import boxes
from annotation.domain.masking.spans import Places, Plain, whole
from vocabulary.late_patterns import late

# Korea: town, road, number ("서울특별시 강남구 테헤란로 152"), or town, quarter, plot ("부산 해운대구 우동 123-45")
_KR_TOWN = (
    r"(?:(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주)(?:특별자치"
    r"|특별|광역)?[시도]? "
    r"|[가-힣]{1,6}[시도군구] )"
)
_KR_PART = r"(?:[가-힣]{1,6}[시군구읍면동리] ?)"
_KR_ROAD = r"[가-힣][가-힣0-9]{0,10}(?:로|길)(?: ?\d{1,4}(?:번|가)?길)?"
_KR_COUNTED = (
    r"(?!\d| ?(?:명|개|원|년|월|일|시|분|초|번째|대|살|마리|장|건|회|차|위|곳|만|천|억|걸음|킬로|미터|%|km|m(?!\w)))"
)
_KR_NUMBER = rf"(?:지하 ?)?\d{{1,4}}(?:-\d{{1,4}})?{_KR_COUNTED}(?:번지)?"
_KR_DOOR = r"(?:,? ?[가-힣A-Za-z]{0,10} ?\d{1,4}동)?(?:,? ?\d{1,2}층)?(?:,? ?\d{1,5}호)?"
_KR = late(
    rf"{_KR_TOWN}{_KR_PART}{{0,3}}(?:{_KR_ROAD} ?{_KR_NUMBER}"
    rf"|[가-힣]{{1,6}}[동리가] (?:산 ?)?(?!\d-\d(?!\d)){_KR_NUMBER}){_KR_DOOR}"
    rf"|[가-힣]{{1,8}}(?:로|대로) ?\d{{1,4}}(?:번|가)?길 ?{_KR_NUMBER}"
    rf"|(?!\w?(?:그대|맘대|음대|제대|멋대|뜻대|실제|새|서|따|바|주|무료|앞으|뒤))[가-힣]{{2,8}}(?:대로|로"
    rf"|길) ?\d{{2,4}}(?:-\d{{1,4}})?(?:번지|(?=에 (?:살|산|사는|거주)|로 (?:보내|배송|찾아|와|오)))"
)

# China, Taiwan: "上海市徐汇区衡山路88号", "忠孝東路五段68號12樓"
_CN_SIGN = r"[㐀-䶿一-鿿]"
_CN_NAME = rf"(?:(?![住在到往去寄是从從给給的这這那条條了])(?:{_CN_SIGN}))"
_CN_DOOR = r"(?:[\dA-Z一二三四五六七八九十]{1,4}(?:号楼|號樓|幢|栋|棟|单元|單元|室|房|户|戶|铺|层|樓|楼|座))"
_CN = late(
    rf"{_CN_NAME}{{2,25}}(?:大街|大道|路|街|巷|弄|胡同)(?:[东西南北中東]路?|[东西南北]段"
    rf"|[一二三四五六七八九十\d]{{1,3}}段)?"
    r"(?:\d{1,4}[巷弄])?(?:\d{1,4}[弄])?\d{1,5}(?:[之-]\d{1,3})?[号號](?!线|線|选手|選手|球|机|車|车|人|门票|站台)院?"
    rf"(?:{_CN_DOOR}{{1,4}}(?:(?<=[元幢栋棟楼座])\d{{3,4}}(?!\d))?)?"
    rf"|{_CN_NAME}{{2,14}}[市区區县縣]{_CN_NAME}{{2,14}}(?:{_CN_DOOR}{{2,4}}|\d{{1,3}}组\d{{1,4}}号)"
    rf"|{_CN_NAME}{{2,8}}(?:小区|花园|公寓|家园|新村|苑|社区){_CN_DOOR}{{1,4}}\d{{0,4}}(?!\d)"
)

# Japan: "丸の内1丁目2番3号" with or without a town, "大阪市北区梅田2-4-9" with one
_JP_TOWN = r"(?<![一-鿿])[一-鿿ぁ-のひ-ろんァ-ヶ]{1,14}[市区町村郡]"
_JP_NAME = r"[一-鿿ァ-ヶの々]{0,10}"
_JP_DIGITS = r"(?:\d{1,4}|[一二三四五六七八九十]{1,3})"
_JP_CHOME = rf"{_JP_DIGITS}丁目 ?{_JP_DIGITS}(?:番地?|-)(?: ?の?{_JP_DIGITS}号?)?"
_JP_UNCOUNTED = r"(?![\d年月円位人個回勝敗対時分点本枚台名]|-\d)"
_JP_PLOT = (
    rf"(?:{_JP_CHOME}|{_JP_DIGITS}番地(?:の?{_JP_DIGITS})?|{_JP_DIGITS}番{_JP_DIGITS}号"
    rf"|(?!(?:19|20)\d\d-)\d{{1,4}}(?:-\d{{1,4}}){{1,3}}{_JP_UNCOUNTED})"
)
_JP_DOOR = r"(?: ?[ァ-ヶー一-鿿]{2,12} ?\d{2,4}(?:号室?)?(?![\d年月円人個時分]))?"
_JP = late(
    rf"(?:〒?\d{{3}}-\d{{4}} ?)?{_JP_TOWN}{_JP_NAME} ?{_JP_PLOT}(?!\d){_JP_DOOR}"
    rf"|〒\d{{3}}-\d{{4}} ?{_JP_NAME} ?{_JP_PLOT}|[一-鿿ァ-ヶ]{_JP_NAME}{_JP_CHOME}"
    rf"|[東西南北]{_JP_DIGITS}条[東西南北]{_JP_DIGITS}丁目"
    rf"|〒\d{{3}}-\d{{4}}(?: ?[一-鿿ァ-ヶ]{{2,3}}[都道府県][一-鿿]{{1,6}}[市区町村])?"
)

# Arabic: "شارع التحرير رقم 15", "عمارة 7 شارع الجمهورية", "23 شارع الملك فيصل"
_AR_WAY = r"(?:شارع|طريق|زنقة|نهج|جادة|حارة|زقاق)"
_AR_WORD = r"(?!(?:في|من|على|كان|كانت|هناك|الذي|التي|يحمل|هو|هي|إلى|عن|مع|تم|قتل|مات|منذ) )[\u0621-\u064a0-9]+"
_AR_UNIT = r"(?:مبنى|بناية|عمارة|عقار|فيلا|فيلة|شقة|منزل|بيت|الدور|دور|طابق|بلوك|قطعة)"
_AR_DOOR = rf"(?:رقم|{_AR_UNIT}(?: رقم)?) ?\d{{1,5}}(?!\d|[.,]\d)"
_AR_STREET = rf"{_AR_WAY}(?: {_AR_WORD}){{1,3}}?"
_AR_OPEN = rf"{_AR_WAY} (?:ال[\u0621-\u064a]+|ابن|بن|أبو|ابو|عبد|عمر|محمد|أحمد)(?: (?:ال|بن |ابن )?[\u0621-\u064a]+)?"
_AR = late(
    rf"(?<!\w)(?:{_AR_STREET}(?:[،,] ?| ){_AR_DOOR}|(?<!\d )\d{{1,4}}[،,]? {_AR_OPEN}"
    rf"|{_AR_UNIT}(?: رقم)? ?\d{{1,4}}[،,]? (?:في )?{_AR_OPEN})(?:[،,]? ?{_AR_DOOR}){{0,3}}"
)

# Hindi: "मकान नंबर 42, गांधी रोड", "फ्लैट 12बी, सेक्टर 15", "123 महात्मा गांधी मार्ग, मुंबई 400001"
_HI_WORD = r"[\u0900-\u0963]+"
_HI_NUMBERED = r"(?:नंबर|नम्बर|नं\.?|न\.|संख्या|क्रमांक|सं\.)"
_HI_UNIT = r"(?:मकान|घर|फ्लैट|फ़्लैट|प्लॉट|प्लाट|कोठी|हाउस|ब्लॉक|गली|दुकान|म\.)"
_HI_NUMBER = (
    r"(?:[\u0900-\u0963]{1,3}-)?\d{1,5}(?:[/-]\d{1,4})?(?:-?[\u0905-\u0939][\u093e-\u094d]?(?![\u0900-\u0963]))?"
)
_HI_WAY = r"(?:रोड|मार्ग|गली|सड़क|सड़क|नगर|कॉलोनी|कालोनी|चौक|मोहल्ला|विहार|एन्क्लेव|पथ|लेन|बाजार|अपार्टमेंट)(?![\u0900-\u0963])"
_HI_PLACE = rf"(?:(?:सेक्टर|वार्ड|गली)(?: ?{_HI_NUMBERED})? ?\d{{1,4}}|(?:{_HI_WORD} ){{1,3}}?{_HI_WAY})"
_HI = late(
    rf"(?<![\w\u0900-\u0963])(?:{_HI_UNIT} ?{_HI_NUMBERED} ?{_HI_NUMBER}(?:, ?{_HI_PLACE}){{0,3}}"
    rf"|{_HI_UNIT} ?{_HI_NUMBER}(?:, ?{_HI_PLACE}){{1,3}}"
    rf"|\d{{1,4}},? (?:{_HI_WORD} ){{1,3}}?(?:रोड|मार्ग|पथ|लेन|गली)(?=,?[^\d\n]{{1,40}}\d{{6}}(?!\d)))(?!\d)"
)

# Europe and America: street, number, postcode and town
_CAPITAL = r"[A-ZÄÖÜÀ-ÞŠŽŁ][\w.'’-]*"
_NUMBER = r"\d{1,5}(?: ?[a-hA-H]\b)?(?: ?[-–/] ?\d{1,4}(?: ?[a-hA-H]\b)?)?"
_THEN = r"\s{0,2}[,;\n–-]?\s{0,2}"
_CODE = r"(?:[A-Z]{1,2}-)?(?:\d{5}|(?!19|20)\d{4})"
_DE_STREET = (
    rf"(?:(?:{_CAPITAL}[ -]){{0,2}}[A-ZÄÖÜ][\wäöüß.-]{{0,30}}(?i:stra(?:ß|ss)e|str\.?|weg|platz|allee|gasse|ring"
    rf"|damm|ufer|markt|hof"
    r"|chaussee|promenade|steig|pfad|straat|laan|plein|gracht|kade)"
    rf"|(?:{_CAPITAL} ){{1,2}}(?:Stra(?:ß|ss)e|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer)"
    rf"|(?:Am|An der|An den|Im|In der|In den|Zum|Zur|Auf dem|Auf der|Unter den|Hinter dem|Vor dem"
    rf"|Bei der)(?: {_CAPITAL}){{1,3}})"
)
_FR_WAY = (
    r"(?:rue|avenue|av\.?|bd\.?|bld\.?|boulevard|place|pl\.?|chemin|impasse|allées?|quai|cours|square|passage|route"
    r"|rte\.?|faubourg|fbg)"
)
_ES_WAY = (
    r"(?:calle|c/|cl\.|avenida|avda?\.?|av\.|paseo|p\.º|plaza|pza\.?|camino|carretera|ctra\.?|ronda|travesía"
    r"|carrer|rua|praça"
    r"|via|viale|piazza|corso|largo|vicolo)"
)
_EN_WAY = (
    r"(?:Street|St|Road|Rd|Lane|Ln|Avenue|Ave|Drive|Dr|Close|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Crescent"
    r"|Gardens|Grove|Hill"
    r"|Row|Walk|Boulevard|Blvd|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Trail|Mews)\b\.?"
)
_EN_CODE = (
    r"(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|(?:[A-Z]{2},? )?\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT) \d{4})(?![A-Za-z\d])"
)
_EN_DOOR = r"(?:Flat|Apt\.?|Apartment|Unit|Suite|Ste\.?|Room) ?#?\w{1,5}"
_TOWN = rf"{_CAPITAL}(?:[ -]{_CAPITAL}){{0,2}}"
_ES_DOOR = r"(?:, ?[\w.ºª -]{1,14}){0,2}"
_CONTINENT = late(
    rf"(?<!\w){_DE_STREET} {_NUMBER}(?:{_THEN}| in ){_CODE}(?: ?[A-Z]{{2}})? {_TOWN}"
    rf"|(?<!\w){_NUMBER}(?: ?(?:bis|ter|quater))?,? (?i:{_FR_WAY}) [^\d\n]{{2,50}}{_THEN}{_CODE} {_TOWN}"
    rf"|(?<!\w)(?i:{_ES_WAY}) ?[^\d\n]{{2,40}}?,? (?:n\.?º? ?)?{_NUMBER}{_ES_DOOR}{_THEN}{_CODE}(?:-\d{{3}})? {_TOWN}"
)
_ENGLISH = late(
    rf"(?<!\w)(?:{_EN_DOOR},? )?\d{{1,5}} ?[a-hA-H]?,? (?:{_CAPITAL} ){{1,4}}?{_EN_WAY}(?:,? (?:Apt|Apartment"
    rf"|Unit|Suite|Ste|Flat"
    rf"|#)\.? ?\w{{1,5}})?"
    rf"(?:,?\s[A-Z][A-Za-z.'’ -]{{1,30}})?,?\s{{1,2}}(?:[A-Z][A-Za-z.'’ -]{{1,30}},?\s)?{_EN_CODE}"
    rf"|(?<!\w)\d{{1,5}} (?:{_CAPITAL} ){{1,3}}{_EN_WAY},? (?:Flat|Apt\.?|Apartment|Unit|Suite|Ste\.?) ?#?\d\w{{0,4}}"
)
_TO = r"(?: (?:de|du|des|del|della|dei|degli|delle|dello|dos|la|le|les|las?|los?|el|l['’]|d['’]))*"
_IN_TOWN = late(
    rf"(?<!\w)(?:{_CAPITAL}[ -]){{0,2}}[A-ZÄÖÜ][\wäöüß.-]{{0,30}}"
    r"(?i:stra(?:ß|ss)e|str\.|allee|gasse|chaussee|damm|ufer)"
    rf" \d{{1,3}} ?[a-h]?,? in {_TOWN}"
    rf"|(?<!\w){_NUMBER}(?: ?(?:bis|ter|quater))?,? (?i:{_FR_WAY}){_TO}(?: ?{_CAPITAL}){{1,3}}(?: à |, ){_TOWN}"
    rf"|(?<!\w)(?i:{_ES_WAY}){_TO}(?: ?{_CAPITAL}){{1,3}},? (?:n\.?º? ?)?{_NUMBER}{_ES_DOOR}(?:, | en ){_TOWN}"
    rf"|(?<!\w)\d{{1,5}} (?:{_CAPITAL} ){{1,3}}{_EN_WAY},? (?:in )?{_TOWN}(?:,? [A-Z]{{2}}(?!\w))?"
)
"""A street with its number and its town, without the postcode."""
_EAST = late(
    rf"(?<!\w)(?:(?i:ul|al|os|pl|aleja"
    rf"|ulica)\.? ){_CAPITAL}(?: {_CAPITAL}){{0,3}} \d{{1,4}}[a-zA-Z]?(?:[/ ]?(?:m\. ?)?\d{{1,4}})?"
    rf"(?:,? \d\d-\d{{3}} {_TOWN})?(?!\d)"
    r"|(?<!\w)(?i:ул\.|улиц[аеу]|пр(?:осп)?\.|проспект|пер\.|бульвар|шоссе"
    r"|вул\.) ?[А-ЯЁІЇЄ][\w.-]+(?: [А-ЯЁІЇЄ][\w.-]+)?"
    r",? (?:д\. ?|дом |буд\. ?)?\d{1,4}[а-яА-Я]?(?:,? (?:к|корп|стр|кв)\.? ?\d{1,4}){0,3}(?!\d)"
    rf"|(?<!\w)(?:{_CAPITAL} ){{1,3}}(?:Sok(?:ak|ağı|\.)|Cad(?:desi|\.)|Bulvarı|Mah(?:allesi|\.))"
    rf"(?: (?:{_CAPITAL} ){{1,3}}(?:Sok(?:ak|ağı|\.)|Cad(?:desi|\.)))?,? (?:No ?[:.]? ?)\d{{1,4}}(?:/\d{{1,4}})?"
    r"(?:[,/]? ?(?:Daire|D|Kat|K|Blok)[ :.]{1,3}\d{1,3}){0,2}"
)
"""Poland, Russia and Ukraine, Turkey: the street says that it is one, and has its number."""
_HOME_EN = (
    r"(?:\b(?i:live[sd]?|living|stays?|staying|moved|home|house|address|lodges?)\b"
    r"(?i:[’']s)?(?: (?i:is|are|now|at|on|to|in|over|here))*[:\s]{1,3})"
)
_HOME_DE = (
    r"(?:\b(?i:wohn(?:t|e|en|haft)|lebt|adresse|anschrift|zu ?hause)\b(?: (?i:ist|in|der|dem|an|am|jetzt"
    r"|hier))*[:\s]{1,3})"
)
_HOME_FR = (
    r"(?:\b(?i:habit(?:e|ent|ait|ons)|j'habite|loge|vit|adresse|domicile)\b(?: (?i:est|au|à|maintenant|ici"
    r"|chez lui))*[:\s]{1,3})"
)
_HOME_ES = (
    r"(?:\b(?i:vive[ns]?|vivo|dirección|domicilio|casa|abita|mora|indirizzo)\b(?: (?i:es|está|en|la|el|in|na"
    r"|è))*[:\s]{1,3})"
)
_AT_HOME = late(
    rf"{_HOME_EN}(?P<en>(?:{_EN_DOOR},? )?\d{{1,5}} ?[a-hA-H]?,? (?:{_CAPITAL} ){{1,3}}{_EN_WAY}(?:,? {_EN_DOOR})?)"
    rf"|{_HOME_DE}(?P<de>{_DE_STREET} {_NUMBER})(?![\d.]|\w)"
    rf"|(?<!\w)(?P<there>{_DE_STREET} {_NUMBER}(?= (?:wohn(?:t|e|en)|lebt"
    r"|ist (?:sein|ihr|mein)e? (?:Adresse|Wohnung))\b)"
    rf"|\d{{1,5}},? (?:{_CAPITAL} ){{1,3}}{_EN_WAY}(?= is (?:where|(?:his|her|my|their) (?:home|house|address))\b))"
    rf"|{_HOME_FR}(?P<fr>{_NUMBER}(?: ?(?:bis|ter|quater))?,? (?i:{_FR_WAY})(?: (?:de|du|des|la|le|les|l'"
    rf"|d'))*(?: ?{_CAPITAL}){{1,4}})"
    rf"|{_HOME_ES}(?P<es>(?i:{_ES_WAY})(?: (?:de|del|della|dei|da|do|los?|las?|el"
    rf"|il))*(?: ?{_CAPITAL}){{1,4}},? (?:n\.?º? ?)?"
    rf"{_NUMBER}{_ES_DOOR})"
)
"""A street with its number and neither town nor postcode, after a word for a home."""
_DOOR = (
    r"(?:\d{1,2} ?[ºª](?: ?(?:[A-Z]|dcha|izqd?a?|drcha)\b)?|bajo\b|ático\b|piso \d|interno \d{1,3}|int\. ?\d{1,3}"
    r"|scala [A-Z]|b[âa]t(?:iment|\.)? ?\w|app(?:artemen)?t\.? ?\d|\d\.? ?(?:étage|OG|Stock|Etage)|EG\b|Hinterhaus)"
)
_AT_PLACE = late(
    rf"(?<!\w)(?i:at|from|of|to|outside|near|past|opposite|house)[,:]? (?P<en>(?!19\d\d|20\d\d)\d{{1,4}}[a-h]?"
    rf" (?!Wall |Downing |Sesame |Bourbon )(?:{_CAPITAL} ){{1,2}}(?:Lane|Road|Street|Avenue|Drive|Close|Crescent"
    r"|Terrace|Gardens|Grove|Mews|Rd|Ave|Ln)(?![\w'’-]))"
    rf"|(?<!\w)(?i:au) (?P<fr>{_NUMBER},? (?i:{_FR_WAY}){_TO}(?: ?{_CAPITAL}){{1,3}})"
    r"|(?<!\w)(?i:in|aus|vor) (?:der|die) (?P<de>[A-ZÄÖÜ][\wäöü]{2,30}(?:stra(?:ß|ss)e|str\.|allee|gasse) \d{1,3}[a-h]?"
    r"(?![\w.]| ?(?:km|m|Meter|Kilometer|Jahre|Prozent|%|Uhr|Häuser|Unfälle|Autos)\b))"
    rf"|(?<!\w)(?P<door>(?:(?i:{_ES_WAY}){_TO}(?: ?{_CAPITAL}){{1,3}},? (?:n\.?º? ?)?\d{{1,4}}"
    rf"|{_NUMBER},? (?i:{_FR_WAY}){_TO}(?: ?{_CAPITAL}){{1,3}}|{_DE_STREET} \d{{1,3}}[a-h]?),? {_DOOR})"
)
"""A street with its number, after a word for a place, or with its door."""
_HAS_HOME = (
    *("live", "living", "stay", "moved", "home", "house", "address", "lodg", "wohn", "lebt", "adresse", "anschrift"),
    *("zuhause", "zu hause", "habit", "loge", "vit", "domicil", "viv", "direcci", "casa", "abita", "mora", "indirizzo"),
)
_FORMS: Sequence[tuple[re.Pattern[str], re.Pattern[str]]] = (
    (re.compile(r"[로길동리가] ?(?:산|지하)? ?\d"), _KR),
    (re.compile(r"\d(?:[号號]|[幢栋棟单單室座组])"), _CN),
    (re.compile(r"〒|丁目|番地|\d番|\d-\d"), _JP),
    (re.compile(r"[а-яі][. ] ?\d"), _EAST),
    (re.compile(_AR_WAY), _AR),
    (re.compile(rf"{_HI_UNIT}|मार्ग|रोड|पथ|लेन"), _HI),
    (re.compile(r"\d{4}(?:-\d{3})?(?: ?[A-Z]{2})? [A-ZÄÖÜÀ-ÞŠŽŁ]"), _CONTINENT),
    (re.compile(_EN_WAY), _ENGLISH),
    (
        re.compile(rf"\d(?:º| ?[a-hA-H])?,? (?:in |en )?[A-ZÄÖÜÀ-Þ]|\d(?: bis| ter| quater)?,? (?i:{_FR_WAY})[ '’]"),
        _IN_TOWN,
    ),
    (
        re.compile(
            r"(?:[uU][lL](?:ica|ICA)?|[aA][lL](?:eja|EJA)?|[oO][sS]|[pP][lL])\.? [A-ZÄÖÜÀ-ÞŠŽŁ]"
            r"|No ?[:.]? ?\d"
        ),
        _EAST,
    ),
)
"""What every address of a form has, and the form."""
_STREET_AND_NUMBER = re.compile(r"\d[a-h]? [A-ZÄÖÜÀ-Þ]|\w[,.]? \d{1,4}[a-h]?(?:,|\b)|\d,? (?:rue|av|bd|pl|ch|imp)")
_LATIN_FORMS, _OTHER_FORMS = _FORMS[6:], _FORMS[:6]
"""Those that a text in Latin letters may have, and a text without such."""


def addresses(text: Plain) -> Places:
    """Return the street addresses."""
    if not text.digits:
        return []
    may_be = _LATIN_FORMS if text.is_latin else _FORMS if text.has_letters else _OTHER_FORMS
    forms = [form for needed, form in may_be if needed.search(text)]
    of_homes = _AT_HOME.finditer(text) if text.has_letters and text.has(_HAS_HOME) else ()
    at_places = _AT_PLACE.finditer(text) if text.has_letters and _STREET_AND_NUMBER.search(text) else ()
    streets = (found.span(found.lastgroup or 0) for found in (*of_homes, *at_places))
    return whole([*(found.span() for form in forms for found in form.finditer(text)), *streets, *boxes(text)])
