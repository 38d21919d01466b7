"""A whole campaign in one go: thirty people, fourteen hundred posts in three batches, and everything that people do.

They opt out, reach caps, skip, wander off, prefetch, change their minds, take breaks; two of them withdraw. Days pass
by moving the rows back in time (`tests/support/time_travel.py`). What must hold is looked at as it happens and at the
end.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db.models import Count, Q
from django.utils import timezone

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import BreakDue, DoneForToday, HeldSeat, NothingLeft, QuotaReached, Stored
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.batches import open_items, state
from annotation.consensus.close import close_full_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Modality, PriorArm, Stage
from annotation.domain.wellbeing.breaks import BREAK, SESSION_GAP, Limit
from annotation.labelling import submit
from annotation.members import participation
from annotation.models import Batch, Item, Label, Membership, OptOut, Prior, Seat, WorkDay
from annotation.operations.audit import audit
from annotation.training.control_items import KnownAnswerKey, mark_control_item
from time_travel import let_pass

PEOPLE, PILOT, WIDE, TEAM, KNOWN = 30, 150, 950, 300, 30
TICK = timedelta(seconds=40)
TICKS_A_DAY, DAYS = 100, 60  # some twenty are needed; how many depends on the hour at which the test begins
SEVERE_FROM, IN_ROW, A_SESSION, A_DAY, MINUTES, QUOTA = 2, 3, 25, 35, 50, 600
GROUPS = ("", "", "", "runners", "Cyclists", "GARDENERS")

# Not one long transaction: on PostgreSQL every change of a row would stay to be passed over.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]


@dataclass
class Person:
    """Somebody at work, and what the test saw of them."""

    member: Membership
    severe_cap: int
    away: int = 0  # ticks until they come back
    gone: bool = False
    # By the campaign's clock, which waiting moves on: when by the site's own word, item, severe.
    shown: list[tuple[datetime, int, bool]] = field(default_factory=list)
    acts: list[datetime] = field(default_factory=list)  # when each began, so that no pause looks longer to the site


class Campaign:
    def __init__(self) -> None:
        self.dice = random.Random(3)
        self.passed = timedelta()
        self.met: Counter[str] = Counter()
        self.project = builders.make_project(
            "campaign",
            severe_from=SEVERE_FROM,
            severe_in_row=IN_ROW,
            severe_a_session=A_SESSION,
            severe_a_day=A_DAY,
            minutes_a_day=MINUTES,
            break_after_minutes=20,
            withheld_percent=20,
            check_percent=4,
            quota=QUOTA,
        )
        self.categories = list(self.project.categories.order_by("code"))
        self.people = [self.hire(number) for number in range(PEOPLE)]
        self.team = self.people[:9]
        self.fill()

    def hire(self, number: int) -> Person:
        own = 12 if number % 7 == 0 else None
        member = builders.make_member(self.project, severe_a_day=own)
        wish = {
            0: {"category": self.categories[1]},
            1: {"target_group": "GardenerS"},
            2: {"severity": 3},
            3: {"category": self.categories[4]},
        }.get(number % 10)
        if wish:
            OptOut.objects.create(member=member, **wish)
        if number == 12:
            OptOut.objects.create(member=member, target_group="runners")
        return Person(member, min(A_DAY, own or A_DAY))

    def fill(self) -> None:
        """Items of all kinds in their batches, some with priors, some known; the pilot comes first."""
        for batch, count in (("pilot", PILOT), ("wide", WIDE), ("team", TEAM)):
            Item.objects.bulk_create(self.item(batch, number) for number in range(count))
        Prior.objects.bulk_create(
            Prior(item=item, modality=Modality.TEXT, category=self.dice.choice(self.categories), model="openai:m")
            for item in Item.objects.filter(project=self.project)
            if item.pk % 4 == 0
        )
        for number in range(KNOWN):
            item = builders.make_item(self.project, severity=number % 4)
            mark_control_item(item, None, KnownAnswerKey(self.categories[number % 6]))
        state.ensure_batches(self.project, ["pilot", "wide", "team"])
        team = Batch.objects.get(project=self.project, name="team")
        state.limit_batch(team, None, [person.member for person in self.team])
        state.set_pilot(Batch.objects.get(project=self.project, name="pilot"), None, pilot=True)
        state.set_priority(team, None, 2)
        for batch in ("pilot", "wide", "team"):
            open_items.open_items(self.project, None, batch)

    def item(self, batch: str, number: int) -> Item:
        return Item(
            project=self.project,
            external_id=f"{batch}-{number}",
            text="A post.",
            batch=batch,
            stage=Stage.READY,
            severity=self.dice.choice((None, None, 0, 0, 1, 1, 1, 2, 3)),
            target_group=self.dice.choice(GROUPS),
            intended=self.dice.choice((None, *self.categories)),
        )

    # ── What people do ────────────────────────────────────────────────────────

    @property
    def now(self) -> datetime:
        return timezone.now() + self.passed

    def wait(self, time: timedelta) -> None:
        let_pass(self.project, time)
        self.passed += time

    def day(self) -> None:
        for tick in range(TICKS_A_DAY):
            at_work = [person for person in self.people if not person.gone and person.away <= 0]
            for person in self.dice.sample(at_work, len(at_work)):
                self.act(person)
            for person in self.people:
                person.away -= 1
            if tick % 10 == 0:
                free_lapsed_seats()
                close_full_items()
                self.close_the_pilot()
                if self.is_over():
                    break
            self.wait(TICK)
        for person in self.people:
            person.away = 0
        self.wait(timedelta(days=1))

    def act(self, person: Person) -> None:
        if self.dice.random() < 0.15:
            claim.claim(person.member, ahead=True)
        outcome = claim.claim(person.member)
        self.met[type(outcome).__name__] += 1
        match outcome:
            case HeldSeat(seat, offers_break=offers):
                self.met["break offered"] += offers
                self.meet(person, seat)
            case NothingLeft():
                person.away = 20
            case BreakDue():
                person.away = BREAK // TICK + 1
            case DoneForToday(Limit.SEVERE_SESSION):
                person.away = SESSION_GAP // TICK + 1
            case DoneForToday():
                person.away = TICKS_A_DAY
            case QuotaReached():
                person.gone = True
            case other:
                raise AssertionError(other)

    def meet(self, person: Person, seat: Seat) -> None:
        item = seat.item
        assert seat.shown_at is not None
        # What is held moves back as the clock moves on: together they tell one showing from the next.
        at = seat.shown_at + self.passed
        if (at, item.pk) not in {(when, key) for when, key, _ in person.shown[-1:]}:
            person.shown.append((at, item.pk, item.severity is not None and item.severity >= SEVERE_FROM))
            person.acts.append(at)
        assert seat.prior_arm in (PriorArm.SHOWN, PriorArm.WITHHELD)
        fate, began = self.dice.random(), self.now
        if fate < 0.04:
            submit.skip_seat(person.member, seat.public_id)
        elif fate < 0.07:  # they wander off; the post is somebody else's perhaps
            Seat.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
            person.away = self.dice.choice((3, 20, 50))
            return
        else:
            stored = submit.submit_label(person.member, seat.public_id, uuid4(), Answer(category=self.opinion(item)))
            assert isinstance(stored, Stored), stored
            if fate < 0.09:
                submit.correct_label(person.member, stored.label.public_id, uuid4(), Answer(category=0))
        person.acts.append(began)

    def opinion(self, item: Item) -> int:
        return item.pk % 6 if self.dice.random() < 0.8 else self.dice.randrange(6)

    def close_the_pilot(self) -> None:
        pilot = Batch.objects.get(project=self.project, name="pilot")
        in_labelling = Item.objects.filter(project=self.project, stage=Stage.LABELLING)
        if pilot.pilot and pilot.state == "open" and not in_labelling.filter(batch="pilot").exists():
            begun = Seat.objects.filter(item__project=self.project, annotator__isnull=False)
            assert not begun.filter(item__batch__in=("wide", "team")).exists(), "somebody was ahead of the pilot"
            state.close_batch(pilot, None)
            self.met["pilot closed"] += 1

    def withdraw(self, number: int) -> None:
        person = self.people[number]
        participation.withdraw(person.member)
        person.gone = True

    def is_over(self) -> bool:
        return not Item.objects.filter(project=self.project, stage=Stage.LABELLING).exists()


@pytest.fixture
def campaign() -> Campaign:
    campaign = Campaign()
    for day in range(DAYS):
        campaign.day()
        if day == 1:
            campaign.withdraw(11)
        if day == 2:
            campaign.withdraw(4)  # of the team
        if campaign.is_over():
            break
    return campaign


def test_a_campaign_keeps_every_promise_it_makes(campaign):
    everything_is_labelled_by_k_different_people(campaign)
    the_team_was_alone_with_its_batch(campaign)
    nobody_met_what_they_opted_out_of(campaign)
    no_cap_was_exceeded(campaign)
    no_run_of_severe_posts_was_longer_than_three(campaign)
    the_days_tell_what_happened(campaign)
    checks_were_mixed_in_and_count_for_nothing(campaign)
    for what in ("pilot closed", "break offered", "DoneForToday", "NothingLeft"):
        assert campaign.met[what], f"the campaign never met: {what}"
    assert audit(campaign.project) == []


def everything_is_labelled_by_k_different_people(campaign: Campaign) -> None:
    items = Item.objects.filter(project=campaign.project).exclude(stage=Stage.KNOWN)
    assert items.count() == PILOT + WIDE + TEAM and not items.filter(stage=Stage.LABELLING).exists()
    labelled = items.annotate(
        given=Count("seat_rows", filter=Q(seat_rows__label__isnull=False)),
        people=Count("seat_rows__annotator", distinct=True, filter=Q(seat_rows__label__isnull=False)),
    )
    assert not labelled.exclude(given=3, people=3).exists()


def the_team_was_alone_with_its_batch(campaign: Campaign) -> None:
    labels = Label.objects.filter(item__project=campaign.project, item__batch="team")
    assert set(labels.values_list("annotator", flat=True)) <= {person.member.pk for person in campaign.team}


def nobody_met_what_they_opted_out_of(campaign: Campaign) -> None:
    """By the test's own reading of the rows, over everything that was ever shown to the person."""
    items = {item.pk: item for item in Item.objects.filter(project=campaign.project)}
    said: dict[int, set[int]] = {}
    for prior in Prior.objects.filter(item__project=campaign.project):
        said.setdefault(prior.item_id, set()).add(prior.category_id or 0)
    looked = 0
    for person in campaign.people:
        for wish in OptOut.objects.filter(member=person.member):
            for _, key, _ in person.shown:
                item, looked = items[key], looked + 1
                assert wish.category_id is None or wish.category_id not in {item.intended_id, *said.get(key, ())}
                assert not wish.target_group or item.target_group.lower() != wish.target_group.lower()
                assert wish.severity is None or (item.severity or 0) < wish.severity
    assert looked > 1000


