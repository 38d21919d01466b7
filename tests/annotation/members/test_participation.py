"""Leaving a project: labels stay, or go out of force and others are asked, as the accepted consent says."""

import time
from collections import Counter
from datetime import datetime
from uuid import uuid4

import pytest
from django.test import Client

from annotation.assignment.annotator_state import lock_member
from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat, Stored
from annotation.consensus import exclude
from annotation.domain.answer import Answer
from annotation.domain.choices import OnWithdrawal, Role, Stage
from annotation.labelling import withdraw_labels
from annotation.labelling.submit import submit_label
from annotation.members import join, participation
from annotation.members.personal_data import data_of
from annotation.models import ConsentText, Event, Item, Label, Membership, Project, Seat, User
from annotation.operations import sweep
from annotation.operations.audit import audit
from annotation.projects import settings
from builders import make_labelled_item, make_member, make_open_item, make_project
from runs.sql.database_clock import database_now

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden", on_withdrawal=OnWithdrawal.REMOVE, extra_seats=0)


@pytest.fixture
def trio(project: Project) -> list[Membership]:
    return [make_member(project, pseudonym=name) for name in ("wren", "robin", "finch")]


def work(people: list[Membership], code: int = 1) -> Counter[str]:
    """Everybody labels whatever they are given until nothing is left; how many labels each gave."""
    given: Counter[str] = Counter()
    for person in people:
        while isinstance(held := claim(person), HeldSeat):
            assert isinstance(submit_label(person, held.seat.public_id, uuid4(), Answer(category=code)), Stored)
            given[person.pseudonym] += 1
    return given


def in_force(member: Membership) -> int:
    return Seat.objects.filter(annotator=member, label__isnull=False).count()


def test_labels_stay_where_the_consent_says_so(trio):
    project = make_project(on_withdrawal=OnWithdrawal.KEEP)
    people = [make_member(project) for _ in range(3)]
    make_open_item(project)
    work(people)
    participation.withdraw(people[0])
    assert withdraw_labels.withdraw_remaining_labels() == 0
    assert in_force(people[0]) == 1 and Item.objects.get(project=project).stage == Stage.GOLD


def test_a_label_of_an_open_item_goes_and_somebody_else_is_asked(project, trio):
    item = make_open_item(project)
    work(trio[:2])
    participation.withdraw(trio[0])
    assert withdraw_labels.withdraw_labels_of(trio[0]) == 1
    assert in_force(trio[0]) == 0 and Label.objects.filter(annotator=trio[0]).count() == 1
    item.refresh_from_db()
    assert (item.stage, item.round, item.taken) == (Stage.LABELLING, 1, 1)
    fourth = make_member(project)
    assert work([trio[2], fourth]) == {"finch": 1, fourth.pseudonym: 1}
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    assert audit(project) == []


def test_a_label_that_was_stored_while_the_withdrawal_waited_for_the_lock_goes_too(project, trio, monkeypatch):
    make_open_item(project)
    work(trio[:1])

    def wait(member: Membership) -> tuple[Membership, datetime]:
        locked, now = lock_member(member)
        time.sleep(0.005)
        Seat.objects.filter(annotator=member).update(filled_at=database_now())
        return locked, now

    monkeypatch.setattr(participation, "lock_member", wait)
    participation.withdraw(trio[0])
    assert withdraw_labels.withdraw_labels_of(trio[0]) == 1
    assert in_force(trio[0]) == 0


def test_a_closed_item_gets_a_new_round_of_k(project, trio):
    item = make_open_item(project)
    work(trio)
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    participation.withdraw(trio[0])
    withdraw_labels.withdraw_labels_of(trio[0])
    item.refresh_from_db()
    assert (item.stage, item.round, item.seats, item.category) == (Stage.LABELLING, 2, 3, None)
    assert Seat.objects.filter(item=item, round=2, annotator=None).count() == 3
    assert audit(project) == []
    work([trio[1], trio[2], make_member(project)])
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    assert Seat.objects.filter(item=item, round=2, label__isnull=False).count() == 3
    assert not Seat.objects.filter(item=item, annotator=trio[0]).exists()
    assert audit(project) == []


