"""Designs that a new project can begin with."""

import json
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from annotation.domain.design.file import BadDesign, Design, read_design
from annotation.projects.create import DEFAULT_DESIGN

HVLI = "h-vli"
TITLES: dict[str, str | Promise] = {
    HVLI: _("Six categories, of the H-VLI paper"),
    "binary": _("Hateful or not"),
    "hatexplain": _("Three categories, of HateXplain, with targets and words"),
    "severity": _("Hateful or not, how severe in five points, whom it attacks and by which words"),
    "k-mhas": _("Nine categories, of K-MHaS; several may be chosen for a post"),
}
"""The templates with their titles. All but the first are a file in `design_templates/`."""
FILE_LIMIT = 2**20
"""Bytes of a design file."""
_FOLDER = Path(__file__).parent / "design_templates"


def template(name: str) -> Design:
    """Return the design of a template. Raises KeyError if there is none of this name."""
    if name == HVLI:
        return DEFAULT_DESIGN
    if name not in TITLES:
        raise KeyError(name)
    return parse_design((_FOLDER / f"{name}.json").read_bytes())


def parse_design(raw: bytes) -> Design:
    """Return the design that a file holds. Raises BadDesign."""
    if len(raw) > FILE_LIMIT:
        raise BadDesign(
            gettext_noop("The file is larger than %(most)s bytes: that is no design."), most=f"{FILE_LIMIT:,}"
        )
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadDesign(gettext_noop("The file is not UTF-8: save it as UTF-8.")) from None
    except (ValueError, RecursionError) as error:
        raise BadDesign(gettext_noop("The file is not JSON: %(fault)s."), fault=error) from None
    return read_design(value)
