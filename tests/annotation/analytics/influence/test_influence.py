"""Prior influence over rows: which labels count, beside which prior, and in which period."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

import builders
from annotation.analytics.influence.figures import read_influence, set_withheld_share
from annotation.analytics.influence.influence_json import as_json
from annotation.assignment import claim
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.domain.answer import Answer
from annotation.domain.choices import Modality, PriorArm, PriorDisplay, PriorState, Role, Stage
from annotation.domain.statistics.figure import Undefined, Why
from annotation.domain.statistics.influence import Change, Contrast, Scope, View
from annotation.labelling import submit
from annotation.models import Event, Item, KnownAnswer, Label, Prior, Project, Seat, record
from influence_accounts import in_scope

pytestmark = pytest.mark.django_db

SHOWN, HIDDEN, WITHHELD = PriorArm.SHOWN, PriorArm.HIDDEN, PriorArm.WITHHELD


@pytest.fixture
def project():
    return builders.make_project()


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


def make_prior(item, code, modality=Modality.TEXT, **fields):
    category = None if code is None else builders.category(item.project, code)
    return Prior.objects.create(item=item, modality=modality, category=category, **{"model": "openai:m", **fields})


def with_priors(project, text=None, image=None):
    """An open item and its priors by modality."""
    item = builders.make_open_item(project)
    said = {Modality.TEXT: text, Modality.IMAGE: image}
    return item, {part: make_prior(item, code, part) for part, code in said.items() if code is not None}


def answer(item, member, code, arm, priors=(), **fields):
    """The member's label at the next free seat of the item, made in this arm."""
    seat = item.seat_rows.filter(label=None, round=item.round).order_by("number").first()
    return builders.make_label(seat, member, code, prior_arm=arm, priors_shown=[prior.pk for prior in priors], **fields)


def whole(project, modality=Modality.TEXT, scope=Scope.ALL):
    return in_scope(read_influence(project).accounts, modality, scope)[0]


def counted(account):
    return {
        view: (share.answers, share.agreeing, share.without)
        for view, share in account.shares.items()
        if share.answers or share.without
    }


def test_answers_are_compared_with_the_prior_of_each_modality(project, trio):
    item, priors = with_priors(project, text=1, image=0)
    answer(item, trio[0], 1, SHOWN, priors.values())
    answer(item, trio[1], 0, SHOWN, priors.values())
    answer(item, trio[2], 1, WITHHELD)
    assert counted(whole(project)) == {View.SHOWN: (2, 1, 0), View.WITHHELD: (1, 1, 0)}
    assert counted(whole(project, Modality.IMAGE)) == {View.SHOWN: (2, 1, 0), View.WITHHELD: (1, 0, 0)}
    assert counted(whole(project, scope=Scope.CONFLICT)) == counted(whole(project))
    assert counted(whole(project, scope=Scope.ALIKE)) == {}


def test_an_answer_of_several_categories_agrees_with_a_prior_that_is_among_them(project, trio):
    item, priors = with_priors(project, text=2, image=3)
    answer(item, trio[0], 1, SHOWN, priors.values(), categories=[1, 2])
    answer(item, trio[1], 1, SHOWN, priors.values())
    assert counted(whole(project)) == {View.SHOWN: (2, 1, 0)}
    assert counted(whole(project, Modality.IMAGE)) == {View.SHOWN: (2, 0, 0)}


def test_hidden_priors_tell_the_own_view_and_the_answer_after_it(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, HIDDEN, priors.values(), first_answer={"category": 0})
    answer(item, trio[1], 0, HIDDEN, priors.values(), first_answer={"category": 0})
    answer(item, trio[2], 2, HIDDEN, priors.values(), first_answer={"category": None, "not_sure": True})
    found = whole(project)
    assert counted(found) == {View.OWN: (2, 0, 1), View.AFTER: (3, 1, 0)}
    assert found.changes == {Change.KEPT: 1, Change.TOWARDS: 1, Change.AWAY: 0, Change.OTHERWISE: 0}


def test_not_sure_is_counted_apart(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], None, SHOWN, priors.values())
    assert counted(whole(project)) == {View.SHOWN: (0, 0, 1)}


