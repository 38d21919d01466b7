import json

import pytest
from django.core.management import CommandError, call_command

from annotation.management.json_command import JsonCommand


class Counted(JsonCommand):
    def answer(self, **options):
        self.say("counting")
        return {"items": 3, "why": None, "levels": {"perfect": 1}}


class Refused(JsonCommand):
    def answer(self, **options):
        raise CommandError("There is no project winter.")


class Flawed(JsonCommand):
    def answer(self, **options):
        return {"ok": False, "problems": ["item a has four labels"]}


def test_with_json_stdout_is_one_value_and_progress_goes_to_stderr(capsys):
    call_command(Counted(), "--json")
    out, err = capsys.readouterr()
    assert json.loads(out) == {"items": 3, "why": None, "levels": {"perfect": 1}}
    assert err == "counting\n"


def test_people_get_a_line_for_every_figure(capsys):
    call_command(Counted())
    assert capsys.readouterr().out == 'items: 3\nwhy: -\nlevels: {"perfect": 1}\n'


def test_a_refusal_is_one_value_too_and_ends_with_an_error(capsys):
    with pytest.raises(CommandError):
        call_command(Refused(), "--json")
    assert json.loads(capsys.readouterr().out) == {"error": "There is no project winter."}


def test_an_answer_that_names_problems_ends_with_exit_code_1(capsys):
    with pytest.raises(SystemExit) as end:
        call_command(Flawed(), "--json")
    assert end.value.code == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False
