"""Every name of the site is one line, whichever way it comes in; what is no name is listed with its reason (B130)."""

import json
from importlib import import_module
from io import StringIO

import pytest
from django import forms
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import models
from django.test import Client

from annotation.domain.choices import Role
from annotation.domain.one_line import NotOneLine
from annotation.models import Batch, Category, Item, Membership, Project, SavedSearch
from annotation.pages.form_fields import LineField, WrittenField
from builders import make_item, make_member, make_project, make_user

pytestmark = pytest.mark.django_db

BAD_NAME = "Beta\n\nYour account is closed. Sign in at https://evil.example/login"
OURS = ("annotation", "moderation", "generation", "runs", "config")
_MADE = "made by the site, or a code from a closed set"
_PATTERN = "held to a pattern of its own"
_MODEL = "the name of a model, from the settings or from its provider"
_SENTENCE = "a sentence that may have several lines"
NO_NAMES = {
    "Pulse": {"part": _MADE},
    "SharedParts": {"database": _MADE, "files": _MADE, "key": _MADE, "sealing_key": _MADE},
    "User": {"password": _MADE, "username": _PATTERN, "language": _MADE},
    "OpenSession": {"browser": _MADE, "place": _MADE},
    "TokenUse": {"address": _MADE, "client": "cleaned, since no person writes it"},
    "Project": {"prompt_set": _MADE, "export_key": _MADE, "influence_seed": _MADE},
    "Category": {"key": _PATTERN, "colour": _MADE},
    "GlossaryEntry": {"key": "made from the term"},
    "GlossarySource": {"note": _SENTENCE},
    "Picture": {"media_type": _MADE, "likeness": _MADE},
    "Item": {"external_id": _PATTERN, "message": _SENTENCE, "pattern": _MADE},
    "Prior": {"reason": _MADE, "model": _MODEL},
    "Adjudication": {"message": _SENTENCE},
    "Event": {"verb": _MADE},
    "Skip": {"reason": _SENTENCE},
    "Import": {"problem": _SENTENCE},
    "Release": {"folder": _MADE},
    "ReleaseOrder": {"problem": _SENTENCE},
    "CompetenceEstimate": {"problem": _SENTENCE},
    "Figures": {"problem": _SENTENCE, "form": _MADE},
    "BulkOrder": {"problem": _SENTENCE, "act": _MADE},
    "Webhook": {"address": _PATTERN},
    "Delivery": {"key": _MADE, "happening": _MADE, "problem": _SENTENCE},
    "Mail": {"language": _MADE},
    "PictureText": {"reason": _MADE, "language": _MADE},
    "PictureReading": {"problem": _SENTENCE},
    "Question": {"code": _PATTERN, "key": _PATTERN},
    "Publication": {"key": _MADE},
    "AccessRequest": {"reason": _SENTENCE},
    "Statement": {"puid": "an identifier of the Commission's database, read from its answer"},
    "ExemplarVector": {"model": _MODEL},
    "ItemVector": {"model": _MODEL},
    "Evaluation": {"fault": _SENTENCE},
    "EvaluationCase": {
        "external_id": _PATTERN,
        "picture_path": "a path in a data set, read as it is",
        "pattern": _MADE,
    },
    "Document": {"kind": _MADE},
    "Evidence": {"url": _PATTERN, "query": "what a model searched for", "struck_because": _SENTENCE},
    "EvidenceSegment": {"bearing": _SENTENCE},
    "Perspective": {"code": _PATTERN},
    "Score": dict.fromkeys(("about", "said_by", "method", "language", "group_list", "estimated_by"), _MADE)
    | {"reason": _SENTENCE},
    "Explanations": {"model": _MODEL},
    "PoolPicture": {"model": _MODEL, "trouble": _MADE},
    "StoredLook": {"question": _MADE},
    "Sample": {"pattern": _MADE, "model": _MODEL, "detail": _SENTENCE},
    "Candidate": {"seen_intent": _MADE, "model": _MODEL},
    "Reply": {"seen_intent": _MADE},
    "Exemplar": {"external_id": _PATTERN},
    "Run": dict.fromkeys(("method", "variant", "provider", "request_id", "traceparent", "owner"), _MADE)
    | {"detail": _SENTENCE},
    "Turn": dict.fromkeys(("key", "kind", "role"), _MADE) | {"detail": _SENTENCE, "model": _MODEL},
    "Pause": {"provider": _MADE, "model": _MODEL, "detail": _SENTENCE},
    "WorkerLoad": {"process": _MADE},
    "ModelFact": {"name": _MODEL, "fact": _MADE, "value": _MADE, "sentence": _SENTENCE},
}


def test_every_short_text_is_a_line_or_is_listed_with_its_reason():
    free: dict[str, set[str]] = {}
    for model in apps.get_models():
        if model._meta.app_label not in OURS:
            continue
        for field in model._meta.local_fields:
            is_free = type(field) is models.CharField and not field.choices
            if is_free and not field.name.endswith(("sha256", "digest")):
                free.setdefault(model.__name__, set()).add(field.name)
    assert free == {name: set(fields) for name, fields in NO_NAMES.items()}


# ── The ways in ───────────────────────────────────────────────────────────────


