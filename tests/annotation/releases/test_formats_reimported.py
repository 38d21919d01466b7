"""A release comes back from each format that can carry it, and what other tools export comes in."""

# ruff: noqa: E501 (rows of files are read best as the one line that they are)

import csv
import io
import json
import tarfile
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import builders
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Choose, Modality, Role
from annotation.domain.formats.base import Format, Reading, Row
from annotation.domain.formats.jsonl import JsonLines
from annotation.domain.releases.columns import COLUMNS, ReleaseFormat, json_line, label_columns
from annotation.domain.text_rules import is_blank
from annotation.models import Item, Label, Prior, Project, Replacement
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from label_studio_cases import as_said, exported, exported_short, make_campaign
from providers import wiring_web
from release_builders import imported_picture, make_gold, problems, rows_of
from wire.pages import OUTER, PageServer, Web, page

pytestmark = pytest.mark.django_db

CODES = ((0, "NotHate", False), (10, "Racist", True), (25, "Sexist", True))


@pytest.fixture
def project():
    """Gold with everything that a row can say: flags, notes, challenges, priors, a replaced label, two pictures."""
    project = builders.make_project(categories=CODES)
    trio = [builders.make_member(project) for _ in range(3)]
    red, blue = imported_picture(project, "red"), imported_picture(project, "blue")
    for number, picture in enumerate((red, blue, None, red)):
        item = builders.make_open_item(
            project,
            f'=Weeds {number}\u2028 \U0001f339, "so"' if number != 1 else "",
            external_id=f"w.{number}",
            picture=picture,
            batch="pilot",
            source="a forum",
            licence="CC0-1.0",
            target_group="gardeners",
            intended=builders.category(project, 10) if number % 2 else None,
            intended_hateful=None if number % 2 else True,
        )
        Item.objects.filter(pk=item.pk).update(
            extra={"platform": f"=sum({number})", "날짜": "2020-01-02"} if number else {}
        )
        Prior.objects.create(item=item, modality=Modality.TEXT, category=builders.category(project, 0), model="m", explanation="A\ngarden.")  # fmt: skip
        Prior.objects.create(item=item, modality=Modality.IMAGE, hateful=True, model="v")
        said = ((10, {"note": "Clear, \u2028 here."}), (10, {"challenges": [{"modality": "image", "category": 25, "hateful": True}]}), (25, {"target_group": "g"}))  # fmt: skip
        for seat, member, (code, fields) in zip(item.seat_rows.order_by("number"), trio, said, strict=True):
            builders.make_label(seat, member, code, seconds=4.5, **fields)
        close_item(item)
    return project


def told(made):
    """The rows without what is a new project's own: pseudonyms, paths by re-encoded bytes, what imports leave out."""
    rows = rows_of(made)
    for row in rows:
        row |= dict.fromkeys(("image_sha256_original", "guideline_version"))
        for label in row["labels"]:
            label |= dict.fromkeys(("annotator", "priors_seen", "first_category"))
    return rows


CARRIERS = {
    "items.jsonl": lambda out: (out / "items.jsonl", out),
    "items.csv": lambda out: (out / "items.csv", out),
    "parquet": lambda out: (out / "parquet" / "train.parquet", None),
    "webdataset": lambda out: (out / "webdataset" / "train-000000.tar", None),
    "imagefolder": lambda out: (zipped(out / "imagefolder"), None),
    "imagefolder in place": lambda out: (out / "imagefolder/train/metadata.parquet", out / "imagefolder/train"),
    "label_studio": lambda out: (out / "label_studio.json", out),
}


def zipped(folder):
    target = folder.with_suffix(".zip")
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return target


