"""Dates as pages write them, as ISO: in words of many languages, in numbers, by eras, and in addresses.

A date that may be one of two days is none, and so is a day that no calendar has.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any

from vocabulary.late_patterns import late

_MONTHS = (
    "jan ene gen oca янв sty janv ian jaan tammi ιαν saus sije led січ eanáir يناير كانون جانفي ינואר जनवरी มกรา",
    "feb fev fév şub фев lut feabh frar veeb helmi φεβ vasar velja únor лют فبراير شباط فيفري פברואר फरवरी फ़रवरी กุมภา",
    "mar mär mae maa mrt már мар марта μάρ μαρ kov ožuj břez берез مارس آذار מרץ מרס मार्च มีนา",
    "apr abr avr nis ápr апр kwi huhti απρ baland trav dub квіт aib أبريل ابريل نيسان אפריל अप्रैल เมษา",
    "may mai mag maj máj mei mej май мая maij touko μάι μαΐ μαι gegu svib květ трав beal مايو أيار ماي מאי मई พฤษภา",
    "jun juin giu haz jún jūn июн юни iun juun kesä ιούν ιουν birž lipnj červ черв meith ġun cze"
    " يونيو حزيران جوان יוני जून มิถุนา",
    "jul juil lug tem júl jūl июл юли iul juul heinä ιούλ ιουλ liep lip srpnj červenc лип iúil lulj"
    " يوليو تموز جويلية יולי जुलाई กรกฎา",
    "aug ago aoû aou ağu avg авг sie elo αύγ αυγ rugp kolov srpn серп lún awwi أغسطس آب أوت אוגוסט अगस्त สิงหา",
    "sep set eyl сен сеп wrz szept syys σεπ rugs ruj zář верес سبتمبر أيلول ספטמבר सितंबर सितम्बर กันยา",
    "oct okt ott out eki окт paź októ loka οκτ spal říj жовт أكتوبر אוקטובר अक्टूबर अक्तूबर ตุลา",
    "nov kas ноя ное lis noi marras νοέ νοε lapkr studen листоп نوفمبر נובמבר नवंबर नवम्बर พฤศจิกา",
    "dec dez dic déc des diċ ara дек gru dets joulu δεκ gruod prosin груд ديسمبر דצמבר दिसंबर दिसम्बर ธันวา",
)  # fmt: skip
_BEGINNINGS = {start: number for number, names in enumerate(_MONTHS, 1) for start in names.split()}
_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民國": 1911, "民国": 1911}
_BUDDHIST = 543  # years that Thai calendars are ahead
_FIRST_YEAR = 1000

_NAME = rf"ב?(?:{'|'.join(_BEGINNINGS)})[^\s\d.,;:|/()_-]{{0,12}}"
_OF = r"(?:(?:de|of|d[’'])\s?)?"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|ος)?"
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:\s*[-/.年년]\s*(\d{1,2})(?:\s*[-/.月월]\s*(\d{1,2})\s*[日일.]?)?\s*[月월.]?)?(?:[T\s(（,].*)?\Z",
    re.DOTALL,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?\d{4,6}.*)?\Z")
# Parts of patterns: each is read alone, and all in a line.
_AFTER_YEAR_FORM = rf"(\d{{4}})\.?\s(?:m\.\s)?({_NAME})\.?\s(\d{{1,2}})(?!\d)"
_LATVIAN_FORM = rf"(\d{{4}})\. gada (\d{{1,2}})\. ({_NAME})"
_DAY_FIRST_FORM = rf"(\d{{1,2}}){_ORDINAL}(\.?)[\s-]{{1,3}}{_OF}({_NAME})\.?,?[\s-]{{1,3}}{_OF}(\d{{4}})(?!\d)"
_MONTH_FIRST_FORM = rf"({_NAME})\.?\s{{1,3}}(\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}(\d{{4}})(?!\d)"
_VIETNAMESE_FORM = r"(\d{1,2})\stháng\s(\d{1,2})(?:,|\snăm)?\s(\d{4})(?!\d)"
_NAMED_AFTER_YEAR, _LATVIAN, _DAY_FIRST, _MONTH_FIRST, _VIETNAMESE = (
    late(form, re.IGNORECASE)
    for form in (_AFTER_YEAR_FORM, _LATVIAN_FORM, _DAY_FIRST_FORM, _MONTH_FIRST_FORM, _VIETNAMESE_FORM)
)
_NUMBERS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b")
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s?(元|\d{{1,3}})\s?年\s?(\d{{1,2}})\s?月\s?(\d{{1,2}})\s?日")
_HAN = "〇一二三四五六七八九"
_IN_HAN = re.compile(rf"([一二][{_HAN}零○]{{3}})年([{_HAN}十]{{1,3}})月([{_HAN}十]{{1,3}})日")


def date_of(value: Any) -> str:
    """Return a written date as ISO, to the day, month or year as it states; empty for none, and for no day at all.

    Whether "05/04/2024" is of April or May nobody can tell: it is none.
    """
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    written = re.sub(r"^[A-Za-z]{3,9},\s+", "", str(value).strip()[:60])
    if numbers := _COMPACT.match(written) or (not _names_a_month(written) and _YEAR_FIRST.match(written)):
        return _day(*numbers.groups())
    return next((day for form, read in _FORMS if (found := form(written)) and (day := read(found))), "")


_ADDRESS = re.compile(r"://[^/]+/(?:[^?#]*[/_-])?((?:19|20)\d\d)([/-]?)(\d\d)\2(\d\d)(?=[/_.-]|\Z)")


def date_in_address(url: str) -> str:
    """Return the day that stands in the path of an address, as ISO; empty for none."""
    found = _ADDRESS.search(url)
    return _day(found[1], found[3], found[4]) if found else ""


_WRITTEN = late(
    rf"{_ERA.pattern}|{_IN_HAN.pattern}|(?<!\d){_LATVIAN_FORM}|(?<!\d){_AFTER_YEAR_FORM}"
    r"|(?<!\d)\d{4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}(?:\s?[日일]|\.)?(?!\d)"
    rf"|(?<!\d){_VIETNAMESE_FORM}|(?<!\d){_DAY_FIRST_FORM}|(?<!\w){_MONTH_FIRST_FORM}"
    r"|(?<!\d)\d{1,2}(?P<sign>[./-])\d{1,2}(?P=sign)\d{4}(?!\d)",
    re.IGNORECASE,
)


def dates_in(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a date is written, from and to, and the date as ISO; empty where it may be another day or none."""
    for found in _WRITTEN.finditer(line):
        yield found.start(), found.end(), date_of(found[0])


