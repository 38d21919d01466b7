"""Texts in decomposed letters, as files of Macs have them, are stored in composed ones, and the report counts them."""

import json
import unicodedata
from io import StringIO

import pytest
from django.core.management import call_command

import builders
from annotation.domain.choices import Policy
from annotation.models import Item, Label
from question_builders import make_all_questions

pytestmark = pytest.mark.django_db

COMPOSED = "또 잡초가 났다 café"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


def import_(project, tmp_path, *rows, **options):
    file = tmp_path / "posts.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    printed = StringIO()
    call_command("import_items", project.slug, file, stdout=printed, **options)
    return printed.getvalue()


def test_decomposed_texts_are_stored_composed_and_counted(tmp_path):
    project = builders.make_project()
    rows = [{"id": "mac", "text": DECOMPOSED}, {"id": "other", "text": COMPOSED}]
    report = json.loads(import_(project, tmp_path, *rows, json=True))
    assert report["composed"] == 1
    assert set(Item.objects.values_list("text", flat=True)) == {COMPOSED}


def test_the_command_says_how_many_texts_were_changed(tmp_path):
    printed = import_(builders.make_project(), tmp_path, {"id": "mac", "text": DECOMPOSED})
    assert "1 texts came in decomposed letters and are stored in composed ones (NFC)." in printed


def test_marked_passages_move_with_their_words(tmp_path):
    project = builders.make_project(policy=Policy.REVIEW)
    make_all_questions(project)
    start = DECOMPOSED.index(unicodedata.normalize("NFD", "잡초"))
    end = start + len(unicodedata.normalize("NFD", "잡초"))
    label = {"annotator": "a", "category": 1, "answers": {"words": [[start, end]]}}
    import_(project, tmp_path, {"id": "mac", "text": DECOMPOSED, "labels": [label]})
    ((first, last),) = Label.objects.get().answers["words"]["value"]
    assert Item.objects.get().text[first:last] == "잡초"


def test_masking_and_words_of_pictures_see_composed_letters(tmp_path):
    project = builders.make_project()
    row = {"id": "mac", "text": DECOMPOSED + " mail me: jo@example.org"}
    import_(project, tmp_path, row, mask="emails")
    assert Item.objects.get().text == COMPOSED + " mail me: <email>"