def test_the_first_submission_counts_not_its_correction(project, trio):
    item, priors = with_priors(project, text=1)
    first = answer(item, trio[0], 1, SHOWN, priors.values())
    again = Label.objects.create(
        seat=first.seat,
        item=item,
        annotator=trio[0],
        revision=2,
        category=builders.category(project, 0),
        prior_arm=SHOWN,
        priors_shown=first.priors_shown,
    )
    Seat.objects.filter(pk=first.seat_id).update(label=again)
    assert counted(whole(project)) == {View.SHOWN: (1, 1, 0)}


def test_labels_of_later_rounds_imported_ones_and_removed_ones_do_not_count(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, SHOWN, priors.values(), imported=True)
    removed = answer(item, trio[1], 1, SHOWN, priors.values())
    Seat.objects.filter(pk=removed.seat_id).update(label=None, annotator=None, filled_at=None)
    later, more = with_priors(project, text=1)
    Item.objects.filter(pk=later.pk).update(round=2)
    Seat.objects.filter(item=later).update(round=2)
    later.refresh_from_db()
    answer(later, trio[0], 1, SHOWN, more.values())
    found = read_influence(project)
    assert found.drawn == found.without_arm == 0
    assert counted(whole(project)) == {}


def test_known_answers_never_count(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, SHOWN, priors.values())
    KnownAnswer.objects.create(item=item, category=builders.category(project, 1))
    assert counted(whole(project)) == {}
    KnownAnswer.objects.all().delete()
    Item.objects.filter(pk=item.pk).update(stage=Stage.KNOWN)
    assert counted(whole(project)) == {}


def test_labels_from_before_arms_were_drawn_are_told_apart(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, "", priors.values())
    answer(item, trio[1], 1, SHOWN, priors.values())
    found = read_influence(project)
    assert (found.without_arm, found.drawn) == (1, 1)
    assert counted(whole(project)) == {View.SHOWN: (1, 1, 0)}


def test_the_prior_that_was_seen_counts_even_when_a_newer_one_stands_there(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, SHOWN, priors.values())
    Prior.objects.update(current=False)
    make_prior(item, 0, created_at=timezone.now() + timedelta(hours=1))
    answer(item, trio[1], 1, WITHHELD)
    assert counted(whole(project)) == {View.SHOWN: (1, 1, 0), View.WITHHELD: (1, 1, 0)}


def test_refused_priors_and_those_nobody_may_see_are_no_priors(project, trio):
    item = builders.make_open_item(project)
    make_prior(item, None, state=PriorState.REFUSED)
    make_prior(item, 1, Modality.IMAGE, model="keyword:cues")
    answer(item, trio[0], 1, WITHHELD)
    assert counted(whole(project)) == counted(whole(project, Modality.IMAGE)) == {}
    Project.objects.update(show_keyword_priors=True)
    project.refresh_from_db()
    assert counted(whole(project, Modality.IMAGE)) == {View.WITHHELD: (1, 1, 0)}


def half_and_half(project, trio):
    """A shown answer before the share changes, and withheld ones after it."""
    item, priors = with_priors(project, text=1)
    early = answer(item, trio[0], 1, SHOWN, priors.values())
    Seat.objects.filter(pk=early.seat_id).update(held_at=early.created_at)
    return item, priors


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"verb": "withheld_share", "before": 0, "after": 20}, Why.NOT_TOGETHER),
        ({"verb": "change_settings", "changed": ["prior_display"]}, Why.NOT_TOGETHER),
        ({"verb": "change_settings", "changed": ["name"]}, None),
    ],
)
def test_what_was_handed_out_before_a_change_is_not_compared_with_what_came_after(project, trio, facts, why):
    item, _priors = half_and_half(project, trio)
    record(facts.pop("verb"), project=project, **facts)
    late = answer(item, trio[1], 0, WITHHELD)
    Seat.objects.filter(pk=late.seat_id).update(held_at=late.created_at)
    figure = whole(project).differences[Contrast.SHOWN_WITHHELD].difference
    assert figure == Undefined(why) if why else figure.value == 1


