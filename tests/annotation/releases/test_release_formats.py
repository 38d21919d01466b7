"""A release in each format, opened by the programs that people open it with."""

import csv
import hashlib
import json
import tarfile
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.template.loader import render_to_string

import builders
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Modality, Reason, Stage
from annotation.domain.releases.columns import ReleaseFormat, Scope
from annotation.domain.releases.splits import Shares
from annotation.models import Item, Prior, ReleaseTerms
from annotation.releases.build import CannotRelease, copy_to, release
from annotation.releases.formats import parquet
from annotation.releases.formats.base import Target
from annotation.releases.formats.json_documents import Hvli
from annotation.releases.request import Selection, Splitting
from markup import compact
from release_builders import make_gold, make_picture, problems, rows_of

pytestmark = pytest.mark.django_db

CODES = ((0, "NotHate", False), (10, "Racist", True), (25, "Sexist", True))


@pytest.fixture
def project():
    """A project whose codes have gaps, with gold of every kind."""
    project = builders.make_project(name="Winter campaign", categories=CODES, licence="CC BY-NC 4.0")
    return project


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


@pytest.fixture
def items(project, trio):
    red, blue = make_picture(project, "red"), make_picture(project, "blue")
    found = [
        make_gold(project, trio, (0, 0, 25), "Weeds in the white roses again.", picture=red, external_id="w-1"),
        make_gold(project, trio, (10, 10, 10), "Look who is here \u2028 now, 1.0", picture=red, external_id="w-2"),
        make_gold(project, trio, (25, 25, 25), "", picture=blue, external_id="w-3"),
        make_gold(project, trio, (0, 0, 0), "No picture with this one at all", external_id="w.4"),
    ]
    Prior.objects.create(
        item=found[0],
        modality=Modality.TEXT,
        category=builders.category(project, 0),
        explanation="A garden.",
        model="m",
    )
    Prior.objects.create(item=found[0], modality=Modality.IMAGE, hateful=True, model="v")
    return found


def made_of(project, tmp_path, *formats, **asked):
    made = release(project, None, Selection(formats=tuple(formats), **asked))
    copy_to(made, tmp_path / "out")
    assert problems(tmp_path / "out") == []
    return made, tmp_path / "out"


def opened(path, tmp_path, **options):
    import datasets  # noqa: PLC0415 (loads pandas)

    return datasets.load_dataset(str(path), cache_dir=str(tmp_path / "cache"), **options)


def test_parquet_opens_in_one_line_and_knows_the_categories(project, items, tmp_path):
    _made, out = made_of(project, tmp_path, ReleaseFormat.PARQUET)
    found = opened(out, tmp_path)["train"]
    assert found["id"] == ["w-1", "w-2", "w-3", "w.4"]
    assert found.features["gold"].names == ["NotHate", "Racist", "Sexist"]
    assert [found.features["gold"].int2str(each) for each in found["gold"]] == [
        "NotHate",
        "Racist",
        "Sexist",
        "NotHate",
    ]
    assert [picture and picture.size for picture in found["image"]] == [(8, 6), (8, 6), (8, 6), None]
    assert found[0]["image"].convert("RGB").getpixel((0, 0)) == (255, 0, 0)
    kinds = found.features["labels"].feature["category"]
    assert [kinds.int2str(label["category"]) for label in found[0]["labels"]] == ["NotHate", "NotHate", "Sexist"]
    assert (found[0]["text_label"], found[0]["image_label"], found[0]["image_hateful"]) == (0, None, True)
    assert found["text"][1:3] == ["Look who is here \u2028 now, 1.0", None]


def test_jsonl_alone_opens_in_one_line_too(project, items, tmp_path):
    _made, out = made_of(project, tmp_path)
    found = opened(out, tmp_path)["train"]
    assert found["gold"] == [0, 10, 25, 0]
    assert found["image"][0].startswith("pictures/")
    assert [label["category"] for label in found[0]["labels"]] == [0, 0, 25]


def test_an_imagefolder_opens_with_pictures_and_rows(project, items, tmp_path):
    _made, out = made_of(project, tmp_path, ReleaseFormat.IMAGEFOLDER)
    found = opened(out / "imagefolder", tmp_path)["train"]
    assert found["id"] == ["w-1", "w-2", "w-3", "w.4"]
    assert [picture and picture.size for picture in found["image"]] == [(8, 6), (8, 6), (8, 6), None]
    assert [found.features["gold"].int2str(each) for each in found["gold"]] == [
        "NotHate",
        "Racist",
        "Sexist",
        "NotHate",
    ]