def test_every_carrier_gives_the_same_items_back(project, tmp_path):
    made = release(project, None, Selection(notes=True, formats=tuple(ReleaseFormat)))
    copy_to(made, tmp_path / "out")
    wanted = told(made)
    for name, carrier in CARRIERS.items():
        file, images = carrier(tmp_path / "out")
        other = builders.make_project(categories=CODES)
        call_command("import_items", other.slug, file, images=str(images) if images else None)
        again = told(release(other, None, Selection(notes=True)))
        for row, back in zip(wanted, again, strict=True):
            assert {key: (row[key], back[key]) for key in row if row[key] != back[key]} == {}, name


@pytest.mark.parametrize("form", [exported, exported_short], ids=["JSON", "JSON-MIN"])
def test_what_label_studio_exports_of_a_release_comes_back_with_its_people(form, tmp_path):
    # The same with Label Studio itself: tests/whole_site/test_label_studio.py.
    campaign = make_campaign()
    copy_to(release(campaign, None, Selection(notes=True, formats=(ReleaseFormat.LABEL_STUDIO,))), tmp_path / "out")
    tasks = json.loads((tmp_path / "out" / "label_studio.json").read_text())
    (tmp_path / "back.json").write_text(json.dumps(form(tasks)))
    other = builders.make_project(categories=CODES)
    call_command("import_items", other.slug, tmp_path / "back.json", images=str(tmp_path / "out"))
    assert as_said(other) == as_said(campaign)
    assert len(as_said(other)) == 3


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)
LABELS = st.fixed_dictionaries(
    dict.fromkeys(label_columns(COLUMNS), TEXT) | {"category": st.none() | st.integers(0, 5), "challenges": st.just([])}
)
ROWS = st.fixed_dictionaries(
    {name: st.none() | TEXT for name in COLUMNS} | {"labels": st.lists(LABELS, max_size=3), "gold": st.integers(0, 5)}
)


@pytest.mark.once  # no row is read or written
@settings(max_examples=150)
@given(st.lists(ROWS, min_size=1, max_size=5))
def test_jsonl_is_stable_byte_for_byte_whatever_it_holds(rows):
    lines = b"".join(json_line(row) for row in rows)
    again = [json.loads(line) for line in lines.splitlines(keepends=True)]
    assert again == rows
    assert b"".join(json_line(row) for row in again) == lines


@pytest.mark.once  # no row is read or written
@settings(max_examples=100)
@given(
    st.lists(
        st.text(
            st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zs", "Zl", "Zp", "Cn")), min_size=1, max_size=60
        ).filter(lambda text: not is_blank(text)),
        min_size=1,
        max_size=5,
    )
)
def test_texts_come_back_as_they_went(texts):
    blank = dict.fromkeys(COLUMNS) | {"labels": []}
    lines = b"".join(json_line(blank | {"id": f"i{n}", "text": text}) for n, text in enumerate(texts))
    rows = list(JsonLines(io.BytesIO(lines), Reading(Format.INTERPLAY)))
    assert [row.text for row in rows if isinstance(row, Row)] == texts


# ── What other tools export ───────────────────────────────────────────────────


def brought(tmp_path, name, content, project=None, **options):
    project = project or builders.make_project(seats=2)
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    call_command("import_items", project.slug, tmp_path / name, **options)
    return project


def labels_of(project):
    rows = Label.objects.filter(item__project=project).order_by("item__external_id", "annotator__imported_name")
    return [(row.item.external_id, row.annotator.imported_name, row.category and row.category.name) for row in rows]


def choice(name, *said):
    return {"from_name": name, "to_name": "image", "type": "choices", "value": {"choices": list(said)}}


