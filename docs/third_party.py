"""Write THIRD_PARTY.md: what the program brings along that is not ours, with versions, licences and addresses.

`make third-party` prints it, for the packages of requirements.lock without the tools of development, as the installed
packages say themselves. A licence in words becomes its SPDX identifier. What no package says is in the tables below,
read in the files of the packages.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from textwrap import fill

from config.locked_packages import ROOT, Locked, declared, read_lock, with_needs

NOT_PASSED_ON = {"dev", "train", "bertscore", "detoxify"}
"""Extras that neither `make setup` nor the image brings to a site; `dev` are tools of development."""

ELSEWHERE = {
    "colorama": ("BSD-3-Clause", "https://github.com/tartley/colorama"),
    "async-timeout": ("Apache-2.0", "https://github.com/aio-libs/async-timeout"),
    "httpx2-jsfetch": ("BSD-3-Clause", "https://github.com/pydantic/httpx2"),
    "tzdata": ("Apache-2.0", "https://github.com/python/tzdata"),
}
"""Packages of other systems and older Pythons, which are not installed everywhere (Windows, browsers, 3.11.2)."""
READ = {
    "absl-py": ("", "https://github.com/abseil/abseil-py"),
    "fido2": ("BSD-2-Clause AND Apache-2.0 AND MPL-2.0", ""),
    "pi-heif": ("BSD-3-Clause AND LGPL-3.0-or-later", ""),
    "python-dateutil": ("Apache-2.0 OR BSD-3-Clause", ""),
    "python-stdnum": ("LGPL-2.1-or-later", "https://arthurdejong.org/python-stdnum/"),
    "qrcode": ("BSD-3-Clause", ""),
    "scipy": ("BSD-3-Clause", ""),
    "uvloop": ("MIT OR Apache-2.0", ""),
    "waitress": ("ZPL-2.1", "https://github.com/Pylons/waitress"),
    "wordllama": ("MIT", "https://github.com/dleemiller/WordLlama"),
}
"""What packages say in more than one way, or not at all: licence and address, empty where theirs is right."""
_WORDS = (
    (r"MIT OR Apache-2.0|MPL-2.0 AND MIT|BSD 3-Clause OR Apache-2.0", None),
    (r"Mozilla Public License 2|MPL-2", "MPL-2.0"),
    (r"Apache", "Apache-2.0"),
    (r"BSD-3-Clause|BSD 3-Clause|3-Clause BSD|New BSD", "BSD-3-Clause"),
    (r"BSD-2-Clause|BSD 2-Clause", "BSD-2-Clause"),
    (r"ISC", "ISC"),
    (r"MIT", "MIT"),
    (r"PSF|Python Software Foundation", "PSF-2.0"),
)
INSIDE = (
    ("django-htmx", "htmx, its script", "0BSD", "https://htmx.org"),
    ("djangorestframework", "Bootstrap, jQuery (scripts and styles of pages that this site does not show)", "MIT", "https://getbootstrap.com"),
    ("djangorestframework", "Font Awesome (a font, likewise)", "OFL-1.1", "https://fontawesome.com"),
    ("drf-spectacular-sidecar", "Swagger UI", "Apache-2.0", "https://github.com/swagger-api/swagger-ui"),
    ("drf-spectacular-sidecar", "ReDoc", "MIT", "https://github.com/Redocly/redoc"),
    ("kiwipiepy", "Kiwi; Eigen", "Apache-2.0; MPL-2.0", "https://github.com/bab2min/Kiwi"),
    ("numpy, scipy, faiss-cpu", "OpenBLAS", "BSD-3-Clause", "https://www.openblas.net"),
    ("numpy, scipy, faiss-cpu", "libgfortran", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org"),
    ("numpy, scipy, faiss-cpu", "libquadmath", "LGPL-2.1-or-later", "https://gcc.gnu.org"),
    ("opencv-python-headless", "FFmpeg", "LGPL-2.1-or-later", "https://ffmpeg.org"),
    ("pi-heif", "libheif, libde265", "LGPL-3.0-or-later", "https://github.com/strukturag/libheif"),
    ("psycopg-binary", "libpq; OpenSSL", "PostgreSQL; Apache-2.0", "https://www.postgresql.org"),
    ("rapidocr", "models of PaddleOCR", "Apache-2.0", "https://github.com/PaddlePaddle/PaddleOCR"),
    ("shapely", "GEOS", "LGPL-2.1-or-later", "https://libgeos.org"),
)  # fmt: skip
"""What packages carry inside them under another licence, as far as it matters to who passes them on."""

_HEAD = """\
# What is not ours

Written by `make third-party`; change `docs/third_party.py`, not this file. Our own code is under the MIT licence
([LICENSE](LICENSE)). `make setup` and the image bring these packages along, the image without the extras that the
Dockerfile leaves out. Licences are SPDX identifiers, as the packages state them. Read their own files: they count.

