"""study: run the grid of a TOML file over one data set, from its estimate to the tables."""

from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from annotation.management.projects import project_named
from moderation.domain.studies.study_file import BadStudy, Study, read_study
from moderation.evaluation import continuation
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.collect_answers import BadSource, assumed_categories
from moderation.management.evaluation_command import EvaluationCommand, report_folder
from moderation.methods.debate_method import BadChoice
from moderation.models import Evaluation
from moderation.studies.estimate import StudyEstimate, study_estimate
from moderation.studies.read import PlannedStudy, planned_study
from moderation.studies.shipped import study_template, study_templates
from moderation.studies.words import estimate_as_json, estimate_lines


class Command(EvaluationCommand):
    help = (
        "Run the study of a TOML file: methods, models, options and repeats over one data set. The estimate of calls "
        "and cost comes first. Cut off at any moment, the same command goes on where it stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", nargs="?", metavar="FILE.toml")
        parser.add_argument("--templates", action="store_true", help="list the studies that come with the site")
        parser.add_argument("--template", metavar="NAME", help="print one of them, to be changed and run")
        parser.add_argument("--estimate", action="store_true", help="print calls and cost, and start nothing")
        parser.add_argument("--most-calls", type=int, metavar="N", help="start nothing that may take more calls")
        parser.add_argument("--out", metavar="DIR", help="where the files of the report go")
        parser.add_argument("--again", action="store_true", help="ask everything anew, though it was answered before")
        parser.add_argument("--retry-failed", action="store_true", help="ask again where runs failed")
        parser.add_argument("--threads", type=int, default=2 * settings.MODEL_CALLS_AT_ONCE, help="runs at a time")

    def answer(self, **options: Any) -> Any:
        if options["templates"]:
            return {"templates": {template.name: template.about for template in study_templates()}}
        if options["template"]:
            return _template(options["template"])
        if not options["file"]:
            raise CommandError("Name the file of a study, or --templates to see those that come with the site.")
        path = Path(options["file"])
        study = _study(path)
        try:
            planned = planned_study(study, path.name, path.parent, partial(project_named, to_change=True))
            estimate = study_estimate(planned)
            if options["estimate"]:
                return {"estimate": estimate_as_json(estimate)}
            return self._run(planned, estimate, options)
        except BadSource as bad:
            raise CommandError(_with_keys(str(bad))) from None
        except BadChoice as bad:
            raise CommandError(f"{path.name}, {bad}") from None

    def show(self, value: Any) -> None:
        if "templates" in value:
            for name, about in value["templates"].items():
                self.stdout.write(f"{name}: {about}")
        elif "template" in value:
            self.stdout.write(value["template"], ending="")
        elif "evaluation" not in value:
            self.stdout.write("\n".join(value["estimate"]["lines"]))
        else:
            self.show_evaluation(value)

    def _run(self, planned: PlannedStudy, estimate: StudyEstimate, options: dict[str, Any]) -> dict[str, Any]:
        folder, most = report_folder(options["out"]), options["most_calls"]
        for line in estimate_lines(estimate):
            self.say(line)
        if planned.project is None and (assumed := assumed_categories(planned.sources)):
            self.say(f"{assumed} The key project of data names a project that has others.")
        if most is not None and estimate.total.calls > most:
            raise CommandError(
                f"The study may take {estimate.total.calls:,} calls, more than --most-calls {most:,}: nothing was "
                "started. Take fewer items, lines or repeats, or allow more calls."
            )
        evaluation, new = evaluation_start.begin(
            planned.project, planned.sources, planned.wish, again=options["again"], ring=False
        )
        if not new:
            self._say_standing(evaluation, retry=options["retry_failed"])
        self.perform(evaluation, options["threads"])
        return self.standing(evaluation, folder) | {"estimate": estimate_as_json(estimate)}

    def _say_standing(self, evaluation: Evaluation, *, retry: bool) -> None:
        progress = continuation.progress(evaluation)
        self.say(
            f"This study was started on {evaluation.created_at:%Y-%m-%d %H:%M} and is {evaluation.state}: "
            f"{progress.ended:,} of {progress.expected:,} runs have ended. Nothing that was answered is asked again."
        )
        if retry:
            self.say(f"{continuation.retry_failed(evaluation, ring=False):,} runs are asked again.")


def _template(name: str) -> dict[str, Any]:
    template = study_template(name)
    if template is None:
        names = ", ".join(template.name for template in study_templates())
        raise CommandError(f"There is no template {name}; there are {names}.")
    return {"template": template.text}


def _study(path: Path) -> Study:
    try:
        return read_study(path.read_text("utf-8"), path.name)
    except OSError as fault:
        raise CommandError(f"{path} cannot be read: {fault.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8: save it as UTF-8.") from None
    except BadStudy as bad:
        raise CommandError(str(bad)) from None


def _with_keys(sentence: str) -> str:
    """Return the sentence; where it names options of `evaluate`, say that a study has keys of the same names."""
    if "--" not in sentence:
        return sentence
    keys = "project, images, text_only and leave_out_bad_rows"
    return f"{sentence} In the file of a study these are the keys {keys} of data."
