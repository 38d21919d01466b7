"""Telephone numbers by the library phonenumbers, where no date, amount, version or serial stands.

A number with a country's code is looked up in that country. Another one is looked up in the countries of the campaign
(`regions`): in the groups that are usual there, as a mobile number, or after a word like "call".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import pairwise

from annotation.domain.masking.regions import Regions
from annotation.domain.masking.spans import Place, Places, Plain, whole
from annotation.domain.masking.spelt_numbers import spelt
from vocabulary.late_patterns import late

_CANDIDATE = re.compile(
    r"(?<![A-Z0-9_.,])(?:\+|00)?\(?\d(?:[ ./()-]{0,3}\d){6,26}(?![A-Z0-9_]|[.,]\d)"
    r"(?P<extension>,? ?(?:ext\.?|x|내선|durchwahl|poste|转|轉|内線) ?\d{1,5}(?!\d))?"
)
_SECOND = re.compile(r" ?/ ?|  +| - ")
"""Between two numbers that look like one."""
_MOBILE = {
    "KR": re.compile(r"01[016789]\d{7,8}"),
    "CN": re.compile(r"1[3-9]\d{9}"),
    "TW": re.compile(r"09\d{8}"),
    "JP": re.compile(r"0[5789]0\d{8}"),
    "RU": re.compile(r"89\d{9}"),
    "SA": re.compile(r"05\d{8}"),
    "EG": re.compile(r"01[0125]\d{8}"),
}
_WESTERN_MOBILE = {
    "FR": re.compile(r"0[67]\d{8}"),
    "GB": re.compile(r"07\d{9}"),
    "DE": re.compile(r"01[5-7]\d{8,9}"),
    "AU": re.compile(r"04\d{8}"),
    "TR": re.compile(r"05\d{9}"),
}
"""Where the campaign names the country: also those that are not given out yet."""
_CALL = late(
    r"(?:\b(?:hmu|hit me up|(?:my|new|his|her|our|their|old) (?:no|num|nr|cell|digits)|num|ph|tlf|tfno|razón"
    r"|(?:office|home|work) (?:number|phone)|büro|bureau|numéro|informes|contacto|contactar|contact\w*|whatsapp|wsp"
    r"|puhelin|telefone|τηλ|tel|phone|call|calling|mobile|mobil|cell|landline|fax|whats|whatsapp|signal|sms"
    r"|text|ring|dial"
    r"|reach (?:me|him|her|us)"
    r"|telefon|handy|festnetz|ruf|anruf\w*|téléphone|tél|portable|fixe|appel\w*|joindre|teléfono|móvil|celular"
    r"|cel|fijo|ll[aá]m\w*"
    r"|lig(?:a|ar|ue)|telefone|telefono|cellulare|chiama\w*|bel|n[uú]mero|number is|nummer|telefonu?|cep)\b"
    r"|전화|연락|핸드폰|휴대폰|폰번|번호는|문의|电话|電話|手机|手機|致电|联系|聯絡|拨打|座机|热线|携帯|連絡先"
    r"|тел|звони|номер"
    r"|집전화|固话|自宅|رقم (?:البيت|المنزل|المكتب|التليفون|التلفون)|رقمه|رقمها|تليفون|تلفون|كلم"
    r"|هاتف|جوال|موبايل|رقمي|اتصل|واتس|कॉल|फोन|फ़ोन|मोबाइल|नंबर|नम्बर|व्हाट्सएप|व्हाट्सऐप|वॉट्स|संपर्क|вотсап|ватсап|сотов)"
    r"[^\d]{0,15}\Z",
    re.IGNORECASE,
)
_CALL_BEHIND = re.compile(
    r"[,.!]? ?(?:ll[aá]m|call|text me|ruf|anruf|appel|chiam|전화|문자|에 (?:전화|문자)|로 ?(?:전화|문자|연락)|打"
    r"|联系|聯絡|に ?(?:電話|かけ|連絡)|اتصل|कॉल)",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"(?:\b(?:isbn|issn|serial|order|invoice|build|version|ver|v|no|nr|id|ref|sku|part|model|code|case|ticket|ip"
    r"|doi|port"
    r"|jis [a-z]|iso|din|iec|ansi|gb/t|ks [a-z]|rfc|cas|page|seite)"
    r"\b|주문|일련번호|계좌|버전|订单|編號|编号|序列号|版本|注文)[\s.:#№번号]{0,4}\Z|[#№$€£¥₩]\s?\Z",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(r"\s?(?:원|元|円|엔|달러|%|€|\$|£|km|kg|명|人|年|년)")
_DATE = re.compile(
    r"(?:1[5-9]|20)\d\d(?:[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])|[-/ ]{1,3}(?:1[5-9]"
    r"|20)\d\d)(?![\d-])"
    r"|(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:1[5-9]|20)\d\d"
    r"|(?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])[-./ ](?:1[5-9]|20)\d\d"
)
_YEAR_BEHIND = re.compile(r"\d{3,5}-(?:1[5-9]|20)\d\d")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")
_NO_PHONE = re.compile(
    r"(?=[1-9])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)|\d{1,3}\.\d{5,}|\d+\.\d+ ?/.*"
    r"|(?:[01]?\d|2[0-4])\.[0-5]\d ?-{1,2} ?(?:[01]?\d|2[0-4])\.[0-5]\d"
)
"""The address of a machine, a decimal, decimals side by side, from one time of day to another."""
_LATIN, _LATIN_AT_END, _WORD = re.compile(r"(?!x ?\d)[A-Za-z]"), re.compile("[A-Za-z]\\Z"), re.compile("[a-z]{3}")
"""A letter or a word that touches a number."""
_HEXADECIMAL = re.compile(r"[a-f]{3}|[a-f]+\d")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?: \d{3}){2,}")
_TWOS = re.compile(r"\d\d(?: \d\d){3,}")
_DISGUISED = re.compile(
    r"(?<![\d.,])(?:01[016789]|0[5789]0|1[3-9]\d)(?P<sign>[*~,_|·:]{1,2})\d{3,4}(?P=sign)\d{4}(?!\d)"
    r"|(?<![A-Za-z\d.,])[oO0][1lI][oO016-9][ .-]?[\doO]{3,4}[ .-]?[\doO]{4}(?![A-Za-z\d])"
)
"""Mobile numbers of Korea, China and Japan with odd signs between, and with letters for digits."""
_MAY_BE_DISGUISED = re.compile(r"(?:0\d|1[3-9])\d[*~,_|·:]{1,2}\d{3}|[oO0][1lI][oO016-9][ .-]?[\doO]{3}")
_DIGITS = re.compile(r"[\d .-]+")
_FEWEST, _FEWEST_WITH_LETTERS, _BEFORE = 7, 3, 30
_MAY_BE_NUMBER = re.compile(r"\d(?:[ ./()-]{0,3}\d){6}")
"""What every number has, found without a look at what stands before it."""


def phones(text: Plain, regions: Regions) -> Places:
    """Return the telephone numbers of these countries."""
    in_words = [found[:2] for found in spelt(text) if found.is_sure or _is_called(text, found.start, found.end)]
    if text.digits < _FEWEST_WITH_LETTERS:
        return in_words
    forms = _DISGUISED.finditer(text) if _MAY_BE_DISGUISED.search(text) else ()
    spelled = [*in_words, *(found.span() for found in forms if not _DIGITS.fullmatch(found.group()))]
    if text.digits < _FEWEST or not _MAY_BE_NUMBER.search(text):
        return whole(spelled)
    return whole([*_phones(text, regions.of(text), frozenset(regions.named)), *spelled])


def _phones(text: str, regions: tuple[str, ...], named: frozenset[str]) -> Iterator[Place]:
    for found in _CANDIDATE.finditer(text):
        start, end = found.start(), found.start("extension") if found["extension"] else found.end()
        parts = [(start, end), *_parts(text, start, end)]
        for first, last in parts:
            if _is_phone(text, first, last, regions, named):
                written = text[first:last]
                yield first + (written.startswith("(") and ")" not in written), found.end() if last == end else last
                if (first, last) == parts[0]:
                    break


def _parts(text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the numbers of which what looks like one number may consist."""
    signs = list(_SECOND.finditer(text, start, end))
    for before, after in pairwise([start, *(place for sign in signs for place in sign.span()), end]):
        if signs and sum(map(str.isdigit, text[before:after])) >= _FEWEST:
            yield before, after


