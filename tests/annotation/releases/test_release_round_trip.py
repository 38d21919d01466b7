"""A release read back by the import gives the same items, and releasing those gives the same bytes."""

import json
from io import BytesIO

import pytest
from django.core.management import call_command
from PIL import Image

import builders
from annotation.analytics.agreement.labels import read_agreement
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Modality, Role, Stage
from annotation.imports.store import store_pictures
from annotation.media.decoder_process import DrawingProcess
from annotation.media.pictures import picture_limits, stage_picture
from annotation.models import Item, Picture, Prior
from annotation.operations.audit import audit
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from annotation.review.adjudicate import decide_item
from annotation.review.expert_replacement import replace_not_sure

pytestmark = pytest.mark.django_db

TEXTS = [
    *('=HYPERLINK("x")', "+1", "\t=1", 'a, "b"\r\nc', "a\u2028b\x85c", "\u202eabc\u202c", "\u2067abc\u2069"),
    *("\U0001f469\u200d\U0001f467", "caf\u00e9", "q\u0301", "q" + "\u0301" * 10_000),
]


def picture_of(project, colour):
    out = BytesIO()
    Image.new("RGB", (60, 40), colour).save(out, "PNG")
    with DrawingProcess(picture_limits()) as process:
        staged = stage_picture(process.draw(out.getvalue()), project)
    return Picture.objects.get(pk=store_pictures(project, [staged])[staged.sha256])


@pytest.fixture
def project():
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    for number, text in enumerate(TEXTS):
        item = builders.make_open_item(
            project,
            text=text,
            batch=f"batch {number}",
            source="a garden forum",
            licence="CC0-1.0",
            target_group="gardeners",
            intended=builders.category(project, number % 2) if number % 3 else None,
            intended_hateful=None if number % 3 else bool(number % 2),
            picture=picture_of(project, ("red", "blue")[number // 3]) if number in (0, 3) else None,
            picture_missing=number == 5,
            picture_name="posts/5.png" if number == 5 else "",
        )
        for modality in Modality:
            Prior.objects.create(
                item=item,
                modality=modality,
                category=builders.category(project, number % 3),
                explanation=f"Says {text}",
                model="openai:m",
                prompt_digest="d" * 64,
            )
        codes = (number % 2, number % 2, 1 if number % 2 else 0)
        for seat, member, code in zip(item.seat_rows.order_by("number"), trio, codes, strict=True):
            builders.make_label(seat, member, code, note="Clear.", seconds=4.5, target_group="gardeners")
        close_item(item)
    assert set(Item.objects.values_list("stage", flat=True)) == {Stage.GOLD}
    return project


def rows_of(made):
    """The rows of a release without what is a new project's own: its pseudonyms, and the bytes that came in."""
    rows = [json.loads(line) for line in (folder_of(made) / "items.jsonl").open()]
    for row in rows:
        row["image_sha256_original"] = None
        for label in row["labels"]:
            label["annotator"] = None
    return rows


def test_a_release_comes_back_as_the_same_items(project, tmp_path):
    made = release(project, None, Selection(notes=True))
    copy_to(made, tmp_path / "out")
    other = builders.make_project()
    call_command("import_items", other.slug, tmp_path / "out" / "items.jsonl", images=str(tmp_path / "out"))
    again = release(other, None, Selection(notes=True))
    assert rows_of(again) == rows_of(made)
    assert read_agreement(other).raw == read_agreement(project).raw
    assert audit(other) == []


def test_replaced_and_settled_items_come_back_too(project, tmp_path):
    trio = [builders.make_member(project) for _ in range(3)]
    experts = [builders.make_member(project, Role.REVIEWER) for _ in range(2)]
    unsure = builders.make_labelled_item(project, trio, (1, None, None), external_id="unsure")
    close_item(unsure)
    for expert in experts:
        replace_not_sure(unsure, expert, builders.category(project, 1))
    torn = builders.make_labelled_item(project, trio, (0, 1, 2), external_id="torn")
    close_item(torn)
    torn.refresh_from_db()
    decide_item(torn, experts[0], torn.version, "Quoted in order to object.", builders.category(project, 0))
    made = release(project, None)
    copy_to(made, tmp_path / "out")
    other = builders.make_project()
    call_command("import_items", other.slug, tmp_path / "out" / "items.jsonl", images=str(tmp_path / "out"))
    again = {row["id"]: row for row in rows_of(release(other, None))}
    assert [again[name] for name in ("unsure", "torn")] == [row for row in rows_of(made) if row["id"] in again][-2:]
    assert [label["replaced_by"] for label in again["unsure"]["labels"]] == [None, 1, 1]
    assert (again["torn"]["source"], again["torn"]["level"]) == ("adjudicated", "none")
    assert read_agreement(other).final == read_agreement(project).final
    assert audit(other) == []


def test_the_data_of_a_release_is_stable_byte_for_byte(project, tmp_path):
    made = release(project, None, Selection(notes=True))
    copy_to(made, tmp_path / "out")
    for name in ("items.jsonl", "items.csv", "labels.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (folder_of(made) / name).read_bytes()
    assert (tmp_path / "out" / "manifest.json").read_bytes() == (folder_of(made) / "manifest.json").read_bytes()


@pytest.mark.shared_data
@pytest.mark.slow
def test_imported_gold_goes_round_without_losing_a_byte(shared_data, tmp_path):
    project, other = builders.make_project(), builders.make_project()
    call_command("import_items", project.slug, shared_data / "hvli_test_set.json")
    made = release(project, None)
    assert made.items == 1178
    copy_to(made, tmp_path / "out")
    call_command("import_items", other.slug, tmp_path / "out" / "items.jsonl")
    again = release(other, None)
    assert (folder_of(again) / "items.jsonl").read_bytes() == (folder_of(made) / "items.jsonl").read_bytes()
    assert audit(project) == audit(other) == []


@pytest.mark.shared_data
@pytest.mark.slow
def test_the_published_votes_give_the_published_agreement(shared_data):
    reference = json.loads((shared_data / "golden" / "agreement_hatexplain_val.json").read_text())
    golden = reference["expected"]["hatexplain_val"]
    categories = ((0, "normal", False), (1, "offensive", True), (2, "hatespeech", True))
    project = builders.make_project(categories=categories)
    call_command("import_items", project.slug, shared_data / "hatexplain_val.jsonl")
    raw = read_agreement(project).raw
    assert (raw.items, raw.ratings) == (golden["items"], golden["ratings"])
    for name, key in [
        ("fleiss_kappa", "fleiss_kappa"),
        ("fleiss_kappa_binary", "fleiss_kappa_binary"),
        ("krippendorff_alpha", "krippendorff_alpha_nominal"),
        ("krippendorff_alpha_binary", "krippendorff_alpha_binary"),
    ]:
        assert getattr(raw, name).value == pytest.approx(golden[key], abs=5e-7)
    assert raw.levels == {level.lower(): n for level, n in golden["consensus"].items()}
    assert audit(project) == []
