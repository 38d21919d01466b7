"""Figures of large projects: one job for all viewers, shown with their moment, out of date once rows have changed."""

import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import builders
from annotation import tasks
from annotation.analytics import stored_figures
from annotation.analytics.dashboard import Dashboard, read_dashboard
from annotation.analytics.quality.annotators import QualityReport, read_quality
from annotation.analytics.stored_figures import FIGURES, PAUSE
from annotation.consensus.close import close_item
from annotation.core.jobs import LAPSE
from annotation.core.typed_json import from_json, to_json
from annotation.domain.choices import EventVerb, FigureKind, Role
from annotation.members.roles import change_pseudonym
from annotation.models import Figures, JobState, Project, record
from concurrency import at_once

pytestmark = pytest.mark.django_db

PAGES = ("dashboard", "influence", "quality")


@pytest.fixture
def project():
    return builders.make_project("garden")


@pytest.fixture
def trio(project):
    return [builders.make_member(project, pseudonym=name) for name in ("Wren", "Finch", "Lark")]


@pytest.fixture
def labelled(project, trio):
    for codes in ((0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 2, 3), (1, 1, 1)):
        close_item(builders.make_labelled_item(project, trio, codes))


@pytest.fixture
def large(monkeypatch, labelled):
    """Treat the project as a large one."""
    monkeypatch.setattr(stored_figures, "MOST_LABELS", 3)


def as_(project, *roles):
    client = Client()
    client.force_login(builders.make_member(project, *roles).user)
    return client


@pytest.fixture
def admin(project):
    return as_(project, Role.ADMIN)


def work() -> int:
    """Perform the jobs that wait, as a worker does; return how many."""
    waiting = list(Figures.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True))
    for key in waiting:
        tasks.perform_job("figures", key)
    return len(waiting)


def page(client, name, **headers):
    answer = client.get(reverse(f"annotation:{name}", args=["garden"]), **headers)
    assert answer.status_code == 200
    return answer.content.decode()


def without_moment(html):
    """Return the page without the section about the moment, secrets of forms, and indentation."""
    html = re.sub(r'<section\s+class="moment".*?</section>', "", html, flags=re.DOTALL)
    html = re.sub(r'"[A-Za-z0-9_=-]{20,}"', "", html)
    return [line.strip() for line in html.splitlines() if line.strip()]


def let_time_pass(time):
    for row in Figures.objects.exclude(finished_at=None):
        Figures.objects.filter(pk=row.pk).update(begun_at=row.begun_at - time, finished_at=row.finished_at - time)


# ── What is shown ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_the_same_stored_as_at_once(name, project, labelled, admin, monkeypatch):
    at_once_shown = page(admin, name)
    assert 'class="moment"' not in at_once_shown
    monkeypatch.setattr(stored_figures, "MOST_LABELS", 3)
    assert "takes a while" in page(admin, name).replace("take a while", "takes a while")
    assert work() == 1
    assert without_moment(page(admin, name)) == without_moment(at_once_shown)


@pytest.mark.parametrize(("kind", "read"), [(Dashboard, read_dashboard), (QualityReport, read_quality)])
def test_all_figures_of_a_project_come_back_as_they_were(kind, read, project, labelled):
    value = read(project)
    assert from_json(kind, json.loads(json.dumps(to_json(kind, value)))) == value


def test_figures_of_a_small_project_are_those_of_this_moment(project, trio, labelled, admin):
    close_item(builders.make_labelled_item(project, trio, (0, 0, 0)))
    assert stored_figures.dashboard(project).value == read_dashboard(project)
    assert not Figures.objects.exists()


def test_the_tables_are_those_of_the_stored_figures(project, large, admin):
    address = reverse("annotation:dashboard-table", args=["garden", "funnel"])
    assert admin.get(address).headers["Location"] == reverse("annotation:dashboard", args=["garden"])
    work()
    answer = admin.get(address)
    assert answer.content.decode().splitlines()[1:3] == ["Imported,5", "Ready,5"]
    assert answer.headers["Last-Modified"].endswith("GMT")


@pytest.mark.parametrize(("language", "says"), [("en", "As of"), ("ko", "기준"), ("zh-hans", "截至")])
def test_the_moment_is_said_in_every_language(language, says, project, large, admin):
    page(admin, "dashboard")
    work()
    shown = page(admin, "dashboard", headers={"accept-language": language})
    when = timezone.localtime(Figures.objects.get().as_of).strftime("%Y-%m-%d %H:%M")
    (section,) = re.findall(r'<section\s+class="moment".*?</section>', shown, flags=re.DOTALL)
    assert says in section and when in section


# ── One job for all viewers ───────────────────────────────────────────────────


