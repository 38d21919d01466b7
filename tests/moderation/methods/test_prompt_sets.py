"""Prompt sets: which there are, where their files come from, what a run asks with each, and what it keeps of it."""

import hashlib
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from string import Template
from typing import Any

import pytest
from django.conf import settings as site
from django.core.management import CommandError, call_command
from django.utils import translation

from annotation.models import Event, Item, Project
from builders import make_item, make_project
from moderation.debates import ask_again, start
from moderation.methods.debate_method import BadChoice
from moderation.methods.prompt_choice import APP, prompt_set_line, prompt_set_titles
from providers import tokens
from providers.messages import Reply, Request
from providers.vendors.scripted import ScriptedModel
from runs.execution import runner
from runs.methods.prompt_sets import BadPromptSet, prompt_set, prompt_sets
from runs.methods.prompts import BadPrompt, load_prompt
from runs.models import Run

PROMPTS = Path(site.BASE_DIR) / "moderation" / "prompts"
SETS = ("careful", "paper", "plain")
POST = "Weeds in the white roses again."


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


def files(name: str) -> list[Path]:
    return sorted((PROMPTS / name).glob("*/*.md"))


def words_of(name: str, file: str) -> str:
    return (PROMPTS / name / file).read_text("utf-8")


def digest(name: str, file: str) -> str:
    return hashlib.sha256(words_of(name, file).encode()).hexdigest()


# ── The files ─────────────────────────────────────────────────────────────────


def test_three_sets_ship_with_title_and_version() -> None:
    known = prompt_sets(APP)
    assert list(known) == ["careful", "paper", "plain"]
    assert all(each.title and each.version for each in known.values())
    assert {path.name for path in PROMPTS.iterdir()} == {*SETS, "score", "order_reading"}  # these are alike in all


@pytest.mark.parametrize("name", SETS[1:])
def test_every_prompt_of_a_set_has_the_placeholders_of_careful(name: str) -> None:
    for path in files(name):
        file = f"{path.parent.name}/{path.name}"
        fields, known = (set(Template(words_of(each, file)).get_identifiers()) for each in (name, "careful"))
        assert fields == known, f"{name}: {file}"
        assert words_of(name, file) != words_of("careful", file)
        load_prompt(APP, path.parent.name, path.stem, name)  # two parts, and no lone $


@pytest.mark.parametrize("name", SETS[1:])
def test_every_set_words_all_of_arcade_predict_baseline_and_explanations(name: str) -> None:
    for method in ("arcade", "predict", "baseline", "explain"):
        ours = {path.name for path in files(name) if path.parent.name == method}
        assert ours == {path.name for path in files("careful") if path.parent.name == method}


def test_the_papers_stances_are_in_the_set_paper() -> None:
    for file in ("prosecutor_fast", "prosecutor_first", "prosecutor_next"):
        assert "You presume that this post is guilty" in words_of("paper", f"arcade/{file}.md")
    for file in ("defender_fast", "defender_first", "defender_next"):
        text = words_of("paper", f"arcade/{file}.md")
        assert "You presume that this post is innocent" in text
        assert all(way in text for way in ("Quoting", "Reclaiming", "Self-deprecation", "Satire"))
    assert "let nothing open pass" in words_of("paper", "arcade/gate.md")
    for file in ("judge_fast", "judge_deep"):
        assert "still credible after the defence" in words_of("paper", f"arcade/{file}.md")


@pytest.mark.parametrize("name", SETS[1:])
@pytest.mark.parametrize("file", ["hate_1", "hate_2", "nonhate_1", "nonhate_2", "judge"])
def test_debaters_and_judge_of_predict_get_no_definition_of_hate(name: str, file: str) -> None:
    text = words_of(name, f"predict/{file}.md").lower()
    for word in ("protected", "demean", "exclude", "because of what", "origin", "religion", "parties"):
        assert word not in text


def test_the_papers_elicitation_has_no_hints_that_serve_the_score() -> None:
    for file in ("explain/plain.md", "explain/shots.md"):
        instructions = words_of("paper", file).partition("Two examples")[0].lower()
        for hint in ("quot", "letter by letter", "which group", "last line", "conclusion: hateful\n"):
            assert hint not in instructions
    assert "quotation marks" in words_of("careful", "explain/plain.md")


