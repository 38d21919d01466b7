"""The roles that code asks for; settings decide which model answers each."""

from vocabulary.display_names import NamedEnum, pgettext


class ModelRole(NamedEnum):
    """Who speaks. The value is the word in `Request.role` and, in capitals, in the setting MODEL_<ROLE>.

    The methods of `moderation` label the roles that they alone ask.
    """

    PRIOR_TEXT = "prior_text", pgettext("stored word", "prior of the text")
    PRIOR_IMAGE = "prior_image", pgettext("stored word", "prior of the picture")
    DESCRIBER = "describer", pgettext("stored word", "describer of pictures")
    PICTURE_READER = "picture_reader", pgettext("stored word", "reader of words in pictures")
    GATEKEEPER = "gatekeeper"
    PROSECUTOR = "prosecutor"
    DEFENDER = "defender"
    JUDGE = "judge"
    BASELINE = "baseline"
    PERSPECTIVE = "perspective"
    DEBATER = "debater"
    DEBATE_JUDGE = "debate_judge"
    INVESTIGATOR = "investigator"
    ESTIMATOR = "estimator", pgettext("stored word", "estimator of probabilities")
    EXPLAINER = "explainer"
    COUNTERSPEAKER = "counterspeaker", pgettext("stored word", "writer of counterspeech")
    COUNTER_EXPLAINER = "counter_explainer", pgettext("stored word", "explainer of hateful posts")
    """The writer's own model, unless another is named: a writer that was trained may only know how to reply."""
    CRITIC = "critic", pgettext("stored word", "critic of counterspeech")
    TOXICITY = "toxicity", pgettext("stored word", "critic of tone")
    """The critic's own model, unless another is named: a classifier such as detoxify."""
    SAMPLE_WRITER = "sample_writer", pgettext("stored word", "writer of samples")
    PARAPHRASER = "paraphraser", pgettext("stored word", "paraphraser")

    @property
    def is_shown_pictures(self) -> bool:
        """Whether its messages may contain a picture, so that MODEL_VISION is its fallback and not MODEL_TEXT."""
        return self in _SHOWN_PICTURES

    @property
    def setting(self) -> str:
        """The environment variable that binds the role."""
        return f"MODEL_{self.upper()}"


_SHOWN_PICTURES = frozenset(
    {
        ModelRole.PRIOR_IMAGE,
        ModelRole.DESCRIBER,
        ModelRole.PICTURE_READER,
        ModelRole.GATEKEEPER,
        ModelRole.PROSECUTOR,
        ModelRole.DEFENDER,
        ModelRole.JUDGE,
        ModelRole.BASELINE,
        ModelRole.EXPLAINER,
        ModelRole.SAMPLE_WRITER,
    }
)
