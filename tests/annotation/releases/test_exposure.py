"""What a release tells of the influence of priors and of what people were exposed to."""

from datetime import date, timedelta

import pytest

import builders
from annotation.analytics.influence.figures import read_influence
from annotation.analytics.influence.influence_json import as_json
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Modality, PriorArm
from annotation.models import OptOut, Prior, WorkDay
from annotation.releases.build import release
from annotation.releases.exposure import exposure
from release_builders import problems

pytestmark = pytest.mark.django_db

SHOWN, HIDDEN, WITHHELD = PriorArm.SHOWN, PriorArm.HIDDEN, PriorArm.WITHHELD


@pytest.fixture
def project():
    return builders.make_project()


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


def make_gold(project, trio, arms, codes=(1, 1, 1), firsts=(None, None, None)):
    """A gold item whose text prior says 1, each answer in its own arm."""
    item = builders.make_open_item(project)
    prior = Prior.objects.create(
        item=item, modality=Modality.TEXT, category=builders.category(project, 1), model="openai:m"
    )
    for seat, member, arm, code, first in zip(
        item.seat_rows.order_by("number"), trio, arms, codes, firsts, strict=True
    ):
        shown = [] if arm == WITHHELD else [prior.pk]
        before = None if first is None else {"category": first}
        builders.make_label(seat, member, code, prior_arm=arm, priors_shown=shown, first_answer=before)
    close_item(item)


def card_of(made):
    assert problems(folder_of(made)) == []
    return (folder_of(made) / "README.md").read_text()


def test_a_project_without_arms_says_so_in_one_line(project, trio):
    make_gold(project, trio, ("", "", ""))
    made = release(project, None)
    assert "Nothing was recorded about who saw the models' priors" in card_of(made)
    assert made.manifest["influence"] == {
        "labels": {"shown": 0, "hidden": 0, "withheld": 0},
        "labels_without_arm": 3,
        "groups": [],
    }


def test_a_project_without_priors_is_not_said_to_have_shown_any(project, trio):
    make_gold(project, trio, (SHOWN, SHOWN, SHOWN))
    Prior.objects.all().delete()
    card = card_of(release(project, None))
    assert "priors shown from the start" not in card
    assert "No label was given beside a prior" in card


def test_the_card_counts_arms_and_tells_shares_and_differences(project, trio):
    # Twelve answers with priors shown, all as the prior; of twelve withheld ones, one on each of six items is not.
    for number in range(6):
        make_gold(project, trio, (SHOWN, SHOWN, WITHHELD))
        make_gold(project, trio, (WITHHELD, SHOWN, WITHHELD), codes=(0 if number % 2 else 1, 1, 1))
    made = release(project, None)
    card = card_of(made)
    assert "included: 18 with priors shown from the start, 0 with priors hidden until a first answer" in card
    assert "18 with priors withheld." in card
    # 15 of 18 withheld answers agree, all 18 shown ones: 100 - 83.3 = 16.7 points.
    assert "| text | all | 100.0 % (" in card and "| 83.3 % (" in card
    assert "| text | all | +16.7 (" in card and "), n = 18" in card
    assert made.manifest["influence"] == as_json(read_influence(project))


def test_the_card_tells_what_became_of_first_answers(project, trio):
    make_gold(project, trio, (HIDDEN, HIDDEN, HIDDEN), firsts=(1, 0, 1))
    card = card_of(release(project, None))
    assert "Once hidden priors opened, 2 of 3 answers beside the text prior were kept, 1 changed towards it" in card
    assert "+33.3 (no interval)" in card


def test_arms_without_a_prior_that_names_a_category_are_told_too(project, trio):
    make_gold(project, trio, (SHOWN, SHOWN, WITHHELD))
    Prior.objects.all().delete()
    assert "No label was given beside a prior that annotators could see" in card_of(release(project, None))


# ── Exposure ──────────────────────────────────────────────────────────────────


def worked(project, people, shown=(10,), skips=1):
    members = [builders.make_member(project) for _ in range(people)]
    for member in members:
        for back, n in enumerate(shown):
            WorkDay.objects.create(
                member=member, day=date(2026, 3, 9) - timedelta(days=back), shown=n, labels=n, skips=skips
            )
    return members


def test_exposure_is_told_from_five_people_on(project):
    worked(project, 4)
    assert exposure(project) == {"person_days": None, "median_shown": None, "skips": None, "opted_out": None}
    worked(project, 1)
    assert exposure(project) == {"person_days": 5, "median_shown": 10, "skips": 5, "opted_out": None}


def test_the_median_is_that_of_days_on_which_something_was_shown(project):
    # Five people with 10, 30 and 0 items: ten person-days, half of them 10 and half 30.
    worked(project, 5, shown=(10, 30, 0), skips=2)
    found = exposure(project)
    assert (found["person_days"], found["median_shown"], found["skips"]) == (10, 20, 30)


def test_opt_outs_are_counted_by_person_and_from_five_on(project):
    members = worked(project, 6)
    for member in members[:4]:
        OptOut.objects.create(member=member, severity=2)
        OptOut.objects.create(member=member, target_group="gardeners")
    assert exposure(project)["opted_out"] is None
    OptOut.objects.create(member=members[4], severity=3)
    assert exposure(project)["opted_out"] == 5


def test_another_projects_days_stay_out(project):
    worked(builders.make_project(), 5)
    assert exposure(project)["person_days"] is None


def test_the_card_tells_exposure_or_that_too_few_worked(project, trio):
    make_gold(project, trio, (SHOWN, SHOWN, SHOWN))
    assert "What they were exposed to is not told" in card_of(release(project, None))
    worked(project, 5)
    card = card_of(release(project, None))
    assert "They worked 5 person-days and saw 10 items on the median one. 5 items were skipped" in card
    assert "Fewer than five people opted out of some content" in card
