"""Questions as a design file has them (`docs/design-file.md`): one object a question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.questions.answers import TEXT_ANSWER_LIMIT
from annotation.domain.questions.question import LISTS, Asked, Option, Question, QuestionKind, When
from annotation.domain.refusal import Refusal
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.text_rules import BadText
from annotation.domain.votes import Category
from annotation.domain.words import BadWords, read_words, shown_words

QUESTION_COUNT = 12
"""The most questions that are asked at one time, beside the category."""
KEYS = "adefhimovjkx"
"""Keys a question may have: letters that do nothing else on the annotator's page."""
CODE_LIMIT = 40
WORDING_LIMIT = 200
HELP_LIMIT = 500
NAME_LIMIT = 80
"""Characters of the name of an option, and of what an end of a scale means."""
OPTION_COUNT = 40
POINTS = range(3, 10)
LONGEST_ANSWER = 4_000
"""The highest limit, in characters, that a text answer may have."""

_CODE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_OPTION_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_EVERY_KIND = frozenset({"code", "kind", "wording", "help", "key", "required", "when", "retired"})
_OF_KIND: Mapping[QuestionKind, frozenset[str]] = {
    QuestionKind.ONE: frozenset({"options"}),
    QuestionKind.MANY: frozenset({"options"}),
    QuestionKind.SCALE: frozenset({"points", "low", "high"}),
    QuestionKind.TEXT: frozenset({"limit"}),
    QuestionKind.SPAN: frozenset(),
}

_SHARES_WITH_CATEGORY = _("Question %(code)s and category %(owner)s share the key %(key)s. Change one.")
_SHARES_WITH_QUESTION = _("Question %(code)s and question %(owner)s share the key %(key)s. Change one.")


class BadQuestions(Refusal):
    """Questions that a project cannot ask; `sentence` says what to change."""

    code = "bad_questions"


def read_questions(raw: object, categories: Sequence[Category]) -> tuple[Question, ...]:
    """Return the questions of a design, in the order of the page.

    `categories` are those of the same design: they may be named by `when`, and a key belongs to one thing. A missing
    key becomes the first free one. Raises BadQuestions.
    """
    if not isinstance(raw, list):
        raise BadQuestions(_("Questions are a list of {code, kind, …}."))
    read = [_read_row(number, row) for number, row in enumerate(raw, start=1)]
    current = [question for question in read if not question.retired]
    if len(current) > QUESTION_COUNT:
        raise BadQuestions(
            _("A project asks at most %(most)s further questions; this list has %(count)s."),
            most=QUESTION_COUNT,
            count=len(current),
        )
    for number, question in enumerate(read):
        if question.code in {earlier.code for earlier in read[:number]}:
            raise BadQuestions(_("Two questions share the code %(code)s."), code=repr(question.code))
    _refuse_unknown_categories(read, categories)
    return with_keys(read, categories)


def question_row(question: Question) -> dict[str, Any]:
    """Return a question as `read_questions` reads it."""
    row: dict[str, Any] = {
        "wording": shown_words(question.wording),
        "help": shown_words(question.help),
        "options": [_option_row(option) for option in question.options],
        "points": question.points,
        "low": shown_words(question.low),
        "high": shown_words(question.high),
        "limit": question.limit,
        "key": question.key,
        "required": question.required,
        "when": when_row(question.when),
        "retired": question.retired,
    }
    shown = {name: value for name, value in row.items() if value and not (name == "when" and value == Asked.ALWAYS)}
    return {"code": question.code, "kind": str(question.kind), **shown}


def when_row(when: When) -> str | list[int]:
    """Return when a question is asked as a file has it: a word, or the codes of categories."""
    return list(when.categories) if when.asked is Asked.CATEGORIES else str(when.asked)


def read_when(raw: object) -> When | None:
    """Return when a question is asked. Returns None for what says no such thing."""
    if isinstance(raw, str) and raw in (Asked.ALWAYS, Asked.HATEFUL):
        return When(Asked(raw))
    if isinstance(raw, list) and raw and all(type(code) is int for code in raw):
        return When(Asked.CATEGORIES, tuple(sorted(set(raw))))
    return None


def _option_row(option: Option) -> dict[str, Any]:
    row = {"code": option.code, "name": shown_words(option.name), "retired": option.retired}
    return {name: value for name, value in row.items() if value}


def _read_row(number: int, row: object) -> Question:
    if not isinstance(row, Mapping):
        raise BadQuestions(_("Question %(number)s must be an object with code and kind."), number=number)
    code = row.get("code")
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        raise BadQuestions(
            _("Question %(number)s needs a code: at most %(most)s small letters, digits, _ and -, a letter first."),
            number=number,
            most=CODE_LIMIT,
        )
    if row.get("kind") not in list(QuestionKind):
        raise BadQuestions(_("Question %(code)s needs a kind: %(kinds)s."), code=code, kinds=", ".join(QuestionKind))
    kind = QuestionKind(row["kind"])
    unknown = sorted(set(row) - _EVERY_KIND - _OF_KIND[kind])
    if unknown:
        raise BadQuestions(
            _("Question %(code)s is of the kind %(kind)s, which has no field %(field)s."),
            code=code,
            kind=kind,
            field=_shown(unknown[0]),
        )
    retired = _flag(code, row, "retired")
    return Question(
        code=code,
        kind=kind,
        wording=_words(code, row, "wording", WORDING_LIMIT),
        help=_words(code, row, "help", HELP_LIMIT),
        options=_options(code, kind, row.get("options", [])),
        points=_points(code, row.get("points")) if kind is QuestionKind.SCALE else None,
        low=_words(code, row, "low", NAME_LIMIT),
        high=_words(code, row, "high", NAME_LIMIT),
        limit=_limit(code, row.get("limit", TEXT_ANSWER_LIMIT)) if kind is QuestionKind.TEXT else None,
        key="" if retired else _key(code, row.get("key", "")),
        place=number,
        required=_flag(code, row, "required"),
        when=_when(code, row.get("when", str(Asked.ALWAYS))),
        retired=retired,
    )


