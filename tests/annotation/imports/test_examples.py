"""The example file of each format is imported as it is into a project of a template."""

import subprocess
import sys

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.formats.base import Format
from annotation.imports.examples import EXAMPLES
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.projects.create import create_project
from annotation.projects.templates import HVLI, template
from builders import make_member

pytestmark = pytest.mark.django_db
HELD = {
    Format.INTERPLAY: {"items": 3, "labels": 2, "priors": 1, "known_answers": 1},
    Format.HVLI: {"items": 2, "decided": 2, "priors": 4},
    Format.MMHS150K: {"items": 2, "labels": 6},
    Format.HATEXPLAIN: {"items": 2, "labels": 6},
    Format.PRODIGY: {"items": 2, "labels": 3, "annotators": 2},
    Format.POTATO: {"items": 2, "labels": 3, "annotators": 2},
    Format.BRAT: {"items": 2, "labels": 2, "annotators": 1},
    Format.INCEPTION: {"items": 1, "labels": 2, "annotators": 2},
    Format.ARGILLA: {"items": 2, "labels": 3, "annotators": 2},
    Format.MTURK: {"items": 2, "labels": 3, "annotators": 2},
    Format.PROLIFIC: {"items": 2, "labels": 3, "annotators": 2},
    Format.LABEL_STUDIO: {"items": 2, "labels": 2},
    Format.IMAGEFOLDER: {"items": 2, "pictures": 2, "intended": 2},
    Format.WEBDATASET: {"items": 2, "pictures": 2, "intended": 2},
    Format.FEATHER: {"items": 2, "intended": 2},
}
UNLABELLED = {
    Format.CAPTIONS: {"items": 2, "pictures": 2},
    Format.REDDIT: {"items": 2, "left": {"removed": 1}},
    Format.X: {"items": 2, "left": {"removed": 1}},
    Format.TELEGRAM: {"items": 2, "left": {"service": 1}},
    Format.IMAGEBOARD: {"items": 2, "left": {}},
    Format.META_CONTENT: {"items": 2, "left": {"empty": 1}},
    Format.GOOGLE_FORMS: {"items": 2},
}
"""Posts of platforms, which nobody labelled yet."""


def test_every_format_has_one() -> None:
    missing = set(Format) - {Format.AUTO} - set(EXAMPLES)
    assert not missing, f"{missing}: put a file into annotation/imports/examples/ and name it in its __init__.py"
    assert Format.AUTO not in EXAMPLES


@pytest.mark.once  # what is read of a file does not depend on what stores it
@pytest.mark.parametrize("kind", EXAMPLES)
def test_it_is_imported_into_a_project_of_a_template(kind: Format) -> None:
    design = template("hatexplain" if kind is Format.HATEXPLAIN else HVLI)
    project = create_project(slug="garden", name="Garden", design=design)
    with EXAMPLES[kind].open("rb") as file:
        report = import_file(project, file, ImportOptions())
    assert report.errors == [] and report.stored
    # A metadata table in a ZIP, and JSON lines with an id, are read by the form of the table.
    assert report.format in (kind, Format.CSV, Format.TSV, Format.JSONL)
    held = HELD.get(kind) or UNLABELLED.get(kind, {})
    assert {name: getattr(report, name) for name in held} == held
    assert report.items and (report.intended or report.labels or report.decided or kind in UNLABELLED)


@pytest.mark.once  # as above
def test_the_page_and_the_command_hand_it_out(client: Client) -> None:
    project = create_project(slug="garden", name="Garden", design=template(HVLI))
    client.force_login(make_member(project, Role.ADMIN).user)
    page = client.get(reverse("annotation:import", args=["garden"])).content.decode()
    for kind, path in EXAMPLES.items():
        address = reverse("annotation:import-example", args=["garden", str(kind)])
        assert address in page
        assert b"".join(client.get(address).streaming_content) == path.read_bytes()
    assert client.get(reverse("annotation:import-example", args=["garden", "auto"])).status_code == 404
    told = subprocess.run(
        [sys.executable, "manage.py", "import_items", "--example", "xlsx"],
        cwd=settings.BASE_DIR,
        capture_output=True,
        check=True,
    )
    assert told.stdout == EXAMPLES[Format.XLSX].read_bytes()
