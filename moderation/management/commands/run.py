"""run METHOD SLUG: hold a method on items of a project, here or by the workers, and print what came of it."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet

from annotation.domain.words import Stage
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Item, Project
from moderation import debating
from moderation.domain.baselines import Variant
from moderation.domain.court import Track
from moderation.domain.verdicts import Task
from moderation.forms import left_out_sentence
from moderation.reporting import reported
from runs import pausing, working_off
from runs.models import Run

_OWN = {
    "variant": ("baseline",),
    "shots": ("explain",),
    "track": ("arcade",),
    "rounds": ("arcade", "predict"),
    "task": ("arcade",),
    "without": ("predict",),
}

_LIMITS = ("calls", "tokens", "seconds")


class Command(JsonCommand):
    help = (
        "Start a method on items of a project. A run is a log: cut off at any moment, the command goes on where it "
        "stopped, and nothing that was answered is asked twice. A verdict never changes an item."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("method", choices=list(debating.METHODS))
        parser.add_argument("slug", help="the project")
        parser.add_argument("--variant", choices=list(Variant), help="baseline: which")
        parser.add_argument("--shots", type=int, choices=(0, 2), help="explain: worked examples in the prompt")
        parser.add_argument("--track", choices=list(Track), help="arcade: auto, or deep without the gatekeeper")
        parser.add_argument("--rounds", type=int, help="arcade: rounds of the deep dive; predict: 1 or 2")
        parser.add_argument("--task", choices=list(Task), help="arcade: six categories, or hateful or not")
        parser.add_argument("--without", metavar="CODE", help="predict: the perspective that is left out")
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
        known = debating.METHODS[options["method"]]
        models = dict.fromkeys((role for role in known.roles if role != known.judge), options["auxiliary"])
        wish = debating.Wish(
            method=known.name,
            options=_options(options),
            models={str(role): name for role, name in models.items() if name},
            judges=options["judge"],
            repeats=options["repeats"],
            again=options["again"],
            limits={name: options[f"max_{name}"] for name in _LIMITS if options[f"max_{name}"] is not None},
        )
        try:
            debating.start(project, items, wish, ring=not options["wait"])
            passed_over, why = debating.left_out(project, items, wish)
            if passed_over:
                self.say(left_out_sentence(passed_over, why))
            runs = debating.runs_of(project, items, wish)
            if options["wait"]:
                self._hold(project, known.name, options["threads"])
                self._judge(project, runs, wish)
                self._hold(project, known.name, options["threads"])
        except debating.BadChoice as bad:
            raise CommandError(str(bad)) from None
        names = dict(items.values_list("public_id", "external_id"))
        return [reported(run, names.get(run.subject), run.turns.all()) for run in runs.prefetch_related("turns")]

    def failed(self, value: Any) -> bool:
        return False

    def _judge(self, project: Project, runs: QuerySet[Run], wish: debating.Wish) -> None:
        """Ask the further judges, once each, about every debate that the first one has judged."""
        for run in runs.filter(forked_from=None) if len(wish.judges) > 1 else ():
            judged = set(run.forks.values_list("variant", flat=True))
            left = [name for name in wish.judges[1:] if debating.judged_variant(run, name) not in judged]
            try:
                debating.judge_again(run, left, project)
            except debating.BadChoice as bad:
                self.say(f"{run.public_id}: {bad}")

    def _hold(self, project: Project, method: str, threads: int) -> None:
        working_off.work_off(project.public_id, method, threads=threads, tick=lambda: None)
        for pause in pausing.in_force():
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
    """The options of the method, from their own arguments and from --option."""
    chosen: dict[str, Any] = {}
    for name, methods in _OWN.items():
        if options[name] is not None:
            if options["method"] not in methods:
                raise CommandError(f"--{name} belongs to {' and '.join(methods)}.")
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
