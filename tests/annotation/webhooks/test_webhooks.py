"""A project's webhook: what it is told, how it is signed and repeated, and its page (T26, T27)."""

import hashlib
import hmac
import json
import re
import time
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings as site
from django.db.models.functions import Now
from django.utils import timezone

import builders
from annotation.consensus.close import close_item, dispute_item
from annotation.consensus.exclude import report_item
from annotation.core.sealed import CannotOpen, unseal
from annotation.domain.choices import EventVerb, Policy, Reason, Role
from annotation.domain.outgoing import MOST_ATTEMPTS, MOST_FAILURES, DeliveryState, Happening, delay_after
from annotation.models import Delivery, Event, Item, Project, Webhook
from annotation.projects.purge import paths_to
from annotation.releases.build import release
from annotation.webhooks import change, happenings, send
from concurrency import at_once
from moderation.debates import start as debate_start
from providers import wiring_web
from providers.http.safe_urls import FetchFault
from runs.domain.states import ASIDE
from runs.execution import runner, worker
from runs.models import Run
from webhook_receiver import Receiver

pytestmark = pytest.mark.django_db(transaction=True)

ALL = [kind.value for kind in Happening if kind is not Happening.TEST]


@pytest.fixture
def receiver(settings):
    found = Receiver()
    settings.WEBHOOK_ALLOW = [found.origin]
    yield found
    found.stop()


@pytest.fixture
def admin():
    return builders.make_member(builders.make_project(slug="winter"), Role.ADMIN)


@pytest.fixture
def webhook(admin, receiver, monkeypatch):
    monkeypatch.setattr(send, "ring", lambda webhook_id: True)
    monkeypatch.setattr(change, "ring", lambda webhook_id: True)
    change.store(admin, f"{receiver.origin}/hook?a=1", ALL)
    return Webhook.objects.get()


def closed_item(project, codes=(0, 0, 1), text="A secret text about a garden."):
    trio = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, trio, codes, text=text)
    close_item(item)
    item.refresh_from_db()
    return item


def tell(webhook):
    """Let a message wait that tells of a post."""
    return Delivery.objects.create(
        webhook=webhook, key=f"item:{uuid4()}", happening=Happening.ITEM_CLOSED, happened_at=timezone.now()
    )


def due_now(webhook):
    Webhook.objects.filter(pk=webhook.pk).update(resume_at=None)


# ── What is told ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_off_by_an_hour_loses_and_repeats_nothing(webhook, receiver, monkeypatch, hours):
    def off(act):
        wrong = timezone.now() + timedelta(hours=hours)
        with monkeypatch.context() as clock:
            clock.setattr(timezone, "now", lambda: wrong)
            return act()

    Webhook.objects.update(created_at=timezone.now() - timedelta(hours=2))
    off(send.look_and_ring)  # it may not take what happens in the next hour for read
    item = closed_item(webhook.project)
    wrong = timezone.now() + timedelta(hours=hours)
    Event.objects.create(project=webhook.project, item=item, verb=EventVerb.CLOSED, facts={"stage": "gold"}, at=wrong)
    for _look in range(2):
        send.look_and_ring()
        off(send.look_and_ring)
    assert Delivery.objects.filter(happening=Happening.ITEM_CLOSED).count() == 2
    Webhook.objects.update(lease_until=Now() + timedelta(seconds=30))
    off(lambda: send.send_due(webhook.pk))  # another worker sends
    assert receiver.taken == []
    Webhook.objects.update(lease_until=None)
    receiver.statuses = [500]
    off(lambda: send.send_due(webhook.pk))
    webhook.refresh_from_db()
    assert timedelta(seconds=20) < webhook.resume_at - timezone.now() <= timedelta(seconds=30)


