"""Every field of a query, a form and a body that names an object: a request, and the object of each project.

`value` returns what names the object of a world; `sent` returns the fields of a request of the project `here` that
names it. With the own object the request is accepted, so a refusal of another one is a refusal of the object.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.models import Batch, BulkOrder, Item, Label, Membership, Prior, ReleaseOrder
from annotation.review import adjudicate
from api_calls import a_decision, the_proposal
from builders import category, make_item, make_labelled_item, make_member
from checked_claims import make_check
from generation.domain.counterspeech.preferences import Criterion
from generation.models import Candidate, Exchange, Exemplar, InjectionBatch, PicturePool
from moderation.hatexscore.explanations import explanations
from moderation.models import Evidence, Proposal, Score
from runs.models import Run
from site_objects import (
    A,
    D,
    Parts,
    R,
    World,
    the_card,
    the_change,
    the_exchange,
    the_group_list,
    the_perspective,
    the_reply,
    the_sample,
    the_score,
    the_split_list,
    the_text,
)

Value = Callable[[World], Any]


@dataclass(frozen=True)
class Named:
    """A field that names an object, and who sends it where."""

    role: Role
    method: str
    route: str
    field: str
    value: Value
    sent: Callable[[World, Any], Mapping[str, Any]]
    query: str = ""  # the name that it has in the query of the address, beside the form

    @property
    def is_key(self) -> bool:
        """Whether it is the key of a form, by which a second click is known: one of another project is a new one."""
        return self.field == "key" and self.route != "moderation:score-start"

    def __str__(self) -> str:
        return f"{self.method} {self.route} {self.field}"


# ── The objects ───────────────────────────────────────────────────────────────


def a_proposal(world: World) -> str:
    the_proposal(world)
    return str(Proposal.objects.get(item=world.item).public_id)


def annotator(world: World) -> str:
    return str(world.members[A].public_id)


def reviewer(world: World) -> str:
    return str(world.members[R].public_id)


def pseudonym(world: World) -> str:
    return Membership.objects.get(pk=world.other.pk).pseudonym


def external_id(world: World) -> str:
    return str(Item.objects.get(pk=world.open_item.pk).external_id)


def gold_id(world: World) -> str:
    return str(Item.objects.get(project=world.project, external_id__startswith="canary-external-id-4").external_id)


def untouched_id(world: World) -> str:
    """Return the id of a post that may become a known answer."""
    name = f"untouched-{world.number}"
    item = Item.objects.filter(project=world.project, external_id=name).first()
    return str((item or make_item(world.project, stage=Stage.READY, external_id=name)).external_id)


def posts_batch(world: World) -> str:
    """Return the name of a batch that holds posts."""
    Batch.objects.get_or_create(project=world.project, name=f"posts-{world.number}")
    Item.objects.filter(pk__in=(world.open_item.pk, world.item.pk)).update(batch=f"posts-{world.number}")
    return f"posts-{world.number}"


def team(world: World) -> int:
    """Return the key of a batch that is limited to people."""
    return Batch.objects.get_or_create(project=world.project, name=f"team-{world.number}", limited=True)[0].pk


def team_id(world: World) -> str:
    return str(Batch.objects.get(pk=team(world)).public_id)


def run(world: World) -> str:
    return str(world.run.public_id)


def _check(world: World) -> Run:
    """Return a check of a claim in a pasted post, with a card."""
    text = Exchange.objects.get(public_id=the_text(world)["public_id"])
    known = Run.objects.filter(project=world.project.public_id, subject=text.public_id).first()
    return known or make_check(text, "Nothing of it.", None, "supports")


def run_on_a_text(world: World) -> str:
    return str(_check(world).public_id)


def a_card_of_a_text(world: World) -> str:
    return str(Evidence.objects.get(run=_check(world).public_id).public_id)


def another_run(world: World) -> str:
    """Return a second run on the item of `run`."""
    row = Run.objects.filter(project=world.project.public_id, subject=world.item.public_id, variant="second").first()
    if row is None:
        row = Run.objects.get(pk=world.run.pk)
        row.pk, row.public_id, row.variant = None, uuid4(), "second"
        row.save(force_insert=True)
    return str(row.public_id)


def library_entry(world: World) -> str:
    """Return the id of an imported reply of the project."""
    fields = {"hate": "They took it.", "intent": "positive", "text": "Be kind to them."}
    name = f"imported-{world.number}"
    return str(Exemplar.objects.get_or_create(project=world.project, external_id=name, defaults=fields)[0].external_id)


def candidate(place: int) -> Value:
    """Return a function that gives a candidate of the world's exchange."""

    def value(world: World) -> str:
        exchange = Exchange.objects.get(public_id=the_exchange(world)["public_id"])
        fields = {"run_id": uuid4(), "rank": place, "text": f"Be kind. {place}", "model": "m", "prompt_digest": "d"}
        row, _ = Candidate.objects.get_or_create(exchange=exchange, intent="positive", place=place, defaults=fields)
        return str(row.public_id)

    return value