def test_it_is_the_moment_of_handing_out_that_counts(project, trio):
    item, priors = half_and_half(project, trio)
    set_withheld_share(builders.make_member(project, Role.ADMIN), 20)
    late = answer(item, trio[1], 0, WITHHELD)
    Seat.objects.filter(pk=late.seat_id).update(held_at=Event.objects.get().at - timedelta(minutes=1))
    assert whole(project).differences[Contrast.SHOWN_WITHHELD].difference.value == 1


def test_an_arm_that_was_kept_when_a_seat_came_back_belongs_to_the_time_of_its_draw(project, trio):
    item, _priors = with_priors(project, text=1)
    seat = claim.claim(trio[0]).seat
    Seat.objects.filter(pk=seat.pk).update(expires_at=seat.held_at)
    free_lapsed_seats()
    set_withheld_share(builders.make_member(project, Role.ADMIN), 90)
    again = claim.claim(trio[0]).seat
    assert again.prior_arm == SHOWN
    Seat.objects.filter(pk=again.pk).update(held_at=timezone.now())  # the database's clock may stand still in a test
    submit.submit_label(trio[0], again.public_id, uuid4(), Answer(category=1))
    late = answer(item, trio[1], 0, WITHHELD)
    Seat.objects.filter(pk=late.seat_id).update(held_at=late.created_at)
    assert counted(whole(project)) == {View.SHOWN: (1, 1, 0), View.WITHHELD: (1, 0, 0)}
    assert whole(project).differences[Contrast.SHOWN_WITHHELD].difference == Undefined(Why.NOT_TOGETHER)


def test_another_projects_labels_stay_out(project, trio):
    other = builders.make_project()
    item, priors = with_priors(other, text=1)
    answer(item, builders.make_member(other), 1, SHOWN, priors.values())
    assert read_influence(project).drawn == 0 and read_influence(other).drawn == 1


def test_as_json_names_what_is_undefined(project, trio):
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, SHOWN, priors.values())
    found = as_json(read_influence(project))
    assert found["labels"] == {"shown": 1, "hidden": 0, "withheld": 0}
    every, category = found["groups"]
    assert (every["scope"], every["category"], category["scope"], category["category"]) == ("all", None, "category", 1)
    share = {"answers": 1, "agreeing": 1, "without_category": 0, "value": 1.0, "interval": None}
    assert every["shares"]["shown"] == share | {"why": "One person alone tells nothing about others."}
    assert every["differences"]["shown_withheld"]["why"] == "There is no such answer yet."


# ── The share that is withheld ────────────────────────────────────────────────


def test_a_share_is_stored_and_written_down(project):
    admin = builders.make_member(project, Role.ADMIN)
    assert set_withheld_share(admin, 20)
    project.refresh_from_db()
    assert project.withheld_percent == 20
    event = Event.objects.get(verb="withheld_share")
    assert (event.actor, event.facts) == (admin, {"before": 0, "after": 20})


def test_the_same_share_again_is_no_change(project):
    admin = builders.make_member(project, Role.ADMIN)
    assert set_withheld_share(admin, 20)
    assert not set_withheld_share(admin, 20)
    assert Event.objects.count() == 1


@pytest.mark.parametrize("percent", [-1, 91])
def test_a_share_out_of_bounds_is_refused(project, percent):
    with pytest.raises(ValueError, match="0 and 90 percent"):
        set_withheld_share(builders.make_member(project, Role.ADMIN), percent)
    project.refresh_from_db()
    assert project.withheld_percent == 0


def test_hidden_display_is_not_mistaken_for_withheld(project, trio):
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    item, priors = with_priors(project, text=1)
    answer(item, trio[0], 1, HIDDEN, priors.values(), first_answer={"category": 0})
    answer(item, trio[1], 0, WITHHELD)
    found = whole(project)
    assert counted(found) == {View.OWN: (1, 0, 0), View.AFTER: (1, 1, 0), View.WITHHELD: (1, 0, 0)}
    assert found.differences[Contrast.AFTER_WITHHELD].difference.value == 1