def test_the_papers_investigator_gets_its_definitions_and_must_use_operators() -> None:
    own = {path.stem for path in files("paper") if path.parent.name == "antihateagent"}
    assert own == {f"{file}{form}" for file in ("queries", "read", "weigh", "verdict") for form in ("", "_short")}
    for file in sorted(own):
        text = words_of("paper", f"antihateagent/{file}.md")
        # Appendix A: hate speech goes against people for who they are; implicit hate speech hides.
        assert "for being who they are" in text and "It is implicit where it hides" in text
    for file in ("queries", "queries_short"):
        assert "Each must use a search operator: $operators." in words_of("paper", f"antihateagent/{file}.md")
    select = load_prompt(APP, "antihateagent", "select", "paper")
    assert select.digest == digest("careful", "antihateagent/select.md")


# ── Where a file comes from ───────────────────────────────────────────────────


@pytest.fixture
def own(settings: Any, tmp_path: Path) -> Path:
    """The site's own folder for prompts of this app."""
    settings.PROMPTS_DIR = tmp_path
    return tmp_path / APP


def write(folder: Path, file: str, text: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, "utf-8")


def own_set(own: Path, name: str = "lab", version: str = "7", title: str = "Our lab") -> None:
    write(own, f"{name}/set.toml", f'title = "{title}"\nversion = "{version}"\n')


def loaded(name: str, method: str = "arcade", role: str = "gate") -> str:
    return load_prompt(APP, method, role, name).system.template


def test_a_set_of_the_site_is_listed_and_what_it_lacks_is_taken_from_careful(own: Path) -> None:
    own_set(own)
    write(own, "lab/arcade/gate.md", "our gate\n---\n$post")
    assert list(prompt_sets(APP)) == ["careful", "lab", "paper", "plain"]
    assert prompt_set_titles()["lab"] == "Our lab"
    assert loaded("lab") == "our gate"
    assert loaded("lab", role="judge_fast") == loaded("careful", role="judge_fast")


def test_a_single_file_without_a_set_replaces_that_of_careful_only(own: Path) -> None:
    own_set(own)
    write(own, "arcade/gate.md", "another gate\n---\n$post")
    assert loaded("careful") == loaded("lab") == "another gate"  # lab has no gate of its own
    assert "let nothing open pass" in loaded("paper")
    write(own, "paper/arcade/gate.md", "the gate of paper, changed\n---\n$post")
    assert loaded("paper") == "the gate of paper, changed"
    assert prompt_set(APP, "paper").title == "As in the papers"


@pytest.mark.parametrize("about", ["title = 'no version'", "version = '1'", "title = 3\nversion = '1'", "not toml", ""])
def test_a_set_without_title_and_version_is_not_listed_and_is_refused(own: Path, about: str) -> None:
    write(own, "lab/set.toml", about)
    assert "lab" not in prompt_sets(APP)
    with pytest.raises(BadPromptSet, match=r"^The prompt set lab cannot be used: its set\.toml needs a title"):
        prompt_set(APP, "lab")


@pytest.mark.parametrize("name", ["nobody", "../../etc", "", "Paper"])
def test_a_name_that_is_no_set_is_refused(name: str) -> None:
    with pytest.raises(BadPromptSet, match=r"there are careful, paper, plain\.$"):
        prompt_set(APP, name)


def test_a_prompt_that_nobody_has_is_named() -> None:
    with pytest.raises(BadPrompt, match=r"^There is no prompt arcade/witness\.md\.$"):
        load_prompt(APP, "arcade", "witness", "paper")


# ── Runs ──────────────────────────────────────────────────────────────────────

CUE = {"id": "c1", "cue_type": "Metaphor", "target_group": "gardeners", "hate_type": 5}
_BY_ROLE = {
    "gatekeeper": {"cues": []},
    "defender": {"rebuttals": [{"id": "c1", "evidence": "weeds", "rebuttal": "a garden"}]},
    "judge": {"reason": "it is about weeds: not hateful", "category": 0},
    "debate_judge": {"reason": "“weeds” are plants", "label": "Non-hate"},
    "baseline": {"reason": "a garden", "category": 0},
}


