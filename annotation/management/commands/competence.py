"""competence SLUG: what a model of annotator competence makes of a project's labels, beside the majority."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.analytics.quality.competence import CannotEstimate, estimate
from annotation.domain.choices import CompetenceMethod
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import CompetenceEstimate, JobState


class Command(JsonCommand):
    help = (
        "Fit Dawid-Skene to the raw labels of a project and store the estimate for its page Quality. "
        "It is shown beside the majority and changes nothing. Needs the extra 'quality'."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")

    def answer(self, **options: Any) -> Any:
        project, begun = project_named(options["slug"]), timezone.now()
        try:
            result = estimate(project)
        except CannotEstimate as fault:
            raise CommandError(fault.sentence) from None
        row = CompetenceEstimate.objects.create(
            project=project,
            method=CompetenceMethod.DAWID_SKENE,
            state=JobState.DONE,
            result=result,
            begun_at=begun,
            finished_at=timezone.now(),
        )
        return {"estimate": str(row.public_id), "method": row.method, **result}

    def show(self, value: Any) -> None:
        for name in ("method", "labels", "items", "annotators", "iterations"):
            self.stdout.write(f"{name}: {value[name]}")
        self.stdout.write(f"items where model and majority differ: {len(value['differing'])}")
