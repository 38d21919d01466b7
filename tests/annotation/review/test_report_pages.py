"""Reports on pages: who sees that they wait, what whoever reports is told, and how an admin answers."""

import re
from html import unescape
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings as site
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, override

import builders
from annotation.assignment import claim
from annotation.consensus.exclude import report_item
from annotation.domain.choices import Role, Stage
from annotation.domain.reports import ReportAnswer
from annotation.models import Event, Item, Membership, Project, Report, Seat, User
from annotation.review.adjudicate import reopen_closed_item
from config.contact_check import check_contact

pytestmark = pytest.mark.django_db

WAITS = "reported post"
BOTH = (
    "The admins of this project and of this site see on each of their pages that a report waits, "
    "until one of them has answered it."
)
OF_PROJECT = (
    "The admins of this project see on each of their pages that a report waits, until one of them has answered it."
)
OF_SITE = "The admins of this site see on each of their pages that a report waits, until one of them has answered it."
NOBODY = "The report is stored, but no admin is there to see it."
MAIL, NO_MAIL = "An e-mail about it is sent as well, without the post.", "No e-mail about it is sent."
TURN_TO, NO_CONTACT = (
    "If it cannot wait, turn to:",
    "No contact is named here. If it cannot wait, tell an admin yourself.",
)
SENTENCES = {BOTH, OF_PROJECT, OF_SITE, NOBODY, MAIL, NO_MAIL, TURN_TO, NO_CONTACT}
TEXT = "Secret words of the post."


@pytest.fixture
def project() -> Project:
    return builders.make_project(slug="winter", name="Winter campaign")


@pytest.fixture
def admin(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN, user=builders.make_user(email="admin@example.org"))


@pytest.fixture
def reporter(project: Project) -> Membership:
    return builders.make_member(project)


