"""What pages ask for is there: a name that is not would be a server error on every page that holds it."""

import re
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

_NAMED = re.compile(r"""\{%\s*static\s+['"]([^'"]+)['"]""")


def test_every_file_that_a_template_names_is_there() -> None:
    folder = Path(settings.BASE_DIR) / "templates"
    named = {name for page in folder.rglob("*.html") for name in _NAMED.findall(page.read_text(encoding="utf-8"))}
    assert "app.css" in named
    missing = {name for name in named if finders.find(name) is None}
    assert not missing, f"a template names these, which are not under static/: {sorted(missing)}"
