"""Labels and working time of people over the API: for admins, under pseudonyms."""

from datetime import date

import pytest
from rest_framework.test import APIClient

from annotation.analytics import stored_figures
from annotation.consensus.close import close_item
from annotation.domain.choices import EventVerb, Role
from annotation.domain.statistics.annotator_quality import Rate
from annotation.models import CompetenceEstimate, Event, JobState, Label, Membership, Project, WorkDay
from builders import make_labelled_item, make_member, make_project

pytestmark = pytest.mark.django_db

HOME = "/api/v1/projects/garden/"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def people(project: Project) -> list[Membership]:
    return [make_member(project, pseudonym=name) for name in ("heron", "owl", "wren")]


def caller(member: Membership) -> APIClient:
    client = APIClient()
    client.force_authenticate(member.user)
    return client


@pytest.fixture
def admin(project: Project) -> APIClient:
    return caller(make_member(project, Role.ADMIN, pseudonym="stork"))


def test_labels_in_force_are_listed_with_pseudonyms_in_a_fixed_number_of_queries(
    project, people, admin, django_assert_max_num_queries
):
    for number in range(4):
        make_labelled_item(project, people, [0, 1, 1], text=f"Weeds, {number}.")
    with django_assert_max_num_queries(7):
        page = admin.get(f"{HOME}labels/given/?limit=10").json()
    assert (page["count"], page["pages"], len(page["results"])) == (12, 2, 10)
    newest = Label.objects.order_by("-id").first()
    assert newest is not None
    first = page["results"][0]
    assert (first["id"], first["annotator"], first["category"]) == (str(newest.public_id), "wren", 1)
    assert (first["item"], first["external_id"]) == (str(newest.item.public_id), newest.item.external_id)
    assert {row["annotator"] for row in page["results"]} == {"heron", "owl", "wren"}


def test_hours_are_those_of_the_page(project, people, admin):
    for member, day, seconds, labels in ((0, 3, 600, 5), (0, 4, 90, 1), (1, 4, 3600, 30), (2, 20, 60, 1)):
        WorkDay.objects.create(member=people[member], day=date(2026, 3, day), active_seconds=seconds, labels=labels)
    shown = admin.get(f"{HOME}hours/?first=2026-03-01&last=2026-03-10").json()
    assert shown == {
        "first": "2026-03-01",
        "last": "2026-03-10",
        "people": [
            {"name": "heron", "active_minutes": 11.5, "labels": 6, "days": 2},
            {"name": "owl", "active_minutes": 60.0, "labels": 30, "days": 1},
        ],
        "days": [
            {"name": "heron", "active_minutes": 10.0, "labels": 5, "day": "2026-03-03"},
            {"name": "heron", "active_minutes": 1.5, "labels": 1, "day": "2026-03-04"},
            {"name": "owl", "active_minutes": 60.0, "labels": 30, "day": "2026-03-04"},
        ],
    }
    assert admin.get(f"{HOME}hours/").json()["days"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("first=2026-03-10&last=2026-03-01", "last"),
        ("first=2026-03-01", "last"),
        ("first=yesterday&last=2026-03-01", "first"),
        ("first=2020-03-01&last=2026-03-01", "last"),
        ("from=2026-03-01", "from"),
    ],
)
def test_a_period_that_is_none_is_refused_in_the_pages_words(admin, query, field):
    answer = admin.get(f"{HOME}hours/?{query}")
    assert answer.status_code == 400
    assert field in str(answer.json())


def test_quality_is_that_of_the_page_by_pseudonym(project, people, admin):
    for number in range(12):
        close_item(make_labelled_item(project, people, [0, 1, 1], text=f"Weeds, {number}."))
    Membership.objects.filter(pk=people[0].pk).update(extra={"age": "20-29", "pets": 2})
    shown = admin.get(f"{HOME}quality/").json()
    report = stored_figures.quality(project).value
    assert report is not None
    told = {person["name"]: person for person in shown["people"]}
    assert list(told) == [person.name for person in report.people] == ["heron", "owl", "wren"]
    for person in report.people:
        assert told[person.name]["categories"]["1"] == person.by_category[1]
    rate = report.people[0].with_others
    assert isinstance(rate, Rate)
    interval = rate.interval.as_json()
    assert told["heron"]["with_others"] == {"value": rate.value, "part": 0, "n": 12, "interval": interval}
    assert told["heron"]["about"] == {"age": "20-29", "pets": "2"} and told["owl"]["about"] == {}
    assert told["owl"]["known"]["why"] == "No item with a known answer was mixed in yet."
    assert [(pair["one"], pair["two"]) for pair in shown["pairs"]] == [(pair.one, pair.two) for pair in report.pairs]
    assert shown["being_computed"] is False and people[0].user.username not in str(shown)


def test_competence_is_the_stored_estimate_by_pseudonym(project, people, admin):
    assert admin.get(f"{HOME}competence/").json() == {"estimate": None, "as_of": None, "being_computed": False}
    judged = {"member": str(people[1].public_id), "labels": 12, "accuracy": 0.75, "diagonal": [1.0, 0.5]}
    differing = {"item": "i", "majority": None, "model": 1, "probability": 0.9}
    result = {"labels": 36, "items": 12, "categories": [0, 1], "people": [judged], "differing": [differing]}
    CompetenceEstimate.objects.create(project=project, method="ds", state=JobState.DONE, result=result)
    CompetenceEstimate.objects.create(project=project, method="ds", state=JobState.FAILED, problem="It stopped.")
    shown = admin.get(f"{HOME}competence/").json()
    assert shown["estimate"]["people"] == [
        {"name": "owl", "labels": 12, "accuracy": 0.75, "right_by_category": {"0": 1.0, "1": 0.5}}
    ]
    assert shown["estimate"]["differing"] == [differing] and shown["why"] == "It stopped."


def test_limits_of_care_and_the_withheld_share_are_changed_as_on_their_pages(project, admin):
    changes = {"severe_in_row": 5, "severe_a_day": 30, "support_text": "Ask the owl."}
    shown = admin.patch(f"{HOME}care/", changes, format="json").json()
    assert {name: shown[name] for name in changes} == changes and shown["figures"]["severe"] is None
    assert shown["severe_from"] == project.severe_from
    wrong = admin.patch(f"{HOME}care/", {"severe_a_session": 99}, format="json")
    assert wrong.status_code == 400 and "severe_a_session" in str(wrong.json())
    assert admin.patch(f"{HOME}care/", {"severe": 1}, format="json").status_code == 400
    assert admin.put(f"{HOME}withheld/", {"percent": 25}, format="json").json() == {"percent": 25}
    assert admin.get(f"{HOME}withheld/").json() == {"percent": 25}
    wrong = admin.put(f"{HOME}withheld/", {"percent": 91}, format="json")
    assert wrong.status_code == 400 and "Between 0 and 90 percent" in str(wrong.json())
    verbs = Event.objects.filter(project=project).order_by("pk").values_list("verb", flat=True)
    assert list(verbs)[-2:] == [EventVerb.CHANGE_SETTINGS, EventVerb.WITHHELD_SHARE]


def test_nobody_but_admins_sees_them(project, people):
    for address in ("labels/given/", "hours/", "quality/", "competence/", "care/", "withheld/"):
        for member in (people[0], make_member(project, Role.REVIEWER)):
            assert caller(member).get(HOME + address).status_code == 404
