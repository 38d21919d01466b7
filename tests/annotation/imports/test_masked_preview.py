"""The rows that are shown before an import are masked as the import masks them, with the campaign's countries."""

import io
import json
import unicodedata
from contextlib import suppress
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.formats.base import Mapped
from annotation.domain.masking.mask import Mask
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Import, Item, Project
from builders import make_member, make_project

pytestmark = pytest.mark.django_db

TEXTS = [
    "sonne 0650 1234567 sein bruder",
    "698765432 por la noche",
    "call 010-1234-5678 or 415-555-0132",
    unicodedata.normalize("NFD", "@딸기밭 이라는 사람"),
    f"{'weed ' * 38}x@garden.example, and no more",
]
FILE = "".join(json.dumps({"nr": number, "saying": text}) + "\n" for number, text in enumerate(TEXTS)).encode()
CAMPAIGNS = {
    "of no language": {},
    "of Spanish": {"question": {"": "Is it hateful?", "es": "¿Es odio?"}},
    "of Korea alone": {"phone_regions": "KR"},
    "of Austria and Spain": {"phone_regions": "AT, ES"},
}


def stored_in(project: Project, options: ImportOptions) -> list[str]:
    options = options.model_copy(update={"mapped": Mapped(text="saying"), "keep": frozenset({"nr"})})
    planned = import_file(project, io.BytesIO(FILE), options, dry_run=True)
    assert import_file(project, io.BytesIO(FILE), options).stored
    stored = list(Item.objects.filter(project=project).order_by("pk").values_list("text", flat=True))
    assert [row.text for row in planned.preview] == stored
    return stored


@pytest.mark.parametrize("campaign", CAMPAIGNS.values(), ids=CAMPAIGNS)
@pytest.mark.parametrize("masks", [frozenset(Mask), frozenset({Mask.PHONES}), frozenset[Mask]()], ids=len)
def test_what_is_shown_is_what_is_stored(campaign: dict[str, Any], masks: frozenset[Mask]) -> None:
    project = make_project("garden", **campaign)
    options = ImportOptions(masks=masks)
    shown = import_file(project, io.BytesIO(FILE), options, dry_run=True).first_rows["rows"]
    stored = stored_in(project, options)
    assert [unicodedata.normalize("NFC", cell) for _nr, cell in shown] == [
        text if len(text) <= 200 else f"{text[:200]}…" for text in stored
    ]
    is_spanish = campaign in (CAMPAIGNS["of Spanish"], CAMPAIGNS["of Austria and Spain"])
    assert (stored[1] != TEXTS[1]) is (bool(masks) and is_spanish)


def test_the_page_and_the_command_show_the_same(client: Any, capsys: Any, tmp_path: Any) -> None:
    project = make_project("garden", phone_regions="AT, ES")
    client.force_login(make_member(project, Role.ADMIN).user)
    upload = {"file": SimpleUploadedFile("a.jsonl", FILE), "format": "auto", "mask": ["phones"]}
    client.post(reverse("annotation:import", args=["garden"]), upload)
    page = client.get(reverse("annotation:import", args=["garden"]), follow=True).content.decode()
    row = Import.objects.get()
    assert row.outcome["first_rows"]["rows"][1][1] == "<phone> por la noche"
    assert "698765432" not in page
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    with suppress(SystemExit, CommandError):
        call_command("import_items", "garden", str(path), dry_run=True, mask="phones")
    printed = capsys.readouterr().out
    assert "<phone> por la noche" in printed and "698765432" not in printed
