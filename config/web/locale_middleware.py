"""The language of a page: the person's choice, else the browser's."""

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation


class PersonalLanguage(LocaleMiddleware):
    """Django's choice by cookie and browser; the language stored in the account comes first."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        chosen = getattr(request.user, "language", "")
        if chosen in dict(settings.LANGUAGES):
            translation.activate(chosen)
            request.LANGUAGE_CODE = translation.get_language()
