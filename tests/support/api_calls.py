"""For every operation of the API one call that is accepted: who makes it, with which body, and what comes back.

The rows stand beside those of `site_addresses.ROUTES`; a row may name other parts of the URL than the route's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.core.files.base import ContentFile
from django.test import override_settings
from django.utils import timezone

from annotation.consensus.close import close_item
from annotation.domain.choices import BatchState, PriorArm, Role, Stage
from annotation.domain.design.file import as_json
from annotation.members.invitations import invite
from annotation.models import Batch, Item, Membership, PostponedSeat, Seat, User
from annotation.projects.design import design_of
from builders import make_item, make_labelled_item, make_member, make_picture, make_project
from checked_claims import make_check
from generation.counterspeech import approve, compare, replies, request
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.preferences import Choice, Criterion
from generation.injection import settings as injection_settings
from generation.models import Candidate, Exchange, Reply
from moderation.debates import start as debate_start
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.hatexscore import start as score_start
from moderation.models import Evidence, Proposal
from rows_of_every_model import search_for_evidence
from runs.execution import runner, worker
from runs.models import Run
from site_addresses import ROUTES
from site_objects import (
    A,
    D,
    Parts,
    R,
    World,
    project,
    the_batch,
    the_exchange,
    the_member,
    the_reply,
    the_report,
    the_sample,
)

Body = Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True)
class Call:
    """One call that is accepted. `role` is who makes it; without `parts` the address is the route's own."""

    role: Role
    status: int = 200
    body: Body = lambda world: {}
    parts: Parts | None = None

    def address_parts(self, name: str, world: World) -> Mapping[str, Any]:
        """Return the parts of the URL; the rows that they name are made where they are missing."""
        return (self.parts or ROUTES[name].parts)(world)


def fixed(**fields: Any) -> Body:
    return lambda world: fields


def new_key(**fields: Any) -> Body:
    return lambda world: {"key": str(uuid4()), **fields}


def an_answer(world: World) -> Mapping[str, Any]:
    version = Item.objects.get(public_id=the_report(world)["public_id"]).version
    return {"answer": "kept_out", "reason": "It is to stay out.", "version": version}


def the_gold_item(world: World) -> dict[str, Any]:
    return {**project(world), "public_id": Item.objects.get(external_id="canary-external-id-4").public_id}


def an_unsure_item(world: World) -> dict[str, Any]:
    """Return a disputed item at which somebody was not sure."""
    people = [make_member(world.project) for _ in range(3)]
    item = make_labelled_item(world.project, people, [1, None, 2], external_id="unsure")
    close_item(item)
    return {**project(world), "public_id": item.public_id}


def a_post_that_waits_for_nobody(world: World) -> dict[str, Any]:
    """Return the project, with a disputed post that no model is at work on."""
    people = [make_member(world.project) for _ in range(3)]
    close_item(make_labelled_item(world.project, people, [0, 1, 2], external_id="divided"))
    return dict(project(world))


def the_proposal(world: World) -> dict[str, Any]:
    """Return a disputed post about which the reviewer's decision waits for a second one."""
    world.item.refresh_from_db()
    Proposal.objects.create(
        item=world.item, item_version=world.item.version, round=world.item.round, place=1, ruling="exclude",
        reviewer=world.members[R], rationale="The roses.", client_key=uuid4(), body_sha256="0" * 64,
    )  # fmt: skip
    return dict(ROUTES["runs-api:dispute-decide"].parts(world))


def a_seat_with_hidden_priors(world: World) -> dict[str, Any]:
    """Return a seat whose priors open after a first answer."""
    parts = dict(ROUTES["api:seat-first-answer"].parts(world))
    Seat.objects.filter(public_id=parts["seat"]).update(prior_arm=PriorArm.HIDDEN)
    return parts


def a_seat_with_a_picture(world: World) -> dict[str, Any]:
    picture = make_picture(world.project)
    picture.blurred.save("pictures/canary-b.jpg", ContentFile(b"drawn"))
    Item.objects.filter(pk=world.open_item.pk).update(picture=picture)
    return {**project(world), "seat": world.seat.public_id}


def a_seat_in_front(world: World) -> dict[str, Any]:
    parts = dict(ROUTES["api:seat-later"].parts(world))
    Seat.objects.filter(public_id=parts["seat"]).update(shown_at=timezone.now())
    return parts


def a_seat_put_aside(world: World) -> dict[str, Any]:
    a_seat_in_front(world)
    PostponedSeat.objects.create(seat=world.seat, member=world.members[A])
    return project(world)


