"""A project that has a real row of every kind that an address names, and a function for each kind of object.

Each `the_…` returns the parts of an address for a world: the slug, and what names the object. The row is made at the
first call and found again at the next one. `site_addresses.ROUTES` names one of these functions for each route, and
`tests/whole_site/test_who_may_open_what.py` fails where a part names no row. A new kind of object needs a function
here; a part that only chooses among fixed words (`csv`, `md`) is a `Word`.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from django.test import Client, override_settings
from django.utils import timezone
from knox.models import AuthToken

from annotation.consensus.close import close_item
from annotation.consensus.exclude import report_item
from annotation.domain.choices import Role, Stage
from annotation.domain.outgoing import MailKind
from annotation.mail.send import stop_token
from annotation.members.accounts.open_sessions import open_sessions
from annotation.members.invitations import invite
from annotation.models import (
    Batch,
    BulkOrder,
    GlossaryEntry,
    Guideline,
    Import,
    Item,
    KnownAnswer,
    Membership,
    Picture,
    Prior,
    Project,
    Release,
    ReleaseOrder,
    SavedSearch,
    Seat,
    Skip,
    SplitList,
    TrainingAttempt,
    Webhook,
)
from annotation.releases.build import release as make_release
from annotation.releases.publication import decide as decide_access
from annotation.releases.publication import publish
from annotation.releases.publication import request_access as ask_for_access
from annotation.webhooks.change import store as store_webhook
from builders import (
    category,
    make_item,
    make_label,
    make_labelled_item,
    make_member,
    make_open_item,
    make_picture,
    make_project,
)
from generation.counterspeech import request
from generation.counterspeech.claims import claims_of_post, keep_claims
from generation.injection import settings as injection_settings
from generation.models import Claim, Exchange, PicturePool, PlanRow, PoolPicture, Posting, Reply, Sample
from injection_models import entry as plan_entry
from injection_models import make_sample
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.hatexscore import start
from moderation.models import Document, Evaluation, Evidence, GroupList, Perspective, Score, Statement
from moderation.perspectives import edit
from release_builders import accept
from runs.control import start as run_start
from runs.models import Run

A, R, D = Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN
Parts = Callable[["World"], Mapping[str, Any]]


class Word(str):
    """A part of an address that chooses among fixed words and names no row."""


@dataclass
class World:
    """A project with one of everything that has a URL; `seat` and `label` belong to its annotator.

    `number` is the number of its guidelines, its release and its statement: two worlds with other numbers have no
    part of an address in common.
    """

    project: Project
    number: int
    members: dict[Role, Membership]
    other: Membership
    item: Any
    open_item: Any
    seat: Seat
    label: Any
    picture: Picture
    upload: Import
    release: Release
    order: ReleaseOrder
    run: Run
    training: Any


def project(world: World) -> dict[str, Any]:
    return {"slug": world.project.slug}


def with_(**more: Callable[[World], Any]) -> Parts:
    return lambda world: {**project(world), **{name: fill(world) for name, fill in more.items()}}


the_item = with_(public_id=lambda world: world.item.public_id)
the_training = with_(public_id=lambda world: world.training.public_id)
the_seat = with_(seat=lambda world: world.seat.public_id)
the_label = with_(label=lambda world: world.label.public_id)
the_upload = with_(public_id=lambda world: world.upload.public_id)
the_batch = with_(
    public_id=lambda world: Batch.objects.get_or_create(project=world.project, name="a batch")[0].public_id
)
the_member = with_(public_id=lambda world: world.other.public_id)
the_entry = with_(
    public_id=lambda world: (
        GlossaryEntry.objects.get_or_create(project=world.project, term="weed", meaning="a plant")[0].public_id
    )
)
the_guideline = with_(number=lambda world: world.number)
the_annotator = with_(public_id=lambda world: world.members[A].public_id)
the_release = with_(number=lambda world: world.release.number)
the_comparison = with_(number=lambda world: world.release.number, older=lambda world: world.release.number)

the_order = with_(public_id=lambda world: world.order.public_id)
the_file = with_(
    number=lambda world: world.release.number, path=lambda world: Word(world.release.manifest["files"][0]["path"])
)


def the_skipped(world: "World") -> dict[str, Any]:
    """Return a post that the annotator skipped."""
    Skip.objects.get_or_create(item=world.item, annotator=world.members[A])
    return {**project(world), "item": world.item.public_id}


def the_search(world: "World") -> dict[str, Any]:
    """Return a saved search of somebody else, because each role can open only its own searches."""
    row, _ = SavedSearch.objects.get_or_create(project=world.project, member=world.other, name="gold")
    return {**project(world), "public_id": row.public_id}


def the_card(world: "World") -> dict[str, Any]:
    fields = {"url": "https://canary.example/", "fetched_at": timezone.now(), "sha256": "0" * 64, "text": "canary"}
    row, _ = Evidence.objects.get_or_create(item=world.item, run=world.run.public_id, number=1, defaults=fields)
    return {**project(world), "public_id": row.public_id}


def the_document(world: "World") -> dict[str, Any]:
    fields = {"name": "a.txt", "title": "canary", "kind": "text", "size": 1, "characters": 1}
    row, _ = Document.objects.get_or_create(project=world.project, sha256="0" * 64, defaults=fields)
    return {**project(world), "public_id": row.public_id}


def the_group_list(world: "World") -> dict[str, Any]:
    name = f"canary-{world.number}"
    row, _ = GroupList.objects.get_or_create(project=world.project, name=name, defaults={"groups": {"a": ["b"]}})
    return {**project(world), "name": row.name}


def the_split_list(world: "World") -> dict[str, Any]:
    fields = {"name": "canary", "parts": {"a": "train"}}
    row, _ = SplitList.objects.get_or_create(project=world.project, sha256="0" * 64, defaults=fields)
    return {**project(world), "public_id": row.public_id}


def the_change(world: "World") -> dict[str, Any]:
    row, _ = BulkOrder.objects.get_or_create(
        project=world.project, ordered_by=world.members[D], act="batch", defaults={"key": uuid4()}
    )
    return {**project(world), "public_id": row.public_id}


def the_publication(world: "World") -> dict[str, Any]:
    return {"key": publish(world.release, world.members[D]).key}


def the_asked(world: "World") -> dict[str, Any]:
    access = ask_for_access(publish(world.release, world.members[D]), "canary", "c@example.org", "a lab", "a study")
    return {**the_publication(world), "token": access.token}


def the_download(world: "World") -> dict[str, Any]:
    publication = publish(world.release, world.members[D])
    access = ask_for_access(publication, "canary", "c@example.org", "a lab", "a study")
    decide_access(world.release, access.request, world.members[D], True)
    access.request.refresh_from_db()
    accept(publication, access.request)
    return {"key": publication.key, "token": access.token}


def the_access(world: "World") -> dict[str, Any]:
    publication = publish(world.release, world.members[D])
    row = ask_for_access(publication, "canary", "c@example.org", "a lab", "a study").request
    return {**the_release(world), "public_id": row.public_id}


def the_invitation(world: "World") -> dict[str, Any]:
    return {**project(world), "public_id": invite(world.members[D], [A], note="canary-note").invitation.public_id}


def the_webhook(world: "World") -> dict[str, Any]:
    store_webhook(world.members[D], "https://example.org/canary", ["run.ended"])
    return {**project(world), "public_id": Webhook.objects.get(project=world.project).public_id}


def the_link(world: "World") -> dict[str, Any]:
    return {"token": invite(world.members[D], [A], note="canary-note").token}


def the_mail(world: "World") -> dict[str, Any]:
    user = world.members[A].user
    assert user is not None
    return {"token": stop_token(user, MailKind.ACCESS_ASKED)}


def the_run(world: "World") -> dict[str, Any]:
    return {**project(world), "public_id": world.run.public_id}


def the_perspective(world: "World") -> dict[str, Any]:
    edit.ensure_perspectives(world.project)
    code = f"canary-{world.number}"
    if not Perspective.objects.filter(project=world.project, code=code).exists():
        words = {"name": code, "criteria": "Insults.", "hateful_label": "hateful", "other_label": "not"}
        edit.add_perspective(world.project, code, words, world.members[D])
    return {**project(world), "code": code}


def the_score(world: "World") -> dict[str, Any]:
    pasted = start.pasted("“canary” is hateful.", True)
    by_keyword = Scoring(estimator=Estimator.KEYWORD)
    score = Score.objects.filter(item=world.item).first() or start.start(world.item, pasted, by_keyword)
    return {**project(world), "public_id": score.public_id}


def the_exchange(world: "World") -> dict[str, Any]:
    return {**project(world), "public_id": request.open_on_item(world.item).public_id}


def the_reply(world: "World") -> dict[str, Any]:
    """Return a submitted reply whose author is none of the visiting roles, so that all of them may read it."""
    author, _ = Membership.objects.get_or_create(project=world.project, pseudonym="canary-writer", reviews=True)
    exchange = request.open_on_item(world.item)
    fields = {"intent": "positive", "text": "Be kind.", "state": "submitted", "submitted_at": timezone.now()}
    reply, _ = Reply.objects.get_or_create(exchange=exchange, author=author, defaults=fields)
    return {**project(world), "public_id": reply.public_id}


def the_claim(world: "World") -> dict[str, Any]:
    """Return a claim of a submitted reply whose author is none of the visiting roles."""
    author, _ = Membership.objects.get_or_create(project=world.project, pseudonym="canary-states", reviews=True)
    exchange = request.open_on_item(world.item)
    fields = {"intent": "positive", "text": "Half of them came.", "state": "submitted", "submitted_at": timezone.now()}
    stating, _ = Reply.objects.get_or_create(exchange=exchange, author=author, defaults=fields)
    keep_claims(stating)
    return {**project(world), "public_id": stating.public_id, "claim_id": stating.claims.get().public_id}


def the_text(world: "World") -> dict[str, Any]:
    """Return a post that somebody pasted."""
    return {**project(world), "public_id": request.open_on_text(world.project, "Ten canaries came.").public_id}


def the_claim_of_a_text(world: "World") -> dict[str, Any]:
    """Return a claim of a pasted post."""
    parts = the_text(world)
    exchange = Exchange.objects.get(public_id=parts["public_id"])
    claim = claims_of_post(exchange).stated[0]
    fields = {"exchange": exchange, "sentence": claim.sentence}
    Claim.objects.get_or_create(public_id=claim.public_id, defaults=fields)
    return {**parts, "claim_id": claim.public_id}


def the_posting(world: "World") -> dict[str, Any]:
    """Return a posting of a reply that was approved."""
    reply = Reply.objects.get(public_id=the_reply(world)["public_id"])
    author = {"posted_at": timezone.now(), "member": reply.author, "address": "https://canary.example/posted"}
    return {**project(world), "public_id": Posting.objects.get_or_create(reply=reply, defaults=author)[0].public_id}


def injecting(world: "World") -> dict[str, Any]:
    """Return a project in which the terms of injection are accepted."""
    if not injection_settings.is_on(world.project):
        injection_settings.switch_on(world.members[D], injection_settings.TERMS_VERSION)
    return project(world)


def the_sample(world: "World") -> dict[str, Any]:
    sample = Sample.objects.filter(project=world.project).first()
    if sample is None:
        injecting(world)
        name = "canary-pool" if world.number == 1 else f"canary-pool-{world.number}"
        pool, _ = PicturePool.objects.get_or_create(project=world.project, name=name)
        picture, _ = PoolPicture.objects.get_or_create(
            pool=pool, picture=world.picture, category=category(world.project, 1)
        )
        sample = make_sample(pool, "canary text <insult>", pool_picture=picture)
    return {**project(world), "public_id": sample.public_id}


def sample_part(name: str) -> Callable[["World"], dict[str, Any]]:
    """Return a function that gives the public id of the sample's batch, pool or picture."""

    def parts(world: "World") -> dict[str, Any]:
        sample = Sample.objects.get(public_id=the_sample(world)["public_id"])
        row = {"batch": sample.batch, "pool": sample.pool_picture.pool, "picture": sample.pool_picture}[name]
        return {**project(world), "public_id": row.public_id}

    return parts


