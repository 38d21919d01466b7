"""Releases: what is in them, that they stay as they are, and that nothing leaves that should not."""

import csv
import hashlib
import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import example, given
from hypothesis import strategies as st

import builders
from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import read_agreement
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of, releases_root
from annotation.domain.choices import Level, Modality, PriorState, Source, Stage
from annotation.domain.csv_cells import cell, neutralized, restored
from annotation.domain.releases.columns import COLUMNS, json_line, label_columns
from annotation.models import Adjudication, AppendOnlyError, Event, Item, Prior, Release, Ruling
from annotation.releases.build import CannotRelease, release
from annotation.releases.request import Selection
from release_builders import make_gold, make_picture, problems, rows_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project(name="Winter campaign", licence="CC BY-NC 4.0")


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


def sheet_of(made, name="items.csv"):
    with (folder_of(made) / name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_release_holds_gold_and_nothing_else(project, trio):
    item = make_gold(project, trio, intended=builders.category(project, 0), batch="pilot", source="a garden forum")
    builders.make_labelled_item(project, trio, (0, 1, 2))
    builders.make_item(project)
    made = release(project, None)
    (row,) = rows_of(made)
    assert (made.number, made.items) == (1, 1)
    assert list(row) == list(COLUMNS)
    assert row["id"] == item.external_id
    assert row["text"] == "A post about a garden."
    assert (row["gold"], row["level"], row["source"], row["aligned"], row["round"]) == (0, "weak", "consensus", True, 1)
    assert (row["intended"], row["batch"], row["item_source"]) == (0, "pilot", "a garden forum")
    assert (row["image"], row["pattern"], row["text_label"]) == (None, None, None)
    assert [label["category"] for label in row["labels"]] == [0, 0, 1]
    assert all(list(label) == list(label_columns(COLUMNS)) for label in row["labels"])
    assert problems(folder_of(made)) == []


def test_priors_pattern_and_rationale_are_told(project, trio):
    item = make_gold(project, trio, codes=(1, 1, 1))
    Prior.objects.create(
        item=item,
        modality=Modality.TEXT,
        category=builders.category(project, 0),
        explanation="About a garden.",
        model="openai:m",
        prompt_digest="d" * 64,
    )
    Prior.objects.create(item=item, modality=Modality.IMAGE, state=PriorState.REFUSED, model="openai:v")
    Adjudication.objects.create(
        item=item,
        round=1,
        reviewer=trio[0],
        ruling=Ruling.DECIDE,
        category=builders.category(project, 1),
        rationale="Weeds mean people here.",
        item_version=2,
    )
    Item.objects.filter(pk=item.pk).update(
        pattern="001", difficulty="hard", category_source=Source.ADJUDICATED, hateful=True
    )
    (row,) = rows_of(release(project, None))
    assert (row["text_label"], row["text_hateful"], row["text_model"]) == (0, False, "openai:m")
    assert (row["image_label"], row["image_hateful"], row["image_state"]) == (None, None, "refused")
    assert (row["pattern"], row["difficulty"], row["mechanism"]) == ("001", "hard", "emergence")
    assert (row["source"], row["rationale"]) == ("adjudicated", "Weeds mean people here.")


def test_pictures_are_copied_once_under_their_hash(project, trio):
    picture = make_picture(project)
    make_gold(project, trio, picture=picture, picture_name="posts/17.png")
    make_gold(project, trio, picture=picture)
    make_gold(project, trio, picture_missing=True, picture_name="posts/18.png")
    made = release(project, None)
    one, two, lost = rows_of(made)
    path = f"pictures/{picture.file_sha256}.png"
    assert one["image"] == two["image"] == path
    assert (one["image_sha256_original"], one["image_sha256_released"]) == (picture.sha256, picture.file_sha256)
    assert (folder_of(made) / path).read_bytes() == picture.file.read()
    assert (lost["image"], lost["image_sha256_released"]) == (None, None)
    assert made.manifest["counts"]["pictures"] == 1
    assert problems(folder_of(made)) == []


@pytest.mark.parametrize(("harm", "code"), [("flip", "picture_damaged"), ("remove", "picture_missing")])
def test_a_picture_that_is_not_what_its_row_says_stops_the_release(project, trio, harm, code):
    picture = make_picture(project)
    make_gold(project, trio, picture=picture)
    default_storage.delete(picture.file.name)
    if harm == "flip":
        default_storage.save(picture.file.name, ContentFile(b"another picture"))
    with pytest.raises(CannotRelease) as refused:
        release(project, None)
    assert refused.value.code == code
    assert list((releases_root() / str(project.public_id)).iterdir()) == []
    assert not Release.objects.exists()


def test_the_same_rows_give_the_same_bytes(project, trio):
    for n in range(5):
        make_gold(project, trio, text=f"Post {n}\u2028 – \U0001f339")
    first, second = release(project, None), release(project, None)
    assert (first.number, second.number) == (1, 2)
    for name in ("items.jsonl", "items.csv", "labels.csv"):
        assert (folder_of(first) / name).read_bytes() == (folder_of(second) / name).read_bytes()


def test_levels_and_sources_can_be_chosen(project, trio):
    make_gold(project, trio, (0, 0, 0))
    make_gold(project, trio, (0, 0, 1))
    builders.make_item(
        project, stage=Stage.GOLD, category_source=Source.IMPORTED, category=builders.category(project, 1), hateful=True
    )
    assert release(project, None).items == 3
    assert release(project, None, Selection(levels=(Level.PERFECT,))).items == 1
    assert release(project, None, Selection(sources=(Source.IMPORTED,))).items == 1
    with pytest.raises(CannotRelease) as refused:
        release(project, None, Selection(levels=(Level.STRONG,)))
    assert refused.value.code == "nothing_to_release"


def test_counts_and_agreement_stand_in_the_manifest(project, trio):
    make_gold(project, trio, (0, 0, 0))
    make_gold(project, trio, (1, 1, 0))
    manifest = release(project, None).manifest
    assert manifest["counts"] | {"patterns": None} == {
        "items": 2,
        "labels": 6,
        "pictures": 0,
        "annotators": 3,
        "gold": {"0": 1, "1": 1},
        "levels": {"perfect": 1, "strong": 0, "weak": 1, "none": 0},
        "sources": {"consensus": 2, "adjudicated": 0, "imported": 0},
        "patterns": None,
        "difficulties": {"easy": 0, "normal": 0, "hard": 0},
        "undefined": 2,
        "texts": 2,
        "languages": manifest["counts"]["languages"],
    }
    assert manifest["agreement"] == as_json(read_agreement(project))
    assert manifest["licence"] == "CC BY-NC 4.0"


def test_the_card_names_what_was_released(project, trio):
    make_gold(project, trio)
    made = release(project, None)
    card = (folder_of(made) / "README.md").read_text()
    assert "# Winter campaign, release 1" in card
    assert "| 0 NotHate | no | 1 |" in card
    assert "| Licence of the labels | CC BY-NC 4.0 |" in card
    assert "raw, as submitted" in card


HOSTILE = [
    *('=HYPERLINK("x","y")', "+1", "-1", "@x", "\t=1", "\r=1", "＝1"),
    *('a, "b"\nc', "a\u2028b", "a\r\nb", '"', ",,,"),
    *("\u202eabc\u202c", "\u2067abc\u2069"),  # bidirectional controls
    "a" + "\u0301" * 10_000,
    *("caf\u00e9", "cafe\u0301"),  # one word, composed in two ways
    *("\U0001f469\u200d\U0001f467", "\U0001d54f"),
]


def test_jsonl_is_exact_and_spreadsheets_run_nothing(project, trio):
    for text in HOSTILE:
        make_gold(project, trio, text=text)
    made = release(project, None)
    assert [row["text"] for row in rows_of(made)] == HOSTILE
    cells = [row["text"] for row in sheet_of(made)]
    assert [restored(cell) for cell in cells] == HOSTILE
    assert all(cell.startswith("'") for cell in cells[:7])
    assert problems(folder_of(made)) == []


def test_every_line_break_of_unicode_stays_inside_its_row(project, trio):
    make_gold(project, trio, text="a\u2028b\u2029c\x85d")
    made = release(project, None)
    assert len((folder_of(made) / "items.jsonl").read_text().splitlines()) == 1


def test_nothing_about_annotators_leaves_but_a_pseudonym_and_a_date(project):
    canary = builders.make_user("zz-canary", email="zz-canary@example.org", first_name="Zz", last_name="Canary")
    member = builders.make_member(project, user=canary, pseudonym="zz-pseudonym")
    others = [builders.make_member(project), builders.make_member(project)]
    item = builders.make_open_item(project)
    at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    for seat, annotator in zip(item.seat_rows.order_by("number"), [member, *others], strict=True):
        builders.make_label(seat, annotator, 0, note="I am zz-canary@example.org", created_at=at, seconds=8.4444)
    close_item(item)
    made = release(project, None)
    everything = b"".join(path.read_bytes() for path in folder_of(made).rglob("*") if path.is_file())
    for trace in (b"zz-canary", b"zz-pseudonym", b"Canary", str(member.public_id).encode(), b"05:06"):
        assert trace not in everything
    assert project.export_key.encode() not in everything
    (row,) = rows_of(made)
    assert (row["labels"][0]["at"], row["labels"][0]["seconds"]) == ("2026-03-04", 8.4)
    assert row["labels"][0]["note"] is None


def test_notes_leave_only_when_asked_for(project, trio):
    item = builders.make_open_item(project)
    for seat, annotator in zip(item.seat_rows.order_by("number"), trio, strict=True):
        builders.make_label(seat, annotator, 0, note="Reads as irony.")
    close_item(item)
    (row,) = rows_of(release(project, None, Selection(notes=True)))
    assert row["labels"][0]["note"] == "Reads as irony."


def test_pseudonyms_are_stable_between_releases_unless_fresh_ones_are_wanted(project, trio):
    make_gold(project, trio)
    names = [
        [label["annotator"] for label in rows_of(made)[0]["labels"]]
        for made in (release(project, None), release(project, None), release(project, None, FRESH))
    ]
    assert names[0] == names[1]
    assert not set(names[0]) & set(names[2])
    assert len(set(names[0])) == 3


FRESH = Selection(fresh_pseudonyms=True)


def test_the_same_person_has_other_names_in_other_projects(project, trio):
    other = builders.make_project()
    twins = [builders.make_member(other, user=member.user) for member in trio]
    make_gold(project, trio)
    make_gold(other, twins)
    here, there = (rows_of(release(each, None))[0]["labels"] for each in (project, other))
    assert not {label["annotator"] for label in here} & {label["annotator"] for label in there}


def test_a_release_row_never_changes(project, trio):
    make_gold(project, trio)
    made = release(project, None)
    made.items = 7
    with pytest.raises(AppendOnlyError):
        made.save()


def test_an_event_tells_who_released_what(project, trio):
    make_gold(project, trio)
    admin = builders.make_member(project, builders.Role.ADMIN)
    made = release(project, admin)
    event = Event.objects.get(verb="released")
    assert (event.actor, event.row, event.facts) == (admin, made.public_id, {"version": 1, "items": 1})


def run(name, *args):
    out = StringIO()
    try:
        call_command(name, *map(str, args), "--json", stdout=out, stderr=StringIO())
    except SystemExit as end:
        assert end.code == 1
    return json.loads(out.getvalue())


def test_the_commands_release_and_verify(project, trio, tmp_path):
    make_gold(project, trio, picture=make_picture(project))
    target = tmp_path / "out"
    value = run("release", project.slug, "--out", target, "--levels", "perfect,weak", "--sources", "consensus")
    assert set(value) == {"release", "version", "items", "files"}
    assert (value["version"], value["items"]) == (1, 1)
    for file in value["files"]:
        assert hashlib.sha256((target / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    assert run("check_release", target) == {"ok": True, "problems": []}
    manifest = json.loads((target / "manifest.json").read_text())
    assert manifest["selection"]["levels"] == ["perfect", "weak"]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--levels", "superb"), "--levels: 'superb' is none of perfect, strong, weak, none."),
        (("--sources", "hearsay"), "--sources: 'hearsay' is none of consensus, adjudicated, imported."),
    ],
)
def test_an_unknown_word_is_refused_by_name(project, trio, tmp_path, args, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("release", project.slug, "--out", str(tmp_path / "out"), *args)


def test_a_folder_that_is_not_empty_is_refused_before_anything_is_done(project, trio, tmp_path):
    make_gold(project, trio)
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(CommandError, match="is not empty"):
        call_command("release", project.slug, "--out", str(tmp_path))
    assert not Release.objects.exists()


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "labels.csv", "README.md", "manifest.json", "SHA256SUMS"])
def test_one_flipped_byte_is_found_in_every_file(project, trio, tmp_path, name):
    make_gold(project, trio)
    target = tmp_path / "out"
    run("release", project.slug, "--out", target)
    flip(target / name)
    value = run("check_release", target)
    assert value["ok"] is False
    assert any(name in problem or "SHA256SUMS" in problem for problem in value["problems"])


