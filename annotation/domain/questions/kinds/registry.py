"""The kinds by their names. A kind is the module here that its member of `QuestionKind` names."""

from collections.abc import Mapping
from importlib import import_module

from annotation.domain.questions.kinds.kind import Kind
from annotation.domain.questions.question import Question, QuestionKind

KINDS: Mapping[QuestionKind, Kind] = {kind: import_module(f"{__package__}.{kind}").KIND for kind in QuestionKind}


def kind_of(question: Question) -> Kind:
    """Return the kind of a question."""
    return KINDS[question.kind]