def test_a_divided_release_opens_with_its_parts(project, trio, tmp_path):
    for n in range(20):
        picture = make_picture(project, (n * 12, 200 - n * 9, (n * 53) % 256))
        make_gold(project, trio, (0, 0, 0), f"Text number {'abcdefghijklmnopqrst'[n] * 9}", picture=picture)
    split = Splitting(shares=Shares.read("80/10/10"), seed=3)
    made, out = made_of(project, tmp_path, ReleaseFormat.PARQUET, ReleaseFormat.IMAGEFOLDER, split=split)
    sizes = {"train": 16, "validation": 2, "test": 2}
    for found in (opened(out, tmp_path), opened(out / "imagefolder", tmp_path)):
        assert {name: len(part) for name, part in found.items()} == sizes
    by_part = {name: set(part["id"]) for name, part in opened(out, tmp_path).items()}
    assert {row["id"] for row in rows_of(made) if row["split"] == "dev"} == by_part["validation"]
    assert made.manifest["split"]["leakage"] == 0
    assert json.loads((out / "splits.json").read_text())["sizes"] == {"train": 16, "dev": 2, "test": 2}


def test_webdataset_reads_the_shards(project, items, tmp_path):
    import webdataset  # noqa: PLC0415 (takes long to load)

    _made, out = made_of(project, tmp_path, ReleaseFormat.WEBDATASET)
    shards = [str(path) for path in sorted((out / "webdataset").iterdir())]
    samples = list(
        webdataset.WebDataset(shards, shardshuffle=False, handler=webdataset.reraise_exception).decode("pil")
    )
    assert [sample["json"]["id"] for sample in samples] == ["w-1", "w-2", "w-3", "w.4"]
    assert [sample["cls"] for sample in samples] == [0, 10, 25, 0]
    assert [sample.get("txt") for sample in samples][1:3] == ["Look who is here \u2028 now, 1.0", None]
    assert [sample["png"].size if "png" in sample else None for sample in samples] == [(8, 6)] * 3 + [None]


