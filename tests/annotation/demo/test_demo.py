"""The sample campaign: everything that a dashboard can show occurs, and running it again changes nothing."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from annotation.analytics.dashboard import read_dashboard
from annotation.demo.campaign import CAMPAIGN, posts, street_talk
from annotation.domain.choices import Level, Reason
from annotation.items.search import PATTERNS
from annotation.models import (
    Batch,
    Dispute,
    GlossaryUse,
    Item,
    KnownAnswer,
    Label,
    Membership,
    Project,
    Publication,
    Release,
    WorkDay,
)
from annotation.operations.audit import audit
from generation.models import Candidate, Exemplar, Explanations, Reply
from moderation.demo.load import HAND_WRITTEN
from moderation.models import Evaluation, EvaluationState, Score
from runs.domain.states import ASIDE, RunState
from runs.models import Run, Turn

ANNOTATORS = CAMPAIGN.annotators
SAMPLES = [post for post in posts() if post.known_category is None]

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.once]


def demo() -> dict[str, object]:
    out = StringIO()
    call_command("demo", "--json", stdout=out)
    found: dict[str, object] = json.loads(out.getvalue())
    return found


@pytest.fixture(scope="module", autouse=True)
def pictures(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The sample projects, made once for all tests here, each of which sees them as they were made; their folder."""
    folder = tmp_path_factory.mktemp("sample")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=folder / "media", DEMO_LOGINS=folder / "logins.json"):
            demo()
        yield folder / "media"
        transaction.set_rollback(True)


def test_the_demo_shows_every_pattern_level_and_reason_and_its_logins_open_the_site():
    shown = demo()
    assert shown["items"] == 2 * len(SAMPLES) + len(street_talk()) >= 200
    items = Item.objects.filter(project__slug="neighbourhood")
    assert set(items.exclude(pattern=None).values_list("pattern", flat=True)) == set(PATTERNS)
    assert set(items.exclude(level=None).values_list("level", flat=True)) == set(Level)
    disputed = Dispute.objects.filter(item__project__slug="neighbourhood").values_list("reason", flat=True)
    assert set(disputed) >= {
        Reason.NOT_SURE,
        Reason.LOW_QUALITY,
        Reason.NO_MAJORITY,
        Reason.KIND_UNDECIDED,
        Reason.MISALIGNED,
        Reason.PRIOR_CHALLENGED,
    }
    left_out = Item.objects.filter(stage="excluded").values_list("excluded_for", flat=True)
    assert set(left_out) >= {
        Reason.LOW_QUALITY,
        Reason.NO_MAJORITY,
        Reason.MISALIGNED,
        Reason.REPORTED,
        Reason.WITHDRAWN,
    }
    assert items.filter(stage="labelling").count() >= 8
    assert Release.objects.count() == 2
    for login in shown["logins"]:
        assert Client().login(username=login["username"], password=login["password"])
    assert settings.DEMO_LOGINS.stat().st_mode & 0o077 == 0


def test_the_demo_runs_again_without_making_anything_twice():
    first, again = demo(), demo()
    assert first == again
    assert Membership.objects.count() == 2 * 6


def test_the_demo_has_hours_to_show():
    demo()
    days = WorkDay.objects.filter(member__project__slug="neighbourhood")
    assert set(days.values_list("member__imported_name", flat=True)) == set(ANNOTATORS)
    labels = Label.objects.filter(item__project__slug="neighbourhood", annotator__user__isnull=False).count()
    assert sum(day.labels for day in days) == labels
    assert all(60 * day.labels < day.active_seconds < 120 * day.labels for day in days)


def test_the_demo_has_posts_to_train_on_and_checks_that_count_nowhere_else(pictures, settings):
    settings.MEDIA_ROOT = pictures
    known = KnownAnswer.objects.filter(item__project__slug="neighbourhood", item__stage="known")
    assert (known.filter(training=True).count(), known.filter(training=False).count()) == (5, 3)
    assert all(each.explanation for each in known.filter(training=True))
    project = Project.objects.get(slug="neighbourhood")
    assert not project.training_required  # the logins label at once
    assert read_dashboard(project).counts.items == len(SAMPLES) + len(street_talk())
    assert audit(project) == []


