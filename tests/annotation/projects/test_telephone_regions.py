"""The countries whose telephone numbers a campaign masks: of its languages, or as its settings say."""

import pytest

from annotation.domain.masking.mask import Mask
from annotation.domain.masking.regions import Regions, chosen
from annotation.imports.options import ImportOptions, terms_of
from annotation.models import Project
from annotation.projects import named_settings
from tests.support import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


def masked_regions(project: Project) -> Regions:
    return terms_of(project, ImportOptions(masks=frozenset({Mask.PHONES}))).regions


def test_a_campaign_without_a_choice_has_the_countries_of_its_languages(project: Project) -> None:
    assert masked_regions(project) == Regions()
    project.question = {"": "Is it hateful?", "ko": "혐오인가요?"}
    assert masked_regions(project) == Regions(("KR",))


def test_chosen_countries_count_alone(project: Project) -> None:
    form = named_settings.form_for(project, {"phone_regions": "kr jp,KR"})
    assert form.is_valid() and named_settings.store_settings(None, form) == ["phone_regions"]
    assert project.phone_regions == "KR, JP" and masked_regions(project) == chosen(["KR", "JP"])
    wrong = named_settings.form_for(project, {"phone_regions": "Korea"})
    assert wrong.errors == {"phone_regions": ["There is no country with the code KOREA."]}