def test_shards_are_cut_and_the_same_rows_give_the_same_bytes(project, items, tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.releases.formats.webdataset.SHARD_ITEMS", 3)
    made = [release(project, None, Selection(formats=tuple(ReleaseFormat))) for _ in range(2)]
    one, two = ({file["path"]: file["sha256"] for file in each.manifest["files"]} for each in made)
    assert {"webdataset/train-000000.tar", "webdataset/train-000001.tar"} <= set(one)
    own = {"README.md", "LICENSE", "CITATION.cff", "croissant.json", "changes.json"}
    assert {path: sha for path, sha in two.items() if path not in own} == {
        path: sha for path, sha in one.items() if path not in own
    }


def test_hvli_json_has_the_record_that_its_evaluator_reads(project, items, tmp_path):
    _made, out = made_of(project, tmp_path, ReleaseFormat.HVLI)
    found = json.loads((out / "hvli.json").read_text())
    assert list(found) == ["w-1", "w-2", "w-3", "w.4"]
    assert found["w-1"] | {"image_path": None} == {
        "final_label": 0,
        "final_label_str": "NotHate",
        "text_label": 0,
        "text_label_str": "NotHate",
        "image_label": None,
        "image_label_str": None,
        "tweet_text": "Weeds in the white roses again.",
        "image_path": None,
        "type": items[0].pattern,
        "difficulty": items[0].difficulty,
    }
    assert (out / found["w-1"]["image_path"]).is_file()


def test_hvli_json_without_any_gold_is_an_empty_object(tmp_path):
    target = SimpleNamespace(folder=tmp_path, name_of={})
    entries = Hvli(target)
    entries.add({"id": "disputed", "gold": None}, None)
    entries.close()
    assert json.loads((tmp_path / "hvli.json").read_text()) == {}


def test_label_studio_gets_tasks_with_annotations_and_predictions(project, items, tmp_path):
    _made, out = made_of(project, tmp_path, ReleaseFormat.LABEL_STUDIO)
    first, *others = json.loads((out / "label_studio.json").read_text())
    assert len(others) == 3
    assert first["data"]["text"] == "Weeds in the white roses again."
    said = [results_of(annotation)["label"]["choices"] for annotation in first["annotations"]]
    assert said == [["NotHate"], ["NotHate"], ["Sexist"]]
    people = [results_of(annotation)["labelled_by"]["text"][0] for annotation in first["annotations"]]
    assert len(set(people)) == 3
    assert people == [label["annotator"] for label in rows_of(_made)[0]["labels"]]
    assert [each["model_version"] for each in first["predictions"]] == ["m", "v"]


def results_of(annotation):
    return {result["from_name"]: result["value"] for result in annotation["result"]}


def test_label_studio_refuses_no_task_of_ours(project, items, tmp_path):
    # What its importer checks (seen with 1.23): every `$name` of the interface is a string in each task, nobody but
    # its own users completes an annotation, and each result names a tag of the interface that has the choice.
    Item.objects.filter(pk=items[1].pk).update(text="")  # no text beside the item without a picture
    _made, out = made_of(project, tmp_path, ReleaseFormat.LABEL_STUDIO)
    interface = ET.parse(out / "label_studio.xml").getroot()
    shown = {tag.get("name"): tag.get("value")[1:] for tag in interface if (tag.get("value") or "").startswith("$")}
    assert shown == {"image": "image", "text": "text"}
    controls = {tag.get("name"): tag for tag in interface if tag.get("toName")}
    for task in json.loads((out / "label_studio.json").read_text()):
        assert all(isinstance(task["data"][name], str) for name in shown.values())
        assert not any("completed_by" in annotation for annotation in task["annotations"])
        entries = [*task["annotations"], *task["predictions"]]
        for result in (result for entry in entries for result in entry["result"]):
            control = controls[result["from_name"]]
            assert (control.tag.lower(), control.get("toName")) == (result["type"], result["to_name"])
            assert set(result["value"].get("choices", ())) <= {choice.get("value") for choice in control}
        picture = task["data"]["image"]
        assert not picture or (out / picture.removeprefix("/data/local-files/?d=")).is_file()
    pictures = [bool(task["data"]["image"]) for task in json.loads((out / "label_studio.json").read_text())]
    assert pictures == [True, True, True, False]


def test_the_long_table_has_a_row_a_label(project, items, tmp_path):
    made, out = made_of(project, tmp_path, ReleaseFormat.ANNOTATORS)
    with (out / "annotators.csv").open(newline="", encoding="utf-8-sig") as file:
        sheet = list(csv.DictReader(file))
    typed = pq.read_table(out / "annotators.parquet").to_pylist()
    assert len(sheet) == len(typed) == made.manifest["counts"]["labels"] == 12
    assert [row["category_name"] for row in sheet[:3]] == ["NotHate", "NotHate", "Sexist"]
    assert [(row["id"], row["category"], row["hateful"]) for row in typed[:3]] == [
        ("w-1", 0, False),
        ("w-1", 0, False),
        ("w-1", 2, True),  # the third of the names
    ]


def test_croissant_is_valid_and_gives_the_records(project, items, tmp_path):
    import mlcroissant  # noqa: PLC0415 (loads pandas)

    _made, out = made_of(project, tmp_path, *ReleaseFormat)
    found = mlcroissant.Dataset(jsonld=str(out / "croissant.json"))
    assert not found.metadata.issues.errors
    records = list(found.records("items"))
    assert [record["items/id"] for record in records] == [b"w-1", b"w-2", b"w-3", b"w.4"]
    assert [record["items/gold"] for record in records] == [0, 10, 25, 0]


def test_card_citation_and_licence_are_there(project, items, tmp_path):
    ReleaseTerms.objects.create(project=project, authors=["Ada Example", 'B. "Bee" Example'])
    made, out = made_of(project, tmp_path)
    card = (out / "README.md").read_text()
    assert 'license: "cc-by-nc-4.0"' in card.split("---")[1]
    assert "| text | m | – | 1 |" in card
    cited = (out / "CITATION.cff").read_text()
    assert 'authors: [{"name": "Ada Example"}, {"name": "B. \\"Bee\\" Example"}]' in cited
    assert 'license: "CC-BY-NC-4.0"' in cited
    assert "https://creativecommons.org/licenses/by-nc/4.0/" in (out / "LICENSE").read_text()
    assert made.manifest["software"]["name"] == "interplay"


# ── What stays behind ─────────────────────────────────────────────────────────


def test_without_texts_and_pictures_only_hashes_leave(project, items, tmp_path):
    made, out = made_of(project, tmp_path, *ReleaseFormat, media=False, texts=False, notes=True)
    assert not (out / "pictures").exists()
    everything = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    for trace in (b"white roses", b"A garden.", b"Look who"):
        assert trace not in everything
    row = rows_of(made)[0]
    assert (row["text"], row["image"], row["gold"]) == (None, None, 0)
    assert row["text_sha256"] == hashlib.sha256(b"Weeds in the white roses again.").hexdigest()
    assert row["image_sha256_released"] == items[0].picture.file_sha256


def test_an_item_whose_licence_forbids_more_leaves_as_ids_labels_and_hashes(project, items, tmp_path):
    ReleaseTerms.objects.create(project=project, withheld_licences=["platform terms"])
    Item.objects.filter(pk=items[0].pk).update(licence="platform terms")
    made, out = made_of(project, tmp_path, *ReleaseFormat)
    first, second, *_others = rows_of(made)
    assert (first["text"], first["image"], first["text_explanation"], first["withheld"]) == (None, None, None, True)
    assert [label["category"] for label in first["labels"]] == [0, 0, 25]
    assert (second["text"], second["withheld"]) == ("Look who is here \u2028 now, 1.0", False)
    assert made.manifest["counts"]["withheld"] == 1
    assert b"white roses" not in b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())


