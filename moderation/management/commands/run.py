"""run METHOD SLUG: hold a method on items of a project, here or by the workers, and print what came of it."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet

from annotation.domain.choices import Stage
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Item, Project
from moderation.debates import start
from moderation.debates.forms import left_out_sentence
from moderation.debates.run_json import run_as_json
from moderation.management.method_options import command_options, methods_with
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from runs.control import drain
from runs.models import Run
from runs.queue import provider_pauses

_LIMITS = ("calls", "tokens", "seconds")


class Command(JsonCommand):
    help = (
        "Start a method on items of a project. A run is a log: cut off at any moment, the command goes on where it "
        "stopped, and nothing that was answered is asked twice. A verdict never changes an item."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("method", choices=list(METHODS))
        parser.add_argument("slug", help="the project")
        for name, declared in command_options().items():
            parser.add_argument(f"--{name}", **declared)
        parser.add_argument("--option", action="append", default=[], metavar="K=V", help="any other option")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--items", help="external ids, separated by commas (default: all)")
        which.add_argument("--stage", choices=list(Stage), help="all items of this stage")
        parser.add_argument("--judge", action="append", default=[], metavar="MODEL", help="several share one debate")
        parser.add_argument("--auxiliary", metavar="MODEL", help="of everybody but the judge")
        for name in _LIMITS:
            parser.add_argument(f"--max-{name}", type=int, metavar="N", help=f"{name} that one run may use at most")
        parser.add_argument("--repeats", type=int, default=1)
        parser.add_argument("--again", action="store_true", help="ask also what was answered before")
        parser.add_argument("--wait", action="store_true", help="hold them here, to the end")
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        items = _items(project, options)
        known = METHODS[options["method"]]
        models = dict.fromkeys((role for role in known.roles if role != known.judge), options["auxiliary"])
        wish = start.DebateRequest(
            method=known.name,
            options=_options(options),
            models={str(role): name for role, name in models.items() if name},
            judges=options["judge"],
            repeats=options["repeats"],
            again=options["again"],
            limits={name: options[f"max_{name}"] for name in _LIMITS if options[f"max_{name}"] is not None},
        )
        try:
            start.start_runs(project, items, wish, ring=not options["wait"])
            passed_over, why = start.count_left_out(project, items, wish)
            if passed_over:
                self.say(left_out_sentence(passed_over, why))
            runs = start.runs_answering(project, items, wish)
            if options["wait"]:
                self._hold(project, known.name, options["threads"])
                self._judge(project, runs, wish)
                self._hold(project, known.name, options["threads"])
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        names = dict(items.values_list("public_id", "external_id"))
        return [run_as_json(run, names.get(run.subject), run.turns.all()) for run in runs.prefetch_related("turns")]

    def failed(self, value: Any) -> bool:
        return False

    def _judge(self, project: Project, runs: QuerySet[Run], wish: start.DebateRequest) -> None:
        """Ask the further judges, once each, about every debate that the first one has judged."""
        for run in runs.filter(forked_from=None) if len(wish.judges) > 1 else ():
            judged = set(run.forks.values_list("variant", flat=True))
            left = [name for name in wish.judges[1:] if start.judged_variant(run, name) not in judged]
            try:
                start.judge_run_again(run, left, project)
            except BadChoice as bad:
                self.say(f"{run.public_id}: {bad}")

    def _hold(self, project: Project, method: str, threads: int) -> None:
        drain.drain_project_runs(project.public_id, method, threads=threads, tick=lambda: None)
        for pause in provider_pauses.pauses_in_force():
            self.say(f"{pause.provider} is paused: {pause.detail}")

    def show(self, value: Any) -> None:
        for each in value:
            said = each["reason_code"] or {True: "hateful", False: "not hateful", None: "-"}[each["hateful"]]
            self.stdout.write(f"{each['item']}  {each['state']}  {said}  {each['calls']} calls")


def _items(project: Project, options: dict[str, Any]) -> QuerySet[Item]:
    items = Item.objects.filter(project=project).exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN))
    if options["stage"]:
        return items.filter(stage=options["stage"])
    if options["items"]:
        wanted = [name.strip() for name in options["items"].split(",") if name.strip()]
        found = set(items.filter(external_id__in=wanted).values_list("external_id", flat=True))
        if missing := [name for name in wanted if name not in found]:
            raise CommandError(f"The project has no item {missing[0]!r} that can be looked at.")
        return items.filter(external_id__in=wanted)
    return items


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the method, from their own arguments and from --option."""
    chosen: dict[str, Any] = {}
    own = {declared.name for declared in METHODS[options["method"]].command_options}
    for name in command_options():
        if options[name] is not None:
            if name not in own:
                raise CommandError(f"--{name} belongs to {' and '.join(methods_with(name))}.")
            chosen[name] = options[name]
    for each in options["option"]:
        name, equals, value = each.partition("=")
        if not equals:
            raise CommandError(f"--option takes NAME=VALUE, not {each!r}.")
        place = chosen
        *outer, last = name.split(".")
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return chosen
