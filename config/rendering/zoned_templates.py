"""Pages in the time zone of their reader. Rules keep that of the site: a day of work or a limit is the same for all."""

import re
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.http import HttpRequest
from django.template.backends.django import DjangoTemplates, Template
from django.utils import timezone

COOKIE = "time_zone"
"""The zone's name, as the browser tells it; `static/zone.js` sets it."""
_NAME = re.compile(r"[A-Za-z][\w+-]{1,30}(/[A-Za-z][\w+-]{1,30}){0,2}", re.ASCII)


class ZonedTemplates(DjangoTemplates):
    """Django's templates; what is rendered for a request shows times in the zone that its browser named."""

    def get_template(self, template_name: str) -> "ZonedTemplate":
        return ZonedTemplate(super().get_template(template_name).template, self)


class ZonedTemplate(Template):
    """A template that is rendered in the zone of the request."""

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> str:
        with _zone_of(request):
            return super().render(context, request)


def _zone_of(request: HttpRequest | None) -> AbstractContextManager[None]:
    zone = _zone(request.COOKIES.get(COOKIE, "")) if request else None
    return timezone.override(zone) if zone else nullcontext()


@lru_cache(1000)
def _zone(name: str) -> ZoneInfo | None:
    """Return the zone of this name. Returns None if there is none."""
    try:
        return ZoneInfo(name) if _NAME.fullmatch(name) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):  # such as a folder of zones
        return None
