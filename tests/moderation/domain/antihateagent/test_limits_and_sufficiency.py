"""Sufficiency over everything read, what fits near the limit of steps, and which engine is asked next."""

from typing import Any

import pytest

from moderation.domain.antihateagent.limits import Action, steps_that_fit
from moderation.domain.antihateagent.protocol import Hit, KeptPassage, Page, Round, Walk
from moderation.domain.antihateagent.searches import Search, engines_out, faults_of, next_engine

PASSAGE = KeptPassage("call newcomers weeds", 0, 20, "supports", 3, "explains it")


def weighed(judgment: str, sufficient: bool, *, evidence: bool = True) -> Page:
    page = Page("1.1", Hit(1, "http://a.example/", "", "", ""))
    page.passages = [PASSAGE] if evidence else []
    page.weighed = {"judgment": judgment, "sufficient": sufficient}
    return page


ENOUGH: list[tuple[list[Page], bool]] = [
    ([], False),
    ([weighed("HATE", False), weighed("HATE", False)], False),
    ([weighed("HATE", True), weighed("HATE", True), weighed("OPEN", False, evidence=False)], True),  # about nothing
    ([weighed("HATE", True), weighed("HATE", False)], True),  # more of the same takes nothing away
    ([weighed("HATE", True), weighed("NON-HATE", False)], False),  # what contradicts it does
    ([weighed("HATE", True), weighed("NON-HATE", True)], True),
    ([weighed("HATE", True), weighed("OPEN", False), weighed("HATE", True)], True),
    ([weighed("HATE", True), weighed("NON-HATE", False), weighed("HATE", False)], False),
]


def test_evidence_is_enough_by_everything_that_was_read() -> None:
    for pages, enough in ENOUGH:
        halves = Walk([Round(1, pages=pages[:1]), Round(2, pages=pages[1:])])  # rounds make no difference
        assert halves.is_sufficient is Walk([Round(1, pages=pages)]).is_sufficient is enough, pages


@pytest.mark.parametrize(
    ("action", "room", "unread", "fit"),
    [
        (Action.READ, 10, 0, 10),  # ten steps left read what ten allow
        (Action.READ, 0, 0, 0),
        (Action.WEIGH, 1, 0, 1),
        (Action.FETCH, 10, 0, 5),  # each with a reading
        (Action.FETCH, 4, 2, 1),
        (Action.FETCH, 2, 2, 0),
        (Action.SELECT, 2, 0, 0),
        (Action.SELECT, 3, 0, 1),
        (Action.SEARCH, 4, 0, 1),
        (Action.ASK_FOR_QUERIES, 4, 0, 0),
        (Action.ASK_FOR_QUERIES, 5, 0, 1),  # query, search, select, fetch, read
        (Action.ASK_FOR_URLS, 3, 0, 1),
    ],
)
def test_what_fits_leads_to_evidence(action: Action, room: int, unread: int, fit: int) -> None:
    assert steps_that_fit(action, room, unread) == fit


def bad(query: int, engine: str, code: str = "busy", fault: str = "429") -> Search:
    return Search(query, engine, code=code, fault=fault)


def test_an_engine_is_out_after_a_round_of_faults_alone() -> None:
    both: Any = [bad(1, "a"), Search(2, "a"), bad(1, "b")]
    assert engines_out([both]) == {"b"}
    assert engines_out([[bad(1, "a")], [Search(1, "b")]]) == {"a"}
    assert engines_out([[bad(1, "a")], [Search(1, "a")]]) == set()


def test_the_next_engine_is_the_first_that_may_answer() -> None:
    assert next_engine(1, [], ["a", "b"], set()) == "a"
    assert next_engine(1, [], ["a", "b"], {"a"}) == "b"
    assert next_engine(1, [bad(1, "a")], ["a", "b"], set()) == "b"
    assert next_engine(1, [bad(1, "a"), Search(1, "b")], ["a", "b", "c"], set()) is None
    assert next_engine(1, [bad(1, "a")], ["a"], {"a"}) is None
    assert next_engine(1, [bad(1, "")], ["a", "b"], set()) == "b"  # from before the engine was stored


def test_faults_are_counted_by_engine_and_kind() -> None:
    found = faults_of([bad(1, "a", fault="first"), Search(2, "a"), bad(3, "a", fault="last"), bad(1, "b", "timeout")])
    assert found == [
        {"of": "a", "code": "busy", "detail": "last", "times": 2},
        {"of": "b", "code": "timeout", "detail": "429", "times": 1},
    ]
