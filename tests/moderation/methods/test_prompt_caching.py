"""What a provider can reuse of the requests that it has read: equal beginnings, read from the requests themselves."""

from collections import defaultdict
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Project
from builders import make_item, make_picture, make_project
from wire.server import Heard, WireServer
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

ROLES = ("gatekeeper", "prosecutor", "defender", "judge", "baseline", "explainer")
DEBATE = ("perspective", "debater", "debate_judge", "describer")


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with models_at_a_server(settings, (*ROLES, *DEBATE)) as server:
        yield server


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    for number, text in enumerate(("Weeds in the white roses again.", "The roses bloom."), 1):
        make_item(project, text, external_id=f"post-{number}", picture=make_picture(project))
    return project


def run(*arguments: str) -> None:
    call_command("run", *arguments, "--json", "--wait", "--threads", "1", stdout=StringIO())


def parts(heard: Heard) -> list[str]:
    """All that a request says, in the order in which a model reads it."""
    contents = [message["content"] for message in heard.messages]
    return [str(part) for content in contents for part in ([content] if isinstance(content, str) else content)]


def by_model(heard: list[Heard]) -> dict[str, list[Heard]]:
    asked = defaultdict(list)
    for each in heard:
        asked[each.model].append(each)
    return asked


def test_later_rounds_of_a_debate_share_instructions_post_and_picture(wire: WireServer, project: Project) -> None:
    run("arcade", "garden", "--items", "post-1", "--track", "deep", "--rounds", "3")
    asked = by_model(wire.heard)
    for side in ("prosecutor", "defender"):
        _first, second, third = asked[side]
        (system, post, picture, rest), (*same, other) = parts(second), parts(third)
        assert [system, post, picture] == same
        assert "Weeds in the white roses" in post and "image_url" in picture
        assert "round 2" in rest and "round 3" in other


@pytest.mark.parametrize(
    "method",
    [("arcade", "--track", "deep", "--rounds", "2"), ("baseline",), ("explain",), ("predict",)],
)
def test_the_posts_of_a_batch_share_all_instructions_but_their_last_line(
    wire: WireServer, project: Project, method: tuple[str, ...]
) -> None:
    run(method[0], "garden", *method[1:])
    half = len(wire.heard) // 2
    first, second = by_model(wire.heard[:half]), by_model(wire.heard[half:])
    assert first.keys() == second.keys()
    for model in first:
        one, other = ({heard.said("system") for heard in asked[model]} for asked in (first, second))
        assert one.isdisjoint(other)  # each names the code of its own marks
        assert {text.rpartition("\n")[0] for text in one} == {text.rpartition("\n")[0] for text in other}


def test_repeats_of_a_question_are_asked_in_the_same_words(wire: WireServer, project: Project) -> None:
    run("baseline", "garden", "--items", "post-1", "--repeats", "2")
    first, second = wire.heard
    assert parts(first) == parts(second)
