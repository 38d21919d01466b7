"""compute_priors SLUG: ask models for the priors that a project's items lack, here or by its workers."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from annotation.domain.choices import UNUSABLE_PRIORS, PriorState
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Project
from annotation.priors import method, requests
from runs.control import drain, unfinished


class Command(JsonCommand):
    help = (
        "Ask models for the unimodal priors that a project's items lack. Cut off at any moment it can be run again: "
        "nothing that was answered is asked twice."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        waits = parser.add_mutually_exclusive_group()
        waits.add_argument("--wait", action="store_true", default=True, help="ask from here, to the end (default)")
        waits.add_argument("--no-wait", action="store_false", dest="wait", help="queue them for the workers")
        parser.add_argument(
            "--again", nargs="+", default=[], metavar="STATE", help=f"also ask again: {', '.join(UNUSABLE_PRIORS)}"
        )
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        if unknown := sorted(set(options["again"]) - set(UNUSABLE_PRIORS)):
            raise CommandError(f"--again takes {', '.join(UNUSABLE_PRIORS)}; not {', '.join(unknown)}.")
        self._request(project, [PriorState(state) for state in options["again"]], ring=not options["wait"])
        self.is_undone = False
        if options["wait"]:
            self._work_off(project, options["threads"])
        return figures(project)

    def failed(self, value: Any) -> bool:
        return self.is_undone

    def _request(self, project: Project, again: list[PriorState], *, ring: bool) -> None:
        requests_made = [requests.request_missing(project, ring=ring)]
        if again:
            requests_made.append(requests.request_again(project, again, ring=ring))
        for problem in sorted({problem for requested in requests_made for problem in requested.problems}):
            self.say(problem)
        self.say(f"{sum(requested.queued for requested in requests_made):,} priors newly asked for.")

    def _work_off(self, project: Project, threads: int) -> None:
        self._last_line = ""
        try:
            drain.drain_project_runs(project.public_id, method.NAME, threads=threads, tick=lambda: self._tell(project))
        except KeyboardInterrupt:
            self.say("Stopped. Run the command again to go on.")
        now = requests.read_prior_progress(project)
        priors_left = now.progress.open
        self.is_undone = bool(priors_left or now.failed)
        for line in unfinished.say_pauses() if priors_left else ():
            self.say(f"{line} {priors_left:,} priors wait; run the command again.")
        if now.failed:
            self.say(f"Not done: {now.failed:,} failed. --again failed asks for them again.")

    def _tell(self, project: Project) -> None:
        now = requests.read_prior_progress(project)
        line = f"{now.settled:,} of {now.total:,} ({now.progress.per_minute:.0f} a minute, {now.spend.tokens:,} tokens)"
        if line != self._last_line:
            self.say(line)
        self._last_line = line


def figures(project: Project) -> dict[str, int]:
    """Return what is still queued or running, and what became of the priors that models were asked for."""
    now = requests.read_prior_progress(project)
    return {
        "queued": now.progress.open,
        "done": now.done,
        "refused": now.refused,
        "unreadable": now.unreadable,
        "failed": now.failed,
    }
