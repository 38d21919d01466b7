"""E-mail that the site sends: invitations, requests for access; how it is sent, and how it ends."""

import re
from datetime import timedelta

import pytest
from django.core import mail as outbox
from django.core import signing
from django.db.models import Value
from django.utils import timezone

import builders
from annotation.consensus import report_notices
from annotation.domain.choices import Role
from annotation.domain.outgoing import MOST_ATTEMPTS, MailKind, MailState
from annotation.mail import queue, send
from annotation.members.erasure import erase
from annotation.models import Invitation, Mail, Membership, Project, Report, User
from annotation.projects.purge import paths_to
from annotation.releases import publication
from annotation.releases.build import release
from release_builders import make_gold
from runs.sql.database_clock import database_now
from smtp_server import SmtpServer

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "A secret text about a garden."


@pytest.fixture(autouse=True)
def _a_mail_server(settings, monkeypatch):
    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)


@pytest.fixture
def project():
    return builders.make_project(slug="winter", name="Winter campaign")


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN, user=builders.make_user(email="admin@example.org"))


def send_all():
    for mail in Mail.objects.filter(state=MailState.WAITING).order_by("pk"):
        send.send_mail(mail.pk)
    return outbox.outbox


def invite(client, **fields):
    values = {"invite-roles": ["annotator"], "invite-days": 14, "invite-address": "new@example.org"}
    return client.post("/p/winter/people/invitations/", values | fields)


# ── Invitations ───────────────────────────────────────────────────────────────


def test_an_invitation_goes_to_the_address_and_its_link_opens(admin, client):
    client.force_login(admin.user)
    assert "on its way to new@example.org" in invite(client).content.decode()
    waiting = Mail.objects.get()
    (message,) = send_all()
    assert (message.to, message.subject) == (["new@example.org"], "You are invited to Winter campaign")
    path = re.search(r"http://\S+(/invite/\S+)", message.body)[1]
    assert path.split("/")[-2] not in waiting.sealed_facts
    client.logout()
    assert client.get(path).status_code == 200
    sent = Mail.objects.get()
    assert (sent.state, sent.address, sent.sealed_facts) == (MailState.SENT, "", "")


def test_a_form_sent_twice_sends_one_mail_and_another_address_is_another_invitation(admin, client):
    client.force_login(admin.user)
    for address in ("new@example.org", "new@example.org", "second@example.org"):
        invite(client, **{"invite-key": "one form", "invite-address": address})
    assert sorted(Mail.objects.values_list("address", flat=True)) == ["new@example.org", "second@example.org"]
    assert Invitation.objects.count() == 2


def test_a_mail_whose_key_is_not_here_yet_is_tried_again_and_not_lost(admin, client, settings):
    client.force_login(admin.user)
    former, settings.SECRET_KEY = settings.SECRET_KEY, "the key that another machine has already"
    settings.SECRET_KEY_FALLBACKS = [former]
    invite(client)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = former, []
    assert send_all() == []
    waiting = Mail.objects.get()
    assert (waiting.state, waiting.attempts, waiting.address) == (MailState.WAITING, 1, "new@example.org")
    settings.SECRET_KEY_FALLBACKS = ["the key that another machine has already"]
    Mail.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert len(send_all()) == 1


def test_the_address_is_optional_and_a_wrong_one_makes_no_invitation(admin, client):
    client.force_login(admin.user)
    assert invite(client, **{"invite-address": "nobody"}).status_code == 422
    assert not Invitation.objects.exists()
    invite(client, **{"invite-address": ""})
    assert Invitation.objects.count() == 1
    assert not Mail.objects.exists()


def test_without_a_mail_server_no_page_offers_mail(admin, client, settings):
    settings.EMAIL_HOST = ""
    client.force_login(admin.user)
    assert "invite-address" not in client.get("/p/winter/people/").content.decode()
    page = client.get("/me/").content.decode()
    assert "access_mail" not in page
    assert "This site sends no e-mail" in page
    invite(client)
    assert not Mail.objects.exists()


def test_a_name_with_line_breaks_adds_no_header(admin, client):
    Project.objects.update(name=Value("Winter\r\nBcc: everybody@example.org"))  # as before names were one line
    client.force_login(admin.user)
    invite(client)
    (message,) = send_all()
    assert message.subject == "You are invited to Winter Bcc: everybody@example.org"
    assert message.recipients() == ["new@example.org"]
    assert "Bcc" not in dict(message.message().items())


@pytest.mark.parametrize("address", ["a@example.org\nBcc: b@example.org", "a@example.org,b@example.org", "<a@x.org>"])
def test_an_address_that_holds_more_than_one_address_is_refused(admin, client, address):
    client.force_login(admin.user)
    assert invite(client, **{"invite-address": address}).status_code == 422


