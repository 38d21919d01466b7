"""Scoring as a run: the explanation is read, then p of the text and of the masked text are asked for, at the same time.

Four kinds of runs: those that fill a row of `Score` (options `{"score": id}`), those of an evaluation that score what
another run of it explained (`{"explained": id, "list"}`), those that only estimate (`{"text", "masked"}`: the
command, which reads by itself), and those that only ask the reader (`{"read": explanation}`: the command again).
Reading is a step of the run because Korean needs 500 MB that no web process holds.

Where a run has a model for the role `reader`, it is asked first about what the rules do not read for sure. What the
explaining run asked it already is not asked again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.conf import settings

from annotation.domain.choices import Stage
from annotation.models import Item
from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimate import Estimate
from moderation.domain.hatexscore.estimators import SCORING, WORDS, Estimator
from moderation.domain.hatexscore.group_list_files import Groups
from moderation.domain.hatexscore.htc import conclusion_line
from moderation.domain.hatexscore.qf import UnreadableProbability, quotation_faithfulness
from moderation.domain.hatexscore.record import ReadingJson, read_by_of, record_of, scored, second_of
from moderation.domain.hatexscore.score import Measure, Weights, read
from moderation.domain.hatexscore.second_reading import SecondReading, read_by
from moderation.domain.hatexscore.words.tokenize import MissingExtra
from moderation.hatexscore import group_lists
from moderation.hatexscore.explanations import of_run, second_of_run
from moderation.methods.post_case import evaluation_case_of, post_exists
from moderation.methods.second_reader import KEY, is_unsure, second_reading, second_reading_step
from moderation.models import Score, ScoreSource, ScoreState
from providers.messages import ProviderError
from providers.prompt_fencing import fence, nonce_for
from providers.roles import ModelRole
from providers.structured_output import is_refusal
from runs.domain.states import Reason, RunState, TurnState
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step, StepKind
from runs.methods.prompts import load_prompt
from runs.models import Run

NAME = SCORING
TOKENS = 60
REFUSED = "The model refused to explain: there is nothing to score."
_STATES = {
    RunState.REFUSED: ScoreState.REFUSED,
    RunState.UNREADABLE: ScoreState.UNREADABLE,
    RunState.FAILED: ScoreState.FAILED,
}


@dataclass(frozen=True)
class EstimateQuestion:
    """What is estimated, by whom; `score` is the row to read, None where the masked text is known already."""

    text: str
    masked: str
    estimator: Estimator
    nonce: str
    score: Score | None = None
    stands_aside: bool = False
    """Whether the row is of an evaluation: never saved, its parts are what the run ends with."""
    listed: Groups | None = None
    """The groups that count; None: those of the explanation's language. Looked up here, since reading is a thread's."""
    unscorable: str = ""
    """Why there is nothing to score: `refused`, `unreadable` or `no_text`."""
    reader: str = ""
    """The model that reads what the rules do not read for sure; empty: none does."""
    second: SecondReading | None = None
    """What it read when the explanation was written."""
    only_read: str = ""
    """The explanation of a run that only asks the reader."""

    def second_by(self, turns: Mapping[str, SavedTurn]) -> SecondReading | None:
        """Return what the reader read. Returns None if it read nothing or was not asked."""
        return self.second or second_reading(turns.get(KEY), self.reader)


class Scoring:
    """Two questions at most: p of the text, p of the masked text; none where nothing is quoted or p is given."""

    name = NAME
    limits = Limits(calls=12, tokens=200_000, seconds=1800)

    def case(self, run: Run) -> EstimateQuestion | None:
        """Return the row or the texts. Returns None if the item is gone or was taken out."""
        nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.public_id))
        reader = run.model_plan.get(ModelRole.READER, "")
        if "read" in run.options:
            question = EstimateQuestion("", "", Estimator.GIVEN, nonce)
            return replace(question, reader=reader, only_read=run.options["read"])
        estimator = Estimator(run.options["estimator"])
        if "text" in run.options:
            return EstimateQuestion(run.options["text"], run.options["masked"], estimator, nonce)
        if "explained" in run.options:
            return _explained(run, estimator, nonce)
        row = _row(run)
        if row is None or not self.still_wanted(run):
            return None
        return replace(_case(row, estimator, nonce), reader=reader, second=_read_before(row, reader))

    def still_wanted(self, run: Run) -> bool:
        """Whether the item is still there."""
        if not run.options.keys().isdisjoint({"text", "read"}):
            return True
        if "explained" in run.options:
            return post_exists(run)
        there = Item.objects.filter(public_id=run.subject, project__public_id=run.project)
        return there.exclude(stage=Stage.EXCLUDED).exists()

    def next_steps(self, case: EstimateQuestion, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Read, with the reader where the rules are not sure; then ask for both numbers together."""
        if case.unscorable:
            return Finish({"unscorable": case.unscorable})
        if case.reader and (end := _second_reading(case, turns)):
            return end
        masked = case.masked
        if case.score is not None:
            if "read" not in turns:
                work = partial(_record, case.score, case.listed, case.second_by(turns))
                return [Step("read", "reader", kind=StepKind.READ, work=work)]
            record = turns["read"].value
            if not record["evidence"] or _prediction(case.score, case.second_by(turns)) is None:
                return _finish(case, turns, None, None)
            if case.estimator is Estimator.GIVEN:
                return Finish({"p": case.score.p, "p_masked": case.score.p_masked})
            masked = record["masked"]
        if "p" in turns and "p_masked" in turns:
            return _finish(case, turns, *(turns[name].value["probability"] for name in ("p", "p_masked")))
        return [_question(case, "p", case.text), _question(case, "p_masked", masked)]

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Fill the row: with numbers, or with why there are none."""
        if "score" not in run.options:
            return True
        row = _row(run)
        if row is None:
            return False
        if outcome.state == RunState.SUCCEEDED:
            _fill(row, run, outcome.value)
        else:
            row.state = _STATES.get(outcome.state, ScoreState.FAILED)
            row.reason = outcome.detail or str(outcome.reason or "")
            row.reading = _refusal_read(run)
        row.save()
        return True


def _row(run: Run) -> Score | None:
    return (
        Score.objects.filter(public_id=run.options["score"], state=ScoreState.WAITING).select_related("project").first()
    )


def _second_reading(case: EstimateQuestion, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp | None:
    """Return the question to the reader, or the end where it is a refusal or all that is asked.

    Returns None if the scoring goes on with what was read.
    """
    explanation = case.only_read or (case.score.explanation if case.score else "")
    second = case.second_by(turns)
    if second is None and KEY not in turns and is_unsure(explanation):
        return [second_reading_step(explanation, case.nonce)]
    if case.only_read:
        return Finish({"second": second.as_json() if second else None})
    is_refused = is_refusal(explanation)
    if second.refusal if second else is_refused:
        if not case.stands_aside:
            return GiveUp(Reason.REFUSED, REFUSED)
        return Finish({"unscorable": "refused", "read_by": read_by(False, is_refused, second)})
    return None


def _read_before(row: Score, reader: str) -> SecondReading | None:
    """Return what a reader read when the explanation was written. Returns None if none did, or none is to read."""
    if not reader or row.source != ScoreSource.RUN or row.about_run is None:
        return None
    about = Run.objects.filter(public_id=row.about_run).first()
    return second_of_run(about) if about else None


def _refusal_read(run: Run) -> dict[str, Any]:
    """Return what the reader read of an explanation without a score, as it is kept; empty if it was not asked."""
    model = run.model_plan.get(ModelRole.READER, "")
    turn = run.turns.filter(key=KEY, state=TurnState.OK).first() if model else None
    return {"second": SecondReading.of(model, turn.value or {}).as_json()} if turn else {}


def _prediction(row: Score, second: SecondReading | None) -> bool | None:
    """Return the verdict that is explained: of a run's prose that the rules read none in, what the reader read."""
    is_prose = row.source == ScoreSource.RUN and not row.appended
    return second.conclusion if row.prediction is None and is_prose and second else row.prediction