def test_closed_and_disputed_items_and_releases_are_told_without_texts_or_people(webhook, receiver):
    project = webhook.project
    gold, torn = closed_item(project), closed_item(project, (0, 1, 2))
    dispute_item(gold, Reason.APPEAL)
    send.look_and_ring()
    send.send_due(webhook.pk)
    told = [(message["event"], message["data"].get("item")) for message in receiver.messages()]
    assert told == [
        ("item.closed", str(gold.public_id)),
        ("item.closed", str(torn.public_id)),
        ("item.disputed", str(torn.public_id)),
        ("item.disputed", str(gold.public_id)),
    ]
    first = receiver.messages()[0]
    assert first["project"] == "winter"
    assert first["data"]["page"] == f"{site.SITE_URL}/p/winter/items/{gold.public_id}/"
    everything = b"".join(body for _path, _headers, body in receiver.taken)
    names = [member.pseudonym for member in project.memberships.all()]
    assert b"secret text" not in everything
    assert not any(name.encode() in everything for name in names)


def test_a_report_is_told_with_the_page_that_answers_it_and_nothing_more(webhook, receiver):
    item = builders.make_open_item(webhook.project, "A secret text about a garden.")
    report_item(item, builders.make_member(webhook.project), "Words of the reporter.")
    send.look_and_ring()
    send.send_due(webhook.pk)
    (message,) = receiver.messages()
    page = f"{site.SITE_URL}/p/winter/reports/{item.public_id}/"
    assert message["event"] == "item.reported"
    assert message["data"] == {"item": str(item.public_id), "page": page}


def test_a_release_is_told_with_its_number(webhook, receiver):
    closed_item(webhook.project)
    release(webhook.project, None)
    send.look_and_ring()
    send.send_due(webhook.pk)
    assert [message["event"] for message in receiver.messages()] == ["item.closed", "release.made"]
    assert receiver.messages()[1]["data"] == {
        "version": 1, "items": 1, "page": f"{site.SITE_URL}/p/winter/releases/1/",
    }  # fmt: skip


def test_the_end_of_a_real_run_reaches_the_receiver_once(webhook, receiver, settings):
    settings.MODEL_ALLOWED = ["keyword:cues-1"]
    item = closed_item(webhook.project, text="All immigrants are vermin.")
    Webhook.objects.update(happenings=["run.ended"])
    request = debate_start.DebateRequest("arcade", {})
    debate_start.start_runs(webhook.project, Item.objects.filter(pk=item.pk), request, ring=False)
    send.look_and_ring()
    assert not Delivery.objects.exists()  # the run waits for a worker
    run = Run.objects.get()
    runner.claim_and_perform(run.pk, worker.planned_model)
    for _ in range(2):
        send.look_and_ring()
        send.send_due(webhook.pk)
    (message,) = receiver.messages()
    assert (message["event"], message["project"]) == ("run.ended", "winter")
    assert message["data"] == {
        "run": str(run.public_id), "method": "arcade", "state": "succeeded", "subject": str(item.public_id),
    }  # fmt: skip


def test_runs_that_are_about_no_item_of_the_lists_are_not_told(webhook):
    item, limits = builders.make_item(webhook.project), {"call_limit": 1, "token_limit": 1, "seconds_limit": 1}
    runs = (
        ("arcade", ASIDE + "cases", uuid4()),  # of an evaluation
        ("hatexscore", ASIDE + "scores", uuid4()),
        ("counterspeech", "", uuid4()),
        ("injection", "", uuid4()),
        ("arcade", "", item.public_id),
    )
    for method, variant, subject in runs:
        Run.objects.create(
            method=method, variant=variant, subject=subject, project=webhook.project.public_id,
            state="succeeded", finished_at=Now(), **limits,
        )  # fmt: skip
    send.look_and_ring()
    assert [delivery.facts["subject"] for delivery in Delivery.objects.all()] == [str(item.public_id)]


def test_an_item_that_is_excluded_at_its_last_label_is_closed_and_not_disputed(webhook):
    Project.objects.update(policy=Policy.PAPER)
    webhook.refresh_from_db()
    closed_item(webhook.project, (0, 1))
    send.look_and_ring()
    assert [(told.happening, told.facts["stage"]) for told in Delivery.objects.all()] == [("item.closed", "excluded")]