def test_licences_choose_items(project, items):
    Item.objects.filter(pk=items[0].pk).update(licence="CC0-1.0")
    assert [row["id"] for row in rows_of(release(project, None, Selection(licences=("CC0-1.0",))))] == ["w-1"]
    # Items that name none are under the project's.
    assert release(project, None, Selection(licences=("CC BY-NC 4.0",))).items == 3
    with pytest.raises(CannotRelease):
        release(project, None, Selection(licences=("MIT",)))


def test_all_closed_items_leave_with_votes_and_reasons_but_never_what_was_removed(project, trio, items, tmp_path):
    torn = builders.make_labelled_item(project, trio, (0, 10, 25), external_id="torn")
    unsure = builders.make_labelled_item(project, trio, (0, None, 0), external_id="unsure")
    gone = builders.make_labelled_item(project, trio, (0, 0, 0), external_id="gone")
    for item in (torn, unsure, gone):
        close_item(item)
    Item.objects.filter(pk=gone.pk).update(stage=Stage.EXCLUDED, excluded_for=Reason.WITHDRAWN)
    builders.make_open_item(project, external_id="open")
    made, out = made_of(project, tmp_path, *ReleaseFormat, scope=Scope.CLOSED)
    rows = {row["id"]: row for row in rows_of(made)}
    assert set(rows) == {"w-1", "w-2", "w-3", "w.4", "torn", "unsure"}
    assert (rows["torn"]["stage"], rows["torn"]["gold"], rows["torn"]["reasons"]) == ("disputed", None, ["no_majority"])
    assert rows["torn"]["votes"] == [{"category": code, "n": 1} for code in (0, 10, 25)]
    assert rows["unsure"]["votes"] == [{"category": 0, "n": 2}, {"category": None, "n": 1}]
    assert made.manifest["counts"]["stages"] == {"disputed": 2, "gold": 4}
    assert len(opened(out, tmp_path)["train"]) == 6


