"""The report as tables, in the forms that the papers print them. A table holds numbers; rendering rounds them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.domain.patterns import PATTERNS

Report = Mapping[str, Any]
Value = Any
"""A number, a text, None, or a spread: {"mean", "sd", "repeats"}."""


class Form(StrEnum):
    """How a column's values are written."""

    TEXT = "text"
    COUNT = "count"
    PERCENT = "percent"
    """A share, in percent with two decimals (H-VLI, Table 3)."""
    PERCENT1 = "percent1"
    """With one decimal (AntiHateAgent, Table 2)."""
    SHARE = "share"
    """Three decimals (PREDICT, HateXScore)."""
    P = "p"
    MONEY = "money"
    SECONDS = "seconds"


@dataclass(frozen=True)
class Column:
    """A column: its heading and how its values are written."""

    title: str
    form: Form = Form.TEXT


@dataclass(frozen=True)
class Table:
    """A table of a report; `key` names its file, `note` says how its numbers are to be read."""

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    note: str = ""


def tables_of(report: Report) -> list[Table]:
    """All tables that the report has something for, in the order of a paper."""
    return [table for make in _TABLES for table in make(report)]


def _results(report: Report) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Data set → its results, arm by arm."""
    for dataset in report["datasets"]:
        yield dataset["name"], [each for each in report["results"] if each["dataset"] == dataset["name"]]


def _titled(report: Report, title: str, dataset: str) -> str:
    return f"{title}: {dataset}" if len(report["datasets"]) > 1 else title


def _key(report: Report, key: str, dataset: str) -> str:
    names = [each["name"] for each in report["datasets"]]
    return f"{key}-{names.index(dataset) + 1}" if len(names) > 1 else key


def _accuracy(report: Report) -> Iterator[Table]:
    """H-VLI's form: by difficulty, overall, and the F1 of the task."""
    six = report["task"] == "six"
    for dataset, results in _results(report):
        levels = (("easy", "Easy"), ("normal", "Normal"), ("hard", "Hard"), ("normal_hard", "Normal + Hard"))
        shown = [pair for pair in levels if any(each["figures"][pair[0]] for each in results)]
        figures = [*shown, ("accuracy", "Overall")]
        last = (
            (("macro_f1", "Macro F1"), ("weighted_f1", "Weighted F1")) if six else (("recall", "Recall"), ("f1", "F1"))
        )
        figures += [*last, *(() if six else (("macro_f1", "Macro F1"),))]
        columns = [Column("Method"), *(Column(title, Form.PERCENT) for _, title in figures)]
        columns += [Column("Overall, 95 % from", Form.PERCENT), Column("to", Form.PERCENT)]
        rows = [
            [
                each["arm"],
                *(each["figures"][name] for name, _ in figures),
                *(each["intervals"]["accuracy"] or [None] * 2),
            ]
            for each in results
        ]
        what = "six categories" if six else "hateful or not"
        note = (
            f"Accuracy in percent, {what}. Refused answers are left out of every denominator, unreadable ones are "
            "wrong. The interval is a percentile bootstrap over items."
        )
        yield Table(_key(report, "accuracy", dataset), _titled(report, "Accuracy", dataset), columns, rows, note)


def _two_class(report: Report) -> Iterator[Table]:
    """AntiHateAgent's form."""
    if report["task"] != "binary":
        return
    parts = (("hate", "Hate"), ("non_hate", "Non-hate"), ("overall", "Overall"))
    figures = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
    columns = [Column("Method")]
    columns += [Column(f"{part} {title}", Form.PERCENT1) for _, part in parts for _, title in figures]
    for dataset, results in _results(report):
        rows = [
            [each["arm"], *(each["two_class"][part][name] for part, _ in parts for name, _ in figures)]
            for each in results
            if each["two_class"]
        ]
        note = "Precision, recall and F1 in percent; overall is the unweighted mean of the two classes."
        if rows:
            key, title = _key(report, "classes", dataset), _titled(report, "Both classes", dataset)
            yield Table(key, title, columns, rows, note)


