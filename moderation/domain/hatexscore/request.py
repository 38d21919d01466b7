"""How people ask for the score of an explanation: the page, the API and the command follow from it."""

from typing import Annotated

from pydantic import Field

from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.group_list_files import NAMES
from moderation.domain.hatexscore.score import Measure, Weights
from moderation.domain.hatexscore.words.tokenize import LANGUAGES
from vocabulary.refusals import Refused
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request

_ESTIMATORS = {
    Estimator.MODEL: _("the explaining model"),
    Estimator.LOGPROB: _("its log-probabilities"),
    Estimator.DETOXIFY: "detoxify",
    Estimator.KEYWORD: _("built-in keywords"),
    Estimator.GIVEN: _("numbers given below"),
}
_RULES = {Rule.PAPER: _("the paper's, τ 0.30"), Rule.RELEASED: _("its released code's, τ 0.45")}
_LANGUAGES = {"": _("by script")} | {code: code for code in LANGUAGES}
TAU = "τ; default: 0.3 for paper, 0.45 for released"

Share = Annotated[float | None, Field(ge=0, le=1)]
"""A number from 0 to 1, or none."""


def _weights(written: str) -> Weights:
    try:
        return Weights.read(written)
    except ValueError:
        raise Refused(_("Write four numbers, such as 1, 2, 1, 1: none negative, at least one above 0.")) from None


class Scoring(Request):
    """How to score. `p` and `p_masked` belong to the estimator `given`."""

    estimator: Annotated[
        Estimator,
        Asked(
            _("How the probability is measured"),
            words=_ESTIMATORS,
            option="default: given if all lines have p, else model",
        ),
    ] = Estimator.MODEL
    model: Annotated[
        str,
        Asked(
            option="who estimates; default: MODEL_ESTIMATOR",
            metavar="PROVIDER:MODEL",
            body="The model that estimates, as provider:model.",
        ),
    ] = ""
    group_list: Annotated[
        str,
        Asked(
            _("Groups"),
            name="list",
            offered=True,
            option=f"groups: {', '.join(NAMES)}, or your own; default by language",
            metavar="NAME|FILE.json",
            body="The name of a built-in list or of one of the project.",
            longest=20,
        ),
    ] = ""
    language: Annotated[
        str,
        Asked(_("Language"), words=_LANGUAGES, option="default: by script", flags=("lang",), metavar="CODE", longest=5),
    ] = ""
    rule: Annotated[Rule, Asked(_("Rule"), words=_RULES, option="")] = Rule.PAPER
    threshold: Annotated[Share, Asked(_("Another τ"), option=TAU)] = None
    weights: Annotated[
        Weights,
        Asked(
            _("Weights of HTC, QF, TGI, CC"),
            _("Empty: 1, 1, 1, 1."),
            option="",
            metavar="HTC,QF,TGI,CC",
            longest=80,
            read=_weights,
        ),
    ] = Weights()
    p: Annotated[Share, Asked(_("p before"))] = None
    p_masked: Annotated[Share, Asked(_("p after"))] = None

    @property
    def measure(self) -> Measure:
        """Return rule, threshold and weights."""
        return Measure(self.rule, self.threshold, self.weights)
