"""The field for names and other texts of one line, the same for pages, API, commands and files."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.expressions import Combinable
from django.utils.translation import gettext_lazy as _

from annotation.domain.one_line import NotOneLine, check_line
from annotation.domain.text_rules import BadText

_SENTENCES = {
    ("line_break", True): _("There is a line break (%(number)s) after “%(before)s”: write the text on one line."),
    ("line_break", False): _("There is a line break (%(number)s) at the beginning: write the text on one line."),
    ("hidden_character", True): _(
        "There is a character that cannot be seen (%(number)s) after “%(before)s”: remove it, or type the text anew."
    ),
    ("hidden_character", False): _(
        "There is a character that cannot be seen (%(number)s) at the beginning: remove it, or type the text anew."
    ),
}


def validate_line(value: str) -> None:
    """Check that a text is one line, for a field of a model, a form or the API. Raises ValidationError."""
    try:
        check_line(value)
    except NotOneLine as bad:
        params = {"number": bad.number, "before": bad.before}
        raise ValidationError(_SENTENCES[bad.code, bool(bad.before)], code=bad.code, params=params) from bad
    except BadText as bad:
        raise ValidationError(bad.sentence, code=bad.code) from bad


class LineField(models.CharField[str | Combinable, str]):
    """A text of one line (`domain/one_line.py`).

    Forms of a model check it by its validator. Whatever else writes it is refused at the write, by NotOneLine; there
    it is composed too (NFC), so that one name is stored in one way.
    """

    default_validators = [validate_line]

    def deconstruct(self) -> Any:
        """Return the field as migrations know it: the database has an ordinary column."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        return super().get_db_prep_save(check_line(value) if isinstance(value, str) else value, connection)
