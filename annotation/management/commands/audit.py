"""audit [SLUG]: prove that no label, decision, turn or file of a project, or of all, is lost, doubled or orphaned."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.management.site_counts import counts_in_words, site_counts
from annotation.operations.audit import Audited, audited, audits


class Command(JsonCommand):
    help = "Compare rows with their events, files and rules, in every project; name what is lost, doubled or orphaned."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?", help="this project alone")

    def answer(self, **options: Any) -> Any:
        chosen = iter([audited(project_named(options["slug"]))]) if options["slug"] else audits()
        projects = [self._told(project) for project in chosen]
        sound = not any(project.problems for project in projects)
        return {"site": site_counts(), "ok": sound, "projects": [asdict(project) for project in projects]}

    def _told(self, project: Audited) -> Audited:
        self.say(f"{project.slug}: {len(project.problems)} found")
        return project

    def show(self, value: Any) -> None:
        self.stdout.write(counts_in_words(value["site"]))
        for project in value["projects"]:
            figures = f"{project['items']:,} items, {project['labels']:,} labels"
            verdict = "NOT sound:" if project["problems"] else "nothing is lost, doubled or orphaned."
            self.stdout.write(f"{project['slug']} ({project['name']}), {figures}: {verdict}")
            for problem in project["problems"]:
                self.stdout.write(f"  {problem}")
        if not value["projects"]:
            self.stdout.write("There is no project.")