@pytest.fixture
def admin():
    return make_member(make_project("winter"), Role.ADMIN, user=make_user("wren"))


@pytest.fixture
def visitor(admin):
    client = Client()
    client.force_login(admin.user)
    return client


def test_the_api_refuses_a_project_name_of_several_lines(visitor, admin):
    response = visitor.patch("/api/v1/projects/winter/settings/", {"name": BAD_NAME}, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["field"] == "name"
    assert "There is a line break (U+000A) after “Beta”: write the text on one line." in response.content.decode()
    assert Project.objects.get().name == "Winter"


def test_the_page_refuses_it_beside_its_field_and_keeps_what_was_typed(visitor, admin):
    response = visitor.post("/p/winter/life/copy/", {"name": "Be\u2028ta", "slug": "beta"})
    page = response.content.decode()
    assert "Be\u2028ta" in page
    assert "There is a line break (U+2028) after “Be”: write the text on one line." in page
    assert not Project.objects.filter(slug="beta").exists()


def test_the_commands_refuse_it_in_one_sentence(admin):
    with pytest.raises(CommandError, match=r"line break \(U\+000A\) after “Beta”"):
        call_command("create_project", "beta", "--name", BAD_NAME, stdout=StringIO())
    assert not Project.objects.filter(slug="beta").exists()


def test_a_design_file_is_held_to_it(admin, tmp_path):
    file = tmp_path / "categories.json"
    rows = [{"code": 0, "name": "no", "hateful": False}, {"code": 1, "name": "ha\u202ete", "hateful": True}]
    file.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(CommandError, match=r"cannot be seen \(U\+202E\) after “ha”"):
        call_command("create_project", "beta", "--categories", str(file), stdout=StringIO())


def test_an_import_names_the_row_and_its_column(admin, tmp_path):
    file = tmp_path / "posts.jsonl"
    file.write_text(json.dumps({"id": "a", "text": "A post.\nIts second \u200fline.", "licence": "CC\u2029BY"}) + "\n")
    with pytest.raises((CommandError, SystemExit)):
        call_command("import_items", "winter", str(file), stdout=(out := StringIO()), stderr=out)
    assert not Item.objects.exists()
    file.write_text(json.dumps({"id": "a", "text": "A post.\nIts second \u200fline.", "licence": " CC BY "}) + "\n")
    call_command("import_items", "winter", str(file), stdout=StringIO(), stderr=StringIO())
    item = Item.objects.get()
    assert (item.text, item.licence) == ("A post.\nIts second \u200fline.", "CC BY")


@pytest.mark.parametrize(
    "write",
    [
        lambda member: SavedSearch.objects.create(project=member.project, member=member, name="a\nb"),
        lambda member: SavedSearch.objects.bulk_create(
            [SavedSearch(project=member.project, member=member, name="a\nb")]
        ),
        lambda member: Membership.objects.filter(pk=member.pk).update(pseudonym="a\u202eb"),
    ],
    ids=["save", "bulk_create", "update"],
)
def test_no_other_way_leads_around_it(admin, write):
    with pytest.raises(NotOneLine):
        write(admin)


def test_names_are_stored_composed(admin):
    SavedSearch.objects.create(project=admin.project, member=admin, name="e\u0301")
    assert SavedSearch.objects.get().name == "\u00e9"


def test_an_input_of_one_line_takes_one_line_alone():
    class Form(forms.Form):
        line = LineField()
        note = WrittenField(widget=forms.TextInput())
        text = WrittenField()

    form = Form({"line": "a\u2028b", "note": "a\nb", "text": "a\nb\u200fc"})
    assert set(form.errors) == {"line", "note"}
    assert form.cleaned_data == {"text": "a\nb\u200fc"}


# ── Rows of before ────────────────────────────────────────────────────────────


def test_names_of_before_are_made_one_line_by_the_migration(admin):
    project = admin.project
    make_item(project, text="A\nB", batch="one", licence="CC BY")
    searches = SavedSearch.objects
    first, second = (searches.create(project=project, member=admin, name=name) for name in ("ab", "other"))
    batch = Batch.objects.create(project=project, name="one")
    plain = {"name": models.Value("Beta\n\nclosed")}
    Project.objects.update(**plain)
    Category.objects.filter(code=1).update(name=models.Value("Rac\u200bist"))
    SavedSearch.objects.filter(pk=second.pk).update(name=models.Value("a\u200eb"))
    Batch.objects.update(name=models.Value("one\u2028two"))
    Item.objects.update(batch=models.Value("one\u2028two"), licence=models.Value("\u202eCC BY"))
    Membership.objects.filter(pk=admin.pk).update(pseudonym=models.Value("\u200b"))
    import_module("annotation.migrations.0026_names_are_one_line").clean_names(apps, None)
    assert Project.objects.get().name == "Beta closed"
    assert Category.objects.get(code=1).name == "Racist"
    assert list(SavedSearch.objects.order_by("pk").values_list("name", flat=True)) == ["ab", f"ab ({second.pk})"]
    assert first.pk < second.pk
    batch.refresh_from_db()
    item = Item.objects.get()
    assert (batch.name, item.batch, item.licence, item.text) == ("one two", "one two", "CC BY", "A\nB")
    assert Membership.objects.get(pk=admin.pk).pseudonym == f"({admin.pk})"