def test_what_happened_before_or_is_not_asked_for_is_not_told(webhook, receiver):
    closed_item(webhook.project)
    Webhook.objects.update(created_at=timezone.now(), happenings=["release.made"])
    closed_item(webhook.project)
    send.look_and_ring()
    assert not Delivery.objects.exists()


def test_each_happening_is_told_once_however_often_it_is_looked_for(webhook):
    closed_item(webhook.project)
    for _ in range(3):
        happenings.read_happenings(Webhook.objects.get())
    assert [delivery.happening for delivery in Delivery.objects.all()] == ["item.closed"]


def test_many_happenings_are_taken_a_thousand_at_a_time_and_none_is_lost(webhook, monkeypatch):
    monkeypatch.setattr(happenings, "AT_ONCE", 2)
    items = [closed_item(webhook.project) for _ in range(5)]
    counts = [happenings.read_happenings(Webhook.objects.get()) for _ in range(4)]
    assert counts == [2, 2, 1, 0]
    told = {delivery.facts["item"] for delivery in Delivery.objects.all()}
    assert told == {str(item.public_id) for item in items}


# ── How it is sent ────────────────────────────────────────────────────────────


def test_a_message_is_signed_over_timestamp_and_body(webhook, receiver):
    change.send_test(webhook)
    send.send_due(webhook.pk)
    path, headers, body = receiver.taken[0]
    assert path == "/hook?a=1"
    secret, timestamp = unseal(webhook.sealed_secret), headers["X-Interplay-Timestamp"]
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers["X-Interplay-Signature"] == f"sha256={expected}"
    assert abs(time.time() - int(timestamp)) < 30
    assert headers["X-Interplay-Delivery"] == json.loads(body)["id"] == str(Delivery.objects.get().public_id)


def test_the_receiver_in_the_document_takes_our_messages_and_nobody_elses(webhook, receiver):
    source = re.search(r"```python\n(.*?)```", Path("docs/webhooks.md").read_text(), re.DOTALL)[1]
    example = {"__name__": "receiver"}
    exec(source, example)
    change.send_test(webhook)
    send.send_due(webhook.pk)
    _path, headers, body = receiver.taken[0]
    assert example["read_message"](headers, body) is None
    example["SECRET"] = unseal(webhook.sealed_secret)
    assert example["read_message"](headers, body)["event"] == "test"
    assert example["read_message"](headers, body + b" ") is None
    assert example["read_message"](headers | {"X-Interplay-Timestamp": str(int(time.time()) - 301)}, body) is None


def test_a_failed_message_keeps_its_id_and_its_place_and_waits_longer_each_time(webhook, receiver):
    receiver.statuses = [500, 302, 204]
    for _ in range(2):
        tell(webhook)
    first, second = Delivery.objects.order_by("pk")
    send.send_due(webhook.pk)
    assert len(receiver.taken) == 1  # the second waits behind the first
    webhook.refresh_from_db()
    assert timedelta(seconds=20) < webhook.resume_at - timezone.now() <= timedelta(seconds=30)
    send.send_due(webhook.pk)
    assert len(receiver.taken) == 1  # it is not due
    due_now(webhook)
    send.send_due(webhook.pk)  # a redirect is a failure, and is not followed
    webhook.refresh_from_db()
    assert timedelta(seconds=110) < webhook.resume_at - timezone.now() <= timedelta(minutes=2)
    due_now(webhook)
    send.send_due(webhook.pk)
    assert [message["id"] for message in receiver.messages()] == [str(first.public_id)] * 3 + [str(second.public_id)]
    first.refresh_from_db()
    assert (first.state, first.attempts, first.status) == (DeliveryState.DELIVERED, 3, 204)
    assert Webhook.objects.get().failures == 0
    assert {path for path, *_ in receiver.taken} == {"/hook?a=1"}


