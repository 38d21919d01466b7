"""Statements of reasons: why a post was decided as it was, for the person concerned and for a public register.

The record fills in the fields, a reviewer edits them, and every valid version is stored.
"""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Adjudication, Category, Guideline, Item, Membership, Ruling, Seat, record
from moderation.debates.presenters import debate_runs
from moderation.desk.settings import rules_of
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.statement import FIELDS, FieldKind, Problem, Wrong, cut, problems
from moderation.models import Statement
from runs.domain.states import RunState


class NotDecided(Exception):
    """The item has no final category, so there is no decision to explain."""

    code = "not_decided"


class NotValid(ValueError):
    """The fields are no valid statement; `problems` holds the problem of each wrong field."""

    code = "invalid_statement"

    def __init__(self, problems: Mapping[str, Problem]) -> None:
        super().__init__(", ".join(problems))
        self.problems = problems

    @property
    def sentences(self) -> dict[str, str]:
        """The problem of each wrong field as a sentence."""
        return {name: sentence(problem) for name, problem in self.problems.items()}


_SENTENCES = {
    Wrong.MISSING: gettext_lazy("This field has to be filled in."),
    Wrong.TOO_LONG: gettext_lazy("At most %(about)s characters are allowed."),
    Wrong.BAD_TEXT: gettext_lazy("The text holds a character that cannot be stored: type it again."),
    Wrong.BAD_DAY: gettext_lazy("Write a date as year-month-day, for example 2026-01-31."),
    Wrong.BEFORE: gettext_lazy("The end lies before the day from which the decision applies."),
    Wrong.UNKNOWN_VALUE: gettext_lazy("This is one of: %(about)s."),
    Wrong.BAD_PUID: gettext_lazy("Letters without accents, digits, - and _ only, at most %(about)s of them."),
    Wrong.NO_MEASURE: gettext_lazy("Say what was done: at least one of visibility, money, service or account."),
    Wrong.TOO_MANY: gettext_lazy("At most %(about)s lines."),
}


def sentence(problem: Problem) -> str:
    """Return a sentence that says what is wrong with a field, and what to do."""
    return str(_SENTENCES[problem.wrong]) % {"about": problem.about}


def filled(item: Item) -> dict[str, Any]:
    """Return the fields as the record fills them; fields that only the platform knows stay empty.

    Raises NotDecided.
    """
    if item.stage != Stage.GOLD or item.category is None:
        raise NotDecided
    decision = item.adjudications.filter(ruling=Ruling.DECIDE).order_by("-pk").first()
    runs = debate_runs(item.project).filter(subject=item.public_id, state=RunState.SUCCEEDED)
    decided = decision.created_at if decision else item.gold_at or item.created_at
    lists, categories = rules_of(item.project).value_lists, _categories(item)
    if "category" in lists:  # a platform's list has one value for each statement
        categories = categories[:1]
    if decision is not None:
        runs = runs.filter(finished_at__lte=decision.created_at)
    drafted = decision is not None and decision.drafted_from is not None
    fields: dict[str, Any] = {field.name: _EMPTY[field.kind] for field in FIELDS}
    fields |= {
        "decision_ground": "incompatible",
        "incompatible_content_ground": cut(_ground(item), 500) if item.category.hateful else "",
        "incompatible_content_explanation": cut(decision.rationale if decision else "", 2000),
        "incompatible_content_illegal": False,
        "content_type": [kind for kind, content in (("text", item.text), ("image", item.picture_id)) if content],
        "category": ", ".join(f"{category.code} {category.name}" for category in categories),
        "application_date": f"{decided:%Y-%m-%d}",
        "decision_facts": cut(_facts(item, decision, runs.count()), 5000),
        "source_type": "voluntary own-initiative investigation",
        "automated_detection": runs.exists(),
        "automated_decision": "partially automated" if drafted else "not automated",
        "puid": f"interplay-{item.public_id}",
        "redress": _("You can object to this decision; somebody who did not take part in it will answer."),
    }
    for name, values in lists.items():  # clear values that are not in the platform's list
        value = fields[name]
        fields[name] = (
            [entry for entry in value if entry in values] if isinstance(value, list) else value * (value in values)
        )
    return fields


@short_transaction
def _write(item: Item, author: Membership, fields: Mapping[str, Any]) -> Statement:
    locked = lock_item(item)
    if locked.stage != Stage.GOLD:
        raise NotDecided
    others = Statement.objects.filter(puid=fields["puid"]).exclude(item=locked)
    if others.exists():
        raise IntegrityError
    newest = Statement.objects.filter(puid=fields["puid"]).aggregate(newest=Max("version"))["newest"] or 0
    statement = Statement.objects.create(
        item=locked,
        adjudication=locked.adjudications.filter(ruling=Ruling.DECIDE).order_by("-pk").first(),
        puid=fields["puid"],
        version=newest + 1,
        fields=dict(fields),
        author=author,
    )
    record(
        ModerationVerb.STATEMENT_WRITTEN,
        project=locked.project,
        actor=author,
        item=locked,
        row=statement.public_id,
        version=newest + 1,
    )
    return statement


