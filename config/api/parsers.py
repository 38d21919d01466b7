"""The API's JSON bodies, read as strictly as imported files."""

from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue


class StrictJSON(JSONParser):
    """JSON without NaN, duplicate keys, endless numbers or depth, NUL or lone surrogates; refused by a code."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return strict_json.parse(stream.read().decode("utf-8"))
        except UnicodeDecodeError:
            raise ParseError(_("The body is not UTF-8."), code="encoding") from None
        except BadValue as fault:
            raise ParseError(fault.reason, code=fault.code) from None