def _refusals(report: Report) -> Iterator[Table]:
    for dataset, results in _results(report):
        patterned = any(sum(each["levels"][level]["total"] for level in ("easy", "normal_hard")) for each in results)
        patterned = patterned or any(sum(each["refused_by_pattern"].values()) for each in results)
        columns = [Column("Method"), Column("Refused", Form.COUNT), Column("Rate", Form.PERCENT)]
        columns += [Column(code, Form.COUNT) for code in PATTERNS] if patterned else []
        rows = []
        for each in results:
            coverage = each["coverage"]
            answered = coverage["succeeded"] + coverage["unreadable"] + coverage["refused"]
            row = [each["arm"], coverage["refused"], coverage["refused"] / answered if answered else None]
            rows.append(row + ([each["refused_by_pattern"][code] for code in PATTERNS] if patterned else []))
        note = "Refused of answered and refused; the columns are the patterns text, picture, both together."
        key, title = _key(report, "refusals", dataset), _titled(report, "Refusals", dataset)
        yield Table(key, title, columns, rows, note if patterned else "Refused of answered and refused.")


def _blocked(report: Report) -> Iterator[Table]:
    columns = [
        Column("Method"),
        Column("Truth"),
        Column("Asked", Form.COUNT),
        Column("Refused by the model", Form.COUNT),
    ]
    columns += [Column("Blocked by the provider", Form.COUNT), Column("Blocked", Form.PERCENT)]
    for dataset, results in _results(report):
        rows = [
            [each["arm"], name, row["asked"], row["refused"], row["blocked"], row["blocked"] / row["asked"]]
            for each in results
            for name, row in each["refused_by_category"].items()
            if row["refused"] or row["blocked"]
        ]
        note = "A provider's filter removes the worst items first: figures over what is left look better than they are."
        if rows:
            key, title = _key(report, "blocked", dataset), _titled(report, "Refused and blocked by category", dataset)
            yield Table(key, title, columns, rows, note)


def _subsets(report: Report) -> Iterator[Table]:
    columns = [Column("Method"), Column("Part"), Column("Answered", Form.COUNT), Column("Accuracy", Form.PERCENT1)]
    columns += [Column("Hateful", Form.COUNT), Column("Recall", Form.PERCENT1)]
    for dataset, results in _results(report):
        rows = [
            [each["arm"], name, row["total"], row["accuracy"], row["hateful"], row["recall"]]
            for each in results
            for name, row in each["subsets"].items()
        ]
        if rows:
            note = "Recall: hateful items of the part that were called hateful."
            key, title = _key(report, "parts", dataset), _titled(report, "Parts of the data", dataset)
            yield Table(key, title, columns, rows, note)


def _repeats(report: Report) -> Iterator[Table]:
    if report["repeats"] < 2:
        return
    columns = [Column("Method"), Column("Data set"), Column("Accuracy", Form.SHARE), Column("Macro F1", Form.SHARE)]
    columns += [Column("F1", Form.SHARE), Column("Fleiss' κ over repeats", Form.SHARE)]
    rows = [
        [
            each["arm"],
            each["dataset"],
            *(each["figures"][name] for name in ("accuracy", "macro_f1", "f1")),
            each["kappa"],
        ]
        for each in report["results"]
    ]
    note = f"Mean (± sample standard deviation) over {report['repeats']} repeats, each of them asked anew."
    yield Table("repeats", "Over repeats", columns, rows, note)


