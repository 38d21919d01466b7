"""Tally the columns of a file: the field each was read as, and its values with their counts.

A column that looks like labels and is not used must not pass unseen: `label_like` finds those.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypedDict

from annotation.domain.category_sets import SEPARATOR, parts_of
from annotation.domain.known_words import spellings
from annotation.domain.votes import Category
from vocabulary.answers import answer

COLUMNS = 200
"""Columns that are counted; those after them are passed over without a count."""
VALUES = 40
"""Different values of a column that are counted. A column with more is a text or a number."""
LENGTH = 60
"""Characters of a value that is counted."""
PASSED_OVER, COMPUTED, KEPT = "", "computed", "kept"
UNCOUNTED = frozenset({"text", "image", "id", "labels", "picture_text", "answers", COMPUTED})
"""Uses whose values are not counted: every row has its own, or the site computes them itself."""
LABEL_NAMES = frozenset(
    {"label", "labels", "category", "categories", "class", "classes", "cls", "gold", "annotation", "annotations"}
    | {"hate", "hateful", "ishate", "ishateful", "hatespeech", "labelname", "labelid", "labeltext", "goldlabel"}
    | {"y", "toxic", "toxicity", "offensive", "abusive", "abuse", "istoxic", "isoffensive", "classfolder"}
    | {"finallabel", "majoritylabel", "groundtruth", "answer", "라벨", "레이블", "标签", "類別", "类别", "分类"}
)
_NAMES_ELSEWHERE = frozenset(
    {"分類", "カテゴリ", "カテゴリー", "正解", "判定", "最終判定", "분류", "범주", "정답", "공격성", "악플", "유해성"}
    | {"악성여부", "标注", "標註", "标注结果", "類型", "类型", "攻击性", "冒犯", "有害"}
    | {"klasse", "kategorie", "etikett", "hass", "hassrede", "beleidigung", "annotation", "bewertung"}
    | {"étiquette", "catégorie", "classe", "haine", "haineux", "injure", "toxicité", "annotations"}
    | {"etiqueta", "categoría", "categoria", "clase", "odio", "ofensivo", "toxicidad", "clasificación"}
)
"""The same in Japanese, Korean, Chinese, German, French and Spanish."""
_NO_LABEL_NAMES = frozenset(
    {"split", "fold", "part", "subset", "platform", "source", "site", "forum", "lang", "language", "country", "locale"}
    | {"gender", "sex", "age", "race", "ethnicity", "education", "occupation", "religion", "nationality", "state"}
    | {"year", "month", "day", "weekday", "hour", "date", "type", "format", "license", "licence", "verified", "likes"}
    | {"retweets", "replies", "length", "version", "batch", "round", "worker", "annotator", "annotatorid", "rater"}
    | {"platformname", "dataset", "corpus", "media", "mediatype", "device", "client", "index", "userid", "authorid"}
    | {"workerid", "raterid", "coderid", "instanceid", "itemid", "postid", "tweetid", "commentid", "documentid"}
    | {"docid", "textid", "threadid", "parentid", "conversationid", "taskid", "hitid", "assignmentid", "sessionid"}
    | {"participantid", "respondentid", "subjectid", "groupid", "channelid", "sourceid", "batchid", "pageid"}
)
"""Names of columns that have few values in many rows and are no labels."""
_FEW, _SHORT, _MANY_ROWS, _TIMES = range(2, 13), 24, 30, 5
"""Different values, their characters, rows, and how often each stands on average, in columns of codes."""
_PARTS_OF_NAMES = (
    *("toxic", "hateful", "hatespeech", "offensive", "abusive"),
    *("혐오", "라벨", "仇恨", "标签", "標籤", "ラベル", "ヘイト", "差別"),
)
"""A longer name with one of these is a label's too: toxicity_score, offensive_language, 혐오등급."""
_OF_ONE_PERSON = re.compile(
    r"(?i:annotator|rater|coder|judge|labell?er|reviewer|evaluator|expert|annotateur|évaluateur|anotador|evaluador|prüfer"
    r"|평가자|라벨러|작업자|검수자|标注员|标注者|標註員|评审|評価者|作業者|アノテーター)"
    r"(?:[\W_]*[0-9]{1,3}|[\W_]+[A-Za-z]|[A-Z甲乙丙丁戊])"
)
"""How a column is called that holds the labels of one of several people: annotator_1, Rater B, 평가자2."""
_ENDS_OF_NAMES = ("label", "labels")
_LABEL_WORDS = frozenset(
    {"hate", "nohate", "nonhate", "nothate", "hateful", "nothateful", "hatespeech", "normal", "neutral", "none"}
    | {"clean", "off", "not", "hof", "offensive", "notoffensive", "toxic", "nontoxic", "abusive", "nonabusive"}
    | {"혐오", "비혐오", "정상", "仇恨", "非仇恨", "正常", "攻击性", "非攻击性"}
)
"""Values that data sets of this field call their labels."""

