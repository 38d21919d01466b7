"""inject SLUG --plan FILE: have models write the samples of a plan, and print the counts by state."""

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.management.request_options import add_options, answers_of
from generation.domain.injection.plan import BadPlan
from generation.domain.injection.schema import PlanOptions
from generation.injection import batches
from generation.injection import settings as injection_settings
from generation.injection.plan_files import MOST_PLAN_BYTES, read_json
from generation.injection.report import standing_of
from generation.methods.injection.questions import NAME
from runs.control import drain, unfinished
from runs.execution.budget import BudgetExceeded


class Command(JsonCommand):
    help = (
        "Have models write the samples of a plan: a JSON list of {pattern, category, strategy, target_group, pool, "
        "count}. A batch is a log: cut off at any moment, the same command goes on where it stopped, and nothing that "
        "was answered is asked twice. People review the samples before any of them becomes an item. Injection has to "
        "be switched on in the project."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("--plan", required=True, metavar="FILE", help="the plan as JSON; - reads it from the input")
        add_options(parser, PlanOptions)
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        asked = PlanOptions.of(answers_of(PlanOptions, options))
        try:
            batch = batches.begin(
                project,
                read_json(_content(options["plan"])),
                options=asked.batch,
                seed=asked.seed,
                again=asked.again,
                ring=False,
            )
        except (
            BadPlan,
            batches.NoWriter,
            injection_settings.InjectionOff,
            BudgetExceeded,
        ) as fault:
            raise CommandError(str(fault)) from None
        drain.drain_project_runs(project.public_id, NAME, threads=options["threads"], tick=lambda: None)
        for line in unfinished.say_pauses():
            self.say(line)
        return standing_of(batch)

    def failed(self, value: Any) -> bool:
        return bool(value["asked"] or value["failed"])

    def show(self, value: Any) -> None:
        named = (
            "made",
            "duplicate",
            "held",
            "misfit",
            "refused",
            "unreadable",
            "failed",
            "waiting",
            "accepted",
            "rejected",
        )
        counts = ", ".join(f"{value[name]} {name}" for name in named if value[name])
        self.stdout.write(f"Batch {value['number']}: {counts or 'nothing yet'}.")


def _content(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read(MOST_PLAN_BYTES + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(MOST_PLAN_BYTES + 1)
    except OSError as fault:
        raise CommandError(f"The plan {name} cannot be read: {fault.strerror}.") from None
