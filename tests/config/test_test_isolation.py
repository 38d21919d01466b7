import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection
from django.test import TransactionTestCase

import builders
from annotation.core.append_only import missing_triggers
from annotation.models import Event

TESTS = Path(__file__).parents[1]


def test_a_test_cannot_reach_the_network():
    with pytest.raises(RuntimeError, match="192.0.2.1"), socket.socket() as line:
        line.connect(("192.0.2.1", 80))
    with pytest.raises(RuntimeError, match="example.org"):
        socket.getaddrinfo("example.org", 443)


def test_a_test_reaches_its_own_machine():
    with socket.socket() as server, socket.socket() as line:
        server.bind(("127.0.0.1", 0))
        server.listen()
        line.connect(server.getsockname())


def test_pictures_of_a_test_go_to_its_own_folder(settings):
    default_storage.save("a.txt", ContentFile(b"a"))
    assert [path.name for path in settings.MEDIA_ROOT.iterdir()] == ["a.txt"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", [1, 2])
def test_append_only_tables_are_emptied_after_a_test_and_guarded_inside_it(time):
    assert Event.objects.count() == 0
    Event.objects.create(project=builders.make_project(), verb="tested")
    assert missing_triggers(connection) == []
    with pytest.raises(IntegrityError):
        Event.objects.update(verb="changed")


def test_django_still_has_the_method_that_the_flush_leans_on():
    assert callable(TransactionTestCase._fixture_teardown)


def test_the_list_of_faults_names_a_file_that_cannot_be_read_too(request: pytest.FixtureRequest) -> None:
    plugins = request.config.pluginmanager.get_plugins()
    (conftest,) = [each for each in plugins if getattr(each, "__file__", "") == str(TESTS / "conftest.py")]
    unread = pytest.CollectReport("tests/config/test_x.py", "failed", "SyntaxError", [])
    lines: list[str] = []
    reporter = SimpleNamespace(section=lines.append, line=lines.append, stats={"error": [unread]})
    config = SimpleNamespace(option=SimpleNamespace(markexpr="faults"))
    conftest.pytest_terminal_summary(reporter, config)
    assert lines == ["faults", "error      0.0 s  tests/config/test x.py"]