def test_one_address_gets_ten_mails_a_day_and_a_project_sends_a_hundred(project):
    taken = [queue.queue_mail(MailKind.INVITATION, "A@example.org", {}, project=project) for _ in range(11)]
    assert taken == [True] * 10 + [False]
    assert not queue.queue_mail(MailKind.INVITATION, "a@EXAMPLE.org ", {}, project=project)
    others = [queue.queue_mail(MailKind.INVITATION, f"p{n}@example.org", {}, project=project) for n in range(91)]
    assert others == [True] * 90 + [False]
    Mail.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert queue.queue_mail(MailKind.INVITATION, "a@example.org", {}, project=project)


# ── Reports of illegal content ────────────────────────────────────────────────


def test_a_report_is_mailed_to_the_admins_and_the_contacts_without_a_word_of_the_post(project, admin, settings):
    settings.OPERATOR_CONTACT = "The operator, op@example.org or 02-123"
    Project.objects.filter(pk=project.pk).update(operator_contact="ADMIN@example.org, legal@example.org")
    User.objects.filter(pk=admin.user_id).update(language="ko")
    builders.make_member(project, Role.ADMIN, user=builders.make_user(email="gone@example.org"), active=False)
    builders.make_member(project, Role.REVIEWER, user=builders.make_user(email="reviewer@example.org"))
    builders.make_member(project, Role.ADMIN)  # without an address
    item = builders.make_open_item(project, SECRET)
    report_notices.report_post(item, builders.make_member(project), "Words of the reporter.")
    messages = send_all()
    assert [message.to for message in messages] == [["admin@example.org"], ["legal@example.org"], ["op@example.org"]]
    assert [("불법" in message.subject) for message in messages] == [True, False, False]
    for message in messages:
        assert f"/p/winter/reports/{item.public_id}/" in message.body and "Winter campaign" in message.subject
        for word in (SECRET, "Words of the reporter", item.external_id):
            assert word not in message.subject + message.body