def _is_phone(text: str, start: int, end: int, regions: tuple[str, ...], named: frozenset[str]) -> bool:
    written, before = text[start:end], text[max(0, start - _BEFORE) : start]
    if written.startswith("+"):  # nothing else begins so: whether the number was given out does not matter
        return _is_number(written, "", "is_possible_number")
    if _HEXADECIMAL.match(text, end):
        return False
    if _LATIN_AT_END.search(before) or _LATIN.match(text, end):
        is_before_word = bool(_WORD.match(text, end)) and not _LATIN_AT_END.search(before)
        return any(
            _is_mobile(written, region) or (is_before_word and _has_its_groups(written, region))
            for region in regions
            if region in named
        )
    is_called = _is_called(text, start, end)
    if _NOT_AFTER.match(text, end) or (_NOT_BEFORE.search(before) and not is_called):
        return False
    if written.startswith("00"):
        digits = re.sub(r"\D", "", written)
        return _is_number(f"+{digits[2:]}", "", "is_possible_number" if is_called else "is_valid_number")
    if _DATE.match(written) or _YEAR_BEHIND.fullmatch(written) or _NO_PHONE.fullmatch(written):
        return False
    return any(_is_of(written, region, is_called, region in named) for region in regions)


def _is_called(text: str, start: int, end: int) -> bool:
    """Return whether a word beside it says that it is the number of a telephone."""
    return bool(_CALL.search(text[max(0, start - _BEFORE) : start]) or _CALL_BEHIND.match(text, end))


