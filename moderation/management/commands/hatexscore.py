"""hatexscore FILE.jsonl: score explanations of a file, in its order."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.template.loader import render_to_string

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.management.request_options import add_options, answers_of
from annotation.models import Project
from annotation.pages import svg
from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.domain.hatexscore.score import PARTS, Scored, sweep
from moderation.domain.hatexscore.second_reading import ReadBy
from moderation.domain.hatexscore.words.tokenize import MissingExtra, tongue
from moderation.hatexscore import group_lists, start
from moderation.hatexscore.batch_scoring import Order, Result, scored
from moderation.hatexscore.jsonl import MOST_FAULTS, Fault, Line, lines_of
from runs.execution import budget

NAMES = (*PARTS, "score")


@dataclass
class Tally:
    """What is left of the results once each is printed: sums for the means, parts for the sweep."""

    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in NAMES})
    parts: list[Scored] = field(default_factory=list)
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("scored", "refused", "unreadable", "failed"), 0)
    )
    readings: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, ReadBy), 0))
    """How many explanations were read by whom; empty ones are in none of them."""

    def add(self, result: Result) -> None:
        """Count one result; only what has a score is in the means."""
        self.counts[result.state] += 1
        self.readings[result.read_by] += bool(result.line.explanation.strip())
        if (score := result.score) is not None:
            for name in NAMES:
                self.values[name].append(getattr(score, name))
            self.parts.append(Scored(score.htc, score.qf, score.tgi, result.line.prediction))

    @property
    def means(self) -> dict[str, float | None]:
        """Return plain means over what was scored; None where nothing was."""
        return {name: round(fmean(values), 6) if values else None for name, values in self.values.items()}


@dataclass(frozen=True)
class Stream:
    """Results that are printed as they come."""

    results: Iterator[Result]
    order: Order
    swept: bool
    plot: str
    tally: Tally = field(default_factory=Tally)


class Command(JsonCommand):
    help = (
        'Score explanations: a line of the file is {"text", "explanation", "prediction": "hateful"|"non-hateful", '
        '"p"?, "p_masked"?}. Bad lines are named and nothing is scored. Refused and unreadable explanations are '
        "reported and left out of the means."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)
        add_options(parser, Scoring)
        parser.set_defaults(estimator=None)
        parser.add_argument(
            "--project",
            default="",
            metavar="SLUG",
            help="whose budget pays for estimating, and whose lists can be named",
        )
        parser.add_argument("--sweep", action="store_true", help="mean CC and score for thresholds from 0.1 to 0.9")
        parser.add_argument("--plot", default="", metavar="FILE.svg", help="draw the sweep")
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="estimates at a time")

    def answer(self, **options: Any) -> Stream:
        path: Path = options["file"]
        all_given = _checked(path)
        options["estimator"] = options["estimator"] or (Estimator.GIVEN if all_given else Estimator.MODEL)
        if options["estimator"] == Estimator.GIVEN and not all_given:
            raise CommandError("The estimator given needs p and p_masked on every line; add them, or name another one.")
        order = _order(options)
        if order.model:
            built_in = " (built-in, no language model)" if order.model.startswith("keyword:") else ""
            self.say(f"Estimated by {order.model}{built_in}.")
        lines = (line for line in lines_of(path) if isinstance(line, Line))
        swept = options["sweep"] or bool(options["plot"])
        return Stream(scored(lines, order), order, swept, options["plot"])

    def failed(self, value: Any) -> bool:
        return isinstance(value, Stream) and value.tally.counts["failed"] > 0

    def _print_json(self, value: Any) -> None:
        if not isinstance(value, Stream):
            super()._print_json(value)
            return
        self.stdout.write('{"items": [', ending="")
        for place, result in enumerate(value.results):
            value.tally.add(result)
            self.stdout.write(f"{',' if place else ''}\n{_json(result.shown)}", ending="")
        named = {"estimator": str(value.order.estimator), "model": value.order.model}
        rest = named | {"means": value.tally.means, "counts": value.tally.counts}
        if value.order.reader:
            rest["reader"], rest["read_by"] = value.order.reader, value.tally.readings
        if value.swept:
            rest["sweep"] = self._swept(value)
        self.stdout.write(f"\n], {_json(rest)[1:]}")

    def show(self, value: Stream) -> None:
        self.stdout.write(f"{'line':>6}  " + "  ".join(f"{name:>6}" for name in NAMES))
        for result in value.results:
            value.tally.add(result)
            self.stdout.write(f"{result.line.number:>6}  {_row(result)}")
        means = value.tally.means
        self.stdout.write(f"{'mean':>6}  " + "  ".join(_figure(means[name]) for name in NAMES))
        self.stdout.write(", ".join(f"{count} {state}" for state, count in value.tally.counts.items()))
        if value.order.reader:
            readings = value.tally.readings
            self.stdout.write(
                f"Read by the rules {readings['rules']}, by {value.order.reader} {readings['reader']}, "
                f"by nobody {readings['nobody']}."
            )
        for row in self._swept(value) if value.swept else ():
            self.stdout.write(f"τ {row['threshold']:.1f}  cc {row['cc']:.3f}  score {row['score']:.3f}")

    def _swept(self, value: Stream) -> list[dict[str, float]]:
        rows = sweep(value.tally.parts, value.order.measure)
        if value.plot:
            lines = {name: svg.line([row[name] for row in rows]) for name in ("cc", "score")}
            plot = render_to_string(
                "moderation/sweep.svg", {"rows": rows, "lines": lines, "tau": value.order.measure.tau}
            )
            try:
                Path(value.plot).write_text(plot, encoding="utf-8")
            except OSError as fault:
                raise CommandError(f"The plot cannot be written to {value.plot}: {fault.strerror}.") from None
            self.say(f"The plot is in {value.plot}.")
        return [{name: round(figure, 6) for name, figure in row.items()} for row in rows]


def _checked(path: Path) -> bool:
    """Return whether every line has p and p_masked.

    Raises CommandError if lines are bad, and names them.
    """
    faults, lines, has_p = [], 0, True
    try:
        for line in lines_of(path):
            if isinstance(line, Fault):
                faults.append(line)
                if len(faults) == MOST_FAULTS:
                    break
            else:
                lines, has_p = lines + 1, has_p and line.p is not None
    except OSError as fault:
        raise CommandError(f"{path} cannot be read: {fault.strerror}.") from None
    if faults:
        error = CommandError("Nothing was scored.\n" + "\n".join(str(fault) for fault in faults))
        error.more = {  # type: ignore[attr-defined]  # ours, for --json
            "lines": [{"line": fault.number, "what": fault.what, "do": fault.todo} for fault in faults]
        }
        raise error
    if not lines:
        raise CommandError(f"{path} holds no line to score.")
    return has_p


def _order(options: dict[str, Any]) -> Order:
    project = project_named(options["project"], to_change=True) if options["project"] else None
    listed = _listed(options["list"], project)
    scoring = Scoring.of(answers_of(Scoring, options | {"list": ""}))
    try:
        model, reader = start.estimator_name(scoring, start.pasted("", None)), start.reader_name(project)
        if scoring.language:
            tongue(scoring.language).tokenize("a")  # what is missing is said before anything is scored
    except (ValueError, MissingExtra) as fault:
        raise CommandError(str(fault)) from None
    order = Order(
        scoring.estimator,
        model,
        scoring.measure,
        scoring.language,
        listed,
        threads=options["threads"],
        reader=reader,
    )
    if project is None:
        return order
    budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    return replace(order, account=project.public_id)


def _listed(name: str, project: Project | None) -> group_list_files.Groups | None:
    try:
        if not name.endswith(".json"):
            return group_lists.named(project, name) if name else None
        return group_lists.read(Path(name).read_bytes())
    except group_list_files.BadGroups as bad:
        raise CommandError(f"{name}: {bad}") from None
    except OSError as fault:
        raise CommandError(f"{name} cannot be read: {fault.strerror}.") from None


def _row(result: Result) -> str:
    if result.score is None:
        return f"{result.state}: {result.why}"
    return "  ".join(_figure(getattr(result.score, name)) for name in NAMES)


def _figure(value: float | None) -> str:
    return f"{'-':>6}" if value is None else f"{value:>6.3f}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
