"""Answers to further questions as results of a Label Studio annotation, and the controls that show them.

Places of passages are code points there as here. The versions that were asked, and what was skipped, have no place in
a result: they are in the task's `data`, a list by annotation, so that an import gets everything back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from annotation.domain.questions.kinds.registry import KINDS, kind_of
from annotation.domain.questions.question import Question
from annotation.domain.questions.released_answers import ANSWERS, VERSIONS, Kinds

PREFIX = "answer_"
"""The beginning of the names of the controls; the rest is the question's code."""


def data_of(row: Mapping[str, Any], kinds: Kinds) -> dict[str, Any]:
    """Return what a task's `data` holds beside its annotations: the versions that were asked, by annotation."""
    return {VERSIONS: [label[VERSIONS] for label in row["labels"]]} if kinds else {}


def answer_results(key: str, label: Mapping[str, Any], text: str, kinds: Kinds) -> Iterator[dict[str, Any]]:
    """Yield the results of one label's answers; skipped questions have none."""
    for code, kind in kinds.items():
        value = label[ANSWERS][code]
        if value is None:
            continue
        for result in KINDS[kind].studio_results(code, value, text):
            yield {
                "id": f"{key}-{code}{result.part}",
                "from_name": PREFIX + code,
                "to_name": "text",
                "type": result.kind,
                "value": result.value,
            }


def read_result(name: str, value: Mapping[str, Any], answers: dict[str, Any]) -> bool:
    """Put the answer of one result into `answers`, by the question's code. Returns False for any other result."""
    if not name.startswith(PREFIX):
        return False
    code = name.removeprefix(PREFIX)
    kinds = reversed(tuple(KINDS.values()))  # the last ones first: a passage has words too
    found = (kind.from_studio(value, answers.get(code)) for kind in kinds)
    answers[code] = next((answer for answer in found if answer is not None), None)
    return True


def with_versions(labels: Sequence[dict[str, Any] | None], versions: object) -> None:
    """Add to labels, in the order of a task's annotations, the versions that its `data` lists for them."""
    if not isinstance(versions, list) or len(versions) != len(labels):
        return  # annotations were added or removed there: the versions in force then count
    for label, asked_versions in zip(labels, versions, strict=True):
        if label is not None:
            label[VERSIONS] = asked_versions


def answer_controls(questions: Sequence[Question]) -> str:
    """Return the controls of the interface, as XML: a header and a control for each question."""
    return "".join(_control(question) for question in questions)


def _control(question: Question) -> str:
    control = kind_of(question).studio_control(question, f'name={quoteattr(PREFIX + question.code)} toName="text"')
    return f"  <Header value={quoteattr(question.title())}/>\n  {control}\n"