def a_finished_run(world: World) -> dict[str, Any]:
    """Return a debate that the keyword model carried through."""
    with override_settings(MODEL_BINDINGS={}, OPENAI_API_KEY=""):
        items = Item.objects.filter(pk=world.item.pk)
        items.update(text="All immigrants are vermin.")  # an open cue: the case comes to a judge
        debate_start.start_runs(world.project, items, debate_start.DebateRequest("arcade", {}, {}), world.members[R])
        run = Run.objects.latest("pk")
        runner.claim_and_perform(run.pk, worker.planned_model)
    return {**project(world), "public_id": run.public_id}


def an_investigation(world: World) -> dict[str, Any]:
    """Return an investigation that the keyword model judged without any page."""
    with override_settings(MODEL_BINDINGS={}, OPENAI_API_KEY=""):
        wish = debate_start.DebateRequest("antihateagent", {"retrieval": "none"}, {})
        debate_start.start_runs(world.project, Item.objects.filter(pk=world.item.pk), wish, world.members[R])
        run = Run.objects.latest("pk")
        runner.claim_and_perform(run.pk, worker.planned_model)
    return {**project(world), "public_id": run.public_id}


def an_item_with_evidence(world: World) -> dict[str, Any]:
    """Return an item of whose investigation one card is left and one was struck."""
    search_for_evidence(world)
    return {**project(world), "public_id": world.item.public_id}


def a_struck_card(world: World) -> dict[str, Any]:
    search_for_evidence(world)
    return {**project(world), "public_id": Evidence.objects.get(struck_at__isnull=False).public_id}


def a_stopped_run(world: World) -> dict[str, Any]:
    """Return a debate that failed."""
    parts = a_finished_run(world)
    Run.objects.filter(public_id=parts["public_id"]).update(state="failed", reason="provider_error", outcome=None)
    return parts


def a_scored_item(world: World) -> dict[str, Any]:
    """Return an item with one explanation that is scored."""
    pasted = score_start.pasted("“garden” is hateful to immigrants.", True)
    given = Scoring(estimator=Estimator.GIVEN, p=0.9, p_masked=0.1)
    score_start.start(world.item, pasted, given)
    return {**project(world), "public_id": world.item.public_id}


def the_approved_reply(world: World) -> dict[str, Any]:
    parts = the_reply(world)
    approve.approve(Reply.objects.get(public_id=parts["public_id"]), world.members[R], "It is short and kind.")
    return parts


def an_own_draft_with_a_source(world: World) -> dict[str, Any]:
    """Return a draft of the caller with a claim that a source supports."""
    author = world.members[R]
    reply = replies.begin(request.open_on_item(world.item), author, Intent.INFORMATIVE)
    replies.write(reply, author, "Ten of them sing.", Intent.INFORMATIVE, reply.version)
    make_check(world.item, "Ten of them sing.", True, "supports")
    return {**project(world), "public_id": reply.public_id}


def an_approved_reply(world: World) -> dict[str, Any]:
    the_approved_reply(world)
    return project(world)


def the_desk(world: World) -> Exchange:
    return Exchange.objects.get(public_id=the_exchange(world)["public_id"])


def an_explained_exchange(world: World) -> dict[str, Any]:
    """Return a post with a person's explanations."""
    texts = dict.fromkeys(Explanation, "That people are weeds.")
    replies.keep_explanations(the_desk(world), world.members[R], texts, ["weeds"], 0)
    return the_exchange(world)


def the_candidates(world: World) -> list[Candidate]:
    """Return two candidates of one post, intent and run."""
    run_id, exchange = world.run.public_id, the_desk(world)
    fields = {"run_id": run_id, "model": "m", "prompt_digest": "d", "flags": ["toxic"], "pc": -0.5, "reward": 0.5}
    return [
        Candidate.objects.get_or_create(
            exchange=exchange,
            intent="positive",
            place=place,
            defaults={**fields, "rank": place, "text": f"Kind {place}."},
        )[0]
        for place in (1, 2)
    ]


def two_candidates(world: World) -> dict[str, Any]:
    the_candidates(world)
    return project(world)


def an_answered_exchange(world: World) -> dict[str, Any]:
    the_candidates(world)
    return the_exchange(world)


def a_rating(world: World) -> dict[str, Any]:
    left, right = the_candidates(world)
    return {"left": str(left.public_id), "right": str(right.public_id), **dict.fromkeys(map(str, Criterion), "tie")}


