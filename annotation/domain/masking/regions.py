"""Countries whose telephone numbers are looked for: those that a campaign names, or those of languages and scripts."""

import re
from collections.abc import Collection, Iterable
from importlib import import_module
from typing import NamedTuple

_SPOKEN = {
    "ar": ("SA", "EG", "AE", "MA", "DZ", "IQ", "JO", "LB", "TN", "KW", "QA", "BH", "OM", "SY", "YE", "LY", "SD"),
    "bn": ("BD", "IN"),
    "cs": ("CZ",),
    "da": ("DK",),
    "de": ("DE", "AT", "CH"),
    "el": ("GR", "CY"),
    "en": ("US", "GB", "CA", "AU", "IE", "NZ", "IN", "ZA"),
    "es": ("ES", "MX", "AR", "CO", "CL", "PE"),
    "fa": ("IR",),
    "fi": ("FI",),
    "fr": ("FR", "BE", "CH", "CA"),
    "he": ("IL",),
    "hi": ("IN",),
    "hu": ("HU",),
    "id": ("ID",),
    "it": ("IT", "CH"),
    "ja": ("JP",),
    "ko": ("KR",),
    "nl": ("NL", "BE"),
    "no": ("NO",),
    "pl": ("PL",),
    "pt": ("BR", "PT"),
    "ro": ("RO", "MD"),
    "ru": ("RU", "KZ"),
    "sv": ("SE",),
    "ta": ("IN", "LK"),
    "th": ("TH",),
    "tr": ("TR",),
    "uk": ("UA",),
    "ur": ("PK", "IN"),
    "vi": ("VN",),
    "zh": ("CN", "TW", "HK"),
}
_WRITTEN = (
    (re.compile("[\uac00-\ud7a3\u3131-\u318e]"), ("KR",)),
    (re.compile("[\u3041-\u30ff]"), ("JP",)),
    (re.compile("[\u4e00-\u9fff]"), ("CN", "TW", "HK", "JP")),
    (re.compile("[\u0400-\u04ff]"), ("RU", "UA")),
    (re.compile("[\u0600-\u06ff]"), ("SA", "EG", "AE")),
    (re.compile("[A-Za-z]"), ("US", "GB", "DE", "FR", "ES", "IT", "NL", "AU", "IN")),
)
_ELSEWHERE = ("KR", "CN", "JP")


class Regions(NamedTuple):
    """The countries of a campaign (ISO 3166-1 codes), and whether they were chosen: then no others count."""

    named: tuple[str, ...] = ()
    is_chosen: bool = False

    def of(self, text: str) -> tuple[str, ...]:
        """Return the countries whose numbers are looked for in this text."""
        if self.is_chosen:
            return self.named
        by_script = [region for script, regions in _WRITTEN if script.search(text) for region in regions]
        return tuple(dict.fromkeys([*self.named, *(by_script or _ELSEWHERE)]))


def chosen(codes: Collection[str]) -> Regions:
    """Return these countries and no others."""
    return Regions(tuple(codes), is_chosen=True)


def regions_of(languages: Iterable[str]) -> Regions:
    """Return the countries where these languages (ISO 639-1, also with a region: zh-hans) are spoken most."""
    spoken = (_SPOKEN.get(language.split("-")[0].lower(), ()) for language in languages)
    return Regions(tuple(dict.fromkeys(region for regions in spoken for region in regions)))


def unknown(codes: Iterable[str]) -> list[str]:
    """Return the codes that are those of no country with telephone numbers."""
    known: frozenset[str] = import_module("phonenumbers").SUPPORTED_REGIONS
    return [code for code in codes if code not in known]