def test_a_dead_receiver_loses_a_message_after_six_attempts_and_is_switched_off_after_twelve(webhook, receiver):
    receiver.statuses = [503]
    for _ in range(3):
        tell(webhook)
    for _ in range(20):
        due_now(webhook)
        send.send_due(webhook.pk)
    webhook.refresh_from_db()
    assert len(receiver.taken) == MOST_FAILURES == 2 * MOST_ATTEMPTS == 12
    assert webhook.disabled_at is not None
    states = list(Delivery.objects.order_by("pk").values_list("state", flat=True))
    assert states == [DeliveryState.GIVEN_UP, DeliveryState.GIVEN_UP, DeliveryState.WAITING]
    receiver.statuses = [204]
    change.switch_on(builders.make_member(webhook.project, Role.ADMIN), webhook)
    send.send_due(webhook.pk)
    assert Delivery.objects.filter(state=DeliveryState.DELIVERED).count() == 1


def test_tests_use_up_no_try_of_a_message_that_waits(webhook, receiver):
    receiver.statuses = [500]
    waiting = tell(webhook)
    send.send_due(webhook.pk)
    webhook.refresh_from_db()
    rests_until = webhook.resume_at
    for _ in range(7):
        assert change.send_test(webhook) is not None
        send.send_due(webhook.pk)
    waiting.refresh_from_db()
    webhook.refresh_from_db()
    assert (waiting.state, waiting.attempts, webhook.failures) == (DeliveryState.WAITING, 1, 1)
    assert (webhook.resume_at, webhook.disabled_at) == (rests_until, None)
    tests = Delivery.objects.filter(happening=Happening.TEST)
    assert set(tests.values_list("state", "attempts", "status")) == {(DeliveryState.GIVEN_UP, 1, 500)}
    receiver.statuses = [204]
    change.send_test(webhook)
    send.send_due(webhook.pk)  # the receiver is well again: what waited follows at once
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempts, Webhook.objects.get().failures) == (DeliveryState.DELIVERED, 2, 0)
    assert [message["event"] for message in receiver.messages()][-2:] == ["test", "item.closed"]


def test_the_sweeper_enqueues_a_test_although_the_receiver_rests(webhook, receiver, monkeypatch):
    rung = []
    monkeypatch.setattr(send, "ring", lambda webhook_id: rung.append(webhook_id) or True)
    tell(webhook)
    Webhook.objects.update(resume_at=timezone.now() + timedelta(hours=1))
    send.look_and_ring()
    assert rung == []
    change.send_test(webhook)
    send.look_and_ring()
    assert rung == [webhook.pk]


def test_pauses_grow_up_to_three_hours():
    assert [delay_after(n) for n in (1, 2, 3, 4, 5, 6, 60)] == [
        timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=8), timedelta(minutes=32),
        timedelta(minutes=128), timedelta(hours=3), timedelta(hours=3),
    ]  # fmt: skip


def test_two_workers_never_send_to_one_webhook_at_once(webhook, receiver):
    change.send_test(webhook)
    Webhook.objects.update(lease_until=timezone.now() + timedelta(seconds=50))
    send.send_due(webhook.pk)
    assert receiver.taken == []
    Webhook.objects.update(lease_until=timezone.now() - timedelta(seconds=1))  # that worker has died
    send.send_due(webhook.pk)
    assert len(receiver.taken) == 1


@pytest.mark.django_db(transaction=True)
def test_workers_that_are_rung_at_the_same_moment_send_each_message_once(webhook, receiver):
    for round_ in range(1, 11):
        change.send_test(webhook)
        at_once([lambda: send.send_due(webhook.pk)] * 6)
        assert len(receiver.taken) == round_


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("http://example.org/", "bad_scheme"),
        ("https://127.0.0.1/", "blocked_address"),
        ("https://10.1.2.3/x", "blocked_address"),
        ("https://[::1]/", "blocked_address"),
        ("https://localhost/x", "blocked_address"),
        ("https://printer.LOCAL./", "blocked_address"),
        ("https://api.internal/", "blocked_address"),
        ("https://router.home.arpa/", "blocked_address"),
        ("https://intranet/", "blocked_address"),
        ("https://example.org:8443/", "blocked_port"),
        ("https://user:pass@example.org/", "bad_url"),
        ("ftp://example.org/", "bad_scheme"),
        ("nonsense", "bad_url"),
    ],
)
def test_private_addresses_are_refused(address, code):
    with pytest.raises(FetchFault) as refused:
        wiring_web.webhook_poster().check(address)
    assert refused.value.code == code