def test_the_demo_has_batches_of_every_kind_and_enough_for_somebody_new():
    demo()
    rows = Batch.objects.filter(project__slug="neighbourhood").exclude(name="")
    assert set(rows.values_list("name", "state", "pilot", "limited")) == {
        ("pilot", "closed", True, False),
        ("main", "open", False, False),
        ("second wave", "paused", False, False),
        ("close readers", "open", False, True),
        ("street talk, English", "open", False, False),
        ("street talk, Korean", "open", False, False),
        ("street talk, Chinese", "open", False, False),
    }
    assert rows.get(limited=True).members.count() == len(ANNOTATORS)
    assert Item.objects.open().filter(project__slug="neighbourhood", queue=0).count() >= 100
    first = Item.objects.open().filter(project__slug="neighbourhood", priority=1)
    assert set(first.values_list("batch", flat=True)) == {"street talk, English"}


def test_the_demo_has_debates_written_by_hand_a_score_and_a_term_that_one_of_them_cites():
    demo()
    project = Project.objects.get(slug="neighbourhood")
    runs = Run.objects.filter(project=project.public_id, state=RunState.SUCCEEDED).exclude(method__startswith="counter")
    runs = runs.exclude(variant__startswith=ASIDE)
    assert sorted(runs.values_list("method", "state", "reason", "tokens")) == [
        ("arcade", "succeeded", "", 0),
        ("arcade", "succeeded", "", 0),
        ("explain", "succeeded", "", 0),
        ("predict", "succeeded", "", 0),
        ("score", "succeeded", "", 0),
    ]
    said = set(Turn.objects.filter(run__in=runs).exclude(model="").values_list("model", flat=True))
    assert said == {HAND_WRITTEN, "keyword:cues-1"}
    ways = {run.outcome["way"]: run.outcome["category"] for run in runs.filter(method="arcade") if run.outcome}
    assert ways == {"deep": 1, "fast": 0}
    debate = runs.get(method="predict").outcome
    assert debate is not None and (debate["majority"], debate["hateful"]) == ("hate", True)
    assert Score.objects.get(project=project).score == 1.0
    use = GlossaryUse.objects.get(entry__isnull=False)
    assert use.entry.term == "weeds" and "(G1)" in runs.get(public_id=use.run).outcome["reason"]


def test_the_demo_has_a_slow_debate_to_watch_an_evaluation_with_its_table_and_a_public_release(client):
    demo()
    project = Project.objects.get(slug="neighbourhood")
    waiting = Run.objects.get(project=project.public_id, state=RunState.QUEUED)
    assert waiting.method == "arcade" and set(waiting.model_plan.values()) == {"keyword:slow-sample"}
    evaluation = Evaluation.objects.get(project=project)
    assert evaluation.state == EvaluationState.DONE and evaluation.report
    assert {arm["method"] for arm in evaluation.arms} == {"baseline", "arcade"} and evaluation.cases.count() == 16
    publication = Publication.objects.get(release__project=project)
    assert client.get(reverse("annotation:public-release", args=[publication.key])).status_code == 200


def test_the_demo_has_counterspeech_written_by_hand_one_reply_signed_one_waiting_one_returned():
    demo()
    project = Project.objects.get(slug="neighbourhood")
    replies = Reply.objects.filter(exchange__project=project).select_related("exchange__item", "author", "approver")
    assert {(row.exchange.name, row.state, row.intent) for row in replies} == {
        ("nb-012", "approved", "positive"),
        ("nb-009", "submitted", "denouncing"),
        ("nb-010", "returned", "questioning"),
    }
    signed = replies.get(state="approved")
    assert signed.approver is not None and signed.approver != signed.author and signed.flags == []
    assert signed.candidate is not None and signed.text != signed.candidate.text
    assert Exemplar.objects.get(project=project).reply == signed
    candidates = Candidate.objects.filter(exchange__project=project)
    assert set(candidates.values_list("model", flat=True)) == {HAND_WRITTEN}
    assert [row.flags for row in candidates if row.flags] == [["calls_names", "toxic"]]
    assert Explanations.objects.filter(exchange__project=project, missing={}).count() == 3
