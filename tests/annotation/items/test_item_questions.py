"""The consensus on further questions on an item's page: what it says, and who may see it."""

import pytest
from django.urls import reverse

import builders
from annotation.domain.choices import Policy, Role
from annotation.domain.questions.question import QuestionKind
from annotation.models import Seat
from markup import compact
from question_builders import answered, make_all_questions, make_answered_item, make_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project(policy=Policy.REVIEW)


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


def page(client, project, item, *roles):
    client.force_login(builders.make_member(project, *roles).user)
    return compact(client.get(reverse("annotation:item", args=[project.slug, item.public_id])).content.decode())


def test_the_page_says_what_people_answered_together(project, trio, client):
    make_all_questions(project)
    first = answered(frame="women", targets=["women"], severity=5, why="So.", words=[[0, 6]])
    second = answered(frame="others", targets=["migrants"], severity=4, why=None, words=[[2, 6]])
    third = answered(frame=None, targets=["women", "others"], severity=None, why=None, words=None)
    item = make_answered_item(project, trio, [first, second, third], text="A post about a garden.")
    text = page(client, project, item, Role.ADMIN)
    part = text[text.index("<h2>Further questions</h2>") : text.index("<h2>The text on its own</h2>")]
    assert part.count("no consensus") == 1  # women and others are a tie
    assert "So." not in part and "why" not in part  # words of one's own stand with the votes alone
    assert '<bdi lang="en">women</bdi>' in part  # of several, two of three
    assert "4.5 / 5" in part and '<q dir="auto" lang="en">post</q>' in part and "overlap 0.67" in part


def test_the_last_round_counts_and_the_older_scale_keeps_its_points(project, trio, client):
    make_question(project, "severity", QuestionKind.SCALE, points=9)
    item = make_answered_item(project, trio, [answered(severity=9), answered(severity=8), answered(severity=9)])
    make_question(project, "severity", QuestionKind.SCALE, version=2, points=5)
    assert "9 / 9" in page(client, project, item, Role.ADMIN)
    item.round = 2
    item.save(update_fields=["round"])
    for number, annotator in enumerate([builders.make_member(project) for _ in range(3)], start=1):
        seat = Seat.objects.create(item=item, round=2, number=number, seats=3)
        builders.make_label(seat, annotator, 1, answers=answered(2, severity=1))
    text = page(client, project, item, Role.ADMIN)
    part = text[text.index("<h2>Further questions</h2>") : text.index("<h2>The text on its own</h2>")]
    assert "1 / 5" in part and "9 / 9" not in part


def test_nobody_who_still_labels_sees_it(project, trio, client):
    make_question(project, "severity", QuestionKind.SCALE)
    item = builders.make_open_item(project)
    for seat, annotator in zip(item.seat_rows.order_by("number")[:2], trio[:2], strict=True):
        builders.make_label(seat, annotator, 1, answers=answered(severity=5))
    assert "Further questions" not in page(client, project, item, Role.REVIEWER, Role.ANNOTATOR)
