"""Repeats of a question: what is compared, which run of a repeat counts, and how rows are told apart."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.models import Item, Project
from builders import make_item, make_member, make_project
from markup import compact
from moderation.debates import repeat_agreement
from moderation.methods.registry import METHODS
from runs.control import start as run_start
from runs.domain.states import RunState
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project, stage=Stage.DISPUTED)


@pytest.fixture
def reviewer(project: Project) -> Client:
    member = make_member(project, Role.REVIEWER)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def codes(project: Project) -> list[int]:
    """The codes of two hateful categories."""
    return [category.code for category in project.categories.filter(hateful=True)[:2]]


def ended(
    project: Project,
    subject: UUID,
    repeat: int,
    outcome: Mapping[str, Any] | None,
    state: RunState = RunState.SUCCEEDED,
    variant: str = "v",
    plan: Mapping[str, str] | None = None,
    **options: Any,
) -> Run:
    request = run_start.RunRequest(
        "arcade",
        project.public_id,
        subject,
        plan or {"judge": "openai:x"},
        variant,
        repeat,
        METHODS["arcade"].checked_options(options),
    )
    run = run_start.build_run(request)
    run.state, run.outcome = state, outcome
    run.save()
    return run


def verdict(category: int | None, hateful: bool = True) -> dict[str, Any]:
    return {"hateful": hateful, "category": category, "reason": ""}


def page_of(client: Client, name: str, *args: Any) -> str:
    return compact(client.get(reverse(f"moderation:{name}", args=["garden", *args])).content.decode())


def test_repeats_about_categories_are_held_to_each_other_by_category(
    project: Project, item: Item, reviewer: Client
) -> None:
    first, second = project.categories.filter(hateful=True)[:2]
    run = ended(project, item.public_id, 0, verdict(first.code))
    ended(project, item.public_id, 1, verdict(second.code))
    page = page_of(reviewer, "run", run.public_id)
    assert "All verdicts are the same" not in page
    assert f"<bdi>{first.name}</bdi></a>," in page and f"<bdi>{second.name}</bdi></a>." in page
    assert "The categories differ. 2 of 2 come to hateful." in page


def test_repeats_with_the_same_category_are_the_same(project: Project, item: Item, reviewer: Client) -> None:
    code, _other = codes(project)
    run = ended(project, item.public_id, 0, verdict(code))
    ended(project, item.public_id, 1, verdict(code))
    assert "All verdicts are the same." in page_of(reviewer, "run", run.public_id)


def test_kappa_over_a_project_is_that_of_categories_and_says_so(project: Project, reviewer: Client) -> None:
    # Three posts, two repeats: (a, a), (b, b), (a, b). Observed 2/3; 3 a and 3 b: chance 1/2; kappa 1/3.
    # All are hateful: by that alone they would be the same, and kappa not defined.
    a, b = codes(project)
    for row in ((a, a), (b, b), (a, b)):
        post = make_item(project)
        for repeat, code in enumerate(row):
            ended(project, post.public_id, repeat, verdict(code))
    (question,) = repeat_agreement.repeats_in_project(project)
    assert (question.names_categories, question.unanimous) == (True, 2)
    assert question.kappa == pytest.approx(1 / 3)
    assert re.search(r"<td>\s*category\s*</td>", page_of(reviewer, "repeats"))


def test_a_perspective_may_be_called_like_a_method_of_a_dict(project: Project, item: Item, reviewer: Client) -> None:
    stance = {"perspective": "own", "name": "items", "stance": "hate"}
    for repeat in range(2):
        ended(project, item.public_id, repeat, verdict(None) | {"stances": [stance]})
    assert re.search(r">\s*items\s*<", page_of(reviewer, "repeats"))


@pytest.mark.parametrize("state", [RunState.CANCELLED, RunState.FAILED, RunState.UNREADABLE, RunState.QUEUED])
def test_a_newer_run_without_an_answer_does_not_take_the_place_of_an_answer(
    project: Project, item: Item, state: RunState
) -> None:
    code, _other = codes(project)
    first = ended(project, item.public_id, 0, verdict(code))
    second = ended(project, item.public_id, 1, verdict(code))
    ended(project, item.public_id, 1, None, state)
    repeats = repeat_agreement.repeats_on_post(first)
    assert repeats is not None
    assert (list(repeats.runs), repeats.verdicts) == ([first, second], [code, code])
    (question,) = repeat_agreement.repeats_in_project(project)
    assert (question.posts, question.unanimous) == (1, 1)


def test_a_newer_answer_takes_the_place_of_an_older_one(project: Project, item: Item) -> None:
    code, other = codes(project)
    first = ended(project, item.public_id, 0, verdict(code))
    ended(project, item.public_id, 1, verdict(code))
    ended(project, item.public_id, 1, verdict(other))
    repeats = repeat_agreement.repeats_on_post(first)
    assert repeats is not None and repeats.verdicts == [code, other]


@pytest.mark.parametrize(
    ("sides", "unanimous"),
    [((None, None), 0), ((True, None), 0), ((True, True, None), 1), ((True, False, None), 0), ((False, False), 1)],
)
def test_two_missing_verdicts_are_not_unanimity_on_any_page(
    project: Project, item: Item, reviewer: Client, sides: tuple[bool | None, ...], unanimous: int
) -> None:
    for repeat, side in enumerate(sides):
        run = ended(project, item.public_id, repeat, {"hateful": side, "category": None, "reason": ""})
    (question,) = repeat_agreement.repeats_in_project(project)
    repeats = repeat_agreement.repeats_on_post(run)
    assert repeats is not None and (question.unanimous, repeats.is_unanimous) == (unanimous, bool(unanimous))
    assert ("All verdicts are the same." in page_of(reviewer, "run", run.public_id)) == bool(unanimous)


def test_more_questions_take_no_more_queries(project: Project, item: Item, django_assert_num_queries: Any) -> None:
    code, other = codes(project)
    for number in range(5):
        for repeat in range(2):
            ended(project, item.public_id, repeat, verdict(code), variant=f"v{number}", rounds=1 + number % 4)
        ended(project, item.public_id, 1, verdict(other), variant=f"w{number}")  # a lone repeat compares nothing
        with django_assert_num_queries(2):
            questions = repeat_agreement.repeats_in_project(project)
        assert [(row.posts, row.repeats, row.unanimous) for row in questions] == [(1, 2, 1)] * (number + 1)


def test_questions_of_two_methods_with_the_same_options_stay_apart(project: Project, item: Item) -> None:
    code, other = codes(project)
    for repeat in range(2):
        ended(project, item.public_id, repeat, verdict(code))
    single = ended(project, item.public_id, 0, verdict(other))
    Run.objects.filter(pk=single.pk).update(method="predict")
    (question,) = repeat_agreement.repeats_in_project(project)
    assert (question.method, question.unanimous) == ("arcade", 1)


def test_questions_of_one_method_and_model_are_told_apart_by_their_options(
    project: Project, item: Item, reviewer: Client
) -> None:
    code, _other = codes(project)
    for repeat in range(2):
        ended(project, item.public_id, repeat, verdict(code), variant="a", rounds=2)
        ended(project, item.public_id, repeat, verdict(None), variant="b", rounds=4, task="binary", glossary=True)
    first, second = repeat_agreement.repeats_in_project(project)
    assert first.differences == [("Rounds", "2"), ("Question", "which category"), ("With the glossary", "no")]
    assert second.differences == [("Rounds", "4"), ("Question", "hateful or not"), ("With the glossary", "yes")]
    page = page_of(reviewer, "repeats")
    assert "Rounds: <bdi>2</bdi>" in page and "Question: <bdi>hateful or not</bdi>" in page


def test_questions_are_told_apart_by_the_model_of_a_role_and_by_prompts_too(project: Project, item: Item) -> None:
    for repeat in range(2):
        ended(project, item.public_id, repeat, verdict(None), variant="a", plan={"judge": "x:1", "prosecutor": "x:2"})
        plan = {"judge": "x:2", "prosecutor": "x:1"}
        ended(project, item.public_id, repeat, verdict(None), variant="b", plan=plan, prompts="paper")
    first, second = repeat_agreement.repeats_in_project(project)
    assert ("Judge", "x:1") in first.differences and ("Judge", "x:2") in second.differences
    assert any(name == "Prompts" and words for name, words in second.differences)


def test_one_question_needs_no_difference(project: Project, item: Item) -> None:
    for repeat in range(2):
        ended(project, item.public_id, repeat, verdict(None))
    (question,) = repeat_agreement.repeats_in_project(project)
    assert question.differences == []
