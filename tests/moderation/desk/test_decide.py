"""The desk's verbs: leases, decisions, the second look, appeals, statements, figures (T22, B104-B107, B115, B116)."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

import builders
from annotation.analytics.agreement.labels import read_agreement
from annotation.consensus.close import close_item, dispute_item
from annotation.consensus.exclude import withdraw_item
from annotation.domain.choices import EventVerb, Modality, Reason, Role, Source, Stage
from annotation.domain.patterns import Prior as Value
from annotation.models import Adjudication, Event, Item, Label, Membership, Prior, Project, Ruling, record
from annotation.operations.audit import audit
from annotation.releases.build import release
from annotation.review.adjudicate import (
    BadRuling,
    NotAllowed,
    OwnItem,
    RulingKeyReused,
    StaleVersion,
    reopen_closed_item,
)
from annotation.review.expert_replacement import look_at_votes
from concurrency import at_once
from moderation.desk import (
    appeals,
    blind_opinions,
    bulk_accept,
    decide,
    leases,
    reviewer_statistics,
    similar_cases,
    statements,
    triage,
)
from moderation.desk.appeals import DecidedBefore, NotAppealable
from moderation.desk.decide import AlreadyProposed, Decided, NeedsAppeal, ProposalAnswered, Proposed, RulingRequest
from moderation.desk.leases import Leased
from moderation.desk.queue import QueueFilters, queue
from moderation.desk.settings import set_rules
from moderation.domain.triage import HitRate, Side
from moderation.models import Appeal, AppealOutcome, Lease, Proposal, Score, Statement
from runs.control import start
from runs.domain.states import RunState

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


@pytest.fixture
def owl(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Owl")


@pytest.fixture
def admin(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN)


def closed(project: Project, *codes: int | None, **fields) -> Item:
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def tell_of_labels(item: Item) -> None:
    """Record the events of labels that a test made without the site's own verbs."""
    told = Event.objects.filter(item=item, verb=EventVerb.LABELLED).values("row")
    for label in Label.objects.filter(item=item).exclude(public_id__in=told):
        record(EventVerb.LABELLED, project=item.project, item=item, actor=label.annotator, row=label.public_id)


def for_(item: Item, code: int, **more) -> RulingRequest:
    category = builders.category(item.project, code)
    return RulingRequest(Ruling.DECIDE, more.pop("version", item.version), "The roses.", uuid4(), category, **more)


def to(item: Item, ruling: Ruling, **more) -> RulingRequest:
    return RulingRequest(ruling, item.version, "The roses.", uuid4(), **more)


def ran(item: Item, method: str = "arcade", **outcome):
    """A run about the item that succeeded with this verdict."""
    run = start.build_run(
        start.RunRequest(method, item.project.public_id, item.public_id, {"judge": "keyword:cues-1"}, repeat=ran.count)
    )
    ran.count += 1
    run.state, run.outcome, run.finished_at = RunState.SUCCEEDED, outcome, timezone.now()
    run.save()
    return run


ran.count = 0


# ── Leases and the queue ──────────────────────────────────────────────────────


def test_two_reviewers_never_have_the_same_post(project, heron, wren):
    first, second = closed(project, 0, 1, 2), closed(project, 0, 1, 2)
    assert leases.take_next(heron, ANY) == first
    assert leases.take_next(wren, ANY) == second
    assert leases.take_next(heron, ANY) == first  # their own again
    assert leases.take_next(wren, ANY, beside=second) is None
    with pytest.raises(Leased) as refused:
        leases.take(first, wren)
    assert refused.value.lease.reviewer == heron
    with pytest.raises(Leased):
        decide.settle(first, wren, for_(first, 1))
    assert Adjudication.objects.count() == 0


def test_a_lease_lapses_is_renewed_and_given_back_with_the_next(project, heron, wren):
    first, second = closed(project, 0, 1, 2), closed(project, 0, 1, 2)
    lease = leases.take(first, heron)
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert leases.take(first, wren).reviewer == wren
    with pytest.raises(Leased):
        leases.take(first, heron)
    assert leases.take(first, wren).expires_at > lease.expires_at
    leases.take(second, wren)
    assert leases.take(first, heron).reviewer == heron


