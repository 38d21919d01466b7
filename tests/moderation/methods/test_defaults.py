"""What nobody chose is the same on every face: page, command, API and evaluation take the declared default."""

import json
from collections.abc import Mapping
from io import StringIO
from typing import Annotated, Any, Literal

import pytest
from django import forms
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Project
from builders import make_labelled_item, make_member, make_project
from moderation.debates import start
from moderation.debates.forms import StartForm
from moderation.domain.baseline import Variant
from moderation.domain.prompt_options import PromptOptions
from moderation.domain.task import Task
from moderation.evaluation.arms import answers_only_binary, arms_of
from moderation.evaluation.forms import EvaluationForm
from moderation.methods import local_documents
from moderation.methods.debate_method import DebateMethod
from moderation.methods.option_fields import option_form
from moderation.methods.registry import METHODS
from runs.models import Run
from vocabulary.requests import Asked, places

pytestmark = pytest.mark.django_db

EVERY_METHOD = pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
OPTIONS = [
    pytest.param(method, place, id=f"{method.name}-{place.name}")
    for method in METHODS.values()
    for place in places(method.options)
    if place.asked
]
PROJECTS = pytest.mark.parametrize(
    "settings_of_project", [{}, {"glossary_for_models": True, "prompt_set": "paper", "hate_definition": "Unkind."}]
)


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}


@pytest.fixture
def project(settings_of_project: Mapping[str, Any]) -> Project:
    project = make_project("garden", **settings_of_project)
    item = make_labelled_item(project, [make_member(project) for _ in range(3)], [1, 2, 0], external_id="post-1")
    close_item(item)
    local_documents.add_document(project, "weeds.txt", b"Weeds are plants.", make_member(project, Role.ADMIN))
    return project


def untouched(form: forms.Form) -> dict[str, Any]:
    """Return what a browser sends of a form that nobody touched: of a choice without a value its first."""
    sent: dict[str, Any] = {}
    for bound in form:
        value = bound.value()
        if isinstance(bound.field, forms.ChoiceField) and not isinstance(bound.field, forms.MultipleChoiceField):
            value = next(iter(bound.field.choices))[0] if value in (None, "") else value
        if value not in (None, False):
            sent[bound.html_name] = "on" if value is True else value
    return sent


@EVERY_METHOD
@PROJECTS
def test_page_command_and_api_ask_the_same_question_where_nobody_chose(project: Project, method: DebateMethod) -> None:
    client = Client()
    client.force_login(make_member(project, Role.REVIEWER).user)
    call_command("run", method.name, "garden", "--json", stdout=StringIO(), stderr=StringIO())
    run = Run.objects.get()
    sent = {**untouched(StartForm(project=project)), "method": method.name}
    page = client.post(reverse("moderation:item-start", args=["garden", run.subject]), sent)
    assert (page.status_code, Run.objects.count()) == (302, 1), "the page asks another question than the command"
    body = {"method": method.name, "items": ["post-1"]}
    api = client.post("/api/v1/projects/garden/runs/", json.dumps(body), content_type="application/json")
    assert api.json()["answered_before"] == [str(run.public_id)]


@pytest.mark.parametrize(("method", "place"), OPTIONS)
def test_an_option_has_its_declared_default_on_the_page(method: DebateMethod, place: Any) -> None:
    field: forms.Field = method.form.base_fields[place.name]
    unit = place.asked.unit
    assert (field.initial * unit if unit > 1 else field.initial) == place.default
    words = place.asked.words
    assert not words or place.default in words
    assert method.checked_options({})[place.field] == place.default


class _Loaf(PromptOptions):
    """Options whose defaults are none of the first words."""

    slices: Annotated[Literal[1, 2, 4], Asked("Slices", words={1: "one", 2: "two", 4: "four"})] = 2
    crust: Annotated[Variant, Asked("Crust", words=dict.fromkeys(Variant, "crust"))] = Variant.AGENT


def test_a_choice_stands_at_its_declared_default_wherever_that_stands_in_the_list() -> None:
    form = option_form("LoafForm", _Loaf, {}, {})
    filled = form(untouched(form(project=Project())), project=Project())
    assert filled.is_valid() and form.options(filled.cleaned_data) == {"slices": 2, "crust": "agent"}


@EVERY_METHOD
@PROJECTS
def test_an_evaluation_asks_what_a_run_asks_where_nobody_chose(project: Project, method: DebateMethod) -> None:
    form = EvaluationForm({**untouched(EvaluationForm()), "methods": [method.name]})
    assert form.is_valid(), form.errors
    grid = form.wish().grid
    task = Task.BINARY if answers_only_binary(method.name, grid.options) else Task.SIX
    (arm,) = arms_of(project, grid, task)
    wish = start.DebateRequest(method.name)
    plan = start.model_plan_of(project, wish)
    assert (arm.options, arm.plan) == (start.options_for(project, wish), plan)