@pytest.mark.parametrize("damage", [b'\n"a"b,c\n', b"\n\xff\xfe\n"], ids=["a quote too many", "bytes of no text"])
def test_a_damaged_table_is_told_and_the_check_goes_on(project, trio, tmp_path, damage):
    make_gold(project, trio)
    target = tmp_path / "out"
    run("release", project.slug, "--out", target)
    table = target / "items.csv"
    table.write_bytes(table.read_bytes() + damage)
    (target / "labels.csv").unlink()
    found = run("check_release", target)["problems"]
    assert {"items.csv: the table cannot be read.", "labels.csv: the file is missing."} <= set(found)


def test_missing_and_added_files_are_named(project, trio, tmp_path):
    make_gold(project, trio)
    target = tmp_path / "out"
    run("release", project.slug, "--out", target)
    (target / "labels.csv").unlink()
    (target / "extra.txt").write_text("hello")
    found = run("check_release", target)["problems"]
    assert found == ["labels.csv: the file is missing.", "extra.txt: the file is not part of the release."]


def test_a_manifest_that_was_rewritten_with_its_hashes_still_disagrees_with_the_rows(project, trio, tmp_path):
    make_gold(project, trio)
    target = tmp_path / "out"
    run("release", project.slug, "--out", target)
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["counts"]["items"] = 2
    (target / "manifest.json").write_text(json.dumps(manifest))
    found = run("check_release", target)["problems"]
    assert "items.jsonl: 1 items, the manifest says 2." in found