def test_a_lapsed_lease_that_nobody_took_still_lets_its_reviewer_decide(project, heron):
    item = closed(project, 0, 1, 2)
    leases.take(item, heron)
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert isinstance(decide.settle(item, heron, for_(item, 1)), Decided)
    assert not Lease.objects.exists()


def test_the_queue_has_appeals_first_then_priority_then_age(project, heron):
    old, urgent = closed(project, 0, 1, 2), closed(project, 0, 1, 2, priority=5)
    gold = closed(project, 1, 1, 1)
    appeals.appeal(gold, heron, "It is satire.")
    assert list(queue(heron, ANY)) == [gold, urgent, old]
    assert list(queue(heron, QueueFilters(order="age"))) == [old, urgent, gold]


def test_the_queue_is_narrowed_by_what_was_asked(project, heron, wren):
    plain = closed(project, 0, 1, 2, batch="a")
    kinds = closed(project, 1, 2, 3, batch="b")
    ran(kinds, category=1, hateful=True)
    Item.objects.filter(pk=kinds.pk).update(difficulty="hard")
    assert list(queue(heron, QueueFilters(reason="no_majority"))) == [plain]
    assert list(queue(heron, QueueFilters(batch="b"))) == [kinds]
    assert list(queue(heron, QueueFilters(level="strong"))) == [kinds]
    assert list(queue(heron, QueueFilters(difficulty="hard"))) == [kinds]
    assert list(queue(heron, QueueFilters(run="yes"))) == [kinds]
    assert list(queue(heron, QueueFilters(run="no"))) == [plain]
    leases.take(plain, wren)
    assert list(queue(heron, QueueFilters(who="free"))) == [kinds]
    assert list(queue(wren, QueueFilters(who="mine"))) == [plain]


def test_a_reviewer_gets_nothing_that_they_labelled(project):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = builders.make_labelled_item(project, [both, *(builders.make_member(project) for _ in range(2))], (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    assert leases.take_next(both, ANY) is None
    with pytest.raises(OwnItem):
        decide.settle(item, both, for_(item, 1))


# ── Decisions ─────────────────────────────────────────────────────────────────


def test_the_same_key_and_decision_answer_with_what_was_stored_another_decision_is_refused(project, heron, wren):
    item = closed(project, 0, 1, 2)
    wanted = for_(item, 1, target_group="neighbours")
    first = decide.settle(item, heron, wanted)
    again = decide.settle(item, heron, wanted)
    assert first.adjudication.pk == again.adjudication.pk
    other = RulingRequest(Ruling.DECIDE, wanted.version, "Another.", wanted.key, wanted.category)
    with pytest.raises(RulingKeyReused):
        decide.settle(item, heron, other)
    assert Adjudication.objects.count() == 1
    assert first.adjudication.target_group == "neighbours"
    with pytest.raises(StaleVersion) as refused:
        decide.settle(item, wren, for_(item, 2))
    assert (refused.value.last.actor, refused.value.last.facts["category"]) == (heron, 1)


def test_a_decision_is_undone_by_a_new_one_and_both_stay(project, heron, wren):
    item = closed(project, 0, 1, 2)
    votes = list(Label.objects.filter(item=item).order_by("pk").values_list("category__code", "revision"))
    decide.settle(item, heron, for_(item, 1))
    item.refresh_from_db()
    decide.settle(item, wren, for_(item, 0))
    item.refresh_from_db()
    assert (item.stage, item.category.code, item.category_source) == (Stage.GOLD, 0, Source.ADJUDICATED)
    assert list(Adjudication.objects.order_by("pk").values_list("category__code", flat=True)) == [1, 0]
    assert list(Label.objects.filter(item=item).order_by("pk").values_list("category__code", "revision")) == votes


def test_low_quality_is_excluded_as_such_and_no_other_reason_is_made_up(project, heron):
    item = closed(project, 0, 1, 2)
    with pytest.raises(BadRuling):
        decide.settle(item, heron, to(item, Ruling.EXCLUDE, reason=Reason.MISALIGNED))
    decide.settle(item, heron, to(item, Ruling.EXCLUDE, reason=Reason.LOW_QUALITY))
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.LOW_QUALITY)


def test_more_people_are_asked_in_the_same_round_and_the_votes_stay(project, heron):
    item = closed(project, 0, 1, 2)
    for count in (0, 23):
        with pytest.raises(BadRuling):
            decide.settle(item, heron, to(item, Ruling.MORE_SEATS, count=count))
    decide.settle(item, heron, to(item, Ruling.MORE_SEATS, count=2))
    item.refresh_from_db()
    assert (item.stage, item.round, item.seats, item.taken, item.level) == (Stage.LABELLING, 1, 5, 3, None)
    for seat in item.seat_rows.filter(label=None):
        builders.make_label(seat, builders.make_member(project), 1)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.category.code, item.level) == (Stage.GOLD, 1, "weak")


