"""Every promise to the people who label has a test, and was read in Korean and in Chinese.

The table is `promises.txt`. `promises_read.json` holds the translations as somebody read them against the English.
"""

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from annotation.consensus.close import close_item
from annotation.domain.choices import OnWithdrawal, Role
from annotation.labelling import withdraw_labels
from annotation.members import participation
from annotation.models import Membership, Project, Release, User
from annotation.releases.build import release
from builders import make_labelled_item, make_member, make_project
from catalogues import LOCALES, ROOT, catalogue
from promises import NOT_ONE, READ, TABLE, in_documents, is_promise, on_pages, sentences, table


def test_every_sentence_that_promises_is_in_the_table_and_the_table_has_no_other():
    said = {sentence: place for place, sentence in (*on_pages(), *in_documents())}
    new = {sentence: place for sentence, place in said.items() if sentence not in table()}
    assert not new, (
        f"{new}: these sentences promise something. Write each into {TABLE.relative_to(ROOT)} under the test that "
        "tries it, or under a reason why it promises nothing."
    )
    gone = sorted(set(table()) - set(said))
    assert not gone, f"{gone}: the site does not say this any more, or in other words: read the tests, change the table"


def test_pages_messages_mails_and_documents_are_read():
    places = {place for place, _sentence in (*on_pages(), *in_documents())}
    read = {
        "consent.html",
        "invitation.txt",
        "consent_texts.py",
        "annotators.md",
        "campaign.json",
        "create.py",
    }
    assert places >= read


def test_no_sentence_stands_twice_in_the_table():
    assert [sentence for sentence, headings in table().items() if len(headings) > 1] == []


def test_every_test_that_the_table_names_is_there_and_runs():
    for heading in {heading for headings in table().values() for heading in headings}:
        if not heading.startswith(NOT_ONE):
            for test in heading.split(", "):
                file, _, name = test.partition("::")
                assert name in collected(ROOT / "tests" / file), f"{test}: there is no such test, or it is skipped"


@cache
def collected(file: Path) -> set[str]:
    """The tests of a file that pytest collects: functions, also of classes, that nothing skips."""
    tree = ast.parse(file.read_text("utf-8")) if file.exists() else ast.Module([], [])
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any("skip" in ast.unparse(decorator) for decorator in node.decorator_list)
    }


def test_what_promises_nothing_has_a_reason():
    for headings in table().values():
        assert not headings[0].startswith(NOT_ONE) or len(headings[0]) > len(NOT_ONE) + 10, headings


@pytest.mark.parametrize(
    ("sentence", "promises"),
    [
        ("Nobody else can see it.", True),
        ("You may skip any post without a reason.", True),
        ("There is no ranking.", True),
        ("Choose a category.", False),
    ],
)
def test_a_promise_is_known_by_its_words(sentence: str, promises: bool):
    assert is_promise(sentence) is promises


def test_a_document_is_read_sentence_by_sentence():
    assert sentences("One is\nthis. Two **is** that.\n\n- A point;\n- another.\n\n| U | a key |") == [
        "One is this.", "Two **is** that.", "A point;", "another.", "U | a key |",
    ]  # fmt: skip


# ── In Korean and Chinese ─────────────────────────────────────────────────────


def test_every_promise_was_read_against_its_english_in_both_languages():
    """A changed sentence, or a changed translation, has to be read again: then write it down as it was read."""
    said = {locale: {entry.text: entry.said.get(0, "") for entry in catalogue(locale)} for locale in LOCALES}
    promised = {
        sentence for _place, sentence in on_pages() if not table().get(sentence, [NOT_ONE])[0].startswith(NOT_ONE)
    }
    now = {sentence: [said[locale].get(sentence, "") for locale in LOCALES] for sentence in promised}
    read = json.loads(READ.read_text("utf-8"))
    unread = {sentence: words for sentence, words in now.items() if read.get(sentence) != words}
    assert not unread, (
        f"{json.dumps(unread, ensure_ascii=False, indent=1)}\nRead these against their English. If they say the same, "
        f"write them into {READ.relative_to(ROOT)}, sorted; take out what is no promise any more."
    )
    assert sorted(set(read) - promised) == [], f"{READ.name} holds what is no promise any more"
    assert list(read) == sorted(read)


# ── Promises that no other test tries ─────────────────────────────────────────


@pytest.fixture
def people(db: None) -> dict[Role, Any]:
    project = make_project("garden")
    return {role: make_member(project, role) for role in (Role.ANNOTATOR, Role.ADMIN)}


def client_of(member: Any) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def test_to_open_the_page_of_help_leaves_no_trace(people: dict[Role, Any]):
    client = client_of(people[Role.ANNOTATOR])
    before = rows_of_everything()
    assert "Nobody can see that you opened this page." in client.get("/p/garden/help/").content.decode()
    assert rows_of_everything() == before


def rows_of_everything() -> dict[str, list[Any]]:
    return {model._meta.label: sorted(map(str, model._default_manager.values_list())) for model in apps.get_models()}


def test_what_is_published_stays_as_it_is_when_somebody_leaves(people: dict[Role, Any], settings: Any, tmp_path: Path):
    settings.MEDIA_ROOT = tmp_path
    admin, leaver = people[Role.ADMIN], people[Role.ANNOTATOR]
    project = leaver.project
    Project.objects.update(on_withdrawal=OnWithdrawal.REMOVE)
    close_item(make_labelled_item(project, [leaver, make_member(project), make_member(project)], [1, 1, 1]))
    participation.consent(leaver)
    published = release(project, admin)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    participation.withdraw(leaver)
    assert withdraw_labels.withdraw_labels_of(Membership.objects.get(pk=leaver.pk)) == 1
    assert Release.objects.get() == published and len(files) > 3
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_no_page_of_an_admin_tells_how_somebody_looks_at_posts(people: dict[Role, Any]):
    """The pages about a person are the same whatever they chose under *Display settings*."""
    admin, person = client_of(people[Role.ADMIN]), people[Role.ANNOTATOR]
    places = ("people/", f"people/{person.public_id}/", "care/settings/", f"quality/people/{person.public_id}/")
    seen = []
    for chosen in ({"blur": True, "fold_text": False}, {"blur": False, "fold_text": True, "viewing_chosen": True}):
        User.objects.filter(pk=person.user_id).update(**chosen, theme="dark" if chosen["blur"] else "light")
        pages = [admin.get(f"/p/garden/{place}") for place in places]
        assert {page.status_code for page in pages} == {200}
        seen.append([_without_tokens(page.content.decode()) for page in pages])
    assert seen[0] == seen[1]


def _without_tokens(page: str) -> list[str]:
    return [line for line in page.splitlines() if "csrf" not in line.lower() and "invite-key" not in line]
