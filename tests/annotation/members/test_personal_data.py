"""A person's own data: every table that refers to them is in the file, and nothing that would unblind them."""

import json
from typing import Any

import pytest
from django.apps import apps

from annotation.domain.choices import EventVerb, GlossaryKind, GlossaryStatus, Modality, Role
from annotation.members.personal_data import all_parts, data_of
from annotation.members.personal_parts import NO_PART
from annotation.models import (
    Adjudication,
    GlossaryEntry,
    GlossaryVersion,
    KnownAnswer,
    Membership,
    PictureText,
    Prior,
    Project,
    Replacement,
    Report,
    Ruling,
    User,
    record,
)
from builders import category, make_item, make_label, make_member, make_open_item, make_project
from moderation.models import Appeal, ExplanationReview, Opinion, Proposal, Score, ScoreSource, Statement

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def references() -> set[tuple[str, str]]:
    """Every model with its fields that refer to a member or an account; tables between two models too."""
    return {
        (model._meta.label, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if field.concrete and not field.many_to_many and field.related_model in (User, Membership)
    }


def test_every_model_that_refers_to_a_person_is_in_the_file_or_has_a_reason() -> None:
    written = {(model._meta.label, lookup) for model, lookup, _columns in all_parts().values()}
    missing = {reference for reference in references() - written if reference[0] not in NO_PART}
    assert not missing, (
        f"{sorted(missing)} refer to a person and are not in their data. Add a part to PARTS in "
        "annotation/members/personal_parts.py (or personal_data.py of moderation/evidence, generation/…), "
        "or the model with a reason to NO_PART there"
    )
    assert set(NO_PART) <= {label for label, _field in references()}


def test_all_categories_of_a_label_and_a_decision_are_there(project: Project) -> None:
    member = make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = make_open_item(project)
    make_label(item.seat_rows.first(), member, 1, categories=[1, 4])
    make_label(make_open_item(project).seat_rows.first(), member, 0)
    make_label(make_open_item(project).seat_rows.first(), member, None, not_sure=True)
    Adjudication.objects.create(
        item=item, round=1, reviewer=member, ruling=Ruling.DECIDE, category=category(project, 1), categories=[1, 4],
        rationale="Both.", item_version=1,
    )  # fmt: skip
    names = [category(project, code).name for code in (0, 1, 4)]
    data = data_of(member.user)
    assert [row["categories"] for row in data["labels"]] == [names[1:], names[:1], []]
    assert data["adjudications"][0]["categories"] == names[1:]


def test_what_somebody_wrote_anywhere_is_in_their_file_and_in_nobody_elses(project: Project) -> None:
    member, other = (make_member(project, Role.ANNOTATOR, Role.REVIEWER) for _ in range(2))
    item, chosen = make_open_item(project), category(project, 1)
    label = make_label(item.seat_rows.first(), other, None, not_sure=True)
    decided = {"round": 1, "reviewer": member, "category": chosen}
    Report.objects.create(item=item, reporter=member, note="own-report")
    Replacement.objects.create(item=item, label=label, reviewer=member, category=chosen, note="own-replacement")
    PictureText.objects.create(item=item, text="own-reading", reader="person", member=member)
    Opinion.objects.create(item=item, **decided)
    Proposal.objects.create(
        item=item, item_version=1, place=1, ruling=Ruling.DECIDE, rationale="own-proposal", body_sha256="",
        client_key=item.public_id, **decided,
    )  # fmt: skip
    Statement.objects.create(item=item, puid="p", version=1, fields={"facts": "own-statement"}, author=member)
    Appeal.objects.create(item=item, entered_by=member, grounds="own-grounds")
    entry = GlossaryEntry.objects.create(
        project=project, term="rose", key="rose", kind=GlossaryKind.TERM, meaning="later words", author=member,
        status=GlossaryStatus.APPROVED,
    )  # fmt: skip
    GlossaryVersion.objects.create(
        project=project, entry=entry, number=1, values={"meaning": "own-meaning"}, member=member
    )
    score = Score.objects.create(
        project=project, item=item, source=ScoreSource.PASTED, explanation="own-explanation", created_by=member,
        rule="text", threshold=0.5, estimator="keyword",
    )  # fmt: skip
    ExplanationReview.objects.create(score=score, reviewer=member, quotes=True, group=False, hateful=True)
    record(EventVerb.WITHDRAW_ITEM, project=project, actor=member, item=item, reason="own-reason")
    mine, theirs = data_of(member.user), json.dumps(data_of(other.user), default=str)
    written = json.dumps(mine, default=str)
    for word in [
        "report",
        "replacement",
        "reading",
        "proposal",
        "statement",
        "grounds",
        "meaning",
        "explanation",
        "reason",
    ]:
        assert f"own-{word}" in written and f"own-{word}" not in theirs
    assert "later words" not in written  # the entry may be another person's by now
    assert mine["opinions"][0]["category"] == mine["replacements"][0]["category"] == chosen.name
    assert mine["explanation_reviews"][0]["hateful"] is True


def test_an_annotators_file_unblinds_nobody(project: Project) -> None:
    member, other = make_member(project), make_member(project)
    item = make_item(project, "A canary text.", stage="known")
    open_item = make_open_item(project)
    Prior.objects.create(
        item=open_item, modality=Modality.TEXT, category=category(project, 1), explanation="canary-prior", model="m"
    )
    KnownAnswer.objects.create(item=item, category=category(project, 1), explanation="canary-known")
    seat = open_item.seat_rows.first()
    seat.annotator, seat.prior_arm = member, "withheld"
    seat.save()
    make_label(open_item.seat_rows.last(), other, 4, note="canary-note")
    facts: dict[str, Any] = {"known": True, "before": "canary-before", "holder": "canary-holder", "seat": "canary-seat"}
    for verb in (EventVerb.SKIPPED, EventVerb.LABELLED, EventVerb.KNOWN_CHANGED):
        record(verb, project=project, actor=member, item=open_item, revision=1, **facts)
    data = data_of(member.user)
    written = json.dumps(data, default=str)
    assert "canary" not in written and "withheld" not in written and "known_answer" not in written
    assert [row["facts"] for row in data["events"]] == [{}, {"revision": 1}, {}]
