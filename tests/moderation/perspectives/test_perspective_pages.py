"""Pages about perspectives, their examples, their debates and what repeats come to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Event, Item, Membership, Project
from annotation.projects.clone import clone_project
from builders import make_item, make_labelled_item, make_member, make_project
from markup import compact
from moderation.debates import repeat_agreement, start
from moderation.models import Example, Perspective
from moderation.perspectives import edit
from runs.control import start as run_start
from runs.domain.states import RunState, TurnState
from runs.execution import runner, worker
from runs.models import Run, Turn

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any, tmp_path: Path) -> None:
    settings.MODEL_BINDINGS = {}
    settings.MODEL_ALLOWED = ["keyword:cues-1"]
    settings.EXAMPLES_FOLDER = tmp_path / "examples"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(project, people, [1, 2, 0], text="All immigrants are vermin.", external_id="post-1")
    close_item(made)
    made.refresh_from_db()
    return made


@pytest.fixture
def admin(project: Project) -> Client:
    return client_of(make_member(project, Role.ADMIN, Role.REVIEWER))


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def address(name: str, *more: Any) -> str:
    return reverse(f"moderation:{name}", args=["garden", *more])


def html(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.status_code
    return str(answer.content.decode())


def held(project: Project, **options: Any) -> Run:
    start.start_runs(project, Item.objects.all(), start.DebateRequest("predict", options), ring=False)
    run = Run.objects.latest("id")
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    return run


WORDS = {
    "name": "KOLD",
    "criteria": "Only roses count.",
    "hateful_label": "Offensive",
    "other_label": "Fine",
    "order": 3,
}


def test_the_first_look_gives_the_project_the_five_perspectives(project: Project, admin: Client):
    page = html(admin.get(address("perspectives")))
    assert [name in page for name in ("K-HATERS", "K-MHaS", "KOLD", "KODOLI", "UnSmile")] == [True] * 5
    html(admin.get(address("perspectives")))
    assert Perspective.objects.filter(project=project).count() == 5


def test_a_project_made_like_another_has_its_perspectives_without_their_examples(project: Project):
    admin = make_member(project, Role.ADMIN)
    edit.ensure_perspectives(project)
    kold, unsmile = (Perspective.objects.get(project=project, code=code) for code in ("kold", "unsmile"))
    words = {name: WORDS[name] for name in edit.WORDS}
    edit.change_perspective(kold, words, 9, admin, version=1)
    edit.switch_perspective(unsmile, False, admin)
    Example.objects.create(perspective=kold, text="Roses.", hateful=False, digest="d")
    made = clone_project(admin, "second", "A second one")
    copied = Perspective.objects.get(project=made, code="kold")
    assert (copied.criteria, copied.other_label, copied.order) == ("Only roses count.", "Fine", 9)
    assert (copied.version, copied.store, copied.examples.count()) == (1, 0, 0)
    assert [each.code for each in edit.stored_perspectives(made)] == ["k-haters", "k-mhas", "kodoli", "kold"]
    bare = clone_project(make_member(make_project("bare"), Role.ADMIN), "third", "A third one")
    assert len(edit.stored_perspectives(bare)) == 5


def test_an_admin_changes_the_words_and_what_they_were_stays_in_the_history(project: Project, admin: Client):
    edit.ensure_perspectives(project)
    before = Perspective.objects.get(code="kold")
    assert admin.post(address("perspective-change", "kold"), {**WORDS, "version": 1}).status_code == 302
    after = Perspective.objects.get(code="kold")
    assert (after.criteria, after.other_label, after.version) == ("Only roses count.", "Fine", 2)
    event = Event.objects.get(verb="perspective_changed")
    assert event.facts["before"] == {"criteria": before.criteria, "other_label": "Not offensive"}
    assert "Only roses count." in html(admin.get(address("perspective", "kold")))

    page = html(admin.post(address("perspective-change", "kold"), {**WORDS, "criteria": "Mine.", "version": 1}), 422)
    assert "Somebody changed this perspective in the meantime" in page and "Mine." in page  # nothing typed is lost
    page = html(
        admin.post(address("perspective-change", "kold"), {**WORDS, "other_label": "OFFENSIVE", "version": 2}), 422
    )
    assert "two names" in page
    assert Perspective.objects.get(code="kold").version == 2


def test_a_perspective_is_switched_off_and_others_are_added(project: Project, admin: Client):
    edit.ensure_perspectives(project)
    said = admin.post(address("perspective-switch", "kold"), {"active": "0"}, follow=True)
    assert "The perspective is inactive." in said.content.decode()
    assert [each.code for each in edit.active_perspectives(project)] == ["k-haters", "k-mhas", "kodoli", "unsmile"]
    assert admin.post(address("perspective-add"), {"code": "my-forum", "name": "My forum"}).status_code == 302
    assert not Perspective.objects.get(code="my-forum").active
    assert "already" in html(admin.post(address("perspective-add"), {"code": "my-forum", "name": "Again"}), 422)
    assert "small letters" in html(admin.get(address("perspectives")))
    assert admin.get(address("perspective", "nobody")).status_code == 404
    assert set(Event.objects.values_list("verb", flat=True)) >= {"perspective_added", "perspective_switched_off"}


def upload(admin: Client, text: str, do: str, **more: str) -> Any:
    file = SimpleUploadedFile("x.csv", text.encode())
    fields = {"file": file, "text_column": "text", "label_column": "label", "mapping": "", "do": do}
    return admin.post(address("perspective-import", "kold"), {**fields, **more})


def test_examples_are_checked_stored_looked_at_and_removed(project: Project, admin: Client):
    edit.ensure_perspectives(project)
    table = "text,label\nweeds in the roses,1\na fine day,0\n"
    page = html(upload(admin, table, "check"), 422)
    assert "Nothing was stored." in page and "--map 1=hateful" in page
    page = html(upload(admin, table, "check", mapping="1=hateful\n*=non-hateful"))
    assert "2 new" in page and Example.objects.count() == 0
    assert upload(admin, table, "store", mapping="1=hateful\n*=non-hateful").status_code == 302
    page = compact(html(admin.get(address("perspective", "kold"))))
    assert "weeds in the roses" in page and "x.csv" in page
    assert '<details class="fold"><summary>Look at the examples' in page  # folded until opened
    admin.post(address("perspective-examples-remove", "kold"), {"source": "x.csv"})
    assert Example.objects.count() == 0
    assert "write VALUE=hateful" in html(upload(admin, table, "check", mapping="1=bad"), 422)


def test_a_debate_shows_camps_rounds_and_the_judge_beside_the_votes_all_folded(
    project: Project, item: Item, admin: Client
):
    edit.ensure_perspectives(project)
    kold = Perspective.objects.get(code="kold")
    Example.objects.create(perspective=kold, text="They are vermin, all of them.", hateful=True, digest="0" * 32)
    edit.renew_store(kold)
    run = held(project)
    page = html(admin.get(address("run", run.public_id)))
    for seen in (
        "5 hate, 0 not hate",
        "Round 1",
        "Round 2",
        "agrees: stance changed",
        "They are vermin, all of them.",
        "K-HATERS",
    ):
        assert seen in page, seen
    assert page.count('class="round fold is-round"') == 3
    assert 'is-round" open' not in page
    assert "no language model was used" in page
    # The same part follows a run under way, and stands in the comparison of two.
    assert "5 hate, 0 not hate" in html(admin.get(address("run-progress", run.public_id)))
    other = held(project, without="kold")
    page = html(admin.get(address("compare") + f"?a={run.public_id}&b={other.public_id}"))
    assert "5 hate, 0 not hate" in page and "4 hate, 0 not hate" in page and "without KOLD" in page


def test_a_debate_names_the_perspectives_without_an_answer_and_why(project: Project, item: Item, admin: Client):
    run = held(project)
    turn = Turn.objects.get(run=run, key="perspective.kold")
    Turn.objects.filter(pk=turn.pk).delete()
    turn.pk, turn.state, turn.reason, turn.value = None, TurnState.REFUSED, "provider_blocked", None
    turn.save(force_insert=True)
    page = compact(html(admin.get(address("run", run.public_id))))
    for seen in (
        "4 of 5 have answered",
        "1 gave no answer",
        "4 hate, 0 not hate",
        "<h4>No answer</h4>",
        "Provider blocked",
    ):
        assert seen in page, seen


def test_admins_set_a_definition_of_hate_which_debates_show(project: Project, item: Item, admin: Client):
    settings = reverse("annotation:project-settings", args=["garden"])
    page = html(admin.get(settings))
    assert 'name="hate_definition"' in page and "Empty: they get none, as in the paper" in page
    form = admin.get(settings).context["form"]
    kept = {name: "" if value is None else value for name, value in form.initial.items() if value is not False}
    said = "The text belittles <gardeners>."
    assert admin.post(settings, kept | {"hate_definition": said}).status_code == 302
    assert Event.objects.get(verb="change_settings").facts == {"changed": ["hate_definition"]}
    clone = clone_project(Membership.objects.filter(project=project, administers=True)[0], "copy", "Copy")
    assert clone.hate_definition == said
    project.refresh_from_db()
    page = html(admin.get(address("run", held(project).public_id)))
    assert "The definition of hate for debaters and judge" in page
    assert "The text belittles &lt;gardeners&gt;." in page


def test_a_debate_that_has_only_begun_shows_who_still_thinks(project: Project, item: Item, admin: Client):
    start.start_runs(project, Item.objects.all(), start.DebateRequest("predict"), ring=False)
    run = Run.objects.get()
    page = html(admin.get(address("run", run.public_id)))
    assert "0 of 5 have answered" in page and "Waiting for a worker." in page
    assert "of at most 10" in page


def test_the_form_starts_a_debate_with_what_was_chosen(project: Project, item: Item, admin: Client):
    chosen = {"method": "predict", "debate_rounds": "1", "without": "kold", "history": "transcripts", "examples": "on"}
    assert admin.post(address("item-start", item.public_id), chosen).status_code == 302
    options = Run.objects.get().options
    assert {name: options[name] for name in ("rounds", "without", "history", "examples", "criteria", "describe")} == {
        "rounds": 1,
        "without": "kold",
        "history": "transcripts",
        "examples": True,
        "criteria": False,
        "describe": False,
    }
    page = html(admin.get(address("item-runs", item.public_id)))
    assert "PREDICT, a debate of perspectives" in page


def answered(project: Project, subject: UUID, repeat: int, hateful: bool | None, *stances: str) -> Run:
    """A finished run with these stances of P1, P2, …"""
    rows = [
        {"perspective": f"p{number}", "name": f"P{number}", "stance": stance, "label": "", "reason": ""}
        for number, stance in enumerate(stances, 1)
    ]
    method = "predict" if stances else "baseline"
    run = run_start.build_run(
        run_start.RunRequest(method, project.public_id, subject, {"judge": "keyword:x"}, "v", repeat)
    )
    run.state, run.outcome = RunState.SUCCEEDED, {"hateful": hateful, "reason": "", "category": None, "stances": rows}
    run.save()
    return run


def test_repeats_on_a_post_show_what_each_came_to_and_how_alike_the_stances_are(
    project: Project, item: Item, admin: Client
):
    # Two perspectives, two repeats: p1 twice hate, p2 hate then non-hate. Observed (1 + 0)/2 = 1/2; of four ratings
    # three are hate, so chance is 9/16 + 1/16 = 5/8; kappa (1/2 - 5/8)/(1 - 5/8) = -1/3.
    first = answered(project, item.public_id, 0, True, "hate", "hate")
    assert repeat_agreement.repeats_on_post(first) is None
    answered(project, item.public_id, 1, False, "hate", "non_hate")
    found = repeat_agreement.repeats_on_post(first)
    assert found is not None
    assert (found.kappa, found.verdicts, found.is_unanimous) == (pytest.approx(-1 / 3), [True, False], False)
    page = html(admin.get(address("run", first.public_id)))
    assert "1 of 2 come to hateful" in page and "-0.33" in page


def test_repeats_over_a_project_are_held_to_each_other_for_any_method(
    project: Project, admin: Client, django_assert_num_queries: Callable[..., Any]
):
    # Three posts, two repeats: (yes, yes), (no, no), (yes, no). Observed 2/3; 3 yes and 3 no: chance 1/2;
    # kappa (2/3 - 1/2)/(1/2) = 1/3. A fourth post was asked once and does not count.
    said = [(True, True), (False, False), (True, False), (True,)]
    for verdicts in said:
        post = make_item(project)
        for repeat, hateful in enumerate(verdicts):
            answered(project, post.public_id, repeat, hateful)
    (row,) = repeat_agreement.repeats_in_project(project)
    assert (row.method, row.repeats, row.posts, row.unanimous) == ("baseline", 2, 3, 2)
    assert row.kappa == pytest.approx(1 / 3)
    with django_assert_num_queries(5):
        page = html(admin.get(address("repeats")))
    assert "hateful or not" in page and "0.33" in page and "Baseline" in page


def test_repeats_of_perspectives_are_held_to_themselves(project: Project):
    # p1 says the same in both repeats of both posts (hate, non-hate): 1. p2 always says hate: not defined.
    for stance in ("hate", "non_hate"):
        post = make_item(project)
        for repeat in range(2):
            answered(project, post.public_id, repeat, True, stance, "hate")
    (row,) = repeat_agreement.repeats_in_project(project)
    assert row.perspectives == {"P1": pytest.approx(1.0), "P2": None}
    assert row.kappa is None


def test_without_repeats_the_page_says_how_to_get_some(project: Project, admin: Client):
    assert "two repeats or more" in html(admin.get(address("repeats")))