def decision(world: World) -> str:
    """Return a reviewer's decision."""
    made = adjudicate.Adjudication.objects.filter(item__project=world.project).first()
    if made is None:
        item = make_labelled_item(world.project, [make_member(world.project) for _ in range(3)], [0, 1, 2])
        close_item(item)
        item.refresh_from_db()
        key = adjudicate.RulingContext(uuid4())
        adjudicate.decide_item(item, world.members[R], item.version, "So.", category(world.project, 1), {}, key)
        made = adjudicate.Adjudication.objects.get(item=item)
    return str(made.public_id)


def decision_key(world: World) -> str:
    """Return the key that a stored decision was sent with."""
    return str(adjudicate.Adjudication.objects.get(public_id=decision(world)).client_key)


def explanation(world: World) -> str:
    """Return the key of an explanation of the item: that of its prior."""
    fields = {"category": category(world.project, 1), "explanation": "It insults."}
    Prior.objects.get_or_create(item=world.item, modality="text", defaults=fields)
    return explanations(world.item)[0].key


def scored(world: World) -> str:
    """Return an explanation with its score."""
    public_id = the_score(world)["public_id"]
    Score.objects.filter(public_id=public_id).update(state="scored", tgi=1, score=0.5)
    return str(public_id)


def pool(world: World) -> str:
    the_sample(world)
    return PicturePool.objects.get(project=world.project).name


def part(parts: Parts, name: str = "public_id") -> Value:
    """Return a function that gives one part of an address."""
    return lambda world: str(parts(world)[name])


def plain(name: str, **more: Any) -> Callable[[World, Any], Mapping[str, Any]]:
    """Return a function that gives these fields and the value under its name."""
    return lambda world, value: {**more, name: value}


def item_id(world: World) -> str:
    return str(world.item.public_id)


def label_key(world: World) -> str:
    """Return the key that a stored answer was sent with."""
    return str(Label.objects.get(pk=world.label.pk).client_key)


def key_of(model: Any) -> Value:
    """Return a function that gives the key of a stored order."""

    def value(world: World) -> str:
        the_sample(world)  # its batch
        if model is BulkOrder:
            the_change(world)
        return str(model.objects.get(project=world.project).key)

    return value


# ── The requests ──────────────────────────────────────────────────────────────

PLAN = {
    "category": "0",
    "pattern": "010",
    "strategy": "contextual_inversion",
    "target_group": "newcomers",
    "count": "1",
}
EVERY = {"act": "priority", "which": "all"}
TERM = {"term": "sprout", "meaning": "A plant.", "kind": "term"}


def a_change(world: World, item: Any, key: Any) -> dict[str, Any]:
    return {
        "act": "priority",
        "which": "",
        "item": item,
        "confirm": "1",
        "priority": "3",
        "count": "1",
        "key": str(key),
    }


def guidelines(world: World, value: Any) -> dict[str, Any]:
    """Return new guidelines with one example of this category."""
    example = {"text": "A post.", "why": "It insults.", "category": value}
    fields = {"begun_at": 1, "text": "# New", "summary": "All.", "example-TOTAL_FORMS": 1, "example-INITIAL_FORMS": 0}
    return fields | {f"example-0-{name}": value for name, value in example.items()}


def a_ruling(world: World, **more: Any) -> dict[str, Any]:
    return {**a_decision(world), **more}


