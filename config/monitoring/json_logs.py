"""Log lines as JSON objects (LOG_FORMAT=json), each with the request and the run that it belongs to."""

from collections.abc import Sequence
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from config.monitoring.logging_filters import all_secrets, redact
from runs import origin

_FIELDS = ("timestamp", "level", "logger", "message", "exception", "stack")
"""What a line may hold. Libraries attach objects to their records, such as whole requests: those stay out."""


class RedactingJson(JsonFormatter):
    """Formats a record as one line of JSON without what may not be in a log.

    `secrets` are values that the environment does not hold itself, such as keys in files.
    """

    def __init__(self, *, secrets: Sequence[str] = ()) -> None:
        names = {"levelname": "level", "name": "logger", "exc_info": "exception", "stack_info": "stack"}
        super().__init__(["levelname", "name", "message"], rename_fields=names, timestamp=True, json_ensure_ascii=False)
        self._secrets = all_secrets(secrets)

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Return what the line holds: the named fields that have a value, and the ids of request and run."""
        line = {field: log_data[field] for field in _FIELDS if log_data.get(field)}
        line |= {field: redact(value, self._secrets) for field, value in line.items() if isinstance(value, str)}
        ids = {"request_id": origin.request_id.get(), "run_id": origin.run_id.get()}
        return line | {name: value for name, value in ids.items() if value}