def a_comparison(world: World) -> dict[str, Any]:
    """Return a project with one stored comparison of two models."""
    first, second = the_candidates(world)
    Candidate.objects.filter(pk=second.pk).update(model="n")
    compare.choose(compare.Pair(first, second), world.members[R], dict.fromkeys(map(str, Criterion), Choice.FIRST))
    return project(world)


def a_draft(world: World) -> dict[str, Any]:
    """Return a draft of the reviewer from a candidate."""
    candidate = the_candidates(world)[0]
    reply = replies.begin(the_desk(world), world.members[R], Intent.POSITIVE, candidate)
    return {**project(world), "public_id": reply.public_id}


def a_submitted_reply(world: World) -> dict[str, Any]:
    parts = a_draft(world)
    replies.submit(Reply.objects.get(public_id=parts["public_id"]), world.members[R])
    return parts


def a_design(world: World) -> dict[str, Any]:
    """Return the project's design without one category, which is then retired, and with a further question."""
    shown = as_json(design_of(world.project))
    scale = {"code": "severity", "kind": "scale", "points": 5, "low": {"": "mild", "ko": "약함"}, "when": [1, 2]}
    question = {"": "It says", "ko": "이 글은"}
    return {**shown, "categories": shown["categories"][:-1], "question": question, "questions": [scale]}


def a_new_project(world: World) -> dict[str, Any]:
    """Return the body of a new project; the world's admin is staff of the site from now on."""
    User.objects.filter(pk=world.members[D].user_id).update(is_staff=True)
    return {"slug": "new", "name": "New", "seats": 2, "design": as_json(design_of(world.project))}


def an_open_batch(world: World) -> dict[str, Any]:
    parts = the_batch(world)
    Batch.objects.filter(public_id=parts["public_id"]).update(state=BatchState.OPEN)
    return parts


def an_invitation_of_another_project(world: World) -> dict[str, Any]:
    return {"token": invite(make_member(make_project("inviting"), D), [A]).token}


def somebody_who_left(world: World) -> dict[str, Any]:
    Membership.objects.filter(pk=world.other.pk).update(active=False)
    return the_member(world)


def an_untouched_item(world: World) -> dict[str, Any]:
    item = make_item(world.project, stage=Stage.READY, external_id="untouched")
    return {**project(world), "public_id": item.public_id}


def an_untouched_line(world: World) -> dict[str, Any]:
    an_untouched_item(world)
    return {"purpose": "check", "posts": [{"id": "untouched", "category": "1", "explanation": "Weeds are people."}]}


def a_plan(world: World) -> dict[str, Any]:
    pool = the_sample(world) and "canary-pool"
    entry = {"pattern": "010", "category": 0, "strategy": "contextual_inversion", "target_group": "newcomers"}
    return {"plan": [{**entry, "pool": pool, "count": 1}]}


def a_decision(world: World) -> dict[str, Any]:
    world.item.refresh_from_db()
    fields = {"ruling": "decide", "category": 1, "rationale": "The roses."}
    return {**fields, "version": world.item.version, "key": str(uuid4())}


def a_statement(world: World) -> dict[str, Any]:
    """Return the fields that a statement of reasons needs at least."""
    return {
        "decision_visibility": "Removed", "decision_ground": "incompatible", "incompatible_content_ground": "Rule 1",
        "incompatible_content_explanation": "It insults.", "content_type": ["text"], "category": "hate",
        "application_date": "2026-01-31", "decision_facts": "Three people read it.", "source_type": "own initiative",
        "automated_decision": "not automated", "puid": "canary-1",
    }  # fmt: skip


PASTED = fixed(
    explanation="pasted", text="“garden” is hateful.", prediction="hateful", estimator="given", p=1, p_masked=0
)

