"""Every kind of question has all its parts; of a new one this says which it lacks, and what to do.

Its rows in documents are asked for by `tests/docs/test_documents.py`.
"""

from dataclasses import fields
from pathlib import Path

import pytest
from django.conf import settings

from annotation.analytics.agreement.question_tables import MEASURE_WORDS
from annotation.domain.questions.design_fields import Words
from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.kinds.text import Text
from annotation.domain.questions.question import Question, QuestionKind
from annotation.models.questions import Question as QuestionRow

TEMPLATES = Path(settings.BASE_DIR) / "templates/annotation/question_kinds"


def lacks(name, kind):
    """Yield what is to be done before a kind has all its parts."""
    if not (TEMPLATES / f"{name}.html").exists():
        yield f"Add {name}.html to templates/annotation/question_kinds/: it draws what a question is answered with."
    for attribute in ("name", "measure"):
        if not hasattr(kind, attribute):
            yield f"Give the class of the kind {name} a {attribute}, as `Kind` describes it."
    if getattr(kind, "measure", "none") not in MEASURE_WORDS:
        yield f"Add {kind.measure} to `Measure`, and its words to MEASURE_WORDS in question_tables.py."
    for field in kind.fields:
        yield from field_lacks(field)


def field_lacks(field):
    """Yield what is to be done before a field of a design is read, stored and told."""
    if field.name not in {attribute.name for attribute in fields(Question)}:
        yield f"Add the attribute {field.name} to `Question` in annotation/domain/questions/question.py."
    if field.name not in {column.name for column in QuestionRow._meta.get_fields()}:
        yield f"Add the column {field.name} to annotation/models/questions.py, with a migration."
    if any(field != other for kind in KINDS.values() for other in kind.fields if other.name == field.name):
        yield f"Use the same value for the field {field.name} of all kinds: the page of the design has it once."


@pytest.mark.parametrize("name", QuestionKind)
def test_a_kind_has_all_its_parts(name):
    assert list(lacks(name, KINDS[name])) == []


def test_a_new_kind_is_told_what_it_lacks():
    class Unheard(Text):
        fields = (Words("least", "The lowest"), Words("high", "The highest"))
        measure = "interval"

    assert list(lacks("unheard", Unheard())) == [
        "Add unheard.html to templates/annotation/question_kinds/: it draws what a question is answered with.",
        "Add interval to `Measure`, and its words to MEASURE_WORDS in question_tables.py.",
        "Add the attribute least to `Question` in annotation/domain/questions/question.py.",
        "Add the column least to annotation/models/questions.py, with a migration.",
        "Use the same value for the field high of all kinds: the page of the design has it once.",
    ]