def test_a_report_that_is_not_stored_is_not_mailed(project, admin, monkeypatch):
    monkeypatch.setattr(report_notices, "who_is_told", lambda project: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report_notices.report_post(builders.make_open_item(project), admin)
    assert not Mail.objects.exists() and not Report.objects.exists()


# ── Requests for a release ────────────────────────────────────────────────────


def test_a_request_is_told_to_admins_who_asked_and_its_answer_to_the_asker(project, admin):
    make_gold(project, [builders.make_member(project) for _ in range(3)], text=SECRET)
    shown = publication.publish(release(project, admin), admin)
    builders.make_member(project, Role.ADMIN, user=builders.make_user(email="silent@example.org"))
    User.objects.filter(pk=admin.user_id).update(access_mail=True)
    asked = [publication.request_access(shown, "Ada", f"ada{n}@example.org", "A", "To study.") for n in range(2)]
    (told,) = send_all()  # one an hour
    assert told.to == ["admin@example.org"]
    assert "/p/winter/releases/1/" in told.body
    assert "Ada" not in told.body
    publication.decide(shown.release, asked[0].request, admin, approved=True)
    answer = send_all()[1]
    assert answer.to == ["ada0@example.org"]
    assert answer.subject == "Your request for Winter campaign, release 1"
    assert asked[0].token not in answer.body
    assert SECRET not in told.body + answer.body
    assert "List-Unsubscribe" not in answer.extra_headers


def someone_is_told(project):
    user = builders.make_user(email="x@example.org", access_mail=True)
    member = builders.make_member(project, Role.ADMIN, user=user)
    facts = {"project": project.name, "number": 1, "page": "http://x/p/winter/releases/1/"}
    queue.queue_mail(MailKind.ACCESS_ASKED, user.email, facts, user=user)
    return member


def test_one_press_ends_the_notes_without_signing_in(project, client):
    member = someone_is_told(project)
    (message,) = send_all()
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = re.fullmatch(r"<http://[^/]+(/.*)>", message.extra_headers["List-Unsubscribe"])[1]
    assert path in message.body
    assert client.get(path).status_code == 200
    assert User.objects.get(pk=member.user_id).access_mail  # a program that only looks changes nothing
    client.handler.enforce_csrf_checks = True
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not User.objects.get(pk=member.user_id).access_mail
    assert client.post(path[:-4] + "xxx/").status_code == 404


def test_a_note_that_waits_is_not_sent_once_it_was_switched_off(project):
    member = someone_is_told(project)
    User.objects.filter(pk=member.user_id).update(access_mail=False)
    assert send_all() == []
    assert Mail.objects.get().state == MailState.UNWANTED


def test_admins_ask_for_notes_in_their_preferences(project, client):
    user = builders.make_user(email="")
    member = builders.make_member(project, user=user)
    client.force_login(user)
    assert "e-mail" not in client.get("/me/").content.decode()
    Membership.objects.filter(pk=member.pk).update(administers=True)
    page = client.get("/me/").content.decode()
    assert "no e-mail address" in page
    assert 'name="access_mail"' not in page
    User.objects.update(email="x@example.org")
    assert 'name="access_mail"' in client.get("/me/").content.decode()
    client.post("/me/", {"access_mail": "on", "theme": "system", "language": "", "blur": "on"})
    user.refresh_from_db()
    assert user.access_mail


def test_a_mail_of_a_kind_that_is_sent_no_more_is_unwanted_and_its_link_says_so(project, client):
    """The site once sent weekly notes. One may still wait, and people keep those that they got."""
    user = builders.make_user(email="x@example.org")
    Mail.objects.create(kind="weekly", address=user.email, user=user, due_at=database_now())
    assert send_all() == []
    assert Mail.objects.get().state == MailState.UNWANTED
    token = signing.dumps([str(user.public_id), "weekly"], salt="annotation.mail.stop")
    for answer in (client.get(f"/mail/stop/{token}/"), client.post(f"/mail/stop/{token}/")):
        assert "This site sends no more e-mail of this kind." in answer.content.decode()


# ── How it is sent ────────────────────────────────────────────────────────────


def over(server, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", server.port, False


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_off_by_an_hour_delays_no_mail_and_sends_none_twice(project, monkeypatch, hours):
    facts = {"project": "Winter", "link": "http://x/invite/abc/", "until": "now"}
    wrong = timezone.now() + timedelta(hours=hours)
    with monkeypatch.context() as clock:
        clock.setattr(timezone, "now", lambda: wrong)
        queue.queue_mail(MailKind.INVITATION, "a@example.org", facts, project=project)
    mail = Mail.objects.get()
    assert abs(mail.due_at - timezone.now()) < timedelta(minutes=1)
    Mail.objects.update(lease_until=timezone.now() + timedelta(seconds=90))
    with monkeypatch.context() as clock:
        clock.setattr(timezone, "now", lambda: wrong)
        send.send_mail(mail.pk)  # another worker is at it
    assert outbox.outbox == []
    Mail.objects.update(lease_until=None)
    send.send_mail(mail.pk)
    assert len(outbox.outbox) == 1


def test_a_mail_goes_over_smtp_and_is_tried_again_later_if_the_server_is_busy(project, settings):
    facts = {"project": "겨울", "link": "http://x/invite/abc/", "until": "now"}
    with SmtpServer() as server:
        over(server, settings)
        queue.queue_mail(MailKind.INVITATION, "a@example.org", facts, project=project, language="ko")
        mail = Mail.objects.get()
        server.refusal = "421 too busy"
        send.send_mail(mail.pk)
        mail.refresh_from_db()
        assert timedelta(seconds=15) < mail.due_at - timezone.now() <= timedelta(seconds=30)
        server.refusal = ""
        send.send_mail(mail.pk)
        assert server.messages == []  # it is not due
        Mail.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        send.send_mail(mail.pk)
        send.send_mail(mail.pk)  # the message of the broker came twice
        (message,) = server.messages
    assert "겨울" in message["subject"]
    assert "http://x/invite/abc/" in message.get_content()
    assert message["auto-submitted"] == "auto-generated"


def test_a_refused_recipient_is_given_up_at_once(project, settings):
    with SmtpServer() as server:
        over(server, settings)
        server.refusal = "550 no such person"
        queue.queue_mail(MailKind.INVITATION, "a@example.org", {"project": "x", "link": "y", "until": "z"})
        send.send_mail(Mail.objects.get().pk)
    mail = Mail.objects.get()
    assert (mail.state, mail.attempts, mail.address) == (MailState.GIVEN_UP, 1, "")


def test_a_server_that_is_away_is_tried_six_times(project, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", 1, False
    queue.queue_mail(MailKind.INVITATION, "a@example.org", {"project": "x", "link": "y", "until": "z"})
    for _ in range(10):
        Mail.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        send.send_mail(Mail.objects.get().pk)
    mail = Mail.objects.get()
    assert (mail.state, mail.attempts) == (MailState.GIVEN_UP, MOST_ATTEMPTS)


def test_the_sweeper_sends_what_lost_its_message_and_forgets_old_ones(project, monkeypatch):
    queue.queue_mail(MailKind.INVITATION, "a@example.org", {}, project=project)
    rung = []
    monkeypatch.setattr(queue, "ring", lambda mail_id: rung.append(mail_id) or True)
    assert queue.enqueue_due() == 0  # its own message may still come
    Mail.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert queue.enqueue_due() == 1
    assert rung == [Mail.objects.get().pk]
    Mail.objects.update(state=MailState.SENT, finished_at=timezone.now() - timedelta(days=31))
    queue.enqueue_due()
    assert not Mail.objects.exists()


def test_a_purged_project_and_an_erased_person_take_their_mail_along(project):
    assert paths_to(Project)[Mail] == "project"
    member = someone_is_told(project)
    builders.make_member(project, Role.ADMIN)  # who leaves is not the last one
    erase(User.objects.get(pk=member.user_id))
    assert not Mail.objects.exists()
    assert not User.objects.get(pk=member.user_id).access_mail