def test_a_name_that_leads_to_a_private_address_gets_nothing(webhook, receiver, settings):
    # It was stored before such names were refused: only its origin, named by the operator, would open it.
    Webhook.objects.update(address=f"https://localhost/{receiver.origin}")
    change.send_test(webhook)
    send.send_due(webhook.pk)
    assert receiver.taken == []
    assert Delivery.objects.get().problem in ("blocked_address", "unreachable")


def test_a_deleted_project_takes_its_webhook_along_and_is_told_nothing_more(webhook, receiver):
    assert paths_to(Project)[Webhook] == "project"
    assert paths_to(Project)[Delivery] == "webhook__project"
    change.send_test(webhook)
    Project.objects.update(delete_after=timezone.now() + timedelta(days=7))
    send.send_due(webhook.pk)
    assert receiver.taken == []


def test_finished_messages_are_forgotten_after_thirty_days(webhook):
    change.send_test(webhook)
    send.send_due(webhook.pk)
    Delivery.objects.update(tried_at=timezone.now() - timedelta(days=31))
    send.look_and_ring()
    assert not Delivery.objects.exists()


# ── The secret and the page ───────────────────────────────────────────────────


def test_a_secret_is_not_readable_in_the_database_and_survives_a_change_of_the_key(webhook, settings):
    secret = unseal(webhook.sealed_secret)
    assert secret.startswith("whsec_")
    assert secret not in webhook.sealed_secret
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key of this site", [settings.SECRET_KEY]
    assert unseal(webhook.sealed_secret) == secret
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(CannotOpen):
        unseal(webhook.sealed_secret)


def test_an_admin_sets_it_up_and_sees_the_secret_once(admin, receiver, client):
    client.force_login(admin.user)
    page = client.post("/p/winter/webhook/", {"address": receiver.origin, "happenings": ["item.closed"]})
    row = Webhook.objects.get()
    secret = unseal(row.sealed_secret)
    assert page.status_code == 200
    assert secret in page.content.decode()
    assert secret not in client.get("/p/winter/webhook/").content.decode()
    again = client.post("/p/winter/webhook/", {"address": receiver.origin + "/b", "happenings": ["run.ended"]})
    row.refresh_from_db()
    assert (again.status_code, row.happenings, unseal(row.sealed_secret)) == (302, ["run.ended"], secret)
    renewed = client.post("/p/winter/webhook/do/", {"act": "secret"})
    row.refresh_from_db()
    assert unseal(row.sealed_secret) != secret
    assert unseal(row.sealed_secret) in renewed.content.decode()


def test_a_private_address_is_refused_on_the_page_and_nothing_is_lost(admin, client):
    client.force_login(admin.user)
    page = client.post("/p/winter/webhook/", {"address": "https://10.0.0.5/hook", "happenings": ["item.closed"]})
    assert page.status_code == 422
    assert "not on the public Internet" in page.content.decode()
    assert "https://10.0.0.5/hook" in page.content.decode()
    assert not Webhook.objects.exists()


def test_the_page_shows_messages_with_their_last_answer_and_says_that_it_is_off(webhook, receiver, admin, client):
    receiver.statuses = [404]
    change.send_test(webhook)
    send.send_due(webhook.pk)
    Webhook.objects.update(disabled_at=timezone.now())
    client.force_login(admin.user)
    page = client.get("/p/winter/webhook/").content.decode()
    assert "<td>404</td>" in page
    assert "it failed 12 times in a row" in page
    client.post("/p/winter/webhook/do/", {"act": "on"})
    assert Webhook.objects.get().disabled_at is None
    client.post("/p/winter/webhook/do/", {"act": "remove"})
    assert not Webhook.objects.exists()