def groups(person: str, batch: str) -> dict[str, Any]:
    return {"people": person, "size": 1, "how": "assign", "batches": f"b:{batch}"}


def an_answer(world: World, value: Any) -> dict[str, Any]:
    return {"key": value, "category": "1"}


def a_score(world: World, name: str, value: Any) -> dict[str, Any]:
    fields = {"text": "“garden” is hateful.", "prediction": "hateful", "estimator": "given", "p": 1, "p_masked": 0}
    return {**fields, name: value}


def a_category(world: World) -> int:
    return int(category(world.project, 1).pk)


def an_order(world: World, **more: Any) -> dict[str, Any]:
    return {"key": str(uuid4()), "scope": "gold", "formats": "csv", **more}


_POSTED = (
    (D, "annotation:batch-act", "members", annotator, plain("members", do="people", limited="1")),
    (
        D,
        "annotation:batch-teams",
        "people",
        annotator,
        lambda world, value: groups(value, posts_batch(world)),
    ),
    (
        D,
        "annotation:batch-teams",
        "batches",
        posts_batch,
        lambda world, value: groups(annotator(world), value),
    ),
    (D, "annotation:batches-quotas", "quota-", annotator, lambda world, value: {f"quota-{value}": "5"}),
    (D, "annotation:bulk", "item", item_id, lambda world, value: a_change(world, value, uuid4())),
    (D, "annotation:bulk", "query", posts_batch, lambda world, value: {**EVERY, "query": f"batch={value}"}),
    (D, "annotation:open-items", "batch", posts_batch, plain("batch")),
    (A, "annotation:guidelines-read", "number", lambda world: world.number, plain("number")),
    (D, "annotation:bulk", "key", key_of(BulkOrder), lambda world, value: a_change(world, item_id(world), value)),
    (
        D,
        "annotation:invitations",
        "invite-team",
        team,
        plain("invite-team", **{"invite-roles": "annotator", "invite-days": 59}),
    ),
    (D, "annotation:guidelines-edit", "example-0-category", a_category, guidelines),
    (
        D,
        "annotation:releases",
        "frozen",
        part(the_split_list),
        lambda world, value: an_order(world, splits="80/10/10", frozen=value),
    ),
    (D, "annotation:releases", "key", key_of(ReleaseOrder), lambda world, value: an_order(world, key=value)),
    (
        D,
        "annotation:training-setup",
        "lines",
        untouched_id,
        lambda world, value: {"form": "lines", "lines": f"{value},1,So.", "purpose": "check"},
    ),
    (A, "annotation:submit", "key", label_key, an_answer),
    (R, "moderation:desk-item", "drafted_from", run, lambda world, value: a_ruling(world, drafted_from=value)),
    (
        R,
        "moderation:score-start",
        "list",
        part(the_group_list, "name"),
        lambda world, value: {**a_score(world, "list", value), "key": "pasted"},
    ),
    (
        R,
        "moderation:score-start",
        "key",
        explanation,
        lambda world, value: a_score(world, "key", value),
    ),
    (
        R,
        "moderation:item-start",
        "without",
        part(the_perspective, "code"),
        plain("without", method="predict", debate_rounds="1", history="transcripts"),
    ),
    (R, "moderation:desk-aside", "reviewer", reviewer, plain("reviewer")),
    (R, "moderation:desk-item", "replaces", a_proposal, lambda world, value: a_ruling(world, replaces=value)),
    (R, "moderation:desk-item", "key", decision_key, lambda world, value: a_ruling(world, key=value)),
    (R, "moderation:score-review", "score", scored, plain("score", quotes="1", group="1", hateful="0")),
    (R, "generation:reply-begin", "candidate", candidate(1), plain("candidate")),
    (
        R,
        "generation:compare-replies",
        "left",
        candidate(1),
        lambda world, value: a_comparison(left=value, right=candidate(2)(world)),
    ),
    (
        R,
        "generation:compare-replies",
        "right",
        candidate(2),
        lambda world, value: a_comparison(left=candidate(1)(world), right=value),
    ),
    (R, "generation:reply-claim", "card", part(the_card), plain("card", state="supported")),
    (R, "generation:post-claim", "card", a_card_of_a_text, plain("card", state="supported")),
    (R, "generation:library-check", "entry", library_entry, plain("entry")),
    (R, "generation:library-take", "entry", library_entry, plain("entry")),
    (D, "generation:pool-items", "ids", external_id, plain("ids", batch="")),
    (D, "generation:pool-items", "batch", posts_batch, plain("batch", ids="")),
    (D, "generation:injection-add", "pool", pool, plain("pool", **PLAN)),
    (D, "generation:injection-begin", "key", key_of(InjectionBatch), plain("key", language="English")),
)
_CALLED = (
    (D, "patch", "api:batch", "members", annotator, lambda world, value: {"members": [value]}),
    (D, "patch", "api:quotas", "people.id", annotator, lambda world, value: {"people": [{"id": value, "own": 5}]}),
    (D, "post", "api:invitations", "team", team_id, plain("team", roles=["annotator"], days=7)),
    (D, "post", "api:releases", "split_list", part(the_split_list), plain("split_list", splits="80/10/10")),
    (
        D,
        "post",
        "api:training-posts",
        "posts.id",
        untouched_id,
        lambda world, value: {"purpose": "check", "posts": [{"id": value, "category": "1", "explanation": "So."}]},
    ),
    (A, "post", "api:seat-label", "key", label_key, plain("key", category=1, seconds=3.5)),
    (A, "put", "api:label", "key", label_key, plain("key", category=2)),
    (R, "post", "runs-api:dispute-decide", "key", decision_key, lambda world, value: a_ruling(world, key=value)),
    (R, "post", "runs-api:runs", "items", external_id, lambda world, value: {"method": "arcade", "items": [value]}),
    (
        R,
        "post",
        "runs-api:item-scores",
        "list",
        part(the_group_list, "name"),
        lambda world, value: {**a_score(world, "list", value), "explanation": "pasted"},
    ),
    (R, "post", "generation-api:library", "entry", library_entry, plain("entry")),
    (R, "post", "generation-api:first-steps", "item", gold_id, plain("item", choice="leave")),
    (R, "post", "generation-api:first-steps", "exchange", part(the_exchange), plain("exchange", choice="leave")),
    (R, "post", "generation-api:counterspeech", "items", gold_id, lambda world, value: {"items": [value]}),
    (R, "post", "generation-api:exchanges", "item", gold_id, plain("item")),
    (R, "post", "generation-api:reply-begin", "candidate", candidate(1), plain("candidate")),
    (
        R,
        "post",
        "generation-api:comparisons",
        "left",
        candidate(1),
        lambda world, value: a_comparison(left=value, right=candidate(2)(world)),
    ),
    (
        R,
        "post",
        "generation-api:comparisons",
        "right",
        candidate(2),
        lambda world, value: a_comparison(left=candidate(1)(world), right=value),
    ),
    (R, "post", "generation-api:reply-claim", "card", part(the_card), plain("card", state="supported")),
    (R, "post", "generation-api:post-claim", "card", a_card_of_a_text, plain("card", state="supported")),
    (
        D,
        "post",
        "generation-api:injection",
        "plan.pool",
        pool,
        lambda world, value: {"plan": [{**PLAN, "category": 0, "count": 1, "pool": value}]},
    ),
)
_SOURCES = (("run", run), ("evidence", part(the_card)), ("decision", decision), ("item", item_id))
_ASKED = (
    (R, "moderation:compare", "a", run, lambda world, value: {"a": value, "b": another_run(world)}),
    (R, "moderation:compare", "b", another_run, lambda world, value: {"a": run(world), "b": value}),
    (R, "moderation:desk-item", "draft", run, plain("draft")),
    (R, "moderation:desk", "batch", posts_batch, plain("batch")),
    (R, "moderation:evidence", "run", run, plain("run")),
    (R, "moderation:text-evidence", "run", run_on_a_text, plain("run")),
    (R, "generation:exchange", "reply", part(the_reply), plain("reply")),
    (R, "generation:translation", "of", part(the_reply), plain("of")),
    (R, "generation-api:translation", "of", part(the_reply), plain("of")),
    (R, "generation:library", "exchange", part(the_exchange), plain("exchange")),
    (D, "annotation:items", "annotator", pseudonym, plain("annotator")),
    (D, "annotation:items", "batch", posts_batch, plain("batch")),
    (D, "api:items", "annotator", pseudonym, plain("annotator")),
    (D, "api:items", "batch", posts_batch, plain("batch")),
    (D, "api:items", "id", external_id, plain("id")),
    (R, "runs-api:disputes", "batch", posts_batch, plain("batch")),
    (R, "generation-api:replies-all", "item", gold_id, plain("item")),
    (R, "generation-api:replies-all", "exchange", part(the_exchange), plain("exchange")),
    *((R, "annotation:glossary-new", name, value, plain(name)) for name, value in _SOURCES),
)


