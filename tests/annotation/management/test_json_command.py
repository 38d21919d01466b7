import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotation.core.stored_files import StoreAway
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


class WithoutFiles(JsonCommand):
    def answer(self, **options):
        raise StoreAway("The bucket did not do it: ClientError 403")


def test_a_storage_that_refuses_is_one_sentence_that_names_the_settings(capsys):
    with pytest.raises(CommandError):
        call_command(WithoutFiles(), "--json")
    sentence = "The bucket did not do it: ClientError 403. See MEDIA_BUCKET, MEDIA_ENDPOINT and the two keys."
    assert json.loads(capsys.readouterr().out) == {"error": sentence}


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


class Placed(JsonCommand):
    """Writes into a folder below what its argument names."""

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("path", type=Path)
        parser.add_argument("--threads", type=int, default=4)

    def answer(self, **options):
        options["path"].mkdir(parents=True)
        return {"threads": options["threads"]}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--json"], "the following arguments are required: path"),
        (["a", "--threads", "many", "--json"], "argument --threads: invalid int value: 'many'"),
        (["a", "--json", "--thread-count", "1"], "unrecognized arguments: --thread-count 1"),
    ],
)
def test_a_call_of_the_wrong_form_is_one_value_too_and_ends_with_exit_code_2(capsys, monkeypatch, arguments, sentence):
    monkeypatch.setattr("sys.argv", ["manage.py", "placed", *arguments])
    with pytest.raises(SystemExit) as end:
        Placed().run_from_argv(["manage.py", "placed", *arguments])
    out, err = capsys.readouterr()
    assert end.value.code == 2
    assert json.loads(out) == {"error": sentence}
    assert "usage:" in err and sentence in err


def test_without_json_a_call_of_the_wrong_form_prints_nothing_on_stdout(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["manage.py", "placed"])
    with pytest.raises(SystemExit):
        Placed().run_from_argv(["manage.py", "placed"])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("threads", [0, -3, 1001])
def test_a_number_of_threads_that_would_do_nothing_is_refused(tmp_path, threads):
    with pytest.raises(CommandError, match="--threads is a number from 1 to 1,000"):
        call_command(Placed(), str(tmp_path / "new"), f"--threads={threads}")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["file", "file/below", "file/below/deeper"])
def test_a_place_that_cannot_be_is_a_sentence(tmp_path, capsys, name):
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="cannot be used: .*Name another file or folder"):
        call_command(Placed(), str(tmp_path / name), "--json")
    assert "cannot be used" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.django_db
def test_a_database_without_tables_says_what_to_do():
    class Reading(JsonCommand):
        def answer(self, **options):
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM there_is_no_such_table")

    with pytest.raises(CommandError, match="run `manage.py migrate`"), transaction.atomic():
        call_command(Reading())
