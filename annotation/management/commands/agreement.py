"""agreement SLUG: how far the annotators of a project agree, raw, after each step and final."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import read_agreement
from annotation.core.snapshots import snapshot
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named


class Command(JsonCommand):
    help = "Show the agreement of a project: kappa and alpha raw, after each step and final, levels and patterns."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")

    def answer(self, **options: Any) -> Any:
        moment = timezone.now()
        with snapshot():
            value = as_json(read_agreement(project_named(options["slug"])))
        return value | {"as_of": moment.isoformat()}

    def show(self, value: Any) -> None:
        """Print a line for every figure, and one for every further question."""
        super().show({name: figure for name, figure in value.items() if name != "questions"})
        for code, question in value["questions"].items():
            self.stdout.write(f"question {code} ({question['kind']}): {_alpha(question)}")
            for pool in question.get("earlier", ()):
                self.stdout.write(f"question {code}, earlier: {_alpha(pool)}")


def _alpha(pool: dict[str, Any]) -> str:
    """Return one alpha with its interval, its counts, and the versions of the question that it is about."""
    alpha = f"undefined ({pool['why']})" if pool["alpha"] is None else f"{pool['alpha']:.3f}"
    if pool["interval"]:
        alpha += " ({:.3f} to {:.3f})".format(*pool["interval"])
    versions = ", ".join(map(str, pool["versions"]))
    return f"alpha {alpha}; {pool['items']} items, {pool['ratings']} ratings; version {versions}"
