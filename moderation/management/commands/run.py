"""run METHOD SLUG: run a method on items of a project, here or by the workers, and print the results."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet

from annotation.domain.choices import Stage
from annotation.management.json_command import JsonCommand
from annotation.management.projects import named_items, project_named
from annotation.models import Item, Project
from moderation.debates import ask_again, start
from moderation.debates.forms import left_out_sentence
from moderation.debates.run_json import run_as_json
from moderation.domain.verdicts import REASON_DISAGREES
from moderation.management.method_options import command_options, methods_with, options_of, retried_states
from moderation.management.step_lines import StepLines
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from runs.control import drain, fork, unfinished
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
        parser.add_argument("--prompts", metavar="NAME", help="the prompt set (default: the project's)")
        parser.add_argument("--option", action="append", default=[], metavar="K=V", help="any other option")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--items", help="external ids, separated by commas (default: all)")
        which.add_argument("--stage", choices=list(map(str, Stage)), help="all items of this stage")
        parser.add_argument("--judge", action="append", default=[], metavar="MODEL", help="several share one debate")
        parser.add_argument("--auxiliary", metavar="MODEL", help="of everybody but the judge")
        for name in _LIMITS:
            parser.add_argument(f"--max-{name}", type=int, metavar="N", help=f"{name} that one run may use at most")
        parser.add_argument("--repeats", type=int, default=1)
        parser.add_argument("--again", action="store_true", help="ask also what was answered before")
        parser.add_argument(
            "--retry-failed",
            action="store_true",
            help="ask again where such runs failed, were cancelled or unreadable",
        )
        parser.add_argument("--retry-refused", action="store_true", help="ask again where such runs ended refused")
        parser.add_argument(
            "--wait", action="store_true", help="hold them here, to the end; ends with 1 if one has no answer then"
        )
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        items = _items(project, options)
        debate_method = METHODS[options["method"]]
        wish = start.DebateRequest(
            method=debate_method.name,
            options=_options(options),
            models=debate_method.speakers(options["auxiliary"] or ""),
            judges=options["judge"],
            repeats=options["repeats"],
            again=options["again"],
            limits={name: options[f"max_{name}"] for name in _LIMITS if options[f"max_{name}"] is not None},
        )
        try:
            self._retry(project, start.runs_answering(project, items, wish), options)
            self._start(project, items, wish, ring=not options["wait"])
            passed_over, why = start.count_left_out(project, items, wish)
            if passed_over:
                self.say(left_out_sentence(passed_over, why))
            runs = start.runs_answering(project, items, wish)
            names = dict(items.values_list("public_id", "external_id"))
            if options["wait"]:
                lines = StepLines(runs, names, self.say)
                self._hold(project, debate_method.name, options["threads"], lines)
                self._judge(project, runs, wish)
                self._hold(project, debate_method.name, options["threads"], lines)
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        pauses, rows = provider_pauses.pauses_in_force(), runs.prefetch_related("turns")
        self.not_done = unfinished.not_done(rows) if options["wait"] else []
        for line in unfinished.sentences(self.not_done, names):
            self.say(line)
        return [run_as_json(run, names.get(run.subject), list(run.turns.all()), pauses) for run in rows]

    def failed(self, value: Any) -> bool:
        return bool(self.not_done)

    def _retry(self, project: Project, runs: QuerySet[Run], options: dict[str, Any]) -> None:
        """Ask again where these runs stopped, as far as the command says so."""
        states = retried_states(failed=options["retry_failed"], refused=options["retry_refused"])
        if states:
            count = ask_again.retry_runs(project, runs, states, ring=not options["wait"])
            self.say(f"{count:,} runs go on from where they stopped.")

    def _start(self, project: Project, items: QuerySet[Item], wish: start.DebateRequest, *, ring: bool) -> None:
        earlier = start.runs_answering(project, items, wish).filter(state__in=start.ANSWERED).count()
        start.start_runs(project, items, wish, ring=ring)
        if earlier and not wish.again:
            self.say(f"{earlier:,} runs answered this before and are shown below; --again asks anew.")

    def _judge(self, project: Project, runs: QuerySet[Run], wish: start.DebateRequest) -> None:
        """Let the other judges judge every debate that the first one has judged, once each."""
        if len(wish.judges) < 2:
            return
        first = [run for run in runs if run.variant == ask_again.judged_variant(run, wish.judges[0])]
        for run in {(run.subject, run.repeat): run for run in first}.values():
            unheard_judges = [name for name in wish.judges[1:] if not _is_judged(run, name)]
            try:
                ask_again.judge_run_again(run, unheard_judges, project)
            except BadChoice as bad:
                self.say(f"{run.public_id}: {bad}")

    def _hold(self, project: Project, method: str, threads: int, lines: StepLines) -> None:
        drain.drain_project_runs(project.public_id, method, threads=threads, tick=lines.say_new)
        lines.say_new()

    def show(self, value: Any) -> None:
        for result in value:
            verdict = result["reason_code"] or {True: "hateful", False: "not hateful", None: "-"}[result["hateful"]]
            self.stdout.write(f"{result['item']}  {result['state']}  {verdict}  {result['calls']} calls")
            if REASON_DISAGREES in result["warnings"]:
                self.stdout.write("  Its reason concludes the opposite.")
            if "model" in result.get("read_by", {}):
                self.stdout.write(f"  Its reason was read by {result['read_by']['model']} as well as by the rules.")
            if result["no_search"]:
                self.stdout.write("  No search was possible.")
            if result["missing"]:
                missing = ", ".join(f"{code} ({reason})" for code, reason in result["missing"].items())
                self.stdout.write(f"  Without the vote of {len(result['missing'])}: {missing}.")
            for fault in result["faults"]:
                self.stdout.write(f"  {fault['of']}, {fault['code']}, {fault['times']} times: {fault['detail']}")
            if result["limit"]:
                self.stdout.write(f"  It ended early, at a limit: {result['limit']['detail']}")


def _is_judged(debate: Run, judge: str) -> bool:
    """Return whether this judge has judged the debate, or one that it goes on from."""
    variant = ask_again.judged_variant(debate, judge)
    alike = Run.objects.filter(method=debate.method, subject=debate.subject, repeat=debate.repeat, variant=variant)
    last = alike.order_by("id").last()
    return last is not None and (last.pk > debate.pk or last.state not in fork.STOPPED)


def _items(project: Project, options: dict[str, Any]) -> QuerySet[Item]:
    items = Item.objects.filter(project=project).exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN))
    if options["stage"]:
        return items.filter(stage=options["stage"])
    if options["items"] is not None:
        return named_items(items, options["items"], "that can be looked at")
    return items


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the method, from their own arguments and from --option."""
    chosen: dict[str, Any] = {}
    own = options_of(options["method"])
    for name in command_options():
        if options[name] is not None:
            if name not in own:
                raise CommandError(f"--{name} belongs to {' and '.join(methods_with(name))}.")
            chosen[name] = options[name]
    if options["prompts"]:
        chosen["prompts"] = options["prompts"]
    for pair in options["option"]:
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--option takes NAME=VALUE, not {pair!r}.")
        place = chosen
        *outer, last = name.split(".")
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return chosen
