"""The report as tables in the forms of the papers. Tables hold exact numbers; rendering rounds them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from annotation.domain.patterns import PATTERNS
from moderation.domain.evaluation.tables.coverage_table import coverage_table
from moderation.domain.evaluation.tables.disagreement_table import disagreement_table
from moderation.domain.evaluation.tables.paired_tables import cost_tables, kind_tables, paired_tables
from moderation.domain.evaluation.tables.readings_table import readings_table
from moderation.domain.evaluation.tables.table import Column, ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.tables.table import gettext_noop as _
from moderation.domain.evaluation.tables.table_by_dataset import (
    LEVEL_NAMES,
    LEVELS,
    results_by_dataset,
    table_key,
    titled,
)

_NOTHING = _("A dash stands where nothing was counted: no answer, nothing to compare with, or no known price.")
_KEYWORD_P = _("%(gap)skeyword is the built-in baseline: p is one of four fixed numbers, no language model was asked.")


def tables_of(report: Report) -> list[EvaluationTable]:
    """Return all tables that the report has figures for, in the order of a paper."""
    return [_explained(table) for make in _TABLES for table in make(report)]


def _explained(table: EvaluationTable) -> EvaluationTable:
    """Return the table with a word about its dashes, if it has any."""
    if not any(value is None for row in table.rows for value in row):
        return table
    return replace(table, note=Phrase.of("%(note)s %(more)s", note=table.note, more=_NOTHING))


def _of_dataset(title: str, dataset: str) -> str:
    """Return the title, followed by a comma and the data set if one is named."""
    return Phrase.of("%(title)s, %(dataset)s", title=title, dataset=dataset) if dataset else title


def _accuracy(report: Report) -> Iterator[EvaluationTable]:
    """Yield H-VLI's table: accuracy by difficulty and overall, and the F1 of the task."""
    six = report["task"] == "six"
    for dataset, results in results_by_dataset(report):
        levels = ((level, LEVEL_NAMES[level]) for level in LEVELS)
        shown = [pair for pair in levels if any(result["figures"][pair[0]] for result in results)]
        figures = [*shown, ("accuracy", "Overall")]
        last = (
            (("macro_f1", _("Macro F1")), ("weighted_f1", _("Weighted F1")))
            if six
            else (("recall", _("Recall")), ("f1", _("F1")))
        )
        figures += [*last, *(() if six else (("macro_f1", _("Macro F1")),))]
        columns = [Column(_("Method")), *(Column(title, ColumnForm.PERCENT) for _name, title in figures)]
        columns += [Column(_("Low (95 %)"), ColumnForm.PERCENT), Column(_("High (95 %)"), ColumnForm.PERCENT)]
        rows = [
            [
                result["arm"],
                *(result["figures"][name] for name, _title in figures),
                *(result["intervals"]["accuracy"] or [None] * 2),
            ]
            for result in results
        ]
        note = Phrase.of(
            _(
                "Accuracy in percent, %(what)s. Refused answers are left out of every denominator, unreadable ones are "
                "wrong. The interval is a percentile bootstrap over items."
            ),
            what=Phrase.of(_("all categories") if six else _("hateful or not")),
        )
        yield EvaluationTable(
            table_key(report, "accuracy", dataset), titled(report, _("Accuracy"), dataset), columns, rows, note
        )


def _two_class(report: Report) -> Iterator[EvaluationTable]:
    """Yield AntiHateAgent's table: precision, recall and F1 of both classes."""
    if report["task"] != "binary":
        return
    parts = (("hate", _("Hate")), ("non_hate", _("Non-hate")), ("overall", _("Overall")))
    figures = (("precision", _("P")), ("recall", _("R")), ("f1", _("F1")))
    columns = [Column(_("Method"))]
    columns += [
        Column(Phrase.of(_("%(class)s %(figure)s"), **{"class": part, "figure": title}), ColumnForm.PERCENT1)
        for _name, part in parts
        for _figure, title in figures
    ]
    for dataset, results in results_by_dataset(report):
        rows = [
            [result["arm"], *(result["two_class"][part][name] for part, _class in parts for name, _title in figures)]
            for result in results
            if result["two_class"]
        ]
        note = _("Precision, recall and F1 in percent; overall is the unweighted mean of the two classes.")
        if rows:
            key, title = table_key(report, "classes", dataset), titled(report, _("Both classes"), dataset)
            yield EvaluationTable(key, title, columns, rows, note)


