"""Who gets which item next, and for how long it is theirs."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

import builders
from annotation.assignment import claim, item_query
from annotation.assignment.outcomes import ConsentNeeded, HeldSeat, NothingLeft, NotOpen, QuotaReached, Stored
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.assignment.seat_lookup import is_held
from annotation.domain.answer import Answer
from annotation.domain.choices import Order, Role, Stage
from annotation.labelling import submit
from annotation.models import Adjudication, Item, Membership, Project, Ruling, Seat, Skip
from never_counted import forget_statistics

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project()


@pytest.fixture
def ann(project: Project) -> Membership:
    return builders.make_member(project)


def claimed(member: Membership, *, ahead: bool = False) -> Seat:
    outcome = claim.claim(member, ahead=ahead)
    assert isinstance(outcome, HeldSeat), outcome
    return outcome.seat


def lapse(seat: Seat) -> None:
    """Let the seat's time be up."""
    Seat.objects.filter(pk=seat.pk).update(expires_at=seat.held_at - timedelta(seconds=1))


def fill(item: Item, *members: Membership, code: int = 0) -> None:
    for seat, member in zip(item.seat_rows.filter(label=None).order_by("number"), members, strict=False):
        builders.make_label(seat, member, code)


def test_a_claim_holds_a_seat_with_the_item_at_hand(project, ann):
    item = builders.make_open_item(project)
    seat = claimed(ann)
    with CaptureQueriesContext(connection) as queries:
        assert seat.item == item and seat.item.picture is None and seat.item.project == project
    assert not queries.captured_queries
    item.refresh_from_db()
    assert (item.taken, seat.annotator_id) == (1, ann.pk)
    assert seat.expires_at - seat.held_at == timedelta(minutes=project.lease_minutes)
    assert seat.shown_at == seat.held_at


@pytest.mark.parametrize(("of_project", "own", "reached"), [(2, None, 2), (9, 2, 2), (1, 2, 2), (None, 2, 2)])
def test_a_quota_of_two_lets_a_second_label_be_given_and_no_third(project, ann, of_project, own, reached):
    for _ in range(3):
        builders.make_open_item(project)
    Project.objects.update(quota=of_project)
    Membership.objects.update(quota=own)
    for _ in range(2):
        seat = claimed(ann)
        assert isinstance(submit.submit_label(ann, seat.public_id, seat.public_id, Answer(category=0)), Stored)
    assert claim.claim(ann) == QuotaReached(reached)


def test_a_seat_that_is_held_counts_for_the_quota_and_one_that_was_given_back_does_not(project, ann):
    builders.make_open_item(project)
    builders.make_open_item(project)
    Membership.objects.update(quota=1)
    seat = claimed(ann)
    assert claim.claim(ann, ahead=True) == QuotaReached(1)
    lapse(seat)
    free_lapsed_seats()
    claimed(ann)


def test_a_quota_of_nothing_gives_nothing(project, ann):
    builders.make_open_item(project)
    Membership.objects.update(quota=0)
    assert claim.claim(ann) == QuotaReached(0)


def test_the_same_seat_comes_back_until_it_is_answered(project, ann):
    builders.make_open_item(project)
    builders.make_open_item(project)
    assert claimed(ann) == claimed(ann)
    assert Seat.objects.filter(annotator=ann).count() == 1


def test_one_item_ahead_is_held_and_its_clock_starts_when_it_is_shown(project, ann):
    for _ in range(4):
        builders.make_open_item(project)
    front, ahead = claimed(ann), claimed(ann, ahead=True)
    assert ahead != front and ahead.shown_at is None and ahead.priors_shown_at is None
    assert claimed(ann, ahead=True) == ahead
    assert claimed(ann) == front
    assert Seat.objects.filter(annotator=ann).count() == 2
    submit.skip_seat(ann, front.public_id)
    shown = claimed(ann)
    assert shown == ahead and shown.shown_at is not None


