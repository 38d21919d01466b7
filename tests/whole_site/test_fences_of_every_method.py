"""Whatever somebody else wrote stands inside of a fence in each question to a model: all methods of the site (T8, PI8).

A method or a role that is registered and has no case here fails the test. What web pages say is marked in
`tests/moderation/methods/test_antihateagent_fencing.py`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from antihateagent_web import SENSIBLE
from fences import outside_of_fences
from generation.counterspeech import request as desk
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.writers import WriterMode
from marked_project import CLAIM, DRAFT, EXPLAINED, GROUP, PASTED, POST, MarkedProject, make_marked_project
from marking_model import SAID, WRONG, MarkingModel, said_to
from moderation.debates.start import checked_options
from providers.messages import Request
from providers.roles import ModelRole
from runs.control.start import RunRequest, build_run
from runs.execution import runner
from runs.methods import method as methods
from vocabulary.registration import complete

pytestmark = pytest.mark.django_db(transaction=True)

MARK = re.compile(r"qz\d\d")
PLAN = dict.fromkeys(map(str, ModelRole), "scripted:marks") | {"searcher": "local:documents"}
KNOWN = {"glossary": True}
LOCAL = KNOWN | {"engine": "local"}
SETS = ("careful", "paper", "plain")
Asked = list[tuple[str, UUID, Mapping[str, Any]]]


def priors(marked: MarkedProject) -> Asked:
    return [(modality, marked.item.public_id, {}) for modality in ("text", "image")]


def debate(method: str, *choices: Mapping[str, Any]) -> Callable[[MarkedProject], Asked]:
    def wanted(marked: MarkedProject) -> Asked:
        marked.add_perspective_examples()
        marked.add_document()
        asked = [checked_options(method, {"prompts": name, **more}) for name in SETS for more in choices]
        return [("", marked.item.public_id, options) for options in asked]

    return wanted


def candidates(marked: MarkedProject) -> Asked:
    shown = {
        str(intent): [row.pk for row, _near in desk.exemplars_for(marked.exchange, intent, 3)] for intent in Intent
    }
    chosen = {"intents": ["informative", "positive"], "exemplars": shown, "version": 1, "platform": "x"}
    return [
        ("", marked.exchange.public_id, chosen | {"registers": ["empathy"], "tone": "warm"}),
        ("", marked.pasted.public_id, {"intents": ["positive"]}),
    ]


def scores(marked: MarkedProject) -> Asked:
    texts = {"text": EXPLAINED, "masked": f"{EXPLAINED} ___", "estimator": "model"}
    return [("", marked.item.public_id, texts), ("", marked.item.public_id, {"read": EXPLAINED})]


def samples(marked: MarkedProject) -> Asked:
    return [("", marked.sample(strategy).public_id, {}) for strategy in ("paraphrase", "contextual_inversion")]


@dataclass(frozen=True)
class Case:
    """A method: the runs that are asked for, the roles that answer in them, and the marks that they are told of."""

    wanted: Callable[[MarkedProject], Asked]
    roles: str
    told: str = ""


CASES: Mapping[str, Case] = {
    "prior": Case(priors, "prior_text prior_image", "qz01"),
    "order_reading": Case(lambda marked: [("", marked.item.public_id, {})], "reader", "qz01"),
    "picture_text": Case(lambda marked: [("", marked.item.public_id, {})], "picture_reader"),
    "pool_prior": Case(lambda marked: [("image", marked.pool_picture.public_id, {})], "prior_image"),
    "baseline": Case(debate("baseline", {}, {"variant": "agent"}, {"variant": "comment"}), "baseline reader", "qz01"),
    "explain": Case(debate("explain", {}), "explainer reader", f"qz01 {SAID}"),
    "arcade": Case(
        debate("arcade", KNOWN, KNOWN | {"track": "deep"}),
        "gatekeeper prosecutor defender judge reader",
        f"qz01 qz11 qz12 {SAID} {WRONG}",
    ),
    "predict": Case(
        debate("predict", KNOWN, KNOWN | {"history": "transcripts"}),
        "perspective debater debate_judge describer reader",
        f"qz01 qz07 qz11 qz28 {SAID} {WRONG}",
    ),
    "antihateagent": Case(
        debate("antihateagent", LOCAL, LOCAL | {"claim": CLAIM}),
        "investigator describer",
        f"qz01 qz07 qz11 qz27 qz37 qz38 {SAID}",
    ),
    "score": Case(scores, "estimator reader", "qz26"),
    "counter_explain": Case(
        lambda marked: [("", row.public_id, {}) for row in (marked.exchange, marked.pasted)],
        "counter_explainer describer",
        f"qz01 qz07 qz11 qz25 {SAID}",
    ),
    "counterspeech": Case(
        candidates,
        "counterspeaker critic toxicity describer reader",
        f"qz01 qz07 qz11 qz21 qz25 qz29 qz30 qz40 {SAID}",
    ),
    "counterscore": Case(
        lambda marked: [("", marked.exchange.public_id, {"text": DRAFT})],
        "critic toxicity reader",
        "qz01 qz07 qz11 qz23",
    ),
    "translation": Case(
        lambda marked: [("", marked.exchange.public_id, {"text": text, "language": "ko"}) for text in (POST, DRAFT)],
        "translator",
        "qz01 qz23",
    ),
    "injection": Case(samples, "describer sample_writer paraphraser", f"qz32 qz36 {SAID} {WRONG}"),
}
CLOSED_SETS = {"qz32"}
"""What stands in the form of an answer too: a group that admins named is one of a closed set."""


def answered(request: Request) -> Any:
    """Return an answer where a form filled by its schema will not do."""
    if (kind := request.context.get("ask")) in SENSIBLE:
        answer = SENSIBLE[kind](request)
        judged = {"weigh": "judgment", "verdict": "verdict"}.get(kind)
        if request.context.get("claimed") and judged:
            answer["action_input"][judged] = "OPEN"
        return answer
    if request.role == ModelRole.DESCRIBER and "target_group" in json.dumps(request.schema):
        return {"description": f"{SAID} a street", "category": 1, "target_group": GROUP}
    if request.role in (ModelRole.SAMPLE_WRITER, ModelRole.PARAPHRASER):
        labels = {"text_label": 1, "final_label": 0, "target_group": GROUP, "people": []}
        return {"text": f"{SAID} <insult> on the letterbox", **labels}
    return f"Hate speech: {SAID} weeds." if request.role == ModelRole.BASELINE and not request.schema else None


def performed(marked: MarkedProject, method: str, asked: Asked) -> Iterator[MarkingModel]:
    """Yield the model of each run, with what it was told."""
    for variant, subject, options in asked:
        model = MarkingModel(answered)
        wish = RunRequest(method, marked.project.public_id, subject, PLAN, variant=variant, options=options)
        run = build_run(wish)
        run.save()
        runner.claim_and_perform(run.pk, lambda role, name, model=model: model)
        run.refresh_from_db()
        assert run.state == "succeeded", (method, variant, options, run.reason, run.detail)
        yield model


def test_each_method_of_the_site_has_a_case_and_each_role_is_asked_in_one() -> None:
    complete()
    assert set(CASES) == {name for name, path in methods._paths.items() if not path.startswith("bench.")}
    assert {role for case in CASES.values() for role in case.roles.split()} == set(ModelRole)


@pytest.mark.parametrize("method", CASES)
def test_what_others_wrote_stands_inside_of_fences_alone(method: str) -> None:
    marked, case = make_marked_project(), CASES[method]
    asked = [request for model in performed(marked, method, case.wanted(marked)) for request in model.asked]
    told = {mark for request in asked for mark in MARK.findall(said_to(request))}
    assert {str(request.role) for request in asked} == set(case.roles.split())
    assert set(case.told.split()) <= told
    for request in asked:
        assert MARK.findall(outside_of_fences(said_to(request))) == [], said_to(request)
        assert set(MARK.findall(json.dumps(request.schema))) <= CLOSED_SETS


def test_a_plain_writer_is_told_the_post_alone_and_bare_as_in_training() -> None:
    marked = make_marked_project()
    options = {"intents": ["positive"], "candidates": 1, "mode": WriterMode.PLAIN}
    asked = [("", row.public_id, options) for row in (marked.exchange, marked.pasted)]
    models = list(performed(marked, "counterspeech", asked))
    written = [
        said_to(request) for model in models for request in model.asked if request.role == ModelRole.COUNTERSPEAKER
    ]
    assert [set(MARK.findall(said)) for said in written] == [{"qz01"}, {"qz25"}]
    assert [post in said for post, said in zip((POST, PASTED), written, strict=True)] == [True, True]
