"""Translate a post, or a reply to it, for somebody who does not read its language. It is read, never posted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from generation.domain.counterspeech.options import MOST_TRANSLATED, Translated, TranslateOptions
from generation.methods.counterspeech.hate_case import APP, exchange_of, still_there
from providers.prompt_fencing import fence, nonce_for
from providers.roles import ModelRole
from providers.tokens import estimate_tokens
from runs.domain.states import Flag, Reason
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step
from runs.methods.prompts import load_prompt
from runs.models import Run

NAME = "translation"
ROLES = (ModelRole.TRANSLATOR,)
ASTRAY = "The answer repeats our instructions."
_KEY = "translate"


@dataclass(frozen=True)
class TextToTranslate:
    """The text and the language that it is wanted in. `nonce` fences it."""

    options: TranslateOptions
    nonce: str


class Translation:
    """The method that translates a text: one call."""

    name = NAME
    # One answer, two further questions after a wrong shape, one after an empty and one after a cut one.
    limits = Limits(calls=8, tokens=600_000, seconds=900)

    def case(self, run: Run) -> TextToTranslate | None:
        """Return the text. Returns None if the exchange is gone or its item was excluded."""
        nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.public_id))
        options = TranslateOptions.model_validate(run.options)
        return TextToTranslate(options, nonce) if exchange_of(run) else None

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post is still to be answered."""
        return still_there(run)

    def next_steps(self, case: TextToTranslate, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Ask the one question, or finish with its answer; it is the run's outcome and stands nowhere else."""
        if (turn := turns.get(_KEY)) is None:
            return [_question(case)]
        if Flag.LED_ASTRAY in turn.flags:
            return GiveUp(Reason.INVALID_OUTPUT, ASTRAY, _KEY)
        return Finish({"text": turn.value["translation"]})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Return whether the post is still there: there is nothing else to store."""
        return still_there(run)


def _question(case: TextToTranslate) -> Step:
    words, fenced = load_prompt(APP, NAME, "translate"), fence(case.options.text, case.nonce, name="text")
    return Step(
        key=_KEY,
        role=ModelRole.TRANSLATOR,
        messages=words.messages({"text": fenced.text, "language": case.options.language_name}, nonce=case.nonce),
        shape=Translated,
        max_tokens=min(300 + 3 * estimate_tokens(case.options.text), MOST_TRANSLATED),
        prompt_digest=words.digest,
        canary=case.nonce,
        suspect=bool(fenced.suspicions),
    )