def _explained(run: Run, estimator: Estimator, nonce: str) -> EstimateQuestion | None:
    """Return what another run of the evaluation said of the case's text, as a row that is never saved."""
    case = evaluation_case_of(run).select_related("evaluation__project", "item").first()
    about = Run.objects.filter(public_id=run.options["explained"], subject=run.subject).first()
    explanation = of_run(about) if about else None
    if case is None or explanation is None:
        return None
    text = case.text if case.item is None else case.item.text
    words = explanation.text.strip()
    reader = run.model_plan.get(ModelRole.READER, "")
    is_refused = not reader and is_refusal(words)
    why = explanation.unscorable or ("refused" if is_refused else "" if text.strip() else "no_text")
    if explanation.structured and explanation.prediction is not None:
        words = f"{words}\n{conclusion_line(explanation.prediction)}"
    row = Score(
        project=case.evaluation.project,
        text=text,
        explanation=words,
        prediction=explanation.prediction,
        group_list=run.options["list"],
        source=explanation.source,
        appended=explanation.structured,
    )
    second = second_of_run(about) if about and reader else None
    return replace(_case(row, estimator, nonce), stands_aside=True, unscorable=why, reader=reader, second=second)


def _case(row: Score, estimator: Estimator, nonce: str) -> EstimateQuestion:
    listed = group_lists.named(row.project, row.group_list) if row.group_list else None
    return EstimateQuestion(row.text, "", estimator, nonce, row, listed=listed)


