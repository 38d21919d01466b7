"""An object of another project in a query, a form or a body is what a made-up one is (threat T1).

The fields are in `tests/support/named_objects.py`. Each is sent three times and undone: with an object of the own
project, which is accepted, with one of the other project, and with one that does not exist. The last two give the same
answer, byte for byte; nothing of the other project comes out, nothing in it changes, and no row points there.
"""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django import forms
from django.conf import settings
from django.db import transaction
from django.urls import get_resolver
from rest_framework import serializers

from api_calls import CALLS
from named_objects import NAMED, NO_OBJECTS, TRIED, WORDS, Named
from site_addresses import API
from two_projects import FOREIGN, UUIDS, Answer, Both, both, by_page, changes, crossing, module_both, rows_of
from vocabulary.registration import complete

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["both", "module_both"]


@pytest.fixture(autouse=True)
def _models(settings: Any) -> None:
    """Name models for every role; nothing is asked of them."""
    settings.OPENAI_API_KEY, settings.MODEL_ALLOWED = "sk-test", ["openai:*", "keyword:*"]
    roles = ("TEXT", "VISION", "SAMPLE_WRITER", "PARAPHRASER")
    settings.MODEL_BINDINGS = {f"MODEL_{role}": "openai:nobody" for role in roles}


FORM = "application/x-www-form-urlencoded"


def send(named: Named, both: Both, value: Any) -> tuple[Answer, list[str]]:
    """Send the request, and undo it. Return the answer without the value, and what points to the other project."""
    address, fields = both.address(named.route, "here"), named.sent(both.here, value)
    query = urlencode({named.query: value} if named.query else fields if named.method == "get" else {}, doseq=True)
    is_json = named.route.startswith(API)
    body = "" if named.method == "get" else json.dumps(fields) if is_json else urlencode(fields, doseq=True)
    visitor = by_page(FOREIGN[named.role], both)
    with transaction.atomic():
        sent = visitor.ask(
            named.method, f"{address}?{query}" if query else address, body, "application/json" if is_json else FORM
        )
        pointing = crossing(both) if sent.status < 400 and not named.is_key else []
        transaction.set_rollback(True)
    return sent.without(value), pointing


@pytest.mark.parametrize("named", NAMED, ids=str)
def test_an_object_of_another_project_is_a_made_up_one(named: Named, both: Both):
    own, foreign = named.value(both.here), named.value(both.elsewhere)
    before, made_up = rows_of(both.elsewhere.project), of_nothing(foreign)
    assert own != foreign
    accepted, _pointing = send(named, both, made_up if named.is_key else own)
    assert accepted.status < 400, accepted.status
    refused, pointing = send(named, both, foreign)
    gone, _pointing = send(named, both, made_up)
    assert refused == gone
    assert pointing == []
    assert both.leaks(refused, "") == []
    assert changes(before, rows_of(both.elsewhere.project)) == []


def of_nothing(value: Any) -> Any:
    """Return a value of the same form that names nothing."""
    if isinstance(value, int):
        return 987654
    return str(uuid4()) if UUIDS.fullmatch(value) else "nothing-of-this-name"


def test_a_body_that_is_accepted_here_opens_nothing_elsewhere(both: Both):
    """Each call of the API that succeeds is sent to the object of the other project: there, and inside the own one."""
    visitors = {role: by_page(FOREIGN[role], both) for role in FOREIGN}
    before, faults = rows_of(both.elsewhere.project), []
    for (method, name), call in CALLS.items():
        if "slug" not in both.parts["here"][name]:
            continue
        nothing = visitors[call.role].ask("get", "/api/v1/projects/no-such-project/")
        with transaction.atomic():
            body = json.dumps(call.body(both.here), default=str)
            for address in (both.address(name, "elsewhere"), *(foreign for _part, foreign, _none in both.mixed(name))):
                answer = visitors[call.role].ask(method, address, "" if method == "get" else body)
                faults += [(method, address, answer.status)] * (answer != nothing)
            faults += changes(before, rows_of(both.elsewhere.project)) if method != "get" else []
            transaction.set_rollback(True)
    assert faults == []


# ── Every field ───────────────────────────────────────────────────────────────

OURS = ("annotation", "config", "generation", "moderation")


def test_every_field_that_may_name_an_object_is_tried():
    """Such a field takes a UUID, a row, or a choice that is computed for each project."""
    get_resolver().url_patterns  # noqa: B018  the views load the forms
    complete()
    fields = {*form_fields(), *body_fields()}
    missing, gone = fields - TRIED - NO_OBJECTS, (TRIED | NO_OBJECTS) - fields
    assert not missing, (
        f"{sorted(missing)}: if it names an object of a project, add a row with the field to "
        "tests/support/named_objects.py, and the field to TRIED; if not, add it to NO_OBJECTS"
    )
    assert not gone, f"{sorted(gone)}: no form has these fields; remove them from tests/support/named_objects.py"
    sent = {re.split(r"[.-]", named.field)[-1] for named in NAMED}
    assert {field.partition(".")[2] for field in TRIED} <= sent


_READ = re.compile(r'(?:\.GET|\.POST|query_params)(?:\.get|\.getlist)?[(\[]"(\w+)"')


def test_every_name_that_a_view_reads_from_a_request_is_tried_or_a_word():
    texts = (path.read_text() for app in OURS for path in (settings.BASE_DIR / app).rglob("*.py"))
    read = {name for text in texts for name in _READ.findall(text)}
    missing = read - {named.field for named in NAMED} - WORDS
    assert not missing, (
        f"{sorted(missing)}: if it names an object of a project, add a row with it to tests/support/named_objects.py; "
        "if not, add it to WORDS"
    )
    assert read >= WORDS, f"{sorted(WORDS - read)}: no view reads these; remove them from WORDS"


def form_fields() -> Iterator[str]:
    """Return the fields of forms whose values may be ids or are chosen from the rows of a project."""
    for form in all_below(forms.BaseForm):
        for name, field in form.base_fields.items():
            is_open = isinstance(field, forms.ChoiceField) and not list(field.choices)
            if is_open or isinstance(field, (forms.UUIDField, forms.ModelChoiceField)):
                yield f"{form.__name__}.{name}"


def body_fields() -> Iterator[str]:
    """Return the fields of bodies of the API whose values are ids."""
    for shape in all_below(serializers.Serializer):
        for name, field in shape._declared_fields.items():
            if isinstance(getattr(field, "child", field), serializers.UUIDField) and not field.read_only:
                yield f"{shape.__name__}.{name}"


def all_below(parent: Any) -> Iterator[Any]:
    """Return the site's own classes below one."""
    for child in parent.__subclasses__():
        if child.__module__.partition(".")[0] in OURS:
            yield child
        yield from all_below(child)