def _panels(report: Report) -> Iterator[Table]:
    """PREDICT's form: every agent on every data set, then the judge; accuracy (± deviation) and Fleiss' κ."""
    datasets = [each["name"] for each in report["datasets"]]
    columns = [Column("Method"), Column("Agent")]
    for name in datasets:
        more = f", {name}" if len(datasets) > 1 else ""
        columns += [Column(f"Accuracy{more}", Form.SHARE), Column(f"κ{more}", Form.SHARE)]
        columns += [Column(f"No side{more}", Form.COUNT)]
    results = {(each["arm"], each["dataset"]): each for each in report["results"]}
    rows: list[list[Value]] = []
    for panel in report["panels"]:
        for agent, cells in panel["agents"].items():
            row: list[Value] = [panel["arm"], agent]
            for name in datasets:
                cell = cells.get(name, {"accuracy": None, "kappa": None, "unvoted": 0})
                row += [cell["accuracy"], cell["kappa"], cell["unvoted"]]
            rows.append(row)
    if not rows:
        return
    for arm in [each["name"] for each in report["arms"]]:
        row = [arm, "judge" if any(arm == each["arm"] for each in report["panels"]) else "alone"]
        for name in datasets:
            found = results[arm, name]
            row += [found["figures"]["accuracy"], found["kappa"], found["coverage"]["unreadable"]]
        rows.append(row)
    passed = sum(panel["same_text"] for panel in report["panels"])
    note = (
        "Accuracy with its deviation over repeats. κ: of an agent over its repeats, of the majority between the "
        "agents. No side: abstained or missing; of the majority a tie, which is wrong. "
        f"{passed:,} examples equal to a post were passed over."
    )
    yield Table("agents", "Agents, majority and judge", columns, rows, note)


def _explanations(report: Report) -> Iterator[Table]:
    """HateXScore's form: the four parts and the score, then how often the verdicts are right."""
    found = [each for each in report["results"] if "explanations" in each]
    if not found:
        return
    columns = [Column("Method"), Column("Data set"), Column("Explained by")]
    columns += [Column(title, Form.SHARE) for title in ("HTC", "QF", "TGI", "CC", "HateXScore", "95 % from", "to")]
    columns += [Column(title, Form.SHARE) for title in ("Accuracy", "F1 hateful", "Macro F1")]
    columns += [Column(title, Form.COUNT) for title in ("Scored", "Refused", "Unreadable", "No text", "Failed")]
    rows: list[list[Value]] = []
    for each in found:
        said = each["explanations"]
        row: list[Value] = [each["arm"], each["dataset"], said["explained_by"]]
        row += [said["figures"][part] for part in ("htc", "qf", "tgi", "cc", "score")]
        row += said["interval"] or [None] * 2
        row += [each["figures"][name] for name in ("accuracy", "f1", "macro_f1")]
        states = ("scored", "refused", "unreadable", "no_text", "failed")
        rows.append([*row, *(said["counts"].get(state, 0) for state in states)])
    how = found[0]["explanations"]
    by = sorted({each["explanations"]["estimated_by"] for each in found})
    note = (
        f"HateXScore of the explanations: CC by the rule {how['rule']} with τ = {how['threshold']:g}, p by "
        f"{', '.join(by)}. The interval is a percentile bootstrap of the score over items. What has no score stands in "
        "no mean."
    )
    if any(name.startswith("keyword:") for name in by):
        note += " keyword is the built-in baseline: p is one of four fixed numbers, no language model was asked."
    yield Table("explanations", "Explanations (HateXScore)", columns, rows, note)


def _comparisons(report: Report) -> Iterator[Table]:
    found = report["comparisons"]
    if not found:
        return
    titles = ("Items", "Both right", "Only the first", "Only the second", "Both wrong")
    names = ("items", "both", "first_only", "second_only", "neither")
    columns = [Column("Data set"), Column("First"), Column("Second"), *(Column(title, Form.COUNT) for title in titles)]
    columns += [Column("Exact p", Form.P), Column("χ²", Form.SHARE), Column("p of χ²", Form.P)]
    figures = (*names, "exact_p", "chi_square", "chi_square_p")
    rows = [[each["dataset"], each["first"], each["second"], *(each[name] for name in figures)] for each in found]
    note = "McNemar's test on items that both answered, first repeat; χ² has the continuity correction."
    yield Table("comparisons", "Two methods on the same items", columns, rows, note)


