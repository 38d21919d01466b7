"""The report of an evaluation from its runs: figures of every arm on every data set, comparisons, cost."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from annotation.domain.statistics.figure import Figure
from annotation.domain.votes import Category
from moderation.domain.disagreement import side_entropy, stored_figures
from moderation.domain.evaluation.answers import Gold, Question, counted_categories
from moderation.domain.evaluation.explained import readings_of, score_figures
from moderation.domain.evaluation.outcomes import Repeat, RunEnd, answered_pairs, arm_figures, right_by_item
from moderation.domain.evaluation.paired_differences import paired_differences
from moderation.domain.evaluation.paired_tests import mcnemar
from moderation.domain.evaluation.tables.disagreement_table import disagreement_figures
from moderation.domain.evaluation.tables.predict_tables import Votes, agent_table
from moderation.domain.evaluation.tracks import track_figures
from moderation.domain.hatexscore.second_reading import ReadBy, counted_readings
from moderation.domain.predict.protocol import PERSPECTIVE_TURNS, Stance, missing_perspectives
from moderation.domain.task import Task
from moderation.domain.verdicts import REASON_DISAGREES
from moderation.evaluation import scoring
from moderation.evaluation.arms import Arm
from moderation.evaluation.scoring import ScoringRequest
from moderation.evaluation.spending import spent, spent_alone
from moderation.hatexscore.explanations import spoken_by
from moderation.methods.registry import METHODS
from moderation.methods.second_reader import KEY as SECOND_READING
from moderation.models import Evaluation, EvaluationCase
from providers.roles import ModelRole
from runs.domain.states import Reason, RunState, TurnState
from runs.models import Run, Turn

FORMAT = 1
"""The version of the report's JSON; it grows when a key changes its meaning."""

Ends = dict[tuple[str, str], list[dict[str, RunEnd]]]
"""(method, variant) → for each repeat: public id of the case → how its run ended."""


def report_of(evaluation: Evaluation, arms: Sequence[Arm], runs: QuerySet[Run]) -> dict[str, Any]:
    """Return the report as JSON values. Every page, file and table is made from them."""
    cases = list(evaluation.cases.order_by("id"))
    categories = counted_by(evaluation, cases)
    question = Question.about(Task(evaluation.task), categories)
    names = {category.code: category.name for category in categories}
    ends = outcomes_by_arm(evaluation, arms, runs)
    datasets = list(dict.fromkeys(case.dataset for case in cases))
    by_dataset = {name: [case for case in cases if case.dataset == name] for name in datasets}
    gold = {name: [gold_of(case) for case in rows] for name, rows in by_dataset.items()}
    results, scored = [], scoring.scoring_of(evaluation)
    for arm in arms:
        for name in datasets:
            repeats = _repeats(ends[arm.method, arm.variant], by_dataset[name])
            result = {"arm": arm.name, "dataset": name} | arm_figures(gold[name], repeats, question, names)
            result |= {"spent": spent(runs.filter(method=arm.method, variant=arm.variant), arm.plan, by_dataset[name])}
            result |= {"alone": spent_alone(arm, arms, runs, by_dataset[name])}
            if tracks := track_figures(gold[name], repeats):
                result["tracks"] = tracks
            if not arm.debate and (inner := disagreement_figures(_people(by_dataset[name]), repeats)):
                result["disagreement"] = inner
            if reader := _reader(arm):
                ran = [run_end for repeat in repeats for run_end in repeat.values()]
                readings = counted_readings(run_end.read_by for run_end in ran)
                result["readings"] = {"reader": reader, "counts": readings}
            if scored is not None and arm.scored_by:
                result["explanations"] = _explanations(evaluation, arm, scored, runs, by_dataset[name])
            results.append(result)
    return {
        "format": FORMAT,
        "evaluation": str(evaluation.public_id),
        "name": evaluation.name,
        "task": evaluation.task,
        "repeats": evaluation.repeats,
        "began": evaluation.created_at.isoformat(),
        "wish": evaluation.wish,
        "categories": names,
        "arms": [_described(arm, runs) | _remarkable(ends[arm.method, arm.variant]) for arm in arms],
        "datasets": [
            {
                "name": name,
                "items": len(rows),
                "hateful": sum(case.gold_hateful for case in rows),
                "left_out": evaluation.left_out.get(name, {}),
            }
            for name, rows in by_dataset.items()
        ],
        "results": results,
        "panels": _panels(arms, ends, runs, cases),
        "comparisons": _comparisons(arms, ends, by_dataset, gold, question),
        "currency": settings.MODEL_PRICE_CURRENCY,
    }


def counted_by(evaluation: Evaluation, cases: Sequence[EvaluationCase]) -> tuple[Category, ...]:
    """Return the categories that the evaluation's figures count."""
    known = evaluation.project.category_values() if evaluation.project else ()
    return counted_categories(evaluation.category_values(), known, map(gold_of, cases))


