"""Posts that are assigned to a reviewer or parked, and what the queue does with posts that wait for somebody else."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Reason, Role
from annotation.models import Event, Item, Membership, Project, Ruling
from annotation.review.adjudicate import NotAllowed
from concurrency import at_once
from moderation.desk import appeals, decide, leases, set_aside
from moderation.desk.decide import Decided, RulingRequest
from moderation.desk.leases import Leased
from moderation.desk.queue import QueueFilters, queue, ready
from moderation.desk.set_aside import BadSetAside, KeptForAnother, SetAsideWish
from moderation.desk.settings import set_rules
from moderation.models import SetAside
from runs.control import start
from runs.domain.states import RunState
from runs.sql.database_clock import database_now

pytestmark = pytest.mark.django_db

ANY = QueueFilters()


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


@pytest.fixture
def heron(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Heron")


@pytest.fixture
def wren(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Wren")


def disputed(project: Project, **fields) -> Item:
    item = builders.make_labelled_item(project, [builders.make_member(project) for _ in range(3)], (0, 1, 2), **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def for_(item: Item, code: int) -> RulingRequest:
    return RulingRequest(Ruling.DECIDE, item.version, "The roses.", uuid4(), builders.category(item.project, code))


def test_an_assigned_post_is_last_and_nobodys_next_but_its_reviewers(project, heron, wren):
    first, second = disputed(project), disputed(project)
    set_aside.set_aside(first, heron, SetAsideWish("You know this group.", reviewer=wren))
    assert [(item.pk, item.waits) for item in queue(heron, ANY)] == [(second.pk, False), (first.pk, True)]
    assert list(queue(wren, ANY)) == [first, second] and ready(wren, ANY).count() == 2
    assert leases.take_next(heron, ANY, beside=second) is None and leases.take(first, heron) is None
    assert leases.take_next(wren, ANY) == first
    assert isinstance(decide.settle(first, wren, for_(first, 1)), Decided)
    assert SetAside.objects.get().ended_at is not None


def test_a_parked_post_is_nobodys_until_its_day_or_until_somebody_takes_it(project, heron, wren):
    item = disputed(project)
    tomorrow = database_now() + timedelta(days=1)
    set_aside.set_aside(item, heron, SetAsideWish("The law office answers on Friday.", tomorrow))
    for member in (heron, wren):
        assert not ready(member, ANY).exists()
        with pytest.raises(KeptForAnother):
            decide.settle(item, member, for_(item, 1))
    SetAside.objects.update(until=database_now() - timedelta(days=1))
    assert ready(wren, ANY).get() == item
    SetAside.objects.update(until=tomorrow)
    assert set_aside.end(item, wren) and leases.take_next(wren, ANY) == item
    assert not set_aside.end(item, wren)  # twice is once
    with pytest.raises(Leased):
        set_aside.end(item, heron)
    verbs = Event.objects.filter(item=item, actor__in=(heron, wren)).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["parked", "set_aside_ended"]


def test_what_is_set_aside_is_found_by_filters(project, heron, wren):
    mine, others, parked, free = (disputed(project) for _ in range(4))
    set_aside.set_aside(mine, wren, SetAsideWish(reviewer=heron))
    set_aside.set_aside(others, heron, SetAsideWish(reviewer=wren))
    set_aside.set_aside(parked, heron, SetAsideWish("Ask the lead."))
    found = {who: list(queue(heron, QueueFilters(who=who))) for who in ("to_me", "assigned", "parked", "free")}
    assert found == {"to_me": [mine], "assigned": [mine, others], "parked": [parked], "free": [mine, free]}


@pytest.mark.parametrize(
    ("note", "days", "to", "code"),
    [
        (" ", None, None, "note_missing"),
        ("Later.", -1, None, "past_day"),
        ("", None, Role.ANNOTATOR, "may_not_decide"),
        ("", None, "labelled", "may_not_decide"),
    ],
)
def test_what_cannot_be_set_aside_is_refused(project, heron, note, days, to, code):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    people = [both, builders.make_member(project), builders.make_member(project)]
    item = builders.make_labelled_item(project, people, (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    until = database_now() + timedelta(days=days) if days else None
    reviewer = {None: None, "labelled": both}.get(to, people[1])
    with pytest.raises(BadSetAside) as refused:
        set_aside.set_aside(item, heron, SetAsideWish(note, until, reviewer))
    assert refused.value.code == code and not SetAside.objects.exists()


def test_setting_aside_is_for_who_may_read_the_desk_and_only_while_disputed(project, heron, wren):
    item = disputed(project)
    with pytest.raises(NotAllowed):
        set_aside.set_aside(item, builders.make_member(project), SetAsideWish("Later."))
    decide.settle(item, heron, for_(item, 1))
    item.refresh_from_db()
    with pytest.raises(BadSetAside):
        set_aside.set_aside(item, heron, SetAsideWish("Later."))


def test_an_appeal_begins_without_what_was_set_aside_before(project, heron, wren):
    item = disputed(project)
    SetAside.objects.create(item=item, round=item.round, note="Ask the lead.", by=heron)
    builders.make_member(project, Role.ADMIN)
    set_aside.end(item, heron)
    decide.settle(item, heron, for_(item, 1))
    SetAside.objects.create(item=item, round=item.round, note="A leftover.", by=heron)
    item.refresh_from_db()
    appeals.appeal(item, heron, "It is satire.")
    assert ready(wren, ANY).get() == item


def test_posts_that_wait_for_a_second_vote_a_method_or_another_reviewer_stand_last(project, heron, wren):
    set_rules(builders.make_member(project, Role.ADMIN), 15, [Reason.NO_MAJORITY], appeals=True)
    proposed, at_work, leased, mine = (disputed(project) for _ in range(4))
    decide.settle(proposed, heron, for_(proposed, 1))
    run = start.build_run(start.RunRequest("arcade", project.public_id, at_work.public_id, {"judge": "keyword:cues-1"}))
    run.save()
    leases.take(leased, wren)
    assert [item.pk for item in queue(heron, ANY)] == [mine.pk, proposed.pk, at_work.pk, leased.pk]
    assert ready(heron, ANY).count() == 1
    run.state, run.finished_at = RunState.SUCCEEDED, timezone.now()
    run.save()
    assert [item.pk for item in ready(heron, ANY)] == [at_work.pk, mine.pk]


@pytest.mark.django_db(transaction=True)
def test_of_many_who_set_a_post_aside_or_decide_it_at_once_one_does():
    project = builders.make_project()
    item = disputed(project)
    reviewers = [builders.make_member(project, Role.REVIEWER) for _ in range(6)]

    def act(number: int) -> str:
        try:
            if number % 2:
                set_aside.set_aside(item, reviewers[number], SetAsideWish("Mine to park."))
            else:
                set_aside.set_aside(item, reviewers[number], SetAsideWish(reviewer=reviewers[number]))
        except KeptForAnother:
            return "kept"
        return "done"

    assert sorted(at_once([lambda number=number: act(number) for number in range(6)])) == ["done"] + ["kept"] * 5
    row = SetAside.objects.get(ended_at__isnull=True)
    others = [member for member in reviewers if member != row.reviewer]

    def take(number: int) -> str:
        try:
            set_aside.end(item, others[number])
        except Leased:
            return "leased"
        return "taken"

    assert sorted(at_once([lambda number=number: take(number) for number in range(4)])) == ["leased"] * 3 + ["taken"]
