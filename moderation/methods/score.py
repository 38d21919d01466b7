"""Scoring as a run: the explanation is read, then p of the text and of the masked text are asked for, at the same time.

Two kinds of runs: those that fill a row of `Score` (options `{"score": id}`), and those that stand aside and only
estimate (options `{"text", "masked"}`: the command, which reads by itself). Reading is a step of the run because
Korean needs 500 MB that no web process should hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings

from annotation.domain.words import Stage
from annotation.models import Item
from moderation.domain.estimating import WORDS, Estimate, Estimator
from moderation.domain.hatexscore import group_files
from moderation.domain.hatexscore.consistency import Rule
from moderation.domain.hatexscore.faithfulness import UnreadableProbability, quotation_faithfulness
from moderation.domain.hatexscore.scoring import Measure, Weights, read
from moderation.domain.hatexscore.tokens import MissingExtra
from moderation.domain.score_record import record_of, scored
from moderation.models import Score, ScoreState
from providers.fencing import fence, house_rule, nonce_for
from providers.messages import ProviderError
from providers.roles import ModelRole
from runs.domain.states import RunState
from runs.method import Finish, Limits, Outcome, SavedTurn, Step, StepKind
from runs.models import Run
from runs.prompting import prompt

NAME = "score"
TOKENS = 60
_STATES = {
    RunState.REFUSED: ScoreState.REFUSED,
    RunState.UNREADABLE: ScoreState.UNREADABLE,
    RunState.FAILED: ScoreState.FAILED,
}


@dataclass(frozen=True)
class Case:
    """What is estimated, by whom; `score` is the row to read, None where the masked text is known already."""

    text: str
    masked: str
    estimator: Estimator
    nonce: str
    score: Score | None = None


class Scoring:
    """Two questions at most: p of the text, p of the masked text; none where nothing is quoted or p is given."""

    name = NAME
    limits = Limits(calls=12, tokens=200_000, seconds=1800)

    def case(self, run: Run) -> Case | None:
        """The row or the texts; None where the item is gone or was taken out."""
        nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.public_id))
        estimator = Estimator(run.options["estimator"])
        if "text" in run.options:
            return Case(run.options["text"], run.options["masked"], estimator, nonce)
        row = _row(run)
        return Case(row.text, "", estimator, nonce, row) if row and self.still_wanted(run) else None

    def still_wanted(self, run: Run) -> bool:
        """Whether the item is still there."""
        if "text" in run.options:
            return True
        there = Item.objects.filter(public_id=run.subject, project__public_id=run.project)
        return there.exclude(stage=Stage.EXCLUDED).exists()

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Read; then ask for both numbers together."""
        masked = case.masked
        if case.score is not None:
            if "read" not in turns:
                return [Step("read", "reader", kind=StepKind.READ, work=partial(_record, case.score))]
            record = turns["read"].value
            if not record["evidence"] or case.score.prediction is None:
                return Finish({"p": None, "p_masked": None})
            if case.estimator is Estimator.GIVEN:
                return Finish({"p": case.score.p, "p_masked": case.score.p_masked})
            masked = record["masked"]
        if "p" in turns and "p_masked" in turns:
            return Finish({name: turns[name].value["probability"] for name in ("p", "p_masked")})
        return [_question(case, "p", case.text), _question(case, "p_masked", masked)]

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Fill the row: with numbers, or with why there are none."""
        if "text" in run.options:
            return True
        row = _row(run)
        if row is None:
            return False
        if outcome.state == RunState.SUCCEEDED:
            _fill(row, run, outcome.value)
        else:
            row.state = _STATES.get(outcome.state, ScoreState.FAILED)
            row.reason = outcome.detail or str(outcome.reason or "")
        row.save()
        return True


def _row(run: Run) -> Score | None:
    return Score.objects.filter(public_id=run.options["score"], state=ScoreState.WAITING).first()


def _record(row: Score) -> dict[str, Any]:
    """The reading; what is missing on this machine ends the run with a sentence."""
    listed = group_files.built_in(row.group_list) if row.group_list else None
    try:
        return record_of(read(row.text, row.explanation, language=row.language, listed=listed))
    except MissingExtra as missing:
        raise ProviderError(str(missing), code="bad_request") from missing


def _question(case: Case, key: str, text: str) -> Step:
    by_words = case.estimator is Estimator.LOGPROB
    words = prompt("moderation", NAME, "word" if by_words else "probability")
    fenced = fence(text, case.nonce, name="text")
    return Step(
        key=key,
        role=ModelRole.ESTIMATOR,
        messages=words.messages({"rule": house_rule(case.nonce), "text": fenced.text}),
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
    qf = 0.0
    if value["p"] is not None:
        try:
            qf = quotation_faithfulness(row.prediction, value["p"], value["p_masked"])
        except UnreadableProbability as wrong:
            row.state, row.reason = ScoreState.UNREADABLE, str(wrong)
            return
    found = scored(record, qf, row.prediction, measure)
    row.reading, row.language = record, record["language"]
    row.group_list = row.group_list or group_files.default_name(record["language"])
    row.p, row.p_masked = value["p"], value["p_masked"]
    row.htc, row.qf, row.tgi, row.cc, row.score = found.htc, found.qf, found.tgi, found.cc, found.score
    row.state = ScoreState.SCORED