def test_all_pages_and_viewers_share_one_job(project, large, admin):
    other = as_(project, Role.REVIEWER)
    for _time in range(3):
        page(admin, "dashboard"), page(admin, "influence"), page(other, "dashboard")
    assert work() == 1
    for client in (admin, other):
        assert "As of" in page(client, "dashboard")
    assert not Figures.objects.filter(state=JobState.QUEUED).exists()


@pytest.mark.django_db(transaction=True)
def test_two_viewers_at_the_same_moment_start_one_job(project, large):
    rows = at_once([lambda: stored_figures.begin(project, FigureKind.DASHBOARD)] * 4)
    assert {row.pk for row in rows if row} == set(Figures.objects.values_list("pk", flat=True))
    assert Figures.objects.count() == 1


def test_a_label_makes_figures_out_of_date_and_they_are_computed_once(project, trio, large, admin):
    page(admin, "dashboard")
    work()
    assert "have changed" not in page(admin, "dashboard")
    close_item(builders.make_labelled_item(project, trio, (0, 0, 0)))
    record(EventVerb.LABELLED, project=project, actor=trio[0])
    assert "have changed" in page(admin, "dashboard")
    assert work() == 0  # computed a moment ago
    let_time_pass(2 * PAUSE)
    for client in (admin, as_(project, Role.REVIEWER), admin):
        page(client, "dashboard")
    assert work() == 1
    shown = page(admin, "dashboard")
    assert "have changed" not in shown and ">6 items" in shown.replace("\n", "").replace(" 6 items", ">6 items")
    assert Figures.objects.count() == 1  # the older ones are gone


def test_an_event_that_was_committed_late_is_noticed(project, trio, large):
    record(EventVerb.OPENED, project=project)
    stored_figures.dashboard(project)
    work()
    assert not stored_figures.dashboard(project).out_of_date
    late = record(EventVerb.LABELLED, project=project, actor=trio[0])
    type(late).objects.bulk_create([type(late)(project=project, verb="labelled", at=late.at - timedelta(seconds=20))])
    assert stored_figures.dashboard(project).out_of_date


def test_a_busy_project_costs_a_tenth_of_a_worker(project, trio, large):
    stored_figures.dashboard(project)
    work()
    Figures.objects.update(begun_at=timezone.now() - timedelta(minutes=5), finished_at=timezone.now())
    record(EventVerb.LABELLED, project=project, actor=trio[0])
    let_time_pass(timedelta(minutes=49))
    assert stored_figures.dashboard(project).job is None
    let_time_pass(timedelta(minutes=2))
    assert stored_figures.dashboard(project).job is not None


def test_old_figures_are_out_of_date_without_an_event(project, large):
    stored_figures.dashboard(project)
    work()
    Figures.objects.update(as_of=timezone.now() - stored_figures.OLDEST - timedelta(seconds=1))
    assert stored_figures.dashboard(project).out_of_date


def test_figures_of_another_release_of_the_site_are_not_read(project, large, admin):
    page(admin, "dashboard")
    work()
    Figures.objects.update(form="other", result={"counts": 3})
    let_time_pass(2 * PAUSE)
    assert "take a while" in page(admin, "dashboard")
    assert work() == 1 and "As of" in page(admin, "dashboard")


def test_another_pseudonym_removes_figures_that_name_the_old_one(project, trio, large, admin):
    page(admin, "dashboard"), page(admin, "quality")
    work()
    assert "Wren" in json.dumps(list(Figures.objects.values_list("result", flat=True)))
    change_pseudonym(builders.make_member(project, Role.ADMIN), trio[0], "Robin")
    assert not Figures.objects.exists()


# ── The job ───────────────────────────────────────────────────────────────────


def test_the_job_of_a_killed_worker_is_begun_again(project, large, admin):
    page(admin, "dashboard")
    Figures.objects.update(state=JobState.WORKING, begun_at=timezone.now(), beat_at=timezone.now())
    assert FIGURES.left_behind() == []
    Figures.objects.update(beat_at=timezone.now() - 2 * LAPSE)
    (key,) = FIGURES.left_behind()
    tasks.perform_job("figures", key)
    assert "As of" in page(admin, "dashboard")


def test_a_purge_during_the_computing_leaves_nothing(project, large, monkeypatch):
    stored_figures.dashboard(project)

    def read(of: Project, tell: object) -> Dashboard:
        value = read_dashboard(of)
        Figures.objects.filter(project=of).delete()
        return value

    kind = stored_figures._Kind(FigureKind.DASHBOARD, Dashboard, read)
    monkeypatch.setitem(stored_figures._KINDS, "dashboard", kind)
    assert work() == 1
    assert not Figures.objects.exists()