def _refusals(report: Report) -> Iterator[EvaluationTable]:
    for dataset, results in results_by_dataset(report):
        patterned = any(
            sum(result["levels"][level]["total"] for level in ("easy", "normal_hard")) for result in results
        )
        patterned = patterned or any(sum(result["refused_by_pattern"].values()) for result in results)
        columns = [Column(_("Method")), Column(_("Refused"), ColumnForm.COUNT), Column(_("Rate"), ColumnForm.PERCENT)]
        columns += [Column(code, ColumnForm.COUNT) for code in PATTERNS] if patterned else []
        rows = []
        for result in results:
            coverage = result["coverage"]
            answered = coverage["succeeded"] + coverage["unreadable"] + coverage["refused"]
            row = [result["arm"], coverage["refused"], coverage["refused"] / answered if answered else None]
            rows.append(row + ([result["refused_by_pattern"][code] for code in PATTERNS] if patterned else []))
        note = _("Refused of answered and refused; the columns are the patterns text, picture, both together.")
        key, title = table_key(report, "refusals", dataset), titled(report, _("Refusals"), dataset)
        yield EvaluationTable(key, title, columns, rows, note if patterned else _("Refused of answered and refused."))


def tracks_table(report: Report) -> Iterator[EvaluationTable]:
    """Yield ARCADE's ways, dismissals and rounds, and what a post took in calls, tokens and money."""
    counts = (_("Fast track"), _("Deep dive"), _("Dismissed"))
    columns = [Column(_("Method")), *(Column(title, ColumnForm.COUNT) for title in counts)]
    columns += [
        Column(_("Share dismissed"), ColumnForm.PERCENT1),
        Column(_("Hateful dismissed"), ColumnForm.COUNT),
        Column(_("Open, not fast")),
        Column(_("001 dismissed")),
        Column(_("Rounds"), ColumnForm.SHARE),
        Column(_("Calls a post"), ColumnForm.SHARE),
        Column(_("Tokens a post"), ColumnForm.SHARE),
        Column(Phrase.of(_("Cost a post, %(currency)s"), currency=report["currency"]), ColumnForm.MONEY),
    ]
    note = _(
        "Ways of the runs with a verdict. Open: hateful in one part alone (011, 101, 111), which the gatekeeper should "
        "send to the fast track. Rounds: mean of the deep dive without dismissed posts."
    )
    for dataset, results in results_by_dataset(report):
        if rows := [_track_row(result) for result in results if result.get("tracks")]:
            key, title = table_key(report, "tracks", dataset), titled(report, _("Ways of ARCADE"), dataset)
            yield EvaluationTable(key, title, columns, rows, note)


def _track_row(result: Mapping[str, Any]) -> list[Value]:
    tracks, spent, items_asked = result["tracks"], result["spent"], result["coverage"]["asked"]
    tokens = spent["input_tokens"] + spent["output_tokens"]
    return [
        result["arm"],
        *(tracks[way] for way in ("fast", "deep", "dismissed")),
        tracks["dismissed"] / tracks["verdicts"],
        tracks["hateful_dismissed"],
        Phrase.of(_("%(part)s of %(all)s"), part=tracks["open_deep"], all=tracks["open"]),
        Phrase.of(_("%(part)s of %(all)s"), part=tracks["emergent_dismissed"], all=tracks["emergent"]),
        tracks["rounds"],
        *(
            total / items_asked if items_asked and total is not None else None
            for total in (spent["calls"], tokens, spent["cost"])
        ),
    ]


def _blocked(report: Report) -> Iterator[EvaluationTable]:
    columns = [
        Column(_("Method")),
        Column(_("Truth")),
        Column(_("Asked"), ColumnForm.COUNT),
        Column(_("Refused by the model"), ColumnForm.COUNT),
    ]
    columns += [Column(_("Blocked by the provider"), ColumnForm.COUNT), Column(_("Blocked"), ColumnForm.PERCENT)]
    for dataset, results in results_by_dataset(report):
        rows = [
            [result["arm"], name, row["asked"], row["refused"], row["blocked"], row["blocked"] / row["asked"]]
            for result in results
            for name, row in result["refused_by_category"].items()
            if row["refused"] or row["blocked"]
        ]
        note = _("A provider's filter removes the worst items first: figures over what is left look too good.")
        if rows:
            key, title = (
                table_key(report, "blocked", dataset),
                titled(report, _("Refused and blocked by category"), dataset),
            )
            yield EvaluationTable(key, title, columns, rows, note)


