"""“No language model was used” stands only where none was; else the roles of the built-in baseline are named."""

from collections.abc import Mapping

import pytest
from django.template.loader import render_to_string

from annotation.models import Project
from builders import make_item, make_project
from markup import compact
from moderation.debates import presenters
from moderation.domain.evaluation.tables.render import remarks_of
from moderation.evaluation.arms import Arm
from moderation.evidence.edit import Investigation
from moderation.hatexscore.presenters import Card
from moderation.methods.built_in_baseline import answered_alone, answered_roles
from moderation.models import Score, ScoreState
from runs.control import start as run_start
from runs.domain.states import RunState
from runs.models import Run

BUILT_IN, MODEL = "keyword:cues-1", "openai:gpt"
NOBODY = "no language model was used"


@pytest.mark.parametrize(
    ("plan", "alone", "roles"),
    [
        ({"prosecutor": BUILT_IN, "judge": BUILT_IN}, True, ["prosecutor", "judge"]),
        ({"prosecutor": BUILT_IN, "judge": MODEL}, False, ["prosecutor"]),
        ({"prosecutor": MODEL, "judge": MODEL}, False, []),
        ({"investigator": BUILT_IN, "searcher": "searxng:web"}, True, ["investigator"]),
        ({"explainer": BUILT_IN, "reader": MODEL}, True, ["explainer"]),
        ({}, False, []),
    ],
)
def test_no_language_model_was_used_only_if_all_models_are_built_in(
    plan: Mapping[str, str], alone: bool, roles: list[str]
) -> None:
    assert (answered_alone(plan), answered_roles(plan)) == (alone, roles)
    assert Arm("a", "arcade", {}, plan, "v").used_no_language_model is alone


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def run_of(project: Project, plan: Mapping[str, str]) -> Run:
    request = run_start.RunRequest("arcade", project.public_id, make_item(project).public_id, plan)
    run = run_start.build_run(request)
    run.state, run.outcome = RunState.SUCCEEDED, {"hateful": True, "category": None, "reason": ""}
    run.save()
    return run


def verdict_of(run: Run) -> str:
    each = presenters.shown_run(run, [])
    return compact(render_to_string("moderation/_verdict.html", {"each": each, "run": run}))


@pytest.mark.django_db
def test_a_verdict_names_the_roles_that_the_baseline_answered_beside_a_model(project: Project) -> None:
    alone = run_of(project, {"prosecutor": BUILT_IN, "judge": BUILT_IN})
    assert NOBODY in verdict_of(alone) and Investigation(alone, [], [alone]).used_no_language_model
    mixed = run_of(project, {"prosecutor": MODEL, "defender": BUILT_IN, "judge": BUILT_IN})
    page = verdict_of(mixed)
    assert NOBODY not in page
    assert "The built-in keyword baseline answered for: defender, judge." in page
    assert not Investigation(mixed, [], [mixed]).used_no_language_model
    assert "built-in" not in verdict_of(run_of(project, {"prosecutor": MODEL, "judge": MODEL}))


@pytest.mark.parametrize(
    ("said_by", "estimated_by", "said"),
    [
        (BUILT_IN, BUILT_IN, NOBODY),
        ("", BUILT_IN, NOBODY),
        (MODEL, BUILT_IN, "The built-in keyword baseline estimated p."),
        (BUILT_IN, MODEL, "The built-in keyword baseline wrote the explanation."),
        (MODEL, MODEL, ""),
        ("", "", ""),
    ],
)
def test_a_score_says_what_the_baseline_did(said_by: str, estimated_by: str, said: str) -> None:
    card = Card(Score(said_by=said_by, estimated_by=estimated_by, state=ScoreState.WAITING, reading={}))
    page = compact(render_to_string("moderation/_built_in.html", {"of": card}))
    assert (said in page) if said else ("built-in" not in page.lower())
    assert (NOBODY in page) == (said == NOBODY)


def test_a_report_names_the_arms_in_which_no_language_model_was_used() -> None:
    arms = [{"name": "a", "no_language_model": True}, {"name": "b", "no_language_model": False}]
    (remark,) = remarks_of({"arms": arms})
    assert remark == "a: no language model was used; the built-in keyword baseline answered, by cues in the text alone."
    (remark,) = remarks_of({"arms": arms[:1]})
    assert remark.startswith("No language model was used: the built-in keyword baseline")
    assert remarks_of({"arms": arms[1:]}) == []


def test_a_report_counts_verdicts_that_their_own_reason_contradicts() -> None:
    (remark,) = remarks_of({"arms": [{"name": "b", "no_language_model": False, "contradicted": 2}]})
    assert remark == "b: verdicts whose own reason concludes the opposite: 2."