def test_disputed_and_excluded_items_are_asked_about_again(project, trio):
    """1-2-0 has no majority; the strict policy excludes it."""
    for policy, stage in (("review", Stage.DISPUTED), ("paper", Stage.EXCLUDED)):
        here = make_project(policy=policy, on_withdrawal=OnWithdrawal.REMOVE)
        people = [make_member(here) for _ in range(3)]
        item = make_open_item(here)
        for person, code in zip(people, (1, 2, 0), strict=True):
            work([person], code)
        item.refresh_from_db()
        assert item.stage == stage
        participation.withdraw(people[2])
        withdraw_labels.withdraw_labels_of(people[2])
        item.refresh_from_db()
        assert (item.stage, item.round) == (Stage.LABELLING, 2)
        assert audit(here) == []


def test_what_was_taken_out_for_illegal_content_stays_out(project, trio):
    item = make_open_item(project)
    work(trio)
    exclude.report_item(Item.objects.get(pk=item.pk), trio[1])
    participation.withdraw(trio[0])
    withdraw_labels.withdraw_labels_of(trio[0])
    item.refresh_from_db()
    assert (item.stage, item.round, in_force(trio[0])) == (Stage.EXCLUDED, 1, 0)
    assert audit(project) == []


def test_a_label_of_an_earlier_round_goes_without_another_round(project, trio):
    item = make_open_item(project)
    work(trio)
    participation.withdraw(trio[0])
    withdraw_labels.withdraw_labels_of(trio[0])
    work([trio[1], trio[2], make_member(project)])
    participation.withdraw(trio[1])
    withdraw_labels.withdraw_labels_of(trio[1])
    item.refresh_from_db()
    assert item.round == 3  # robin's label of round 2 counted
    work([trio[2], *(make_member(project) for _ in range(2))])
    item.refresh_from_db()
    assert (item.stage, item.round) == (Stage.GOLD, 3)
    assert audit(project) == []


def test_it_goes_on_where_it_was_interrupted(project, trio):
    for _ in range(4):
        make_open_item(project)
    work(trio)
    participation.withdraw(trio[0])
    assert withdraw_labels.withdraw_labels_of(trio[0], until=time.monotonic() - 1) == 0
    assert in_force(trio[0]) == 4
    assert sweep.sweep()["labels_taken_out"] == 4
    assert sweep.sweep()["labels_taken_out"] == 0
    trio[0].refresh_from_db()
    assert in_force(trio[0]) == 0 and trio[0].labels_out_before is None
    told = Event.objects.get(verb="labels_removed")
    assert told.facts == {"labels": 4}
    assert audit(project) == []


def test_labels_given_after_coming_back_stay(project, trio):
    make_open_item(project)
    work([trio[0]])
    participation.withdraw(trio[0])
    participation.reactivate(trio[0], by=None)
    participation.consent(trio[0])
    make_open_item(project)
    work([trio[0]])
    withdraw_labels.withdraw_remaining_labels()
    assert in_force(trio[0]) == 1
    assert audit(project) == []


def test_who_left_and_comes_back_is_asked_for_consent_again(project, trio):
    participation.withdraw(trio[0])
    participation.reactivate(trio[0], by=None)
    trio[0].refresh_from_db()
    assert (trio[0].active, trio[0].consent_version) == (True, 0)


def change(project: Project, admin: Membership, **fields: object) -> None:
    row = Project.objects.get(pk=project.pk)
    for name, value in fields.items():
        setattr(row, name, value)
    settings.change_settings(admin, row, list(fields))


def test_the_version_that_was_accepted_decides_what_happens(project, trio):
    admin = make_member(project, Role.ADMIN)
    early, late = make_member(project, consent_version=0), make_member(project, consent_version=0)
    participation.consent(early)
    change(project, admin, on_withdrawal=OnWithdrawal.KEEP)
    participation.consent(late)
    project.refresh_from_db()
    assert project.consent_version == 2
    for person in (early, late):
        participation.withdraw(person)
        person.refresh_from_db()
    assert early.labels_out_before is not None and late.labels_out_before is None


