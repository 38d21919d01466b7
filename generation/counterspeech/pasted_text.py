"""A text that is no item and is to be answered, as the page and the API ask for it."""

from typing import Annotated

from annotation.domain.masking.mask import Mask
from annotation.imports.options import MASKS
from generation.counterspeech.request import MOST_PASTED
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request, Several

Masks = Annotated[
    Several[Mask],
    Asked(
        _("Mask in this text"),
        _("The text is stored, exported and used for training as it stands after this."),
        words=MASKS,
        body="What is replaced in the text before it is stored, as in imports.",
    ),
]
"""The kinds of identifying text that are replaced in what is pasted."""


class PastedText(Request):
    """A text to answer, and what is masked in it before it is stored."""

    text: Annotated[str, Asked(_("A text to answer"), longest=MOST_PASTED, rows=3)]
    masks: Masks = ()
