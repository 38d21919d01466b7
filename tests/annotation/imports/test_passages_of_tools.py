"""Passages that people marked elsewhere answer the project's question, and keep the names they came with."""

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.domain.formats.labels.of_annotators import NAMED
from annotation.domain.questions.question import QuestionKind
from annotation.models import Item, Label
from builders import make_project
from label_files import command, lines
from question_builders import make_question

pytestmark = [pytest.mark.django_db, pytest.mark.once]
TEXT = "ab 😀 bad 👩‍👩‍👧 word"
BAD, WORD = [5, 8], [15, 19]
ANN = "T1\tRacist 5 8\tbad\nT2\tRacist 15 19\tword\n"


def packed(**members: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return out.getvalue()


def archive(*members: tuple[str, str]) -> bytes:
    return packed(**{name.replace("/", "__"): content for name, content in members})


def tsv(mark: str) -> str:
    """Return the text in WebAnno TSV, whose places count UTF-16 units, with its second word marked."""
    tokens = (("ab", "_", 0), ("😀", "_", 3), ("bad", mark, 6), ("word", "_", 19))
    rows = (
        f"1-{n}\t{at}-{at + len(word.encode('utf-16-le')) // 2}\t{word}\t{said}\t"
        for n, (word, said, at) in enumerate(tokens, 1)
    )
    return "\n".join(("#FORMAT=WebAnno TSV 3.3", "#T_SP=webanno.custom.Hate|value", "", "", f"#Text={TEXT}", *rows, ""))


def cas(begin: int, end: int, name: str = "Racist") -> str:
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": TEXT}
    mark = {"%ID": 2, "%TYPE": "webanno.custom.Hate", "@sofa": 1, "begin": begin, "end": end, "value": name}
    return json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": [sofa, mark], "%VIEWS": {}}, ensure_ascii=False)


@dataclass(frozen=True)
class File:
    """A file, the arguments that read it, and its labels: category and passages by person, all of which have names."""

    content: bytes | str
    labels: dict[str, tuple[int, list[list[int]]]]
    command: tuple[str, ...] = ()
    items: int = 1
    passages: int = 1
    not_counted: dict[str, int] = field(default_factory=dict)


SAME = (("w1/a.txt", f"{TEXT}\n"), ("w2/a.txt", f"{TEXT}\n"))
FILES = {
    "doccano, a list each": File(
        lines({"id": 1, "text": TEXT, "label": [[*BAD, "Racist"], [*WORD, "Racist"]]}),
        {"source-1": (1, [BAD, WORD])}, passages=2,
    ),
    "doccano, objects beside categories": File(
        lines({"id": 1, "text": TEXT, "cats": ["Sexist"], "relations": [],
               "entities": [{"id": 7, "label": "slur", "start_offset": 5, "end_offset": 8}]}),
        {"source-1": (2, [BAD])},
    ),
    "doccano, a name that is mapped": File(
        lines({"id": 1, "text": TEXT, "labels": [[*BAD, "slur"], [*WORD, "place"]]}), {"source-1": (1, [BAD, WORD])},
        ("--map", "slur=1", "--map", "place=skip"), passages=2,
    ),
    "doccano, a file for each person": File(
        archive(("ann.jsonl", lines({"id": 1, "text": TEXT, "label": [[*BAD, "Racist"]]})),
                ("ben.jsonl", lines({"id": 1, "text": TEXT, "label": [[*WORD, "Racist"]]}))),
        {"ann": (1, [BAD]), "ben": (1, [WORD])}, passages=2,
    ),
    "brat, one person": File(
        archive(("a.txt", f"{TEXT}\n"), ("a.ann", ANN)), {"source-1": (1, [BAD, WORD])}, passages=2
    ),
    "brat, a folder for each person": File(
        archive(*SAME, ("w1/a.ann", ANN), ("w2/a.ann", "T1\tRacist 15 19\tword\n")),
        {"w1": (1, [BAD, WORD]), "w2": (1, [WORD])}, passages=3,
    ),
    "brat, nothing marked is harmless": File(
        archive(*SAME, ("w1/a.ann", "T1\tRacist 5 8\tbad\n"), ("w2/a.ann", "")),
        {"w1": (1, [BAD]), "w2": (0, [])}, ("--none-is", "NotHate"),
    ),
    "brat, two folders of other texts": File(
        archive(("x/a.txt", TEXT), ("x/a.ann", "T1\tRacist 5 8\tbad\n"), ("y/a.txt", "Two."), ("y/a.ann", "")),
        {"source-1": (1, [BAD])}, items=2,
    ),
    "Prodigy, beside a choice": File(
        lines({"text": TEXT, "_input_hash": 1, "accept": ["Sexist"], "answer": "accept", "_annotator_id": "ann",
               "tokens": [{"text": "ab", "start": 0, "end": 2, "id": 0}],
               "spans": [{"start": 5, "end": 8, "token_start": 1, "token_end": 1, "label": "slur"}]}),
        {"ann": (2, [BAD])},
    ),
    "Prodigy, passages alone": File(
        lines(*({"text": TEXT, "_input_hash": 1, "answer": said, "_annotator_id": who, "_view_id": "spans_manual",
                 "spans": [{"start": start, "end": end, "label": "Racist"}]}
                for who, said, (start, end) in (
                    ("ann", "accept", BAD), ("ben", "accept", WORD), ("cy", "reject", BAD)))),
        {"ann": (1, [BAD]), "ben": (1, [WORD])}, passages=2, not_counted={"discarded": 1},
    ),
    "INCEpTION, WebAnno TSV": File(tsv("Racist"), {"": (1, [BAD])}),
    "INCEpTION, UIMA CAS JSON": File(cas(6, 9), {"": (1, [BAD])}),
    "INCEpTION, an export of several people": File(
        archive(("annotation/a.txt/ann.tsv", tsv("Racist")), ("annotation/a.txt/ben.json", cas(19, 23)),
                ("annotation/a.txt/INITIAL_CAS.tsv", tsv("_")), ("exportedproject.json", "{}")),
        {"ann": (1, [BAD]), "ben": (1, [WORD])}, passages=2,
    ),
    "Argilla, beside its label": File(
        lines({"id": "a", "fields": {"text": TEXT}, "responses": [{"user_id": "u1", "status": "submitted", "values": {
            "label": {"value": "Racist"}, "words": {"value": [{"start": 5, "end": 8, "label": "slur"}]}}}]}),
        {"u1": (1, [BAD])}, passages=0,
    ),
}  # fmt: skip


def rows_of(field: str) -> list[tuple[str, Any]]:
    return list(Label.objects.order_by("pk").values_list("annotator__imported_name", field))


def labels() -> dict[str, tuple[int | None, list[list[int]]]]:
    rows = Label.objects.order_by("pk").values_list("annotator__imported_name", "category__code", "answers")
    return {name: (code, (answers.get("words") or {"value": []})["value"]) for name, code, answers in rows}


@pytest.mark.parametrize("name", FILES)
def test_passages_answer_the_question_of_the_project(name: str, tmp_path: Path) -> None:
    file, project = FILES[name], make_project("garden")
    make_question(project, "words", QuestionKind.SPAN)
    path = tmp_path / "file"
    path.write_bytes(file.content if isinstance(file.content, bytes) else file.content.encode())
    answer, _words = command(path, *file.command)
    assert answer["errors"] == [] and answer["not_counted"] == file.not_counted
    assert labels() == {person or "source-1": said for person, said in file.labels.items()}
    assert Item.objects.filter(text=TEXT).count() == 1 and Item.objects.count() == file.items


@pytest.mark.parametrize("name", [name for name, file in FILES.items() if file.passages])
def test_passages_keep_their_names_where_nothing_asks_for_them(name: str, tmp_path: Path) -> None:
    file = FILES[name]
    make_project("garden")
    path = tmp_path / "file"
    path.write_bytes(file.content if isinstance(file.content, bytes) else file.content.encode())
    answer, words = command(path, *file.command)
    assert (
        answer["errors"] == []
        and answer["not_counted"] == file.not_counted
        and answer["named_passages"] == file.passages
    )
    assert f"{file.passages} marked passages keep their names" in words
    assert labels() == {person or "source-1": (code, []) for person, (code, _passages) in file.labels.items()}
    kept = {name: passages or [] for name, passages in rows_of("passages")}
    places = {name: [[part["start"], part["end"]] for part in passages] for name, passages in kept.items()}
    assert places == {person or "source-1": marked for person, (_code, marked) in file.labels.items()}
    assert all(part["name"] for passages in kept.values() for part in passages)


def test_passages_without_a_name_are_told_where_nothing_asks_for_them(tmp_path: Path) -> None:
    make_project("garden")
    for content, arguments in ((cas(6, 9, ""), ("--none-is", "Racist")), (cas(6, 9), ("--leave-out", NAMED))):
        (tmp_path / "file").write_text(content)
        answer, words = command(tmp_path / "file", *arguments, "--dry-run")
        assert (answer["errors"], answer["not_counted"], answer["named_passages"]) == ([], {"passages": 1}, 0)
        assert "1 marked passages are not taken: no question asks for them." in words


def test_named_passages_move_with_their_words_and_go_where_the_text_is_masked(tmp_path: Path) -> None:
    decomposed = "Cafe\u0301 bad, write to w@example.org"
    (tmp_path / "file").write_text(lines({"id": 1, "text": decomposed, "label": [[6, 9, "Racist"]]}))
    for slug, masks, kept, left in (
        ("garden", (), [{"start": 5, "end": 8, "name": "Racist"}], {}),
        ("other", ("--mask", "emails"), None, {"passages": 1}),
    ):
        project = make_project(slug)
        out = io.StringIO()
        call_command("import_items", slug, str(tmp_path / "file"), "--json", *masks, stdout=out)
        assert json.loads(out.getvalue())["not_counted"] == left
        assert Label.objects.get(item__project=project).passages == kept


def test_passages_of_a_control_of_label_studio_answer_the_question_of_its_name(tmp_path: Path) -> None:
    make_question(make_project("garden"), "words", QuestionKind.SPAN)
    results = [{"from_name": "hate", "to_name": "text", "type": "choices", "value": {"choices": ["Racist"]}}]
    for start, end in (BAD, WORD):
        region = {"start": start, "end": end, "text": TEXT[start:end], "labels": ["slur"]}
        results.append({"from_name": "words", "to_name": "text", "type": "labels", "value": region})
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 3, "result": results}]}
    (tmp_path / "file").write_text(json.dumps([task]))
    command(tmp_path / "file")
    assert labels() == {"ls-3": (1, [BAD, WORD])}
    assert [region["labels"] for region in Item.objects.get().extra["words"][0]] == [["slur"], ["slur"]]


REFUSED: dict[str, tuple[Any, str]] = {
    "a name of no category": (lines({"id": 1, "text": TEXT, "label": [[*BAD, "slur"]]}), "'slur' is no category"),
    "brat without a text": (archive(("a.ann", ANN)), "a.ann: There is no text beside it."),
    "brat, outside the text": (
        archive(("a.txt", "ab"), ("a.ann", ANN)), "a.ann: The passage 5 to 8 lies outside the text."
    ),
    "INCEpTION, two texts of one document": (
        archive(("annotation/a.txt/ann.tsv", tsv("Racist")),
                ("annotation/a.txt/ben.tsv", tsv("_").replace("word", "words"))),
        "The files of the document a.txt have different texts.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_told(name: str, tmp_path: Path) -> None:
    content, words = REFUSED[name]
    make_project("garden")
    (tmp_path / "file").write_bytes(content if isinstance(content, bytes) else content.encode())
    answer, _words = command(tmp_path / "file")
    (error,) = answer["errors"]
    assert words in error["reason"] and not Item.objects.exists()