def no_cap_was_exceeded(campaign: Campaign) -> None:
    for person in campaign.people:
        days = WorkDay.objects.filter(member=person.member)
        assert all(day.severe <= person.severe_cap for day in days)
        # What is in front when the time is up may be finished: one act more.
        assert all(day.active_seconds <= MINUTES * 60 + 120 for day in days)
        assert Label.objects.filter(annotator=person.member, revision=1).count() <= QUOTA
        in_session, last = 0, None
        for at, severe in moments(person):
            in_session = 0 if last is None or at - last >= SESSION_GAP else in_session
            in_session, last = in_session + severe, at
            assert in_session <= A_SESSION


def no_run_of_severe_posts_was_longer_than_three(campaign: Campaign) -> None:
    longest: list[tuple[datetime, datetime | None, int]] = []
    for person in campaign.people:
        run: list[tuple[datetime, datetime | None, int]] = []
        last = None
        acts = iter(sorted(person.acts))
        before = next(acts, None)
        for at, key, severe in person.shown:
            # A pause between any two acts is a break: also one before a post is answered that was shown before it.
            while before is not None and before < at:
                run = [] if last is not None and before - last >= BREAK else run
                last, before = before, next(acts, None)
            if last is not None and at - last >= BREAK:
                run = []
            run = [*run, (at, last, key)] if severe else []
            longest = max(longest, run, key=len)
    assert len(longest) == IN_ROW, longest  # each with the last act before it, and the item's key


