"""batches SLUG [NAME ACT]: how far a project's batches are; open, pause, resume or close one."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.batches import open_items, state
from annotation.batches.progress import read_batch_overview
from annotation.batches.progress_json import as_json
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named


class Command(JsonCommand):
    help = "Say how far each batch of a project is, or open, pause, resume or close one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("name", nargs="?", help='a batch; "" is the one of items without a batch')
        parser.add_argument("act", nargs="?", choices=["open", *state.ACTS])
        parser.add_argument("--open-all", action="store_true", help="open every batch that waits, and all ready items")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=options["open_all"] or options["act"] is not None)
        if options["open_all"] and options["name"] is not None:
            raise CommandError("--open-all opens every batch: name none beside it.")
        if options["open_all"]:
            return _opened(open_items.open_items(project))
        if options["name"] is None:
            return as_json(read_batch_overview(project))
        row = state.batch_of(project, name=options["name"])
        if row is None:
            raise CommandError(f"The project {project.slug!r} has no batch {options['name']!r}.")
        if options["act"] == "open":
            return _opened(open_items.open_items(project, batch=row.name))
        if options["act"]:
            try:
                state.ACTS[options["act"]](row, None)
            except state.WrongBatchState:
                raise CommandError(f"The batch is {row.state}: it cannot be asked to {options['act']}.") from None
        return next(batch for batch in as_json(read_batch_overview(project))["batches"] if batch["name"] == row.name)

    def show(self, value: Any) -> None:
        if "batches" not in value:
            super().show(value)
            return
        for batch in value["batches"]:
            seats = batch["seats"]
            of = sum(seats.values())
            finish = " to ".join(batch["finish"]) if batch["finish"] else "-"
            name = batch["name"] or "(without a batch)"
            self.stdout.write(f"{name}: {batch['state']}, {seats['filled']} of {of} seats, finish {finish}")


def _opened(outcome: open_items.OpenedItems) -> dict[str, int]:
    return {
        "opened": outcome.opened,
        "pictures_missing": outcome.missing_pictures,
        "waiting_for_priors": outcome.waiting_for_priors,
    }
