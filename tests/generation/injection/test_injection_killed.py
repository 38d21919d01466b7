"""A batch of samples over twenty pictures by a real process that is killed, and all that follows until the report.

What was answered is never asked again (threats F1, F2, L24); a call under way at the kill may be made once more, and
its turn says so.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import call_command

import worker_processes
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat, Stored
from annotation.batches.open_items import open_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Stage
from annotation.labelling import submit
from annotation.models import Item, Label, Membership, Prior, Project
from annotation.operations.audit import audit
from builders import make_member
from generation.injection import material, report, review
from generation.methods.injection.questions import NAME
from generation.models import InjectionBatch, Sample
from injection_models import (
    GROUP,
    entry,
    is_a_look,
    is_a_sample,
    make_injecting_project,
    make_pool,
    strategy_of,
    writers_on_the_wire,
)
from providers.prompt_fencing import nonce_for
from runs.domain.states import Flag
from runs.models import Run, Turn
from wire.server import Heard, WireServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults, pytest.mark.slow]

AT_ONCE = 3
PLAN = [
    entry("010", "contextual_inversion", 5),
    entry("100", "victim_perspective", 5),
    entry("110", "opposition", 5),
    entry("001", "paraphrase", 5),
]


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with writers_on_the_wire(settings, delay=0.15) as (server, _writers):
        yield server


@pytest.fixture
def processes(wire: WireServer, tmp_path: Path) -> Iterator[worker_processes.Processes]:
    environment = worker_processes.environment(
        tmp_path,
        "filesystem://",
        OPENAI_BASE_URL=wire.openai_url,
        OPENAI_API_KEY="sk-test",
        MODEL_DESCRIBER="openai:looker",
        MODEL_SAMPLE_WRITER="openai:writer",
        MODEL_PARAPHRASER="openai:paraphraser",
        MODEL_CALLS_AT_ONCE=str(AT_ONCE),
        MEDIA_ROOT=str(settings.MEDIA_ROOT),
    )
    started = worker_processes.Processes(environment)
    yield started
    started.end()


@pytest.fixture
def admin() -> Membership:
    admin = make_injecting_project(priors_wanted=True, new_batches="open", severe_in_row=0)[1]
    make_pool(admin, codes=[1] * 10 + [0] * 10)
    texts = "\n".join(f"The {plant} is in the beds again." for plant in ("ivy", "knotweed", "moss"))
    material.add_triggers(admin, GROUP, texts)
    return admin


def asked(wire: WireServer, is_asked: Callable[[Heard], bool] = is_a_sample) -> Counter[str]:
    """How often each sample's question was heard, by the nonce that fences what others wrote in it."""
    return Counter(nonce_of(heard) for heard in wire.heard if is_asked(heard))


def nonce_of(heard: Heard) -> str:
    return heard.said("system").split()[-1]


def nonces(turns: Any, key: str = "write") -> dict[str, Turn]:
    rows = turns.filter(key=key).select_related("run")
    return {nonce_for(settings.SECRET_KEY, NAME, str(turn.run.public_id)): turn for turn in rows}


def label_everything(project: Project, people: list[Membership], says: Callable[[Item, int], int]) -> None:
    """Each person takes what they are handed until nothing is left."""
    for number, person in enumerate(people):
        while isinstance(held := claim.claim(person), HeldSeat):
            answer = Answer(category=says(held.seat.item, number))
            stored = submit.submit_label(person, held.seat.public_id, uuid4(), answer)
            assert isinstance(stored, Stored), stored


