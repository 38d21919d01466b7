"""My hours count training and the reading of guidelines too."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from annotation.domain.choices import Stage
from annotation.models import KnownAnswer, Membership, Project, WorkDay
from annotation.training import attempts
from annotation.training.attempts import TrainingReply
from builders import category, make_item, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def wren() -> Membership:
    return make_member(make_project("garden", training_required=True))


def a_minute_later() -> None:
    WorkDay.objects.update(last_act_at=F("last_act_at") - timedelta(minutes=1))


def minutes(member: Membership) -> int:
    return sum(WorkDay.objects.filter(member=member).values_list("active_seconds", flat=True)) // 60


def test_training_counts(wren: Membership) -> None:
    item = make_item(wren.project, stage=Stage.KNOWN)
    KnownAnswer.objects.create(item=item, category=category(wren.project, 1), training=True)
    attempts.begin_attempt(wren)
    a_minute_later()
    attempts.store_training_answer(wren, item.public_id, TrainingReply(category(wren.project, 1)))
    assert minutes(wren) == 1 and WorkDay.objects.get(member=wren).labels == 0


def test_reading_counts_and_nothing_in_a_closed_project(wren: Membership) -> None:
    client = Client()
    assert wren.user is not None
    client.force_login(wren.user)
    for _ in range(2):
        assert client.get("/p/garden/guidelines/").status_code == 200
        a_minute_later()
    assert minutes(wren) == 1
    Project.objects.update(archived_at="2026-01-01T00:00:00Z")
    client.get("/p/garden/guidelines/")
    assert minutes(wren) == 1
