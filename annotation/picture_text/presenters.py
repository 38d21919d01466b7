"""Sentences about the reading of pictures."""

from django.utils.translation import gettext as _

from annotation.domain.choices import PriorState
from annotation.models import PictureText
from annotation.picture_text.job import UNSURE


def fault_of(reading: PictureText | None) -> str:
    """Return why a picture could not be read, in one sentence; empty if it was read or not tried."""
    if reading is None or reading.state == PriorState.OK:
        return ""
    if reading.state == PriorState.REFUSED:
        return _("The model declined to read the picture.")
    sentences = {
        "too_much": _("The picture could not be read within the memory and time allowed."),
        "corrupt_image": _("The file of the picture is damaged and cannot be read."),
        UNSURE: _("Something is written there that the reader on this machine cannot read; a model may read it."),
        "missing_file": _("The file of the picture is missing."),
    }
    return sentences.get(reading.reason, _("The model gave no usable answer."))