@pytest.mark.parametrize(
    "content", [b"", b"[" * 100_000, b"{}", b"[1]", b'{"files": [{"path": 1}]}', b'{"files": "x", "counts": 1}']
)
def test_a_folder_that_is_no_release_is_said_to_be_none(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    assert len(problems(tmp_path)) == 1


@pytest.mark.parametrize("below", ["", "new", "new/deeper"])
def test_no_release_is_made_where_its_copy_cannot_be(project, trio, tmp_path, below):
    make_gold(project, trio)
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="is not a folder"):
        run("release", project.slug, "--out", tmp_path / "file" / below)
    assert not Release.objects.exists()


def test_a_manifest_cannot_point_outside_its_folder(project, trio, tmp_path):
    make_gold(project, trio)
    target = tmp_path / "out"
    run("release", project.slug, "--out", target)
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["files"][0]["path"] = "../secret"
    (target / "manifest.json").write_text(json.dumps(manifest))
    assert any("leads out of the release" in problem for problem in run("check_release", target)["problems"])


@pytest.mark.once  # no row is read or written
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(0, 1e6).map(lambda value: round(value, 1)),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
@example(";=")
def test_rows_are_written_as_the_standard_library_would(value):
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert cell({"a": value}) == neutralized(f'{{"a":{plain}}}')
    row = dict.fromkeys(COLUMNS) | {"labels": [], "text": value}
    escaped = plain.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    line = json_line(row)
    assert line.count(b"\n") == 1 and f'"text":{escaped},'.encode() in line
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line)["text"] == value