def gold_of(case: EvaluationCase) -> Gold:
    """Return the known answer of the case as a value."""
    labels = tuple(case.gold_labels)
    return Gold(case.external_id, case.gold_hateful, case.gold_label, case.pattern, case.subset, labels)


def _people(cases: Sequence[EvaluationCase]) -> dict[str, Figure]:
    """Return item → entropy of its people's votes for hateful or not."""
    return {case.external_id: side_entropy(case.votes_hateful, case.votes_other) for case in cases}


def outcomes_by_arm(evaluation: Evaluation, arms: Sequence[Arm], runs: QuerySet[Run]) -> Ends:
    """Return how every run ended. If several runs asked the same question, the last one counts."""
    ends: Ends = {(arm.method, arm.variant): [{} for _ in range(evaluation.repeats)] for arm in arms}
    votes = _votes_without_verdict(arms, runs)
    refused = _refusals_by_reader(arms, runs)
    with_reader = {(arm.method, arm.variant) for arm in arms if _reader(arm)}
    rows = runs.order_by("id").values_list(
        "pk", "method", "variant", "repeat", "subject", "state", "reason", "outcome", "calls", "tokens", named=True
    )
    for row in rows.iterator():
        repeats = ends.get((row.method, row.variant))
        if repeats is None or row.repeat >= len(repeats):
            continue
        outcome = row.outcome or {}
        repeats[row.repeat][str(row.subject)] = RunEnd(
            row.state,
            row.reason,
            label=outcome.get("category"),
            hateful=outcome.get("hateful"),
            explanation=str(outcome.get("reason") or ""),
            stances=outcome.get("stances") or votes.get(row.pk) or (),
            way=str(outcome.get("way") or ""),
            rounds=outcome.get("rounds") if outcome.get("way") else None,
            calls=row.calls,
            tokens=row.tokens,
            faults=outcome.get("faults") or (),
            no_search=bool(outcome.get("no_search")),
            limit=outcome.get("limit"),
            warnings=outcome.get("warnings") or (),
            disagreement=dict(stored_figures(outcome)),
            read_by=_read_by(row, row.pk in refused) if (row.method, row.variant) in with_reader else "",
        )
    return ends


def _reader(arm: Arm) -> str:
    return arm.plan.get(ModelRole.READER, "")


def _read_by(row: Any, is_refusal_by_reader: bool) -> str:
    """Return who read the explanation of a run with a reader; empty where there was nothing to read."""
    if row.reason == Reason.REFUSED:
        return ReadBy.READER if is_refusal_by_reader else ReadBy.RULES
    return str((row.outcome or {}).get("read_by", {}).get("by", ""))


def _refusals_by_reader(arms: Sequence[Arm], runs: QuerySet[Run]) -> set[int]:
    """Return the runs in whose explanation the reader read a refusal. They have no outcome that says so."""
    if not any(map(_reader, arms)):
        return set()
    refused = runs.filter(state=RunState.REFUSED).values("pk")
    turns = Turn.objects.filter(run__in=refused, key=SECOND_READING, state=TurnState.OK).values_list("run", "value")
    return {run for run, value in turns if value and value["refusal"]}


def _votes_without_verdict(arms: Sequence[Arm], runs: QuerySet[Run]) -> dict[int, list[dict[str, str]]]:
    """Return run → the perspectives' votes of the runs that were refused or ended with an unusable answer.

    They have no outcome, but their perspectives voted all the same.
    """
    readers = {arm.method: reader for arm in arms if (reader := METHODS[arm.method].stances)}
    ended = runs.filter(method__in=readers, state__in=(RunState.REFUSED, RunState.UNREADABLE))
    turns: dict[int, dict[str, tuple[Any, str]]] = {}
    said = Turn.objects.filter(run__in=ended.values("pk"), key__startswith=PERSPECTIVE_TURNS)
    for run, key, state, value, reason in said.values_list("run", "key", "state", "value", "reason"):
        turns.setdefault(run, {})[key] = (value if state == TurnState.OK else None, reason)
    rows = ended.values_list("pk", "method", "options", "reason")
    return {run: readers[method](options, turns.get(run, {}), reason) for run, method, options, reason in rows}


def _repeats(ends: Sequence[Mapping[str, RunEnd]], cases: Sequence[EvaluationCase]) -> list[Repeat]:
    """Return how the runs on one data set ended: for each repeat, the item's id → its end."""
    ids = {str(case.public_id): case.external_id for case in cases}
    return [{ids[subject]: ended for subject, ended in repeat.items() if subject in ids} for repeat in ends]


