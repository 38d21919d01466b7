"""The report as tables, in the forms that the papers print them. A table holds numbers; rendering rounds them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from annotation.domain.patterns import PATTERNS
from moderation.domain.evaluation.table import Column, ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.table import gettext_noop as _

LEVELS = ("easy", "normal", "hard", "normal_hard")
LEVEL_NAMES = {"easy": _("Easy"), "normal": _("Normal"), "hard": _("Hard"), "normal_hard": _("Normal + hard")}
_STATE_NAMES = {
    "succeeded": _("Succeeded"),
    "refused": _("Refused"),
    "unreadable": _("Unreadable"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
    "missing": _("Missing"),
}
_KEYWORD_P = _("%(gap)skeyword is the built-in baseline: p is one of four fixed numbers, no language model was asked.")


def tables_of(report: Report) -> list[EvaluationTable]:
    """All tables that the report has something for, in the order of a paper."""
    return [table for make in _TABLES for table in make(report)]


def _results(report: Report) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield data set → its results, arm by arm."""
    for dataset in report["datasets"]:
        yield dataset["name"], [each for each in report["results"] if each["dataset"] == dataset["name"]]


def _titled(report: Report, title: str, dataset: str) -> str:
    if len(report["datasets"]) < 2:
        return title
    return Phrase.of(_("%(title)s: %(dataset)s"), title=title, dataset=dataset)


def _key(report: Report, key: str, dataset: str) -> str:
    names = [each["name"] for each in report["datasets"]]
    return f"{key}-{names.index(dataset) + 1}" if len(names) > 1 else key


def _of_dataset(title: str, dataset: str) -> str:
    """Return the title, and the data set behind a comma where one is named."""
    return Phrase.of("%(title)s, %(dataset)s", title=title, dataset=dataset) if dataset else title


def _accuracy(report: Report) -> Iterator[EvaluationTable]:
    """H-VLI's form: by difficulty, overall, and the F1 of the task."""
    six = report["task"] == "six"
    for dataset, results in _results(report):
        levels = ((level, LEVEL_NAMES[level]) for level in LEVELS)
        shown = [pair for pair in levels if any(each["figures"][pair[0]] for each in results)]
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
                each["arm"],
                *(each["figures"][name] for name, _title in figures),
                *(each["intervals"]["accuracy"] or [None] * 2),
            ]
            for each in results
        ]
        note = Phrase.of(
            _(
                "Accuracy in percent, %(what)s. Refused answers are left out of every denominator, unreadable ones are "
                "wrong. The interval is a percentile bootstrap over items."
            ),
            what=Phrase.of(_("six categories") if six else _("hateful or not")),
        )
        yield EvaluationTable(
            _key(report, "accuracy", dataset), _titled(report, _("Accuracy"), dataset), columns, rows, note
        )


def _two_class(report: Report) -> Iterator[EvaluationTable]:
    """AntiHateAgent's form."""
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
    for dataset, results in _results(report):
        rows = [
            [each["arm"], *(each["two_class"][part][name] for part, _class in parts for name, _title in figures)]
            for each in results
            if each["two_class"]
        ]
        note = _("Precision, recall and F1 in percent; overall is the unweighted mean of the two classes.")
        if rows:
            key, title = _key(report, "classes", dataset), _titled(report, _("Both classes"), dataset)
            yield EvaluationTable(key, title, columns, rows, note)


def _refusals(report: Report) -> Iterator[EvaluationTable]:
    for dataset, results in _results(report):
        patterned = any(sum(each["levels"][level]["total"] for level in ("easy", "normal_hard")) for each in results)
        patterned = patterned or any(sum(each["refused_by_pattern"].values()) for each in results)
        columns = [Column(_("Method")), Column(_("Refused"), ColumnForm.COUNT), Column(_("Rate"), ColumnForm.PERCENT)]
        columns += [Column(code, ColumnForm.COUNT) for code in PATTERNS] if patterned else []
        rows = []
        for each in results:
            coverage = each["coverage"]
            answered = coverage["succeeded"] + coverage["unreadable"] + coverage["refused"]
            row = [each["arm"], coverage["refused"], coverage["refused"] / answered if answered else None]
            rows.append(row + ([each["refused_by_pattern"][code] for code in PATTERNS] if patterned else []))
        note = _("Refused of answered and refused; the columns are the patterns text, picture, both together.")
        key, title = _key(report, "refusals", dataset), _titled(report, _("Refusals"), dataset)
        yield EvaluationTable(key, title, columns, rows, note if patterned else _("Refused of answered and refused."))


