"""What annotators do with an item, and what they are answered."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import builders
from annotation.assignment import claim, outcomes
from annotation.assignment.outcomes import HeldSeat, NothingLeft, NotOpen
from annotation.assignment.prior_display import visible_priors
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.domain.answer import Answer, BadAnswer, Correction
from annotation.domain.choices import Modality, Order, PriorDisplay, Reason, Role, Stage
from annotation.labelling import submit
from annotation.members import participation
from annotation.models import (
    Guideline,
    Item,
    Label,
    Membership,
    PictureText,
    Prior,
    Project,
    Report,
    Seat,
    Skip,
    WorkDay,
)

pytestmark = pytest.mark.django_db

HATEFUL, HARMLESS = Answer(category=1), Answer(category=0)


@pytest.fixture
def project() -> Project:
    return builders.make_project()


@pytest.fixture
def ann(project: Project) -> Membership:
    return builders.make_member(project)


@pytest.fixture
def item(project: Project) -> Item:
    return builders.make_open_item(project)


@pytest.fixture
def seat(item: Item, ann: Membership) -> Seat:
    return claimed(ann)


def claimed(member: Membership) -> Seat:
    outcome = claim.claim(member)
    assert isinstance(outcome, HeldSeat), outcome
    return outcome.seat


def submitted(member: Membership, seat: Seat, answer: Answer = HARMLESS, key: UUID | None = None) -> outcomes.Stored:
    outcome = submit.submit_label(member, seat.public_id, key or uuid4(), answer)
    assert isinstance(outcome, outcomes.Stored), outcome
    return outcome


def label_by_others(project: Project, count: int = 2, answer: Answer = HARMLESS) -> None:
    for _ in range(count):
        member = builders.make_member(project)
        submitted(member, claimed(member), answer)


def lapse_and_free(seat: Seat) -> None:
    Seat.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert free_lapsed_seats() == 1


def others_hold_the_rest(project: Project) -> list[Seat]:
    """Let others take the two other seats of the item: which of several free ones comes next is not promised."""
    return [claimed(builders.make_member(project)) for _ in range(2)]


def prior_for(item: Item, modality: Modality = Modality.TEXT, **fields: object) -> Prior:
    fields.setdefault("category", builders.category(item.project, 0))
    return Prior.objects.create(item=item, modality=modality, model="file:sample", **fields)


# ── Storing ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(), "no_answer"),
        (Answer(category=1, not_sure=True), "contradiction"),
        (Answer(category=17), "unknown_category"),
        (Answer(category=1, note="a\x00b"), "nul_character"),
        (Answer(category=1, note="\ud800"), "invalid_unicode"),
        (Answer(category=1, note="x" * 4001), "text_too_long"),
        (Answer(category=1, target_group="x" * 201), "text_too_long"),
        (Answer(category=1, corrections=(Correction(Modality.IMAGE, category=1),)), "no_prior"),
        (Answer(category=1, corrections=(Correction(Modality.TEXT),)), "no_correction"),
        (Answer(1, corrections=(Correction(Modality.TEXT, 1), Correction(Modality.TEXT, 2))), "double_challenge"),
    ],
)
def test_what_no_form_should_let_through_is_refused_and_stores_nothing(ann, item, answer, code):
    prior_for(item)
    seat = claimed(ann)
    with pytest.raises(BadAnswer) as bad:
        submit.submit_label(ann, seat.public_id, uuid4(), answer)
    assert bad.value.code == code
    assert not Label.objects.exists()


def test_not_sure_and_low_quality_alone_are_answers(project, ann):
    for answer in (Answer(not_sure=True), Answer(low_quality=True), Answer(not_sure=True, low_quality=True)):
        builders.make_open_item(project)
        label = submitted(ann, claimed(ann), answer).label
        assert label.category is None
        assert (label.not_sure, label.low_quality) == (answer.not_sure, answer.low_quality)


# ── Twice (B104-B108) ─────────────────────────────────────────────────────────


def test_the_same_answer_with_the_same_key_is_answered_with_the_stored_label(ann, seat):  # T11, B104
    key = uuid4()
    first = submitted(ann, seat, HATEFUL, key)
    again = submit.submit_label(ann, seat.public_id, key, HATEFUL)
    assert again == outcomes.Replayed(first.label)
    assert Label.objects.count() == 1


def test_a_reply_lost_after_the_item_closed_is_replayed_all_the_same(project, ann, seat):  # B108
    label_by_others(project)
    key = uuid4()
    stored = submitted(ann, seat, HARMLESS, key)
    assert stored.closed
    assert submit.submit_label(ann, seat.public_id, key, HARMLESS) == outcomes.Replayed(stored.label)


def test_the_same_key_with_another_answer_is_refused(ann, seat):  # B105
    key = uuid4()
    first = submitted(ann, seat, HATEFUL, key)
    assert submit.submit_label(ann, seat.public_id, key, HARMLESS) == outcomes.KeyReused(first.label)
    assert Label.objects.count() == 1


def test_the_same_key_and_answer_for_another_item_is_refused(project, ann, seat):
    key = uuid4()
    first = submitted(ann, seat, HATEFUL, key)
    builders.make_open_item(project)
    other = claimed(ann)
    assert submit.submit_label(ann, other.public_id, key, HATEFUL) == outcomes.KeyReused(first.label)


def test_of_two_tabs_the_second_gets_the_stored_label(ann, seat):  # B106
    first = submitted(ann, seat, HATEFUL)
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.AlreadyLabelled(first.label)
    assert Label.objects.count() == 1


def test_the_same_key_of_two_people_is_not_the_same(project, ann, seat):
    other = builders.make_member(project)
    key = uuid4()
    submitted(ann, seat, HATEFUL, key)
    submitted(other, claimed(other), HATEFUL, key)


# ── Whose seat ────────────────────────────────────────────────────────────────


def test_somebody_elses_seat_and_an_unknown_one_are_the_same(project, ann, seat):  # B109
    other = builders.make_member(project)
    foreign = builders.make_member(builders.make_project())
    for member, public_id in [(other, seat.public_id), (ann, uuid4()), (foreign, seat.public_id)]:
        assert submit.submit_label(member, public_id, uuid4(), HARMLESS) == outcomes.NoSuchSeat()
        assert submit.skip_seat(member, public_id) == outcomes.NoSuchSeat()
        assert submit.report_seat(member, public_id) == outcomes.NoSuchSeat()
        assert submit.submit_first_answer(member, public_id, HARMLESS) == outcomes.NoSuchSeat()
        assert not submit.renew_lease(member, public_id)
        assert not submit.count_reveal(member, public_id)
    assert not Label.objects.exists() and not Skip.objects.exists() and not Report.objects.exists()


def test_a_free_seat_cannot_be_filled_by_who_was_not_given_it(item, ann):
    free = item.seat_rows.first()
    assert submit.submit_label(ann, free.public_id, uuid4(), HARMLESS) == outcomes.NoSuchSeat()


def test_a_lapsed_seat_that_nobody_took_is_honoured(ann, seat):
    Seat.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(days=1))
    assert submitted(ann, seat).label.seat == seat


def test_a_lapsed_seat_that_was_freed_and_not_taken_is_honoured_as_it_was(project, ann, item, seat):
    submit.count_reveal(ann, seat.public_id)
    lapse_and_free(seat)
    label = submitted(ann, seat).label
    assert label.seat == seat and label.reveals == 1 and label.priors_shown_at == seat.shown_at
    item.refresh_from_db()
    assert item.taken == 1


def test_a_lapsed_seat_that_was_given_away_is_lost(project, ann, item, seat):  # B107
    others_hold_the_rest(project)
    lapse_and_free(seat)
    assert claimed(builders.make_member(project)) == seat
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.SeatLost(item)
    assert not submit.renew_lease(ann, seat.public_id)


def test_who_lost_a_seat_and_got_another_at_the_item_fills_that_one(project, ann, seat):
    other, *_more = others_hold_the_rest(project)
    lapse_and_free(seat)
    claimed(builders.make_member(project))
    lapse_and_free(other)
    second = claimed(ann)
    assert second == other and second.item == seat.item
    assert submitted(ann, seat).label.seat == second


def test_an_answer_for_an_item_taken_out_meanwhile_is_not_stored(project, ann, item, seat):
    other = builders.make_member(project)
    submit.report_seat(other, claimed(other).public_id, "Illegal.")
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.SeatLost(item)


def test_an_answer_from_an_earlier_round_is_lost(ann, item, seat):
    Item.objects.filter(pk=item.pk).update(round=2, taken=0)
    Seat.objects.bulk_create(Seat(item=item, round=2, number=number, seats=3) for number in (1, 2, 3))
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.SeatLost(item)


def test_who_was_sent_away_stores_nothing(ann, seat):
    participation.deactivate(ann, None)
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.NoSuchSeat()


# ── The last label ────────────────────────────────────────────────────────────


def test_the_last_label_closes_the_item_at_once(project, ann, item, seat):
    label_by_others(project)
    outcome = submitted(ann, seat)
    item.refresh_from_db()
    assert outcome.closed and outcome.undo_until is not None
    assert (item.stage, item.level, item.category.code) == (Stage.GOLD, "perfect", 0)


def test_a_label_before_the_last_closes_nothing(project, ann, item, seat):
    label_by_others(project, 1)
    outcome = submitted(ann, seat)
    item.refresh_from_db()
    assert not outcome.closed and outcome.undo_until is None and item.stage == Stage.LABELLING


def test_where_seats_are_added_the_item_stays_open(project, item):
    Project.objects.update(extra_seats=2)
    for code in (0, 1, 2):
        member = builders.make_member(project)
        outcome = submitted(member, claimed(member), Answer(category=code))
        assert not outcome.closed
    item.refresh_from_db()
    assert (item.stage, item.seats, item.seat_rows.count()) == (Stage.LABELLING, 5, 5)
    assert claimed(builders.make_member(project)).number == 4


# ── Correcting and taking back ────────────────────────────────────────────────


def test_a_correction_is_a_new_revision_and_the_old_one_stays(ann, item, seat):
    first = submitted(ann, seat, HATEFUL).label
    outcome = submit.correct_label(ann, first.public_id, uuid4(), Answer(category=2, note="Looked again."))
    assert isinstance(outcome, outcomes.Stored) and outcome.label.revision == 2
    seat.refresh_from_db()
    assert seat.label == outcome.label
    assert [label.category.code for label in item.labels.order_by("revision")] == [1, 2]
    assert submit.correct_label(ann, first.public_id, uuid4(), HARMLESS).label.revision == 3


def test_a_correction_is_replayed_and_its_key_is_not_used_again(ann, seat):
    submit_key, key = uuid4(), uuid4()
    first = submitted(ann, seat, HATEFUL, submit_key).label
    new = submit.correct_label(ann, first.public_id, key, HARMLESS).label
    assert submit.correct_label(ann, first.public_id, key, HARMLESS) == outcomes.Replayed(new)
    assert submit.correct_label(ann, new.public_id, key, HARMLESS) == outcomes.Replayed(new)
    assert submit.correct_label(ann, first.public_id, key, HATEFUL) == outcomes.KeyReused(new)
    assert submit.correct_label(ann, first.public_id, submit_key, HATEFUL) == outcomes.KeyReused(first)


def test_a_closed_item_is_not_corrected(project, ann, seat):
    first = submitted(ann, seat).label
    label_by_others(project)
    assert submit.correct_label(ann, first.public_id, uuid4(), HATEFUL) == outcomes.ItemClosed(first)


def test_nobody_corrects_or_takes_back_another_ones_label(project, ann, seat):
    first = submitted(ann, seat).label
    other = builders.make_member(project)
    for public_id in (first.public_id, uuid4()):
        assert submit.correct_label(other, public_id, uuid4(), HATEFUL) == outcomes.NoSuchLabel()
        assert submit.take_back_label(other, public_id) == outcomes.NoSuchLabel()


def test_the_closing_label_can_be_taken_back_and_given_anew(project, ann, item, seat):
    label_by_others(project)
    closing = submitted(ann, seat, HATEFUL).label
    outcome = submit.take_back_label(ann, closing.public_id)
    assert isinstance(outcome, outcomes.TakenBack)
    item.refresh_from_db()
    assert (item.stage, item.category, item.level, item.taken) == (Stage.LABELLING, None, None, 3)
    assert claimed(ann) == seat
    assert submitted(ann, seat, HARMLESS).closed
    item.refresh_from_db()
    assert (item.stage, item.category.code) == (Stage.GOLD, 0)
    assert item.labels.count() == 4


def test_the_item_in_front_waits_while_a_label_is_taken_back(project, ann, seat):
    label_by_others(project)
    closing = submitted(ann, seat).label
    builders.make_open_item(project)
    next_one = claimed(ann)
    submit.take_back_label(ann, closing.public_id)
    assert claimed(ann) == seat
    submitted(ann, seat)
    assert claimed(ann) == next_one


def test_half_a_minute_later_the_closing_label_stands(project, ann, seat):
    label_by_others(project)
    closing = submitted(ann, seat).label
    Seat.objects.filter(pk=seat.pk).update(filled_at=timezone.now() - timedelta(seconds=31))
    assert submit.take_back_label(ann, closing.public_id) == outcomes.TooLate(closing)


def test_once_somebody_acted_the_closing_label_stands(project, ann, item, seat):
    label_by_others(project)
    closing = submitted(ann, seat).label
    reporter = Membership.objects.exclude(pk=ann.pk).filter(seat_rows__item=item).first()
    own = Seat.objects.get(annotator=reporter)
    assert isinstance(submit.report_seat(reporter, own.public_id), outcomes.Reported)
    assert submit.take_back_label(ann, closing.public_id) == outcomes.TooLate(closing)
    item.refresh_from_db()
    assert item.excluded_for == Reason.REPORTED


def test_only_the_closing_label_is_taken_back_from_a_closed_item(project, ann, seat):
    first = submitted(ann, seat).label
    label_by_others(project)
    assert submit.take_back_label(ann, first.public_id) == outcomes.TooLate(first)


def test_a_label_of_an_open_item_is_taken_back_at_any_time(ann, item, seat):
    label = submitted(ann, seat).label
    Seat.objects.filter(pk=seat.pk).update(filled_at=timezone.now() - timedelta(days=1))
    assert isinstance(submit.take_back_label(ann, label.public_id), outcomes.TakenBack)
    assert submit.take_back_label(ann, label.public_id) == outcomes.NoSuchLabel()
    assert claimed(ann) == seat


# ── Own view first ────────────────────────────────────────────────────────────


@pytest.fixture
def hidden(project: Project) -> Project:
    Project.objects.filter(pk=project.pk).update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    project.refresh_from_db()
    return project


def test_hidden_priors_open_after_the_first_answer_and_both_answers_are_kept(hidden, ann, item):
    prior = prior_for(item)
    seat = claimed(ann)
    assert seat.priors_shown_at is None and visible_priors(hidden, seat) == ()
    assert submit.submit_label(ann, seat.public_id, uuid4(), HATEFUL) == outcomes.FirstAnswerNeeded(seat)
    opened = submit.submit_first_answer(ann, seat.public_id, HATEFUL)
    assert isinstance(opened, outcomes.PriorsOpened) and opened.priors == (prior,)
    assert visible_priors(hidden, claimed(ann)) == (prior,)
    label = submitted(ann, seat, HARMLESS).label
    assert label.first_answer == HATEFUL.body() and label.category.code == 0
    assert label.priors_shown == [prior.pk] and label.priors_shown_at is not None


def test_where_nothing_opens_no_first_answer_is_asked_for(hidden, ann, item):
    seat = claimed(ann)
    assert submit.submit_first_answer(ann, seat.public_id, HATEFUL) == outcomes.FirstAnswerNotAsked(seat)
    label = submitted(ann, seat, HARMLESS).label
    assert (label.first_answer, label.priors_shown, label.priors_shown_at) == (None, [], None)


@pytest.mark.parametrize("waits", [{"priors_wanted": True}, {"glossary_for_annotators": True}])
def test_a_first_answer_is_asked_for_where_something_may_open(hidden, ann, item, waits):
    Project.objects.filter(pk=hidden.pk).update(**waits)
    seat = claimed(ann)
    assert submit.submit_label(ann, seat.public_id, uuid4(), HATEFUL) == outcomes.FirstAnswerNeeded(seat)


@pytest.mark.parametrize(("words", "asked"), [("go away", True), ("", False), (None, True)])
def test_words_in_the_picture_open_too_and_are_waited_for(hidden, ann, words, asked):
    Project.objects.filter(pk=hidden.pk).update(picture_text_for_annotators=True, picture_reader="local")
    item = builders.make_open_item(hidden, picture=builders.make_picture(hidden))
    if words is not None:
        PictureText.objects.create(item=item, text=words, reader="a reader")
    seat = claimed(ann)
    outcome = submit.submit_label(ann, seat.public_id, uuid4(), HATEFUL)
    assert isinstance(outcome, outcomes.FirstAnswerNeeded) == asked


def test_the_baselines_priors_open_only_where_an_admin_shows_them(hidden, ann, item):
    Prior.objects.create(item=item, modality=Modality.TEXT, model="keyword:1", hateful=True)
    assert isinstance(submit.submit_label(ann, claimed(ann).public_id, uuid4(), HATEFUL), outcomes.Stored)


def test_a_second_first_answer_changes_nothing(hidden, ann, item):
    prior_for(item)
    seat = claimed(ann)
    submit.submit_first_answer(ann, seat.public_id, HATEFUL)
    assert isinstance(submit.submit_first_answer(ann, seat.public_id, HATEFUL), outcomes.PriorsOpened)
    assert isinstance(submit.submit_first_answer(ann, seat.public_id, HARMLESS), outcomes.FirstAnswerStands)
    seat.refresh_from_db()
    assert seat.first_answer == HATEFUL.body()


def test_a_first_answer_cannot_challenge_what_was_not_shown(hidden, ann, item):
    prior_for(item)
    seat = claimed(ann)
    with pytest.raises(BadAnswer, match="once it is shown"):
        submit.submit_first_answer(ann, seat.public_id, Answer(1, corrections=(Correction(Modality.TEXT, 1),)))


# ── Skipping, renewing, reporting, leaving ────────────────────────────────────


def test_a_skip_frees_the_seat_and_may_be_sent_twice(ann, item, seat):
    assert submit.skip_seat(ann, seat.public_id, "Too close to home.") == outcomes.Skipped(item)
    assert submit.skip_seat(ann, seat.public_id) == outcomes.Skipped(item)
    item.refresh_from_db()
    assert item.taken == 0 and not Seat.objects.filter(annotator__isnull=False).exists()
    assert Skip.objects.get().reason == "Too close to home."
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.SeatLost(item)


def test_a_lapsed_seat_is_skipped_all_the_same(ann, item, seat):
    lapse_and_free(seat)
    assert submit.skip_seat(ann, seat.public_id) == outcomes.Skipped(item)
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.SeatLost(item)


def test_a_labelled_item_is_not_skipped(ann, seat):
    label = submitted(ann, seat).label
    assert submit.skip_seat(ann, seat.public_id) == outcomes.AlreadyLabelled(label)
    assert not Skip.objects.exists()


def test_activity_renews_the_seat_in_front_and_the_one_ahead(project, ann, seat):
    builders.make_open_item(project)
    ahead = claim.claim(ann, ahead=True).seat
    Seat.objects.filter(annotator=ann).update(expires_at=timezone.now() + timedelta(seconds=5))
    assert submit.renew_lease(ann, seat.public_id)
    for row in (seat, ahead):
        row.refresh_from_db()
        assert row.expires_at > timezone.now() + timedelta(minutes=19)


def test_a_report_stops_labelling_at_once(project, ann, item, seat):
    Project.objects.update(operator_contact="Call the office.")
    other = builders.make_member(project)
    claimed(other)
    outcome = submit.report_seat(ann, seat.public_id, "I think this is illegal.")
    assert isinstance(outcome, outcomes.Reported) and outcome.told.contact == "Call the office."
    item.refresh_from_db()
    assert (item.stage, item.excluded_for, item.taken) == (Stage.EXCLUDED, Reason.REPORTED, 0)
    assert Report.objects.get().reporter == ann
    assert isinstance(claim.claim(other), NothingLeft)


@pytest.mark.parametrize("leave", [participation.withdraw, lambda member: participation.deactivate(member, None)])
def test_leaving_frees_held_seats_and_keeps_labels(project, ann, seat, leave):
    label = submitted(ann, seat).label
    second = builders.make_open_item(project)
    claimed(ann)
    leave(ann)
    second.refresh_from_db()
    assert second.taken == 0
    seat.refresh_from_db()
    assert seat.label == label
    assert isinstance(claim.claim(ann), NotOpen)
    ann.refresh_from_db()
    assert not ann.active


def test_consent_opens_the_queue(project, item):
    new = builders.make_member(project, consent_version=0)
    participation.consent(new)
    assert claimed(new).item == item
    new.refresh_from_db()
    assert new.consent_at is not None


def test_reviewing_alone_does_not_open_a_seat(project, ann, seat):
    Membership.objects.filter(pk=ann.pk).update(annotates=False, reviews=True)
    assert ann.has(Role.ANNOTATOR)
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS) == outcomes.NoSuchSeat()


# ── The next post with the answer ─────────────────────────────────────────────


def go_on(member: Membership, seat: Seat) -> outcomes.Stored:
    stored = submit.submit_label(member, seat.public_id, uuid4(), HARMLESS, go_on=True)
    assert isinstance(stored, outcomes.Stored)
    return stored


def test_an_answer_that_goes_on_takes_the_next_seat_and_counts_both_once(project, ann):
    items = {builders.make_open_item(project) for _ in range(2)}
    first = claimed(ann)
    stored = go_on(ann, first)
    assert stored.following is not None and {first.item, stored.following.seat.item} == items
    assert (stored.following.labels_today, claimed(ann)) == (1, stored.following.seat)
    assert WorkDay.objects.values_list("labels", "shown").get() == (1, 2)
    assert sorted(Item.objects.values_list("taken", flat=True)) == [1, 1]


def test_an_answer_that_goes_on_shows_the_seat_ahead(project, ann):
    for _ in range(3):
        builders.make_open_item(project)
    first = claimed(ann)
    ahead = claim.claim(ann, ahead=True)
    stored = go_on(ann, first)
    assert stored.following is not None and stored.following.seat == ahead.seat
    assert stored.following.seat.shown_at is not None
    assert WorkDay.objects.values_list("labels", "shown").get() == (1, 2)


@pytest.mark.parametrize("why", ["nothing is left", "a quota", "another seat in front", "guidelines to read"])
def test_an_answer_is_stored_and_counted_where_no_seat_follows(project, ann, why):
    for _ in range(2):
        builders.make_open_item(project)
    seat = claimed(ann)
    if why == "nothing is left":
        Item.objects.exclude(pk=seat.item_id).update(taken=9, stage=Stage.GOLD)
    elif why == "a quota":
        Project.objects.update(quota=1)
    elif why == "another seat in front":
        other = Seat.objects.exclude(item=seat.item).first()
        held = {"annotator": ann, "held_at": timezone.now(), "shown_at": timezone.now()}
        Seat.objects.filter(pk=other.pk).update(**held, expires_at=timezone.now() + timedelta(hours=1))
    else:
        Guideline.objects.create(project=project, number=9, text="New.", asks_reading=True)
    stored = go_on(ann, seat)
    assert stored.following is None and Label.objects.get().item == seat.item
    assert WorkDay.objects.values_list("labels", "shown").get() == (1, 1)
    assert Membership.objects.get(pk=ann.pk).idle_until is None


# ── Cost ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("codes", [(0, 0, 0), (0, 1, 2)])
@pytest.mark.parametrize("items", [1, 300])
def test_a_submit_takes_the_same_few_queries_however_many_items_there_are(project, items, codes):
    Project.objects.update(order=Order.DEPTH)
    for _ in range(items):
        builders.make_open_item(project, intended=builders.category(project, 0))
    counts = []
    for code in codes:
        member = builders.make_member(project)
        seat = claimed(member)
        with CaptureQueriesContext(connection) as queries:
            submitted(member, seat, Answer(category=code))
        counts.append(len(_spoken(queries)))
    closing = 11 if codes == (0, 0, 0) else 12
    # PostgreSQL stores the label, its seat and the event with one statement.
    together = 2 if connection.vendor == "postgresql" else 0
    assert counts == [8 - together, 8 - together, closing - together]


def _spoken(queries: CaptureQueriesContext) -> list[str]:
    statements = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in statements if not sql.startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"))]
