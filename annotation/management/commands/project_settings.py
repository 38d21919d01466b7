"""project_settings SLUG [NAME=VALUE …]: print a project's settings, or change some."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.projects.named_settings import UnknownSetting, form_for, settings_of, store_settings


class Command(JsonCommand):
    help = "Print a project's settings, or change those that are named, all or none."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project's address")
        parser.add_argument("changes", nargs="*", metavar="NAME=VALUE", help="such as order=hard, or call_budget=null")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=bool(options["changes"]))
        if not options["changes"]:
            return settings_of(project)
        try:
            form = form_for(project, dict(_change(change) for change in options["changes"]))
        except UnknownSetting as unknown:
            raise CommandError(unknown.sentence) from None
        if not form.is_valid():
            sentences = [f"{name}: {sentence}" for name, errors in form.errors.items() for sentence in errors]
            raise CommandError(f"{' '.join(sentences)} Nothing changed.")
        return {"project": project.slug, "changed": sorted(store_settings(None, form))}


def _change(written: str) -> tuple[str, Any]:
    """Return name and value of `NAME=VALUE`. true, false, null and numbers mean what they mean in JSON."""
    name, sign, value = written.partition("=")
    if not sign:
        raise CommandError(f"Write NAME=VALUE, not {written!r}.")
    if value in ("true", "false", "null"):
        return name, json.loads(value)
    return name, value
