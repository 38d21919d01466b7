"""What a release says about its further questions: every version as it was asked, and how the design changed."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import Min

from annotation.domain.design.changes import ChangeKind
from annotation.domain.markdown import table_cell
from annotation.domain.questions.design_rows import question_row
from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.pooling import PooledQuestion, pooled_questions
from annotation.domain.questions.question import Question, QuestionKind
from annotation.domain.questions.released_answers import Kinds
from annotation.models import Label, Project
from annotation.projects.design import DesignChange, history_of

QUESTIONS_FILE = "questions.json"

LabelCounts = Mapping[tuple[str, int], Counter[str]]
"""Labels by question and version: how many were `asked` and gave `answers`."""


def questions_of(project: Project, label_counts: LabelCounts) -> list[dict[str, Any]]:
    """Return the questions as they were asked, each with all its versions and the labels of this release."""
    rows = {(row.code, row.version): row for row in project.questions.all()}
    dates = {key: row.created_at.date().isoformat() for key, row in rows.items()}
    return [
        _described(question, rows, dates, label_counts)
        for question in pooled_questions(r.value() for r in rows.values())
    ]


def _described(
    question: PooledQuestion,
    rows: Mapping[tuple[str, int], Any],
    dates: Mapping[tuple[str, int], str],
    label_counts: LabelCounts,
) -> dict[str, Any]:
    newest = question.newest.question
    versions = [
        _version(rows[key].value(), dates[key], label_counts.get(key, Counter()), pool.versions)
        for pool in question.pools
        for number in pool.versions
        if (key := (question.code, number))
    ]
    return {
        "code": question.code,
        "kind": newest.kind.value,
        "wording": newest.title("en"),
        "retired": newest.retired,
        "versions": sorted(versions, key=lambda version: int(version["version"])),
    }


def _version(question: Question, since: str, counts: Counter[str], pool: tuple[int, ...]) -> dict[str, Any]:
    design = {name: value for name, value in question_row(question).items() if name not in ("code", "kind", "retired")}
    return {
        "version": question.version,
        "since": since,
        "counted_with": [number for number in pool if number != question.version],
        "asked": counts["asked"],
        "answers": counts["answers"],
        "design": design,
    }


def kinds_of(manifest: Mapping[str, Any]) -> Kinds:
    """Return the kinds of the questions of a release, by code."""
    return {question["code"]: QuestionKind(question["kind"]) for question in manifest.get("questions", ())}


def design_changes(project: Project) -> list[dict[str, Any]]:
    """Return how the design changed since the first label, the oldest change first."""
    first = Label.objects.filter(item__project=project, imported=False).aggregate(at=Min("created_at"))["at"]
    return [] if first is None else [_change(change) for change in reversed(history_of(project)) if change.at > first]


def _change(change: DesignChange) -> dict[str, Any]:
    difference = change.difference
    return {
        "date": change.at.date().isoformat(),
        "categories": [
            {"code": part.code, "name": part.name, "change": str(part.kind), "before": part.before, "after": part.after}
            for part in difference.categories
        ],
        "questions": [
            {"code": part.code, "version": part.version, "change": str(part.kind), "parts": list(part.parts)}
            for part in difference.questions
        ],
        "words": difference.words,
    }


def card_consensus() -> str:
    """Return what the dataset card says about the consensus of each kind."""
    together = ", ".join(kind.together for kind in KINDS.values() if kind.together)
    without = [f" *{name.capitalize()}* has none." for name, kind in KINDS.items() if not kind.together]
    return f"{together}.{''.join(without)}"


def card_questions(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row of the dataset card for each question and for earlier versions that ask something else."""
    figures = manifest["agreement"].get("questions", {})
    return [row for question in manifest.get("questions", ()) for row in _card_rows(question, figures)]


def _card_rows(question: Mapping[str, Any], figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    figure = figures.get(question["code"])
    pools = [] if figure is None else [figure, *figure.get("earlier", ())]
    return [_card_row(question, pool) for pool in pools]


def _card_row(question: Mapping[str, Any], pool: Mapping[str, Any]) -> dict[str, Any]:
    versions = [version for version in question["versions"] if version["version"] in pool["versions"]]
    several = len(question["versions"]) > 1
    numbers = ", ".join(str(version["version"]) for version in versions)
    return {
        "code": question["code"],
        "kind": question["kind"],
        "wording": table_cell(question["wording"]) + (f" (version {numbers})" if several else ""),
        "asked": sum(version["asked"] for version in versions),
        "answers": sum(version["answers"] for version in versions),
        "alpha": "undefined" if pool["alpha"] is None else f"{pool['alpha']:.3f}",
        "counts": f"{pool['items']} ({pool['ratings']})",
    }


def card_changes(manifest: Mapping[str, Any]) -> list[str]:
    """Return a sentence of the dataset card for each change of the design."""
    return [
        f"{change['date']}: {', '.join([*_category_words(change), *_question_words(change), *_other_words(change)])}."
        for change in manifest.get("design_changes", ())
    ]


def _category_words(change: Mapping[str, Any]) -> list[str]:
    return [_category_change(category) for category in change["categories"]]


def _category_change(category: Mapping[str, Any]) -> str:
    code, change = category["code"], category["change"]
    if change == ChangeKind.RENAMED:
        return f"category {code} {category['before']} renamed to {category['name']}"
    if change == ChangeKind.ALIASES:
        return f"category {code} {category['name']} has the other names {category['after'] or '(none)'}"
    return f"category {code} {category['name']} {change}"


def _question_words(change: Mapping[str, Any]) -> list[str]:
    return [
        f"question {question['code']} {question['change']}"
        + (f" as version {question['version']} ({', '.join(question['parts'])})" if question["parts"] else "")
        for question in change["questions"]
    ]


def _other_words(change: Mapping[str, Any]) -> list[str]:
    return ["the words above the categories"] if change["words"] else []
