"""Templates can be reviewed: short lines, one layout that a formatter keeps, and each one compiles."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template

FOLDER = Path(settings.BASE_DIR) / "templates"
TEMPLATES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html"))
LONGEST_LINE = 120


def test_no_line_of_a_template_is_longer_than_120_characters():
    too_long = [
        f"{name}:{number}"
        for name in TEMPLATES
        for number, line in enumerate((FOLDER / name).read_text().splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ]
    assert not too_long, f"break these lines (make format): {too_long}"


@pytest.mark.parametrize("formatter", ["djangofmt", "djade"])
def test_the_formatters_agree_with_every_template(formatter):
    # The formatter also reads the markup: an element that is not closed in its own block makes it fail.
    command = [Path(sys.executable).with_name(formatter), "--check", *TEMPLATES]
    result = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"run make format: {result.stdout}{result.stderr}"


def test_every_template_compiles():
    wrong = []
    for name in TEMPLATES:
        try:
            assert get_template(name).template.nodelist is not None
        except (AssertionError, TemplateDoesNotExist, TemplateSyntaxError) as fault:
            wrong.append((name, fault))
    assert wrong == []
