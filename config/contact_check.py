"""What `manage.py check --deploy` says while nobody is named for reports of illegal content."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning


def check_contact(**_kwargs: Any) -> list[CheckMessage]:
    """Warn where people who report something illegal are named nobody to turn to."""
    if settings.OPERATOR_CONTACT.strip():
        return []
    sentence = "OPERATOR_CONTACT is not set: in a project without a contact, reports of illegal content name nobody."
    return [Warning(sentence, hint="Set it to an e-mail address, or to words that hold one.", id="interplay.W002")]
