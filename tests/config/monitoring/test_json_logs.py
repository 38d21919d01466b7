"""LOG_FORMAT=json: one object a line, with the ids of request and run, and without what no log may hold."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.conf import settings

from config.monitoring.json_logs import RedactingJson
from runs import origin

SECRET = "a-key-from-a-file"


def line_of(message: str, *args: object, **more: object) -> dict[str, str]:
    """The line of a record, read as a machine reads it."""
    record = logging.getLogger("annotation.x").makeRecord(
        "annotation.x", logging.WARNING, __file__, 1, message, args, more.pop("exc_info", None), extra=more
    )
    text = RedactingJson(secrets=[SECRET]).format(record)
    assert "\n" not in text
    return json.loads(text)


def test_a_line_has_time_level_logger_and_message():
    line = line_of("%s of %s", 3, "항목")
    assert line["timestamp"].endswith("+00:00")
    del line["timestamp"]
    assert line == {"level": "WARNING", "logger": "annotation.x", "message": "3 of 항목"}


def test_a_line_names_the_request_and_the_run():
    with origin.of_run("the-run", "the-request"):
        line = line_of("waits")
    assert (line["request_id"], line["run_id"]) == ("the-request", "the-run")
    assert not {"request_id", "run_id"} & line_of("waits").keys()


def test_secrets_and_quoted_rows_are_left_out_of_message_and_traceback():
    try:
        raise ValueError(f"duplicate key {SECRET}\nDETAIL:  Key (text)=(a {'can' + 'ary'} text) already exists.")
    except ValueError:
        line = line_of("failed with %s", SECRET, exc_info=sys.exc_info())
    text = json.dumps(line)
    assert SECRET not in text and "canary" not in text
    assert line["message"] == "failed with [redacted]"
    assert "DETAIL: [left out]" in line["exception"] and line["exception"].startswith("Traceback")


def test_what_libraries_attach_to_a_record_stays_out():
    assert "canary" not in json.dumps(line_of("Not found", request="canary", sql="SELECT 'canary'"))


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_setting_chooses_the_form_and_text_loads_no_library_for_it(form, tmp_path):
    program = """
import logging, sys, django
django.setup()
logging.getLogger("x").warning("the line")
sys.exit("pythonjsonlogger" in sys.modules)
"""
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path), "LOG_FORMAT": form}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=settings.BASE_DIR, env=environ, capture_output=True, text=True
    )
    assert done.returncode == (form == "json")
    last = done.stderr.splitlines()[-1]
    assert (json.loads(last)["message"] == "the line") if form == "json" else last.endswith("WARNING x: the line")
