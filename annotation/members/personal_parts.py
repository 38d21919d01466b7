"""The tables of a person's own data: which rows of which models are theirs, and which columns of them.

A test demands that every model that refers to a member or an account stands here, in the parts of another app, or with
a reason in `NO_PART`. Left out of every part: priors, known answers, and what other people answered or wrote.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from knox.models import AuthToken

from annotation.core import extensions
from annotation.domain.choices import EventVerb
from annotation.models import (
    AccessRequest,
    Adjudication,
    BulkOrder,
    CheckIn,
    CompetenceEstimate,
    Deletion,
    Event,
    GlossaryEntry,
    GlossaryVersion,
    Guideline,
    Import,
    Invitation,
    Label,
    Mail,
    OpenSession,
    OptOut,
    PictureReading,
    PictureText,
    PostponedSeat,
    Publication,
    Release,
    ReleaseOrder,
    Replacement,
    Report,
    SavedSearch,
    Seat,
    Skip,
    SplitList,
    TrainingAnswer,
    TrainingAttempt,
    Webhook,
    WorkDay,
)

Parts = extensions.PersonalData
"""By name: the model, the lookup of the person's membership or account, and the columns by name."""
Part = tuple[type[Model], str, dict[str, Any]]


def part(model: type[Model], lookup: str, *names: str, **columns: Any) -> Part:
    """Return a part: `columns` by their names in the file, then the columns `names` of the model."""
    return model, lookup, {**columns, **{name: name for name in names}}


_ITEM = {"project": "item__project__slug", "item": "item__public_id"}
_CATEGORY = {"category": "category__name", "categories": "categories"}
_SEEN = ("first_answer", "seconds", "reveals", "prior_arm", "priors_shown", "priors_shown_at", "created_at")
_ROLES = ("annotates", "reviews", "administers")

