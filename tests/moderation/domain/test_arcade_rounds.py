"""The rounds of a deep dive: which cues stand, who has something new to answer, what the judge reads."""

from typing import Any

import pytest

from moderation.domain import arcade_rounds
from moderation.domain.arcade_rounds import hearing_of


def cue(name: str = "c1", **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "cue_type": "Metaphor",
        "target_group": "gardeners",
        "claim": f"claim of {name}",
        "hate_type": 5,
        "justification": "because",
    } | fields


def maintained(name: str, words: str) -> dict[str, Any]:
    return {"id": name, "counter_argument": words}


def rebuttal(name: str = "c1", words: str = "a garden") -> dict[str, Any]:
    return {"id": name, "evidence": "the text", "rebuttal": words}


def values(*rounds: tuple[dict[str, Any], dict[str, Any] | None]) -> dict[str, Any]:
    """The answers by step key: of each round the prosecutor's and the defence's, None where it was not asked."""
    said: dict[str, Any] = {}
    for number, (statement, answer) in enumerate(rounds, start=1):
        said[f"prosecutor.{number}"] = statement
        if answer is not None:
            said[f"defender.{number}"] = answer
    return said


FIRST = ({"cues": [cue(), cue("c2")]}, {"rebuttals": [rebuttal()]})


def test_what_the_first_answer_leaves_out_is_conceded() -> None:
    (first,) = hearing_of(values(FIRST)).rounds
    assert first.conceded == ("c2",)


def test_a_side_that_rests_keeps_every_cue_and_costs_the_other_no_reply() -> None:
    hearing = hearing_of(values(FIRST, ({"cues": [], "withdrawn": []}, None)))
    assert [row["id"] for row in hearing.cues] == ["c1", "c2"]
    assert (hearing.rounds[1].resting, hearing.rounds[1].withdrawn) == (("c1", "c2"), ())
    assert not hearing.awaits_defence and hearing.is_closed


def test_a_defence_that_rests_keeps_its_rebuttals_and_ends_the_exchange() -> None:
    later = ({"cues": [maintained("c1", "no")], "withdrawn": []}, {"rebuttals": [], "conceded": []})
    hearing = hearing_of(values(FIRST, later))
    assert hearing.rebuttals == [rebuttal()]
    assert hearing.rounds[1].conceded == () and hearing.is_closed


def test_withdrawing_names_the_cue_and_conceding_too() -> None:
    later = (
        {"cues": [maintained("c2", "no")], "withdrawn": ["c1"]},
        {"rebuttals": [], "conceded": ["c2"]},
    )
    hearing = hearing_of(values(FIRST, later))
    assert [row["id"] for row in hearing.cues] == ["c2"]
    assert (hearing.rounds[1].withdrawn, hearing.rounds[1].conceded) == (("c1",), ("c2",))
    assert hearing.past == ("c1",) and hearing.rebuttals == []


def test_where_the_last_cue_is_withdrawn_nothing_is_left_to_answer() -> None:
    hearing = hearing_of(values(FIRST, ({"cues": [], "withdrawn": ["c1", "c2"]}, None)))
    assert hearing.cues == [] and hearing.is_closed and not hearing.awaits_defence


def test_later_rounds_carry_the_original_claim_beside_the_last_counter_argument() -> None:
    rounds = (
        FIRST,
        ({"cues": [maintained("c1", "second round")], "withdrawn": []}, {"rebuttals": [rebuttal(words="two")]}),
        ({"cues": [maintained("c1", "third round")], "withdrawn": []}, None),
    )
    hearing = hearing_of(values(*rounds))
    first, second = hearing.cues
    assert (first["claim"], first["counter_argument"]) == ("claim of c1", "third round")
    assert (second["claim"], "counter_argument" in second) == ("claim of c2", False)
    assert hearing.awaits_defence and not hearing.is_closed
    assert [row["rebuttal"] for row in hearing.rebuttals] == ["two"]


def test_a_new_cue_has_its_own_claim_and_is_conceded_where_it_is_not_answered() -> None:
    later = ({"cues": [cue("c3")], "withdrawn": ["c2"]}, {"rebuttals": [rebuttal(words="new")], "conceded": []})
    hearing = hearing_of(values(FIRST, later))
    assert [row["claim"] for row in hearing.cues] == ["claim of c1", "claim of c3"]
    assert hearing.rounds[1].conceded == ("c3",)


def test_empty_fields_of_a_stored_statement_are_not_carried_over_the_claim() -> None:
    row = maintained("c1", "no") | {"claim": "", "justification": "", "target_group": "", "cue_type": None}
    first = hearing_of(values(FIRST, ({"cues": [row], "withdrawn": []}, None))).cues[0]
    assert (first["claim"], first["target_group"], first["cue_type"]) == ("claim of c1", "gardeners", "Metaphor")


def test_the_judge_reads_who_rested_withdrew_and_conceded_in_which_round() -> None:
    later = (
        {"cues": [maintained("c1", "no")], "withdrawn": ["c2"]},
        {"rebuttals": [], "conceded": []},
    )
    first, second = arcade_rounds.transcript(hearing_of(values(FIRST, later)).rounds)
    assert first == {
        "round": 1,
        "prosecution": [cue(), cue("c2")],
        "defence": [rebuttal()],
        "conceded_by_the_defence": ["c2"],
    }
    assert second["withdrawn_by_the_prosecution"] == ["c2"]
    assert second["defence"] == "nothing further; its earlier answers stand"
    assert second["prosecution"][0]["counter_argument"] == "no"
    (_, rested) = arcade_rounds.transcript(hearing_of(values(FIRST, ({"cues": [], "withdrawn": []}, None))).rounds)
    assert rested["prosecution"] == "nothing further; its cues stand"
    assert "defence" not in rested


@pytest.mark.parametrize("answer", [{"rebuttals": []}, {"rebuttals": [rebuttal()]}])
def test_debates_of_before_are_read_as_they_were_argued_what_was_left_out_was_dropped(answer: dict[str, Any]) -> None:
    old = hearing_of(values(FIRST, ({"cues": [maintained("c1", "no")]}, answer)))
    assert old.rounds[1].withdrawn == ("c2",)
    assert old.rounds[1].conceded == (() if answer["rebuttals"] else ("c1",))
    assert not old.is_closed  # it ran through all its rounds
    empty = hearing_of(values(FIRST, ({"cues": []}, None)))
    assert empty.awaits_defence and empty.cues == []


def test_a_round_that_waits_for_the_defence_is_not_in_the_transcript() -> None:
    hearing = hearing_of(values(({"cues": [cue()]}, None)))
    assert hearing.awaits_defence and arcade_rounds.transcript(hearing.rounds) == []


def test_an_empty_indictment_may_be_answered_and_stands_in_the_transcript() -> None:
    (only,) = arcade_rounds.transcript(hearing_of(values(({"cues": []}, {"rebuttals": []}))).rounds)
    assert (only["prosecution"], only["defence"]) == ([], [])