def test_somebody_elses_seat_is_never_given(project, ann):
    item = builders.make_open_item(project)
    others = [builders.make_member(project) for _ in range(3)]
    for member in others:
        claimed(member)
    assert isinstance(claim.claim(ann), NothingLeft)
    assert sorted(item.seat_rows.values_list("annotator", flat=True)) == sorted(member.pk for member in others)


def test_nobody_is_asked_twice_about_an_item_in_its_round(project, ann):
    item = builders.make_open_item(project)
    fill(item, ann)
    assert isinstance(claim.claim(ann), NothingLeft)


def test_a_skipped_item_does_not_come_back(project, ann):
    builders.make_open_item(project)
    submit.skip_seat(ann, claimed(ann).public_id)
    assert isinstance(claim.claim(ann), NothingLeft)
    assert Skip.objects.filter(annotator=ann).count() == 1


def test_in_a_new_round_earlier_annotators_are_asked_last(project, ann):
    again = builders.make_open_item(project, round=2)
    first = Seat.objects.create(item=again, round=1, number=1, seats=3)
    builders.make_label(first, ann, 0)
    Item.objects.filter(pk=again.pk).update(taken=0)
    new = builders.make_open_item(project)
    assert claimed(ann).item == new
    submit.skip_seat(ann, claimed(ann).public_id)
    assert claimed(ann).item == again


def test_who_decided_about_an_item_does_not_label_it_in_the_next_round(project):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = builders.make_open_item(project, round=2)
    Adjudication.objects.create(
        item=item, round=1, reviewer=both, ruling=Ruling.NEW_ROUND, rationale="Once more.", item_version=1
    )
    assert isinstance(claim.claim(both), NothingLeft)


@pytest.mark.parametrize(("order", "taken"), [(Order.BREADTH, 0), (Order.DEPTH, 2)])
def test_breadth_begins_new_items_and_depth_finishes_begun_ones(project, ann, order, taken):
    Project.objects.filter(pk=project.pk).update(order=order)
    others = [builders.make_member(project) for _ in range(2)]
    for count in range(3):
        fill(builders.make_open_item(project), *others[:count])
    assert claimed(ann).item.taken == taken + 1


def test_items_with_a_missing_picture_are_not_handed_out(project, ann):
    builders.make_open_item(project, picture_missing=True)
    assert isinstance(claim.claim(ann), NothingLeft)


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.LABELLING])
def test_only_items_in_labelling_are_handed_out(project, ann, stage):
    item = builders.make_open_item(project)
    Item.objects.filter(pk=item.pk).update(stage=stage)
    assert isinstance(claim.claim(ann), NothingLeft)


def test_a_held_seat_is_not_given_again_once_its_item_has_left_labelling(project, ann):
    item = builders.make_open_item(project)
    seat = claimed(ann)
    Item.objects.filter(pk=item.pk).update(stage=Stage.EXCLUDED)
    assert isinstance(claim.claim(ann), NothingLeft)
    assert not is_held(Seat.objects.select_related("item").get(pk=seat.pk))


def test_foreign_projects_are_not_looked_at(ann):
    builders.make_open_item(builders.make_project())
    assert isinstance(claim.claim(ann), NothingLeft)


def test_nothing_left_is_remembered_until_a_seat_opens(project, ann):
    others = [builders.make_member(project) for _ in range(3)]
    builders.make_open_item(project)
    seats = [claimed(member) for member in others]
    first = claim.claim(ann)
    assert isinstance(first, NothingLeft)
    with CaptureQueriesContext(connection) as queries:
        assert claim.claim(ann) == first
    assert len(spoken(queries)) == 2
    submit.skip_seat(others[0], seats[0].public_id)
    assert claimed(ann).item == seats[0].item


