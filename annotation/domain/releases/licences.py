"""Common licences of data sets, recognized by the names that people write."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Licence:
    """A licence: SPDX identifier, its name on dataset hubs, the URL of its text, its condition in a sentence."""

    spdx: str
    hub: str
    address: str
    asks: str


_ASKS = {
    "by": "Credit must be given",
    "nc": "commercial use is not allowed",
    "sa": "what is made of it must be under the same licence",
    "nd": "changed versions must not be shared",
}
_CC = re.compile(r"^cc[ -]?(by(?:[ -](?:nc|sa|nd))*)[ -]?(?:v)?(\d\.\d)?(?: international| intl)?$")
_OTHERS = {
    "cc0": Licence("CC0-1.0", "cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/", "No rights are kept."),
    "mit": Licence("MIT", "mit", "https://spdx.org/licenses/MIT.html", "The notice must be kept."),
    "apache": Licence(
        "Apache-2.0", "apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0", "The notices must be kept."
    ),
    "odc-by": Licence("ODC-By-1.0", "odc-by", "https://opendatacommons.org/licenses/by/1-0/", "Credit must be given."),
    "odbl": Licence(
        "ODbL-1.0",
        "odbl",
        "https://opendatacommons.org/licenses/odbl/1-0/",
        "Credit must be given; databases made of it must be under the same licence.",
    ),
}
_NAMES = {
    **dict.fromkeys(("cc0", "cc0-1.0", "cc0 1.0", "cc-zero", "public domain"), "cc0"),
    **dict.fromkeys(("mit", "mit license", "mit licence"), "mit"),
    **dict.fromkeys(("apache-2.0", "apache 2.0", "apache license 2.0"), "apache"),
    **dict.fromkeys(("odc-by", "odc-by-1.0", "odc-by 1.0"), "odc-by"),
    **dict.fromkeys(("odbl", "odbl-1.0", "odbl 1.0"), "odbl"),
}


def licence_of(written: str) -> Licence | None:
    """Return the licence of this name. Returns None if the name is not known; no licence is better than a wrong one."""
    plain = " ".join(written.casefold().replace("_", "-").split())
    if plain in _NAMES:
        return _OTHERS[_NAMES[plain]]
    match = _CC.match(plain)
    if not match:
        return None
    parts = re.split("[ -]", match[1])
    version = match[2] or "4.0"
    if len(set(parts)) < len(parts) or {"sa", "nd"} <= set(parts):
        return None
    ordered = "-".join(part for part in ("by", "nc", "sa", "nd") if part in parts)
    asks = "; ".join(_ASKS[part] for part in ordered.split("-")) + "."
    return Licence(
        f"CC-{ordered.upper()}-{version}",
        f"cc-{ordered}-{version}",
        f"https://creativecommons.org/licenses/{ordered}/{version}/",
        asks,
    )
