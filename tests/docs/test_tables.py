"""Tables of the documents name every member of the closed sets that they describe, and the code acts on each."""

import re
from enum import StrEnum
from pathlib import Path

import pytest
from django.conf import settings

from annotation.core.extensions import registered
from annotation.domain.outgoing import Happening
from annotation.domain.releases.columns import ReleaseFormat
from annotation.releases.formats.registry import WRITERS
from annotation.webhooks.happenings import VERBS

TABLES: dict[str, type[StrEnum]] = {"docs/webhooks.md": Happening, "docs/releases.md": ReleaseFormat}


@pytest.mark.parametrize("document", TABLES)
def test_a_table_names_the_whole_set(document: str) -> None:
    text = (Path(settings.BASE_DIR) / document).read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `([\w.]+)` \|", text, re.MULTILINE))
    missing = sorted({member.value for member in TABLES[document]} - described)
    assert not missing, f"{document}: give each of these a row in the table of {TABLES[document].__name__}: {missing}"


def test_something_tells_of_each_happening() -> None:
    told = {kind for kinds in VERBS.values() for kind in kinds} | {Happening.RUN_ENDED, Happening.TEST}
    missing = set(Happening) - told
    assert not missing, f"VERBS in annotation/webhooks/happenings.py: no event of the log stands for {missing}"


def test_each_format_of_a_release_has_a_writer() -> None:
    others = {name for extension in registered() for name in extension.release_writers}
    missing = set(ReleaseFormat) - set(WRITERS) - others
    assert not missing, (
        f"No writer for {missing}: add it to WRITERS in annotation/releases/formats/registry.py, "
        "or to release_writers in the apps.py of another app"
    )
