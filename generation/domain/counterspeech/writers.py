"""Who wrote a reply (a trained model, a prompted one, the built-in baseline, a person), and how a model is asked."""

from enum import StrEnum

from vocabulary.display_names import NamedEnum, pgettext


class Writer(NamedEnum):
    """The kind of writer of a reply."""

    TRAINED = "trained_model", pgettext("stored word", "trained model")
    PROMPTED = "prompted_model", pgettext("stored word", "prompted model")
    BASELINE = "built_in_baseline", pgettext("stored word", "built-in baseline")
    SAMPLE = "hand_written", pgettext("stored word", "sample text, written by hand")
    PERSON = "person", pgettext("stored word", "a person")


class WriterMode(StrEnum):
    """How candidates are asked for."""

    LIST = "list"
    """All candidates of an intent in one answer, as JSON, with everything that is known about the post."""
    PLAIN = "plain"
    """The instruction and the post alone, once for each candidate: the form on which CoARL's model is trained."""


_NO_MODELS = {"keyword": Writer.BASELINE, "sample": Writer.SAMPLE}
"""By what stands before the colon of a model's name."""


def writer_of(model: str | None, trained: str) -> Writer:
    """Return the kind of writer: `model` is `provider:model` or None, `trained` what it was trained as, or empty."""
    if model is None:
        return Writer.PERSON
    if writer := _NO_MODELS.get(model.partition(":")[0]):
        return writer
    return Writer.TRAINED if trained else Writer.PROMPTED
