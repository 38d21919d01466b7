import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
GUIDE = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")


def test_the_operators_guide_names_every_variable_that_the_settings_read():
    source = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r"env\w*\.\w+\(\s*[\"']([A-Z_]+)[\"']", source))
    assert read, "the settings read no variable at all?"
    assert sorted(name for name in read if f"`{name}`" not in GUIDE) == []


def test_variables_that_may_lie_in_a_file_are_marked_as_such():
    source = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    secrets = set(re.findall(r"env\.(?:secret|server_url)\(\s*[\"']([A-Z_]+)[\"']", source))
    marked = set(re.findall(r"`([A-Z_]+)` 🔑", GUIDE))
    assert secrets | {"DATABASE_URL"} == marked


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
    ],
)
def test_every_link_between_the_documents_leads_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []
