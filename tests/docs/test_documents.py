"""Documents name files, commands, variables, stages, roles and kinds that exist, and all of them."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import get_commands

from annotation.domain.choices import Role, Stage
from annotation.domain.questions.question import QuestionKind
from config.environment import env, env_file
from providers.roles import ModelRole

READ = {*env.NAMES, env_file.VARIABLE} - {"TEST_DATABASE_NAME"}
"""The variables of the environment that the settings read, before any test asks for others."""
ROOT = Path(settings.BASE_DIR)
DOCUMENTS = ("docs/architecture.md", "CONTRIBUTING.md", "README.md")
FIRST = "annotation|config|docs|generation|locale|moderation|providers|runs|static|templates|tests|bench"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    paths = re.findall(rf"`((?:{FIRST})/[\w./-]*)`", text)
    missing = [path for path in paths if "NAME" not in path and not (ROOT / path).exists()]
    assert not missing


def read(*documents: str) -> str:
    return "\n".join((ROOT / document).read_text(encoding="utf-8") for document in documents)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_name_that_a_document_places_in_a_file_is_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for name, file in re.findall(r"`([A-Za-z_][\w.]*)` (?:of|in)\s+`([\w/]+\.(?:py|js|toml))`", text):
        assert re.search(rf"\b{name.rpartition('.')[2]}\b", (ROOT / file).read_text(encoding="utf-8")), (name, file)


def test_documents_name_every_command_and_none_that_does_not_exist() -> None:
    texts = [*(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")), *DOCUMENTS, "SECURITY.md"]
    named = set(re.findall(r"manage\.py\s+([a-z_]+)", read(*texts)))
    assert named <= set(get_commands())
    ours = {app.name for app in apps.get_app_configs() if Path(app.path).parent == ROOT}
    assert {name for name, app in get_commands().items() if app in ours} <= named


@pytest.mark.parametrize(
    ("row", "members"), [("stage | where an item stands: ", Stage), ("role | in a project: ", Role)]
)
def test_a_row_of_the_vocabulary_names_the_whole_set(row: str, members: type[Stage] | type[Role]) -> None:
    (words,) = re.findall(rf"^\| {re.escape(row)}([a-z, ]+)", read("docs/architecture.md"), re.MULTILINE)
    assert [word.strip() for word in words.split(",")] == list(map(str, members))


def test_the_tables_for_operators_name_every_variable_and_none_that_is_not_read() -> None:
    cells = re.findall(r"^\| (`[A-Z].*?) \|", read("docs/operators.md"), re.MULTILINE)
    told = {name for cell in cells for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", cell)}
    of_roles = {role.setting for role in ModelRole}
    in_files = {name for name in READ if name.endswith("_FILE") and name.removesuffix("_FILE") in READ}
    others = {name for name in READ if name.startswith("OTEL_")}
    assert told - READ - of_roles == set()
    assert READ - of_roles - in_files - others - told == set()
    keys = {name for cell in cells for name in re.findall(r"`([A-Z][A-Z0-9_]+)` 🔑", cell)}
    assert {name.removesuffix("_FILE") for name in in_files} == keys


@pytest.mark.parametrize(
    ("document", "head"), [("docs/design-file.md", "`kind` | answer"), ("docs/releases.md", "kind | consensus")]
)
def test_a_table_has_a_row_for_each_kind_of_question(document: str, head: str) -> None:
    (rows,) = re.findall(rf"^\| {re.escape(head)} .*?\n\|[- |]+\n(.*?)\n\n", read(document), re.MULTILINE | re.DOTALL)
    named = re.findall(r"^\| (?:[a-z ]+, )?`([a-z_]+)` \|", rows, re.MULTILINE)
    assert named == list(map(str, QuestionKind)), f"{document}: a row a kind, in the order of `QuestionKind`"
