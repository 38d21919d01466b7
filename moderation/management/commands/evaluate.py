"""evaluate: compare a file of answers with the known ones, or run methods on items whose answer is known."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.validators import slug_re

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.formats.base import Format, Mapped, Unreadable
from annotation.domain.votes import Category
from annotation.management.projects import project_named
from annotation.management.request_options import add_options, answers_of
from annotation.models import Project
from moderation.domain.evaluation.answers import GivenAnswer, Question, counted_categories, is_readable, mark_answer
from moderation.domain.evaluation.paired_tests import mcnemar
from moderation.domain.evaluation.predictions import read_predictions
from moderation.domain.evaluation.request import EvaluationChoices, Explanations, Measuring, Sampling
from moderation.domain.evaluation.scores import score_answers
from moderation.domain.evaluation.tables.render import remarks_on_examples
from moderation.domain.task import Task
from moderation.evaluation import continuation
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import ArmGrid, without_examples
from moderation.evaluation.collect_answers import (
    BadSource,
    FileReading,
    GoldSource,
    assumed_categories,
    file_items,
    gold_items,
)
from moderation.evaluation.request import Wish, wish_of
from moderation.management.evaluation_command import EvaluationCommand, report_folder
from moderation.management.method_options import command_options
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from moderation.models import EvaluationState
from vocabulary.requests import places

_OF_METHODS = (
    *("method", "sources", "model", "auxiliary", "judge", "option", "prompts", "glossary", "out"),
    *(place.name for place in places(EvaluationChoices) if place.name != "task"),
    *("subset_column", "again", "retry_failed", "retry_refused", "threads"),
)
"""The options that say how methods are run."""


class Command(EvaluationCommand):
    help = (
        "Hold answers made elsewhere to gold (--predictions FILE --gold FILE), or run methods over gold items of "
        "projects and over files of published data sets. Cut off at any moment, the same command goes on where it "
        "stopped, and nothing that was answered is asked twice."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        answers_group = parser.add_argument_group("answers made elsewhere")
        answers_group.add_argument(
            "--predictions", metavar="FILE", help='{id: {"label", "reason", "refusal"}} or JSON lines'
        )
        answers_group.add_argument(
            "--gold", metavar="FILE", help="the items with their truth: H-VLI, our own JSONL, a table"
        )
        answers_group.add_argument(
            "--against", metavar="FILE", help="a second method's answers on the same items (McNemar)"
        )
        parser.add_argument("method", nargs="?", help=f"one or several, by commas: {', '.join(METHODS)}")
        parser.add_argument(
            "sources", nargs="*", default=[], metavar="SLUG|FILE", help="projects (their gold items) and files"
        )
        parser.add_argument("--out", metavar="DIR", help="where the report's files go")
        add_options(parser, Measuring)
        add_options(parser, Sampling)
        grid = parser.add_argument_group("what is combined: each may be given several times")
        grid.add_argument("--judge", action="append", default=[], metavar="MODEL", help="they share one debate")
        grid.add_argument("--auxiliary", action="append", default=[], metavar="MODEL", help="of all but the judge")
        grid.add_argument("--model", action="append", default=[], metavar="MODEL", help="of everybody")
        for name in _compared():
            grid.add_argument(f"--{name}", action="append", default=[], **command_options()[name])
        grid.add_argument("--prompts", action="append", default=[], metavar="NAME", help="the prompt set")
        grid.add_argument("--glossary", action="append", default=[], choices=("on", "off"), help="the project's")
        grid.add_argument("--option", action="append", default=[], metavar="K=V", help="any other option")
        scores_group = parser.add_argument_group("scores of explanations (HateXScore)")
        add_options(scores_group, Explanations)
        parser.add_argument("--again", action="store_true", help="ask everything anew, though it was answered before")
        parser.add_argument(
            "--retry-failed",
            action="store_true",
            help="ask again where runs failed, were cancelled or unreadable",
        )
        parser.add_argument("--retry-refused", action="store_true", help="ask again where runs ended refused")
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")
        parser.add_argument("--project", metavar="SLUG", help="whose categories, models and budget files are held to")
        columns = parser.add_argument_group("files of any shape")
        columns.add_argument(
            "--format", choices=[file_format.value for file_format in Format], default=Format.AUTO.value
        )
        for name in ("text", "label", "image", "id", "subset"):
            columns.add_argument(f"--{name}-column", default="", metavar="NAME")
        columns.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="VALUE=CATEGORY",
            dest="mapping",
            help="a label to a category, hateful, not_hateful or skip; *=… for all others",
        )
        columns.add_argument("--images", metavar="PATH", help="the folder of the pictures that the files name")
        columns.add_argument("--text-only", action="store_true", help="judge by the text alone")
        columns.add_argument("--leave-out-bad-rows", action="store_true", help="go on without them")
        self.defaults = {name: parser.get_default(name) for name in (*_OF_METHODS, *_compared())}

    def answer(self, **options: Any) -> Any:
        if options["predictions"] or options["gold"]:
            return self._compare(options)
        if not options["method"] or not options["sources"]:
            raise CommandError(
                "Name a method and what to evaluate it on (a project, a file), or --predictions FILE with --gold FILE."
            )
        try:
            return self._evaluate(options)
        except (BadChoice, BadSource) as bad:
            raise CommandError(str(bad)) from None

    # ── Methods ───────────────────────────────────────────────────────────────

    def _evaluate(self, options: dict[str, Any]) -> dict[str, Any]:
        project, sources = self._sources(options)
        folder = report_folder(options["out"])
        evaluation, new = evaluation_start.begin(project, sources, _wish(options), again=options["again"], ring=False)
        if not new:
            when, state = f"{evaluation.created_at:%Y-%m-%d %H:%M}", evaluation.state
            self.say(f"This was asked for on {when} and is {state}. --again asks everything anew.")
        has_failed = evaluation.state == EvaluationState.FAILED  # its lines may be of another version
        for remark in remarks_on_examples([] if has_failed else without_examples(evaluation)):
            self.say(remark)
        if (options["retry_failed"] or options["retry_refused"]) and not new:
            count = continuation.retry_failed(evaluation, refused=options["retry_refused"], ring=False)
            self.say(f"{count:,} runs are asked again from where they stopped.")
        self.perform(evaluation, options["threads"])
        return self.standing(evaluation, folder)

    def _sources(self, options: dict[str, Any]) -> tuple[Project | None, list[GoldSource]]:
        """Return the sources, and the project whose budget, categories and models are used."""
        named = [name for name in options["sources"] if not Path(name).is_file()]
        for name in named:
            if not slug_re.match(name):
                raise CommandError(f"{name} is neither a file nor a project.")
        projects = {name: project_named(name, to_change=True) for name in named}
        if len(projects) > 1:
            raise CommandError("Name one project: another has its own members and budget. Files may be several.")
        project = next(iter(projects.values()), None)
        if options["project"]:
            project = project_named(options["project"], to_change=True)
        if projects and project and project.slug not in projects:
            raise CommandError(f"--project {project.slug} is another project than the one evaluated on.")
        terms = _terms(options, asked_about=True)
        if project:
            terms = replace(terms, categories=project.category_values())
        sources = [
            gold_items(projects[name]) if name in projects else file_items(Path(name), terms)
            for name in options["sources"]
        ]
        self._say_sources(sources, with_project=project is not None)
        return project, sources

    def _say_sources(self, sources: Sequence[GoldSource], *, with_project: bool) -> None:
        for source in sources:
            left_out = ", ".join(f"{count:,} {why}" for why, count in source.left_out.items())
            guess = f", taken for {source.guessed}" if source.guessed else ""
            self.say(
                f"{source.name}: {len(source.rows):,} items{guess}" + (f"; left out: {left_out}" if left_out else "")
            )
        if not with_project and (assumed := assumed_categories(sources)):
            self.say(f"{assumed} --project names a project that has others.")

    def show(self, value: Any) -> None:
        if value.get("evaluation"):
            self.show_evaluation(value)
        else:
            super().show(value)

    # ── Answers made elsewhere ────────────────────────────────────────────────

    def _compare(self, options: dict[str, Any]) -> dict[str, Any]:
        if not (options["predictions"] and options["gold"]):
            raise CommandError("--predictions FILE and --gold FILE go together.")
        if unused := [_written(name) for name, usual in self.defaults.items() if options[name] != usual]:
            raise CommandError(f"{', '.join(unused)}: for methods that are run here, not for --predictions.")
        gold = _source(options["gold"], _terms(options, asked_about=False))
        self._say_sources([gold], with_project=bool(options["project"]))
        task = _task(options["task"], [gold])
        question = Question.about(task, _counted(options, gold))
        answers = self._answers(options["predictions"], gold, question)
        self._tell_unusable(answers, question)
        figures = score_answers([row.gold for row in gold.rows], answers, question).as_json()
        if options["against"]:
            figures["against"] = self._against(options["against"], gold, answers, question)
        return figures

    def _answers(self, name: str, gold: GoldSource, question: Question) -> dict[str, GivenAnswer]:
        path = Path(name)
        try:
            with path.open("rb") as stream:
                answers = read_predictions(stream, question)
        except OSError as fault:
            raise CommandError(f"{path} cannot be read: {fault.strerror}.") from None
        except Unreadable as fault:
            raise CommandError(f"{path}, {fault.error.place}: {fault.error.reason}") from None
        ids = {row.gold.id for row in gold.rows}
        foreign = [key for key in answers if key not in ids]
        if answers and len(foreign) == len(answers):
            raise CommandError(
                f"{path}: none of its {len(answers):,} ids is in {gold.name}; the first is {foreign[0][:80]!r}. Use "
                "the ids of the gold file, or name its column by --id-column."
            )
        if foreign:
            self.say(f"{path}: {len(foreign):,} ids are not in {gold.name} and are passed over.")
        return answers

    def _tell_unusable(self, answers: dict[str, GivenAnswer], question: Question) -> None:
        """Say how many answers have no label that counts: they are wrong, perhaps only for their form."""
        labels = {
            name: answer.label
            for name, answer in answers.items()
            if not answer.refused and not is_readable(answer, question)
        }
        if labels:
            name, label = next(iter(labels.items()))
            codes = ", ".join(map(str, sorted(question.sides)))
            self.say(
                f"{len(labels):,} of {len(answers):,} answers have no label that counts and are wrong: that of "
                f"{name[:80]!r} is {json.dumps(label, ensure_ascii=False)[:80]}. A label is a whole number of {codes}."
            )

    def _against(
        self, name: str, gold: GoldSource, first: dict[str, GivenAnswer], question: Question
    ) -> dict[str, Any]:
        second = self._answers(name, gold, question)
        self._tell_unusable(second, question)
        both = [
            row.gold
            for row in gold.rows
            if all(row.gold.id in answers and not answers[row.gold.id].refused for answers in (first, second))
        ]
        right = [[mark_answer(item, answers[item.id], question).right for item in both] for answers in (first, second)]
        scores = score_answers([row.gold for row in gold.rows], second, question).as_json()
        return {"scores": scores, "mcnemar": mcnemar(*right).as_json()}


def _compared() -> list[str]:
    """Return the options of methods that may be combined; the task is an option of the evaluation itself."""
    return [name for name in command_options() if name != "task"]


def _written(name: str) -> str:
    """Return an option as the command line has it."""
    return name.upper() if name in ("method", "sources") else f"--{name.replace('_', '-')}"


def _wish(options: dict[str, Any]) -> Wish:
    grid: dict[str, list[Any]] = {name: list(options[name]) for name in _compared()}
    for pair in options["option"]:
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--option takes NAME=VALUE, not {pair!r}.")
        grid.setdefault(name, []).append(value)
    grid["glossary"] = [value == "on" for value in options["glossary"]] or grid.get("glossary", [])
    grid["prompts"] = options["prompts"] or grid.get("prompts", [])
    methods = [name.strip() for name in options["method"].split(",") if name.strip()]
    grids = ArmGrid(
        methods=methods,
        options={name: list(dict.fromkeys(values)) for name, values in grid.items() if values},
        models=options["model"],
        auxiliaries=options["auxiliary"],
        judges=options["judge"],
    )
    return wish_of(EvaluationChoices.of(answers_of(EvaluationChoices, options)), grids)


def _source(name: str, terms: FileReading) -> GoldSource:
    try:
        return file_items(Path(name), terms)
    except BadSource as bad:
        raise CommandError(str(bad)) from None


def _task(requested: str | None, sources: list[GoldSource]) -> Task:
    """Return the requested task; without one, all categories if every item's category is known.

    Raises CommandError.
    """
    binary = next((source for source in sources if source.rows.binary), None)
    if requested is None:
        return Task.BINARY if binary else Task.SIX
    if requested == Task.SIX and binary:
        raise CommandError(f"{binary.name} knows only hateful or not of some items: use --task binary.")
    return Task(requested)


def _categories(options: dict[str, Any]) -> Sequence[Category]:
    return project_named(options["project"]).category_values() if options["project"] else DEFAULT_CATEGORIES


def _counted(options: dict[str, Any], gold: GoldSource) -> Sequence[Category]:
    known = _categories(options)
    offered = [category for category in known if not category.retired]
    return counted_categories(offered, known, [row.gold for row in gold.rows])


def _terms(options: dict[str, Any], *, asked_about: bool) -> FileReading:
    images = Path(options["images"]) if options["images"] else None
    if images is not None and not images.is_dir():
        raise CommandError(f"{images} is no folder.")
    return FileReading(
        categories=_categories(options),
        mapped=Mapped(**{name: options[f"{name}_column"] for name in ("text", "label", "image", "id", "subset")}),
        values=_mapping(options["mapping"]),
        format=Format(options["format"]),
        images=images,
        text_only=options["text_only"],
        leave_out_bad_rows=options["leave_out_bad_rows"],
        asked_about=asked_about,
    )


def _mapping(pairs: list[str]) -> dict[str, str]:
    values = {}
    for pair in pairs:
        value, sign, category = pair.rpartition("=")
        if not sign or not value or not category:
            raise CommandError(f"--map {pair!r}: write VALUE=CATEGORY.")
        values[value] = category
    return values