@pytest.fixture
def web(monkeypatch):
    """A web of the test's own, with one picture and one host that nobody knows."""
    picture = io.BytesIO()
    Image.new("RGB", (40, 40), "green").save(picture, "PNG")
    with PageServer({"/1.png": page(picture.getvalue(), "image/png")}) as outer, PageServer() as inner:
        names = {"elsewhere.example": [OUTER], "inside.example": ["10.0.0.1"]}
        fetcher = Web(outer, inner, names).fetcher(seconds=2.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        yield outer
        assert inner.log == []


def test_label_studio_tasks_whose_pictures_are_elsewhere(tmp_path, web, capsys):
    def tasks(host):
        return json.dumps([{"id": 1, "data": {"text": "caption", "image": f"http://{host}/1.png"}}])

    for host, said in (
        ("nowhere.example", "No address is known for nowhere.example"),
        ("inside.example", "not on the public"),
    ):
        with pytest.raises(SystemExit):
            brought(tmp_path, "bad.json", tasks(host), as_json=True)
        assert said in capsys.readouterr().out
        assert not Item.objects.exists()
    project = brought(tmp_path, "tasks.json", tasks("elsewhere.example"))
    item = Item.objects.get(project=project)
    assert (item.text, item.picture_missing) == ("caption", False)
    assert item.picture is not None and (item.picture.width, item.picture.height) == (40, 40)
    assert web.read() == ["elsewhere.example/1.png"]


def test_label_studio_tasks(tmp_path):
    tasks = [
        {
            "id": 1,
            "data": {"image": "/data/local-files/?d=img/42.png", "text": "caption"},
            "annotations": [
                {
                    "completed_by": 3,
                    "lead_time": 8.1,
                    "created_at": "2026-01-01T00:00:00Z",
                    "result": [choice("kind", "Racist")],
                },
                {"completed_by": {"email": "ann@example.org"}, "result": [choice("kind", "NotHate")]},
                {"completed_by": 9, "was_cancelled": True, "result": [choice("kind", "Sexist")]},
            ],
            "predictions": [
                {"model_version": "vlm-1", "score": 0.8, "result": [choice("text_label", "NotHate")]},
            ],
        },
        {"text": "only data", "id": "bare"},
    ]
    project = brought(tmp_path, "tasks.json", json.dumps(tasks, indent=1))
    names = [name for _item, name, _kind in labels_of(project)]
    assert [(item, kind) for item, _name, kind in labels_of(project)] == [("1", "Racist"), ("1", "NotHate")]
    assert names[0] == "ls-3" and "@" not in "".join(names)
    item = Item.objects.get(project=project, external_id="1")
    assert (item.picture_name, item.picture_missing) == ("img/42.png", True)
    assert item.priors.get().model == "vlm-1"
    assert Item.objects.get(project=project, external_id="bare").text == "only data"


def test_label_studio_short_forms(tmp_path):
    rows = [
        {"id": 1, "text": "one", "label": "Racist", "annotator": 1, "annotation_id": 5, "lead_time": 2.5},
        {"id": 1, "text": "one", "label": {"choices": ["NotHate"]}, "annotator": 2, "annotation_id": 6, "lead_time": 1},
        {"id": 2, "text": "two", "label": "Sexist", "annotator": 1, "annotation_id": 7, "lead_time": 1},
    ]
    wanted = [("1", "ls-1", "Racist"), ("1", "ls-2", "NotHate"), ("2", "ls-1", "Sexist")]
    assert labels_of(brought(tmp_path, "min.json", json.dumps(rows))) == wanted
    sheet = "annotation_id,annotator,id,label,lead_time,text\n5,1,1,Racist,2.5,one\n6,2,1,NotHate,1,one\n7,1,2,Sexist,1,two\n"
    assert labels_of(brought(tmp_path, "min.csv", sheet)) == wanted


def test_doccano_lines_and_a_file_for_each_annotator(tmp_path):
    lines = '{"id":7,"text":"caption","label":["Racist"],"Comments":[],"extra":"kept flat"}\n{"id":8,"filename":"cat.png","label":[]}\n'
    project = brought(tmp_path, "one.jsonl", lines, label_column=["label"], label_is="seat")
    assert labels_of(project) == [("7", "source-1", "Racist")]
    assert Item.objects.get(project=project, external_id="8").picture_name == "cat.png"
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr(
            "ann.jsonl", '{"id":1,"text":"one","label":["Racist"]}\n{"id":2,"text":"two","label":["Sexist"]}\n'
        )
        archive.writestr(
            "bo.jsonl", '{"id":2,"text":"two","label":["NotHate"]}\n{"id":1,"text":"one","label":["Racist"]}\n'
        )
        archive.writestr("unknown.jsonl", '{"id":3,"text":"three","label":[]}\n')
    project = brought(tmp_path, "all.zip", (tmp_path / "all.zip").read_bytes())
    assert labels_of(project) == [
        ("1", "ann", "Racist"),
        ("1", "bo", "Racist"),
        ("2", "ann", "Sexist"),
        ("2", "bo", "NotHate"),
    ]
    assert Item.objects.filter(project=project).count() == 3


def shard(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


def test_a_shard_without_our_rows(tmp_path):
    content = shard(("a/000.txt", b"one"), ("a/000.cls", b"1"), ("a/001.json", b'{"text":"two","text_label":0}'))
    project = brought(tmp_path, "x.tar", content, label_is="gold")
    assert list(Item.objects.filter(project=project).order_by("pk").values_list("external_id", "category__code")) == [
        ("000", 1),
        ("001", None),
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.tar", shard(("../../evil.txt", b"x")), "no plain file inside"),
        ("x.tar", shard(("/etc/x.txt", b"x")), "no plain file inside"),
        ("x.tar", shard(("a.txt", b"x"), ("b.txt", b"y"), ("a.cls", b"1")), "do not stand together"),
        ("x.tar", shard(("a.txt", b"x" * 2000))[:1200], "damaged"),
        ("x.parquet", b"PAR1 and then nothing", "no whole Parquet"),
        ("x.json", '[{"data":{"text":"a"},"annotations":[{"completed_by":1,"result":7}]}]', "list of objects"),
        ("x.json", '[{"id":1,"data":{"text":"a"},"annotations":[{"completed_by":1,"result":[{"from_name":"label","value":{"choices":["Racist","Sexist"]}}]}]}]', "one category for a post"),
        ("x.jsonl", '{"id":1,"text":"a","label":[[0,1,"X"]]}\n', "'X' is no category"),
        ("x.jsonl", '{"id":1,"text":"a","label":["Racist","Sexist"]}\n', "(Racist;Sexist 1)"),
    ],
)  # fmt: skip
def test_what_cannot_come_in_says_why_and_stores_nothing(tmp_path, name, content, said, capsys):
    project = builders.make_project()
    with pytest.raises(SystemExit):
        brought(tmp_path, name, content, project, as_json=True)
    assert said in capsys.readouterr().out
    assert not Item.objects.filter(project=project).exists()


def test_a_picture_that_was_missing_is_named_nowhere_and_the_release_comes_back(tmp_path):
    project = builders.make_project(categories=CODES)
    trio = [builders.make_member(project) for _ in range(3)]
    red = imported_picture(project, "red")
    votes = (0, 0, 0)
    make_gold(project, trio, votes, "With a picture.", picture=red, picture_name="red.png", external_id="held")
    missing = {"picture_name": "gone.png", "picture_missing": True}
    make_gold(project, trio, votes, "Its picture is lost.", external_id="lost", **missing)
    made = release(project, None, Selection(formats=tuple(ReleaseFormat)))
    copy_to(made, tmp_path / "out")
    rows = {row["id"]: row for row in rows_of(made)}
    assert rows["held"]["image"].startswith("pictures/") and rows["lost"]["image"] is None
    named = [path for path in (tmp_path / "out").rglob("*") if path.is_file() and b"gone.png" in path.read_bytes()]
    assert named == []
    tasks = {task["data"]["id"]: task["data"] for task in json.loads((tmp_path / "out/label_studio.json").read_text())}
    assert tasks["lost"]["image"] == ""
    with zipfile.ZipFile(tmp_path / "back.zip", "w") as archive:
        for path in ("items.jsonl", rows["held"]["image"]):
            archive.write(tmp_path / "out" / path, path)
    other = builders.make_project(categories=CODES)
    call_command("import_items", other.slug, tmp_path / "back.zip")
    assert Item.objects.filter(project=other, picture_missing=False).count() == 2


@pytest.fixture
def sets(project):
    """The same gold where several categories were chosen: of labels, replacements, gold and an intent."""
    Project.objects.filter(pk=project.pk).update(choose=Choose.SEVERAL)
    project.refresh_from_db()
    people = [builders.make_member(project) for _ in range(3)]
    both, more = ([10, 25], [10, 25]), {"intended_categories": [10, 25], "intended": builders.category(project, 10)}
    for name, fields in (("both", {}), ("meant", more)):
        item = builders.make_open_item(project, f"Nettles, {name}.", external_id=name, **fields)
        for seat, member, codes in zip(item.seat_rows.order_by("number"), people, (*both, None), strict=True):
            label = builders.make_label(seat, member, codes and codes[0], categories=codes or [])
        expert = builders.make_member(project, Role.REVIEWER)
        Replacement.objects.create(
            item=item, label=label, reviewer=expert, category=builders.category(project, 10), categories=[10, 25]
        )
        close_item(item)
        assert Item.objects.get(pk=item.pk).categories == [10, 25]
    return project


def test_every_carrier_gives_the_same_sets_back(sets, tmp_path):
    made = release(sets, None, Selection(notes=True, formats=tuple(ReleaseFormat)))
    copy_to(made, tmp_path / "out")
    assert problems(tmp_path / "out") == []
    wanted = {row["id"]: row for row in told(made)}
    assert wanted["both"]["categories"] == wanted["meant"]["intended_categories"] == [10, 25]
    assert wanted["both"]["labels"][2]["replaced_by_categories"] == [10, 25]
    for name, carrier in CARRIERS.items():
        file, images = carrier(tmp_path / "out")
        other = builders.make_project(categories=CODES, choose=Choose.SEVERAL)
        call_command("import_items", other.slug, file, images=str(images) if images else None)
        for back in told(release(other, None, Selection(notes=True))):
            row = wanted[back["id"]]
            differences = {key: (row[key], back[key]) for key in row if row[key] != back[key]}
            assert differences == {}, name


def test_another_set_of_categories_is_a_change(sets, client, capsys):
    release(sets, None)
    Item.objects.filter(project=sets, external_id="both").update(categories=[])
    made = release(sets, None)
    changes = json.loads((folder_of(made) / "changes.json").read_text())
    assert [(entry["from"], entry["to"]) for entry in changes["relabelled"]] == [([10, 25], 10)]
    call_command("release_diff", sets.slug, "1", "2")
    assert "both: 10;25 → 10 (decided_anew)" in capsys.readouterr().out
    client.force_login(builders.make_member(sets, Role.ADMIN).user)
    page = client.get(reverse("annotation:release-changes", args=[sets.slug, 2, 1])).content.decode()
    assert "<bdi>Racist, Sexist</bdi>" in page


def test_spreadsheets_hold_sets_in_one_cell_and_one_project_of_one_category_has_no_such_column(sets, tmp_path):
    made = release(
        sets, None, Selection(formats=(ReleaseFormat.CSV, ReleaseFormat.ANNOTATORS, ReleaseFormat.LABEL_STUDIO))
    )
    copy_to(made, tmp_path / "out")
    with (tmp_path / "out" / "items.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["categories"] for row in csv.DictReader(file) if row["id"] == "both"} == {"10;25"}
    with (tmp_path / "out" / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["categories"] for row in csv.DictReader(file) if row["id"] == "both"] == ["10;25", "10;25", ""]
    with (tmp_path / "out" / "annotators.csv").open(encoding="utf-8-sig", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["id"] == "both")
    assert (row["gold_categories"], row["categories"], row["category"]) == ("10;25", "10;25", "10")
    assert '<Choices name="label" toName="text" choice="multiple">' in (tmp_path / "out/label_studio.xml").read_text()
    assert "categories" not in Selection().columns(())
