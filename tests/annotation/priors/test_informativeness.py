"""An item's informativeness follows its priors: with an import, with a later file, with a model's answer."""

import json
from importlib import import_module
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps

from annotation.domain.choices import Modality, Stage
from annotation.domain.formats.base import Format
from annotation.imports.options import ImportOptions, Update
from annotation.imports.run import import_file
from annotation.models import Item, Prior, Project
from annotation.priors import requests
from annotation.priors.informativeness import update_informativeness
from builders import category, make_item, make_open_item, make_project
from providers.vendors.scripted import ScriptedModel
from runs.models import Run
from runs.queue import task_messages
from scripted_runs import perform

pytestmark = pytest.mark.django_db


def import_rows(project: Project, *rows: dict[str, Any], **options: Any) -> Any:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return import_file(project, BytesIO(content), ImportOptions(format=Format.INTERPLAY, **options))


def values(project: Project) -> dict[str, int]:
    return dict(Item.objects.filter(project=project).values_list("external_id", "informativeness"))


def test_an_import_stores_what_its_priors_disagree_about():
    project = make_project()
    report = import_rows(
        project,
        {"id": "alone", "text": "a", "text_label": "Racist"},
        {"id": "alike", "text": "b", "text_label": "Racist", "image_label": "Racist"},
        {"id": "kind", "text": "c", "text_label": "Racist", "image_label": "Sexist"},
        {"id": "hate", "text": "d", "text_label": "Racist", "image_label": "NotHate"},
    )
    assert list(report.errors) == []
    assert values(project) == {"alone": 0, "alike": 0, "kind": 1, "hate": 2}


def test_priors_that_a_later_file_brings_place_an_open_item_anew():
    project = make_project()
    make_open_item(project, external_id="one")
    rows = {"id": "one", "text_label": "Racist", "image_label": "NotHate"}
    report = import_rows(project, rows, update=Update.FILL)
    assert (list(report.errors), values(project)) == ([], {"one": 2})


def test_a_models_answer_that_differs_from_an_imported_prediction_places_the_item_anew(settings, monkeypatch):
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small"}
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)
    project = make_project()
    item = make_item(project, "Weeds again.", stage=Stage.READY)
    Prior.objects.create(item=item, modality="text", category=category(project, 0), hateful=False, current=False)
    requests.request_for_item(item)
    line = json.dumps({"explanation": "It speaks of weeds.", "category": 1, "severity": 2})
    perform(Run.objects.get(subject=item.public_id), ScriptedModel(line))
    assert values(project) == {item.external_id: 2}


def make_prior(item: Item, modality: Modality, code: int, *, run: bool, **fields: Any) -> None:
    said = category(item.project, code)
    run_id = uuid4() if run else None
    Prior.objects.create(item=item, modality=modality, category=said, hateful=said.hateful, run_id=run_id, **fields)


def test_of_each_modality_the_newest_of_a_model_and_the_newest_of_a_file_count():
    item = make_item(make_project())
    make_prior(item, Modality.TEXT, 0, run=True, current=False)  # an earlier answer of the model
    make_prior(item, Modality.TEXT, 1, run=True)
    make_prior(item, Modality.IMAGE, 1, run=False)
    update_informativeness(item)
    assert values(item.project) == {item.external_id: 0}
    make_prior(item, Modality.TEXT, 2, run=False, current=False)
    update_informativeness(item)
    assert values(item.project) == {item.external_id: 1}
    make_prior(item, Modality.TEXT, 0, run=False, current=False)
    update_informativeness(item)
    assert values(item.project) == {item.external_id: 2}


def test_the_migration_fills_items_that_are_here_already():
    project = make_project()
    for name, codes in (("alike", (1, 1)), ("kind", (1, 2)), ("hate", (0, 2)), ("alone", (3,))):
        item = make_item(project, external_id=name)
        for modality, code in zip((Modality.TEXT, Modality.IMAGE), codes, strict=False):
            make_prior(item, modality, code, run=True)
    make_item(project, external_id="bare")
    import_module("annotation.migrations.0011_hard_posts_first").fill(apps, None)
    assert values(project) == {"alike": 0, "kind": 1, "hate": 2, "alone": 0, "bare": 0}