## For people who pass the program on

This says what the licences are about. It is no legal advice.

- **krippendorff** is under the GPL, version 3 or later. The site imports it when it runs, to compute Krippendorff's α.
  Our code stays under MIT, and people who take our files alone have that. Who passes the whole on (an image, a bundle
  with the packages inside) does so under the conditions of the GPL-3: with its text, with the source of all of it or
  an offer of it, and without further restrictions.
- Running the site for others, as a service, does not pass it on.
{weak}
- No package is under the AGPL.
- An image also holds Python and Debian's packages. Their licences are in the image, under `/usr/share/doc`.

## Packages

| package | version | licence | address |
| --- | --- | --- | --- |
"""
_INSIDE_HEAD = """
## Inside packages

| package | carries | licence | address |
| --- | --- | --- | --- |
"""


def passed_on() -> list[Locked]:
    """Return the locked packages that a site is run with."""
    groups = declared((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    locked = read_lock((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    wanted = [name for group, names in groups.items() if group not in NOT_PASSED_ON for name in names]
    return with_needs(wanted, locked)


def document() -> str:
    """Return the whole file. Raises SystemExit for a package whose licence nobody knows."""
    rows = [(package, *_licence_and_address(package)) for package in passed_on()]
    strong = [package.name for package, licence, _address in rows if re.match(r"A?GPL", licence)]
    if strong != ["krippendorff"]:
        raise SystemExit(f"Under the GPL are {strong}: the words of docs/third_party.py speak of krippendorff alone.")
    weak = sorted({package.name for package, licence, _address in rows if re.search(r"(?<!OR )LGPL", licence)})
    carrying = {name for names, _what, licence, _address in INSIDE if "LGPL" in licence for name in names.split(", ")}
    names = sorted({*weak, *carrying})
    sentence = f"- **{', '.join(names[:-1])} and {names[-1]}** are under the LGPL or have such parts inside. "
    sentence += "Pass on their texts and sources with them, and let people replace them."
    head = _HEAD.format(weak=fill(sentence, 118, subsequent_indent="  ", break_on_hyphens=False))
    packages = "".join(f"| {row.name} | {row.version} | {licence} | <{where}> |\n" for row, licence, where in rows)
    inside = "".join(f"| {' | '.join(row[:3])} | <{row[3]}> |\n" for row in INSIDE)
    return f"{head}{packages}{_INSIDE_HEAD}{inside}"


def _licence_and_address(package: Locked) -> tuple[str, str]:
    if package.name in ELSEWHERE:
        return ELSEWHERE[package.name]
    try:
        installed = distribution(package.name)
    except PackageNotFoundError:
        raise SystemExit(f"{package.name} is not installed here; write its licence into docs/third_party.py.") from None
    licence, address = READ.get(package.name, ("", ""))
    licence, address = licence or _licence(installed), address or _address(installed)
    if not licence or not address:
        raise SystemExit(f"{package.name} states no licence or address; write them into docs/third_party.py.")
    return licence, address


def _licence(installed: Distribution) -> str:
    """Return the SPDX identifier. Returns an empty text if the package's own words are not understood."""
    about = installed.metadata
    if about.get("License-Expression"):
        return str(about["License-Expression"])
    classifiers = [text for text in about.get_all("Classifier") or () if text.startswith("License ::")]
    for said in ((about.get("License") or "").strip()[:60], " ".join(classifiers)):
        for pattern, identifier in _WORDS:
            if match := re.search(pattern, said):
                return identifier or match.group().replace("BSD 3", "BSD-3")
        if "BSD" in said:
            return _which_bsd(installed)
    return ""


def _which_bsd(installed: Distribution) -> str:
    files = [file for file in installed.files or () if re.search(r"LICEN[SC]E|COPYING", file.name, re.IGNORECASE)]
    texts = " ".join(file.read_text(encoding="utf-8") for file in files)
    if "Redistribution" not in texts:
        return ""
    third = re.search(r"Neither\s+(the|my)\s+name|may\s+not\s+be\s+used\s+to", texts)
    return "BSD-3-Clause" if third else "BSD-2-Clause"


def _address(installed: Distribution) -> str:
    """Return the package's home, else where its source is."""
    urls = dict(str(line).lower().split(", ", 1) for line in installed.metadata.get_all("Project-URL") or ())
    written = {str(line).split(", ", 1)[1] for line in installed.metadata.get_all("Project-URL") or ()}
    for name in ("homepage", "home", "source", "source code", "repository", "github", "code", "github: repo"):
        if name in urls:
            return next(url for url in written if url.lower() == urls[name])
    return str(installed.metadata.get("Home-page") or min(written, default=""))


if __name__ == "__main__":
    sys.stdout.write(document())
