"""The desk by the disagreement inside debates: the filter, the order, what a line shows, and what that costs."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_labelled_item, make_member, make_project
from moderation.domain.disagreement import court_disagreement, panel_disagreement
from runs.control import start
from runs.domain.states import RunState
from runs.models import Run

pytestmark = pytest.mark.django_db

DISPUTES = "/api/v1/projects/garden/disputes/"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def reviewer(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER)


@pytest.fixture
def client(reviewer: Membership) -> Client:
    client = Client()
    client.force_login(reviewer.user)
    return client


def disputed(project: Project, name: str) -> Item:
    item = make_labelled_item(project, [make_member(project) for _ in range(3)], [0, 1, 2], external_id=name, text=name)
    close_item(item)
    return item


def debated(item: Item, hateful: int, other: int, *, method: str = "predict", state: str = RunState.SUCCEEDED) -> None:
    """Add a finished debate with so many perspectives on each side."""
    variant = str(Run.objects.count())
    run = start.build_run(start.RunRequest(method, item.project.public_id, item.public_id, {}, variant=variant))
    figures = court_disagreement(()) if method == "arcade" else panel_disagreement(hateful, other, 0, 2)
    run.state, run.outcome, run.finished_at = state, {"hateful": True} | figures, now()
    run.save()


@pytest.fixture
def posts(project: Project) -> list[str]:
    """Five posts: one without a run, one with another method's run, and three whose debates differ."""
    names = ["nothing", "court", "quiet", "loud", "middle"]
    items = {name: disputed(project, name) for name in names}
    debated(items["court"], 0, 0, method="arcade")
    debated(items["quiet"], 3, 2)
    debated(items["quiet"], 5, 0)  # the newest counts
    debated(items["loud"], 3, 2)  # 0.97 bits
    debated(items["loud"], 1, 0)  # one vote: without such a figure
    debated(items["loud"], 5, 0, state=RunState.UNREADABLE)
    debated(items["middle"], 2, 1)  # 0.918 bits, shown as 0.92
    return names


def listed(client: Client, **query: str) -> list[float | None]:
    return [row["vote_entropy"] for row in client.get(DISPUTES, query).json()["results"]]


def test_the_order_by_disagreement_puts_posts_without_a_debate_last(client: Client, posts: list[str]) -> None:
    assert listed(client) == [None, None, 0.0, pytest.approx(0.970951), pytest.approx(0.918296)]
    assert listed(client, order="disagreement") == [
        pytest.approx(0.970951),
        pytest.approx(0.918296),
        0.0,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("least", "names"),
    [
        ("0", ["quiet", "loud", "middle"]),
        ("0.92", ["loud", "middle"]),  # as the page shows it
        (".93", ["loud"]),
        ("0.97", ["loud"]),
        ("1", []),
    ],
)
def test_the_filter_finds_what_is_shown_as_that_much(
    client: Client, posts: list[str], least: str, names: list[str]
) -> None:
    page = client.get(reverse("moderation:desk", args=["garden"]), {"disagreement": least}).content.decode()
    assert [name for name in posts if f">{name}<" in page] == names
    assert f'value="{least}"' in page
    assert len(listed(client, disagreement=least)) == len(names)


def test_a_line_shows_the_disagreement_of_its_newest_debate(client: Client, posts: list[str]) -> None:
    page = client.get(reverse("moderation:desk", args=["garden"])).content.decode()
    assert [bits in page for bits in ("disagreement 0.97", "disagreement 0.92", "disagreement 0.00")] == [True] * 3
    assert page.count("disagreement 0.") == 3


@pytest.mark.parametrize("odd", ["two", "1.5", "-1", "nan", "1e-3", "٠.٥", "0." + "1" * 60])
def test_an_odd_value_filters_nothing_on_the_page_and_is_refused_by_the_api(
    client: Client, posts: list[str], odd: str
) -> None:
    assert "nothing" in client.get(reverse("moderation:desk", args=["garden"]), {"disagreement": odd}).content.decode()
    answer: Any = client.get(DISPUTES, {"disagreement": odd})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_filter")


def test_filter_and_order_ask_the_database_no_more_often(
    client: Client, project: Project, posts: list[str], django_assert_num_queries: Any
) -> None:
    address = reverse("moderation:desk", args=["garden"])
    client.get(address)
    with django_assert_num_queries(13):
        client.get(address)
    for number in range(10):
        debated(disputed(project, f"more-{number}"), 3, 2)
    with django_assert_num_queries(13):
        client.get(address, {"disagreement": "0.5", "order": "disagreement"})
