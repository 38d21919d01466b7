"""Two tabs in the training room, and two admins at one key, at the same moment."""

from functools import partial

import pytest

from annotation.domain.choices import Role, Stage
from annotation.models import Event, Item, KnownAnswer, Membership, Project, TrainingAnswer, TrainingAttempt
from annotation.training import attempts, control_items
from annotation.training.attempts import TrainingFeedback, TrainingReply
from annotation.training.control_items import KnownAnswerKey
from builders import category, make_item, make_member, make_project
from concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


def training_item(project: Project) -> Item:
    item = make_item(project, stage=Stage.KNOWN)
    KnownAnswer.objects.create(item=item, category=category(project, 1), training=True)
    return item


def test_many_tabs_that_begin_begin_one_attempt(project: Project, wren: Membership) -> None:
    training_item(project)
    begun = at_once([partial(attempts.begin_attempt, wren)] * 6)
    assert len({attempt.pk for attempt in begun if attempt}) == 1
    assert TrainingAttempt.objects.count() == 1


def test_the_last_post_answered_in_two_tabs_is_answered_and_finished_once(project: Project, wren: Membership) -> None:
    item = training_item(project)
    attempts.begin_attempt(wren)
    sayings = [TrainingReply(category(project, code)) for code in (1, 2, 1, 2)]
    told = at_once([partial(attempts.store_training_answer, wren, item.public_id, said) for said in sayings])
    assert sum(isinstance(each, TrainingFeedback) and not each.repeated for each in told) == 1
    answer = TrainingAnswer.objects.get()
    assert TrainingAttempt.objects.get().correct == answer.correct
    assert Event.objects.filter(verb="training_finished").count() == 1


def test_two_admins_who_declare_an_item_at_once_leave_one_answer(project: Project) -> None:
    item = make_item(project)
    admins = [make_member(project, Role.ADMIN) for _ in range(4)]
    keys = [KnownAnswerKey(category(project, code)) for code in (1, 1, 2, 2)]
    at_once([partial(control_items.mark_control_item, item, who, key) for who, key in zip(admins, keys, strict=True)])
    assert KnownAnswer.objects.count() == 1
    assert Event.objects.filter(verb="known_marked").count() == 1
