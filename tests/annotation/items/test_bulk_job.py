"""Changing many items at once: counted, confirmed, resumed, told."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import builders
from annotation.consensus.close import close_item
from annotation.consensus.exclude import report_item
from annotation.domain.choices import Reason, Role, Stage
from annotation.items import bulk_job
from annotation.items.bulk_actions import ACTS
from annotation.items.bulk_job import BULK_CHANGES, ListChanged, order
from annotation.models import Batch, BulkOrder, Event, Item, Seat
from annotation.operations.audit import audit
from annotation.operations.sweep import sweep
from markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project("many")


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN, Role.REVIEWER)


def ask(admin, act, count, *, query="", chosen=None, key=None, **options):
    """Order a change as the page does."""
    return order(admin, ACTS[act], options, query=query, chosen=chosen, count=count, key=key or uuid4())


def told(row):
    row.refresh_from_db()
    return row.state, row.items_done, row.passed_over


def closed_item(project, codes, **fields):
    item = builders.make_labelled_item(project, [builders.make_member(project) for _ in codes], codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


# ── What each act does ────────────────────────────────────────────────────────


def test_items_get_a_batch_with_its_row_and_its_queue(project, admin):
    for number in range(3):
        builders.make_open_item(project, external_id=f"i{number}", batch="old" if number else "new")
    Batch.objects.create(project=project, name="new", state="paused")
    row = ask(admin, "batch", 3, batch="new")
    assert told(row) == ("done", 2, {"unchanged": 1})
    assert set(Item.objects.values_list("batch", "queue")) == {("new", None)}
    assert told(ask(admin, "batch", 3, batch="")) == ("done", 3, {})
    assert set(Item.objects.values_list("batch", flat=True)) == {""}
    ask(admin, "batch", 3, batch="never seen")
    assert Batch.objects.filter(project=project, name="never seen").exists()


def test_items_get_a_priority(project, admin):
    for priority in (0, 7, 0):
        builders.make_item(project, priority=priority)
    assert told(ask(admin, "priority", 3, priority=7)) == ("done", 2, {"unchanged": 1})
    assert list(Item.objects.values_list("priority", flat=True)) == [7, 7, 7]


def test_items_are_taken_out_each_with_its_event_and_the_reason(project, admin):
    gone = builders.make_item(project, stage=Stage.EXCLUDED, excluded_for=Reason.WITHDRAWN)
    item = builders.make_open_item(project)
    assert told(ask(admin, "withdraw", 2, reason="The source asked.")) == ("done", 1, {"already_out": 1})
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.WITHDRAWN)
    event = Event.objects.get(item=item, verb="withdraw_item")
    assert (event.actor, event.facts) == (admin, {"reason": "The source asked."})
    assert not Event.objects.filter(item=gone).exists()


def test_closed_items_go_to_a_new_round_and_the_rest_is_passed_over_with_its_reason(project, admin):
    gold, disputed = closed_item(project, (1, 1, 1)), closed_item(project, (1, 2, 0))
    begun = builders.make_open_item(project)
    reported = closed_item(project, (2, 2, 2))
    report_item(reported, admin)
    row = ask(admin, "again", 4, reason="The guidelines changed.")
    assert told(row) == ("done", 2, {"still_open": 1, "reported": 1})
    for item in (gold, disputed):
        item.refresh_from_db()
        assert (item.stage, item.round) == (Stage.LABELLING, 2)
        assert Seat.objects.filter(item=item, round=2, annotator=None).count() == 3
        assert item.adjudications.get().rationale == "The guidelines changed."
    begun.refresh_from_db()
    assert begun.round == 1
    assert [line for line in audit(project) if line.startswith("Ruling") or "seat" in line] == []


def test_an_admin_who_does_not_review_cannot_send_disputed_items_to_a_new_round(project):
    admin = builders.make_member(project, Role.ADMIN)
    closed_item(project, (1, 2, 0))
    assert told(ask(admin, "again", 1, reason="Why not.")) == ("done", 0, {"needs_reviewer": 1})


def test_ready_items_are_opened_and_the_others_told(project, admin):
    ready = builders.make_item(project)
    builders.make_item(project, picture_missing=True)
    builders.make_open_item(project)
    assert told(ask(admin, "open", 3)) == ("done", 1, {"picture_missing": 1, "not_ready": 1})
    assert ready.seat_rows.count() == 3


def test_priors_are_asked_for_where_they_are_missing(project, admin):
    item = builders.make_item(project)
    assert told(ask(admin, "priors", 1))[1:] == (1, {})
    assert Event.objects.filter(verb="priors_requested", actor=admin).exists()
    assert item.priors.count() == 0  # a worker asks the model


# ── Counting and guarding ─────────────────────────────────────────────────────


def test_a_list_that_changed_since_it_was_shown_is_not_touched(project, admin):
    builders.make_item(project, stage=Stage.GOLD)
    builders.make_item(project, stage=Stage.GOLD)
    with pytest.raises(ListChanged) as changed:
        ask(admin, "priority", 1, query="stage=gold", priority=5)
    assert changed.value.now == 2
    assert not Item.objects.filter(priority=5).exists()
    assert not BulkOrder.objects.exists()


def test_only_what_the_query_finds_or_was_chosen_changes_and_only_in_ones_own_project(project, admin):
    one, two = builders.make_item(project, stage=Stage.GOLD), builders.make_item(project)
    foreign = builders.make_item(builders.make_project(), stage=Stage.GOLD)
    ask(admin, "priority", 1, query="stage=gold", priority=5)
    assert set(Item.objects.filter(priority=5)) == {one}
    ask(admin, "priority", 1, chosen=[str(two.public_id), str(foreign.public_id), "nonsense"], priority=6)
    assert set(Item.objects.filter(priority=6)) == {two}


def test_the_same_form_sent_twice_is_one_order(project, admin):
    builders.make_item(project)
    key = uuid4()
    first = ask(admin, "withdraw", 1, reason="Once.", key=key)
    assert ask(admin, "withdraw", 1, reason="Once.", key=key) == first
    assert Event.objects.filter(verb="withdraw_item").count() == 1


def test_one_event_tells_of_the_whole_change(project, admin):
    for number in range(3):
        builders.make_item(project, priority=number)
    row = ask(admin, "priority", 3, priority=2)
    event = Event.objects.get(verb="bulk_change")
    assert (event.actor, event.row) == (admin, row.public_id)
    assert event.facts == {"act": "priority", "done": 2, "passed_over": {"unchanged": 1}, "ended": "done"}


# ── Large ones, workers, kills ────────────────────────────────────────────────


@pytest.fixture
def large(project, monkeypatch):
    """Orders of more than two items are left to a worker, who takes two at a time."""
    monkeypatch.setattr(bulk_job, "SMALL", 2)
    monkeypatch.setattr(bulk_job, "AT_ONCE", 2)
    return [builders.make_item(project, external_id=f"i{number}") for number in range(7)]


def test_a_large_order_waits_for_a_worker_and_the_sweeper_finds_it(project, admin, large):
    row = ask(admin, "priority", 7, priority=3)
    assert told(row) == ("queued", 0, {})
    assert BULK_CHANGES.left_behind() == []
    BulkOrder.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert BULK_CHANGES.left_behind() == [row.pk]
    assert sweep()["changes_enqueued"] == 1
    BULK_CHANGES.perform(row.pk)
    assert told(row) == ("done", 7, {})


def test_a_worker_that_died_is_followed_by_one_that_goes_on_where_it_was(project, admin, large):
    row = ask(admin, "withdraw", 7, reason="Gone.")
    BulkOrder.objects.update(state="building", beat_at=timezone.now())
    assert bulk_job._change_next(row.pk)
    assert bulk_job._change_next(row.pk)
    assert told(row) == ("building", 4, {})
    BULK_CHANGES.perform(row.pk)  # somebody seems to be at it
    assert told(row)[1] == 4
    BulkOrder.objects.update(beat_at=timezone.now() - timedelta(minutes=3))
    BULK_CHANGES.perform(row.pk)
    assert told(row) == ("done", 7, {})
    assert Event.objects.filter(verb="withdraw_item").count() == 7
    assert Event.objects.filter(verb="bulk_change").count() == 1


def test_what_no_longer_matches_when_its_turn_comes_is_left_alone(project, admin, large):
    row = ask(admin, "priority", 7, query="stage=imported", priority=3)
    Item.objects.filter(pk=large[4].pk).update(stage=Stage.READY)
    late = builders.make_item(project)
    BULK_CHANGES.perform(row.pk)
    assert told(row) == ("done", 6, {})
    assert set(Item.objects.exclude(priority=3)) == {large[4], late}


def test_a_cancelled_order_keeps_what_was_done_and_stops(project, admin, large):
    row = ask(admin, "priority", 7, priority=3)
    BulkOrder.objects.update(state="building", beat_at=timezone.now())
    bulk_job._change_next(row.pk)
    assert BULK_CHANGES.cancel(row)
    assert not bulk_job._change_next(row.pk)
    assert told(row) == ("cancelled", 2, {})
    assert not BULK_CHANGES.cancel(row)


def test_nothing_more_happens_once_the_project_is_archived_or_the_admin_gone(project, admin, large):
    first, second = ask(admin, "priority", 7, priority=3), ask(admin, "priority", 7, priority=4)
    type(project).objects.update(archived_at=timezone.now())
    BULK_CHANGES.perform(first.pk)
    type(project).objects.update(archived_at=None)
    type(admin).objects.filter(pk=admin.pk).update(administers=False)
    BULK_CHANGES.perform(second.pk)
    assert (told(first)[:2], told(second)[:2]) == (("failed", 0), ("failed", 0))
    first.refresh_from_db()
    assert "archived or deleted in the meantime" in first.problem


# ── The pages ─────────────────────────────────────────────────────────────────


@pytest.fixture
def client(admin):
    client = Client()
    client.force_login(admin.user)
    return client


def test_the_page_shows_the_count_asks_and_then_does_it(project, client):
    for stage in ("gold", "gold", "imported"):
        builders.make_item(project, stage=stage)
    address = reverse("annotation:bulk", args=["many"])
    page = client.post(address, {"act": "withdraw", "which": "all", "query": "stage=gold"})
    assert page.status_code == 200
    assert "Take out: 2 items" in compact(page.content.decode())
    assert page.context["stages"] == {"gold": 2}
    assert not Item.objects.filter(stage="excluded").exists()

    sent = {"act": "withdraw", "which": "all", "query": "stage=gold", "confirm": "1", "count": "2"}
    sent["key"] = str(page.context["key"])
    refused = client.post(address, sent)  # no reason
    assert (refused.status_code, refused.context["count"]) == (422, 2)
    done = client.post(address, sent | {"reason": "The source asked."}, follow=True)
    assert done.redirect_chain[0][0] == reverse(
        "annotation:bulk-order", args=["many", BulkOrder.objects.get().public_id]
    )
    assert Item.objects.filter(stage="excluded").count() == 2


def test_the_page_asks_again_when_the_list_changed(project, client):
    builders.make_item(project)
    address = reverse("annotation:bulk", args=["many"])
    page = client.post(address, {"act": "priority", "which": "all", "query": ""})
    builders.make_item(project)
    sent = {"act": "priority", "which": "all", "confirm": "1", "count": "1", "key": str(page.context["key"])}
    again = client.post(address, sent | {"priority": "4"})
    assert (again.status_code, again.context["count"]) == (409, 2)
    assert "1 before, 2 now" in again.content.decode()
    assert 'name="priority" value="4"' in again.content.decode()
    assert not Item.objects.filter(priority=4).exists()
    sent |= {"count": "2", "key": str(again.context["key"]), "priority": "4"}
    assert client.post(address, sent).status_code == 302
    assert Item.objects.filter(priority=4).count() == 2


def test_nothing_chosen_and_acts_that_do_not_exist_change_nothing(project, client):
    address = reverse("annotation:bulk", args=["many"])
    assert client.post(address, {"act": "priority", "which": "chosen"}).status_code == 302
    assert client.post(address, {"act": "format", "which": "all"}).status_code == 400
    wrong = client.post(address, {"act": "open", "which": "all", "query": "stage=heaven"}, follow=True)
    assert "“heaven” is no stage" in wrong.content.decode()
    assert not BulkOrder.objects.exists()


def test_a_large_order_shows_how_far_it_is_and_can_be_cancelled(project, admin, client, large):
    row = ask(admin, "priority", 7, priority=3)
    page = client.get(reverse("annotation:bulk-order", args=["many", row.public_id])).content.decode()
    assert "waiting for a worker" in page
    assert "0 of 7 items" in page
    client.post(reverse("annotation:bulk-cancel", args=["many", row.public_id]))
    ended = client.get(reverse("annotation:bulk-progress", args=["many", row.public_id]))
    assert ended["HX-Redirect"] == reverse("annotation:bulk-order", args=["many", row.public_id])
    assert told(row)[0] == "cancelled"