CALLS: dict[tuple[str, str], Call] = {
    ("get", "api:projects"): Call(A),
    ("post", "api:projects"): Call(D, 201, a_new_project),
    ("get", "api:project"): Call(A),
    ("get", "api:settings"): Call(D),
    ("patch", "api:settings"): Call(D, body=fixed(order="hard", daily_goal=40)),
    ("put", "api:open"): Call(D, body=fixed(open=False)),
    ("get", "api:members"): Call(D),
    ("post", "api:members"): Call(D, 201, fixed(username="somebody", role="annotator")),
    ("get", "api:member"): Call(D),
    ("patch", "api:member"): Call(D, body=fixed(roles=["annotator", "reviewer"], name="heron", quota=None)),
    ("post", "api:member-end"): Call(D),
    ("post", "api:member-again"): Call(D, parts=somebody_who_left),
    ("get", "api:invitations"): Call(D),
    ("post", "api:invitations"): Call(D, 201, fixed(roles=["annotator"], days=7, note="For the new one.")),
    ("post", "api:invitation-end"): Call(D),
    ("get", "api:webhooks"): Call(D),
    ("post", "api:webhooks"): Call(D, 201, fixed(address="https://example.org/hook", happenings=["run.ended"])),
    ("get", "api:webhook"): Call(D),
    ("patch", "api:webhook"): Call(D, body=fixed(happenings=["item.closed"])),
    ("delete", "api:webhook"): Call(D, 204),
    ("post", "api:webhook-test"): Call(D, 202),
    ("post", "api:webhook-secret"): Call(D),
    ("post", "api:invitation-accept"): Call(A, body=an_invitation_of_another_project),
    ("get", "api:consent"): Call(A),
    ("post", "api:consent"): Call(A, body=fixed(version=1)),
    ("get", "api:guidelines"): Call(R),
    ("post", "api:guidelines"): Call(
        D,
        201,
        fixed(
            text="# New",
            begun_at=1,
            summary="All of it.",
            examples=[{"text": "A post.", "category": 1, "why": "It insults."}],
        ),
    ),
    ("get", "api:guideline-newest"): Call(A),
    ("get", "api:guideline"): Call(R),
    ("post", "api:guideline-read"): Call(A, 204),
    ("get", "api:training"): Call(D),
    ("patch", "api:training"): Call(D, body=fixed(training_pass_percent=75, training_required=True)),
    ("get", "api:training-posts"): Call(D),
    ("post", "api:training-posts"): Call(D, body=an_untouched_line),
    ("get", "api:training-people"): Call(D),
    ("post", "api:training-person"): Call(D, body=fixed(act="attempt")),
    ("get", "api:item-known"): Call(D),
    ("put", "api:item-known"): Call(
        D, body=fixed(category=2, explanation="It speaks of weeds.", purpose="training"), parts=an_untouched_item
    ),
    ("patch", "api:item-known"): Call(D, body=fixed(active=False)),
    ("delete", "api:item-known"): Call(D, 204),
    ("get", "api:design"): Call(D),
    ("put", "api:design"): Call(D, body=a_design),
    ("get", "api:items"): Call(D),
    ("get", "api:item"): Call(D),
    ("get", "api:item-priors"): Call(D, parts=lambda world: {**project(world), "public_id": world.open_item.public_id}),
    ("post", "api:next"): Call(A),
    ("post", "api:seat-label"): Call(A, body=new_key(category=1, seconds=3.5)),
    ("post", "api:seat-first-answer"): Call(A, body=fixed(category=1), parts=a_seat_with_hidden_priors),
    ("post", "api:seat-skip"): Call(A, 204, fixed(reason="")),
    ("post", "api:seat-later"): Call(A, 204, fixed(), parts=a_seat_in_front),
    ("post", "api:later"): Call(A, 200, fixed(), parts=a_seat_put_aside),
    ("post", "api:seat-report"): Call(A, body=fixed(note="")),
    ("get", "api:reports"): Call(D),
    ("post", "api:report-answer"): Call(D, body=an_answer),
    ("get", "api:seat-blurred"): Call(A, parts=a_seat_with_a_picture),
    ("get", "api:seat-picture"): Call(A, parts=a_seat_with_a_picture),
    ("get", "api:labels"): Call(A),
    ("put", "api:label"): Call(A, body=new_key(category=2)),
    ("post", "api:import"): Call(D, 201, fixed(rows=[{"id": "new-1", "text": "A post."}])),
    ("get", "api:priors"): Call(D),
    ("post", "api:priors"): Call(D, 202),
    ("get", "api:releases"): Call(D),
    ("post", "api:releases"): Call(D, 201),
    ("get", "api:release"): Call(D),
    ("get", "api:release-file"): Call(D),
    ("get", "api:split-lists"): Call(D),
    ("post", "api:split-lists"): Call(D, 201, fixed(name="mine", parts={"canary-external-id": "train"})),
    ("get", "api:split-list"): Call(D),
    ("get", "api:batches"): Call(D),
    ("post", "api:batches"): Call(D, body=fixed(name="canary-batch")),
    ("get", "api:batch"): Call(D),
    ("patch", "api:batch"): Call(D, body=lambda world: {"priority": 3, "members": [str(world.members[A].public_id)]}),
    ("post", "api:batch-act"): Call(D, body=fixed(act="pause"), parts=an_open_batch),
    ("get", "api:quotas"): Call(D),
    ("patch", "api:quotas"): Call(
        D, body=lambda world: {"quota": 50, "people": [{"id": str(world.members[A].public_id), "own": 5}]}
    ),
    ("get", "api:agreement"): Call(D),
    ("get", "api:influence"): Call(D),
    ("get", "api:labels-given"): Call(D),
    ("get", "api:hours"): Call(D),
    ("get", "api:quality"): Call(D),
    ("get", "api:competence"): Call(D),
    ("post", "api:competence"): Call(D, 202),
    ("get", "api:care"): Call(D),
    ("patch", "api:care"): Call(D, body=fixed(severe_a_day=None, severe_in_row=2)),
    ("get", "api:withheld"): Call(D),
    ("put", "api:withheld"): Call(D, body=fixed(percent=20)),
    ("get", "runs-api:runs"): Call(R),
    ("post", "runs-api:runs"): Call(R, 202, fixed(method="arcade", items=["canary-external-id"])),
    ("get", "runs-api:run"): Call(R, parts=a_finished_run),
    ("post", "runs-api:run-cancel"): Call(R),
    ("post", "runs-api:run-retry"): Call(R, 202, parts=a_stopped_run),
    ("post", "runs-api:run-judge"): Call(R, 202, fixed(judge="keyword:cues-1"), a_finished_run),
    ("post", "runs-api:run-judge-evidence"): Call(R, 202, parts=an_investigation),
    ("get", "runs-api:evidence"): Call(R, parts=an_item_with_evidence),
    ("get", "runs-api:text-evidence"): Call(R),
    ("post", "runs-api:text-evidence"): Call(R, 202, fixed(claim="Ten canaries came.", options={"retrieval": "none"})),
    ("post", "runs-api:evidence-strike"): Call(R, 200, fixed(reason="It is about plants.")),
    ("post", "runs-api:evidence-restore"): Call(R, 200, parts=a_struck_card),
    ("get", "runs-api:disputes"): Call(R),
    ("post", "runs-api:dispute-next"): Call(R, parts=a_post_that_waits_for_nobody),
    ("get", "runs-api:dispute"): Call(R),
    ("post", "runs-api:dispute-decide"): Call(R, 200, a_decision),
    ("delete", "runs-api:dispute-decide"): Call(R, 204, parts=the_proposal),
    ("post", "runs-api:dispute-set-aside"): Call(R, 201, fixed(note="Ask the lead.")),
    ("delete", "runs-api:dispute-set-aside"): Call(R, 204),
    ("post", "runs-api:dispute-fill"): Call(R, 200, fixed(category=1), an_unsure_item),
    ("get", "runs-api:decisions"): Call(R),
    ("get", "runs-api:appeals"): Call(R),
    ("post", "runs-api:appeal"): Call(D, 201, fixed(grounds="It is a joke."), the_gold_item),
    ("get", "runs-api:statement"): Call(D, parts=the_gold_item),
    ("post", "runs-api:statement"): Call(D, 201, a_statement, the_gold_item),
    ("get", "runs-api:item-scores"): Call(R, parts=a_scored_item),
    ("post", "runs-api:item-scores"): Call(R, 202, PASTED),
    ("get", "runs-api:score"): Call(R),
    ("get", "runs-api:group-lists"): Call(R),
    ("post", "runs-api:group-lists"): Call(R, 201, fixed(name="mine", groups={"place": ["neighbours"]})),
    ("delete", "runs-api:group-list"): Call(R, 204),
    ("get", "generation-api:counterspeech"): Call(R),
    ("post", "generation-api:counterspeech"): Call(R, 202, fixed(text="The weeds choke our roses.")),
    ("get", "generation-api:postings"): Call(R),
    ("post", "generation-api:postings"): Call(
        D, 201, fixed(platform="x", address="https://x.example/1", posted_at="2026-01-02T03:04Z"), the_approved_reply
    ),
    ("post", "generation-api:posting-checks"): Call(R, 201, fixed(after="after_a_day", answered=True, reactions=3)),
    ("get", "generation-api:reply-figures"): Call(D, parts=an_approved_reply),
    ("get", "generation-api:library"): Call(R),
    ("post", "generation-api:library"): Call(
        D, body=lambda world: {"entry": str(the_reply(world)["public_id"])}, parts=an_approved_reply
    ),
    ("get", "generation-api:first-steps"): Call(R),
    ("post", "generation-api:first-steps"): Call(
        R,
        201,
        lambda world: {"exchange": str(the_exchange(world)["public_id"]), "choice": "report", "reasons": ["threat"]},
    ),
    ("get", "generation-api:replies"): Call(D, parts=an_approved_reply),
    ("get", "generation-api:replies-all"): Call(R, parts=an_approved_reply),
    ("get", "generation-api:exchanges"): Call(R, parts=lambda world: the_exchange(world) and project(world)),
    ("post", "generation-api:exchanges"): Call(
        R, 201, fixed(text="Ask @weed_hater about the weeds.", masks=["handles"])
    ),
    ("get", "generation-api:exchange"): Call(R, parts=an_explained_exchange),
    ("patch", "generation-api:exchange"): Call(R, body=fixed(target_group="Canaries", theme="noise")),
    ("post", "generation-api:explain"): Call(R, 202),
    ("get", "generation-api:translation"): Call(R),
    ("post", "generation-api:translation"): Call(R, 202, fixed(of="post", language="ko")),
    ("get", "generation-api:costs"): Call(R),
    ("get", "generation-api:explanations"): Call(R, parts=an_explained_exchange),
    ("post", "generation-api:explanations"): Call(
        R, 201, fixed(begun_at=0, implication="That people are weeds.", insults=["weeds"])
    ),
    ("get", "generation-api:candidates"): Call(R, parts=an_answered_exchange),
    ("post", "generation-api:candidates"): Call(R, 202, fixed(intents=["positive"], candidates=2)),
    ("post", "generation-api:cancel"): Call(R),
    ("post", "generation-api:reply-begin"): Call(R, 201, fixed(intent="positive")),
    ("get", "generation-api:reply"): Call(R),
    ("patch", "generation-api:reply"): Call(
        R, body=fixed(version=1, text="Roses for all.", registers=["humor"]), parts=a_draft
    ),
    ("delete", "generation-api:reply"): Call(R, 204, parts=a_draft),
    ("post", "generation-api:reply-submit"): Call(R, parts=a_draft),
    ("post", "generation-api:reply-take-back"): Call(R, parts=a_submitted_reply),
    ("post", "generation-api:reply-score"): Call(R, 202, fixed(again=True)),
    ("post", "generation-api:reply-approve"): Call(R, body=fixed(version=1, reason="It is short and kind.")),
    ("post", "generation-api:reply-return"): Call(R, body=fixed(version=1, comment="Name the street.")),
    ("post", "generation-api:reply-comment"): Call(R, 201, fixed(text="Which street is it?")),
    ("post", "generation-api:comparisons"): Call(R, 201, a_rating),
    ("get", "generation-api:comparison-next"): Call(R, parts=two_candidates),
    ("get", "generation-api:comparison-results"): Call(R, parts=a_comparison),
    ("get", "generation-api:dataset"): Call(R, parts=an_approved_reply),
    ("get", "generation-api:dataset-file"): Call(D),
    ("get", "generation-api:rules"): Call(D),
    ("patch", "generation-api:rules"): Call(D, body=fixed(weight_t=2, lexicon=["weeds", "pests"])),
    ("post", "generation-api:reply-claim"): Call(
        D, body=fixed(state="without_source", reason="Everybody in the street can see that.")
    ),
    ("post", "generation-api:post-claim"): Call(
        D, body=fixed(state="without_source", reason="Everybody in the street can see that.")
    ),
    ("get", "generation-api:post-claims"): Call(R),
    ("post", "generation-api:reply-sources"): Call(R, parts=an_own_draft_with_a_source),
    ("post", "generation-api:reply-withdraw"): Call(D, body=fixed(reason="It names a study that there is not.")),
    ("post", "generation-api:reply-correct"): Call(
        D, 201, fixed(reason="The figure is wrong.", text="Be kind to roses."), the_approved_reply
    ),
    ("get", "generation-api:injection"): Call(D),
    ("post", "generation-api:injection"): Call(D, 202, a_plan),
    ("post", "generation-api:injection-switch"): Call(
        D, body=fixed(on=True, terms_version=injection_settings.TERMS_VERSION)
    ),
    ("get", "generation-api:injection-batch"): Call(D),
    ("get", "generation-api:samples"): Call(R),
    ("get", "generation-api:sample"): Call(R),
    ("post", "generation-api:sample"): Call(R, body=fixed(decision="reject", reason="Not needed.")),
    ("get", "generation-api:injection-report"): Call(R),
}
