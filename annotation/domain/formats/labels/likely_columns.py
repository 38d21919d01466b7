"""Find columns of a file that look like labels and are not used: they must not pass unseen."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from annotation.domain.category_sets import parts_of
from annotation.domain.formats.columns import KEPT, UNUSED, Column, ColumnTally
from annotation.domain.known_words import spellings
from annotation.domain.votes import Category

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
_OF_MANY_COLUMNS = frozenset({"other"})
"""Usual names of categories that columns of surveys have too. With 0 and 1 in it such a column asks all the same."""
_LABEL_USES = ("label", "gold", "intended")
_SEAT = "label: seat"
_STATUS = ("status", "state", "verdict")
_REFUSED = frozenset({"rejected", "returned", "timedout", "screenedout", "refused", "expired", "skipped"})
"""What crowd platforms say of work that does not count."""
_KEPT_NAME = "extra_"  # of columns that releases give back: somebody decided about them once
_ANSWER = "answer_"  # answers to further questions, which belong to a label


def label_like(columns: ColumnTally, categories: Sequence[Category], is_decided: Callable[[str], bool]) -> list[Column]:
    """Return the columns that are no labels in this import and look like labels.

    Either their name says so, or is a category's (a column for each), or every value is a category's name or a usual
    word for a label, or a few short values stand in many rows. Those that `is_decided` names are left out, or kept as
    they are, by wish.
    """
    words = (word for _code, of_category in spellings(categories) for word in of_category if not word.isdecimal())
    category_names = frozenset(map(_plain, words))
    of_columns = category_names - _OF_MANY_COLUMNS
    return [
        column
        for column in columns
        if column.became in UNUSED
        and column.rows
        and not is_decided(column.name)
        and column.name not in columns.known
        and not column.name.startswith(_KEPT_NAME)
        and (
            _is_label_name(_plain(column.name), of_columns)
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
        if column.became in UNUSED
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