class Speakers:
    """A model that answers every role of the debates, and keeps the requests."""

    name, sees_pictures = "scripted:speakers", True

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def reply(self, request: Request) -> Reply:
        self.asked.append(request)
        text = "The garden is meant.\nConclusion: non-hateful"
        if request.role != "explainer":
            text = json.dumps(self._answer(request))
        return Reply(text, self.name, tokens.estimated_usage(request, text))

    def _answer(self, request: Request) -> dict[str, Any]:
        if request.role == "prosecutor":
            later = "round" in request.context
            more = {"counter_argument": "no"} if later else {"claim": "weeds are people", "justification": "roses"}
            return {"cues": [CUE | more]}
        if request.role == "perspective":
            return {"reason": "by the rules", "label": request.context["other_label"]}
        if request.role == "debater":
            return {"argument": "it is a garden", "position": "rebut"}
        return _BY_ROLE[str(request.role)]


@pytest.fixture
def project(settings: Any) -> Project:
    settings.MODEL_ALLOWED = ["scripted:*"]
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project, POST, external_id="post-1")


def held(item: Item, method: str, model: Any, **options: Any) -> Run:
    wish = start.DebateRequest(method, options, again=True)
    assert start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False) == 1
    run = Run.objects.latest("id")
    runner.claim_and_perform(run.pk, lambda role, name: model)
    run.refresh_from_db()
    return run


ARCADE = {
    "gate": "gate", "prosecutor.1": "prosecutor_first", "defender.1": "defender_first",
    "prosecutor.2": "prosecutor_next", "defender.2": "defender_next", "judge": "judge_deep",
}  # fmt: skip
PREDICT = {
    **{f"perspective.{code}": "perspective" for code in ("k-haters", "k-mhas", "kold", "kodoli", "unsmile")},
    "nonhate.1": "nonhate_1", "hate.1": "hate_1", "nonhate.2": "nonhate_2", "hate.2": "hate_2", "judge": "judge",
}  # fmt: skip


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("method", "options", "prompts"),
    [
        ("arcade", {"rounds": 2}, ARCADE),
        ("predict", {}, PREDICT),
        ("baseline", {}, {"answer": "category"}),
        ("explain", {"shots": 2}, {"explain": "shots"}),
    ],
)
def test_every_question_of_a_run_is_put_in_the_words_of_its_set(
    item: Item, name: str, method: str, options: dict[str, Any], prompts: dict[str, str]
) -> None:
    model = Speakers()
    run = held(item, method, model, prompts=name, **options)
    assert (run.state, run.detail) == ("succeeded", "")
    expected = {key: digest(name, f"{method}/{role}.md") for key, role in prompts.items()}
    assert dict(run.turns.values_list("key", "prompt_digest")) == expected
    assert len(model.asked) == len(prompts)
    openings = {words_of(name, f"{method}/{role}.md").split("$")[0].split("\n")[0] for role in prompts.values()}
    for request in model.asked:
        assert any(request.messages[0].text.startswith(opening) for opening in openings)
        assert POST in request.messages[1].text
    assert (run.options["prompts"], run.options["prompts_version"]) == (name, prompt_set(APP, name).version)


@pytest.mark.django_db
def test_a_run_takes_the_projects_set_unless_it_names_another(project: Project, item: Item) -> None:
    def stored(**options: Any) -> list[str]:
        chosen = start.options_for(project, start.DebateRequest("arcade", options))
        return [chosen["prompts"], chosen["prompts_version"]]

    assert stored() == ["careful", "3"]
    project.prompt_set = "paper"
    assert stored() == ["paper", "3"]
    assert stored(prompts="plain") == ["plain", "2"]
    assert stored(prompts="plain", prompts_version="2") == ["plain", "2"]
    with pytest.raises(BadChoice, match=r"^The prompt set plain has version 2 on this site, not 1\.$"):
        stored(prompts="plain", prompts_version="1")


