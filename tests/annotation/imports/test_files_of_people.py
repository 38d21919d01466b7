"""Files as people have them: each is imported rightly, or one sentence says what to do. No column goes silently."""

import gzip
import io
import json
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from PIL import Image

from annotation.domain.formats.base import Mapped
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Item, Label
from builders import make_project

pytestmark = [pytest.mark.django_db, pytest.mark.once]
KOREAN = "정원에 새 꽃이 피었습니다. 이웃들이 함께 물을 주었고 아이들은 나비를 보았다."
CHINESE = "花园里开了新的花。邻居们一起浇水，孩子们看到了蝴蝶，这是我们的生活。"
FRENCH = "Dans le jardin, il y a des fleurs très colorées, c’est déjà l’été."


def picture(shade: int = 90) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), (shade, 120, 30)).save(out, "PNG")
    return out.getvalue()


def packed(members: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def tar(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def workbook(*rows: tuple[Any, ...], **sheets: list[tuple[Any, ...]]) -> bytes:
    """Return a workbook of the rows, behind the named sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in {**sheets, "Posts": rows}.items():
        sheet = book.create_sheet(name)
        for row in cells:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(columns: dict[str, list[Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@dataclass(frozen=True)
class File:
    """A file, how it is read, and what must come of it: the items with their intent or gold, or a refusal."""

    content: bytes | str
    items: dict[str, str | None] = field(default_factory=dict)
    """The text of each item and the name of its intended category (or of its gold); None for none."""
    refused: tuple[str, ...] = ()
    """Words that the one sentence holds."""
    then: "File | None" = None
    """The same file with the options that the sentence asks for; its content is that of the first."""
    options: dict[str, Any] = field(default_factory=dict)
    labels: int = 0

    @property
    def raw(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.encode()


def named(**mapped: Any) -> dict[str, Any]:
    return {"mapped": Mapped(**mapped)}


TWO = {"One.": "Racist", "Two.": "NotHate"}
NEITHER = {"One.": None, "Two.": None}


def under_another_name(name: str, values: tuple[str, str] = ("1", "0")) -> File:
    """Return a table whose labels stand in a column of this name: it stops, and is read once the column is named."""
    content = f"id,text,{name}\na,One.,{values[0]}\nb,Two.,{values[1]}\n"
    mapping = dict(zip(values, ("Racist", "NotHate"), strict=True))
    return File(
        content,
        refused=(f"{name!r} looks like labels", values[0]),
        then=File(b"", TWO, options=named(label=name, values=mapping)),
    )


OTHER_NAMES = ("class", "annotation", "y", "라벨", "标签", "is_hate", "Category")
FILES: dict[str, File] = {
    # ── Encodings ──
    "CP949, a Korean table": File(
        f"id,text,intended\na,{KOREAN},1\n".encode("cp949"),
        refused=("It looks like cp949", "정원"),
        then=File(b"", {KOREAN: "Racist"}, options={"encoding": "cp949"}),
    ),
    "GB18030, a Chinese table": File(
        f"id,text,intended\na,{CHINESE},1\n".encode("gb18030"),
        refused=("It looks like gb18030", "花园"),
        then=File(b"", {CHINESE: "Racist"}, options={"encoding": "gb18030"}),
    ),
    "UTF-16 as a spreadsheet saves text": File(
        f"id\ttext\tintended\r\na\t{KOREAN}\t1\r\n".encode("utf-16"),
        refused=("utf-16",),
        then=File(b"", {KOREAN: "Racist"}, options={"encoding": "utf-16"}),
    ),
    "Latin-1": File(
        f"id;text;intended\na;{FRENCH};0\n".encode("cp1252"),
        refused=("cp1252", "très"),
        then=File(b"", {FRENCH: "NotHate"}, options={"encoding": "cp1252"}),
    ),
    "UTF-8 with a mark": File(f"id,text,intended\na,{KOREAN},1\n".encode("utf-8-sig"), {KOREAN: "Racist"}),
    # ── Tables ──
    "semicolons and CR LF": File(
        "id;text;intended\r\na;One, too.;1\r\nb;Two.;0\r\n", {"One, too.": "Racist", "Two.": "NotHate"}
    ),
    "tabs": File("id\ttext\tintended\na\tOne.\t1\nb\tTwo.\t0\n", TWO),
    "a quoted cell with line ends": File(
        'id,text,intended\na,"One,\nand ""more"".",1\nb,Two.,0\n', {'One,\nand "more".': "Racist", "Two.": "NotHate"}
    ),
    "a header with spaces, a mark and capitals": File("\ufeff ID , Text , Intended \na,One.,1\nb,Two.,0\n", TWO),
    "a header twice": File("id,text,text,intended\na,One.,Eins.,1\n", refused=("'text' stands twice",)),
    "commas after the last column": File("id,text,intended,,\na,One.,1,,\nb,Two.,0,,\n", TWO),
    "an index without a name": File(",text,intended\n0,One.,1\n1,Two.,0\n", TWO),
    "codes with a decimal point": File("text,intended\nOne.,1.0\nTwo.,0.0\n", TWO),
    "numbers with a decimal comma": File(
        "id;text;toxicity\na;One.;0,87\nb;Two.;0,02\n",
        refused=("'toxicity' looks like labels", "0,87"),
        then=File(b"", NEITHER, options={"ignore": frozenset({"toxicity"})}),
    ),
    "no column of ours": File(
        "tweet,class\nOne.,1\nTwo.,0\n",
        refused=("Found: class, tweet",),
        then=File(b"", TWO, options=named(text="tweet", label="class")),
    ),
    # ── Other names of labels ──
    **{
        f"labels called {name}": under_another_name(name)
        for name in ("class", "annotation", "y", "라벨", "标签", "is_hate", "Category")
    },
    "labels called toxicity, in words": under_another_name("toxicity", ("toxic", "none")),
    "labels called gold": File("id,text,gold\na,One.,1\nb,Two.,NotHate\n", TWO),
    # ── JSON ──
    "a JSON array": File(
        json.dumps(
            [{"id": "a", "text": "One.", "intended": 1}, {"id": "b", "text": "Two.", "intended": "NotHate"}], indent=1
        ),
        TWO,
    ),
    "a JSON object a line": File(
        lines({"id": 1, "text": "One.", "intended": 1}, {"id": 2, "text": "Two.", "intended": 0}), TWO
    ),
    "JSON with nested annotations": File(
        lines({"id": "a", "text": "One.", "annotations": [{"annotator": "x", "label": "Racist"}]}),
        refused=("'annotations'", "labels"),
        then=File(b"", {"One.": None}, options={"ignore": frozenset({"annotations"})}),
    ),
    "JSON by column, as pandas writes it": File(
        '{"id":{"0":"a","1":"b"},"text":{"0":"One.","1":"Two."},"intended":{"0":1,"1":0}}', TWO
    ),
    "a JSON object with two lists of objects": File(
        '{"images": [{"id": 1}], "annotations": [{"id": 2}]}', refused=("several lists", "images, annotations")
    ),
    # ── Data sets and tools ──
    "Label Studio JSON": File(
        json.dumps(
            [
                {
                    "id": 1,
                    "data": {"text": "One."},
                    "annotations": [
                        {
                            "completed_by": 3,
                            "result": [
                                {"from_name": "l", "to_name": "t", "type": "choices", "value": {"choices": ["Racist"]}}
                            ],
                        }
                    ],
                }
            ]
        ),
        {"One.": None},
        labels=1,
    ),
    "Label Studio JSON-MIN": File(
        json.dumps(
            [{"id": 1, "text": "One.", "annotation_id": 1, "annotator": 2, "lead_time": 1.5, "label": "Racist"}]
        ),
        {"One.": None},
        labels=1,
    ),
    "HateXplain": File(
        json.dumps(
            {
                "p1": {
                    "post_id": "p1",
                    "post_tokens": ["One", "."],
                    "rationales": [],
                    "annotators": [{"annotator_id": n, "label": "normal", "target": ["None"]} for n in range(3)],
                }
            }
        ),
        refused=("'normal'",),
        then=File(b"", {"One .": "NotHate"}, options=named(values={"normal": "NotHate"}), labels=3),
    ),
    "MMHS150K": File(
        json.dumps(
            {
                "77": {
                    "tweet_text": "One.",
                    "labels": [0, 0, 0],
                    "labels_str": ["NotHate"] * 3,
                    "img_url": "http://example.org/a.jpg",
                    "tweet_url": "x",
                }
            }
        ),
        {"One.": "NotHate"},
        labels=3,
    ),
    "Hateful Memes": File(
        packed(
            {
                "data/train.jsonl": lines({"id": 1, "img": "img/1.png", "label": 1, "text": "One."}),
                "data/img/1.png": picture(),
            }
        ),
        {"One.": "hateful"},
    ),
    "K-MHaS": File(
        "document\tlabel\nOne.\t1\nTwo.\t0\n",
        refused=("Found: document, label",),
        then=File(b"", TWO, options=named(text="document", label="label")),
    ),
    "Parquet": File(parquet({"id": ["a", "b"], "text": ["One.", "Two."], "intended": [1, 0]}), TWO),
    "WebDataset": File(
        tar(
            {"1.png": picture(), "1.txt": b"One.", "1.cls": b"1", "2.png": picture(3), "2.txt": b"Two.", "2.cls": b"0"}
        ),
        TWO,
    ),
    # ── Workbooks ──
    "a workbook": File(workbook(("id", "text", "intended"), ("a", "One.", 1), (), ("b", "Two.", 0.0)), TWO),
    "a workbook with a sheet of notes": File(
        workbook(
            ("id", "text", "label"), ("a", "One.", 1), ("b", "Two.", 0), Notes=[("Made by hand", None), ("in May", "1")]
        ),
        refused=("This is the sheet 'Notes'", "Posts"),
        then=File(b"", TWO, options={"sheet": "Posts", **named(label="label")}),
    ),
    # ── Not planned for, tried afterwards ──
    "OLID: labels in words that only the field knows": File(
        "id\ttweet\tsubtask_a\n1\tOne.\tOFF\n2\tTwo.\tNOT\n",
        refused=("Name the one that holds it", "tweet"),
        then=File(
            b"",
            refused=("'subtask_a' looks like labels", "NOT 1, OFF 1"),
            options=named(text="tweet"),
            then=File(
                b"", TWO, options=named(text="tweet", label="subtask_a", values={"OFF": "Racist", "NOT": "NotHate"})
            ),
        ),
    ),
    "a column for each category": File("id,text,racist\na,One.,1\nb,Two.,0\n", refused=("'racist' looks like labels",)),
    "a score of a longer name": File(
        lines({"id": "a", "text": "One."}, {"id": "b", "text": "Two.", "toxicity_score": 0.8}),
        refused=("'toxicity_score' looks like labels", "0.8"),
    ),
    "a first line for Excel": File("sep=;\r\nid;text;intended\r\na;One.;1\r\nb;Two.;0\r\n", TWO),
    "a web page called .xls": File("<html><table><tr><td>id</td></tr></table></html>", refused=("Export the table",)),
    "an OpenDocument table": File(
        packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}),
        refused=("Save it as .xlsx or CSV",),
    ),
    "a title above the header": File(
        workbook(("Posts of May", None), (None, None), ("id", "text"), ("a", "One.")),
        refused=("Found: Posts of May, column 2",),
    ),
    "a packed table": File(gzip.compress(b"id,text,intended\na,One.,1\nb,Two.,0\n"), TWO),
    "labels in another case": File("id,text,intended\na,One.,RACIST\nb,Two.,nothate\n", TWO),
    "a table in a folder with a Korean name, in CP949": File(
        packed({"데이터/게시물.csv": f"id,text,intended\na,{KOREAN},1\n".encode("cp949")}),
        refused=("It looks like cp949",),
        then=File(b"", {KOREAN: "Racist"}, options={"encoding": "cp949"}),
    ),
    "a list of pictures by another name": File(
        packed({"labels.csv": "filename,label\n1.png,Racist\n", "1.png": picture()}),
        refused=("Name the one that holds it", "filename"),
        then=File(b"", {"1.png": "Racist"}, options=named(image="filename", label="label")),
    ),
    # ── Folders ──
    "class folders": File(
        packed({"train/Racist/1.png": picture(), "train/NotHate/2.png": picture(2), "test/Racist/3.png": picture(3)}),
        {"train/Racist/1.png": "Racist", "train/NotHate/2.png": "NotHate", "test/Racist/3.png": "Racist"},
    ),
    "class folders of other names": File(
        packed({"train/hate/1.png": picture(), "train/ok/2.png": picture(2), "train/ok/3.png": picture(3)}),
        refused=("class folder", "hate 1", "ok 2"),
        then=File(
            b"",
            {"train/hate/1.png": "Racist", "train/ok/2.png": "NotHate", "train/ok/3.png": "NotHate"},
            options=named(values={"hate": "1", "ok": "0"}),
        ),
    ),
    "class folders with Korean names": File(
        packed({"혐오/정원 1.png": picture(), "정상/나비.png": picture(2)}),
        refused=("혐오 1", "정상 1"),
        then=File(
            b"",
            {"혐오/정원 1.png": "Racist", "정상/나비.png": "NotHate"},
            options=named(values={"혐오": "1", "정상": "0"}),
        ),
    ),
    "class folders beside a table": File(
        packed(
            {
                "train/metadata.csv": "file_name,text\nRacist/1.png,One.\nNotHate/2.png,Two.\n",
                "train/Racist/1.png": picture(),
                "train/NotHate/2.png": picture(2),
            }
        ),
        TWO,
    ),
}


def read(project: Any, file: bytes, **options: Any) -> ImportReport:
    return import_file(project, io.BytesIO(file), ImportOptions(**options))


def stored(project: Any) -> dict[str, str | None]:
    """Return what an item is called and its meaning: its text, or the name of its picture; its intent or its gold."""
    meanings = {}
    for item in Item.objects.filter(project=project).select_related("intended", "category"):
        category = item.intended or item.category
        side = {None: None, True: "hateful", False: "not hateful"}[item.intended_hateful]
        meanings[item.text or item.picture_name] = category.name if category else side
    return meanings


def check(project: Any, file: File, raw: bytes) -> None:
    report = read(project, raw, **file.options)
    if file.refused:
        assert not report.stored and not Item.objects.exists()
        reasons = {error.reason for error in report.errors}
        assert len(reasons) == 1, reasons
        reason = reasons.pop()
        assert all(word in reason for word in file.refused), reason
        assert reason.endswith((".", "?")) or "would begin" in reason
        return
    assert report.errors == []
    assert stored(project) == file.items
    assert Label.objects.count() == file.labels
    # Each column with a value is used, or the report says that it is not.
    assert all(column["became"] or column["name"] in report.passed_over for column in report.columns)
    assert report.columns


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_imported_rightly_or_one_sentence_says_what_to_do(name: str) -> None:
    file = FILES[name]
    project = make_project("garden")
    check(project, file, file.raw)
    raw = file.raw
    while file.then is not None:
        file = file.then
        check(project, file, raw)


MMHS = json.dumps(
    {str(number): {"tweet_text": f"Post {number}.", "labels": [0, 0, 0], "img_url": "x"} for number in range(14)}
)
MMHS_FILES: dict[str, bytes | str] = {
    "img_resized/3.jpg": picture(3),
    "img_resized/5.jpg": picture(5),
    "img_txt/3.json": json.dumps({"img_text": "words in it"}),
}


@pytest.mark.parametrize("packs", [True, False], ids=["a ZIP", "a folder"])
def test_pictures_and_their_words_come_from_a_place_of_their_own_and_the_missing_are_named(
    packs: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project("garden")
    table, images = tmp_path / "MMHS150K_GT.json", tmp_path / "images.zip"
    table.write_text(MMHS)
    images.write_bytes(packed(MMHS_FILES))
    if not packs:
        zipfile.ZipFile(images).extractall(tmp_path / "images")
        images = tmp_path / "images"
    call_command("import_items", "garden", str(table), "--images", str(images), "--json")
    answer = json.loads(capsys.readouterr().out)
    assert (answer["items"], answer["pictures"], answer["missing_images"]) == (14, 2, 12)
    others = [number for number in range(14) if number not in (3, 5)]
    assert answer["missing_names"] == [f"img_resized/{number}.jpg" for number in others[:10]]
    assert Item.objects.get(external_id="3").picture_texts.get().text == "words in it"


def test_the_report_says_which_pictures_show_the_first_of_several_frames() -> None:
    photo = Path(__file__).parents[2] / "support" / "pictures" / "two_frames.heic"
    file = packed({"posts.csv": "id,image\na,1.heic\nb,2.png\n", "1.heic": photo.read_bytes(), "2.png": picture()})
    report = read(make_project("garden"), file)
    assert report.stored and (report.pictures, report.first_frames) == (2, 1)
    assert report.answer()["first_frames"] == 1


def test_a_table_in_a_zip_takes_its_pictures_from_the_place_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(picture())
    file = packed({"posts.csv": "id,image\na,1.png\nb,2.png\n"})
    report = import_file(make_project("garden"), io.BytesIO(file), ImportOptions(), images=tmp_path)
    assert (report.items, report.pictures, report.missing_names) == (2, 1, ["2.png"])


def test_there_are_more_than_thirty_of_them() -> None:
    assert len(FILES) >= 50