def _is_of(written: str, region: str, is_called: bool, is_named: bool) -> bool:
    """Return whether it is a number of the region: in its groups, a mobile one, or after a word that says so.

    Groups of three look like an amount: they need a word before. Pairs and points need it too, or a campaign that
    names the region.
    """
    digits = re.sub(r"\D", "", written)
    if region in _MOBILE and _MOBILE[region].fullmatch(digits):
        return True
    if _THOUSANDS.fullmatch(written):
        return is_called and _is_number(written, region, "is_valid_number")
    if _VERSION.fullmatch(written) or _TWOS.fullmatch(written):
        return (is_called or is_named) and (
            _has_its_groups(written, region) or (written[0] == "0" and _is_mobile(written, region))
        )
    groups = [len(group) for group in re.split(r"[ ./()-]+", written.strip("() "))]
    is_grouped = len(groups) > 1 and (written[0] in "0(" or (region == "US" and groups == [3, 3, 4]))
    if is_called and (is_grouped or (is_named and len(digits) >= _LONG)):
        return _is_number(written, region, "is_possible_number")
    if (is_called or is_grouped) and _is_number(written, region, "is_valid_number"):
        return True
    return is_named and (
        _has_its_groups(written, region)
        or (groups == [2, 3, 2, 2] and _is_number(written, region, "is_valid_number"))
        or _is_mobile(written, region)
    )


_LONG = 9
"""Digits of a number without separators that a word announces."""


@lru_cache(maxsize=4096)
def _has_its_groups(written: str, region: str) -> bool:
    """Return whether the digits stand in the groups in which this region writes the number."""
    library = import_module("phonenumbers")
    if not _is_number(written, region, "is_possible_number" if written[0] in "0(" else "is_valid_number"):
        return False
    number = library.parse(written, region)
    usual = re.findall(r"\d+", library.format_number(number, library.PhoneNumberFormat.NATIONAL))
    groups = re.findall(r"\d+", written)
    trunk = library.PhoneMetadata.metadata_for_region(region).national_prefix
    ways = (groups, groups[1:] if groups[0] == "1" else groups, [f"{trunk}{groups[0]}", *groups[1:]])
    return len(usual) > 1 and usual in (ways if _is_mobile_kind(written, region) else ways[:2])


def _is_mobile_kind(written: str, region: str) -> bool:
    library = import_module("phonenumbers")
    return bool(library.number_type(library.parse(written, region)) == library.PhoneNumberType.MOBILE)


def _is_mobile(written: str, region: str) -> bool:
    """Return whether it is written in full and the library knows it as a mobile number, in North America none."""
    if region in _WESTERN_MOBILE and _WESTERN_MOBILE[region].fullmatch(re.sub(r"\D", "", written)):
        return True
    if not _is_number(written, region, "is_valid_number"):
        return False
    library = import_module("phonenumbers")
    trunk = library.PhoneMetadata.metadata_for_region(region).national_prefix
    is_whole = written.startswith(trunk) if trunk else sum(map(str.isdigit, written)) >= _LONG
    return is_whole and _is_mobile_kind(written, region)


@lru_cache(maxsize=4096)
def _is_number(written: str, region: str, how: str) -> bool:
    library = import_module("phonenumbers")  # its tables are for those who mask
    try:
        return bool(getattr(library, how)(library.parse(written, region or None)))
    except library.NumberParseException:
        return False
