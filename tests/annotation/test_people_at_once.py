"""People who join, leave and label at the same moment: one link lets one in, and no item loses a seat or gains one."""

from uuid import uuid4

import pytest
from at_once import at_once

from annotation import governing, inviting, label_removal, labelling, taking_part
from annotation.auditing import audit
from annotation.domain.answers import Answer
from annotation.domain.words import OnWithdrawal, Role, Stage
from annotation.handing_out import Held, claim
from annotation.models import Item, Membership, Project, Seat
from builders import make_member, make_open_item, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def work(member: Membership) -> None:
    while isinstance(held := claim(member), Held):
        labelling.submit(member, held.seat.public_id, uuid4(), Answer(category=1))


def test_of_eight_who_follow_one_link_one_comes_in():
    admin = make_member(make_project(), Role.ADMIN)
    made = inviting.invite(admin, [Role.ANNOTATOR])
    users = [make_user() for _ in range(8)]
    outcomes = at_once([lambda user=user: inviting.accept(made.token, user) for user in users])
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Accepted"] + ["NotOpen"] * 7
    assert Membership.objects.filter(project=admin.project).count() == 2


def test_two_admins_who_give_up_the_role_together_leave_one():
    project = make_project()
    pair = [make_member(project, Role.ADMIN) for _ in range(2)]
    no_role = {"annotates": False, "reviews": True, "administers": False}

    def give_up(member: Membership) -> str:
        try:
            governing.change_roles(member, member, no_role)
        except governing.LastAdmin:
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
    taking_part.withdraw(leaver)
    at_once(
        [
            *(lambda other=other: work(other) for other in others),
            *(lambda: label_removal.take_out(leaver) for _ in range(2)),
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
