"""read_pictures SLUG: read the words in a project's pictures that nobody has read, here or by its workers."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from annotation.core.jobs import JobRefused
from annotation.domain.choices import PictureReader
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Project
from annotation.picture_text import method, requests
from annotation.picture_text.job import READINGS
from runs.control import drain

_FIGURES = ("pictures", "read", "with_words", "failed", "unread_here", "waiting")
READERS = (PictureReader.LOCAL, PictureReader.MODEL)


class Command(JsonCommand):
    help = (
        "Read the words in a project's pictures that nobody has read. Cut off at any moment it can be run again: "
        "what was read stays."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("--again", action="store_true", help="also what a machine has read; corrected words stay")
        parser.add_argument("--reader", choices=[str(reader) for reader in READERS], help="else as the settings say")
        waits = parser.add_mutually_exclusive_group()
        waits.add_argument("--wait", action="store_true", default=True, help="read from here, to the end (default)")
        waits.add_argument("--no-wait", action="store_false", dest="wait", help="queue it for the workers")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        reader = PictureReader(options["reader"]) if options["reader"] else None
        try:
            job = requests.read_pictures(project, again=options["again"], reader=reader, enqueue=not options["wait"])
        except JobRefused as refused:
            raise CommandError(refused.sentence) from None
        self.waits = options["wait"]
        if self.waits and job is None:
            threads = 2 * settings.MODEL_CALLS_AT_ONCE
            drain.drain_project_runs(project.public_id, method.NAME, threads=threads, tick=lambda: self._tell(project))
        elif self.waits and job is not None:
            READINGS.perform(job.pk)
            job.refresh_from_db()
            if job.problem:
                raise CommandError(job.problem)
        now = requests.reading_progress(project)
        if now.model_may_help:
            self.say(f"A model may read what could not be read here: read_pictures {project.slug} --reader model")
        return {name: getattr(now, name) for name in _FIGURES}

    def failed(self, value: Any) -> bool:
        return bool(self.waits and value["waiting"])

    def _tell(self, project: Project) -> None:
        self.say(requests.reading_progress(project).summary)
