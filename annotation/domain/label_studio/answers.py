"""Answers to further questions as results of a Label Studio annotation, and the controls that show them.

Places of passages are code points there as here. The versions that were asked, and what was skipped, have no place in
a result: they are in the task's `data`, a list by annotation, so that an import gets everything back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from annotation.domain.questions.question import Question, QuestionKind
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
        name, own = PREFIX + code, f"{key}-{code}"
        match kind:
            case QuestionKind.ONE:
                yield _result(own, name, "choices", {"choices": [value]})
            case QuestionKind.MANY:
                yield _result(own, name, "choices", {"choices": list(value)})
            case QuestionKind.SCALE:
                yield _result(own, name, "rating", {"rating": value})
            case QuestionKind.TEXT:
                yield _result(own, name, "textarea", {"text": [value]})
            case QuestionKind.SPAN:
                for number, (start, end) in enumerate(value):
                    region = {"start": start, "end": end, "text": text[start:end], "labels": [code]}
                    yield _result(f"{own}-{number}", name, "labels", region)


def _result(key: str, name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": key, "from_name": name, "to_name": "text", "type": kind, "value": value}


def read_result(name: str, value: Mapping[str, Any], answers: dict[str, Any]) -> bool:
    """Put the answer of one result into `answers`, by the question's code. Returns False for any other result."""
    if not name.startswith(PREFIX):
        return False
    code = name.removeprefix(PREFIX)
    if "start" in value and "end" in value:
        answers.setdefault(code, []).append([value["start"], value["end"]])
    elif isinstance(value.get("text"), list):
        answers[code] = "\n".join(map(str, value["text"]))
    else:
        answers[code] = next((value[kind] for kind in ("choices", "rating", "text") if kind in value), None)
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
    name = f'name={quoteattr(PREFIX + question.code)} toName="text"'
    options = "".join(
        f"\n    <Choice value={quoteattr(option.code)} hint={quoteattr(option.title())}/>"
        for option in question.options
    )
    controls = {
        QuestionKind.ONE: f'<Choices {name} choice="single">{options}\n  </Choices>',
        QuestionKind.MANY: f'<Choices {name} choice="multiple">{options}\n  </Choices>',
        QuestionKind.SCALE: f'<Rating {name} maxRating="{question.points}"/>',
        QuestionKind.TEXT: f'<TextArea {name} maxSubmissions="1"/>',
        QuestionKind.SPAN: f"<Labels {name}>\n    <Label value={quoteattr(question.code)}/>\n  </Labels>",
    }
    return f"  <Header value={quoteattr(question.title())}/>\n  {controls[question.kind]}\n"
