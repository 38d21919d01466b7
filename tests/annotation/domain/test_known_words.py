"""Korean and Chinese words of usual categories are read in every project, unless the project means something else."""

from typing import Any

import pytest
from pydantic import ValidationError

from annotation.domain.categories import DEFAULT_CATEGORIES, UnknownCategory, read_category
from annotation.domain.known_words import known_words, spellings
from annotation.domain.priors.schema import answer_shape
from annotation.domain.votes import Category
from annotation.projects.templates import TITLES, template

WORDS = [
    ("인종차별", "Racist"),
    ("种族歧视", "Racist"),
    ("비혐오", "NotHate"),
    ("성차별", "Sexist"),
    ("恐同", "Homophobic"),
    ("종교 혐오", "Religion"),
    ("其他", "OtherHate"),
    ("종교 차별", "Religion"),
    ("종교차별", "Religion"),
    ("racism", "Racist"),
    ("no hate", "NotHate"),
]


def read(word: str, categories: Any = DEFAULT_CATEGORIES) -> str:
    return read_category(word, categories).name


def model_says(word: str, categories: Any = DEFAULT_CATEGORIES) -> int:
    written = {"explanation": "e", "category": word, "severity": 0}
    return answer_shape(categories).model_validate(written).category


@pytest.mark.parametrize(("word", "name"), WORDS)
def test_a_word_is_read_in_files_and_in_answers_of_models_without_being_an_alias(word: str, name: str) -> None:
    category = read_category(word, DEFAULT_CATEGORIES)
    assert category.name == name and word not in category.aliases
    assert model_says(word) == model_says(f"{category.code} ({word})") == category.code


@pytest.mark.parametrize("name", TITLES)
def test_every_template_has_words_in_both_languages_for_all_of_its_categories(name: str) -> None:
    categories = template(name).categories
    for code, words in known_words(categories).items():
        assert any("가" <= word[0] <= "힣" for word in words), code
        assert any("一" <= word[0] <= "鿿" for word in words), code


def test_a_category_is_known_by_an_alias_and_in_any_writing_of_its_name() -> None:
    categories = (Category(0, "not hate", False), Category(3, "Against gay people", True, ("homophobia",)))
    assert read("비혐오", categories) == "not hate" and read("성소수자 혐오", categories) == "Against gay people"


@pytest.mark.parametrize(
    "categories",
    [
        (Category(0, "NotHate", False), Category(1, "Religion", False)),  # a topic, no attack
        (Category(0, "NotHate", False), Category(1, "Faith", True)),
    ],
    ids=["another meaning", "another name"],
)
def test_a_category_that_means_something_else_has_no_such_word(categories: Any) -> None:
    with pytest.raises(UnknownCategory):
        read("종교 혐오", categories)
    with pytest.raises(ValidationError):
        model_says("종교 혐오", categories)


def test_what_a_project_calls_a_category_itself_counts_first() -> None:
    categories = (Category(0, "NotHate", False), Category(1, "Racist", True), Category(2, "인종차별", True))
    assert read("인종차별", categories) == "인종차별" and model_says("인종차별", categories) == 2
    assert model_says("种族歧视", categories) == 1


def test_a_word_of_two_categories_stands_for_none() -> None:
    categories = (Category(0, "NotHate", False), Category(1, "Racist", True), Category(2, "Racism", True))
    with pytest.raises(UnknownCategory):
        read("인종차별", categories)
    assert dict(spellings(categories))[1] == ("Racist",)


def test_categories_of_the_same_codes_are_told_apart_by_their_names() -> None:
    assert model_says("인종차별", (Category(0, "NotHate", False), Category(1, "Racist", True))) == 1
    with pytest.raises(ValidationError):
        model_says("인종차별", (Category(0, "NotHate", False), Category(1, "Sexist", True)))
