"""Stored pictures on their way out: bytes of a picture and nothing else (threat T6)."""

from pathlib import Path

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase

_MEDIA_TYPES = {".jpg": "image/jpeg", ".png": "image/png"}
"""What pictures are stored as; nothing else is ever served as a picture."""


def picture_file(stored: FieldFile, keep: str) -> HttpResponseBase:
    """The picture's bytes; no script in it could run. `keep` says which caches may hold it. Raises Http404."""
    try:
        answer = FileResponse(stored.open("rb"), content_type=_MEDIA_TYPES[Path(stored.name or "").suffix.lower()])
    except (FileNotFoundError, KeyError):
        raise Http404 from None
    answer["Cache-Control"] = keep
    answer["Content-Disposition"] = "inline"
    answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