PARTS: Parts = {
    "labels": part(
        Label,
        "annotator",
        *("revision", "not_sure", "low_quality", "target_group", "note", "challenges", "answers", "passages", *_SEEN),
        **_ITEM,
        label="public_id",
        in_force="in_force_at__public_id",
        guideline="guideline__number",
        **_CATEGORY,
    ),
    # Not the arm of a seat that is open: it tells whether the model's view will be shown. Not in the order of their
    # keys: seats are made before they are taken, those of checks apart from others.
    "seats": part(
        Seat, "annotator", *("round", "held_at", "shown_at", "filled_at", "first_answer", "reveals"), **_ITEM
    ),
    "postponed": part(
        PostponedSeat, "member", "created_at", project="member__project__slug", item="seat__item__public_id"
    ),
    "skips": part(Skip, "annotator", "reason", "created_at", **_ITEM),
    "reports": part(Report, "reporter", "note", "created_at", **_ITEM),
    # Not the note that it answers: another person wrote it.
    "reports_answered": part(Report, "answered_by", "answer", "reason", "answered_at", **_ITEM),
    "replacements": part(Replacement, "reviewer", "note", "created_at", **_ITEM, **_CATEGORY),
    "picture_texts": part(PictureText, "member", "text", "created_at", **_ITEM),
    "opt_outs": part(
        OptOut,
        "member",
        *("target_group", "severity", "created_at", "ended_at"),
        project="member__project__slug",
        category="category__name",
    ),
    "check_ins": part(CheckIn, "member", "day", "mood", "at", project="member__project__slug"),
    "work_days": part(
        WorkDay,
        "member",
        *("day", "active_seconds", "labels", "skips", "shown", "severe", "breaks", "session_since", "last_act_at"),
        project="member__project__slug",
    ),
    "training": part(
        TrainingAttempt,
        "member",
        *("number", "started_at", "finished_at", "correct", "answered", "total", "passed"),
        project="member__project__slug",
    ),
    "training_answers": part(
        TrainingAnswer,
        "attempt__member",
        *("not_sure", "skipped", "correct", "at"),
        **_ITEM,
        attempt="attempt__number",
        **_CATEGORY,
    ),
    "searches": part(SavedSearch, "member", "name", "query", "shared", "created_at", project="project__slug"),
    "guidelines_written": part(Guideline, "author", "number", "summary", "text", "created_at", project="project__slug"),
    # What the entry says now may be another person's; each version is its writer's own.
    "glossary_entries": part(GlossaryEntry, "author", "public_id", "created_at", project="project__slug"),
    "glossary_versions": part(
        GlossaryVersion, "member", "number", "values", "at", project="project__slug", entry="entry__public_id"
    ),
    "adjudications": part(
        Adjudication,
        "reviewer",
        *("ruling", "corrections", "target_group", "rationale", "message", "created_at"),
        **_ITEM,
        **_CATEGORY,
    ),
    # Not the note of an invitation: it says who somebody else is.
    "invitations_made": part(
        Invitation, "created_by", *_ROLES, "created_at", "expires_at", "revoked_at", project="project__slug"
    ),
    "invitations_accepted": part(Invitation, "accepted_by", *_ROLES, "accepted_at", project="project__slug"),
    "imports": part(
        Import, "started_by", "file_name", "size", "sha256", "options", "state", "created_at", project="project__slug"
    ),
    "bulk_changes": part(
        BulkOrder, "ordered_by", "act", "options", "query", "state", "created_at", project="project__slug"
    ),
    "competence_estimates": part(
        CompetenceEstimate, "ordered_by", "method", "state", "created_at", project="project__slug"
    ),
    "picture_readings": part(PictureReading, "ordered_by", "again", "state", "created_at", project="project__slug"),
    "release_orders": part(ReleaseOrder, "ordered_by", "options", "state", "created_at", project="project__slug"),
    "releases": part(Release, "created_by", "number", "options", "created_at", project="project__slug"),
    "split_lists": part(SplitList, "created_by", "name", "created_at", project="project__slug"),
    "publications": part(
        Publication,
        "published_by",
        *("published_at", "withdrawn_at"),
        project="release__project__slug",
        release="release__number",
    ),
    # Not who asked for the release, and why: that is about them.
    "access_decided": part(
        AccessRequest, "decided_by", "state", "reason", "decided_at", project="publication__release__project__slug"
    ),
    "webhooks": part(Webhook, "created_by", "address", "happenings", "created_at", project="project__slug"),
    "events": part(Event, "actor", "verb", "at", "row", "facts", project="project__slug", item="item__public_id"),
    "deletions_asked": part(Deletion, "asked_by", "asked_at", "due_at", "cancelled_at", project="slug"),
    "mails": part(Mail, "user", "kind", "state", "created_at", "finished_at", project="project__slug"),
    "addresses": part(EmailAddress, "user", "email", "verified", "primary"),
    "sign_ins_elsewhere": part(SocialAccount, "user", "provider", "uid", "extra_data", "date_joined", "last_login"),
    "second_steps": part(Authenticator, "user", "type", "created_at", "last_used_at"),
    "sessions": part(OpenSession, "user", "browser", "place", "began_at", "used_at"),
    "tokens": part(AuthToken, "user", "created", "expiry"),
    # Not what the entry says of a row: it may name another person.
    "administration": part(LogEntry, "user", "action_time", "action_flag"),
}
"""The rows of this app and of accounts; other apps register theirs (`Extension.personal_data`)."""

OWN_FACTS: dict[str, tuple[str, ...]] = {
    EventVerb.CONSENTED: ("version",),
    EventVerb.WITHDREW: ("labels",),
    EventVerb.CORRECTED: ("revision",),
    EventVerb.LABELLED: ("revision",),
    EventVerb.TRAINING_FINISHED: ("correct", "answered", "total", "passed"),
    EventVerb.WITHDRAW_ITEM: ("reason",),
    EventVerb.REPORT_ANSWERED: ("answer", "reason"),
    EventVerb.GUIDELINES_WRITTEN: ("number", "asks_reading"),
    EventVerb.GLOSSARY_PROPOSED: ("term",),
    EventVerb.GLOSSARY_APPROVED: ("term",),
    EventVerb.GLOSSARY_CHANGED: ("version",),
    EventVerb.RELEASED: ("version", "items"),
    EventVerb.RELEASE_PUBLISHED: ("version",),
    EventVerb.RELEASE_TAKEN_BACK: ("version",),
}
"""The facts of an event that are the person's own. Others tell of items and of other people: what an item was decided
as, its known answer, who held its seat."""

NO_PART = {
    "annotation.Membership": "the file lists memberships by themselves",
    "annotation.Batch_members": "an annotator is not told in which batch an item is (T2)",
    "annotation.User_groups": "the site uses no groups of the administration",
    "annotation.User_user_permissions": "the site uses no permissions of the administration",
    "moderation.Lease": "a reviewer's hold on an item, which ends within minutes",
    "generation.Sample_seen_by": "it says that an item is a sample, which an annotator is not told (T2)",
}
"""Models that refer to a person and are in no part, each with its reason."""