def _described(arm: Arm, runs: QuerySet[Run]) -> dict[str, Any]:
    """Return the arm with its prompt set and the digests of its prompts.

    So figures can be traced to the exact words.
    """
    turns = Turn.objects.filter(run__in=runs.filter(method=arm.method, variant=arm.variant).values("pk"))
    digests = turns.exclude(prompt_digest="").values_list("role", "prompt_digest").distinct().order_by()
    prompts: dict[str, list[str]] = {}
    for role, digest in sorted(digests):
        prompts.setdefault(role, []).append(digest)
    return arm.as_json() | {
        "prompt_set": {"name": arm.options.get("prompts"), "version": arm.options.get("prompts_version")},
        "prompts": prompts,
        "no_language_model": arm.used_no_language_model,
        "without_examples": METHODS[arm.method].without_examples(arm.options),
    }


def _remarkable(ends: Sequence[Mapping[str, RunEnd]]) -> dict[str, int]:
    """Return how many runs of an arm could not search, ended early at a limit, or contradict their own reason."""
    runs = [end for repeat in ends for end in repeat.values()]
    return {
        "no_search": sum(end.no_search for end in runs),
        "ended_early": sum(end.limit is not None for end in runs),
        "contradicted": sum(REASON_DISAGREES in end.warnings for end in runs),
    }


def _comparisons(
    arms: Sequence[Arm],
    ends: Ends,
    cases: Mapping[str, Sequence[EvaluationCase]],
    gold: Mapping[str, Sequence[Gold]],
    question: Question,
) -> list[dict[str, Any]]:
    """Compare every two arms on the items that both answered.

    McNemar's test is on the first repeat; the differences with their intervals are over all repeats.
    """
    comparisons = []
    for name, rows in cases.items():
        right = {
            arm.name: right_by_item(gold[name], _repeats(ends[arm.method, arm.variant], rows)[0], question)
            for arm in arms
        }
        pairs = {
            arm.name: answered_pairs(gold[name], _repeats(ends[arm.method, arm.variant], rows), question)
            for arm in arms
        }
        for first, second in combinations(right, 2):
            both = [item for item in right[first] if item in right[second]]
            test = mcnemar([right[first][item] for item in both], [right[second][item] for item in both])
            paired = paired_differences(pairs[first], pairs[second])
            comparisons.append(
                {"dataset": name, "first": first, "second": second}
                | test.as_json()
                | {"paired": paired.as_json() if paired else None}
            )
    return comparisons


def _panels(arms: Sequence[Arm], ends: Ends, runs: QuerySet[Run], cases: Sequence[EvaluationCase]) -> list[Any]:
    """Return the perspectives' votes of every arm that has them: each perspective and the majority, by data set."""
    panels = []
    for arm in arms:
        if arm.debate or not METHODS[arm.method].stances:
            continue  # arms that judge another arm's debate have the same votes
        votes = [
            _votes(case, number, run_end)
            for number, repeat in enumerate(ends[arm.method, arm.variant])
            for case in cases
            if (run_end := repeat.get(str(case.public_id))) is not None and run_end.stances
        ]
        agents = {
            agent: {name: cell.as_json() for name, cell in row.items()} for agent, row in agent_table(votes).items()
        }
        same_text = _same_text(runs.filter(method=arm.method, variant=arm.variant))
        panels.append({"arm": arm.name, "agents": agents, "same_text": same_text})
    return panels


def _votes(case: EvaluationCase, repeat: int, run_end: RunEnd) -> Votes:
    sides = {Stance.HATE: True, Stance.NON_HATE: False}
    votes = {row["perspective"]: sides.get(Stance(row["stance"])) for row in run_end.stances}
    missing = missing_perspectives(run_end.stances)
    return Votes(case.dataset, case.external_id, repeat, case.gold_hateful, votes, missing)


def _same_text(runs: QuerySet[Run]) -> int:
    """Return how many examples were skipped because their text is the text of the post itself."""
    turns = Turn.objects.filter(run__in=runs.values("pk"), key="examples").values_list("value", flat=True)
    return sum(near["same_text"] for value in turns if value for near in value["perspectives"].values())


def _explanations(
    evaluation: Evaluation, arm: Arm, wish: ScoringRequest, runs: QuerySet[Run], cases: Sequence[EvaluationCase]
) -> dict[str, Any]:
    """Return the HateXScore figures of one arm's explanations on one data set, and the cost of scoring."""
    ids = {str(case.public_id): case.external_id for case in cases}
    scored = scoring.scored_explanations(evaluation, arm, wish, runs)
    repeats = [
        {ids[subject]: explanation for subject, explanation in repeat.items() if subject in ids} for repeat in scored
    ]
    scoring_spent = spent(scoring.scoring_runs(arm, wish, runs), arm.scoring_plan, cases)
    readings = {"readings": {"reader": arm.reader, "counts": readings_of(repeats)}} if arm.reader else {}
    return (
        readings
        | score_figures(repeats, wish.measure)
        | {
            "explained_by": spoken_by(arm.method, arm.plan),
            "estimator": str(wish.estimator),
            "estimated_by": arm.scored_by,
            "rule": str(wish.rule),
            "threshold": wish.measure.tau,
            "list": wish.group_list or None,
            "spent": scoring_spent,
        }
    )