def test_what_fails_says_so_and_is_tried_again_on_demand(project, large, admin, monkeypatch):
    page(admin, "dashboard")

    def fail(of: Project, tell: object) -> Dashboard:
        raise ValueError("a fault in the figures")

    with monkeypatch.context() as patched:
        patched.setitem(stored_figures._KINDS, "dashboard", stored_figures._Kind(FigureKind.DASHBOARD, Dashboard, fail))
        work()
    shown = page(admin, "dashboard")
    assert "Something went wrong on the server" in shown and work() == 0
    admin.post(reverse("annotation:figures-refresh", args=["garden", "dashboard"]))
    assert work() == 1 and "As of" in page(admin, "dashboard")


def test_the_progress_is_the_part_of_the_labels_that_was_read(project, large, monkeypatch):
    told: list[float] = []
    stored_figures.dashboard(project)
    monkeypatch.setattr("annotation.analytics.closed_items.TOLD_EVERY", 5)
    monkeypatch.setattr("annotation.core.jobs.Heartbeat.note", lambda heartbeat, share: told.append(share))
    work()
    assert told == [0, 5 / 15, 10 / 15]


# ── Who may see and renew them ────────────────────────────────────────────────


@pytest.mark.parametrize("kind", FigureKind)
@pytest.mark.parametrize(
    ("roles", "kinds"),
    [
        ((Role.ANNOTATOR,), ()),
        ((Role.ANNOTATOR, Role.REVIEWER), ()),
        ((Role.REVIEWER,), (FigureKind.DASHBOARD,)),
        ((Role.ADMIN,), tuple(FigureKind)),
    ],
)
def test_only_those_who_may_see_figures_see_their_moment_or_renew_them(kind, roles, kinds, project, large, admin):
    page(admin, "dashboard"), page(admin, "quality")
    work()
    client, names = as_(project, *roles), ("figures-moment", "figures-refresh")
    moment, refresh = (reverse(f"annotation:{name}", args=["garden", kind]) for name in names)
    assert client.get(moment).status_code == (200 if kind in kinds else 404)
    assert client.post(refresh).status_code == (302 if kind in kinds else 404)
    assert Figures.objects.filter(state=JobState.QUEUED).exists() == (kind in kinds)
    if Role.ANNOTATOR in roles:
        for address in ("dashboard/", "dashboard/people.csv", "quality/", "influence/"):
            assert client.get(f"/p/garden/{address}").status_code == 404
        for address in ("agreement", "influence"):
            assert client.get(f"/api/v1/projects/garden/{address}/").status_code == 404


def test_there_are_no_other_kinds(project, admin):
    assert admin.get("/p/garden/figures/people/").status_code == 404


def test_a_page_without_figures_is_loaded_anew_once_there_are_some(project, large, admin):
    page(admin, "dashboard")
    address = reverse("annotation:figures-moment", args=["garden", "dashboard"])
    waiting = admin.get(address, {"shown": ""})
    assert "HX-Refresh" not in waiting.headers and "hx-get" in waiting.content.decode()
    work()
    assert admin.get(address, {"shown": ""}).headers["HX-Refresh"] == "true"


def test_a_page_with_figures_offers_the_newer_ones_and_does_not_change_under_the_reader(project, large, admin):
    page(admin, "dashboard")
    work()
    shown = str(Figures.objects.get().public_id)
    address = reverse("annotation:figures-moment", args=["garden", "dashboard"])
    assert "Newer figures are ready" not in admin.get(address, {"shown": shown}).content.decode()
    admin.post(reverse("annotation:figures-refresh", args=["garden", "dashboard"]))
    work()
    answer = admin.get(address, {"shown": shown})
    assert "Newer figures are ready" in answer.content.decode() and "HX-Refresh" not in answer.headers


# ── API and command ───────────────────────────────────────────────────────────


def test_api_and_command_give_the_same_numbers_with_their_moment(project, large, admin):
    address = "/api/v1/projects/garden/agreement/"
    awaited = admin.get(address)
    assert (awaited.status_code, awaited.json()) == (202, {"as_of": None, "being_computed": True})
    assert awaited.headers["Retry-After"] == "10"
    work()
    answer = admin.get(address).json()
    printed = StringIO()
    call_command("agreement", "garden", "--json", stdout=printed)
    command = json.loads(printed.getvalue())
    assert answer.pop("as_of") == Figures.objects.get().as_of.isoformat() and not answer.pop("being_computed")
    assert command.pop("as_of") > Figures.objects.get().as_of.isoformat()
    assert answer == command
    assert admin.get("/api/v1/projects/garden/influence/").json()["as_of"]


def test_pages_of_stored_figures_take_a_fixed_number_of_queries(
    project, trio, large, admin, django_assert_max_num_queries
):
    for name in PAGES:
        page(admin, name)
    work()
    for _time in range(2):
        for name in PAGES:
            with django_assert_max_num_queries(16):
                page(admin, name)
        for _item in range(5):
            close_item(builders.make_labelled_item(project, trio, (0, 1, 1)))
