"""TGI: which words name a protected group, where, and when they count."""

import json

import pytest

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.group_list_files import BadGroups
from moderation.domain.hatexscore.quotations import quotations
from moderation.domain.hatexscore.tgi import groups, identified


def named(explanation: str, listed: str = "un_extended", language: str = "en") -> list[tuple[str, str]]:
    found = groups(explanation, quotations(explanation), language, group_list_files.built_in(listed))
    return [(each.term, each.tie) for each in found]


@pytest.mark.parametrize(
    ("explanation", "found"),
    [
        ("It attacks immigrants.", [("immigrant", "attack")]),
        ("It attacks MUSLIMS and jews.", [("muslim", "attack"), ("jew", "attack")]),
        ("Trans women's rights are mocked.", [("trans women", "mock")]),
        ("An anti-immigrant slur.", [("immigrant", "slur")]),
        ("It says “immigrants” are late.", []),
        ("The “weeds” are the African Americans.", [("african american", "quote")]),
        # tied by the sentence alone
        ("Refugees live here. It is an insult.", [("refugee", "")]),
        ("Refugees live here; it is an insult.", [("refugee", "insult")]),
        ("Refugees are “weeds.” Nothing more.", [("refugee", "quote")]),
        ("He says “weeds.” Refugees live here.", [("refugee", "")]),
        # countries as names; a thing at the beginning of a sentence is none
        ("It attacks people from Turkey.", [("turkey", "attack")]),
        ("The turkey is an attack on taste.", []),
        ("Turkey is an attack on taste.", []),
        ("France is under attack.", [("france", "attack")]),
        ("People of New Zealand are blamed, new zealand is not.", [("new zealand", "blame")]),
        # names of categories, but not of the rest
        ("It insults a religious community and others.", [("Religious", "insult")]),
        ("It insults others and other groups.", []),
        ("A garden full of flowers.", []),
    ],
)
def test_groups_are_found_by_lemma_outside_quotes(explanation: str, found: list[tuple[str, str]]) -> None:
    assert named(explanation) == found


def test_a_hateful_prediction_counts_only_what_is_tied_to_hate() -> None:
    explanation = "Refugees live here. It demeans women."
    found = groups(explanation, [], "en", group_list_files.built_in("un_extended"))
    assert [each.term for each in identified(found, True)] == ["women"]
    assert [each.term for each in identified(found, False)] == ["refugee", "women"]
    assert [explanation[each.start : each.end] for each in found] == ["Refugees", "women"]


def test_lists_differ_in_whom_they_protect() -> None:
    assert named("It insults women.", "un") == []
    assert named("It insults women.", "meta") == [("women", "insult")]
    assert named("It insults military veterans.", "youtube") == [("military veteran", "insult")]
    assert named("It insults a person with epilepsy.", "x") == [("epilepsy", "insult")]


def test_other_european_languages_have_their_lemmas() -> None:
    explanation = "Der Text beleidigt die Flüchtlinge und „Unkraut“."
    found = groups(explanation, quotations(explanation), "de", {"Herkunft": ["Flüchtling"]})
    assert [(each.term, each.category, each.tie) for each in found] == [("Flüchtling", "Herkunft", "quote")]


@pytest.mark.parametrize("name", group_list_files.NAMES)
def test_lists_hold_terms_once_and_no_placeholder(name: str) -> None:
    held = group_list_files.built_in(name)
    for terms in held.values():
        assert terms and len(terms) == len(set(terms))
        assert all(term == term.strip() and term for term in terms)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "an object"),
        ({}, "an object"),
        ({"Gardeners": "gardener"}, "needs a list of terms"),
        ({"Gardeners": [""]}, "not empty"),
        ({"Gardeners": [1]}, "each a text"),
        ({"Gardeners": ["g" * 101]}, "100 characters"),
        ({"Gardeners": ["g"] * 5001}, "5000 terms"),
    ],
)
def test_a_list_of_ones_own_is_checked(given: object, said: str) -> None:
    with pytest.raises(BadGroups, match=said):
        group_list_files.checked(given)


def test_a_list_of_ones_own_is_used() -> None:
    listed = group_list_files.checked(json.loads('{"Gardeners": ["gardener", "rose grower"], "Others": ["x y z w"]}'))
    found = groups("It mocks rose growers, others and x y z w.", [], "en", listed)
    assert [each.term for each in found] == ["rose grower"]


def test_an_unknown_list_is_named() -> None:
    with pytest.raises(BadGroups, match="There is no group list 'meto'"):
        group_list_files.built_in("meto")
