"""States of claims: by checks, by cards that are struck, and what an edit of the text leaves of them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation.domain.claim_checks import ClaimVerdict, SourceCard
from generation.domain.counterspeech.claim_states import (
    ClaimState,
    card_of,
    claim_id,
    claims_in,
    newest_verdicts,
    source_lines,
    state_after,
    state_in_force,
    unopened_links,
    with_sources,
)
from generation.domain.counterspeech.safety_flags import Flag, in_claims, in_wording

EDITS = [json.loads(line) for line in Path(__file__).with_name("claim_edits.jsonl").read_text("utf-8").splitlines()]
OWNER, CARD, OTHER = uuid4(), uuid4(), uuid4()
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def verdict(holds: bool | None, *, supporting: tuple[UUID, ...] = (), refuting: tuple[UUID, ...] = ()) -> ClaimVerdict:
    return ClaimVerdict("Half of them came.", uuid4(), NOON, holds, supporting, refuting)


def card(**fields: Any) -> SourceCard:
    known = {
        "public_id": CARD,
        "number": 1,
        "url": "https://city.example.org/report.html?year=2024",
        "domain": "example.org",
        "title": "Half of all newcomers work",
        "publisher": "City Office",
        "published": "2024-05-06",
        "fetched_at": NOON,
        "passages": (),
        "claim": "",
        "run": uuid4(),
        "counts": True,
        "is_link": True,
    }
    return SourceCard(**known | fields)


@pytest.mark.parametrize("row", EDITS, ids=lambda row: row["after"])
def test_an_edit_unbinds_the_sentences_that_it_changed_and_no_other(row: dict[str, Any]) -> None:
    before, after = ({claim_id(OWNER, claim): claim for claim in claims_in(row[name])} for name in ("before", "after"))
    assert sorted(after[same] for same in before.keys() & after.keys()) == sorted(row["kept"])


@pytest.mark.parametrize(
    ("ended", "state", "rests_on"),
    [
        (verdict(True, supporting=(CARD, OTHER)), ClaimState.SUPPORTED, CARD),
        (verdict(True), ClaimState.OPEN, None),  # the model says so, and no page does
        (verdict(True, refuting=(CARD,)), ClaimState.OPEN, None),
        (verdict(False, refuting=(OTHER,)), ClaimState.CONTRADICTED, OTHER),
        (verdict(False, supporting=(CARD,)), ClaimState.CONTRADICTED, None),
        (verdict(False), ClaimState.CONTRADICTED, None),
        (verdict(None, supporting=(CARD,), refuting=(OTHER,)), ClaimState.OPEN, None),
    ],
)
def test_the_verdict_of_a_check_gives_the_state(ended: ClaimVerdict, state: ClaimState, rests_on: UUID | None) -> None:
    assert (state_after(ended), card_of(ended)) == (state, rests_on)


@given(some.sampled_from(ClaimState), some.sampled_from([None, CARD]), some.sets(some.sampled_from([CARD, OTHER])))
def test_a_state_counts_exactly_as_long_as_its_card_does(
    state: ClaimState, named: UUID | None, counting: set[UUID]
) -> None:
    in_force = state_in_force(state, named, counting)
    assert in_force == (state if named is None or named in counting else ClaimState.OPEN)


def test_of_several_checks_of_the_same_words_the_one_asked_for_last_counts() -> None:
    later = ClaimVerdict("Half of them came.", uuid4(), NOON + timedelta(minutes=1), False)
    assert newest_verdicts([later, verdict(True, supporting=(CARD,))]) == {"Half of them came.": later}


@pytest.mark.parametrize(
    ("text", "heading", "read"),
    [
        ("Half of them work.", "Sources:", "read 2026-03-01"),
        ("절반은 일을 한다.", "출처:", "2026-03-01 확인"),
        ("一半的人在工作。", "来源：", "2026-03-01 查阅"),
    ],
)
def test_sources_stand_in_a_plain_list_in_the_language_of_the_reply(text: str, heading: str, read: str) -> None:
    listed = with_sources(text, [card(), card(public_id=OTHER, title="", publisher="", published="", is_link=False)])
    assert listed == (
        f"{text}\n\n{heading}\n"
        f"– Half of all newcomers work, City Office, 2024-05-06, {read} https://city.example.org/report.html?year=2024\n"
        f"– example.org, {read}"
    )
    assert with_sources(listed, [card()]) == listed


def test_the_list_grows_under_the_heading_that_is_there() -> None:
    listed = with_sources(with_sources("Half of them work.", [card()]), [card(title="Another")])
    assert listed.count("Sources:") == 1 and listed.count("– ") == 2


def test_a_line_of_the_list_is_no_claim_as_long_as_its_card_counts() -> None:
    text = with_sources("Half of them work.", [card()])
    assert claims_in(text, source_lines([card()])) == ["Half of them work."]
    assert len(claims_in(text)) > 1
    hidden = text + "\n– 90 percent of them steal."
    assert claims_in(hidden, source_lines([card()])) == ["Half of them work.", "– 90 percent of them steal."]


def test_a_page_that_was_read_is_no_unopened_link() -> None:
    page = card().url
    assert unopened_links(f"See {page}. And {page}.", [page]) == []
    assert unopened_links(f"See {page} and https://other.example.org.", [page]) == ["https://other.example.org"]
    bare = "example.org/report"
    assert unopened_links(f"See {bare}.", []) == [bare]
    for opened in (f"https://{bare}", f"http://www.{bare}/"):
        assert unopened_links(f"See {bare}, or www.{bare}, or https://{bare}.", [opened]) == []
    text = with_sources("Half of them work, and they work well, every day of every week of the year.", [card()])
    assert in_wording(text, post="x", listed=source_lines([card()]), opened=[page]) == []
    assert [each.flag for each in in_wording(text)] == [Flag.UNOPENED_LINK]


@given(some.dictionaries(some.text(min_size=1), some.sampled_from(ClaimState)))
def test_open_and_false_claims_raise_a_flag_each_and_no_others_do(states: dict[str, ClaimState]) -> None:
    raised = {finding.flag: finding.words for finding in in_claims(states)}
    assert (Flag.OPEN_CLAIM in raised) == (ClaimState.OPEN in states.values())
    assert (Flag.FALSE_CLAIM in raised) == (ClaimState.CONTRADICTED in states.values())
    assert all(states[words] in (ClaimState.OPEN, ClaimState.CONTRADICTED) for words in raised.values())
    assert set(raised) <= {Flag.OPEN_CLAIM, Flag.FALSE_CLAIM}


@given(
    some.lists(some.sampled_from(["Half came.", "Be kind.", "대부분은 낸다.", "研究发现有三成。", "Why?"]), max_size=6)
)
def test_each_claim_is_listed_once_whatever_the_order(pieces: list[str]) -> None:
    found = claims_in(" ".join(pieces))
    assert len(found) == len(set(found)) and set(found) <= set(pieces)
    assert found == claims_in(" ".join(dict.fromkeys(pieces)))
