"""Documents name files that exist."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DOCUMENTS = ("docs/architecture.md", "CONTRIBUTING.md", "README.md")
FIRST = "annotation|config|docs|generation|locale|moderation|providers|runs|static|templates|tests|bench"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    paths = re.findall(rf"`((?:{FIRST})/[\w./-]*)`", text)
    missing = [path for path in paths if "NAME" not in path and not (ROOT / path).exists()]
    assert not missing
