"""Every URL of the site by name: who may open it and by which methods; and a project that has one of everything.

`ROUTES` has one row for each route of the URL configuration; `tests/whole_site/test_who_may_open_what.py` fails if a
row is missing. Tests of hostile input and hostile texts use the same rows.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.domain.outgoing import MailKind
from annotation.mail.send import stop_token
from annotation.members.invitations import invite
from annotation.models import (
    Batch,
    BulkOrder,
    GlossaryEntry,
    Import,
    KnownAnswer,
    Membership,
    Picture,
    Prior,
    Project,
    Release,
    ReleaseOrder,
    SavedSearch,
    Seat,
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
    make_project,
)
from generation.counterspeech import request
from generation.injection import settings as injection_settings
from generation.models import PicturePool, PlanRow, PoolPicture, Reply, Sample
from injection_models import make_sample
from moderation.domain.hatexscore.estimators import Estimator
from moderation.hatexscore import start
from moderation.models import Document, Evaluation, Evidence, GroupList, Score, Statement
from moderation.perspectives import edit
from release_builders import accept
from runs.control import start as run_start
from runs.models import Run

A, R, D = Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN
API = ("api:", "generation-api:", "runs-api:")
"""Namespaces whose answers are JSON and whose door is a token."""
METHODS = ("get", "post", "put", "patch", "delete")
Parts = Callable[["World"], Mapping[str, Any]]


@dataclass
class World:
    """A project with one of everything that has a URL; `seat` and `label` belong to its annotator."""

    project: Project
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


@dataclass(frozen=True)
class Route:
    """The roles that may open a URL (None: everybody who is signed in), its methods, and the parts of the URL."""

    roles: tuple[Role, ...] | None
    parts: Parts = lambda world: {}
    methods: tuple[str, ...] = ("get",)
    missing_is_fine: bool = False  # this world's row may rightly be absent for the roles named


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
the_guideline = with_(number=lambda world: 1)
the_annotator = with_(public_id=lambda world: world.members[A].public_id)
the_release = with_(number=lambda world: world.release.number)


def the_number(world: World) -> int:
    return world.release.number


the_order = with_(public_id=lambda world: world.order.public_id)
the_file = with_(
    number=lambda world: world.release.number, path=lambda world: world.release.manifest["files"][0]["path"]
)


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
    row, _ = GroupList.objects.get_or_create(project=world.project, name="canary", defaults={"groups": {"a": ["b"]}})
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
    return {"token": stop_token(user, MailKind.WEEKLY)}


def the_run(world: "World") -> dict[str, Any]:
    return {**project(world), "public_id": world.run.public_id}


def the_perspective(world: "World") -> dict[str, Any]:
    edit.ensure_perspectives(world.project)
    return {**project(world), "code": "kold"}


def the_score(world: "World") -> dict[str, Any]:
    pasted = start.pasted("“canary” is hateful.", True)
    by_keyword = start.Choice(estimator=Estimator.KEYWORD)
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


def injecting(world: "World") -> dict[str, Any]:
    """Return a project in which the terms of injection are accepted."""
    if not injection_settings.is_on(world.project):
        injection_settings.switch_on(world.members[D], injection_settings.TERMS_VERSION)
    return project(world)


def the_sample(world: "World") -> dict[str, Any]:
    sample = Sample.objects.filter(project=world.project).first()
    if sample is None:
        injecting(world)
        pool, _ = PicturePool.objects.get_or_create(project=world.project, name="canary-pool")
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
    row = row or PlanRow.objects.create(project=injecting(world) and world.project, entry={})
    return {**project(world), "public_id": row.public_id}


def the_evaluation(world: "World") -> dict[str, Any]:
    row, _ = Evaluation.objects.get_or_create(project=world.project, name="canary", task="six", wish_digest="x")
    return {**project(world), "public_id": row.public_id}


def with_evaluation(**more: str) -> Callable[["World"], dict[str, Any]]:
    return lambda world: {**the_evaluation(world), **more}


def the_statement(world: "World") -> dict[str, Any]:
    statement, _ = Statement.objects.get_or_create(
        item=world.item, puid="p", version=1, defaults={"author": world.members[R]}
    )
    return {**project(world), "public_id": world.item.public_id, "number": statement.version, "kind": "json"}


def the_picture(world: "World") -> dict[str, Any]:
    return {"public_id": world.picture.public_id}


GET, POST, BOTH = ("get",), ("post",), ("get", "post")

ROUTES: dict[str, Route] = {
    # people
    "annotation:projects": Route(None),
    "annotation:preferences": Route(None, methods=BOTH),
    "annotation:look": Route(None, methods=POST),
    "annotation:totp-picture": Route(None, missing_is_fine=True),
    "annotation:own-data": Route(None),
    "annotation:own-file": Route(None),
    "annotation:erase-me": Route(None, methods=POST),
    "annotation:invitation": Route(None, the_link, BOTH),
    "annotation:mail-stop": Route(None, the_mail, BOTH),
    "annotation:tokens": Route(None, methods=BOTH),
    "annotation:token-end": Route(None, lambda world: {"key": "abcdefgh"}, POST),
    "annotation:project": Route((A, R, D), project),
    "annotation:tour": Route((A, R, D), project, POST),
    # the annotator's way
    "annotation:label": Route((A,), project),
    "annotation:ahead": Route((A,), project),
    "annotation:undo": Route((A,), project, POST),
    "annotation:label-correct": Route((A,), the_label, BOTH),
    "annotation:submit": Route((A,), the_seat, POST),
    "annotation:first-answer": Route((A,), the_seat, POST),
    "annotation:look-at": Route((A,), the_seat, POST),
    "annotation:seat-picture": Route((A,), the_seat, missing_is_fine=True),
    "annotation:seat-blurred": Route((A,), the_seat, missing_is_fine=True),
    "annotation:renew": Route((A,), the_seat, POST),
    "annotation:skip": Route((A,), the_seat, POST),
    "annotation:report": Route((A,), the_seat, BOTH),
    "annotation:consent": Route((A,), project, BOTH),
    "annotation:guidelines": Route((A, R, D), project),
    "annotation:history": Route((A,), project),
    "annotation:pause": Route((A,), project),
    "annotation:resources": Route((A, R, D), project),
    "annotation:withdraw": Route((A,), project, BOTH),
    "annotation:opt-outs": Route((A,), project, BOTH),
    "annotation:check-in": Route((A,), project, BOTH),
    "annotation:check-in-forget": Route((A,), project, POST),
    "annotation:own-hours": Route((A,), project),
    # care and pay
    "annotation:care-settings": Route((D,), project, BOTH),
    "annotation:care-viewing": Route((D,), project, POST),
    "annotation:care-opt-outs": Route((D,), project, missing_is_fine=True),
    "annotation:hours": Route((D,), project),
    "annotation:hours-table": Route((D,), project),
    "annotation:training": Route((A,), project, BOTH),
    "annotation:training-own": Route((A,), project),
    "annotation:training-answer": Route((A,), the_training, BOTH),
    "annotation:training-look": Route((A,), the_training, POST),
    "annotation:training-picture": Route((A,), the_training, missing_is_fine=True),
    "annotation:training-blurred": Route((A,), the_training, missing_is_fine=True),
    # training and checks
    "annotation:training-setup": Route((D,), project, BOTH),
    "annotation:training-results": Route((D,), project),
    "annotation:training-person": Route((D,), the_member, POST),
    "annotation:item-known": Route((D,), the_item, BOTH),
    # items, settings, people
    "annotation:items": Route((R, D), project),
    "annotation:item": Route((R, D), the_item),
    "annotation:searches": Route((R, D), project),
    "annotation:search-save": Route((R, D), project, POST),
    "annotation:search-change": Route((R, D), the_search, POST, missing_is_fine=True),
    "annotation:items-file": Route((R, D), with_(kind=lambda world: "csv")),
    "annotation:bulk": Route((D,), project, POST),
    "annotation:bulk-order": Route((D,), the_change),
    "annotation:bulk-progress": Route((D,), the_change),
    "annotation:bulk-cancel": Route((D,), the_change, POST),
    "annotation:open-items": Route((D,), project, BOTH),
    "annotation:open-project": Route((D,), project, POST),
    "annotation:batches": Route((D,), project),
    "annotation:batches-campaign": Route((D,), project, POST),
    "annotation:batches-quotas": Route((D,), project, POST),
    "annotation:batch-teams": Route((D,), project, BOTH),
    "annotation:batch": Route((D,), the_batch),
    "annotation:batch-act": Route((D,), the_batch, POST),
    "annotation:project-settings": Route((D,), project, BOTH),
    "annotation:webhook": Route((D,), project, BOTH),
    "annotation:webhook-act": Route((D,), project, POST, missing_is_fine=True),
    "annotation:design": Route((D,), project, BOTH),
    "annotation:design-read": Route((D,), project, POST),
    "annotation:design-file": Route((D,), project),
    "annotation:project-new": Route((), methods=BOTH),  # the site's staff alone
    "queues": Route(()),  # the site's staff alone
    "queues-act": Route((), methods=POST),  # the site's staff alone
    "annotation:project-life": Route((D,), project),
    "annotation:project-clone": Route((D,), project, BOTH),
    "annotation:project-archive": Route((D,), project, POST),
    "annotation:project-delete": Route((D,), project, BOTH),
    "annotation:project-keep": Route((D,), project, POST),
    "annotation:members": Route((D,), project, BOTH),
    "annotation:invitations": Route((D,), project, POST),
    "annotation:invitation-end": Route((D,), the_invitation, POST),
    "annotation:member": Route((D,), the_member),
    "annotation:member-roles": Route((D,), the_member, POST),
    "annotation:member-pseudonym": Route((D,), the_member, POST),
    "annotation:member-quota": Route((D,), the_member, POST),
    "annotation:member-reactivate": Route((D,), the_member, POST),
    "annotation:member-erase": Route((D,), the_member, POST),
    "annotation:member-password-link": Route((D,), the_member, POST),
    "annotation:member-deactivate": Route((D,), the_member, POST),
    # priors
    "annotation:priors": Route((D,), project),
    "annotation:priors-progress": Route((D,), project),
    "annotation:compute-priors": Route((D,), project, POST),
    "annotation:priors-cancel": Route((D,), project, POST),
    "annotation:priors-go-on": Route((D,), project, POST),
    "annotation:item-compute-priors": Route((D,), the_item, POST),
    # pictures
    "annotation:media": Route((R, D), the_picture, missing_is_fine=True),
    "annotation:media-blurred": Route((A, R, D), the_picture, missing_is_fine=True),
    # bringing files in
    "annotation:import": Route((D,), project, BOTH),
    "annotation:import-example": Route((D,), with_(name=lambda _world: "csv")),
    "annotation:import-show": Route((D,), the_upload),
    "annotation:import-progress": Route((D,), the_upload),
    "annotation:import-act": Route((D,), the_upload, POST),
    "annotation:import-errors": Route((D,), the_upload, missing_is_fine=True),
    # reviewers
    "moderation:desk": Route((R, D), project),
    "moderation:desk-accept": Route((R,), project, BOTH),
    "moderation:desk-rules": Route((D,), project, BOTH),
    "moderation:desk-values": Route((D,), project, POST),
    "moderation:desk-figures": Route((R, D), project),
    "moderation:appeals": Route((R, D), project),
    "moderation:desk-item": Route((R, D), the_item, BOTH),
    "moderation:desk-anew": Route((R,), the_item),
    "moderation:desk-missing": Route((R,), the_item, BOTH),
    "moderation:look-at-votes": Route((R,), the_item, POST),
    "moderation:desk-renew": Route((R,), the_item, POST),
    "moderation:desk-opinion": Route((R,), the_item, POST),
    "moderation:desk-similar": Route((R, D), the_item),
    "moderation:appeal": Route((R, D), the_item, BOTH),
    "moderation:statement": Route((R, D), the_item, BOTH),
    "moderation:statement-file": Route((R, D), the_statement),
    "annotation:item-names": Route((D,), the_item, POST),
    "annotation:picture-text": Route((R, D), the_item, POST),
    "annotation:read-pictures": Route((D,), project, POST),
    "annotation:item-reopen": Route((D,), the_item, BOTH),
    "annotation:item-withdraw": Route((D,), the_item, BOTH),
    "annotation:item-report": Route((R, D), the_item, BOTH),
    # quality, versions of the guidelines
    "annotation:quality": Route((D,), project),
    "annotation:quality-table": Route((D,), with_(name=lambda world: "people")),
    "annotation:quality-person": Route((D,), the_member),
    "annotation:quality-models": Route((D,), project),
    "annotation:quality-ask": Route((D,), project, POST),
    "annotation:guidelines-edit": Route((D,), project, BOTH),
    "annotation:guideline-versions": Route((R, D), project),
    "annotation:guideline-version": Route((R, D), with_(number=lambda world: 1)),
    "annotation:guidelines-read": Route((A,), project, POST),
    # the glossary
    "annotation:glossary": Route((R, D), project),
    "annotation:glossary-new": Route((R, D), project, BOTH),
    "annotation:glossary-import": Route((R, D), project, BOTH),
    "annotation:glossary-use": Route((D,), project, POST),
    "annotation:glossary-file": Route((R, D), with_(kind=lambda world: "csv")),
    "annotation:glossary-entry": Route((R, D), the_entry, BOTH),
    "annotation:glossary-rule": Route((R, D), the_entry, POST),
    "annotation:glossary-beside": Route((A,), the_seat, POST, missing_is_fine=True),
    # figures, releases, models
    "annotation:dashboard": Route((R, D), project),
    "annotation:dashboard-table": Route((R, D), with_(name=lambda world: "funnel")),
    "annotation:influence": Route((D,), project, BOTH),
    "annotation:figures-moment": Route((R, D), with_(kind=lambda world: "dashboard")),
    "annotation:figures-refresh": Route((R, D), with_(kind=lambda world: "dashboard"), POST),
    "annotation:releases": Route((D,), project, BOTH),
    "annotation:release": Route((D,), the_release),
    "annotation:release-verify": Route((D,), the_release, POST),
    "annotation:release-terms": Route((D,), project, BOTH),
    "annotation:release-publish": Route((D,), the_release, POST),
    "annotation:release-take-back": Route((D,), the_release, POST),
    "annotation:release-access": Route((D,), the_access, POST),
    "annotation:release-changes": Route((D,), with_(**dict.fromkeys(("number", "older"), the_number))),
    "annotation:public-release": Route(None, the_publication),
    "annotation:public-ask": Route(None, the_publication, BOTH),
    "annotation:public-request": Route(None, the_asked, BOTH),
    "annotation:public-download": Route(None, the_download),
    "annotation:release-ordered": Route((D,), the_order),
    "annotation:release-progress": Route((D,), the_order),
    "annotation:release-cancel": Route((D,), the_order, POST),
    "annotation:release-all": Route((D,), the_release),
    "annotation:release-file": Route((D,), the_file),
    "annotation:models": Route((D,), project),
    "annotation:models-try": Route((D,), project, POST),
    "annotation:models-choose": Route((D,), project, POST),
    "annotation:models-forget": Route((D,), project, POST),
    # debates; a run is looked for among those of this project's decided items
    "moderation:evaluations": Route((R, D), project),
    "moderation:evaluation-start": Route((R, D), project, POST),
    "moderation:study": Route((D,), project),
    "moderation:study-start": Route((D,), project, POST),
    "moderation:evaluation": Route((R, D), the_evaluation),
    "moderation:evaluation-progress": Route((R, D), the_evaluation),
    "moderation:evaluation-cancel": Route((R, D), the_evaluation, POST),
    "moderation:evaluation-retry": Route((R, D), the_evaluation, POST),
    "moderation:evaluation-table": Route((R, D), with_evaluation(key="accuracy"), missing_is_fine=True),
    "moderation:evaluation-report": Route((R, D), with_evaluation(form="md"), missing_is_fine=True),
    "moderation:scores": Route((R, D), project),
    "moderation:group-lists": Route((R, D), project),
    "moderation:group-list-add": Route((R, D), project, POST),
    "moderation:group-list-remove": Route((R, D), the_group_list, POST),
    "moderation:score-review": Route((R,), project, BOTH, missing_is_fine=True),
    "moderation:score-review-results": Route((R, D), project),
    "moderation:item-scores": Route((R, D), the_item),
    "moderation:score-start": Route((R, D), the_item, POST),
    "moderation:runs": Route((R, D), project),
    "moderation:start": Route((R, D), project, POST),
    "moderation:compare": Route((R, D), project, missing_is_fine=True),
    "moderation:run": Route((R, D), the_run),
    "moderation:run-progress": Route((R, D), the_run),
    "moderation:runs-cancel": Route((R, D), project, POST),
    "moderation:run-cancel": Route((R, D), the_run, POST),
    "moderation:run-judge": Route((R, D), the_run, POST),
    "moderation:repeats": Route((R, D), project),
    "moderation:perspectives": Route((D,), project),
    "moderation:perspective-add": Route((D,), project, POST),
    "moderation:perspective": Route((D,), the_perspective),
    "moderation:perspective-change": Route((D,), the_perspective, POST),
    "moderation:perspective-switch": Route((D,), the_perspective, POST),
    "moderation:perspective-import": Route((D,), the_perspective, POST),
    "moderation:perspective-examples-remove": Route((D,), the_perspective, POST),
    "moderation:run-retry": Route((R, D), the_run, POST),
    "moderation:item-runs": Route((R, D), the_item),
    "moderation:item-start": Route((R, D), the_item, POST),
    # counterspeech
    "generation:overview": Route((R, D), project, BOTH),
    "generation:item-counterspeech": Route((R, D), the_item, BOTH),
    "generation:compare-replies": Route((R, D), project, BOTH, missing_is_fine=True),
    "generation:standings": Route((R, D), project),
    "generation:dataset": Route((R, D), project),
    "generation:dataset-file": Route((D,), with_(name=lambda world: "replies.jsonl")),
    "generation:rules": Route((D,), project, BOTH),
    "generation:exchange": Route((R, D), the_exchange),
    "generation:exchange-seven": Route((R, D), the_exchange),
    "generation:exchange-candidates": Route((R, D), the_exchange),
    "generation:explain": Route((R, D), the_exchange, POST),
    "generation:explanations": Route((R, D), the_exchange, POST),
    "generation:candidates": Route((R, D), the_exchange, POST),
    "generation:cancel": Route((R, D), the_exchange, POST),
    "generation:reply-begin": Route((R, D), the_exchange, POST, missing_is_fine=True),
    "generation:reply": Route((R, D), the_reply),
    "generation:reply-write": Route((R, D), the_reply, POST),
    "generation:reply-state": Route((R, D), the_reply),
    "generation:reply-score": Route((R, D), the_reply, POST),
    "generation:reply-submit": Route((R, D), the_reply, POST),
    "generation:reply-take-back": Route((R, D), the_reply, POST),
    "generation:reply-discard": Route((R, D), the_reply, POST),
    "generation:reply-approve": Route((R, D), the_reply, POST),
    "generation:reply-return": Route((R, D), the_reply, POST),
    "generation:reply-comment": Route((R, D), the_reply, POST),
    # samples
    "generation:injection": Route((R, D), injecting),
    "generation:injection-switch": Route((D,), project, POST),
    "generation:injection-targets": Route((D,), injecting, POST),
    "generation:injection-add": Route((D,), injecting, POST),
    "generation:injection-file": Route((D,), injecting, POST),
    "generation:injection-remove": Route((D,), the_plan_row, POST),
    "generation:injection-begin": Route((D,), injecting, POST),
    "generation:injection-batch": Route((D,), sample_part("batch")),
    "generation:injection-progress": Route((D,), sample_part("batch")),
    "generation:injection-go-on": Route((D,), sample_part("batch"), POST),
    "generation:injection-cancel": Route((D,), sample_part("batch"), POST),
    "generation:pools": Route((D,), injecting, BOTH),
    "generation:pool": Route((D,), sample_part("pool")),
    "generation:pool-items": Route((D,), sample_part("pool"), POST),
    "generation:pool-files": Route((D,), sample_part("pool"), POST),
    "generation:pool-priors": Route((D,), sample_part("pool"), POST),
    "generation:pool-picture": Route((D,), sample_part("picture"), POST),
    "generation:injection-material": Route((D,), injecting),
    "generation:injection-triggers": Route((D,), injecting, POST),
    "generation:injection-words": Route((D,), injecting, POST),
    "generation:sample-review": Route((R, D), injecting),
    "generation:samples": Route((R, D), injecting),
    "generation:sample": Route((R, D), the_sample),
    "generation:sample-accept": Route((R, D), the_sample, POST),
    "generation:sample-reject": Route((R, D), the_sample, POST),
    "generation:injection-report": Route((R, D), injecting),
    "moderation:evidence": Route((R, D), the_item),
    "moderation:evidence-start": Route((R, D), the_item, POST),
    "moderation:evidence-strike": Route((R, D), the_card, POST),
    "moderation:evidence-restore": Route((R, D), the_card, POST),
    "moderation:evidence-judge": Route((R, D), the_run, POST),
    "moderation:documents": Route((D,), project, BOTH),
    "moderation:document": Route((R, D), the_document),
    "moderation:document-remove": Route((D,), the_document, POST),
    # the API
    "generation-api:counterspeech": Route((R, D), project, BOTH),
    "generation-api:replies": Route((D,), project),
    "generation-api:injection": Route((D,), injecting, BOTH),
    "generation-api:injection-switch": Route((D,), project, POST),
    "generation-api:injection-batch": Route((D,), sample_part("batch")),
    "generation-api:samples": Route((R, D), injecting),
    "generation-api:sample": Route((R, D), the_sample, BOTH),
    "generation-api:injection-report": Route((R, D), injecting),
    "runs-api:item-scores": Route((R, D), the_item, BOTH),
    "runs-api:score": Route((R, D), the_score),
    "runs-api:group-lists": Route((R, D), project, BOTH),
    "runs-api:group-list": Route((R, D), the_group_list, ("delete",)),
    "runs-api:runs": Route((R, D), project, BOTH),
    "runs-api:run": Route((R, D), the_run),
    "runs-api:run-cancel": Route((R, D), the_run, POST),
    "runs-api:run-retry": Route((R, D), the_run, POST),
    "runs-api:run-judge": Route((R, D), the_run, POST),
    "runs-api:disputes": Route((R, D), project),
    "runs-api:dispute-next": Route((R,), project, POST),
    "runs-api:dispute": Route((R, D), the_item),
    "runs-api:dispute-decide": Route((R,), the_item, POST),
    "runs-api:dispute-fill": Route((R,), the_item, POST),
    "runs-api:decisions": Route((R, D), project),
    "runs-api:appeals": Route((R, D), project),
    "runs-api:appeal": Route((R, D), the_item, POST),
    "runs-api:statement": Route((R, D), the_item, BOTH),
    "api:import": Route((D,), project, POST),
    "api:priors": Route((D,), project, BOTH),
    "api:split-lists": Route((D,), project, BOTH),
    "api:split-list": Route((D,), the_split_list),
    "api:releases": Route((D,), project, BOTH),
    "api:release": Route((D,), the_release),
    "api:release-file": Route((D,), the_file),
    "api:schema": Route(None),
    "api:docs": Route(None),
    "api:projects": Route(None, methods=BOTH),  # created by the site's staff alone
    "api:project": Route((A, R, D), project),
    "api:design": Route((D,), project, ("get", "put")),
    "api:items": Route((R, D), project),
    "api:item": Route((R, D), the_item),
    "api:item-priors": Route((R, D), the_item),
    "api:next": Route((A,), project, POST),
    "api:seat-label": Route((A,), the_seat, POST),
    "api:seat-first-answer": Route((A,), the_seat, POST),
    "api:seat-skip": Route((A,), the_seat, POST),
    "api:seat-report": Route((A,), the_seat, POST),
    "api:seat-blurred": Route((A,), the_seat, missing_is_fine=True),
    "api:seat-picture": Route((A,), the_seat, missing_is_fine=True),
    "api:labels": Route((A,), project),
    "api:label": Route((A,), the_label, ("put",)),
    "api:batches": Route((D,), project, BOTH),
    "api:batch": Route((D,), the_batch, ("get", "patch")),
    "api:batch-act": Route((D,), the_batch, POST),
    "api:quotas": Route((D,), project, ("get", "patch")),
    "api:settings": Route((D,), project, ("get", "patch")),
    "api:open": Route((D,), project, ("put",)),
    "api:members": Route((D,), project, BOTH),
    "api:member": Route((D,), the_member, ("get", "patch")),
    "api:member-end": Route((D,), the_member, POST),
    "api:member-again": Route((D,), the_member, POST),
    "api:invitations": Route((D,), project, BOTH),
    "api:invitation-end": Route((D,), the_invitation, POST),
    "api:webhooks": Route((D,), project, BOTH),
    "api:webhook": Route((D,), the_webhook, ("get", "patch", "delete")),
    "api:webhook-test": Route((D,), the_webhook, POST),
    "api:invitation-accept": Route(None, methods=POST),
    "api:consent": Route((A,), project, BOTH),
    "api:guidelines": Route((R, D), project, BOTH),  # published by admins alone
    "api:guideline-newest": Route((A, R, D), project),
    "api:guideline": Route((R, D), the_guideline),
    "api:guideline-read": Route((A,), the_guideline, POST),
    "api:training": Route((D,), project, ("get", "patch")),
    "api:training-posts": Route((D,), project, BOTH),
    "api:training-people": Route((D,), project),
    "api:training-person": Route((D,), the_annotator, POST),
    "api:item-known": Route((D,), the_training, ("get", "put", "patch", "delete")),
    "api:agreement": Route((R, D), project),
    "api:influence": Route((R, D), project),
}


# ── A world with one of everything ────────────────────────────────────────────


def make_world() -> World:
    """Make a project that has one of everything."""
    new_project = make_project("here")
    members = {role: make_member(new_project, role) for role in (A, R, D)}
    other = make_member(new_project, A, pseudonym="canary-pseudonym")
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
        new_project, [members[A], other, third], [1, 0, 5], external_id="canary-external-id", **hidden
    )
    close_item(item)
    item.refresh_from_db()
    picture = Picture.objects.create(
        project=new_project, sha256="0" * 64, file="none.png", file_sha256="0" * 64, blurred="none.jpg",
        media_type="image/png", width=32, height=32,
    )  # fmt: skip
    open_item = make_open_item(new_project, external_id="canary-external-id-2", picture=picture, **hidden)
    Prior.objects.create(item=open_item, modality="text", category=category(new_project, 0), explanation="A garden.")
    first, second, third_seat = open_item.seat_rows.order_by("number")
    make_label(first, other, 2, note="canary-note")
    own = make_open_item(new_project, external_id="canary-external-id-3", **hidden)
    label = make_label(own.seat_rows.first(), members[A], 4)
    now = timezone.now()
    Seat.objects.filter(pk=second.pk).update(
        annotator=members[A], held_at=now, shown_at=now, expires_at=now + timezone.timedelta(minutes=20)
    )
    second.refresh_from_db()
    upload = Import.objects.create(project=new_project, file_name="a.csv", sha256="0" * 64)
    close_item(
        make_labelled_item(new_project, [other, third, members[A]], [2, 2, 2], external_id="canary-external-id-4")
    )
    training = make_item(new_project, "Training.", stage=Stage.KNOWN, external_id="canary-external-id-5", **hidden)
    answer = {"category": category(new_project, 3), "explanation": "canary-explanation", "training": True}
    KnownAnswer.objects.create(item=training, **answer)
    TrainingAttempt.objects.create(member=members[A], number=1)
    release = make_release(new_project, members[D])
    order = ReleaseOrder.objects.create(project=new_project, ordered_by=members[D], key=uuid4())
    run = run_start.build_run(
        run_start.RunRequest("arcade", new_project.public_id, item.public_id, {"judge": "keyword:cues-1"})
    )
    run.save()
    return World(
        new_project, members, other, item, open_item, second, label, picture, upload, release, order, run, training
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