def test_only_admins_open_it(webhook, client):
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        client.force_login(builders.make_member(webhook.project, role).user)
        assert client.get("/p/winter/webhook/").status_code == 404
        assert client.post("/p/winter/webhook/do/", {"act": "test"}).status_code == 404


# ── The API ───────────────────────────────────────────────────────────────────

HOOKS = "/api/v1/projects/winter/webhooks/"


def test_a_program_sets_a_webhook_up_and_is_told_the_secret_once(admin, receiver, client, monkeypatch):
    monkeypatch.setattr(change, "ring", lambda webhook_id: True)
    client.force_login(admin.user)
    assert client.get(HOOKS).json() == []
    wanted = {"address": receiver.origin, "happenings": ["item.closed"]}
    made = client.post(HOOKS, wanted, content_type="application/json")
    row = Webhook.objects.get()
    assert (made.status_code, made.json()["secret"]) == (201, unseal(row.sealed_secret))
    again = client.post(HOOKS, wanted, content_type="application/json")
    assert (again.status_code, again.json()["code"]) == (409, "webhook_exists")
    unreadable = client.post(HOOKS, {"address": "nonsense"}, content_type="application/json")
    assert (unreadable.status_code, set(unreadable.json()["fields"])) == (400, {"happenings"})
    one = f"{HOOKS}{row.public_id}/"
    changed = client.patch(one, {"happenings": ["run.ended"]}, content_type="application/json").json()
    assert (changed["address"], changed["happenings"]) == (receiver.origin, ["run.ended"])
    assert client.post(f"{one}test/").status_code == 202
    send.send_due(row.pk)
    shown = client.get(HOOKS).json()
    assert [(message["event"], message["status"]) for message in shown[0]["messages"]] == [("test", 204)]
    assert made.json()["secret"] not in json.dumps([shown, changed, client.get(one).json()])
    assert client.delete(one).status_code == 204
    assert not Webhook.objects.exists()


def test_a_secret_whose_key_is_lost_is_made_anew_over_the_api(webhook, receiver, admin, client, settings):
    settings.SECRET_KEY = "a key that came after the lost one"
    change.send_test(webhook)
    send.send_due(webhook.pk)
    assert Delivery.objects.get().problem == send.KEY_LOST
    client.force_login(admin.user)
    answer = client.post(f"{HOOKS}{webhook.public_id}/secret/")
    webhook.refresh_from_db()
    assert (answer.status_code, answer.json()["secret"]) == (200, unseal(webhook.sealed_secret))
    assert change.send_test(webhook)
    send.send_due(webhook.pk)
    assert [(message["status"], message["problem"]) for message in answer_of(client)] == [(204, ""), (None, "key_lost")]


def answer_of(client):
    return client.get(HOOKS).json()[0]["messages"]


def test_the_api_refuses_private_addresses_unknown_happenings_and_a_sixth_waiting_test(webhook, admin, client):
    client.force_login(admin.user)
    one = f"{HOOKS}{webhook.public_id}/"
    for wrong in ({"address": "https://10.0.0.5/"}, {"happenings": ["item.read"]}, {"happenings": []}):
        assert client.patch(one, wrong, content_type="application/json").status_code == 400, wrong
    assert [client.post(f"{one}test/").status_code for _ in range(6)] == [202] * 5 + [409]


def test_the_api_tells_nobody_but_admins_that_there_is_a_webhook(webhook, client):
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        client.force_login(builders.make_member(webhook.project, role).user)
        one = f"{HOOKS}{webhook.public_id}/"
        answers = [client.get(HOOKS), client.get(one), client.delete(one), client.post(f"{one}test/")]
        assert {answer.status_code for answer in answers} == {404}
    assert Webhook.objects.exists()