def _words(code: str, row: Mapping[str, Any], field: str, limit: int) -> dict[str, str]:
    try:
        return read_words(row.get(field, ""), limit, lines=field == "help")
    except BadWords as bad:
        raise BadQuestions(
            _("Question %(code)s: %(field)s must be a text, or one text per language code."), code=code, field=field
        ) from bad
    except BadText as bad:
        raise BadQuestions(_("Question %(code)s, %(field)s: %(reason)s"), code=code, field=field, reason=bad) from bad


def _flag(code: str, row: Mapping[str, Any], field: str) -> bool:
    value = row.get(field, False)
    if not isinstance(value, bool):
        raise BadQuestions(_("Question %(code)s: %(field)s is true or false."), code=code, field=field)
    return value


def _points(code: str, value: object) -> int:
    if type(value) is not int or value not in POINTS:
        raise BadQuestions(
            _("Question %(code)s needs points: a whole number from %(least)s to %(most)s."),
            code=code,
            least=POINTS.start,
            most=POINTS.stop - 1,
        )
    return value


def _limit(code: str, value: object) -> int:
    if type(value) is not int or not 1 <= value <= LONGEST_ANSWER:
        raise BadQuestions(
            _("Question %(code)s: its limit is a whole number from 1 to %(most)s characters."),
            code=code,
            most=f"{LONGEST_ANSWER:,}",
        )
    return value


def _key(code: str, value: object) -> str:
    if value and (not isinstance(value, str) or len(value) != 1 or value not in KEYS):
        raise BadQuestions(
            _("Question %(code)s: a key is one of %(allowed)s; other letters already do something else."),
            code=code,
            allowed=KEYS,
        )
    return str(value or "")


def _when(code: str, value: object) -> When:
    when = read_when(value)
    if when is None:
        raise BadQuestions(
            _('Question %(code)s: when is "always", "hateful", or a list of codes of categories.'), code=code
        )
    return when


def _options(code: str, kind: QuestionKind, rows: object) -> tuple[Option, ...]:
    if kind not in LISTS:
        return ()
    if not isinstance(rows, list):
        raise BadQuestions(_("Question %(code)s: options are a list of {code, name}."), code=code)
    options = tuple(_option(code, row) for row in rows)
    offered = sum(not option.retired for option in options)
    if not 2 <= offered <= OPTION_COUNT:
        raise BadQuestions(
            _("Question %(code)s needs 2 to %(most)s options; this list has %(count)s."),
            code=code,
            most=OPTION_COUNT,
            count=offered,
        )
    earlier_codes: set[str] = set()
    for option in options:
        if option.code.casefold() in earlier_codes:
            raise BadQuestions(
                _("Question %(code)s: two options share the code %(option)s."), code=code, option=repr(option.code)
            )
        earlier_codes.add(option.code.casefold())
    return options


def _option(code: str, row: object) -> Option:
    if not isinstance(row, Mapping) or set(row) - {"code", "name", "retired"}:
        raise BadQuestions(_("Question %(code)s: an option is {code, name}, and may be retired."), code=code)
    own = row.get("code")
    if not isinstance(own, str) or not _OPTION_CODE.fullmatch(own):
        raise BadQuestions(
            _("Question %(code)s: an option's code has at most %(most)s letters, digits and _ . -: %(value)s."),
            code=code,
            most=CODE_LIMIT,
            value=_shown(own),
        )
    return Option(own, _words(f"{code}, option {own}", row, "name", NAME_LIMIT), _flag(code, row, "retired"))


def _refuse_unknown_categories(questions: Sequence[Question], categories: Sequence[Category]) -> None:
    category_codes = {category.code for category in categories}
    for question in questions:
        missing = [code for code in question.when.categories if code not in category_codes]
        if missing and not question.retired:
            raise BadQuestions(
                _("Question %(code)s is asked beside category %(category)s, which is not there."),
                code=question.code,
                category=missing[0],
            )


def with_keys(questions: Sequence[Question], categories: Sequence[Category]) -> tuple[Question, ...]:
    """Return the questions with a key for each that has none, while there are free ones; a key belongs to one thing.

    Raises BadQuestions.
    """
    holder = {category.key: f"{category.code} ({category.name})" for category in categories if category.key}
    of_categories = frozenset(holder)
    for question in questions:
        owner = holder.get(question.key)
        if owner:
            raise BadQuestions(
                _SHARES_WITH_CATEGORY if question.key in of_categories else _SHARES_WITH_QUESTION,
                code=question.code,
                owner=owner,
                key=question.key,
            )
        if question.key:
            holder[question.key] = question.code
    free = iter(key for key in KEYS if key not in holder)
    return tuple(
        question if question.key or question.retired else replace(question, key=next(free, ""))
        for question in questions
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
