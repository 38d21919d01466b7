"""Reasons that were given before, and what a reviewer decided today."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.models import Item, Membership, Project
from annotation.review.adjudicate import decide_item, exclude_item
from markup import compact
from moderation.desk.reasons import SHOWN, used_reasons
from moderation.desk.today import today, worked_minutes

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


@pytest.fixture
def heron(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Heron")


@pytest.fixture
def wren(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Wren")


def disputed(project: Project) -> Item:
    item = builders.make_labelled_item(project, [builders.make_member(project) for _ in range(3)], (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    return item


def decided(project: Project, reviewer: Membership, reason: str) -> Item:
    item = disputed(project)
    decide_item(item, reviewer, item.version, reason, builders.category(project, 1))
    item.refresh_from_db()
    return item


def texts(reviewer: Membership, item: Item, words: str = "") -> list[str]:
    return [each.text for each in used_reasons(reviewer, item, words)]


def test_ones_own_reasons_come_before_the_projects_each_once_and_newest_first(project, heron, wren):
    decided(project, heron, "It is satire.")
    decided(project, wren, "It quotes a song.")
    decided(project, wren, "it is  SATIRE.")
    decided(project, heron, "It names no group.")
    elsewhere = builders.make_project("orchard")
    decided(elsewhere, builders.make_member(elsewhere, Role.REVIEWER), "Another project.")
    item = disputed(project)
    assert texts(heron, item) == ["It names no group.", "It is satire.", "It quotes a song."]
    assert texts(wren, item) == ["it is  SATIRE.", "It quotes a song.", "It names no group."]
    assert texts(heron, item, "SONG quotes") == ["It quotes a song."] and texts(heron, item, "opera") == []
    assert [each.is_own for each in used_reasons(wren, item)] == [True, True, False]


def test_the_reason_of_the_post_itself_comes_first_and_those_of_posts_asked_about_again_never(project, heron, wren):
    item = decided(project, wren, "The first look.")
    decided(project, heron, "Mine.")
    open_again = decided(project, heron, "It is with annotators now.")
    Item.objects.filter(pk=open_again.pk).update(stage=Stage.LABELLING)
    assert texts(heron, item) == ["The first look.", "Mine."]
    for number in range(SHOWN + 3):
        decided(project, heron, f"Reason {number}.")
    assert len(texts(heron, item)) == SHOWN


def test_a_reason_is_found_and_taken_without_scripts_too(project, heron):
    decided(project, heron, "It is satire.")
    item = disputed(project)
    client = Client()
    client.force_login(heron.user)
    page = compact(
        client.get(reverse("moderation:desk-reasons", args=["garden", item.public_id]), {"q": "sat"}).content.decode()
    )
    (used,) = used_reasons(heron, item)
    address = reverse("moderation:desk-item", args=["garden", item.public_id])
    assert f'href="{address}?reason={used.decision.public_id}"' in page
    for reason, typed in ((used.decision.public_id, "It is satire."), ("nonsense", "")):
        page = client.get(address, {"reason": reason}).content.decode()
        assert f">{typed}</textarea>" in page


MORNING = datetime(2026, 11, 29, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("minutes", "worked"),
    [((), 0), ((0,), 0), ((0, 4), 4), ((0, 4, 14), 14), ((0, 4, 40, 45), 9), ((45, 0, 40, 4), 9)],
)
def test_minutes_are_those_between_decisions_without_long_breaks(minutes, worked):
    assert worked_minutes([MORNING + timedelta(minutes=each) for each in minutes], 15) == worked


def test_who_is_through_reads_how_much_that_was(project, heron):
    client = Client()
    client.force_login(heron.user)
    address = reverse("moderation:desk", args=["garden"])
    assert 'id="today"' not in client.get(address).content.decode()  # nothing was done
    decided(project, heron, "Satire.")
    decided(project, heron, "Satire again.")
    item = disputed(project)
    assert 'id="today"' not in client.get(address).content.decode()  # there is more
    exclude_item(item, heron, item.version, "Unreadable.")
    counted = today(heron)
    assert (counted.decided, [count for _name, count in counted.outcomes]) == (3, [2, 1])
    page = compact(client.get(address).content.decode())
    assert "You are through for today" in page and "3 posts decided in 0 minutes." in page