def _subsets(report: Report) -> Iterator[EvaluationTable]:
    columns = [
        Column(_("Method")),
        Column(_("Part")),
        Column(_("Answered"), ColumnForm.COUNT),
        Column(_("Accuracy"), ColumnForm.PERCENT1),
    ]
    columns += [Column(_("Hateful"), ColumnForm.COUNT), Column(_("Recall"), ColumnForm.PERCENT1)]
    for dataset, results in results_by_dataset(report):
        rows = [
            [result["arm"], name, row["total"], row["accuracy"], row["hateful"], row["recall"]]
            for result in results
            for name, row in result["subsets"].items()
        ]
        if rows:
            note = _("Recall: hateful items of the part that were called hateful.")
            key, title = table_key(report, "parts", dataset), titled(report, _("Parts of the data"), dataset)
            yield EvaluationTable(key, title, columns, rows, note)


def _repeats(report: Report) -> Iterator[EvaluationTable]:
    if report["repeats"] < 2:
        return
    columns = [
        Column(_("Method")),
        Column(_("Data set")),
        Column(_("Accuracy"), ColumnForm.SHARE),
        Column(_("Macro F1"), ColumnForm.SHARE),
    ]
    columns += [Column(_("F1"), ColumnForm.SHARE), Column(_("Fleiss' κ over repeats"), ColumnForm.SHARE)]
    rows = [
        [
            result["arm"],
            result["dataset"],
            *(result["figures"][name] for name in ("accuracy", "macro_f1", "f1")),
            result["kappa"],
        ]
        for result in report["results"]
    ]
    note = Phrase.of(
        _("Mean (± sample standard deviation) over %(repeats)s repeats, each of them asked anew."),
        repeats=report["repeats"],
    )
    yield EvaluationTable("repeats", _("Over repeats"), columns, rows, note)


def _panels(report: Report) -> Iterator[EvaluationTable]:
    """Yield PREDICT's table: accuracy (± deviation) and Fleiss' κ of every agent, of the majority and of the judge."""
    datasets = [dataset["name"] for dataset in report["datasets"]]
    columns = [Column(_("Method")), Column(_("Agent"))]
    for name in datasets:
        columns += [
            Column(_of_dataset(title, name if len(datasets) > 1 else ""), form)
            for title, form in (
                (_("Accuracy"), ColumnForm.SHARE),
                (_("κ"), ColumnForm.SHARE),
                (_("No side"), ColumnForm.COUNT),
                (_("Missing"), ColumnForm.COUNT),
                (_("Refused"), ColumnForm.COUNT),
            )
        ]
    results = {(result["arm"], result["dataset"]): result for result in report["results"]}
    rows: list[list[Value]] = []
    for panel in report["panels"]:
        for agent, cells in panel["agents"].items():
            row: list[Value] = [panel["arm"], agent]
            for name in datasets:
                cell = cells.get(name, {})
                row += [cell.get(figure) for figure in ("accuracy", "kappa", "unvoted", "missing", "refused")]
            rows.append(row)
    if not rows:
        return
    for arm in [described["name"] for described in report["arms"]]:
        row = [arm, _("judge") if any(arm == panel["arm"] for panel in report["panels"]) else _("alone")]
        for name in datasets:
            figures, coverage = results[arm, name]["figures"], results[arm, name]["coverage"]
            row += [figures["accuracy"], results[arm, name]["kappa"], coverage["unreadable"], None, coverage["refused"]]
        rows.append(row)
    passed = sum(panel["same_text"] for panel in report["panels"])
    note = Phrase.of(
        _(
            "Accuracy with its deviation over repeats. κ: of an agent over its repeats, of the majority between the "
            "agents. No side: of an agent abstained or missing, which is in no accuracy; of the majority a tie, "
            "which is wrong, or no answer at all, which is left out; of others an unusable answer, which is wrong. "
            "Missing: no usable answer; refused: those of them that the model or a filter refused. All rows are over "
            "the same runs, also those without a verdict; failed ones are left out. %(passed)s examples equal to a "
            "post were passed over."
        ),
        passed=f"{passed:,}",
    )
    yield EvaluationTable("agents", _("Agents, majority and judge"), columns, rows, note)