_PEOPLE = frozenset(
    {"annotator", "annotatorid", "rater", "raterid", "worker", "workerid", "coder", "labeler", "labeller", "judge"}
    | {"user", "userid", "participant", "person", "annotatedby", "createdby", "completedby", "labeledby", "who"}
)
_CHOICES = frozenset({"choice", "vote", "rating", "classname"})
"""How parts of objects are called that say whose label it is; and names of labels there that elsewhere are none."""
_BITS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "True", "False", "TRUE", "FALSE"})
_FLAG = re.compile(r"(?:is|has|was)[_ A-Z]")
"""How flags about a post begin that are no category: is_reply, hasMedia."""
_DEEPEST = 6
"""Lists and objects inside one another whose names are noted."""
_OPENING, _LONGEST_CELL = frozenset("[{"), 2_000
"""How a cell begins that may hold JSON, and the characters of one that is looked into."""
_LABEL_USES = ("label", "gold", "intended")
_SEAT = "label: seat"
_STATUS = ("status", "state", "verdict")
_REFUSED = frozenset({"rejected", "returned", "timedout", "screenedout", "refused", "expired", "skipped"})
"""What crowd platforms say of work that does not count."""
_UNUSED = (PASSED_OVER, KEPT)
_KEPT_NAME = "extra_"  # of columns that releases give back: somebody decided about them once
_ANSWER = "answer_"  # answers to further questions, which belong to a label


class ColumnReport(TypedDict):
    """What became of a column of the file; `became` is empty if it was passed over.

    `values` counts its different values; it is empty where they are not counted or there are too many (`many`).
    """

    name: str
    became: str
    rows: int
    values: dict[str, int]
    many: bool


@dataclass
class Column:
    """One column of a file. `became` is the field it was read as; KEPT: none, but it stays; PASSED_OVER: left out."""

    name: str
    became: str
    rows: int = 0
    """Rows with a value."""
    values: dict[str, int] = field(default_factory=dict)
    """The different values with their rows; empty if they are not counted or there are more than VALUES."""
    holds_lists: bool = False
    """Whether a value was an object, or a list of other than single values."""
    many: bool = False
    """Whether there are more different values than are counted."""
    parts: list[str] = field(default_factory=list)
    """The names of the parts of its objects, also of objects inside, where it holds some."""
    holds_shares: bool = False
    """Whether its objects hold a number for each of several names, and nothing else."""

    def count(self, value: Any) -> None:
        """Count the value of one row; an empty one counts for nothing."""
        is_text = type(value) is str
        if not value and (is_text or value is None or value == []):
            return
        self.rows += 1
        if self.became in UNCOUNTED or (self.many and (is_text or self.rows > VALUES)):
            return
        if is_text and value[0] in _OPENING:
            value, is_text = _parsed(value), False
        if not is_text and isinstance(value, list | dict):
            self._note_parts(value)
        if self.many:
            return
        word = value if is_text else _as_read(value)
        self.holds_lists = self.holds_lists or (not word and isinstance(value, list | dict))
        if not 0 < len(word) <= LENGTH or (word not in self.values and len(self.values) == VALUES):
            self.many, self.values = True, {}
        else:
            self.values[word] = self.values.get(word, 0) + 1

    def _note_parts(self, value: Any) -> None:
        are_numbers = isinstance(value, dict) and all(type(part) in (int, float) for part in value.values())
        self.holds_shares = are_numbers and len(value) > 1 and (self.holds_shares or not self.parts)
        self.parts = [*dict.fromkeys((*self.parts, *islice(_names_in(value), VALUES)))][:VALUES]

    def with_values_of(self, other: "Column") -> "Column":
        """Return the column with what was counted of it in another file."""
        values = Counter(self.values) + Counter(other.values)
        many = self.many or other.many or len(values) > VALUES
        return replace(
            self,
            became=self.became if self.rows else other.became,
            rows=self.rows + other.rows,
            values={} if many else dict(values),
            holds_lists=self.holds_lists or other.holds_lists,
            many=many,
            parts=[*dict.fromkeys((*self.parts, *other.parts))],
            holds_shares=self.holds_shares and other.holds_shares,
        )


