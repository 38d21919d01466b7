"""Rows in the states that one page alone shows, and the addresses of pages that no route of a world has."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils import timezone

from annotation.domain.formats.base import RowError
from annotation.imports.report import ImportReport
from annotation.models import Import, Skip
from generation.models import Candidate, Exemplar, Reply
from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.evaluation.arms import Arm, stored_arms
from moderation.evaluation.report import report_of
from moderation.hatexscore import start as hatexscore
from moderation.models import Evaluation, EvaluationCase, Example, Perspective, Statement
from rows_of_every_model import WORDS
from runs.domain.states import ASIDE
from runs.execution import runner, worker
from runs.models import Run, Turn
from site_objects import A, R, World, the_evaluation, the_perspective, the_reply, the_statement


def pages_of_states(world: World) -> Iterator[str]:
    """Make the rows, then yield the addresses."""
    Skip.objects.create(item=world.training, annotator=world.members[A], reason=WORDS)
    Example.objects.update(perspective=Perspective.objects.get(code=the_perspective(world)["code"]))
    Candidate.objects.update(exemplars=list(Exemplar.objects.values_list("pk", flat=True)))
    _score(world)
    _evaluate(world)
    yield _refused_import(world)
    yield _run_with_a_lost_search(world)
    yield from _decided_replies(world)
    statement = the_statement(world)
    Statement.objects.update(fields={"decision_facts": WORDS})
    yield reverse("moderation:statement-file", kwargs={**statement, "kind": "md"})


def write_report() -> None:
    """Write the report of the evaluation from its cases as they are now."""
    evaluation = Evaluation.objects.get(cases__isnull=False)
    evaluation.report = report_of(evaluation, stored_arms(evaluation), evaluation.runs())
    evaluation.save(update_fields=("report",))


def _refused_import(world: World) -> str:
    """Return the page of a file whose rows were refused."""
    fault = RowError(2, "no_such_code", WORDS, field="text", external_id=WORDS)
    report = ImportReport(
        errors=[fault], missing_images=1, missing_names=[WORDS], extra_pictures=1, extra_names=[WORDS]
    )
    upload = Import.objects.create(
        project=world.project, file_name="b.csv", sha256="1" * 64, state="refused", outcome=report.as_json()
    )
    return reverse("annotation:import-show", args=[world.project.slug, upload.public_id])


def _score(world: World) -> None:
    """Score an explanation: what was scored is shown with its numbers."""
    choice = Scoring(estimator=Estimator.GIVEN, p=0.9, p_masked=0.1)
    score = hatexscore.start(world.item, hatexscore.pasted("“canary” is hateful.", True), choice, ring=False)
    runner.claim_and_perform(Run.objects.get(public_id=score.run).pk, worker.planned_model)


def _evaluate(world: World) -> None:
    """Give the evaluation an arm and a case of a data set and a subset."""
    evaluation = Evaluation.objects.get(public_id=the_evaluation(world)["public_id"])
    evaluation.arms = [Arm("arcade", "arcade", {}, {"judge": "keyword:cues-1"}, f"{ASIDE}arcade").as_json()]
    evaluation.save(update_fields=("arms",))
    EvaluationCase.objects.update(evaluation=evaluation, gold_hateful=True, dataset=WORDS, subset=WORDS)


def _run_with_a_lost_search(world: World) -> str:
    """Return the page of an investigation in which a search had no answer."""
    run = Run.objects.get(method="antihateagent")
    run.options = InvestigationOptions().model_dump(mode="json")
    run.save(update_fields=("options",))
    asked = {"action_input": {"queries": [WORDS]}}
    Turn.objects.create(run=run, key="queries.1", kind="ask", role="investigator", value=asked)
    lost = {"state": "failed", "reason": "timeout", "detail": WORDS}
    Turn.objects.create(run=run, key="search.1.1", kind="search", role="search", **lost)
    return reverse("moderation:run", args=[world.project.slug, run.public_id])


def _decided_replies(world: World) -> Iterator[str]:
    """Yield the pages of a reply that was approved although it is flagged, and of its withdrawn correction."""
    submitted = Reply.objects.get(public_id=the_reply(world)["public_id"])
    fields = {"exchange": submitted.exchange, "author": submitted.author, "intent": submitted.intent, "text": WORDS}
    fields |= {"submitted_at": submitted.submitted_at, "approver": world.members[R], "approved_at": timezone.now()}
    approved = Reply.objects.create(**fields, state="approved", override_reason=WORDS)
    withdrawn = Reply.objects.create(
        **fields,
        state="withdrawn",
        replaces=approved,
        correction_reason=WORDS,
        withdrawn_by=world.members[R],
        withdrawn_at=timezone.now(),
        withdrawal_reason=WORDS,
    )
    for reply in (approved, withdrawn):
        yield reverse("generation:reply", args=[world.project.slug, reply.public_id])