@pytest.mark.django_db
def test_an_unknown_set_is_refused_with_one_sentence_also_where_the_project_names_it(item: Item) -> None:
    sentence = r"^There is no prompt set nobody; there are careful, paper, plain\.$"
    with pytest.raises(BadChoice, match=sentence):
        start.options_for(item.project, start.DebateRequest("baseline", {"prompts": "nobody"}))
    with pytest.raises(CommandError, match=sentence):
        call_command("run", "baseline", "garden", "--prompts", "nobody", stdout=StringIO())
    item.project.prompt_set = "nobody"
    with pytest.raises(BadChoice, match=sentence):
        start.options_for(item.project, start.DebateRequest("explain"))
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_command_names_the_set_and_its_json_and_the_history_hold_it(item: Item, settings: Any) -> None:
    settings.MODEL_ALLOWED = ["keyword:cues-1"]
    out = StringIO()
    call_command("run", "baseline", "garden", "--prompts", "paper", "--wait", "--json", stdout=out)
    (found,) = json.loads(out.getvalue())
    assert (found["state"], found["prompts"], found["prompts_version"]) == ("succeeded", "paper", "3")
    facts = Event.objects.get(verb="runs_started").facts
    assert (facts["prompts"], facts["prompts_version"]) == ("paper", "3")


@pytest.mark.django_db(transaction=True)
def test_the_same_question_in_other_words_or_in_a_newer_version_is_another_question(item: Item, own: Path) -> None:
    own_set(own, version="1")

    def started(**options: Any) -> int:
        wish = start.DebateRequest("baseline", options)
        return start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False)

    assert [started(), started(prompts="careful"), started(prompts="lab"), started(prompts="lab")] == [1, 0, 1, 0]
    own_set(own, version="2")
    assert started(prompts="lab") == 1


# ── A set that is gone ────────────────────────────────────────────────────────


@pytest.mark.django_db(transaction=True)
def test_a_run_whose_set_is_gone_fails_with_a_sentence_and_goes_on_once_the_set_is_back(item: Item, own: Path) -> None:
    own_set(own)
    write(own, "lab/baseline/category.md", "ours: $categories $rule\n---\n$post")
    wish = start.DebateRequest("baseline", {"prompts": "lab"})
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False)
    (own / "lab" / "set.toml").unlink()
    model = Speakers()
    run = Run.objects.get()
    runner.claim_and_perform(run.pk, lambda role, name: model)
    run.refresh_from_db()
    assert (run.state, run.reason, model.asked) == ("failed", "bad_request", [])
    assert run.detail == "The prompt set lab is not on this site any more."
    own_set(own)
    assert ask_again.retry_run(run, item.project)
    runner.claim_and_perform(run.pk, lambda role, name: model)
    assert model.asked[0].messages[0].text.startswith("ours: ")


@pytest.mark.django_db(transaction=True)
def test_an_old_run_is_not_judged_again_in_words_that_are_gone(item: Item, own: Path) -> None:
    own_set(own)
    run = held(item, "arcade", Speakers(), prompts="lab", rounds=1)
    (own / "lab" / "set.toml").unlink()
    assert prompt_set_line(run.options) == "lab, version 7"
    with pytest.raises(BadChoice, match=r"^There is no prompt set lab; there are careful, paper, plain\.$"):
        ask_again.judge_run_again(run, ["scripted:other"], item.project)
    assert prompt_set_line({}) == ""


@pytest.mark.django_db(transaction=True)
def test_an_unreadable_run_does_not_go_on_in_words_that_are_gone(item: Item, own: Path) -> None:
    own_set(own)
    run = held(item, "baseline", ScriptedModel("nothing", "of", "this is a verdict"), prompts="lab")
    assert run.state == "unreadable"
    (own / "lab" / "set.toml").unlink()
    assert ask_again.retry_run(run, item.project) is None
    own_set(own)
    assert ask_again.retry_run(run, item.project) is not None


@pytest.mark.django_db(transaction=True)
def test_a_run_from_before_there_were_sets_goes_on_with_careful(item: Item) -> None:
    wish = start.DebateRequest("baseline")
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False)
    run = Run.objects.get()
    Run.objects.filter(pk=run.pk).update(options={"variant": "category", "temperature": None})
    runner.claim_and_perform(run.pk, lambda role, name: Speakers())
    assert run.turns.get().prompt_digest == digest("careful", "baseline/category.md")