def _names_in(value: Any, depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the names of the parts of objects, those of outer ones first where they stand first."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _names_in(part, depth - 1) if depth else ()
    elif isinstance(value, list):
        for part in value[:VALUES]:
            yield from _names_in(part, depth - 1) if depth else ()


def _parsed(written: str) -> Any:
    """Return the list or object that a cell holds as JSON, else the cell as it is."""
    with suppress(ValueError, RecursionError):
        return json.loads(written) if len(written) <= _LONGEST_CELL else written
    return written


def _as_read(value: Any) -> str:
    """Return a value as mappings of values name it: `true`, and a whole number without a point.

    A list is told by its parts, and so is an object of single values. "" for other values.
    """
    if isinstance(value, dict):
        value = [part for part in value.values() if part is not None]  # Parquet has the names of all rows in each
        return "" if any(isinstance(part, list | dict) for part in value) else _as_read(value)
    if isinstance(value, list):
        parts = [_as_read(part) for part in value if not isinstance(part, list | dict)]
        return SEPARATOR.join(parts) if len(parts) == len(value) and all(parts) else ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else ""


class ColumnTally:
    """The columns of one file in the order in which they first appear, and the sheet of the workbook they stand on."""

    def __init__(self, keeps: Callable[[str], bool] | None = None, asked_for: frozenset[str] = frozenset()) -> None:
        """Take what says which of the columns that the site does not know are kept; None: no column is.

        `asked_for` are those that somebody named.
        """
        self.keeps, self.asked_for = keeps, asked_for
        self._columns: dict[str, Column] = {}
        self.sheet = ""
        self.other_sheets: list[str] = []
        self.known: set[str] = set()
        """Columns that the format itself names, and that are no labels."""
        self.left: Counter[str] = Counter()
        """Records that are no posts, by the reason."""
        self.first: dict[str, Any] = {}
        """The first rows as they stand in the file, where they were asked for."""

    def take(self, counted: Mapping[str, Any]) -> None:
        """Take what another process counted, as `counted` returns it, beside what was counted of other files."""
        for column in (Column(**about) for about in counted["columns"]):
            known = self._columns.get(column.name)
            self._columns[column.name] = column if known is None else known.with_values_of(column)
        self.sheet, self.other_sheets, self.first = counted["sheet"], counted["other_sheets"], counted["first"]
        self.known |= {*counted["known"]}
        self.left += Counter(counted["left"])

    def counted(self) -> dict[str, Any]:
        """Return everything as JSON values; `take` reads them back."""
        return {
            "columns": [vars(column) for column in self],
            "sheet": self.sheet,
            "other_sheets": self.other_sheets,
            "known": sorted(self.known),
            "left": self.left,
            "first": self.first,
        }

    def count(self, values: Mapping[str, Any], use_of: Callable[[str], str]) -> dict[str, Any]:
        """Count the values of one row, and return those that are kept.

        `use_of` is asked once for each column, and again while it has no value.
        """
        kept = {}
        for name, value in values.items():
            column = self._columns.get(name)
            if column is None:
                if len(self._columns) == COLUMNS:
                    if self._use(name, use_of) == KEPT:
                        kept[name] = value
                    continue
                column = self._columns[name] = Column(name, self._use(name, use_of))
            elif not column.rows and column.became in _UNUSED:
                column.became = self._use(name, use_of)
            column.count(value)
            if column.became == KEPT:
                kept[name] = value
        return kept

    def _use(self, name: str, use_of: Callable[[str], str]) -> str:
        use = use_of(name)
        return KEPT if use == PASSED_OVER and self.keeps is not None and self.keeps(name) else use

    def put(self, column: Column) -> None:
        """Add a column that its reader counted itself."""
        self._columns[column.name] = column

    def tell_left_out(self, name: str) -> None:
        """Count a value that its reader does not take unasked."""
        if len(self._columns) < COLUMNS or name in self._columns:
            self._columns.setdefault(name, Column(name, PASSED_OVER)).rows += 1
            self.known.add(name)

    def __iter__(self) -> Iterator[Column]:
        yield from self._columns.values()

    def passed_over(self) -> list[str]:
        """Return the names of columns that were not used, in alphabetical order."""
        return sorted(column.name for column in self if column.became == PASSED_OVER and column.name)

    def as_json(self) -> list[ColumnReport]:
        """Return the columns as JSON values."""
        return [answer(ColumnReport, column) for column in self]


def label_like(columns: ColumnTally, categories: Sequence[Category], is_decided: Callable[[str], bool]) -> list[Column]:
    """Return the columns that are no labels in this import and look like labels.

    Either their name says so, or is a category's (a column for each), or every value is a category's name or a usual
    word for a label, or a few short values stand in many rows. Those that `is_decided` names are left out, or kept as
    they are, by wish.
    """
    category_names = frozenset(
        _plain(name) for _code, words in spellings(categories) for name in words if not name.isdecimal()
    )
    return [
        column
        for column in columns
        if column.became in _UNUSED
        and column.rows
        and not is_decided(column.name)
        and column.name not in columns.known
        and not column.name.startswith(_KEPT_NAME)
        and (
            _is_label_name(_plain(column.name), category_names)
            or _OF_ONE_PERSON.fullmatch(column.name.strip())
            or _holds_labels_of_people(column, category_names)
            or column.name.startswith(_ANSWER)
            or _names_categories(column, category_names)
            or _holds_codes(column)
        )
    ]


def tells_of_refused_work(columns: ColumnTally, is_decided: Callable[[str], bool]) -> Column | None:
    """Return the kept column that says of some labels of people that their work was refused. Returns None for none.

    Result tables of crowds have one; formats of platforms that are known leave such rows out themselves.
    """
    if not any(column.became == _SEAT for column in columns):
        return None
    statuses = (column for column in columns if _plain(column.name).endswith(_STATUS))
    return next(
        (
            column
            for column in statuses
            if column.became == KEPT and not is_decided(column.name) and _REFUSED & {*map(_plain, column.values)}
        ),
        None,
    )


def of_one_category_each(
    columns: ColumnTally, undecided: Sequence[Column], is_decided: Callable[[str], bool]
) -> list[str]:
    """Return the names of columns that hold 0 and 1 alone and may be a column for each category.

    Two are enough where one of them looks like labels by itself, three where nothing else was read as a label. Posts
    that nobody has coded yet have a value in none of them.
    """
    rows = max((column.rows for column in columns), default=0)
    bits = [
        column
        for column in columns
        if column.became in _UNUSED
        and column.name
        and 2 * column.rows > rows
        and len(column.values) > 0
        and column.values.keys() <= _BITS
        and not is_decided(column.name)
        and column.name not in columns.known
        and _plain(column.name) not in _NO_LABEL_NAMES
    ]
    most = max((column.rows for column in bits), default=0)
    of_bits = [column.name for column in bits if column.rows == most]
    if {column.name for column in undecided} & set(of_bits):
        return of_bits if len(of_bits) > 1 else []
    labelled = any(column.became.startswith(_LABEL_USES) for column in columns)
    of_bits = [name for name in of_bits if not _FLAG.match(name)]
    marks = {value.lower()[0] for column in columns if column.name in of_bits for value in column.values}
    both = bool(marks & {"0", "f"} and marks & {"1", "t"})
    return of_bits if len(of_bits) > 2 and both and not labelled else []


def _names_categories(column: Column, category_names: frozenset[str]) -> bool:
    plain = {_plain(part) for value in column.values for part in parts_of(value)}
    return bool(plain) and (plain <= category_names or (len(plain) > 1 and plain <= category_names | _LABEL_WORDS))


def _holds_codes(column: Column) -> bool:
    """Return whether a few short values stand in many rows, as codes of labels do, under a name that may be theirs.

    Objects tell by the names of their parts what they hold.
    """
    few = len(column.values) in _FEW and column.rows >= max(_MANY_ROWS, _TIMES * len(column.values))
    are_codes = few and not column.parts and all(len(value) <= _SHORT for value in column.values)
    return are_codes and _plain(column.name) not in _NO_LABEL_NAMES


def _holds_labels_of_people(column: Column, category_names: frozenset[str]) -> bool:
    """Return whether its objects say who chose what."""
    plain = {_plain(name) for name in column.parts}
    return bool(plain & _PEOPLE) and any(name in _CHOICES or _is_label_name(name, category_names) for name in plain)


def _is_label_name(plain: str, category_names: frozenset[str]) -> bool:
    """Return whether a column called so may hold labels, also as one of several (`label_1`, `判定2`)."""
    bare = plain.rstrip("0123456789")
    plain = bare if len(bare) > 1 else plain
    return (
        plain in LABEL_NAMES | _NAMES_ELSEWHERE
        or plain in category_names
        or plain.endswith(_ENDS_OF_NAMES)
        or any(part in plain for part in _PARTS_OF_NAMES)
    )


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())