def test_a_lapsed_seat_goes_to_somebody_else_only_when_it_is_needed(project, ann):
    builders.make_open_item(project)
    late = claimed(builders.make_member(project))
    lapse(late)
    assert claimed(ann).number == 2
    claimed(builders.make_member(project))
    assert claimed(builders.make_member(project)).number == late.number


def test_the_sweep_frees_lapsed_seats_and_counts_them_back(project, ann):
    item = builders.make_open_item(project)
    lapse(claimed(ann))
    kept = claimed(builders.make_member(project))
    assert free_lapsed_seats() == 1
    item.refresh_from_db()
    assert item.taken == 1
    assert list(Seat.objects.filter(annotator__isnull=False)) == [kept]
    assert free_lapsed_seats() == 0


def test_ones_own_lapsed_seat_comes_back_renewed_while_nobody_took_it(project, ann):
    builders.make_open_item(project)
    seat = claimed(ann)
    lapse(seat)
    again = claimed(ann)
    assert again == seat and again.expires_at > again.held_at


def test_a_closed_project_a_reviewer_and_a_deactivated_member_get_nothing(project, ann):
    builders.make_open_item(project)
    assert isinstance(claim.claim(builders.make_member(project, Role.REVIEWER)), NotOpen)
    Membership.objects.filter(pk=ann.pk).update(active=False)
    assert isinstance(claim.claim(ann), NotOpen)
    Project.objects.update(is_open=False)
    assert isinstance(claim.claim(builders.make_member(project)), NotOpen)


def test_consent_comes_before_the_first_item(project):
    builders.make_open_item(project)
    assert isinstance(claim.claim(builders.make_member(project, consent_version=0)), ConsentNeeded)


def test_a_wrong_hint_is_put_right_by_the_claim_that_finds_it(project, ann):
    item = builders.make_open_item(project)
    fill(item, *(builders.make_member(project) for _ in range(3)))
    Item.objects.filter(pk=item.pk).update(taken=1)
    assert isinstance(claim.claim(ann), NothingLeft)
    assert Item.objects.get(pk=item.pk).taken == 3


def test_the_closing_scan_finds_what_the_probes_cannot_see(project, ann):
    # 64 items without any seat taken are the person's own already: each probe of that level sees only those.
    for place in range(item_query.PROBE_WIDTH):
        fill(builders.make_open_item(project, place=place), ann)
    Item.objects.update(taken=0)
    hidden = builders.make_open_item(project, place=item_query.PROBE_WIDTH)
    assert item_query.probe_items(item_query.ItemSearch(ann), 0) is None
    assert claimed(ann).item == hidden


@pytest.mark.parametrize("items", [10, 400])
def test_a_claim_takes_the_same_few_queries_however_many_items_there_are(project, ann, items):
    for _ in range(items):
        builders.make_open_item(project)
    with CaptureQueriesContext(connection) as queries:
        claimed(ann)
    # PostgreSQL stores the seat's owner and the workday with one statement.
    assert len(spoken(queries)) == (6 if connection.vendor == "postgresql" else 7)
    with CaptureQueriesContext(connection) as queries:
        claimed(ann)
    assert len(spoken(queries)) == 3


def test_a_probe_reads_few_pages_of_tables_that_were_never_counted(project, ann, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL plans by statistics")
    forget_statistics()
    Item.objects.bulk_create(
        Item(project=project, external_id=f"n{number}", text="Words.", stage=Stage.LABELLING, seats=3)
        for number in range(5000)
    )
    explained: list[int] = []

    def explain(statement: str, values: dict[str, int]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values)
            plan = cursor.fetchone()[0][0]["Plan"]
        explained.append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])

    with monkeypatch.context() as patch:
        patch.setattr(item_query, "_first", explain)
        search = item_query.ItemSearch(ann)
        for below in (False, True):
            item_query.probe_items(search, 2**30, below=below)
    assert max(explained) < 100


def spoken(queries: CaptureQueriesContext) -> list[str]:
    """The statements but for those that begin and end transactions."""
    statements = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in statements if not sql.startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"))]