def _blocked(report: Report) -> Iterator[EvaluationTable]:
    columns = [
        Column(_("Method")),
        Column(_("Truth")),
        Column(_("Asked"), ColumnForm.COUNT),
        Column(_("Refused by the model"), ColumnForm.COUNT),
    ]
    columns += [Column(_("Blocked by the provider"), ColumnForm.COUNT), Column(_("Blocked"), ColumnForm.PERCENT)]
    for dataset, results in _results(report):
        rows = [
            [each["arm"], name, row["asked"], row["refused"], row["blocked"], row["blocked"] / row["asked"]]
            for each in results
            for name, row in each["refused_by_category"].items()
            if row["refused"] or row["blocked"]
        ]
        note = _("A provider's filter removes the worst items first: figures over what is left look too good.")
        if rows:
            key, title = (
                _key(report, "blocked", dataset),
                _titled(report, _("Refused and blocked by category"), dataset),
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
    for dataset, results in _results(report):
        rows = [
            [each["arm"], name, row["total"], row["accuracy"], row["hateful"], row["recall"]]
            for each in results
            for name, row in each["subsets"].items()
        ]
        if rows:
            note = _("Recall: hateful items of the part that were called hateful.")
            key, title = _key(report, "parts", dataset), _titled(report, _("Parts of the data"), dataset)
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
            each["arm"],
            each["dataset"],
            *(each["figures"][name] for name in ("accuracy", "macro_f1", "f1")),
            each["kappa"],
        ]
        for each in report["results"]
    ]
    note = Phrase.of(
        _("Mean (± sample standard deviation) over %(repeats)s repeats, each of them asked anew."),
        repeats=report["repeats"],
    )
    yield EvaluationTable("repeats", _("Over repeats"), columns, rows, note)


def _panels(report: Report) -> Iterator[EvaluationTable]:
    """PREDICT's form: every agent on every data set, then the judge; accuracy (± deviation) and Fleiss' κ."""
    datasets = [each["name"] for each in report["datasets"]]
    columns = [Column(_("Method")), Column(_("Agent"))]
    for name in datasets:
        columns += [
            Column(_of_dataset(title, name if len(datasets) > 1 else ""), form)
            for title, form in (
                (_("Accuracy"), ColumnForm.SHARE),
                (_("κ"), ColumnForm.SHARE),
                (_("No side"), ColumnForm.COUNT),
            )
        ]
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
        row = [arm, _("judge") if any(arm == each["arm"] for each in report["panels"]) else _("alone")]
        for name in datasets:
            found = results[arm, name]
            row += [found["figures"]["accuracy"], found["kappa"], found["coverage"]["unreadable"]]
        rows.append(row)
    passed = sum(panel["same_text"] for panel in report["panels"])
    note = Phrase.of(
        _(
            "Accuracy with its deviation over repeats. κ: of an agent over its repeats, of the majority between the "
            "agents. No side: abstained or missing; of the majority a tie, which is wrong. %(passed)s examples equal "
            "to a post were passed over."
        ),
        passed=f"{passed:,}",
    )
    yield EvaluationTable("agents", _("Agents, majority and judge"), columns, rows, note)


def _explanations(report: Report) -> Iterator[EvaluationTable]:
    """HateXScore's form: the four parts and the score, then how often the verdicts are right."""
    found = [each for each in report["results"] if "explanations" in each]
    if not found:
        return
    columns = [Column(_("Method")), Column(_("Data set")), Column(_("Explained by"))]
    columns += [
        Column(title, ColumnForm.SHARE)
        for title in (*("HTC", "QF", "TGI", "CC", "HateXScore"), _("Low (95 %)"), _("High (95 %)"))
    ]
    columns += [Column(title, ColumnForm.SHARE) for title in (_("Accuracy"), _("F1 hateful"), _("Macro F1"))]
    columns += [
        Column(title, ColumnForm.COUNT)
        for title in (_("Scored"), _("Refused"), _("Unreadable"), _("No text"), _("Failed"))
    ]
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
    note = Phrase.of(
        _(
            "HateXScore of the explanations: CC by the rule %(rule)s with τ = %(tau)s, p by %(who)s. The interval is a "
            "percentile bootstrap of the score over items. What has no score stands in no mean.%(more)s"
        ),
        rule=how["rule"],
        tau=f"{how['threshold']:g}",
        who=", ".join(by),
        more=Phrase.of(_KEYWORD_P, gap=" ") if any(name.startswith("keyword:") for name in by) else "",
    )
    yield EvaluationTable("explanations", _("Explanations (HateXScore)"), columns, rows, note)