def _confusion(report: Report) -> Iterator[Table]:
    for number, each in enumerate(report["results"], start=1):
        labels = confusion_names(report, each)
        columns = [Column("Truth"), *(Column(f"as {label}", Form.COUNT) for label in labels)]
        rows = [[label, *counts] for label, counts in zip(labels, each["confusion"]["counts"], strict=True)]
        title = f"Confusion: {each['arm']}" + (f", {each['dataset']}" if len(report["datasets"]) > 1 else "")
        key = f"confusion-{number}" if len(report["results"]) > 1 else "confusion"
        note = "All repeats together. An answer that names no known label stands on the other side."
        yield Table(key, title, columns, rows, note)


def confusion_names(report: Report, result: Mapping[str, Any]) -> list[str]:
    """The classes of a confusion by name."""
    names = {int(code): name for code, name in report["categories"].items()}
    if report["task"] == "binary":
        names = {0: "not hateful", 1: "hateful"}
    return [names.get(label, str(label)) for label in result["confusion"]["labels"]]


def _spent(report: Report) -> Iterator[Table]:
    states = ("succeeded", "refused", "unreadable", "failed", "cancelled", "missing")
    columns = [Column("Method"), Column("Data set"), Column("Asked", Form.COUNT)]
    columns += [Column(state.capitalize(), Form.COUNT) for state in states]
    columns += [Column("Coverage", Form.PERCENT), Column("Calls", Form.COUNT), Column("Retries", Form.COUNT)]
    columns += [Column("Tokens in", Form.COUNT), Column("Tokens out", Form.COUNT), Column("Time", Form.SECONDS)]
    columns += [Column(f"Cost, {report['currency']}", Form.MONEY)]
    rows = []
    for each in report["results"]:
        coverage, spent = each["coverage"], each["spent"]
        answered = coverage["succeeded"] + coverage["refused"] + coverage["unreadable"]
        row = [each["arm"], each["dataset"], coverage["asked"], *(coverage[state] for state in states)]
        row += [answered / coverage["asked"] if coverage["asked"] else None, spent["calls"], spent["retries"]]
        rows.append([*row, *(spent[name] for name in ("input_tokens", "output_tokens", "seconds", "cost"))])
        if "explanations" in each:
            rows.append(_scoring_spent(each))
    spendings = [each["spent"] for each in report["results"]]
    spendings += [each["explanations"]["spent"] for each in report["results"] if "explanations" in each]
    unpriced = sorted({name for spent in spendings for name in spent["unpriced"]})
    note = "Time is the sum over runs, which go side by side. Coverage: answered, refused or unreadable, of asked."
    if unpriced:
        note += f" The site knows no price of {', '.join(unpriced)}."
    yield Table("coverage", "Coverage and cost", columns, rows, note)


def _scoring_spent(result: Mapping[str, Any]) -> list[Value]:
    """The row of what scoring an arm's explanations cost."""
    said = result["explanations"]
    counts, spent = said["counts"], said["spent"]
    asked, scored = sum(counts.values()), counts.get("scored", 0)
    row: list[Value] = [f"{result['arm']}: scores", result["dataset"], asked, scored]
    row += [counts.get("refused", 0), counts.get("unreadable", 0) + counts.get("no_text", 0), counts.get("failed", 0)]
    row += [0, 0, scored / asked if asked else None, spent["calls"], spent["retries"]]
    return [*row, *(spent[name] for name in ("input_tokens", "output_tokens", "seconds", "cost"))]


_TABLES: tuple[Callable[[Report], Iterator[Table]], ...] = (
    _accuracy,
    _two_class,
    _repeats,
    _panels,
    _explanations,
    _comparisons,
    _subsets,
    _refusals,
    _blocked,
    _confusion,
    _spent,
)