def test_every_version_is_kept_and_shown_in_the_data_of_who_agreed(project):
    admin = make_member(project, Role.ADMIN)
    person = make_member(project, consent_version=0)
    change(project, admin, consent_text="First words.")
    participation.consent(person)
    change(project, admin, consent_text="Second words.", on_withdrawal=OnWithdrawal.KEEP)
    assert list(ConsentText.objects.values_list("version", "text", "on_withdrawal")) == [
        (3, "Second words.", "keep"), (2, "First words.", "remove"), (1, "", "remove"),
    ]  # fmt: skip
    (place,) = data_of(person.user)["memberships"]
    (given,) = place["consents"]
    assert (given["version"], given["text"], given["on_withdrawal"]) == (2, "First words.", "remove")


def test_a_setting_that_is_no_part_of_the_consent_makes_no_version(project):
    change(project, make_member(project, Role.ADMIN), name="Another name")
    project.refresh_from_db()
    assert project.consent_version == 1


def test_consent_and_leave_pages_say_what_happens_to_labels(project, trio):
    client = Client()
    client.force_login(trio[0].user)
    for page in ("consent", "leave"):
        said = client.get(f"/p/garden/{page}/").content.decode()
        assert "your labels no longer count" in said and "already published" in said
    Project.objects.update(on_withdrawal=OnWithdrawal.KEEP)
    for page in ("consent", "leave"):
        assert "your labels stay in use" in client.get(f"/p/garden/{page}/").content.decode()


def test_leaving_by_the_page_takes_the_labels_out_at_once(project, trio):
    make_labelled_item(project, trio, [1, 1, 1])
    client = Client()
    client.force_login(trio[0].user)
    assert client.post("/p/garden/leave/").status_code == 302
    assert in_force(trio[0]) == 0


def test_who_withdrew_is_asked_for_consent_whichever_way_they_return(project, trio):
    admin = make_member(project, Role.ADMIN)
    wren, robin, _finch = trio
    for person in (wren, robin):
        participation.consent(person)
        participation.withdraw(person)
    participation.reactivate(wren, by=admin)
    join.add_member(project, robin.user.username, Role.ANNOTATOR, actor=admin)
    for person in (wren, robin):
        person.refresh_from_db()
        assert (person.active, person.consent_version) == (True, 0), person.pseudonym
    make_open_item(project)
    assert not isinstance(claim(robin), HeldSeat)


def test_an_ended_membership_that_begins_again_keeps_its_consent(project, trio):
    admin = make_member(project, Role.ADMIN)
    participation.consent(trio[0])
    participation.deactivate(trio[0], by=admin)
    join.add_member(project, trio[0].user.username, Role.REVIEWER, actor=admin)
    trio[0].refresh_from_db()
    assert trio[0].active and trio[0].reviews and trio[0].consent_version == project.consent_version


def test_the_only_admin_who_can_sign_in_stays_whichever_way_they_would_go(project, client: Client):
    admin = make_member(project, Role.ADMIN, Role.ANNOTATOR)
    closed = make_member(project, Role.ADMIN)
    assert closed.user is not None and admin.user is not None
    User.objects.filter(pk=closed.user.pk).update(is_active=False)
    client.force_login(admin.user)
    left = client.post("/p/garden/leave/", follow=True)
    assert "You are the only admin of this project. Make somebody else admin, then leave." in left.content.decode()
    place = f"/p/garden/people/{admin.public_id}/"
    given_up = client.post(f"{place}roles/", {"annotates": "on"}, follow=True)
    assert "A project needs an admin" in given_up.content.decode()
    without = client.post(f"{place}roles/", {}, follow=True)
    assert "Choose at least one role" in without.content.decode()
    client.post(f"/p/garden/people/{closed.public_id}/end/")
    admin.refresh_from_db()
    assert admin.active and admin.administers and admin.withdrawn_at is None
    User.objects.filter(pk=closed.user.pk).update(is_active=True)
    participation.reactivate(closed, by=admin)
    client.post("/p/garden/leave/")
    admin.refresh_from_db()
    assert not admin.active and admin.withdrawn_at is not None
