"""What reading a stranger's text costs: at four times the length no reader takes much more than four times as long.

Every reader is tried with runs of every piece that its grammar knows, behind openings that never close (threats B121,
B123). A reader that goes back over what it has read takes sixteen times as long and fails. And no upload, however
it was made, makes a web process grow by more than 100 MB: `upload_ways` names every view that takes files, with its
readers.
"""

import ast
import html
import io
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

import lxml.html
import pytest
from django.conf import settings as site
from pydantic import BaseModel

import migrated_database
from annotation.domain import csv_cells, markdown, text_rules
from annotation.domain.formats import strict_json
from annotation.domain.formats.base import LIMITS, Format, Mapped, Reading
from annotation.domain.formats.detect import detect, open_reader
from annotation.domain.formats.named_rows import named_rows
from annotation.domain.formats.xlsx import Workbook
from annotation.domain.glossary import file_format, normalize
from annotation.domain.glossary.matching import Matcher, Term
from annotation.domain.imports import near_duplicates
from annotation.domain.masking.mask import Mask, mask
from annotation.imports.examples import EXAMPLES
from annotation.projects.templates import parse_design
from annotation.releases.split import BadSplitList, read_list
from generation.domain import tokens
from generation.domain.counterspeech import claims, intentconan, safety_flags
from generation.injection.plan_files import read_json
from moderation.domain import baseline
from moderation.domain.antihateagent import citations, doubts, page_windows, passages, relevance, search_index
from moderation.domain.evaluation.predictions import read_predictions
from moderation.domain.hatexscore import htc, masking, quotations, tgi
from moderation.domain.hatexscore.second_reading import SecondReading
from moderation.domain.hatexscore.words import tokenize
from moderation.domain.studies.study_file import read_study
from moderation.hatexscore import group_lists
from providers import prompt_fencing, refusals, structured_output
from providers.http import encodings
from providers.http.fetch import FetchedPage
from providers.pages import html_text, notices, pdf_text
from providers.pages import text as page_text
from upload_ways import BODIES, PROCESS, WAYS

pytestmark = pytest.mark.slow


class Verdict(BaseModel):
    verdict: str


def drained(rows: Iterable[Any]) -> None:
    for _row in rows:
        pass


