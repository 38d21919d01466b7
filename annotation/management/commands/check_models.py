"""`check_models`: which models answer, why, and whether they do."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.models import Project
from annotation.priors import model_choice, model_traits
from annotation.priors.model_choice import ModelSetup, TrialReply


class Command(JsonCommand):
    help = "Show which model is asked for each kind of prior, or in every role, and why, and test each with one call."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--project", metavar="SLUG", help="with the project's own models and categories")
        parser.add_argument("--all", action="store_true", help="of every role, not of the priors alone")
        parser.add_argument("--no-call", action="store_true", help="look at the settings only, ask nobody")

    def answer(self, **options: Any) -> dict[str, Any]:
        """Test what can be tested; ok is false if anything is wrong with a model that would be asked."""
        row = _project(options["project"]) if options["project"] else None
        models = []
        looked_at = model_choice.model_setups if options["all"] else model_choice.prior_setups
        for setup in looked_at(row):
            tried = model_choice.try_model(setup.role, row) if setup.can_be_tried and not options["no_call"] else None
            models.append(_plain(setup, tried))
        return {"ok": all(model["ok"] for model in models), "models": models}

    def show(self, value: Any) -> None:
        """Return a line or two for each model."""
        for model in value["models"]:
            self.stdout.write(
                f"{model['role']}: {model['model'] or 'nobody'} ({model['why']}; setting {model['setting']})"
            )
            for line in filter(None, (model["problem"], model["paused"], _in_words(model), *model["learnt"])):
                self.stdout.write(f"  {line}")


def _project(slug: str) -> Project:
    try:
        return Project.objects.get(slug=slug)
    except Project.DoesNotExist:
        raise CommandError(f"There is no project {slug!r}.") from None


def _plain(setup: ModelSetup, tried: TrialReply | None) -> dict[str, Any]:
    binding = setup.binding
    return {
        "role": binding.role.value,
        "model": binding.name,
        "language_model": binding.is_language_model,
        "why": binding.why,
        "setting": binding.setting,
        "problem": binding.problem,
        "paused": setup.pause.detail if setup.pause else "",
        "tested": tried is not None,
        "ok": tried.ok if tried else not binding.problem,
        "seconds": round(tried.trial.seconds, 3) if tried else None,
        "answer": tried.trial.text[:500] if tried else "",
        "learnt": model_traits.learnt_texts(binding.name),
        "fault": (tried.trial.fault or tried.wrong) if tried else "",
    }


def _in_words(model: dict[str, Any]) -> str:
    if not model["tested"]:
        return ""
    return f"answers after {model['seconds']} s" if model["ok"] else f"does not work: {model['fault']}"