def _explanations(report: Report) -> Iterator[EvaluationTable]:
    """Yield HateXScore's table: the four parts, the score, and how often the verdicts are right."""
    scored = [result for result in report["results"] if "explanations" in result]
    if not scored:
        return
    columns = [Column(_("Method")), Column(_("Data set")), Column(_("Explained by"))]
    columns += [
        Column(title, ColumnForm.SHARE)
        for title in (*("HTC", "QF", "TGI", "CC", "HateXScore"), _("Low (95 %)"), _("High (95 %)"))
    ]
    columns += [Column(title, ColumnForm.SHARE) for title in (_("Accuracy"), _("F1 hateful"), _("Macro F1"))]
    columns += [
        Column(title, ColumnForm.COUNT)
        for title in (_("Scored"), _("Refused"), _("Unusable answer"), _("No text"), _("Failed"))
    ]
    rows: list[list[Value]] = []
    for result in scored:
        explanations = result["explanations"]
        row: list[Value] = [result["arm"], result["dataset"], explanations["explained_by"]]
        row += [explanations["figures"][part] for part in ("htc", "qf", "tgi", "cc", "score")]
        row += explanations["interval"] or [None] * 2
        row += [result["figures"][name] for name in ("accuracy", "f1", "macro_f1")]
        states = ("scored", "refused", "unreadable", "no_text", "failed")
        rows.append([*row, *(explanations["counts"].get(state, 0) for state in states)])
    settings = scored[0]["explanations"]
    estimators = sorted({result["explanations"]["estimated_by"] for result in scored})
    note = Phrase.of(
        _(
            "HateXScore of the explanations: CC by the rule %(rule)s with τ = %(tau)s, p by %(who)s. The interval is a "
            "percentile bootstrap of the score over items. What has no score stands in no mean.%(more)s"
        ),
        rule=settings["rule"],
        tau=f"{settings['threshold']:g}",
        who=", ".join(estimators),
        more=Phrase.of(_KEYWORD_P, gap=" ") if any(name.startswith("keyword:") for name in estimators) else "",
    )
    yield EvaluationTable("explanations", _("Explanations (HateXScore)"), columns, rows, note)


def _comparisons(report: Report) -> Iterator[EvaluationTable]:
    comparisons = report["comparisons"]
    if not comparisons:
        return
    titles = (_("Items"), _("Both right"), _("Only the first"), _("Only the second"), _("Both wrong"))
    names = ("items", "both", "first_only", "second_only", "neither")
    columns = [
        Column(_("Data set")),
        Column(_("First")),
        Column(_("Second")),
        *(Column(title, ColumnForm.COUNT) for title in titles),
    ]
    columns += [
        Column(_("Exact p"), ColumnForm.P),
        Column(_("χ²"), ColumnForm.SHARE),
        Column(_("p of χ²"), ColumnForm.P),
    ]
    figures = (*names, "exact_p", "chi_square", "chi_square_p")
    rows = [
        [comparison["dataset"], comparison["first"], comparison["second"], *(comparison[name] for name in figures)]
        for comparison in comparisons
    ]
    note = _("McNemar's test on items that both answered, first repeat; χ² has the continuity correction.")
    yield EvaluationTable("comparisons", _("Two methods on the same items"), columns, rows, note)


def _confusion(report: Report) -> Iterator[EvaluationTable]:
    for number, result in enumerate(report["results"], start=1):
        labels = confusion_names(report, result)
        columns = [
            Column(_("Truth")),
            *(Column(Phrase.of(_("as %(label)s"), label=label), ColumnForm.COUNT) for label in labels),
        ]
        rows = [[label, *counts] for label, counts in zip(labels, result["confusion"]["counts"], strict=True)]
        title = Phrase.of(
            _("Confusion: %(arm)s"),
            arm=_of_dataset(result["arm"], result["dataset"] if len(report["datasets"]) > 1 else ""),
        )
        key = f"confusion-{number}" if len(report["results"]) > 1 else "confusion"
        note = _("All repeats together. An answer that names no known label stands on the other side.")
        yield EvaluationTable(key, title, columns, rows, note)


def confusion_names(report: Report, result: Mapping[str, Any]) -> list[str]:
    """Return the names of the classes of a confusion matrix."""
    names: dict[int, str] = {int(code): name for code, name in report["categories"].items()}
    if report["task"] == "binary":
        names = {0: Phrase.of(_("not hateful")), 1: Phrase.of(_("hateful"))}
    return [names.get(label, str(label)) for label in result["confusion"]["labels"]]


_TABLES: tuple[Callable[[Report], Iterator[EvaluationTable]], ...] = (
    _accuracy,
    _two_class,
    _repeats,
    _panels,
    _explanations,
    disagreement_table,
    readings_table,
    paired_tables,
    _comparisons,
    kind_tables,
    _subsets,
    tracks_table,
    _refusals,
    _blocked,
    _confusion,
    coverage_table,
    cost_tables,
)