def a_comparison(**sides: Any) -> dict[str, Any]:
    return sides | dict.fromkeys(map(str, Criterion), "left")


NAMED = (
    *(Named(role, "post", route, name, value, sent) for role, route, name, value, sent in _POSTED),
    *(Named(*row) for row in _CALLED),
    *(Named(role, "get", route, name, value, sent) for role, route, name, value, sent in _ASKED),
    *(
        Named(R, "post", "annotation:glossary-new", name, value, lambda world, value: TERM, query=name)
        for name, value in _SOURCES
    ),
)

TRIED = {
    "FirstStepWish.exchange",
    *("AnswerForm.key", "BatchForm.key", "BulkForm.key", "CorrectedShape.key", "DecisionForm.key", "DecisionShape.key"),
    *("ReleaseForm.key", "SubmissionShape.key", "WholeAnswerShape.key", "ScoreForm.key", "RatingForm.score"),
    *("BatchChangesShape.members", "PeopleForm.members", "TeamsForm.people", "TeamsForm.batches", "OwnQuotaShape.id"),
    *("InvitationForm.team", "InvitationShape.team", "ExampleForm.category", "EntryForm.pool", "PredictForm.without"),
    *("BeginShape.candidate", "RatingShape.left", "RatingShape.right"),
    "ClaimDecision.card",
    "SetAsideForm.reviewer",
    *("DecisionForm.replaces", "DecisionShape.replaces"),
    *("DecisionForm.drafted_from", "ReleaseForm.frozen", "SelectionShape.split_list", "ScoreForm.list"),
}
"""Fields of forms and bodies that a row above sends."""
NO_OBJECTS = {
    "HistoryForm.kind",
    *("AccountForm.groups", "AccountForm.user_permissions"),  # the site admin's form; they belong to the whole site
    *(f"{form}.category" for form in ("AnswerForm", "CategoryChoice", "DecisionForm", "EntryForm", "KeyForm")),
    *(f"{form}.category" for form in ("MissingCategoryForm", "OpinionForm", "PoolFilesForm", "TrainingAnswerForm")),
    *(
        "OptOutForm.categories",
        "OptOutForm.groups",
        "DecisionForm.reason",
        "EntryForm.strategy",
        "ReleaseForm.licences",
    ),
    *("AntiHateAgentForm.engine", "ArcadeForm.judge", "EvaluationForm.judges", "EvaluationForm.methods"),
    *("EvaluationForm.prompts", "InvestigateForm.engine", "InvestigateForm.prompts", "JudgeForm.judge"),
    *("NewProjectForm.template", "PredictForm.debate_judge", "RunFields.prompts", "SettingsForm.prompt_set"),
    "SettingsForm.shown_columns",
    *("StageForm.auxiliary", "StageForm.prompts", "StartForm.auxiliary", "StartForm.prompts"),
}
"""Fields whose choices are codes of the project's own design, words, models or files of the site."""

WORDS = {
    "registers",
    *(
        "act",
        "anew",
        "active",
        "after",
        "again",
        "agree",
        "archived",
        "calls",
        "category",
        "claim",
        "column",
        "sentence",
        "login",
        "count",
        "delete",
    ),
    *("do", "form", "from", "grey", "hand_in", "insults", "intent", "kind", "meaning", "method", "model", "mood"),
    *(
        "on",
        "open",
        "page",
        "q",
        "reader",
        "reason",
        "rule",
        "said",
        "seen",
        "show",
        "shown",
        "source",
        "state",
    ),
    *("status", "strategy", "tab", "template", "term", "terms", "text", "to", "version", "which"),
}
"""What views read from a request by its name, and what names no object: words, numbers, codes of the design."""
