"""PREDICT's rules on values: who votes how, who hears what, what the verdict keeps; held to nine published runs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.evaluation.repeats import kappa
from moderation.domain.predict import answers, protocol
from moderation.domain.predict.perspectives import SEEDED, Perspective, digest_of, normal_form
from moderation.domain.predict.protocol import Majority, Stance, Vote

KOLD = next(each for each in SEEDED if each.code == "kold")


def votes(*stances: Stance) -> list[Vote]:
    return [Vote(str(number), f"P{number}", stance, reason=f"R{number}") for number, stance in enumerate(stances, 1)]


@pytest.mark.shared_data
def test_the_nine_published_runs_come_to_the_published_figures(shared_data: Path):
    published = json.loads((shared_data / "golden" / "predict_dataset_a_votes.json").read_text(encoding="utf-8"))
    agents = dict(zip("ABCDE", SEEDED, strict=True))  # the order of the paper's data sets
    table, right = [], {"majority": 0, "judge": 0}
    for item in published["items"]:
        said = [
            protocol.vote(
                agents[agent],
                {"label": answers.view_shape(agents[agent])(label=label, reason="why").label, "reason": "why"},
            )
            for agent, label in item["agent_labels"].items()
        ]
        counted, values = protocol.tally(said), {"nonhate.1": {"argument": "n"}, "hate.1": {"argument": "h"}}
        outcome = protocol.verdict(
            answers.Judgement(reason="why", label=item["judge_label_raw"]).model_dump(), said, values, suspect=False
        )
        assert (counted["hate"], counted["non_hate"]) == (item["hate_count"], item["non_hate_count"])
        assert outcome["majority"].replace("_", "-") == item["majority"]
        assert (protocol.reference(said, Stance.HATE) == []) is item["hate_reference_missing"]
        assert (protocol.reference(said, Stance.NON_HATE) == []) is item["non_hate_reference_missing"]
        right["majority"] += outcome["majority"].replace("_", "-") == item["gold"]
        right["judge"] += outcome["hateful"] is (item["gold"] == "hate")
        table.append([each.stance is Stance.HATE for each in said])
    expected = published["expected"]
    assert right == {"majority": expected["majority_correct"], "judge": expected["judge_correct"]}
    assert kappa(table) == pytest.approx(expected["fleiss_kappa_5_agents"], abs=5e-7)


@pytest.mark.parametrize(
    ("stances", "expected"),
    [
        ((Stance.HATE, Stance.HATE, Stance.NON_HATE), Majority.HATE),
        ((Stance.HATE, Stance.NON_HATE, Stance.NON_HATE), Majority.NON_HATE),
        ((Stance.HATE, Stance.NON_HATE), Majority.TIE),
        ((Stance.HATE, Stance.NON_HATE, Stance.ABSTAINED), Majority.TIE),
        ((Stance.HATE, Stance.ABSTAINED, Stance.MISSING), Majority.HATE),
        ((Stance.ABSTAINED, Stance.MISSING), Majority.TIE),
    ],
)
def test_the_majority_is_that_of_those_who_voted(stances: tuple[Stance, ...], expected: Majority):
    assert protocol.majority(votes(*stances)) is expected


def test_references_hold_the_reasons_of_one_side_and_everybody_is_counted():
    said = votes(Stance.HATE, Stance.ABSTAINED, Stance.NON_HATE, Stance.MISSING, Stance.HATE)
    assert protocol.reference(said, Stance.HATE) == ["R1", "R5"]
    assert protocol.reference(said, Stance.NON_HATE) == ["R3"]
    assert protocol.tally(said) == {"hate": 2, "non_hate": 1, "abstained": 1, "missing": 1}


def test_a_perspective_that_brought_nothing_is_missing_with_its_reason_and_not_on_a_side():
    lost = protocol.vote(KOLD, None, "provider_blocked")
    assert (lost.stance, lost.missing_because) == (Stance.MISSING, "provider_blocked")
    assert protocol.reference([lost], Stance.HATE) == protocol.reference([lost], Stance.NON_HATE) == []
    assert lost.as_json()["missing_because"] == "provider_blocked"


def lost(*reasons: str) -> list[Vote]:
    return [Vote(str(number), f"P{number}", Stance.MISSING, missing_because=why) for number, why in enumerate(reasons)]


@pytest.mark.parametrize(
    ("missing", "others", "expected"),
    [
        (lost("refused", "refused"), [], "refused"),
        (lost("timeout", "refused", "refused"), [], "refused"),
        (lost("timeout", "refused"), [], "timeout"),  # equally common: the first
        (lost("refused", "refused"), votes(Stance.ABSTAINED), ""),  # who abstains has answered
        (lost("refused", "refused"), votes(Stance.HATE), ""),
        ([], [], ""),
    ],
)
def test_only_where_all_are_missing_the_run_has_no_vote_and_a_reason(
    missing: list[Vote], others: list[Vote], expected: str
):
    assert protocol.most_common_loss([*missing, *others]) == expected


STANCES = st.lists(st.sampled_from(Stance), max_size=20)


@given(STANCES, st.integers(0, 5))
def test_a_missing_perspective_moves_no_majority_and_no_reference(stances: list[Stance], more: int):
    cast = votes(*stances)
    with_more = [*cast, *votes(*[Stance.MISSING] * more)]
    assert protocol.majority(with_more) is protocol.majority(cast)
    for side in (Stance.HATE, Stance.NON_HATE):
        assert protocol.reference(with_more, side) == protocol.reference(cast, side)
    counted = protocol.tally(with_more)
    assert sum(counted.values()) == len(with_more)
    assert counted["missing"] == stances.count(Stance.MISSING) + more


@given(STANCES)
def test_the_majority_needs_more_than_half_of_those_who_took_a_side(stances: list[Stance]):
    hate, other = stances.count(Stance.HATE), stances.count(Stance.NON_HATE)
    expected = Majority.TIE if hate == other else Majority.HATE if 2 * hate > hate + other else Majority.NON_HATE
    assert protocol.majority(votes(*stances)) is expected


SAID: dict[str, Any] = {
    "nonhate.1": {"argument": "N1"},
    "hate.1": {"argument": "H1"},
    "nonhate.2": {"argument": "N2", "position": "agree"},
    "hate.2": {"argument": "H2", "position": "rebut"},
}


def test_the_judge_reads_the_arguments_in_the_order_they_were_made():
    assert [(row["side"], row["argument"]) for row in protocol.history(SAID, 2)] == [
        ("Non-hate", "N1"),
        ("Hate", "H1"),
        ("Non-hate", "N2"),
        ("Hate", "H2"),
    ]
    assert [row.get("position") for row in protocol.history(SAID, 2)] == [None, None, "agree", "rebut"]
    assert [row["argument"] for row in protocol.history(SAID, 1)] == ["N1", "H1"]


@pytest.mark.parametrize(
    ("suspect", "position", "marked"), [(True, "agree", True), (True, "rebut", False), (False, "agree", False)]
)
def test_a_change_of_stance_is_kept_and_marked_where_the_text_looked_like_an_attempt(
    suspect: bool, position: str, marked: bool
):
    values = SAID | {"nonhate.2": {"argument": "N2", "position": position}}
    outcome = protocol.verdict({"label": "Hate", "reason": "why"}, votes(Stance.NON_HATE), values, suspect=suspect)
    assert outcome["changed"] == (["nonhate.2"] if position == "agree" else [])
    assert outcome["flipped_after_untrusted_text"] is marked
    assert (outcome["majority"], outcome["hateful"]) == ("non_hate", True)  # before and after the debate


def test_two_texts_are_the_same_but_for_case_forms_space_and_unseen_signs():
    assert normal_form("  Ｗeeds\u200b  AGAIN\n") == "weeds again"
    assert digest_of("weeds again") == digest_of("Weeds\tagain") != digest_of("weed again")


def test_the_seeded_perspectives_are_five_with_two_labels_each():
    assert [each.code for each in SEEDED] == ["k-haters", "k-mhas", "kold", "kodoli", "unsmile"]
    assert all(each.hateful_label in each.criteria and each.other_label in each.criteria for each in SEEDED)
    assert len({each.criteria for each in SEEDED}) == 5
    assert all(isinstance(each, Perspective) for each in SEEDED)
