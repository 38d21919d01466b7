"""People who join, leave and label at the same moment: one link lets one in, and no item loses a seat or gains one."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.answer import Answer
from annotation.domain.choices import OnWithdrawal, Role, Stage
from annotation.labelling import submit, withdraw_labels
from annotation.members import invitations, join, participation, roles
from annotation.models import Item, Membership, Project, Seat, Webhook
from annotation.operations.audit import audit
from annotation.projects.create import BadProject, create_project
from annotation.webhooks import change
from builders import make_member, make_open_item, make_project, make_user
from concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def work(member: Membership) -> None:
    while isinstance(held := claim(member), HeldSeat):
        submit.submit_label(member, held.seat.public_id, uuid4(), Answer(category=1))


def test_of_eight_who_follow_one_link_one_comes_in():
    admin = make_member(make_project(), Role.ADMIN)
    made = invitations.invite(admin, [Role.ANNOTATOR])
    users = [make_user() for _ in range(8)]
    outcomes = at_once([lambda user=user: invitations.accept(made.token, user) for user in users])
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Accepted"] + ["NotOpen"] * 7
    assert Membership.objects.filter(project=admin.project).count() == 2


def test_two_admins_who_give_up_the_role_together_leave_one():
    project = make_project()
    pair = [make_member(project, Role.ADMIN) for _ in range(2)]
    no_role = {"annotates": False, "reviews": True, "administers": False}

    def give_up(member: Membership) -> str:
        try:
            roles.change_roles(member, member, no_role)
        except roles.LastAdmin:
            return "kept"
        return "gone"

    assert sorted(at_once([lambda member=member: give_up(member) for member in pair])) == ["gone", "kept"]


def test_labels_are_taken_out_while_others_label_on():
    project: Project = make_project(on_withdrawal=OnWithdrawal.REMOVE)
    leaver, *others = [make_member(project) for _ in range(5)]
    for _ in range(12):
        make_open_item(project)
    work(leaver)
    for other in others[:2]:
        work(other)
    participation.withdraw(leaver)
    at_once(
        [
            *(lambda other=other: work(other) for other in others),
            *(lambda: withdraw_labels.withdraw_labels_of(leaver) for _ in range(2)),
        ]
    )
    Membership.objects.update(idle_until=None)
    for other in others:
        work(other)
    assert not Seat.objects.filter(annotator=leaver).exists()
    assert set(Item.objects.values_list("stage", flat=True)) == {Stage.GOLD}
    for item in Item.objects.all():
        people = list(item.seat_rows.filter(round=item.round).values_list("annotator", flat=True))
        assert len(people) == len(set(people)) == 3 and None not in people
    assert audit(project) == []


def tried(act: Callable[[], Any]) -> str:
    try:
        act()
    except roles.LastAdmin:
        return "kept"
    return "gone"


WAYS_OUT: dict[str, Callable[[Membership, Membership], Any]] = {
    "ends the other": lambda mine, other: participation.deactivate(other, by=mine),
    "gives up the role": lambda mine, _other: roles.change_roles(
        mine, mine, {"annotates": True, "reviews": False, "administers": False}
    ),
    "leaves": lambda mine, _other: participation.withdraw(mine),
}


@pytest.mark.parametrize("first", WAYS_OUT)
@pytest.mark.parametrize("second", WAYS_OUT)
def test_of_two_admins_who_go_at_once_one_stays(first, second):
    project = make_project()
    ann, ben = (make_member(project, Role.ADMIN, Role.ANNOTATOR) for _ in range(2))
    ways = [lambda: WAYS_OUT[first](ann, ben), lambda: WAYS_OUT[second](ben, ann)]
    outcomes = at_once([lambda way=way: tried(way) for way in ways])
    both_take_one_away = (first == "ends the other") != (second == "ends the other")
    assert sorted(outcomes) == ["gone", "gone" if both_take_one_away else "kept"]
    assert Membership.objects.filter(administers=True, active=True).count() == 1


def test_two_equal_orders_at_once_make_one_account_one_project_and_one_webhook():
    admin = make_member(make_project(), Role.ADMIN)
    joined = at_once([lambda: join.add_member(admin.project, "wren", Role.ANNOTATOR, actor=admin)] * 4)
    assert {each.membership.pk for each in joined} == {joined[0].membership.pk}
    assert [each.password is not None for each in joined].count(True) == 1
    secrets = at_once([lambda: change.store(admin, "https://a.example/hook", ["item.closed"])] * 4)
    assert sorted(map(bool, secrets)) == [False, False, False, True] and Webhook.objects.count() == 1
    Webhook.objects.all().delete()
    secrets = at_once([lambda: change.add(admin, "https://a.example/hook", ["item.closed"])] * 4)
    assert sorted(map(bool, secrets)) == [False, False, False, True] and Webhook.objects.count() == 1

    def made() -> str:
        try:
            return create_project("meadow").slug
        except BadProject as bad:
            return bad.code

    assert sorted(at_once([made] * 4)) == ["meadow", *["slug_taken"] * 3]