def _finish(
    case: EstimateQuestion, turns: Mapping[str, SavedTurn], p: float | None, p_masked: float | None
) -> Finish | GiveUp:
    """Both numbers; in an evaluation the parts that they make as well, since no row keeps them."""
    ends = {"p": p, "p_masked": p_masked}
    if not case.stands_aside or case.score is None:
        return Finish(ends)
    prediction, qf = _prediction(case.score, case.second_by(turns)), 0.0
    if p is not None and p_masked is not None:
        try:
            qf = quotation_faithfulness(prediction, p, p_masked)
        except UnreadableProbability as wrong:
            return GiveUp(Reason.INVALID_OUTPUT, str(wrong))
    record = turns["read"].value
    parts = scored(record, qf, prediction, Measure())
    read = {"read_by": read_by_of(record)} if case.reader else {}
    return Finish(ends | {"htc": parts.htc, "qf": parts.qf, "tgi": parts.tgi, "prediction": prediction} | read)


def _record(row: Score, listed: Groups | None, second: SecondReading | None) -> ReadingJson:
    """Return the reading; what is missing on this machine ends the run with a sentence."""
    try:
        return record_of(read(row.text, row.explanation, language=row.language, listed=listed, second=second))
    except MissingExtra as missing:
        raise ProviderError(str(missing), code="bad_request") from missing


def _question(case: EstimateQuestion, key: str, text: str) -> Step:
    by_words = case.estimator is Estimator.LOGPROB
    words = load_prompt("moderation", NAME, "word" if by_words else "probability")
    fenced = fence(text, case.nonce, name="text")
    return Step(
        key=key,
        role=ModelRole.ESTIMATOR,
        messages=words.messages({"text": fenced.text}, nonce=case.nonce),
        shape=Estimate,
        max_tokens=TOKENS,
        prompt_digest=words.digest,
        context={"text": text},
        canary=case.nonce,
        suspect=bool(fenced.suspicions),
        among=WORDS if by_words else None,
    )


def _fill(row: Score, run: Run, value: Mapping[str, Any]) -> None:
    record: dict[str, Any] = run.turns.get(key="read").value or {}
    measure = Measure(Rule(row.rule), row.threshold, Weights(*row.weights))
    qf, row.prediction = 0.0, _prediction(row, second_of(record))
    if value["p"] is not None:
        try:
            qf = quotation_faithfulness(row.prediction, value["p"], value["p_masked"])
        except UnreadableProbability as wrong:
            row.state, row.reason = ScoreState.UNREADABLE, str(wrong)
            return
    parts = scored(record, qf, row.prediction, measure)
    row.reading, row.language = record, record["language"]
    row.group_list = row.group_list or group_list_files.default_name(record["language"])
    row.p, row.p_masked = value["p"], value["p_masked"]
    row.htc, row.qf, row.tgi, row.cc, row.score = parts.htc, parts.qf, parts.tgi, parts.cc, parts.score
    row.state = ScoreState.SCORED