def test_the_audit_is_content_after_every_ruling_and_every_label(project, heron, admin):
    """One post through all rulings: asked more people twice, a new round, decided, reopened, excluded."""
    item = closed(project, 0, 1, None)
    look_at_votes(item, heron)
    tell_of_labels(item)

    def rule(ruling: Ruling, **more) -> None:
        decide.settle(item, heron, to(item, ruling, **more))
        item.refresh_from_db()
        assert audit(project) == [], ruling

    def label_all(*codes: int) -> None:
        seats = item.seat_rows.filter(round=item.round, label=None).order_by("number")
        for seat, code in zip(seats, codes, strict=True):
            builders.make_label(seat, builders.make_member(project), code)
            tell_of_labels(item)
            if seat.number < item.seats:
                assert audit(project) == [], seat.number
        close_item(item)
        item.refresh_from_db()
        assert audit(project) == []

    assert audit(project) == []
    rule(Ruling.MORE_SEATS, count=2)
    label_all(2, 3)
    rule(Ruling.MORE_SEATS, count=1)
    label_all(4)
    rule(Ruling.NEW_ROUND, message="Section 2 is clearer now.")
    label_all(0, 1, 2)
    rule(Ruling.MORE_SEATS, count=1)
    label_all(3)
    rule(Ruling.DECIDE, category=builders.category(project, 1))
    reopen_closed_item(item, admin, item.version, "A new rule.")
    item.refresh_from_db()
    assert (item.round, audit(project)) == (3, [])
    label_all(0, 1, 2)
    rule(Ruling.MORE_SEATS, count=1)
    withdraw_item(item, admin, "Its author asked for it.")
    assert audit(project) == []


def test_a_new_round_carries_a_message_to_its_annotators(project, heron):
    item = closed(project, 0, 1, 2)
    decide.settle(item, heron, to(item, Ruling.NEW_ROUND, message="Section 2 is clearer now."))
    item.refresh_from_db()
    assert (item.stage, item.round, item.message) == (Stage.LABELLING, 2, "Section 2 is clearer now.")


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADMIN])
def test_deciding_is_for_reviewers(project, role):
    item = closed(project, 0, 1, 2)
    with pytest.raises(NotAllowed):
        decide.settle(item, builders.make_member(project, role), for_(item, 1))


# ── The second look ───────────────────────────────────────────────────────────


def test_two_reviewers_who_agree_settle_it_and_nothing_tells_the_second_what_the_first_said(
    project, admin, heron, wren
):
    set_rules(admin, 15, [Reason.NO_MAJORITY], True)
    item = closed(project, 0, 1, 2)
    first = for_(item, 1)
    assert isinstance(decide.settle(item, heron, first), Proposed)
    assert isinstance(decide.settle(item, heron, first), Proposed)  # the same again
    with pytest.raises(AlreadyProposed):
        decide.settle(item, heron, for_(item, 2))
    item.refresh_from_db()
    assert (item.stage, Adjudication.objects.count()) == (Stage.DISPUTED, 0)
    assert leases.take_next(heron, ANY) is None and leases.take_next(wren, ANY) == item
    assert "category" not in Event.objects.get(item=item, verb="proposed").facts
    done = decide.settle(item, wren, for_(item, 1))
    item.refresh_from_db()
    assert isinstance(done, Decided) and done.adjudication.reviewer == wren
    assert (item.stage, item.category.code) == (Stage.GOLD, 1)
    with pytest.raises(NeedsAppeal):
        decide.settle(item, heron, for_(item, 2))