def _of_numbers(first: int, second: int, sign: str, year: str) -> str:
    if sign == "." or first > 12 or first == second:  # with full stops the day goes first
        return _day(year, str(second), str(first))
    return _day(year, str(first), str(second)) if second > 12 else ""


def _of_han(written: str) -> str:
    """Return a number in Chinese characters as digits: one by one as years are written, or up to 31."""
    digits = "".join(str(_HAN.index(sign)) if sign in _HAN else sign for sign in re.sub("[零○]", "〇", written))
    tens, ten, ones = digits.partition("十")
    return str(int(tens or 1) * 10 + int(ones or 0)) if ten else digits


def _month(name: str, *, with_point: bool = False) -> str:
    """Return the number of the month that a name begins with; "0" for no month. `with_point`: its day has one."""
    written = name.casefold()
    if with_point and written.startswith("listopada"):
        return "10"  # Croatian, which writes "14. listopada"; in Polish it is November
    for start in (written, written.removeprefix("ב")):
        for length in range(min(len(start), _LONGEST_BEGINNING), 1, -1):
            if month := _BEGINNINGS.get(start[:length]):
                return str(month)
    return "0"


def _common_era(year: str, month: str) -> str:
    return str(int(year) - _BUDDHIST) if "\u0e01" <= month[0] <= "\u0e2e" and int(year) > 2400 else year


def _day(year: str, month: str | None = None, day: str | None = None) -> str:
    """Return the date as ISO; empty if the calendar has no such day."""
    try:
        real = date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return ""
    if real.year < _FIRST_YEAR:
        return ""
    return real.isoformat()[: 10 if day else 7 if month else 4]


def not_after(stated: str, moment: datetime) -> str:
    """Return the date unless it lies after the moment (a day is left for time zones): then the page cannot state it."""
    latest = date.fromordinal(moment.date().toordinal() + 1).isoformat()
    return stated if stated <= latest[: len(stated)] else ""


def _names_a_month(written: str) -> bool:
    """Return whether a name of a month follows the year."""
    return bool(_NAMED_AFTER_YEAR.match(written) or _LATVIAN.match(written))


def _of_era(found: re.Match[str]) -> str:
    return _day(str(_ERAS[found[1]] + (1 if found[2] == "元" else int(found[2]))), found[3], found[4])


def _of_day_first(found: re.Match[str]) -> str:
    return _day(_common_era(found[4], found[3]), _month(found[3], with_point=bool(found[2])), found[1])


_FORMS: tuple[tuple[Callable[[str], re.Match[str] | None], Callable[[re.Match[str]], str]], ...] = (
    (_ERA.match, _of_era),
    (_IN_HAN.match, lambda found: _day(*map(_of_han, found.groups()))),
    (lambda written: _NAMED_AFTER_YEAR.match(written), lambda found: _day(found[1], _month(found[2]), found[3])),
    (lambda written: _LATVIAN.match(written), lambda found: _day(found[1], _month(found[3]), found[2])),
    (lambda written: _VIETNAMESE.search(written), lambda found: _day(found[3], found[2], found[1])),
    (lambda written: _DAY_FIRST.search(written), _of_day_first),
    (lambda written: _MONTH_FIRST.search(written), lambda found: _day(found[3], _month(found[1]), found[2])),
    (_NUMBERS.match, lambda found: _of_numbers(int(found[1]), int(found[3]), found[2], found[4])),
)
"""How a date is written, and how each form is read; patterns that are compiled late are asked at their use."""
