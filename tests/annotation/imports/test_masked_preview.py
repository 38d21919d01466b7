"""The rows that are shown before an import are masked as the import masks them, with the campaign's countries."""

import io
import json
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from PIL import Image

from annotation.domain.choices import Role
from annotation.domain.formats.base import LabelUse, Mapped
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


SECRETS = ("010-1234-5678", "wren@garden.example", "+82 10 1234 5678")
COLUMNS = {
    "a kept column": {"contact": SECRETS[0]},
    "one of several values": {"contacts": ["none", SECRETS[1]]},
    "an object": {"author": {"name": "wren", "mail": SECRETS[1]}},
    "a column of the site": {"source": f"a call from {SECRETS[2]}"},
    "a column that looks like labels": {"label": SECRETS[0]},
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("update", [None, "labels"])
def test_the_report_that_is_stored_holds_nothing_that_is_masked(column: dict[str, Any], update: Any) -> None:
    """The page keeps what it says of an import, with the most frequent values of each column."""
    project = make_project("garden")
    content = json.dumps({"id": "a", "text": "A post of a garden.", **column}).encode()
    if update:
        assert import_file(project, io.BytesIO(b'{"id": "a", "text": "A post of a garden."}'), ImportOptions()).stored
    options = ImportOptions(masks=frozenset(Mask), update=update, keep=frozenset({"*"}))
    report = import_file(project, io.BytesIO(content), options)
    told = json.dumps(report.as_json(), default=str)
    assert not [secret for secret in SECRETS if secret in told]
    assert any("<" in str(column["values"]) for column in report.columns)


def test_values_that_are_masked_alike_are_counted_together() -> None:
    project = make_project("garden")
    rows = [{"id": str(number), "text": f"Post {number}.", "who": f"0101234567{number}"} for number in range(3)]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    report = import_file(project, io.BytesIO(content), ImportOptions(masks=frozenset({Mask.PHONES})))
    assert {column["name"]: column["values"] for column in report.columns}["who"] == {"<phone>": 3}


@pytest.mark.parametrize("stored", [True, False])
def test_the_address_of_an_annotator_stands_in_no_report(stored: bool) -> None:
    project = make_project("garden")
    content = b"id,text,who,label\n1,A post.,wren@garden.example,0\n1,A post.,robin,1\n"
    mapped = Mapped(annotator="who", label="label", label_is=LabelUse.SEAT)
    report = import_file(project, io.BytesIO(content), ImportOptions(mapped=mapped), dry_run=not stored)
    assert report.errors == [] and report.stored is stored
    assert "wren@" not in json.dumps(report.as_json(), default=str)
    (who,) = (column["values"] for column in report.columns if column["name"] == "who")
    assert sum(who.values()) == 2 and "robin" in who


SECRET = "010-1234-5678"
QUOTED = {
    "an explanation of a model": {"text_label": 0, "text_explanation": f"It gives {SECRET}."},
    "a note of an annotator": {"labels": [{"annotator": "a", "category": 0, "note": f"see {SECRET}"}]},
    "a rationale": {"gold": 0, "gold_source": "adjudicated", "rationale": f"{SECRET} is a number"},
    "an explanation of a known answer": {"known_category": 0, "known_explanation": f"call {SECRET}"},
    "words in a picture": {"image": "a.png", "picture_text": f"call {SECRET}"},
}


@pytest.mark.parametrize("said", QUOTED.values(), ids=QUOTED)
@pytest.mark.parametrize("update", [None, "fill", "labels"])
def test_what_was_written_about_a_post_is_masked_as_the_post(tmp_path: Path, said: dict[str, Any], update: Any) -> None:
    """Notes and explanations quote the post, and are released beside it."""
    project = make_project("garden")
    actor = make_member(project, Role.ADMIN)
    Image.new("RGB", (40, 30)).save(tmp_path / "a.png")
    post = {"id": "a", "text": "A post of a garden."} | ({"image": "a.png"} if "image" in said else {})

    def bring(row: dict[str, Any], **options: Any) -> Any:
        content = io.BytesIO(json.dumps(row).encode())
        return import_file(project, content, ImportOptions(**options), images=tmp_path, actor=actor)

    if update:
        assert bring(post).stored
    report = bring(post | said, update=update, masks=frozenset({Mask.PHONES}))
    assert report.errors == []
    tables = [model for model in apps.get_models() if model._meta.app_label == "annotation"]
    stored = [
        value for model in tables for row in model._base_manager.order_by("pk").values() for value in row.values()
    ]
    assert not [value for value in stored if SECRET in str(value)]
    takes = {None, "labels"} if "labels" in said else {None} if "gold" in said else {None, "fill"}
    assert any("<phone>" in str(row) for row in stored) is (update in takes)