def test_a_third_reviewer_ends_a_disagreement(project, admin, heron, wren, owl):
    set_rules(admin, 15, [Reason.NO_MAJORITY], True)
    item = closed(project, 0, 1, 2)
    decide.settle(item, heron, for_(item, 1))
    assert isinstance(decide.settle(item, wren, for_(item, 2)), Proposed)
    assert leases.take_next(heron, ANY) is None and leases.take_next(wren, ANY) is None
    assert leases.take_next(owl, ANY) == item
    assert isinstance(decide.settle(item, owl, to(item, Ruling.EXCLUDE)), Decided)
    item.refresh_from_db()
    assert item.stage == Stage.EXCLUDED
    assert [each.place for each in Proposal.objects.order_by("place")] == [1, 2, 3]


def test_what_waits_for_a_second_reviewer_is_changed_or_taken_back_by_its_author_alone(project, admin, heron, wren):
    set_rules(admin, 15, [Reason.NO_MAJORITY], True)
    item = closed(project, 0, 1, 2)
    slip = decide.settle(item, heron, for_(item, 1)).proposal
    leases.take(item, wren)  # the second reviewer reads it now, and notices nothing
    for person, other in ((wren, slip.public_id), (heron, uuid4())):
        with pytest.raises(ProposalAnswered):
            decide.settle(item, person, for_(item, 2, replaces=other))
    changed = decide.settle(item, heron, for_(item, 2, replaces=slip.public_id)).proposal
    assert list(Proposal.objects.values_list("public_id", "place", "category__code")) == [(changed.public_id, 1, 2)]
    with pytest.raises(ProposalAnswered):
        decide.take_back(item, wren)
    decide.take_back(item, heron)
    assert not Proposal.objects.exists() and Lease.objects.get().reviewer == wren
    told = Event.objects.filter(item=item, verb="proposal_taken_back").order_by("pk")
    assert [(event.actor, event.row, event.facts) for event in told] == [
        (heron, row.public_id, {}) for row in (slip, changed)
    ]
    item.refresh_from_db()
    assert (item.stage, Adjudication.objects.count()) == (Stage.DISPUTED, 0)


@pytest.mark.parametrize("code", [1, 2])  # the second reviewer agrees, or does not
def test_what_another_reviewer_answered_stays(project, admin, heron, wren, code):
    set_rules(admin, 15, [Reason.NO_MAJORITY], True)
    item = closed(project, 0, 1, 2)
    first = decide.settle(item, heron, for_(item, 1)).proposal
    changed = for_(item, 2, replaces=first.public_id)
    decide.settle(item, wren, for_(item, code))
    with pytest.raises((StaleVersion, ProposalAnswered)):
        decide.settle(item, heron, changed)
    with pytest.raises(ProposalAnswered):
        decide.take_back(item, heron)
    assert Proposal.objects.filter(category__code=1, reviewer=heron).exists() and Proposal.objects.count() == 2


def test_proposals_about_an_older_state_count_no_more(project, admin, heron, wren):
    set_rules(admin, 15, [Reason.NO_MAJORITY], True)
    project.dispute_model_conflict = True
    project.save()
    item = closed(project, 0, 1, 2)
    decide.settle(item, heron, for_(item, 1))
    dispute_item(item, Reason.MODEL_CONFLICT)
    item.refresh_from_db()
    assert isinstance(decide.settle(item, wren, for_(item, 1)), Proposed)


