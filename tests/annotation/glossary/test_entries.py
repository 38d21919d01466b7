"""The glossary's verbs: proposed, approved, changed, imported; what a post holds; what a run was given."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.domain.choices import GlossarySourceKind, GlossaryStatus, Role
from annotation.domain.glossary.entry import EntryValues, read_entry
from annotation.domain.text_rules import BadText
from annotation.glossary import entries, files
from annotation.models import Event, GlossaryEntry, GlossarySource, GlossaryUse, GlossaryVersion, Membership
from builders import make_member, make_project
from concurrency import at_once

WEED = EntryValues("weed", "an unwanted person", target_group="neighbours", languages=("en",))


@pytest.fixture
def admin(db: None) -> Membership:
    return make_member(make_project(), Role.ADMIN)


def test_a_proposal_counts_once_it_is_approved(admin: Membership) -> None:
    entry = entries.propose(admin, WEED)
    assert entries.found_in(admin.project, "Weeds everywhere") == []
    entries.rule(admin, entry, GlossaryStatus.APPROVED, 1)
    (found,) = entries.found_in(admin.project, "Weeds everywhere")
    assert (found.entry.meaning, found.written) == ("an unwanted person", "Weeds")
    entries.rule(admin, entry, GlossaryStatus.RETIRED, 2)
    assert entries.found_in(admin.project, "Weeds everywhere") == []
    verbs = Event.objects.filter(project=admin.project).order_by("id").values_list("verb", flat=True)
    assert list(verbs) == ["glossary_proposed", "glossary_approved", "glossary_retired"]


def test_another_project_knows_nothing_of_it(admin: Membership) -> None:
    entries.propose(admin, WEED, approved=True)
    assert entries.found_in(make_project(), "a weed") == []


def test_a_term_has_one_entry_however_it_is_written(admin: Membership) -> None:
    entries.propose(admin, WEED)
    with pytest.raises(entries.TermKnown) as known:
        entries.propose(admin, EntryValues("ＷＥＥＤ", "something else"))
    assert known.value.entry.meaning == "an unwanted person"
    other = entries.propose(admin, EntryValues("rose", "a flower"))
    with pytest.raises(entries.TermKnown):
        entries.change(admin, other, EntryValues("Weed", "a flower"), 1)


def test_every_change_is_kept_and_a_stale_one_is_refused(admin: Membership) -> None:
    entry = entries.propose(admin, WEED)
    entries.change(admin, entry, EntryValues("weed", "a plant that nobody wants"), 1)
    assert [each.number for each in entry.versions.all()] == [2, 1]
    assert entry.versions.get(number=1).values["meaning"] == "an unwanted person"
    with pytest.raises(entries.ChangedMeanwhile) as meanwhile:
        entries.change(admin, entry, EntryValues("weed", "mine"), 1)
    assert meanwhile.value.entry.meaning == "a plant that nobody wants"
    entries.change(admin, entry, EntryValues("weed", "a plant that nobody wants"), 2)
    assert GlossaryVersion.objects.filter(entry=entry).count() == 2  # nothing changed, nothing is written


def test_a_run_is_given_the_same_words_however_often_it_asks(admin: Membership) -> None:
    entry = entries.propose(admin, WEED, approved=True)
    run, other = uuid4(), uuid4()
    assert [each.meaning for each in entries.given_to(run, admin.project, "a weed")] == ["an unwanted person"]
    assert entries.given_to(other, admin.project, "a rose") == ()
    entries.change(admin, entry, EntryValues("weed", "now something else"), 1)
    entries.propose(admin, EntryValues("rose", "a flower"), approved=True)
    assert [each.meaning for each in entries.given_to(run, admin.project, "a weed")] == ["an unwanted person"]
    assert entries.given_to(other, admin.project, "a rose") == ()  # it began before the word was learned
    assert [each.meaning for each in entries.given_to(uuid4(), admin.project, "a weed")] == ["now something else"]
    assert GlossaryUse.objects.filter(run=run).values_list("version", flat=True).get() == 1


def test_a_run_that_goes_on_from_anothers_turns_is_given_what_that_one_was(admin: Membership) -> None:
    entry = entries.propose(admin, WEED, approved=True)
    first, forked = uuid4(), uuid4()
    entries.given_to(first, admin.project, "a weed")
    entries.change(admin, entry, EntryValues("weed", "now something else"), 1)
    (known,) = entries.given_to(forked, admin.project, "a weed", like=first)
    assert (known.number, known.meaning) == (1, "an unwanted person")


def test_a_run_is_given_the_first_words_of_a_text_and_no_flood(admin: Membership) -> None:
    names = [f"word{chr(97 + n)}{chr(97 + n)}" for n in range(20)]
    entries.add_many(admin, [(EntryValues(name, "m"), []) for name in names], approved=True)
    given = entries.given_to(uuid4(), admin.project, " ".join(names))
    assert [each.term for each in given] == names[: entries.MOST_IN_PROMPT]


def test_what_is_exported_comes_in_elsewhere_as_it_was(admin: Membership) -> None:
    entries.propose(admin, EntryValues("=weed", 'a "quoted", long\nmeaning', examples="-one\n@two"), approved=True)
    entries.propose(admin, WEED, [entries.Origin(GlossarySourceKind.REFERENCE, note="a book")])
    for write in (files.as_csv, files.as_jsonl):
        data = b"".join(write(admin.project))
        other = make_member(make_project(), Role.ADMIN)
        came = files.import_entries(other, BytesIO(data), approved=True)
        assert (came.added, came.known, came.errors) == (2, 0, ())
        rows = [set(map(entries.values_of, each.project.glossary.all())) for each in (admin, other)]
        assert rows[0] == rows[1]
        assert GlossarySource.objects.get(entry__project=other.project).note == "a book"


def test_a_file_with_one_bad_row_changes_nothing(admin: Membership) -> None:
    came = files.import_entries(admin, BytesIO(b"term,meaning\nrose,a flower\nweed,\n"))
    assert [(each.line, each.code) for each in came.errors] == [(3, "blank_text")]
    assert not GlossaryEntry.objects.exists()


def test_terms_that_are_here_already_stay_as_they_are(admin: Membership) -> None:
    entries.propose(admin, WEED)
    came = files.import_entries(admin, BytesIO(b"term,meaning\nWeed,other\nrose,a flower\n"))
    assert (came.added, came.known) == (1, 1)
    assert admin.project.glossary.get(key="weed").meaning == "an unwanted person"


def test_the_command_imports_tries_and_names_bad_rows(admin: Membership, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "words.jsonl"
    file.write_text('{"term": "weed", "meaning": "an unwanted person"}\n')
    slug = admin.project.slug
    call_command("import_glossary", slug, str(file), "--json", "--dry-run")
    assert json.loads(capsys.readouterr().out) == {"added": 1, "known": 0, "dry_run": True, "errors": []}
    assert not GlossaryEntry.objects.exists()
    call_command("import_glossary", slug, str(file), "--json", "--approve")
    assert admin.project.glossary.get().status == GlossaryStatus.APPROVED
    file.write_text('{"term": "weed"}\n')
    capsys.readouterr()
    with pytest.raises(SystemExit):
        call_command("import_glossary", slug, str(file), "--json")
    (error,) = json.loads(capsys.readouterr().out)["errors"]
    assert (error["line"], error["code"]) == (1, "missing_column")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_glossary", slug, str(tmp_path / "nowhere.csv"))


@pytest.mark.django_db(transaction=True)
def test_two_people_who_propose_a_term_at_once_make_one_entry() -> None:
    project = make_project()
    members = [make_member(project, Role.REVIEWER) for _ in range(4)]

    def propose(member: Membership) -> str:
        try:
            entries.propose(member, WEED)
        except entries.TermKnown:
            return "known"
        return "made"

    answers = at_once([lambda member=member: propose(member) for member in members])
    assert sorted(answers) == ["known", "known", "known", "made"]


def test_the_command_prints_the_terms_of_each_line(admin: Membership, tmp_path: Path, capsys: Any) -> None:
    entries.propose(admin, WEED, approved=True)
    entries.propose(admin, EntryValues("rose", "not approved"))
    file = tmp_path / "texts.jsonl"
    file.write_text('{"id": 7, "text": "A rose, w33ds and a weed"}\n\n{"id": "b", "text": ""}\n')
    call_command("glossary_find", admin.project.slug, str(file), "--json")
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {
        "id": 7,
        "terms": [
            {"term": "weed", "start": 8, "end": 13, "how": "look_alikes", "sureness": 0.9},
            {"term": "weed", "start": 20, "end": 24, "how": "as_written", "sureness": 0.8},
        ],
    }
    assert second == {"id": "b", "terms": []}
    call_command("glossary_find", admin.project.slug, str(file))
    assert capsys.readouterr().out.splitlines()[0] == "7: weed 8-13 (look_alikes), weed 20-24 (as_written)"


@pytest.mark.parametrize("line", ["{", "[" * 100_000, "[]", '{"id": 1}', '{"text": "a"}', '{"id": 1, "text": 2}'])
def test_the_command_names_a_wrong_line(admin: Membership, tmp_path: Path, line: str, capsys: Any) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text('{"id": 1, "text": ""}\n' + line + "\n")
    with pytest.raises(CommandError, match="Line 2"):
        call_command("glossary_find", admin.project.slug, str(file), "--json")
    first, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"id": 1, "terms": []} and last["error"].startswith("Line 2")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("glossary_find", admin.project.slug, str(tmp_path / "none.jsonl"))
    assert capsys.readouterr().out == ""


def test_spellings_and_switches_go_through_files_and_versions(admin: Membership) -> None:
    values = read_entry(
        "weed", "m", variants="wheat\n tare ", switched_off=["masked", "inflected"], initials=True, sounds=True
    )
    entry = entries.propose(admin, values, approved=True)
    assert (entry.variants, entry.switched_off, entry.initials) == ("wheat\ntare", ["inflected", "masked"], True)
    assert entries.values_of(entry) == values
    assert [(found.written, found.how) for found in entries.found_in(admin.project, "a tare")] == [("tare", "variant")]
    assert entries.found_in(admin.project, "weeds, w**d") == []
    for write in (files.as_csv, files.as_jsonl):
        other = make_member(make_project(), Role.ADMIN)
        files.import_entries(other, BytesIO(b"".join(write(admin.project))))
        assert entries.values_of(other.project.glossary.get()) == values


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"variants": "a"}, "bad_term"),
        ({"variants": "x" * 121}, "bad_variant"),
        ({"variants": "\n".join(f"word{n}" for n in range(21))}, "bad_variant"),
        ({"switched_off": ["as_written"]}, "bad_way"),
        ({"switched_off": ["initials"]}, "bad_way"),
    ],
)
def test_wrong_spellings_and_switches_are_refused(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(BadText) as refused:
        read_entry("weed", "m", **fields)
    assert refused.value.code == code
