"""Every command of the site: how it is written on a command line."""

from enum import Enum
from io import StringIO

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

APPS = ("annotation", "config", "generation", "moderation")
COMMANDS = sorted((app, name) for name, app in get_commands().items() if app in APPS)


@pytest.mark.parametrize(("app", "name"), COMMANDS)
def test_a_refused_choice_is_answered_with_the_words_that_can_be_typed(app: str, name: str) -> None:
    actions = load_command_class(app, name).create_parser("manage.py", name)._actions
    members = [choice for action in actions for choice in action.choices or () if isinstance(choice, Enum)]
    assert not members, f"{name}: give the values of these choices, [str(member) for member in …]: {members}"


def test_a_role_that_does_not_exist_is_answered_with_those_that_do() -> None:
    with pytest.raises(CommandError, match="choose from 'annotator', 'reviewer', 'admin'"):
        call_command("add_member", "garden", "kim", "boss")


def test_an_example_file_is_not_promised_as_json() -> None:
    out = StringIO()
    with pytest.raises(CommandError, match="leave out --json"):
        call_command("import_items", "--example", "csv", "--json", stdout=out)
    assert "leave out --json" in out.getvalue()
