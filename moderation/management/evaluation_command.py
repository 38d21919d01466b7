"""What the commands that run evaluations share: performing the runs, telling how far they are, printing the report."""

import json
import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.json_command import JsonCommand
from moderation.domain.evaluation.tables.render import markdown
from moderation.evaluation import continuation, files
from moderation.models import Evaluation, EvaluationState
from runs.control import unfinished, wait_for_runs
from runs.domain.states import RunState
from runs.execution import shutdown

_MOST_UNDONE = 1_000
"""So many runs without an answer are counted in what is said of them; the report counts all."""
_TELL_EVERY = 10.0
"""The seconds between two lines about progress."""


def report_folder(name: str | None) -> Path | None:
    """Return the folder for the report's files.

    Returns None if no name is given.
    Raises CommandError if it is a file.
    """
    folder = Path(name) if name else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise CommandError(f"--out: {folder} is a file; name a folder.")
    return folder


class EvaluationCommand(JsonCommand):
    """A command that performs the runs of an evaluation and prints its report."""

    _last_told = 0.0

    def failed(self, value: Any) -> bool:
        """Whether a part of it has no answer: a run waits, failed or was cancelled."""
        runs = value.get("runs") or {}
        return bool(value.get("open") or value.get("fault") or runs.get("failed") or runs.get("cancelled"))

    def perform(self, evaluation: Evaluation, threads: int) -> None:
        """Perform the runs in this process until they end, then those of other judges, and write the report."""
        runs = evaluation.runs()
        while evaluation.state == EvaluationState.RUNNING:
            wait_for_runs.perform_until_done(runs, threads=threads, tick=lambda: self._tell(evaluation))
            if continuation.carry_on(evaluation, ring=False) or shutdown.is_stop_requested():
                return
            if pauses := list(unfinished.say_pauses()):
                for line in pauses:
                    self.say(f"{line} The same command goes on later.")
                return

    def standing(self, evaluation: Evaluation, folder: Path | None) -> dict[str, Any]:
        """Write the report's files into the folder, if there is one and a report. Return what the command prints."""
        written = files.write_report_files(evaluation, folder) if folder and evaluation.report else []
        progress = continuation.progress(evaluation)
        undone = evaluation.runs().filter(state__in=(RunState.FAILED, RunState.CANCELLED)).order_by("pk")
        for line in unfinished.sentences(list(undone[:_MOST_UNDONE]), {}):
            self.say(line)
        return {
            "evaluation": str(evaluation.public_id),
            "state": evaluation.state,
            "open": progress.open + (evaluation.state == EvaluationState.RUNNING),
            "runs": dict(progress.counts),
            "fault": evaluation.fault,
            "files": written,
            "report": evaluation.report,
        }

    def show_evaluation(self, value: dict[str, Any]) -> None:
        """Print the report as Markdown, or how far the runs are."""
        if value["fault"]:
            self.stdout.write(
                f"It could not be continued and has failed. The cause: {value['fault']} Its answers are kept. "
                "--retry-failed tries it again, --again asks everything anew."
            )
            return
        if value["report"] is None:
            self.stdout.write(f"Not done yet ({json.dumps(value['runs'])}). The same command goes on.")
            return
        self.stdout.write(markdown(value["report"]))
        for name in value["files"]:
            self.stdout.write(name)

    def _tell(self, evaluation: Evaluation) -> None:
        if time.monotonic() < self._last_told + _TELL_EVERY:
            return
        self._last_told = time.monotonic()
        now = continuation.progress(evaluation)
        time_left = "" if now.seconds_left is None else f", {now.seconds_left / 60:,.0f} minutes left"
        self.say(f"{now.ended:,} of {now.expected:,} runs, {now.per_minute:,.0f} a minute{time_left}")