def the_plan_row(world: "World") -> dict[str, Any]:
    row = PlanRow.objects.filter(project=world.project).first()
    if row is None:
        the_sample(world)
        planned = plan_entry(pool=PicturePool.objects.get(project=world.project).name)
        row = PlanRow.objects.create(project=world.project, entry=planned)
    return {**project(world), "public_id": row.public_id}


def the_evaluation(world: "World") -> dict[str, Any]:
    row, _ = Evaluation.objects.get_or_create(project=world.project, name="canary", task="six", wish_digest="x")
    return {**project(world), "public_id": row.public_id}


def with_evaluation(**more: str) -> Callable[["World"], dict[str, Any]]:
    words = {name: Word(value) for name, value in more.items()}
    return lambda world: {**the_evaluation(world), **words}


def the_statement(world: "World") -> dict[str, Any]:
    statement, _ = Statement.objects.get_or_create(
        item=world.item, puid="p", version=world.number, defaults={"author": world.members[R]}
    )
    parts = {**project(world), "public_id": world.item.public_id, "number": statement.version}
    return {**parts, "kind": Word("json")}


def the_report(world: "World") -> dict[str, Any]:
    """Return an item with a report that waits for an answer."""
    waiting = {"reports__isnull": False, "reports__answered_at": None, "picture__isnull": False}
    item = Item.objects.filter(project=world.project, **waiting).first()
    if item is None:
        item = make_open_item(world.project, "canary of a report", picture=make_picture(world.project))
        report_item(item, world.members[A], "canary of a report")
    return {**project(world), "public_id": item.public_id}


