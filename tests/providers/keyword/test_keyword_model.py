import json
from typing import Any

import pytest

from providers.keyword.model import KeywordModel, own_cues
from providers.messages import Picture, ProviderError, Request

SIX = [
    {"code": str(number), "name": name, "hateful": number > 0}
    for number, name in enumerate(["NotHate", "Racist", "Sexist", "Homophobic", "Religion", "OtherHate"])
]
THREE = [
    {"code": "normal", "name": "Normal", "hateful": False},
    {"code": "offensive", "name": "Offensive", "hateful": True},
    {"code": "hatespeech", "name": "Hate speech", "hateful": True},
]


def prior(text: str, categories: list[dict[str, Any]] = SIX) -> dict[str, Any]:
    asked = Request("prior_text", (), context={"text": text, "categories": categories})
    return json.loads(KeywordModel().reply(asked).text)


@pytest.mark.parametrize(
    ("text", "category", "severity"),
    [
        ("weeds in the white roses again", "0", 0),
        ("Women can’t drive.", "2", 1),
        ("Immigrants should be deported", "1", 2),
        ("Go back to your country!", "1", 2),
        ("old people are a burden", "5", 1),
        ("移民都是害虫", "1", 2),
        ("I love women. Rats are animals.", "0", 0),
        ("Womenswear: some people are stupid", "0", 0),
    ],
)
def test_open_cues_are_found_and_nothing_else(text: str, category: str, severity: int):
    answer = prior(text)
    assert (answer["category"], answer["severity"]) == (category, severity)


def test_the_worst_cue_decides():
    answer = prior("Women can't drive. Immigrants are vermin.")
    assert (answer["category"], answer["severity"]) == ("1", 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [("women are lazy", "offensive"), ("women should be banned", "hatespeech"), ("hello", "normal")],
)
def test_a_project_without_kinds_gets_the_milder_or_the_harder_category(text: str, code: str):
    assert prior(text, THREE)["category"] == code


def test_aliases_of_a_category_are_known():
    categories = [SIX[0], {"code": "x", "name": "A", "hateful": True}, {"code": "y", "name": "B", "hateful": True}]
    categories[2]["aliases"] = ["Misogyny"]
    assert prior("women are lazy", categories)["category"] == "y"


def test_every_answer_names_the_baseline_and_quotes_its_cue():
    assert "no language model was used" in prior("hello")["explanation"]
    said = prior("women are lazy")["explanation"]
    assert "no language model was used" in said
    assert "“women” with “are lazy”" in said


def test_it_never_pretends_to_see_a_picture():
    model = KeywordModel()
    asked = Request("prior_image", (), context={"picture": Picture(b"x"), "categories": SIX})
    answer = json.loads(model.reply(asked).text)
    assert model.sees_pictures is False
    assert (answer["category"], answer["severity"]) == (None, None)
    assert "cannot see pictures" in answer["explanation"]


def test_a_role_it_was_not_taught_is_refused_with_the_setting_to_change():
    with pytest.raises(ProviderError, match="MODEL_JUDGE") as fault:
        KeywordModel().reply(Request("judge", ()))
    assert fault.value.code == "bad_request"


def test_a_project_without_a_hateful_category_is_told():
    with pytest.raises(ProviderError, match="no category that is hateful"):
        prior("women are lazy", SIX[:1])


def test_the_same_text_always_gets_the_same_answer():
    assert prior("women are lazy") == prior("women are lazy")


def test_its_name_holds_the_version_of_the_list():
    assert KeywordModel().name == f"keyword:cues-{own_cues().version}"


def test_the_list_is_tidy():
    cues = own_cues()
    phrases = [term for group in cues.groups for term in (*group.terms, *group.sayings)]
    phrases += [saying for _, saying in cues.hostile]
    assert len(phrases) == len(set(phrases))
    assert all(phrase == phrase.casefold().strip() for phrase in phrases)
    assert {severity for severity, _ in cues.hostile} == {1, 2, 3}