def test_a_batch_over_twenty_pictures_killed_resumed_reviewed_imported_labelled_and_reported(
    wire: WireServer, processes: worker_processes.Processes, admin: Membership, tmp_path: Path, capsys: Any
) -> None:
    project = admin.project
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN))
    wish = ("inject", "garden", "--plan", str(plan), "--seed", "11", "--json")
    command = ("manage.py", *wish, "--threads", str(AT_ONCE))

    # Written by a process that is killed on the way, and by one that goes on.
    first = processes.start(*command)
    worker_processes.wait_until(lambda: Turn.objects.filter(key="write").count() >= 7, "seven answers")
    worker_processes.kill(first)
    saved = {nonce: asked(wire)[nonce] for nonce in nonces(Turn.objects)}
    seen = {nonce: asked(wire, is_a_look)[nonce] for nonce in nonces(Turn.objects, "look")}
    assert 7 <= len(saved) <= len(seen) < 20
    second = processes.start(*command)
    assert second.wait(120) == 0
    assert InjectionBatch.objects.count() == 1 and Run.objects.filter(method=NAME).count() == 20
    heard, turns = asked(wire), nonces(Turn.objects)
    assert {nonce: heard[nonce] for nonce in saved} == saved  # nothing that was answered was asked again
    looked = asked(wire, is_a_look)
    assert {nonce: looked[nonce] for nonce in seen} == seen and len(looked) == 20
    twice = {nonce for nonce, turn in turns.items() if Flag.POSSIBLY_BILLED_TWICE in turn.flags}
    assert (
        len(turns) == 20 and {nonce for nonce, times in heard.items() if times > 1} <= twice and len(twice) <= AT_ONCE
    )
    done = len(wire.heard)
    call_command(*wish)
    told = json.loads(capsys.readouterr().out)
    assert (told["made"], told["waiting"], told["duplicate"], told["refused"]) == (20, 20, 0, 0)
    assert len(wire.heard) == done  # a third time there is nothing to ask

    # Each picture once; each sample with how it was made.
    samples = list(Sample.objects.select_related("pool_picture__category", "intended", "trigger"))
    assert len({sample.pool_picture_id for sample in samples}) == 20
    assert Counter(sample.pattern for sample in samples) == {"010": 5, "100": 5, "110": 5, "001": 5}
    for sample in samples:
        category = sample.pool_picture.category
        assert category is not None and category.hateful == (sample.pattern[1] == "1")
        assert ("<insult>" in sample.text) == (sample.pattern[0] == "1")
        assert (sample.trigger is not None) == (sample.pattern == "001") and len(sample.prompt_digest) == 64
    told_how = Counter(strategy_of(each) for each in wire.heard if is_a_sample(each))
    assert set(told_how) == {"by another context", "from the side of those it hit", "by opposition", "by wording anew"}

    # A person looks at each; two are kept out.
    out = [next(sample for sample in samples if sample.pattern == pattern) for pattern in ("010", "001")]
    for sample in samples:
        if sample in out:
            review.reject(sample, admin, "It does not read like a post.")
        else:
            assert review.accept(sample, admin).stage == Stage.IMPORTED
    assert Item.objects.count() == 18 and Prior.objects.filter(modality="image").count() == 18

    # Priors of the texts, then three people label.
    call_command("compute_priors", "garden", "--json")
    assert Prior.objects.filter(modality="text", state="ok").count() == 18
    open_items(project, admin)
    people = [make_member(project) for _ in range(3)]
    pattern_of = dict(Sample.objects.filter(item__isnull=False).values_list("item__pk", "pattern"))
    missed = {next(pk for pk, pattern in pattern_of.items() if pattern == wanted) for wanted in ("010", "001")}

    def says(item: Item, number: int) -> int:
        meant = int(pattern_of[item.pk][2])
        if item.pk in missed:
            return 1 - meant  # all three read it otherwise
        return meant if number < 2 or pattern_of[item.pk] != "110" else 1 - meant  # two of three

    label_everything(project, people, says)
    assert Label.objects.count() == 54 and not Item.objects.filter(stage=Stage.LABELLING).exists()

    # The report: 4, 5, 5 and 4 labelled; one of the first and one of the last came out otherwise.
    rates = {row.strategy.value: row.aligned for row in report.yields_of(project)}
    assert {name: rate and (rate.part, rate.n) for name, rate in rates.items()} == {
        "contextual_inversion": (3, 4), "victim_perspective": (5, 5), "opposition": (5, 5), "paraphrase": (3, 4),
    }  # fmt: skip
    whole = report.report_of(project)["all"]
    assert (whole["made"], whole["accepted"], whole["rejected"]) == (20, 18, 2)
    assert (whole["aligned"]["part"], whole["aligned"]["of"]) == (16, 18)
    # Wilson, 16 of 18: centre (16/18 + z²/36) / (1 + z²/18) = 0.8205, half 0.1484.
    assert (whole["aligned"]["low"], whole["aligned"]["high"]) == pytest.approx((0.672, 0.969), abs=2e-3)
    assert Item.objects.get(pk=next(iter(missed))).disputes.filter(reason="misaligned").exists()
    assert [said for said in audit(project) if "its file" not in said] == []  # drawn pictures have no true digest
