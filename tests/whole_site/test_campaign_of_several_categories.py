"""A campaign with K-MHaS' own posts and design: three people label sets; gold and agreement are computed twice."""

import json
import random
from collections import Counter
from itertools import islice
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import read_agreement
from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.batches.open_items import open_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Stage
from annotation.labelling import submit
from annotation.models import Item, Label, Project
from annotation.operations.audit import audit
from builders import make_member
from other_alphas import alpha_by_pairs, masi, nominal

pytestmark = [pytest.mark.django_db, pytest.mark.shared_data, pytest.mark.once]

ROWS = 150
HARMLESS = 8


@pytest.fixture
def campaign(shared_data: Path, tmp_path: Path) -> Project:
    """The posts of K-MHaS with more than one label, and as many others, imported with their labels as the intent."""
    lines = (shared_data / "kmhas_valid.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    several = islice((line for line in lines[1:] if "," in line.rpartition("\t")[2]), ROWS // 2)
    alone = islice((line for line in lines[1:] if "," not in line.rpartition("\t")[2]), ROWS // 2)
    sample = tmp_path / "kmhas.txt"
    sample.write_text(lines[0] + "".join([*several, *alone]), encoding="utf-8")
    call_command("create_project", "petals", template="k-mhas")
    call_command("import_items", "petals", sample, text_column="document", label_column=["label"])
    project = Project.objects.get(slug="petals")
    Project.objects.update(priors_wanted=False, is_open=True)
    open_items(project, None, "")
    return project


def seen(meant: tuple[int, ...], chance: random.Random) -> tuple[int, ...]:
    """What somebody makes of a post: mostly what is meant, sometimes a part of it, more, or the other side."""
    drawn = chance.random()
    if drawn < 0.6:
        return meant
    if drawn < 0.75 and meant != (HARMLESS,):
        return (chance.choice(meant),)
    if drawn < 0.9:
        return tuple(sorted({*(code for code in meant if code != HARMLESS), chance.randrange(8)}))
    return (HARMLESS,)


def test_gold_and_agreement_of_a_campaign_are_what_a_second_computation_gives(campaign):
    items = Item.objects.filter(project=campaign)
    assert items.filter(stage=Stage.LABELLING).count() == ROWS
    intents = {item.pk: item.intended_categories or [item.intended.code] for item in items.select_related("intended")}
    assert sum(len(codes) > 1 for codes in intents.values()) == ROWS // 2
    chance = random.Random(20)
    said: dict[int, list[frozenset[int]]] = {pk: [] for pk in intents}
    for person in [make_member(campaign) for _ in range(3)]:
        while isinstance(held := claim(person), HeldSeat):
            codes = seen(tuple(intents[held.seat.item_id]), chance)
            answer = Answer(codes[0], categories=codes if len(codes) > 1 else ())
            submit.submit_label(person, held.seat.public_id, uuid4(), answer)
            said[held.seat.item_id].append(frozenset(codes))
    assert Label.objects.count() == 3 * ROWS
    stages = Counter()
    for item in items.select_related("category"):
        votes = said[item.pk]
        final = sorted(code for code in range(9) if sum(code in vote for vote in votes) >= 2)
        assert list(item.codes) == final, votes
        assert item.hateful == (sum(vote != {HARMLESS} for vote in votes) >= 2)
        aligned = None if not final else final == sorted(intents[item.pk])
        assert item.aligned == aligned
        reasons = {row.reason for row in item.disputes.all()}
        assert reasons == {
            *(["misaligned"] if aligned is False else []),
            *(["kind_undecided"] if not final and all(vote != {HARMLESS} for vote in votes) else []),
            *(["no_majority"] if not final and any(vote == {HARMLESS} for vote in votes) else []),
        }
        assert item.stage == (Stage.DISPUTED if reasons else Stage.GOLD)
        stages[item.stage] += 1
    assert min(stages.values()) > 10
    assert audit(campaign) == []

    raw = as_json(read_agreement(campaign))["raw"]
    assert raw["measure"] == "masi"
    assert raw["krippendorff_alpha"] == pytest.approx(float(alpha_by_pairs(said.values(), masi)), abs=1e-12)
    sides = [[vote != {HARMLESS} for vote in votes] for votes in said.values()]
    assert raw["krippendorff_alpha_binary"] == pytest.approx(float(alpha_by_pairs(sides, nominal)), abs=1e-12)
    assert json.dumps(raw)
