"""The roles that code asks for; which model answers them is a matter of settings."""

from enum import StrEnum


class ModelRole(StrEnum):
    """Who speaks. The value is the word in `Request.role` and, in capitals, in the setting MODEL_<ROLE>."""

    PRIOR_TEXT = "prior_text"
    PRIOR_IMAGE = "prior_image"
    DESCRIBER = "describer"
    GATEKEEPER = "gatekeeper"
    PROSECUTOR = "prosecutor"
    DEFENDER = "defender"
    JUDGE = "judge"
    BASELINE = "baseline"
    PERSPECTIVE = "perspective"
    DEBATER = "debater"
    DEBATE_JUDGE = "debate_judge"
    INVESTIGATOR = "investigator"
    ESTIMATOR = "estimator"
    EXPLAINER = "explainer"
    COUNTERSPEAKER = "counterspeaker"
    CRITIC = "critic"
    TOXICITY = "toxicity"  # the critic's own, unless another is named: a classifier such as detoxify
    SAMPLE_WRITER = "sample_writer"
    PARAPHRASER = "paraphraser"

    @property
    def is_shown_pictures(self) -> bool:
        """Whether its messages may hold a picture, so that MODEL_VISION is its fallback and not MODEL_TEXT."""
        return self in _SHOWN_PICTURES

    @property
    def setting(self) -> str:
        """The environment variable that binds it."""
        return f"MODEL_{self.upper()}"


_SHOWN_PICTURES = frozenset(
    {
        ModelRole.PRIOR_IMAGE,
        ModelRole.DESCRIBER,
        ModelRole.GATEKEEPER,
        ModelRole.PROSECUTOR,
        ModelRole.DEFENDER,
        ModelRole.JUDGE,
        ModelRole.BASELINE,
        ModelRole.EXPLAINER,
        ModelRole.SAMPLE_WRITER,
    }
)
