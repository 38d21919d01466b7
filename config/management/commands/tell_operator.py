from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.management.base import CommandError, CommandParser

from annotation.domain.reports import addresses_in
from annotation.management.json_command import JsonCommand

_SUBJECT_LETTERS = 120


class Command(JsonCommand):
    help = "Mail a sentence to the addresses in OPERATOR_CONTACT, such as that a backup failed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("text", help="what is told; its first line is the subject")

    def answer(self, **options: Any) -> Any:
        text = str(options["text"]).strip()
        addresses = addresses_in(settings.OPERATOR_CONTACT)
        if not text:
            raise CommandError("Write what is told.")
        if not settings.EMAIL_HOST or not addresses:
            raise CommandError("Nobody was told: set EMAIL_HOST, and an e-mail address in OPERATOR_CONTACT.")
        subject = f"{settings.SITE_URL}: {text.splitlines()[0]}"[:_SUBJECT_LETTERS]
        try:
            EmailMessage(subject, text, to=addresses).send()
        except OSError as fault:  # what a mail server refuses is one too
            raise CommandError(f"Nobody was told: {settings.EMAIL_HOST} refused the mail ({fault}).") from None
        return {"told": addresses}