def test_posts_that_are_not_gold_have_no_final_category_in_any_file(project, trio, items, tmp_path):
    intended = builders.category(project, 25)
    misread = builders.make_labelled_item(project, trio, (10, 10, 10), external_id="misread", intended=intended)
    close_item(misread)
    left_out = builders.make_labelled_item(project, trio, (10, 10, 0), external_id="left-out", intended=intended)
    close_item(left_out)
    Item.objects.filter(pk=left_out.pk).update(stage=Stage.EXCLUDED, excluded_for=Reason.LOW_QUALITY)
    misread.refresh_from_db()
    assert (misread.stage, misread.category.code, misread.hateful) == (Stage.DISPUTED, 10, True)
    for modality in Modality:
        Prior.objects.create(item=misread, modality=modality, category=builders.category(project, 0), model="m")
    Item.objects.filter(pk=misread.pk).update(pattern="001", difficulty="hard")
    made, out = made_of(
        project, tmp_path, *ReleaseFormat, scope=Scope.CLOSED, split=Splitting(shares=Shares.read("100/0/0"), seed=1)
    )
    rows = {row["id"]: row for row in rows_of(made)}
    decided = ("gold", "hateful", "source", "rationale", "pattern", "difficulty", "mechanism")
    for name in ("misread", "left-out"):
        assert {rows[name][column] for column in decided} == {None}
        assert rows[name]["level"] in ("perfect", "weak") and rows[name]["aligned"] is False
    assert rows["misread"]["votes"] == [{"category": 10, "n": 3}]
    # Of the six posts four are gold: two NotHate, one Racist, one Sexist.
    counts = made.manifest["counts"]
    assert (counts["gold"], counts["items"]) == ({"0": 2, "10": 1, "25": 1}, 6)
    assert sum(counts["sources"].values()) == 4 and sum(counts["difficulties"].values()) <= 4
    card = (out / "README.md").read_text()
    assert "| 10 Racist | yes | 1 |" in card and "Only items at the stage gold have a final category" in card
    strata = json.loads((out / "splits.json").read_text())["strata"]
    assert strata["undefined –"]["train"] == 2
    typed = {row["id"]: row for row in opened(out, tmp_path)["train"]}
    assert typed["misread"]["gold"] is None and typed["misread"]["pattern"] is None
    records = json.loads((out / "hvli.json").read_text())
    assert records.keys().isdisjoint({"misread", "left-out"}) and len(records) == 4
    assert "as the H-VLI evaluator reads it. Posts without a final category are not in it." in card
    tasks = {task["data"]["id"]: task["data"] for task in json.loads((out / "label_studio.json").read_text())}
    assert "gold" not in tasks["misread"] and "gold" in tasks["w-1"]
    with tarfile.open(out / "webdataset/train-000000.tar") as tar:
        assert len([name for name in tar.getnames() if name.endswith(".cls")]) == 4
    with (out / "items.csv").open(encoding="utf-8-sig") as sheet:
        cells = {row["id"]: row["gold"] for row in csv.DictReader(sheet)}
    assert (cells["misread"], cells["left-out"], cells["w-2"]) == ("", "", "10")


# ── The command ───────────────────────────────────────────────────────────────


def test_the_command_takes_every_choice(project, items, tmp_path, capsys):
    (tmp_path / "parts.csv").write_text("id,split\nw-3,test\n<b>gone</b>,dev\n")
    call_command(
        "release",
        project.slug,
        out=tmp_path / "out",
        formats=["parquet,hvli"],
        scope="closed",
        no_media=True,
        splits="50/0/50",
        seed=4,
        topics=2,
        split_list=tmp_path / "parts.csv",
        as_json=True,
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["items"] == 4
    assert answer["split"]["frozen_items"] == 1
    assert answer["split"]["frozen_missing"] == {"ids": 1, "first": ["<b>gone</b>"]}
    assert "- 1 id of the fixed list belongs to no item of this release." in (tmp_path / "out/README.md").read_text()
    page = compact(render_to_string("annotation/_release_split.html", {"m": {"split": answer["split"]}}))
    assert "1 id of the list is no item of this release: <bdi>&lt;b&gt;gone&lt;/b&gt;</bdi></dd>" in page
    rows = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").open()]
    assert {row["id"]: row["split"] for row in rows}["w-3"] == "test"
    assert rows[0]["split"] == rows[1]["split"]  # the same picture
    assert not (tmp_path / "out" / "items.csv").exists()
    assert problems(tmp_path / "out") == []
    assert folder_of(project.releases.get()).is_dir()


@pytest.mark.parametrize(("most", "groups"), [(16 << 20, 1), (1, 3)], ids=["many in a group", "a group each time"])
def test_all_rows_of_a_long_table_are_there_in_order(most, groups, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_BYTES", most)
    names = [f"post {number}" for number in range(2 * parquet.ROWS + 5)]
    writer = parquet.Parquet(Target(tmp_path, ("id", "image"), ()))
    for name in names:
        writer.add({"id": name, "image": None}, None)
    (file,) = writer.close()
    table = pq.ParquetFile(tmp_path / file.path)
    assert (table.read().column("id").to_pylist(), table.num_row_groups) == (names, groups)