def moments(person: Person) -> Iterator[tuple[datetime, bool]]:
    """Every act of the person in order, and whether a severe item came in front of them then."""
    severe = {at: hard for at, _, hard in person.shown}
    for at in sorted(set(person.acts)):
        yield at, severe.get(at, False)


def the_days_tell_what_happened(campaign: Campaign) -> None:
    for person in campaign.people:
        days = list(WorkDay.objects.filter(member=person.member))
        assert sum(day.shown for day in days) == len(person.shown)
        assert sum(day.severe for day in days) == sum(severe for _, _, severe in person.shown)
        given = Label.objects.filter(annotator=person.member, revision=1).count()
        assert sum(day.labels for day in days) == given


def checks_were_mixed_in_and_count_for_nothing(campaign: Campaign) -> None:
    known = Item.objects.filter(project=campaign.project, stage=Stage.KNOWN)
    assert known.count() == KNOWN and Label.objects.filter(item__in=known).count() > 100
    assert not known.exclude(closed_at=None, category=None).exists()
    twice = Label.objects.filter(item__in=known, revision=1).values("item", "annotator").annotate(n=Count("pk"))
    assert not twice.filter(n__gt=1).exists()
    withheld = Label.objects.filter(item__project=campaign.project, revision=1, prior_arm=PriorArm.WITHHELD).count()
    assert 0.17 < withheld / Label.objects.filter(item__project=campaign.project, revision=1).count() < 0.23
