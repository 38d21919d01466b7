"""Pages have one form of date: 2026-11-23 14:05."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
_FORM = re.compile(r"""\|date(?::("[^"]*"|'[^']*'))?""")
_TAKEN = {"Y-m-d", "Y-m-d H:i", "Y-m-d H:i T", "H:i:s"}  # with the zone where strangers compare; within minutes


def test_every_date_of_a_page_has_the_one_form():
    found = {
        (path.name, form)
        for path in TEMPLATES.rglob("*.*")
        for form in _FORM.findall(path.read_text("utf-8"))
        if form.strip("\"'") not in _TAKEN
    }
    assert not found, f'write |date:"Y-m-d" or |date:"Y-m-d H:i" in these templates: {sorted(found)}'
    assert len(list(TEMPLATES.rglob("*.html"))) > 100