# ── Appeals ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("code", "outcome"), [(1, AppealOutcome.UPHELD), (0, AppealOutcome.OVERTURNED)])
def test_an_appeal_goes_to_somebody_who_did_not_decide(project, heron, wren, code, outcome):
    item = closed(project, 0, 1, 2)
    decide.settle(item, heron, for_(item, 1))
    made = appeals.appeal(item, heron, "It is a joke among friends.", "the author")
    item.refresh_from_db()
    assert (item.stage, item.category_source, item.category.code) == (Stage.DISPUTED, None, 1)
    assert leases.take_next(heron, ANY) is None
    with pytest.raises(DecidedBefore):
        decide.settle(item, heron, for_(item, 1))
    decide.settle(item, wren, for_(item, code))
    made.refresh_from_db()
    item.refresh_from_db()
    assert (made.outcome, made.answer.reviewer, made.against.reviewer) == (outcome, wren, heron)
    assert (item.stage, item.category.code) == (Stage.GOLD, code)
    assert Event.objects.get(verb="appeal_closed").facts == {"outcome": str(outcome)}


def test_only_what_is_decided_is_appealed_against_and_once_at_a_time(project, admin, heron):
    with pytest.raises(NotAppealable):
        appeals.appeal(closed(project, 0, 1, 2), heron, "No.")
    item = closed(project, 1, 1, 1)
    with pytest.raises(NotAllowed):
        appeals.appeal(item, builders.make_member(project), "No.")
    appeals.appeal(item, admin, "No.")
    with pytest.raises(NotAppealable):
        appeals.appeal(item, heron, "No.")
    set_rules(admin, 15, [], False)
    with pytest.raises(NotAppealable):
        appeals.appeal(closed(project, 1, 1, 1), heron, "No.")
    withdraw_item(item, admin, "On request.")
    assert Appeal.objects.get().outcome == ""


# ── Statements ────────────────────────────────────────────────────────────────


def test_a_statement_is_filled_from_the_record_and_kept_version_by_version(project, heron):
    item = closed(project, 0, 1, 2)
    with pytest.raises(statements.NotDecided):
        statements.filled(item)
    run = ran(item, category=1, hateful=True)
    other = ran(closed(project, 0, 1, 2), category=1, hateful=True)
    for foreign in (other.public_id, uuid4()):
        with pytest.raises(BadRuling, match="a run on this post"):
            decide.settle(item, heron, for_(item, 1, drafted_from=foreign))
    decide.settle(item, heron, for_(item, 1, drafted_from=run.public_id, target_group="neighbours"))
    item.refresh_from_db()
    fields = statements.filled(item)
    assert fields["incompatible_content_explanation"] == "The roses."
    assert (fields["category"], fields["content_type"]) == ("1 Racist", ["text"])
    assert (fields["automated_detection"], fields["automated_decision"]) == (True, "partially automated")
    assert "3 people" in fields["decision_facts"] and "neighbours" in fields["decision_facts"]
    with pytest.raises(statements.NotValid) as refused:
        statements.write(item, heron, fields)
    assert set(refused.value.sentences) == {"decision_visibility"}
    first = statements.write(item, heron, {**fields, "decision_visibility": "Removed", "surprise": "left out"})
    second = statements.write(item, heron, {**fields, "decision_visibility": "Hidden <b>*here*</b>"})
    assert [first.version, second.version] == [1, 2] and statements.newest(item) == second
    assert "surprise" not in second.fields
    assert "\\<b\\>\\*here\\*" in statements.as_markdown(second)
    assert statements.as_json(second)["puid"] == f"interplay-{item.public_id}"
    other = closed(project, 1, 1, 1)
    with pytest.raises(statements.PuidTaken):
        taken = {**statements.filled(other), "incompatible_content_explanation": "By vote.", "decision_account": "None"}
        statements.write(other, heron, {**taken, "puid": fields["puid"]})
    assert Statement.objects.count() == 2


# ── Many at once, opinions, neighbours ────────────────────────────────────────


