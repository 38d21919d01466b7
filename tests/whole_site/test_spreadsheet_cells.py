"""No cell of a table that leaves the site is run by a spreadsheet, whatever separates cells there (threat B118)."""

import ast
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.releases.build import release as make_release
from annotation.releases.request import Selection
from hostile_texts import fill, unguard, write_everywhere
from rows_of_every_model import add_missing_rows
from site_addresses import ROUTES
from site_objects import World, module_world, world

pytestmark = pytest.mark.django_db

__all__ = ["module_world", "world"]

APPS = ("annotation", "config", "generation", "moderation", "runs")
FORMULAS = '=HYPERLINK("//evil.example");=1+1\t@SUM(1)\r\n-1+cmd|x, ＝2;\u200b+3\n\'=4;"=5'
RUN = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"-?\d[\d.,:eE+-]*%?")


def run_by_a_spreadsheet(table: bytes) -> list[str]:
    """Return the cells that are formulas, if the separator is the comma, the semicolon or the tab."""
    text = table.decode("utf-8-sig")
    rows = (row for separator in ",;\t" for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    return [cell for row in rows for cell in row if RUN.match(cell) and not NUMBER.fullmatch(cell)]


def test_what_is_looked_for_is_found():
    for formula in FORMULAS.replace("\r\n", ";").replace("\n", ";").replace("\t", ";").split(";")[:4]:
        assert run_by_a_spreadsheet(f"id,text\na,{formula.replace(',', '')}\n".encode()), formula
    assert run_by_a_spreadsheet(b"id,text\na,b;=1\n") == ["=1"]
    assert run_by_a_spreadsheet(b"id,n\na,-1\nb,-0.5\n") == []


def test_one_class_writes_all_csv_and_makes_each_cell_safe():
    writers = []
    for path in (path for app in APPS for path in (Path(settings.BASE_DIR) / app).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("csv.writer", "DictWriter", "to_csv")):
                writers.append(str(path.relative_to(settings.BASE_DIR)))
    assert writers == ["annotation/pages/csv_response.py"]


@pytest.fixture
def addresses(world: World) -> set[str]:
    """Return the addresses of all tables that routes name, of a site whose texts are formulas."""
    found = {reverse(name, kwargs=dict(route.parts(world))) for name, route in ROUTES.items()}
    fill(world)
    add_missing_rows(world)
    unguard()
    write_everywhere(FORMULAS)
    return {address for address in found if "csv" in address} | {
        reverse("generation:dataset-file", args=["here", "replies.csv"])
    }


def tables(world: World, addresses: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield every table that a page or call gives as CSV, by its address."""
    member = world.members[Role.ANNOTATOR]
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    for page in ("annotation:dashboard", "annotation:quality", "annotation:glossary", "annotation:items"):
        shown = client.get(reverse(page, args=["here"])).content.decode()
        addresses |= set(re.findall(r'href="([^"?]+(?:\.csv|/csv/))"', shown))
    for address in sorted(addresses):
        answer: Any = client.get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/csv"):
            yield address, b"".join(answer) if answer.streaming else answer.content


def test_no_table_of_a_page_holds_a_formula(world: World, addresses: set[str]):
    found = dict(tables(world, addresses))
    assert len(found) >= 5, sorted(found)
    assert {address: run_by_a_spreadsheet(table) for address, table in found.items()} == dict.fromkeys(found, [])


def test_no_table_of_a_release_holds_a_formula(world: World, addresses: set[str]):
    made = make_release(world.project, None, Selection(formats=(ReleaseFormat.CSV, ReleaseFormat.ANNOTATORS)))
    found = {path.name: path.read_bytes() for path in folder_of(made).glob("*.csv")}
    assert {"items.csv", "labels.csv", "annotators.csv"} <= found.keys()
    assert b"evil.example" in found["items.csv"]
    assert {name: run_by_a_spreadsheet(table) for name, table in found.items()} == dict.fromkeys(found, [])