def _comparisons(report: Report) -> Iterator[EvaluationTable]:
    found = report["comparisons"]
    if not found:
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
    rows = [[each["dataset"], each["first"], each["second"], *(each[name] for name in figures)] for each in found]
    note = _("McNemar's test on items that both answered, first repeat; χ² has the continuity correction.")
    yield EvaluationTable("comparisons", _("Two methods on the same items"), columns, rows, note)


def _confusion(report: Report) -> Iterator[EvaluationTable]:
    for number, each in enumerate(report["results"], start=1):
        labels = confusion_names(report, each)
        columns = [
            Column(_("Truth")),
            *(Column(Phrase.of(_("as %(label)s"), label=label), ColumnForm.COUNT) for label in labels),
        ]
        rows = [[label, *counts] for label, counts in zip(labels, each["confusion"]["counts"], strict=True)]
        title = Phrase.of(
            _("Confusion: %(arm)s"),
            arm=_of_dataset(each["arm"], each["dataset"] if len(report["datasets"]) > 1 else ""),
        )
        key = f"confusion-{number}" if len(report["results"]) > 1 else "confusion"
        note = _("All repeats together. An answer that names no known label stands on the other side.")
        yield EvaluationTable(key, title, columns, rows, note)


def confusion_names(report: Report, result: Mapping[str, Any]) -> list[str]:
    """Return the classes of a confusion by name."""
    names: dict[int, str] = {int(code): name for code, name in report["categories"].items()}
    if report["task"] == "binary":
        names = {0: Phrase.of(_("not hateful")), 1: Phrase.of(_("hateful"))}
    return [names.get(label, str(label)) for label in result["confusion"]["labels"]]


def _spent(report: Report) -> Iterator[EvaluationTable]:
    states = ("succeeded", "refused", "unreadable", "failed", "cancelled", "missing")
    columns = [Column(_("Method")), Column(_("Data set")), Column(_("Asked"), ColumnForm.COUNT)]
    columns += [Column(_STATE_NAMES[state], ColumnForm.COUNT) for state in states]
    columns += [
        Column(_("Coverage"), ColumnForm.PERCENT),
        Column(_("Calls"), ColumnForm.COUNT),
        Column(_("Retries"), ColumnForm.COUNT),
    ]
    columns += [
        Column(_("Tokens in"), ColumnForm.COUNT),
        Column(_("Tokens out"), ColumnForm.COUNT),
        Column(_("Time"), ColumnForm.SECONDS),
    ]
    columns += [Column(Phrase.of(_("Cost, %(currency)s"), currency=report["currency"]), ColumnForm.MONEY)]
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
    note: str = _(
        "Time is the sum over runs, which go side by side. Coverage: answered, refused or unreadable, of asked."
    )
    if unpriced:
        more = Phrase.of(_("The site knows no price of %(models)s."), models=", ".join(unpriced))
        note = Phrase.of("%(note)s %(more)s", note=Phrase.of(note), more=more)
    yield EvaluationTable("coverage", _("Coverage and cost"), columns, rows, note)


def _scoring_spent(result: Mapping[str, Any]) -> list[Value]:
    """Return the row of what scoring an arm's explanations cost."""
    said = result["explanations"]
    counts, spent = said["counts"], said["spent"]
    asked, scored = sum(counts.values()), counts.get("scored", 0)
    row: list[Value] = [Phrase.of(_("%(arm)s: scores"), arm=result["arm"]), result["dataset"], asked, scored]
    row += [counts.get("refused", 0), counts.get("unreadable", 0) + counts.get("no_text", 0), counts.get("failed", 0)]
    row += [0, 0, scored / asked if asked else None, spent["calls"], spent["retries"]]
    return [*row, *(spent[name] for name in ("input_tokens", "output_tokens", "seconds", "cost"))]


_TABLES: tuple[Callable[[Report], Iterator[EvaluationTable]], ...] = (
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