def test_misaligned_posts_with_a_majority_are_accepted_at_once(project, heron, wren):
    racist = builders.category(project, 1)
    items = [closed(project, 0, 0, 2, intended=racist) for _ in range(3)]
    undecided = closed(project, 0, 1, 2, intended=racist)
    leases.take(items[0], wren)
    assert set(bulk_accept.acceptable(heron, Reason.MISALIGNED)) == set(items[1:])
    with pytest.raises(bulk_accept.CountChanged):
        bulk_accept.accept(heron, Reason.MISALIGNED, "The votes are right.", 3)
    done = bulk_accept.accept(heron, Reason.MISALIGNED, "The votes are right.", 2)
    assert done == bulk_accept.Accepted(2, 0)
    stages = dict(Item.objects.values_list("pk", "stage"))
    assert [stages[each.pk] for each in (*items, undecided)] == ["disputed", "gold", "gold", "disputed"]
    assert set(Item.objects.filter(stage="gold").values_list("category__code", "category_source")) == {
        (0, "adjudicated")
    }


def test_what_wants_a_second_look_is_not_accepted_at_once(project, admin, heron):
    closed(project, 0, 0, 2, intended=builders.category(project, 1))
    set_rules(admin, 15, [Reason.MISALIGNED], True)
    assert list(bulk_accept.acceptable(heron, Reason.MISALIGNED)) == []


def test_the_nearest_decided_posts_follow_the_decisions(project, heron, wren, settings):
    near = closed(project, 0, 1, 2, text="The weeds stand between the white roses")
    far = closed(project, 0, 1, 2, text="Zucchini bread, three loaves")
    here = closed(project, 0, 1, 2, text="Weeds in the white roses again")
    picture = closed(project, 0, 1, 2, text="", picture_missing=True)
    assert similar_cases.similar(here) == []
    for item in (near, far, picture):
        decide.settle(item, heron, for_(item, 1))
    found = similar_cases.similar(here)
    assert [each.item for each in found][0] == near
    assert found[0].decision.rationale == "The roses." and found[0].nearness > 0.3
    near.refresh_from_db()
    decide.settle(near, wren, for_(near, 5))
    assert similar_cases.similar(here)[0].decision.category.code == 5
    near.refresh_from_db()
    appeals.appeal(near, wren, "No.")
    assert near not in [each.item for each in similar_cases.similar(here)]
    assert similar_cases.similar(picture) == []


def test_a_view_is_written_down_once_before_the_decision(project, heron):
    item = closed(project, 0, 1, 2)
    racist, sexist = builders.category(project, 1), builders.category(project, 2)
    assert blind_opinions.record_opinion(item, heron, racist) == blind_opinions.record_opinion(item, heron, racist)
    with pytest.raises(blind_opinions.TooLate):
        blind_opinions.record_opinion(item, heron, sexist)
    other = closed(project, 1, 1, 1)
    with pytest.raises(blind_opinions.TooLate):
        blind_opinions.record_opinion(other, heron, racist)


# ── Figures ───────────────────────────────────────────────────────────────────


def test_the_figures_are_those_counted_by_hand(project, admin, heron, wren, owl):
    sexist = builders.category(project, 2)
    first = closed(project, 0, 0, 2, intended=sexist)  # misaligned; the votes say 0
    ran(first, category=2, hateful=True)
    ran(first, method="baseline", category=0, hateful=False)
    blind_opinions.record_opinion(first, heron, builders.category(project, 0))
    decide.settle(first, heron, for_(first, 2))  # against the votes, to the court's verdict, away from their own view
    second = closed(project, 0, 0, 2, intended=sexist)
    decide.settle(second, wren, for_(second, 0))  # with the votes
    first.refresh_from_db()
    appeals.appeal(first, wren, "No.")
    first.refresh_from_db()
    decide.settle(first, owl, for_(first, 0))  # overturned; an answer to an appeal is not compared with votes
    found = reviewer_statistics.figures(project)
    people = {person.pseudonym: person for person in found.people}
    assert (people["Heron"].overturned.hits, people["Heron"].overturned.of) == (1, 1)
    assert (people["Wren"].overturned.hits, people["Wren"].with_votes.share) == (0, 1.0)
    assert sum(people["Owl"].by_day.values()) == 1
    assert (found.votes.all.hits, found.votes.all.of) == (1, 2)
    assert (found.votes.by_reason["misaligned"].hits, found.votes.by_reason["misaligned"].of) == (1, 2)
    assert (found.methods["arcade"].all.hits, found.methods["arcade"].all.of) == (1, 2)
    assert (found.methods["baseline"].all.hits, found.methods["baseline"].all.of) == (1, 2)
    persuaded = found.persuaded
    assert (persuaded.opinions, persuaded.changed, persuaded.towards, persuaded.away) == (1, 1, 1, 1)


