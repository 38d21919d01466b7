"""A planted bias of known size, through claims and submits: arms are drawn before display, and the report finds it.

Everybody labels every post, and arms and answers are hashes of who and which, so that the order in which posts are
handed out changes nothing and the test gives the same figures every time.
"""

from uuid import NAMESPACE_URL, uuid4, uuid5

import pytest

import builders
from annotation.analytics.influence.figures import read_influence
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat, PriorsOpened, Stored
from annotation.domain.answer import Answer
from annotation.domain.choices import Modality, PriorArm, PriorDisplay
from annotation.domain.priors.arms import share
from annotation.domain.statistics.influence import Contrast, Scope, View
from annotation.labelling import submit
from annotation.models import Label, Prior, Seat
from influence_accounts import in_scope

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PEOPLE, ITEMS = 12, 15


def campaign(display=PriorDisplay.SHOWN):
    """A project that withholds two in five priors; each post's text prior names one of the hateful categories."""
    project = builders.make_project(
        seats=PEOPLE, withheld_percent=40, influence_seed="a seed", prior_display=display, severe_in_row=0
    )
    people = [
        builders.make_member(project, pseudonym=f"a{n}", public_id=uuid5(NAMESPACE_URL, f"person {n}"))
        for n in range(PEOPLE)
    ]
    for n in range(ITEMS):
        item = builders.make_open_item(project, external_id=f"i{n}", public_id=uuid5(NAMESPACE_URL, f"item {n}"))
        Prior.objects.create(
            item=item, modality=Modality.TEXT, category=builders.category(project, 1 + n % 5), model="openai:m"
        )
    return project, people


def answer(seat, agreeing):
    """What a person answers who says what the prior says so often; the same draw whatever `agreeing` is."""
    prior = 1 + int(seat.item.external_id[1:]) % 5
    agrees = share("answer", seat.annotator.pseudonym, seat.item.external_id) < agreeing
    return Answer(category=prior if agrees else 0)


def work(person, agreeing):
    """The person labels until nothing is left; `agreeing` says how often they agree in each arm."""
    while isinstance(outcome := claim.claim(person), HeldSeat):
        seat = outcome.seat
        arm = PriorArm(Seat.objects.values_list("prior_arm", flat=True).get(pk=seat.pk))
        if arm is PriorArm.HIDDEN:
            own = answer(seat, agreeing[View.OWN])
            assert isinstance(submit.submit_first_answer(person, seat.public_id, own), PriorsOpened)
            said = answer(seat, agreeing[View.AFTER])
        else:
            said = answer(seat, agreeing[View.SHOWN if arm is PriorArm.SHOWN else View.WITHHELD])
        assert isinstance(submit.submit_label(person, seat.public_id, uuid4(), said), Stored)


def differences(project):
    (account,) = in_scope(read_influence(project).accounts, Modality.TEXT, Scope.ALL)
    return {contrast: each.difference for contrast, each in account.differences.items()}


@pytest.mark.parametrize("bias", [0.35, 0.0])
def test_the_report_finds_what_was_planted_when_priors_are_shown(bias):
    project, people = campaign()
    for person in people:
        work(person, {View.SHOWN: 0.45 + bias, View.WITHHELD: 0.45})
    found = differences(project)[Contrast.SHOWN_WITHHELD]
    assert found.interval.low <= bias <= found.interval.high
    assert (found.interval.low > 0) == (bias > 0)


def test_the_report_finds_what_was_planted_when_hidden_priors_open():
    project, people = campaign(PriorDisplay.AFTER_FIRST_ANSWER)
    for person in people:
        work(person, {View.OWN: 0.45, View.AFTER: 0.6, View.WITHHELD: 0.45})
    found = differences(project)
    assert found[Contrast.AFTER_OWN].interval.low <= 0.15 <= found[Contrast.AFTER_OWN].interval.high
    assert found[Contrast.AFTER_OWN].interval.low > 0
    assert found[Contrast.AFTER_WITHHELD].interval.low <= 0.15 <= found[Contrast.AFTER_WITHHELD].interval.high


def test_arms_are_stored_before_display_and_nobody_saw_what_was_withheld():
    project, people = campaign()
    for person in people[:3]:
        work(person, {View.SHOWN: 0.5, View.WITHHELD: 0.5})
    labels = Label.objects.filter(item__project=project)
    assert labels.count() == 3 * ITEMS and not labels.filter(prior_arm="").exists()
    for label in labels:
        assert bool(label.priors_shown) == (label.prior_arm == PriorArm.SHOWN)
    found = read_influence(project)
    assert found.labels[PriorArm.SHOWN] + found.labels[PriorArm.WITHHELD] == 3 * ITEMS
    assert found.labels[PriorArm.WITHHELD] == labels.filter(prior_arm=PriorArm.WITHHELD).count() > 0