def the_picture(world: "World") -> dict[str, Any]:
    return {"public_id": world.picture.public_id}


def the_session(world: "World") -> dict[str, Any]:
    """Return a session of the annotator in some other browser."""
    user = world.members[A].user
    assert user is not None
    row = open_sessions(user).filter(browser="").first()
    if row is None:
        Client().force_login(user)
        row = open_sessions(user).filter(browser="").latest("began_at")
    return {"public_id": row.public_id}


def the_token(world: "World") -> dict[str, Any]:
    """Return a token of the annotator for the API."""
    user = world.members[A].user
    row = AuthToken.objects.filter(user=user).first() or AuthToken.objects.create(user)[0]
    return {"key": row.token_key}


def a_word(**words: str) -> Parts:
    """Return a function that gives the slug and fixed words."""
    return lambda world: {**project(world), **{name: Word(word) for name, word in words.items()}}


# ── A world with one of everything ────────────────────────────────────────────


def make_world(slug: str = "here", number: int = 1) -> World:
    """Make a project that has one of everything; its guidelines and its release have this number."""
    new_project, end = make_project(slug), "" if number == 1 else f"-of-{slug}"
    for later in range(2, number + 1):
        Guideline.objects.create(project=new_project, number=later, text="Look at both.", asks_reading=False)
    members = {role: make_member(new_project, role) for role in (A, R, D)}
    other = make_member(new_project, A, pseudonym=f"canary-pseudonym{end}")
    third = make_member(new_project, A)
    hidden = {
        "source": "canary-source",
        "licence": "canary-licence",
        "target_group": "canary-target",
        "batch": "canary-batch",
        "picture_name": "canary-file-name.png",
        "intended": category(new_project, 3),
    }
    item = make_labelled_item(
        new_project, [members[A], other, third], [1, 0, 5], external_id=f"canary-external-id{end}", **hidden
    )
    close_item(item)
    item.refresh_from_db()
    picture = make_picture(new_project, (32, 32))
    picture.blurred.save("pictures/blurred.jpg", ContentFile(b"drawn"))
    open_item = make_open_item(new_project, external_id=f"canary-external-id-2{end}", picture=picture, **hidden)
    Prior.objects.create(item=open_item, modality="text", category=category(new_project, 0), explanation="A garden.")
    first, second, third_seat = open_item.seat_rows.order_by("number")
    make_label(first, other, 2, note="canary-note")
    own = make_open_item(new_project, external_id=f"canary-external-id-3{end}", **hidden)
    label = make_label(own.seat_rows.first(), members[A], 4)
    now = timezone.now()
    Seat.objects.filter(pk=second.pk).update(
        annotator=members[A], held_at=now, shown_at=now, expires_at=now + timezone.timedelta(minutes=20)
    )
    second.refresh_from_db()
    upload = Import(project=new_project, file_name="a.csv", sha256="0" * 64)
    upload.error_list.save("imports/errors.csv", ContentFile(b"row,error"), save=False)
    upload.save()
    close_item(
        make_labelled_item(new_project, [other, third, members[A]], [2, 2, 2], external_id=f"canary-external-id-4{end}")
    )
    training = make_item(
        new_project, "Training.", stage=Stage.KNOWN, external_id=f"canary-external-id-5{end}", picture=picture, **hidden
    )
    answer = {"category": category(new_project, 3), "explanation": "canary-explanation", "training": True}
    KnownAnswer.objects.create(item=training, **answer)
    TrainingAttempt.objects.create(member=members[A], number=1)
    for _ in range(number):
        release = make_release(new_project, members[D])
    order = ReleaseOrder.objects.create(project=new_project, ordered_by=members[D], key=uuid4())
    run = run_start.build_run(
        run_start.RunRequest("arcade", new_project.public_id, item.public_id, {"judge": "keyword:cues-1"})
    )
    run.save()
    return World(
        new_project,
        number,
        members,
        other,
        item,
        open_item,
        second,
        label,
        picture,
        upload,
        release,
        order,
        run,
        training,
    )


@pytest.fixture(scope="module")
def module_world(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, Path]]:
    """Share one world, and the folder of its files, between all tests of a module.

    Each test starts with the world unchanged.
    """
    folder = tmp_path_factory.mktemp("world")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=folder):
            shared_world = make_world()
        yield shared_world, folder
        transaction.set_rollback(True)


@pytest.fixture
def world(module_world: tuple[World, Path], db: None, settings: Any) -> World:
    """Return a copy of the module's world, over the same rows."""
    shared_world, settings.MEDIA_ROOT = module_world
    return deepcopy(shared_world)