class PuidTaken(NotValid):
    """The platform's unique id is already used in the statement about another post."""

    code = "puid_taken"

    def __init__(self) -> None:
        super().__init__({"puid": Problem(Wrong.BAD_PUID)})

    @property
    def sentences(self) -> dict[str, str]:
        return {"puid": _("Another statement has this id already; choose one that was never used.")}


def write(item: Item, author: Membership, fields: Mapping[str, Any]) -> Statement:
    """Store a new version of the item's statement.

    Raises NotDecided, NotValid or PuidTaken.
    """
    values = {field.name: fields.get(field.name, _EMPTY[field.kind]) for field in FIELDS}
    if wrong := problems(values, rules_of(item.project).value_lists):
        raise NotValid(wrong)
    try:
        return _write(item, author, values)
    except IntegrityError:
        raise PuidTaken from None


def newest(item: Item) -> Statement | None:
    """Return the newest version of the item's statement.

    Returns None if there is none.
    """
    return Statement.objects.filter(item=item).select_related("author", "adjudication").order_by("-pk").first()


def as_markdown(statement: Statement) -> str:
    """Return the statement as a Markdown document: each filled field under its title."""
    lines = [f"# {_('Statement of reasons')} {_plain(statement.puid)}", "", f"{_('Version')} {statement.version}", ""]
    for field in FIELDS:
        value = statement.fields.get(field.name)
        if value in ("", None, []):
            continue
        shown = (
            ", ".join(value)
            if isinstance(value, list)
            else _(("no", "yes")[value])
            if value in (True, False)
            else value
        )
        lines += [f"## {TITLES[field.name]}", "", *(f"> {_plain(line)}" for line in str(shown).splitlines()), ""]
    return "\n".join(lines)


def as_json(statement: Statement) -> dict[str, Any]:
    """Return the filled fields under the names of the register."""
    return {name: value for name, value in statement.fields.items() if value not in ("", None, [])}


_EMPTY: Mapping[FieldKind, Any] = {
    FieldKind.LINE: "",
    FieldKind.TEXT: "",
    FieldKind.LINES: [],
    FieldKind.FLAG: False,
    FieldKind.DAY: "",
}

TITLES: Mapping[str, Any] = {
    "decision_visibility": gettext_lazy("Visibility restriction"),
    "decision_monetary": gettext_lazy("Payment restriction"),
    "decision_provision": gettext_lazy("Service restriction"),
    "decision_account": gettext_lazy("Account restriction"),
    "decision_ground": gettext_lazy("Ground of the decision"),
    "illegal_content_legal_ground": gettext_lazy("Law that it breaks"),
    "illegal_content_explanation": gettext_lazy("Why it is illegal"),
    "incompatible_content_ground": gettext_lazy("Rule that it breaks"),
    "incompatible_content_explanation": gettext_lazy("Why it breaks the rule"),
    "incompatible_content_illegal": gettext_lazy("It is illegal too"),
    "content_type": gettext_lazy("Kind of content"),
    "category": gettext_lazy("Category"),
    "territorial_scope": gettext_lazy("Countries where the decision applies"),
    "application_date": gettext_lazy("The decision applies from"),
    "end_date": gettext_lazy("The decision applies until"),
    "decision_facts": gettext_lazy("Facts and circumstances"),
    "source_type": gettext_lazy("How it came to notice"),
    "automated_detection": gettext_lazy("A model proposed the decision"),
    "automated_decision": gettext_lazy("How far the decision was automated"),
    "content_date": gettext_lazy("The post is of"),
    "content_language": gettext_lazy("Language of the post"),
    "url": gettext_lazy("Address of the post"),
    "puid": gettext_lazy("The platform's unique id"),
    "redress": gettext_lazy("What you can do about it"),
}


def _categories(item: Item) -> list[Category]:
    """Return all final categories of the item, by code."""
    return list(item.project.categories.filter(code__in=item.codes).order_by("code"))


def _ground(item: Item) -> str:
    version = (
        Guideline.objects.filter(project=item.project).order_by("-number").values_list("number", flat=True).first()
    )
    return _("Guidelines of %(project)s, version %(version)s: %(category)s") % {
        "project": item.project.name,
        "version": version or "–",
        "category": ", ".join(category.name for category in _categories(item)),
    }


def _facts(item: Item, decision: Adjudication | None, runs: int) -> str:
    votes = Seat.objects.filter(item=item, round=item.round, label__isnull=False).count()
    people = ngettext(
        "%(votes)s person labelled the post on their own.", "%(votes)s people labelled the post on their own.", votes
    )
    sentences = [people % {"votes": votes}]
    if decision is not None:
        sentences.append(_("They did not settle it, or it was reviewed; a reviewer decided it with a written reason."))
    if runs:
        verdicts = ngettext(
            "%(runs)s verdict of models was available; a person decided.",
            "%(runs)s verdicts of models were available; a person decided.",
            runs,
        )
        sentences.append(verdicts % {"runs": runs})
    if item.target_group or (decision and decision.target_group):
        group = decision.target_group if decision and decision.target_group else item.target_group
        sentences.append(_("Group targeted: %(group)s.") % {"group": group})
    return " ".join(sentences)


def _plain(text: str) -> str:
    """Escape the characters that Markdown or HTML would read as markup."""
    for sign in "\\`*_[]<>#|!":
        text = text.replace(sign, f"\\{sign}")
    return text