def in_the_middle(text: str) -> passages.Span:
    return passages.Span(len(text) // 2, len(text) // 2 + 1)


def of_bytes(read: Callable[[BinaryIO], Any]) -> Callable[[str], Any]:
    return lambda text: read(io.BytesIO(text.encode()))


def of_format(kind: Format) -> Callable[[str], Any]:
    return of_bytes(lambda stream: drained(open_reader(stream, Reading(kind, Mapped(text="text", label="label")))))


def of_workbook(sheet: Callable[[str], str]) -> Callable[[str], Any]:
    """Return the reader of a workbook whose sheet has this XML; every other part is the example's."""

    def read(text: str) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(EXAMPLES[Format.XLSX]) as old, zipfile.ZipFile(packed, "w") as new:
            for name in old.namelist():
                is_sheet = name.endswith("sheet1.xml")
                new.writestr(name, f"<worksheet>{sheet(text)}</worksheet>" if is_sheet else old.read(name))
        drained(Workbook(packed, Reading(Format.XLSX, Mapped(text="text"))))

    return read


def cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{html.escape(text)}</t></is></c>'


def rows_of_words(text: str) -> str:
    """Return the XML of a table with a word of the text in each row."""
    rows = "".join(f"<row>{cell(word)}</row>" for word in ["text", *text.split()])
    return f"<sheetData>{rows}</sheetData>"


GLOSSARY = Matcher([Term(1, "weed"), Term(2, "bad weeds"), Term(3, "草"), Term(4, "a")])
SECOND = SecondReading("", refusal=False, conclusion=None, group="aa women", tie="a weed")
TEXT_FORMATS = set(Format) - {Format.AUTO, Format.XLSX, Format.PARQUET, Format.IMAGEFOLDER, Format.WEBDATASET}
FILES: dict[str, Callable[[str], Any]] = {
    "JSON": strict_json.parse,
    "JSON in pieces": of_bytes(lambda stream: drained(strict_json.entries(stream, LIMITS.entry_chars))),
    "detection": of_bytes(detect),
    "named rows": of_bytes(lambda stream: drained(named_rows(stream))),
    "a glossary": of_bytes(lambda stream: drained(file_format.read_entries(stream))),
    "predictions": of_bytes(read_predictions),
    "a split list": of_bytes(read_list),
    "a design": lambda text: parse_design(text.encode()),
    "a plan": lambda text: read_json(text.encode()),
    "a group list": lambda text: group_lists.read(text.encode()),
    "a study": lambda text: read_study(text, "a.toml"),
    "value lists": json.loads,
    "examples in a table": lambda text: drained(intentconan.read_rows(text.encode(), "a.csv")),
    "examples in JSON": lambda text: drained(intentconan.read_rows(text.encode(), "a.json")),
    "words in a workbook": of_workbook(rows_of_words),
    "a text in a workbook": of_workbook(
        lambda text: f"<sheetData><row>{cell('text')}</row><row>{cell(text)}</row></sheetData>"
    ),
    "the XML of a workbook": of_workbook(lambda text: f"<sheetData><row>{cell('text')}</row>{text}"),
    **{f"the format {kind}": of_format(kind) for kind in sorted(TEXT_FORMATS)},
}
READERS: dict[str, Callable[[str], Any]] = {
    **FILES,
    "masking of names and numbers": lambda text: mask(text, list(Mask)),
    "a cell made safe": csv_cells.neutralized,
    "a cell restored": csv_cells.restored,
    "a text": lambda text: text_rules.read_text(text, 10**9),
    "an id": text_rules.read_id,
    "guidelines": markdown.render,
    "words of a glossary": lambda text: drained(normalize.words(text)),
    "terms of a glossary": GLOSSARY.find,
    "words of near-duplicates": near_duplicates.words_of,
    "a fence in a prompt": lambda text: prompt_fencing.fence(text, "abcdefabcdef").suspicions,
    "a model's answer": lambda text: structured_output.read_answer(text, Verdict),
    "a refusal": structured_output.is_refusal,
    "a refusal to write": refusals.declines_to_write,
    "a baseline's comment": baseline.read_comment,
    "conclusions of an explanation": htc.conclusions,
    "groups of an explanation": lambda text: tgi.groups(text, [], "en", {"Gender": ["women"]}),
    "groups of a second reader": lambda text: SECOND.groups_in(text, [], "en", {"Gender": ["women"]}),
    "quotations of an explanation": quotations.quotations,
    "a quoted text masked": lambda text: masking.mask(text, ["a", "weed"]),
    "the language of an explanation": tokenize.language_of,
    "a search": search_index.parse_query,
    "words of a document": search_index.index_words,
    "passages of a document": search_index.passages,
    "windows of a page": lambda text: page_windows.windows(text, 10),
    "windows nearest to a post": lambda text: relevance.relevant_windows(text, 3, text[:300]),
    "a quotation of a page": lambda text: passages.find_quote("a weed in a garden", text),
    "references of a rationale": lambda text: citations.check_rationale(text, [1], [], [], []),
    "the sentence of a passage": lambda text: passages.sentence_of(text, in_the_middle(text)),
    "doubts about a passage": lambda text: doubts.doubts_of(text, in_the_middle(text), rated_claim=text),
    "claims of a reply": claims.claims,
    "flags of a reply": lambda text: safety_flags.flags(text, ["weed"]),
    "words of a reply": tokens.tokens,
    "a page": lambda text: html_text.html_text(lxml.html.fromstring(f"<html><body>{text}</body></html>")),
    "bytes of a page": lambda text: page_text.read_page(FetchedPage("", "text/html", "", text.encode(), False)),
    "bytes in an old encoding": lambda text: encodings.decode(f"\u8349{text}".encode("gb18030", "replace"), "euc-kr"),
    "a notice": lambda text: notices.in_place_of_text("", text, html_text.SeenText(has_scripts=True, noscript=text)),
    "columns of a PDF": lambda text: pdf_text.by_column(
        [(72 * (n % 2), n // 2, word) for n, word in enumerate(text.split())]
    ),
}
PIECES = (
    "a", '"', '\\"', "\\", "[", "{", "}", "[]", ",", '"a",', "'", " ", "\t", "\n", "\r\n", "a\n", "<", "&", "<a ", "</",
    "<p hidden>a</p> ", "<b>", "\u0301", "=", "*", "**", "_", "`", "[a](", "](", "](a", "![", ">", "- ", "1. ",
    "|", "#", "http://",
    "http://a.", "@", "a@", "a.", "-", "0", "1,", "(", ")", ":", "://", "\u200b", "\u202e", "\uff1c", "<|", "|>", "[/",
    "<think>", "```", "```json\n", '"a":', '{"a":', '"verdict":', '{"verdict":"a"}', "\u4f60", "\uac00", "\U0001f600",
    "\u201c", "\u201d", "no ", "not hateful ", "a-a", "a. ", "!", "?", "...", "a,b\n", '{"id":"a","text":"b"}\n',
    "\u00ad", "\uff41", "[1]", "conclusion:", "weed ", "bad ", "%", "a/", "\u3002", "\u300c",
    '<c r="A1" ', ' t="e"', "<f>", "<row>", '<c r="A1"><f>',
    "women:\n", "hateful ", "is not hateful but ", "\ud610\uc624 ", "\u4ec7\u6068", "<think>a</think>",
)  # fmt: skip
PLAIN, OF_FILES = ("", "<"), ("", '{"id":"1","text":"', "id,text\n", '"', "[1,")
LENGTH = 2_000
QUICK = 0.01
"""Seconds of processor time; what takes less at 8,000 characters is not measured further."""
MEASUREMENTS = 4
TIMES = 8
"""Of four times the length; n log n takes less than five times as long."""
FLAT = 5
"""Of four times half the length. What stays below is a n + b n² with 11 b n < a there, so less than six times at the
whole length, which then need not be read: that takes most of the time."""


def seconds(read: Callable[[str], Any], text: str) -> float:
    """Return the processor time of a reading."""
    begun = time.process_time()
    try:
        read(text)
    except (ValueError, RecursionError, lxml.etree.LxmlError, BadSplitList):
        pass  # refused: that costs too
    except Exception as fault:
        if type(fault).__name__ != "Unreadable":
            raise
    return time.process_time() - begun


def grows_steeply(read: Callable[[str], Any], opening: str, piece: str, length: int = LENGTH) -> bool:
    """Whether growth is steep each time that it is measured: on a busy machine a single measurement may be wrong."""
    return all(is_steep(read, opening, piece, length) for _ in range(MEASUREMENTS))


def is_steep(read: Callable[[str], Any], opening: str, piece: str, length: int) -> bool:
    """Whether it takes more than eight times as long at four times the length, and again at sixteen times.

    The quicker of two readings counts. Where the first one is quick or flat enough, there is no second one.
    """

    def at(times: float) -> float:
        return seconds(read, opening + piece * (int(times * length) // len(piece) + 1))

    if (half := at(2)) < QUICK / 16 or half <= FLAT * at(0.5):
        return False
    if (middle := at(4)) < QUICK:
        return False
    short = min(at(1), at(1))
    if middle <= TIMES * short or (middle := min(middle, at(4))) <= max(TIMES * short, QUICK):
        return False
    return all(at(16) > TIMES * middle for _ in range(2))


@pytest.mark.parametrize("name", READERS)
def test_four_times_the_text_takes_no_reader_much_longer_than_four_times(name: str) -> None:
    openings = OF_FILES if name in FILES else PLAIN
    steep = [
        (opening, piece) for opening in openings for piece in PIECES if grows_steeply(READERS[name], opening, piece)
    ]
    assert not steep, f"rewrite these patterns, so that the time grows with the length alone: {steep}"


def test_the_measure_finds_a_reader_that_goes_back() -> None:
    backwards = re.compile(r'"(?:[^"\\]|\\.)*"')
    assert grows_steeply(backwards.findall, '"', '\\"', LENGTH // 2)  # at the whole length it takes long


# ── What comes into a web process ─────────────────────────────────────────────

MOST_MEGABYTES = 100
APPS = ("annotation", "moderation", "generation", "runs", "config")


def functions_that_take_files() -> set[str]:
    """Return the functions of the site that look at the files of a request, as `module:function`."""
    found = set()
    for path in (path for app in APPS for path in (Path(site.BASE_DIR) / app).rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(node, ast.Attribute) and node.attr == "FILES" and ast.unparse(node.value).endswith("request")
                for node in ast.walk(function)
            ):
                found.add(f"{path.relative_to(site.BASE_DIR)}:{function.name}")
    return found


def test_every_view_that_takes_files_names_readers_whose_cost_is_measured_or_a_process_of_its_own() -> None:
    assert functions_that_take_files() == WAYS.keys()
    assert {name for way in WAYS.values() for name in way.readers} - READERS.keys() == {PROCESS}
    bodies = ["config.api.parsers.StrictJSON"]
    assert site.REST_FRAMEWORK["DEFAULT_PARSER_CLASSES"] == bodies


def test_lists_and_objects_of_the_api_tell_a_few_errors_and_no_million() -> None:
    unbounded = re.compile(r"serializers\.(?:ListField|DictField)\((?!read_only)")
    for path in (path for app in APPS for path in (Path(site.BASE_DIR) / app / "api").glob("*.py")):
        if path.name != "shapes.py":
            assert not unbounded.search(path.read_text("utf-8")), f"{path}: take BoundedList or BoundedDict"


@pytest.mark.once
def test_no_upload_makes_a_web_process_grow_by_more_than_a_hundred_megabytes(tmp_path: Path) -> None:
    tests = f"{site.BASE_DIR}{os.pathsep}{site.BASE_DIR / 'tests/support'}"
    environment = migrated_database.make_site(tmp_path) | {"RATE_LIMITED": "off", "CELERY_BROKER_URL": "filesystem://"}
    program = "import django; django.setup(); import upload_memory; upload_memory.main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "ERROR", "PYTHONPATH": tests},
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    figures = json.loads(done.stdout.splitlines()[-1])
    assert len(figures) == sum(1 + len(way.contents) for way in WAYS.values()) + len(BODIES)
    broken = {name: figure for name, figure in figures.items() if figure[0] >= 500 or figure[1] > MOST_MEGABYTES}
    assert broken == {}
    taken = {name.partition(": ")[0] for name, figure in figures.items() if figure[0] in (200, 201, 302)}
    assert {"annotation/imports/views.py:imports", "moderation/evidence/views_documents.py:documents", "body"} <= taken