def test_kappa_between_reviewers_is_over_their_pairs(project, admin, heron, wren):
    set_rules(admin, 15, [Reason.NO_MAJORITY], True)
    for one, other in ((1, 1), (1, 1), (2, 2), (1, 2)):
        item = closed(project, 0, 1, 2)
        decide.settle(item, heron, for_(item, one))
        decide.settle(item, wren, for_(item, other))
    found = reviewer_statistics.figures(project)
    # Observed 3/4. Five ratings of 1, three of 2: expected 25/64 + 9/64 = 34/64. (3/4 - 34/64) / (30/64) = 14/30.
    assert found.between.value == pytest.approx(14 / 30)
    assert (found.pairs, found.alike) == (4, 3)


def test_how_often_a_pointer_was_right_is_counted_from_decisions(project, heron):
    hint = {"side": "model", "verdict": [1, True], "people": [0, False], "score": 0.8}
    for code in (1, 1, 0, 4):
        item = closed(project, 0, 1, 2)
        decide.settle(item, heron, for_(item, code, shown={"hint": hint}))
    rates, decisions = triage.hit_rates(project)
    assert (rates[Side.MODEL], rates[Side.PEOPLE], decisions) == (HitRate(2, 4), HitRate(0, 0), 4)


# ── Agreement and the release after decisions ─────────────────────────────────


def test_kappa_and_the_release_change_exactly_as_the_design_says(project, heron, admin):
    """Perfect 1-1-1 and weak 0-0-1 are gold by the votes; 0-1-2 waits until a reviewer decides for 1."""
    closed(project, 1, 1, 1, external_id="p")
    closed(project, 0, 0, 1, external_id="w")
    item = closed(project, 0, 1, 2, external_id="d")
    before = read_agreement(project)
    raw, final = before.raw.fleiss_kappa, before.final.fleiss_kappa
    first = release(project, admin)
    votes = list(Label.objects.order_by("pk").values_list("pk", "category__code", "not_sure", "revision"))
    decide.settle(item, heron, for_(item, 1))
    after = read_agreement(project)
    assert after.raw.fleiss_kappa == raw  # as cast
    assert after.final.fleiss_kappa == final  # gold decided by consensus alone
    # With the adjudicated item: 1-1-1, 0-0-1, 0-1-2. P = (1 + 1/3 + 0)/3 = 4/9; p = 3/9, 5/9, 1/9: Pe = 35/81.
    assert after.final_with_adjudicated.fleiss_kappa.value == pytest.approx((36 / 81 - 35 / 81) / (46 / 81))
    second = release(project, admin)
    assert (first.manifest["counts"]["items"], second.manifest["counts"]["items"]) == (2, 3)
    assert list(Label.objects.order_by("pk").values_list("pk", "category__code", "not_sure", "revision")) == votes


# ── Two reviewers at once ─────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_reviewers_at_once_settle_two_hundred_disputes_none_twice_none_lost():
    project = builders.make_project()
    members = [builders.make_member(project) for _ in range(3)]
    reviewers = [builders.make_member(project, Role.REVIEWER) for _ in range(2)]
    for _ in range(200):
        close_item(builders.make_labelled_item(project, members, (0, 1, 2)))
    categories = {code: builders.category(project, code) for code in (0, 1)}

    def work(reviewer: Membership, code: int) -> list[int]:
        mine = []
        while (item := leases.take_next(reviewer, ANY)) is not None:
            wanted = RulingRequest(Ruling.DECIDE, item.version, "Plain.", uuid4(), categories[code])
            assert isinstance(decide.settle(item, reviewer, wanted), Decided)
            mine.append(item.pk)
        return mine

    done = at_once([lambda: work(reviewers[0], 0), lambda: work(reviewers[1], 1)])
    assert len(done[0]) + len(done[1]) == 200 and set(done[0]).isdisjoint(done[1])
    assert min(map(len, done)) > 20 or connection.vendor == "sqlite"
    assert Adjudication.objects.count() == 200
    assert Item.objects.filter(stage=Stage.GOLD, category_source=Source.ADJUDICATED).count() == 200
    for mine, code in zip(done, (0, 1), strict=True):
        assert set(Item.objects.filter(pk__in=mine).values_list("category__code", flat=True)) <= {code}