def signed_in(user: User | None) -> Client:
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def words(response) -> str:
    """Return what a page shows: no tags, each space once."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def pieces(response) -> set[str]:
    """Return what stands between the tags of a page."""
    return {" ".join(unescape(piece).split()) for piece in re.split(r"<[^>]+>", response.content.decode())}


def waits(project: Project, reporter: Membership, note: str = "My words.") -> Item:
    item = builders.make_open_item(project, TEXT, picture=builders.make_picture(project))
    report_item(item, reporter, note)
    item.refresh_from_db()
    return item


def address(item: Item, part: str = "") -> str:
    return f"/p/{item.project.slug}/reports/{item.public_id}/{part}"


def send(client: Client, item: Item, answer: str = "kept_out", reason: str = "I looked.", version: int = 0):
    return client.post(address(item), {"answer": answer, "reason": reason, "version": version or item.version})


# ── The banner ────────────────────────────────────────────────────────────────


def test_every_page_of_every_admin_says_that_a_report_waits_until_it_is_answered(project, admin, reporter):
    elsewhere = builders.make_member(builders.make_project(slug="summer"), user=admin.user)  # an annotator there
    operator = builders.make_user(is_staff=True)
    pages = {admin.user: ("/", "/me/", "/reports/", "/p/winter/items/", "/p/winter/dashboard/", "/p/summer/label/")}
    pages[operator] = ("/", "/me/", "/reports/", "/queues/", reverse("admin:index"), reverse("admin:password_change"))
    item = waits(project, reporter)
    for user, addresses in pages.items():
        for page in addresses:
            assert f"1 {WAITS} waits for an answer." in words(signed_in(user).get(page)), (user, page)
    assert WAITS not in words(signed_in(reporter.user).get("/p/winter/label/"))
    assert WAITS not in words(signed_in(builders.make_member(project, Role.REVIEWER).user).get("/p/winter/items/"))
    assert send(signed_in(admin.user), item).status_code == 302
    assert elsewhere.active
    for user, addresses in pages.items():
        assert f"{WAITS} waits" not in words(signed_in(user).get(addresses[0]))


def test_the_banner_stands_in_the_one_frame_of_all_pages():
    """Every page extends `base.html`, where the banner is in no block that a page could leave out.

    But for two pages that ask no database, and the frame of the API's description.
    """
    frames = {
        path.name
        for path in Path(site.BASE_DIR, "templates").rglob("*.html")
        if "<body" in path.read_text(encoding="utf-8") and path.name not in ("500.html", "503.html", "swagger_ui.html")
    }
    assert frames == {"base.html"}
    outside = re.sub(
        r"{% block .*?{% endblock[^%]*%}", "", Path(site.BASE_DIR, "templates/base.html").read_text(), flags=re.S
    )
    assert "{% reports_banner %}" in outside


def count_queries(user: User, page: str) -> int:
    client = signed_in(user)
    client.get(page)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(page).status_code == 200
    return len(queries)


def test_the_banner_costs_an_annotator_no_query_and_an_admin_one_while_something_waits(project, admin, reporter):
    builders.make_open_item(project)
    people = {reporter.user: "/p/winter/history/", admin.user: "/p/winter/hours/"}
    before = {user: count_queries(user, page) for user, page in people.items()}
    for _ in range(3):
        waits(project, reporter)
    after = {user: count_queries(user, page) for user, page in people.items()}
    assert after == {reporter.user: before[reporter.user], admin.user: before[admin.user] + 1}


# ── What whoever reports is told ──────────────────────────────────────────────


def report_page(reporter: Membership) -> str:
    builders.make_open_item(reporter.project)
    seat = claim.claim(reporter).seat
    return f"/p/winter/label/{seat.public_id}/report/"


@pytest.mark.parametrize("language", ["en", "ko", "zh-hans"])
@pytest.mark.parametrize(
    ("has_admin", "has_operator", "host", "contact", "said"),
    [
        (True, True, "mail.example.org", "Call 123.", {BOTH, MAIL, TURN_TO}),
        (True, False, "", "", {OF_PROJECT, NO_MAIL, NO_CONTACT}),
        (False, True, "mail.example.org", "", {OF_SITE, NO_MAIL, NO_CONTACT}),  # nobody has an address
        (False, False, "mail.example.org", "legal@example.org", {NOBODY, MAIL, TURN_TO}),
    ],
)
def test_before_and_after_a_report_the_page_says_who_is_told_and_by_what(
    project, reporter, settings, language, has_admin, has_operator, host, contact, said
):
    settings.EMAIL_HOST = host
    if has_admin:
        builders.make_member(project, Role.ADMIN, user=builders.make_user(email="admin@example.org"))
    if has_operator:
        builders.make_user(is_staff=True)
    Project.objects.filter(pk=project.pk).update(operator_contact=contact)
    User.objects.filter(pk=reporter.user_id).update(language=language)
    client, page = signed_in(reporter.user), report_page(Membership.objects.get(pk=reporter.pk))
    with override(language):
        wanted = {sentence: gettext(sentence) for sentence in SENTENCES}
    assert language == "en" or all(sentence != own for sentence, own in wanted.items())
    for response in (client.get(page), client.post(page, {"note": ""})):
        shown = pieces(response)
        assert {sentence for sentence, own in wanted.items() if own in shown} == said
        assert not contact or contact in shown


def test_when_an_address_has_had_too_many_mails_no_mail_is_promised(project, admin, reporter, settings):
    settings.EMAIL_HOST = "mail.example.org"
    client = signed_in(reporter.user)
    said = [words(client.post(report_page(reporter), {"note": ""})) for _ in range(11)]
    assert [MAIL in page for page in said] == [True] * 10 + [False]
    assert NO_MAIL in words(client.get(report_page(reporter)))


def test_a_report_that_is_sent_twice_is_one_report_and_says_the_same(project, admin, reporter, settings):
    settings.EMAIL_HOST = "mail.example.org"
    client, page = signed_in(reporter.user), report_page(reporter)
    first, second = (words(client.post(page, {"note": "bad"})) for _ in range(2))
    assert first == second and MAIL in first
    assert Report.objects.count() == 1


@pytest.mark.parametrize(("language", "word"), [("en", "choose Report"), ("ko", "‘신고’"), ("zh-hans", "“举报”")])
def test_the_consent_names_the_button_that_reports_and_no_key(project, language, word):
    person = builders.make_member(project, consent_version=0, user=builders.make_user(language=language))
    page = words(signed_in(person.user).get("/p/winter/consent/"))
    assert word in page and not re.search(r"\bR\b|R 키|按 R", page)


# ── The queue and an answer ───────────────────────────────────────────────────


def test_reports_are_for_admins_of_the_project_and_of_the_site(project, admin, reporter):
    item = waits(project, reporter)
    others = [reporter, builders.make_member(project, Role.REVIEWER)]
    others.append(builders.make_member(builders.make_project(), Role.ADMIN))
    for person in others:
        client = signed_in(person.user)
        assert {client.get(address(item, part)).status_code for part in ("", "picture/", "blurred/")} == {404}
        assert TEXT not in words(client.get("/reports/"))
    for user in (admin.user, builders.make_user(is_staff=True)):
        client = signed_in(user)
        assert "Winter campaign" in words(client.get("/reports/"))
        assert TEXT not in words(client.get("/reports/"))
        page = words(client.get(address(item)))
        assert TEXT in page and "My words." in page and str(reporter) in page


def test_the_picture_is_blurred_and_opens_only_for_the_answer(project, admin, reporter):
    item, client = waits(project, reporter), signed_in(admin.user)
    page = client.get(address(item)).content.decode()
    assert f'src="{address(item, "blurred/")}"' in page
    assert f'src="{address(item, "picture/")}"' not in page
    for part in ("picture/", "blurred/"):
        assert client.get(address(item, part))["Cache-Control"] == "no-store"
    send(client, item)
    assert {client.get(address(item, part)).status_code for part in ("picture/", "blurred/")} == {404}
    assert TEXT not in words(client.get(address(item)))


def test_an_answer_needs_a_choice_and_a_reason_and_the_second_admin_is_told(project, admin, reporter):
    item, client = waits(project, reporter), signed_in(admin.user)
    assert client.post(address(item), {"version": item.version}).status_code == 422
    assert "Answered: the post is back where it was." in words(
        client.post(address(item), {"answer": "put_back", "reason": "Harmless.", "version": item.version}, follow=True)
    )
    second = signed_in(builders.make_member(project, Role.ADMIN).user)
    refused = send(second, item, "handed_over")
    assert refused.status_code == 409 and "in the meantime" in words(refused) and "I looked." in words(refused)
    item.refresh_from_db()
    assert item.stage == Stage.LABELLING
    assert "Harmless." in words(client.get(address(item)))
    assert "put back" in words(client.get("/reports/"))


def test_a_site_admin_answers_without_being_a_member(project, reporter):
    item = waits(project, reporter)
    client = signed_in(builders.make_user(is_staff=True))
    assert send(client, item, "handed_over").status_code == 302
    event = Event.objects.get(verb="report_answered")
    assert (event.actor, event.facts["answer"]) == (None, "handed_over")
    assert "an admin of the site" in words(client.get("/reports/"))


def test_an_archived_project_takes_reports_and_answers_but_nothing_back(project, admin, reporter):
    item, client = waits(project, reporter), signed_in(admin.user)
    builders.make_open_item(project)
    other = Item.objects.exclude(pk=item.pk).get()
    Project.objects.filter(pk=project.pk).update(archived_at=timezone.now())
    assert client.post(f"/p/winter/items/{other.public_id}/report/", {"reason": ""}).status_code == 200
    refused = send(client, item, "put_back")
    assert refused.status_code == 409 and "kept out, but not put back" in words(refused)
    assert send(client, item).status_code == 302
    assert list(Report.objects.filter(answered_at=None).values_list("item", flat=True)) == [other.pk]


# ── No contact, and reports of before ─────────────────────────────────────────


@pytest.mark.parametrize(
    ("project_contact", "site_contact", "warned"), [("", "", True), ("Call 123.", "", False), ("", "a@b.org", False)]
)
def test_admins_are_warned_while_nobody_is_named(project, admin, settings, project_contact, site_contact, warned):
    settings.OPERATOR_CONTACT = site_contact
    Project.objects.filter(pk=project.pk).update(operator_contact=project_contact)
    client, sentence = signed_in(admin.user), "No contact for reports is set"
    for name in ("project-settings", "care-settings", "dashboard"):
        assert (sentence in words(client.get(reverse(f"annotation:{name}", args=["winter"])))) is warned
    operator = signed_in(builders.make_user(is_staff=True))
    for page in ("/queues/", "/reports/"):
        assert (sentence in words(operator.get(page))) is (site_contact == "")
    assert bool(check_contact()) is (site_contact == "")
    reviewer = signed_in(builders.make_member(project, Role.REVIEWER).user)
    assert sentence not in words(reviewer.get("/p/winter/dashboard/"))


def test_reports_of_before_wait_unless_their_post_was_reopened_since(project, admin, reporter):
    waiting, reopened = waits(project, reporter), waits(project, reporter)
    reopen_closed_item(reopened, admin, reopened.version, "Cleared.")
    Report.objects.update(answer="", reason="", answered_by=None, answered_at=None)
    import_module("annotation.migrations.0018_reports_answered_before").answer_what_was_reopened(apps, None)
    assert Report.objects.get(item=waiting).answered_at is None
    report = Report.objects.get(item=reopened)
    assert (report.answer, report.reason, report.answered_by) == (ReportAnswer.PUT_BACK, "Cleared.", admin)
    assert report.answered_at == reopened.adjudications.get().created_at
    assert Seat.objects.filter(item=reopened).exists()
