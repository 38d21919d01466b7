"""How people ask for an evaluation: the page, the command and the file of a study follow from it."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from moderation.domain.evaluation.sampling import SEED, Sample
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import TAU, Share
from moderation.domain.task import MOST_REPEATS, Task
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request, RequestSection

NOT_SCORED = "none"
SCORES = RequestSection(_("Score explanations"))
_SAMPLES = {Sample.FIRST: _("in order"), Sample.RANDOM: _("at random"), Sample.BALANCED: _("as many of each pattern")}
_TASKS = {Task.SIX: _("which category"), Task.BINARY: _("hateful or not")}
_ESTIMATORS = {
    None: _("explanations, by the model that wrote them"),
    Estimator.MODEL: _("all reasons, by the model that wrote them"),
    Estimator.LOGPROB: _("all reasons, by its log-probabilities"),
    Estimator.DETOXIFY: _("all reasons, by detoxify"),
    Estimator.KEYWORD: _("all reasons, by the built-in keywords"),
    NOT_SCORED: _("no"),
}


class Sampling(Request):
    """Which items: in a study keys of `[data]`."""

    sample: Annotated[Sample, Asked(_("Which gold posts"), words=_SAMPLES, option="which of them")] = Sample.FIRST
    limit: Annotated[
        int | None, Field(ge=1), Asked(_("At most"), _("Empty: all."), option="items of each source", metavar="N")
    ] = None
    seed: Annotated[int, Asked(option="of the sample")] = SEED


class Measuring(Request):
    """What is asked, and how often: in a study keys of the whole."""

    task: Annotated[
        Task | None,
        Asked(
            _("Question"),
            words={None: _("which category, where every method can say it")} | _TASKS,
            option="all categories, or hateful or not",
        ),
    ] = None
    repeats: Annotated[
        int,
        Field(ge=1, le=MOST_REPEATS),
        Asked(
            _("Repeats"), _("Each repeat asks the models again."), last=True, option="each is asked anew", metavar="R"
        ),
    ] = 1


class Explanations(Request):
    """How explanations are scored (HateXScore): in a study `[scores]`."""

    estimator: Annotated[
        Literal["none", "model", "logprob", "detoxify", "keyword"] | None,
        Asked(
            _("Score what is explained (HateXScore)"),
            group=SCORES,
            name="scores",
            words=_ESTIMATORS,
            option="who estimates p; default: model for the method explain, none for others",
        ),
    ] = None
    list: Annotated[str, Asked(option="groups; default: by the explanation's language", metavar="NAME")] = ""
    rule: Annotated[Rule, Asked(option="")] = Rule.PAPER
    threshold: Annotated[Share, Asked(option=TAU)] = None


class EvaluationChoices(Explanations, Sampling, Measuring):
    """All of it, as the page and the command ask."""

    @classmethod
    def by(cls, *parts: BaseModel) -> "EvaluationChoices":
        """Return what the parts ask for."""
        given = {name: value for part in parts for name, value in part if name in cls.model_fields}
        return cls(**given)
