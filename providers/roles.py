"""The roles that code asks for; settings decide which model answers each."""

from typing import Self

from vocabulary.display_names import NamedEnum, pgettext

WORDS, PICTURES = False, True
"""What a role may be shown; each says so, since it decides which model it gets where no setting names the role."""
OPTIONAL = True


class ModelRole(NamedEnum):
    """Who speaks. The value is the word in `Request.role` and, in capitals, in the setting MODEL_<ROLE>.

    The methods of `moderation` label the roles that they alone ask.
    """

    is_shown_pictures: bool
    """Whether its messages may contain a picture, so that MODEL_VISION is its fallback and not MODEL_TEXT."""
    is_optional: bool
    """Whether nobody is asked where neither its own setting nor the project names a model: it has no fallback."""

    def __new__(
        cls, value: str, is_shown_pictures: bool | None = None, label: str = "", is_optional: bool = False
    ) -> Self:
        """Create a member, written as `VALUE, WORDS` or `VALUE, PICTURES`, with a label after them if it has one.

        `OPTIONAL` after that is for a role without a fallback.
        """
        if not isinstance(is_shown_pictures, bool):  # left out, or the label stands in its place
            raise TypeError(f"{value}: say WORDS or PICTURES after it, and then its label if it has one.")
        member = str.__new__(cls, value)
        member._value_, member.label = value, label
        member.is_shown_pictures, member.is_optional = is_shown_pictures, is_optional
        return member

    PRIOR_TEXT = "prior_text", WORDS, pgettext("stored word", "prior of the text")
    PRIOR_IMAGE = "prior_image", PICTURES, pgettext("stored word", "prior of the picture")
    DESCRIBER = "describer", PICTURES, pgettext("stored word", "describer of pictures")
    PICTURE_READER = "picture_reader", PICTURES, pgettext("stored word", "reader of words in pictures")
    GATEKEEPER = "gatekeeper", PICTURES
    PROSECUTOR = "prosecutor", PICTURES
    DEFENDER = "defender", PICTURES
    JUDGE = "judge", PICTURES
    BASELINE = "baseline", PICTURES
    PERSPECTIVE = "perspective", WORDS
    DEBATER = "debater", WORDS
    DEBATE_JUDGE = "debate_judge", WORDS
    INVESTIGATOR = "investigator", WORDS
    ESTIMATOR = "estimator", WORDS, pgettext("stored word", "estimator of probabilities")
    READER = "reader", WORDS, pgettext("stored word", "second reader of conclusions"), OPTIONAL
    """Reads conclusions and refusals that the rules do not read for sure, orders in posts, and marks of replies."""
    EXPLAINER = "explainer", PICTURES
    COUNTERSPEAKER = "counterspeaker", WORDS, pgettext("stored word", "writer of counterspeech")
    COUNTER_EXPLAINER = "counter_explainer", WORDS, pgettext("stored word", "explainer of hateful posts")
    """The writer's own model, unless another is named: a writer that was trained may only know how to reply."""
    CRITIC = "critic", WORDS, pgettext("stored word", "critic of counterspeech")
    TOXICITY = "toxicity", WORDS, pgettext("stored word", "critic of tone")
    """The critic's own model, unless another is named: a classifier such as detoxify."""
    TRANSLATOR = "translator", WORDS, pgettext("stored word", "translator of posts and replies")
    SAMPLE_WRITER = "sample_writer", PICTURES, pgettext("stored word", "writer of samples")
    PARAPHRASER = "paraphraser", WORDS, pgettext("stored word", "paraphraser")

    @property
    def setting(self) -> str:
        """The environment variable that binds the role."""
        return f"MODEL_{self.upper()}"
