"""Figures worked by hand, held to scikit-learn, and to what was published."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import DEFAULT_CATEGORIES
from moderation.domain.evaluation.answers import GivenAnswer, Gold, Question, mark_answer
from moderation.domain.evaluation.binary import two_class
from moderation.domain.evaluation.classification import Confusion, averages, class_figures
from moderation.domain.evaluation.scores import score_answers
from moderation.domain.task import Task

SIX, BINARY = (Question.about(task, DEFAULT_CATEGORIES) for task in (Task.SIX, Task.BINARY))


def gold(label: int, pattern: str = "", name: str = "a") -> Gold:
    return Gold(name, hateful=label > 0, label=label, pattern=pattern)


# ── Golden ────────────────────────────────────────────────────────────────────


@pytest.mark.shared_data
@pytest.mark.parametrize("predictor", ["text_label", "always_0"])
@pytest.mark.parametrize("task", ["multiclass", "binary"])
def test_the_evaluator_of_hvli_is_reproduced(shared_data: Path, predictor: str, task: str) -> None:
    records = json.loads((shared_data / "hvli_test_set.json").read_text())
    golden = json.loads((shared_data / "golden/hvli_evaluator_test_set.json").read_text())
    want = golden[f"test_set|{predictor}|{task}"]
    rows = [gold(each["final_label"], each["type"], name) for name, each in records.items()]
    said = {n: GivenAnswer(each["text_label"] if predictor == "text_label" else 0) for n, each in records.items()}
    question = SIX if task == "multiclass" else BINARY
    found = score_answers(rows, said, question)
    shown = found.as_json()
    assert (shown["total"], shown["refused"], shown["missing"]) == (want["total"], want["refused"], 0)
    assert (found.overall.right, found.side_right) == (want["strict_correct"], want["binary_correct"])
    names = {"easy": "Easy", "normal": "Normal", "hard": "Hard", "normal_hard": "Normal + Hard"}
    for ours, theirs in names.items():
        share, wanted = found.by_difficulty[ours], want["by_difficulty"][theirs]
        counts = (share.total, share.right, share.refused)
        assert counts == (wanted["total"], wanted["strict_correct"], wanted["refused_count"])
    for code, wanted in want["by_type"].items():
        share = found.by_pattern[code]
        assert (share.total, share.right) == (wanted["total"], wanted["strict_correct"])
    sk = want["sklearn"]
    if task == "binary":
        assert [list(row) for row in found.confusion.counts] == sk["confusion_matrix"]
        figures = {name: round(shown[name], 6) for name in ("precision", "recall", "f1")}
        assert figures == {name: sk[name] for name in figures}
    else:
        assert shown["f1"] is None
        figures = {
            "f1_macro": shown["macro_f1"],
            "f1_weighted": shown["weighted_f1"],
            "precision_macro": shown["precision"],
            "recall_macro": shown["recall"],
        }
        assert {name: round(value, 6) for name, value in figures.items()} == sk


@pytest.mark.shared_data
def test_table_4_of_antihateagent_comes_out_of_its_counts(shared_data: Path) -> None:
    rows = json.loads((shared_data / "golden/antihateagent_table4_counts.json").read_text())["rows"]
    for row in rows:
        counted = two_class(Confusion((0, 1), ((row["TN"], row["FP"]), (row["FN"], row["TP"]))))
        found = {
            f"{name}_{figure}": 100 * value
            for name, of in (("hate", counted.hate), ("non", counted.non_hate), ("overall", counted.overall))
            for figure, value in (("P", of.precision), ("R", of.recall), ("F1", of.f1))
        }
        assert {name: round(value, 2) for name, value in found.items()} == pytest.approx(row["computed"], abs=0.0051)
        for name, printed in row["printed"].items():
            if name not in row["printed_differs_by_more_than_rounding"]:
                assert found[name] == pytest.approx(printed, abs=0.0501), (row["dataset"], row["method"], name)
    assert len([row for row in rows if row["table"] == "4"]) == 10


@pytest.mark.parametrize(
    ("refused", "rate"), [(261, 22.16), (77, 6.54), (259, 21.99), (81, 6.88), (11, 0.93), (6, 0.51), (4, 0.34)]
)
def test_refusal_rates_are_those_of_the_paper(refused: int, rate: float) -> None:
    # Table 7: the printed rates are refused / 1,178.
    rows = [gold(0, name=str(number)) for number in range(1178)]
    said = {str(number): GivenAnswer(0, refused=number < refused) for number in range(1178)}
    found = score_answers(rows, said, SIX)
    assert round(100 * (found.overall.refusal_rate or 0), 2) == rate
    assert (found.overall.total, found.overall.accuracy) == (1178 - refused, 1.0)


# ── Which label counts how ────────────────────────────────────────────────────


@pytest.mark.parametrize("label", [-1, 6, None, "1", 1.0, True, [1], {"label": 1}])
@pytest.mark.parametrize(("truth", "six", "side"), [(0, 1, 1), (1, 0, 0), (4, 0, 0)])
def test_what_is_no_known_whole_number_is_wrong_and_takes_the_other_side(
    label: Any, truth: int, six: int, side: int
) -> None:
    for question, said in ((SIX, six), (BINARY, side)):
        found = mark_answer(gold(truth), GivenAnswer(label), question)
        assert (found.right, found.readable, found.predicted, found.side_right) == (False, False, said, False)


def test_in_the_binary_task_any_hateful_category_is_hateful() -> None:
    assert mark_answer(gold(1), GivenAnswer(5), BINARY).right
    assert not mark_answer(gold(1), GivenAnswer(5), SIX).right
    assert mark_answer(gold(1), GivenAnswer(5), SIX).side_right
    assert mark_answer(gold(0), GivenAnswer(hateful=False), BINARY).right
    assert not mark_answer(gold(3), GivenAnswer(hateful=None), BINARY).right


def test_gold_that_knows_no_category_has_no_six_class_figure() -> None:
    with pytest.raises(ValueError, match="binary"):
        mark_answer(Gold("a", hateful=True), GivenAnswer(1), SIX)


def test_refused_answers_leave_every_denominator_and_missing_ones_count_nowhere() -> None:
    rows = [gold(0, "000", "a"), gold(1, "001", "b"), gold(0, "110", "c"), gold(2, "", "d")]
    said = {"a": GivenAnswer(0), "b": GivenAnswer(refused=True, label=1), "c": GivenAnswer(-1)}
    shown = score_answers(rows, said, SIX).as_json()
    assert (shown["total"], shown["refused"], shown["missing"]) == (2, 1, 1)
    assert (shown["accuracy"], shown["refusal_rate"]) == (0.5, pytest.approx(1 / 3))
    assert shown["by_difficulty"] == {
        "easy": {"total": 1, "refused": 0, "accuracy": 1.0},
        "normal": {"total": 0, "refused": 0, "accuracy": None},
        "hard": {"total": 1, "refused": 1, "accuracy": 0.0},
        "normal_hard": {"total": 1, "refused": 1, "accuracy": 0.0},
    }
    assert shown["by_pattern"]["001"] == {"total": 0, "refused": 1, "accuracy": None}
    # 0→0, 0→1 (the unknown label takes the other side). F1 of 0: 2·1/(1+2) = 2/3, of 1: 0.
    assert shown["macro_f1"] == pytest.approx(1 / 3)
    assert shown["weighted_f1"] == pytest.approx(2 / 3)


def test_nothing_answered_defines_nothing() -> None:
    for question in (SIX, BINARY):
        shown = score_answers([gold(0)], {}, question).as_json()
        names = ("accuracy", "macro_f1", "weighted_f1", "precision", "recall", "f1", "refusal_rate")
        assert [shown[name] for name in names] == [None] * len(names)
        assert shown["missing"] == 1


# ── Held to scikit-learn ──────────────────────────────────────────────────────

pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60)


@given(pairs)
def test_our_count_is_that_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    from sklearn import metrics  # noqa: PLC0415 (loads scipy)

    truth, said = [one for one, _ in rows], [other for _, other in rows]
    found = averages(Confusion.of(truth, said))
    assert found is not None
    for average, f1 in (("macro", found.macro_f1), ("weighted", found.weighted_f1)):
        assert f1 == pytest.approx(metrics.f1_score(truth, said, average=average, zero_division=0))
    precision, recall, _, _ = metrics.precision_recall_fscore_support(truth, said, average="macro", zero_division=0)
    assert (found.precision, found.recall) == pytest.approx((precision, recall))
    assert Confusion.of(truth, said).matrix.tolist() == metrics.confusion_matrix(truth, said).tolist()


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_both_classes_and_their_mean_are_those_of_scikit_learn(rows: list[tuple[bool, bool]]) -> None:
    from sklearn import metrics  # noqa: PLC0415 (loads scipy)

    truth, said = [int(one) for one, _ in rows], [int(other) for _, other in rows]
    found = two_class(Confusion.of(truth, said, (0, 1)))
    p, r, f, n = metrics.precision_recall_fscore_support(truth, said, labels=[0, 1], zero_division=0)
    assert (found.non_hate.precision, found.non_hate.recall, found.non_hate.f1, found.non_hate.support) == (
        pytest.approx(p[0]),
        pytest.approx(r[0]),
        pytest.approx(f[0]),
        n[0],
    )
    assert found.overall.f1 == pytest.approx((f[0] + f[1]) / 2)
    assert class_figures(Confusion.of(truth, said, (0, 1)))[1].precision == pytest.approx(p[1])
