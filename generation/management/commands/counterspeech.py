"""counterspeech SLUG: explain posts, write candidates, score and rank them, and print the lists."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet

from annotation.domain.choices import Stage
from annotation.management.json_command import JsonCommand
from annotation.management.projects import named_items, project_named
from annotation.management.request_options import add_options, answers_of
from annotation.models import Item, Project
from generation.counterspeech import doubts, request
from generation.counterspeech.candidate_json import reported
from generation.domain.counterspeech.options import CounterRequest
from generation.domain.counterspeech.writers import WriterMode
from generation.methods.counterspeech import candidates, explain
from runs.control import drain, unfinished
from runs.execution.budget import BudgetExceeded


class Command(JsonCommand):
    help = (
        "Write counterspeech candidates for items of a project, best first. A run is a log: cut off at any moment, the "
        "command goes on where it stopped, and nothing that was answered is asked twice. Nothing is approved by it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--items", help="external ids, separated by commas")
        which.add_argument("--stage", choices=list(map(str, Stage)), help="all items of this stage")
        parser.add_argument(
            "--undecided", action="store_true", help="with --stage: also posts that nobody has decided to be hateful"
        )
        add_options(parser, CounterRequest)
        parser.add_argument(
            "--without", action="append", default=[], choices=("pc", "aq", "t"), help="ablation: a term of the reward"
        )
        parser.add_argument(
            "--confirm",
            action="store_true",
            help="with --items: also posts that people decided are not hateful; with mode plain: also posts that look "
            "like an order to a model",
        )
        parser.add_argument("--again", action="store_true", help="ask also what was answered before")
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        wish = answers_of(CounterRequest, options) | {"terms": _terms(project, options["without"])}
        items = list(_items(project, options))
        if not options["confirm"]:
            _refuse_doubtful(project, items, wish["mode"], named=not options["stage"])
        exchanges = [request.open_on_item(item) for item in items]
        for exchange in exchanges:
            exchange.project = project
        try:
            if wish["explanations"]:
                for exchange in exchanges:
                    if options["again"] or not exchange.explanations.exists():
                        request.explain(exchange, again=options["again"], ring=False)
                self._work_off(project, explain.NAME, options["threads"])
            answers = [
                request.write(exchange, options=wish, again=options["again"], ring=False) for exchange in exchanges
            ]
            self._work_off(project, candidates.NAME, options["threads"])
        except (request.BadChoice, BudgetExceeded) as bad:
            raise CommandError(str(bad)) from None
        return [row for exchange, answer in zip(exchanges, answers, strict=True)
                for row in reported(exchange, answer.run, wish["intents"])]  # fmt: skip

    def failed(self, value: Any) -> bool:
        return any(row["state"] != "succeeded" for row in value)

    def show(self, value: Any) -> None:
        for row in value:
            self.stdout.write(f"{row['item']}  {row['intent']}  {row['state']} {row['reason_code'] or ''}".rstrip())
            if row["judged_by_writer"] and row["candidates"]:
                self.stdout.write(f"  The same model wrote and judged: {', '.join(row['judged_by_writer'])}.")
            if row["unusable"]:
                counts = ", ".join(f"{reason} {count}" for reason, count in row["unusable"].items())
                self.stdout.write(f"  Answers without a reply: {counts}.")
            if row["candidates"]:
                best = row["candidates"][0]
                trained = f" ({best['trained']})" if best["trained"] else ""
                self.stdout.write(f"  {best['model']}: {best['written_by']}{trained}, mode {best['mode']}")
            for candidate in row["candidates"]:
                reward = "-" if candidate["reward"] is None else f"{candidate['reward']:.2f}"
                marks = f"  [{', '.join(candidate['flags'])}]" if candidate["flags"] else ""
                self.stdout.write(f"  {reward}  {candidate['text']}{marks}")

    def _work_off(self, project: Project, method: str, threads: int) -> None:
        drain.drain_project_runs(project.public_id, method, threads=threads, tick=lambda: None)
        for line in unfinished.say_pauses():
            self.say(line)


def _items(project: Project, options: dict[str, Any]) -> QuerySet[Item]:
    items = Item.objects.filter(project=project).exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN)).order_by("pk")
    if options["stage"]:
        chosen = items.filter(stage=options["stage"])
        return chosen if options["undecided"] else chosen.filter(stage=Stage.GOLD, hateful=True)
    return named_items(items, options["items"], "that can be answered")


def _refuse_doubtful(project: Project, items: Iterable[Item], mode: WriterMode | None, *, named: bool) -> None:
    """Raise CommandError for a post about which the desk would ask first: an order sent bare, or not hateful.

    `named`: posts were chosen one by one. Of a stage, --undecided asks for those that are not hateful already.
    """
    doubt_asking = doubts.doubt_candidates_for if named else doubts.doubt_bare_order
    for item in items:
        item.project = project
        try:
            doubt_asking(item, mode)
        except doubts.NotConfirmed as doubt:
            raise CommandError(f"{item.external_id}: {doubt} Add --confirm to go on all the same.") from None


def _terms(project: Project, without: list[str]) -> dict[str, float]:
    return request.terms_of(project) | dict.fromkeys(without, 0.0)