@pytest.mark.django_db(transaction=True)
def test_of_six_decisions_about_one_post_at_once_one_counts_and_the_others_learn_of_it():
    project = builders.make_project()
    item = closed(project, 0, 1, 2)
    reviewers = [builders.make_member(project, Role.REVIEWER) for _ in range(6)]
    wanted = [for_(item, code) for code in range(6)]

    def settle(number: int) -> str:
        try:
            decide.settle(item, reviewers[number], wanted[number])
        except StaleVersion as stale:
            return f"after {stale.last.verb}"
        return "settled"

    said = at_once([lambda number=number: settle(number) for number in range(6)])
    assert sorted(said) == ["after decide"] * 5 + ["settled"]


def test_an_upheld_challenge_is_kept_with_the_decision(project, heron):
    members = [builders.make_member(project) for _ in range(3)]
    item = builders.make_open_item(project)
    for modality in Modality:
        Prior.objects.create(item=item, modality=modality, category=builders.category(project, 0))
    for seat, member in zip(item.seat_rows.all(), members, strict=True):
        rows = [{"modality": "text", "category": None, "hateful": True}] if member == members[0] else []
        builders.make_label(seat, member, 0, challenges=rows)
    close_item(item)
    item.refresh_from_db()
    decide.settle(item, heron, for_(item, 0, upheld={Modality.TEXT: Value(True)}))
    item.refresh_from_db()
    assert (item.stage, item.pattern) == (Stage.GOLD, "100")


# ── Scores ────────────────────────────────────────────────────────────────────


PARTS = {
    0.9: {"htc": 1, "qf": 0.6, "tgi": 1, "cc": 1},
    0.75: {"htc": 0, "qf": 1.0, "tgi": 1, "cc": 1},
    0.25: {"htc": 1, "qf": 0.0, "tgi": 0, "cc": 0},
}
"""The parts of a score, by their mean."""


def scored(item: Item, run, value: float, spans=()) -> Score:
    return Score.objects.create(
        project=item.project,
        item=item,
        source="run",
        about_run=run.public_id,
        method=run.method,
        explanation="It quotes.",
        text=item.text,
        rule="paper",
        threshold=0.3,
        estimator="given",
        state="scored",
        score=value,
        reading={"spans": [list(span) for span in spans]},
        prediction=True,
        **PARTS[value],
    )


def test_a_score_of_a_differing_verdict_says_whom_it_speaks_for(project, heron):
    item = closed(project, 0, 0, 2, intended=builders.category(project, 2), text="Weeds in the roses")
    assert triage.pointer(item) is None
    scored(item, ran(item, category=0, hateful=False), 0.9)  # says what the votes say
    assert triage.pointer(item) is None
    differing = ran(item, category=2, hateful=True)
    scored(item, differing, 0.75, [(0, 5)])
    found = triage.pointer(item)
    assert (found.side, found.run, found.score) == (Side.MODEL, differing, 0.75)
    low = scored(item, differing, 0.25)
    assert triage.pointer(item).side is Side.PEOPLE
    # The conclusion alone makes 1 where it alone has a weight; the threshold of hints is of the paper's mean.
    Score.objects.filter(pk=low.pk).update(weights=[1, 0, 0, 0], score=1)
    assert (triage.pointer(item).side, triage.pointer(item).score) == (Side.PEOPLE, 0.25)
    assert (
        list(queue(heron, QueueFilters(score="yes"))) == [item] and list(queue(heron, QueueFilters(score="no"))) == []
    )
    decide.settle(item, heron, for_(item, 0, shown={"hint": triage.pointer(item).facts}))
    rates, _decisions = triage.hit_rates(project)
    assert rates[Side.PEOPLE] == HitRate(1, 1)
