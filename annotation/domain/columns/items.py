"""The columns of an item: those of releases in their order, then those that only imports read."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Modality
from annotation.domain.columns.column import CATEGORY, FLAG, TEXT, WHOLE, Column, Facts, FromFile, Listed, When, among
from annotation.domain.columns.evidence import CARD_COLUMNS
from annotation.domain.columns.labels import LABELS
from annotation.domain.columns.priors import prior_columns
from annotation.domain.patterns import pattern_of
from annotation.domain.questions.released_answers import QUESTIONS
from annotation.domain.text_rules import NOTE_LIMIT
from vocabulary.refusals import gettext_noop as _

INJECTED = "injected"
"""The key in an item's provenance that describes how a model made the item for the project."""
GOLD_SET = "categories"
"""All categories of gold, in rows that have `gold` too: alone the name may mean anything."""
EVIDENCE = "evidence"
"""The cards of evidence that a verdict or a decision about the item rests on."""
OURS = "image_sha256_released"
PLAIN = "plain_cells"
"""A column that only our own releases and lists have."""


def fact(name: str) -> Callable[[Facts], Any]:
    """Return what reads a fact that whoever makes the rows adds to those of the database."""
    return lambda facts: facts[name]


def votes_of(labels: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the number of labels by category code; labels without a category are counted last, under null.

    A label with several categories is counted for each.
    """
    counted = Counter(code for label in labels for code in label.get("categories") or [label["category"]])
    codes = sorted(code for code in counted if code is not None) + ([None] if counted[None] else [])
    return [{"category": code, "n": counted[code]} for code in codes]


def _codes(lead: str, stored: str) -> Callable[[Facts], list[int]]:
    return lambda facts: list(codes_of(facts[lead], facts[stored]))


def _mechanism(facts: Facts) -> str | None:
    return pattern_of(facts["pattern"]).mechanism.value if facts["pattern"] else None


def is_injected(provenance: Mapping[str, Any]) -> bool:
    """Return whether an item's provenance says that a model made it for the project."""
    return isinstance(provenance.get(INJECTED), Mapping)


def _injection(facts: Facts) -> Mapping[str, Any] | None:
    return facts["provenance"][INJECTED] if is_injected(facts["provenance"]) else None


_HOW_INJECTED = _("How a model wrote the post, where one did.")


def _injected(name: str, most: int, meaning: str) -> Column:
    return Column(
        f"injection_{name}",
        of=lambda facts: (_injection(facts) or {}).get(name) or None,
        needs=("provenance",),
        when=When.INJECTED,
        meaning=meaning,
        file=FromFile(_HOW_INJECTED, most=most, lines=True),
    )


ITEMS = (
    Column(
        "id",
        "external_id",
        meaning="the item's id in its project",
        long=True,
        file=FromFile(_("The post's own id, once in the file. Without it rows are numbered.")),
    ),
    Column(
        "text",
        "text",
        meaning="the text of the post",
        quotes=True,
        long=True,
        file=FromFile(_("The text of the post; text or picture is needed.")),
    ),
    Column(
        "image",
        of=fact("image"),
        meaning="the path of the picture in this release",
        long=True,
        file=FromFile(
            _("The picture: a path in the ZIP or folder, or an https address."), names=("image", "file_name")
        ),
    ),
    Column("image_sha256_original", "picture__sha256"),
    Column(OURS, "picture__file_sha256", compared=True),
    Column(
        "intended",
        "intended__code",
        kind=CATEGORY,
        hidden=True,
        compared=True,
        file=FromFile(_("The category that the author meant: its code, name or another name.")),
    ),
    Column(
        "intended_hateful",
        "intended_hateful",
        kind=FLAG,
        hidden=True,
        file=FromFile(_("Whether the author meant it to be hateful: true or false.")),
    ),
    Column("batch", "batch", file=FromFile(_("The batch that the post belongs to."), most=100)),
    Column("target_group", "target_group", hidden=True, file=FromFile(_("The group targeted, in words."), most=200)),
    Column("item_source", "source", file=FromFile(_("Where the post comes from."), names=("source", "item_source"))),
    Column("licence", "licence", compared=True, file=FromFile(_("The licence of the post."), most=200)),
    *(column for modality in (Modality.TEXT, Modality.IMAGE) for column in prior_columns(modality)),
    Column(
        "labels",
        of=fact("labels"),
        kind=[{column.name: column.kind for column in among(LABELS, ())}],
        meaning="the labels of the deciding round; answers to further questions in answers and answer_versions",
        file=FromFile(
            _("A JSON list, an object for each annotator: annotator, category, not_sure, low_quality, note, answers …")
        ),
    ),
    Column(
        "gold",
        "category__code",
        kind=CATEGORY,
        meaning="the code of the category of text and picture together",
        decided=True,
        long=True,
        file=FromFile(_("The category that is decided already.")),
    ),
    Column("hateful", "hateful", kind=FLAG, meaning="whether that category is hateful", decided=True),
    Column("level", "level", meaning="how far the annotators agreed", compared=True, long=True),
    Column("source", "category_source", meaning="who decided the category", decided=True, long=True),
    Column(
        "rationale",
        of=fact("rationale"),
        quotes=True,
        decided=True,
        file=FromFile(_("Why it was decided so."), most=NOTE_LIMIT, lines=True),
    ),
    Column(
        "pattern",
        "pattern",
        meaning="three bits: text, picture, both together hateful",
        decided=True,
        compared=True,
        long=True,
    ),
    Column("difficulty", "difficulty", decided=True, long=True),
    Column("mechanism", of=_mechanism, needs=("pattern",), decided=True),
    Column("aligned", "aligned", kind=FLAG, hidden=True),
    Column("round", "round", kind=WHOLE),
    Column("guideline_version", of=fact("guideline_version"), kind=WHOLE),
    Column(
        "intended_categories",
        of=_codes("intended__code", "intended_categories"),
        needs=("intended__code", "intended_categories"),
        kind=[CATEGORY],
        when=When.SEVERAL,
        meaning="the codes of all categories that the source intended",
        hidden=True,
        file=FromFile(
            _("All categories that the author meant, with ; between them, where people choose several."),
        ),
    ),
    Column(
        GOLD_SET,
        of=_codes("category__code", "categories"),
        needs=("category__code", "categories"),
        kind=[CATEGORY],
        when=When.SEVERAL,
        meaning="the codes of all final categories; `gold` is the first",
        decided=True,
        file=FromFile(_("Beside gold: all categories that are decided, with ; between them.")),
    ),
    Column(QUESTIONS, of=fact(QUESTIONS), when=When.ASKED),
    Column(
        "marked_passages",
        of=fact("marked_passages"),
        kind=[{"annotator": TEXT, "start": WHOLE, "end": WHOLE, "name": TEXT}],
        when=When.MARKED,
        meaning="passages that people marked and named before the import, [start, end) in code points of the text",
        long=True,
        file=FromFile(_("Passages that people marked and named: a JSON list of annotator, start, end and name.")),
    ),
    Column(
        "about_annotators",
        of=fact("about_annotators"),
        kind=[{"annotator": TEXT, "column": TEXT, "value": TEXT}],
        when=When.PEOPLE,
        meaning="columns about the people who labelled the item, as they came with their labels",
        long=True,
        file=FromFile(_("What is known of the annotators: a JSON list of annotator, column and value.")),
    ),
    Column(
        "picture_text",
        of=fact("picture_text"),
        when=When.WORDS,
        meaning="the words that were read in the picture; null if there are none or nobody read it",
        quotes=True,
        file=FromFile(
            _("The words in the picture; the first column with a value counts."),
            names=("picture_text", "ocr", "ocr_text", "img_text", "image_text"),
        ),
    ),
    Column(
        "picture_text_reader",
        of=fact("picture_text_reader"),
        when=When.WORDS,
        meaning="who read them: a program or model with its version, a person, or given with the data",
        quotes=True,
        file=FromFile(_("Who read these words.")),
    ),
    Column(
        "extra",
        of=fact("extra"),
        needs=("extra",),
        kind={},
        when=When.KEPT,
        meaning="columns of the imported file that the site does not know, as they were written there",
        quotes=True,
        hidden=True,
        file=FromFile(
            _("Columns that the site does not know, as they were written; any other column is kept so too."),
            names=("extra", "extra_NAME", "provenance"),
        ),
    ),
    Column(
        INJECTED,
        of=lambda facts: is_injected(facts["provenance"]),
        needs=("provenance",),
        kind=FLAG,
        when=When.INJECTED,
        meaning="whether a model wrote the text for this data set; a person accepted it then",
        long=True,
        file=FromFile(_HOW_INJECTED),
    ),
    _injected("strategy", 40, "how such a text was meant to work"),
    _injected("pattern", 3, "the pattern it was written for: text, picture, together"),
    _injected("model", 160, "the model that wrote it"),
    _injected("prompt_digest", 64, "SHA-256 of the prompt's template"),
    Column("stage", "stage", when=When.CLOSED, listed=Listed.MEMBERS),
    Column("reasons", of=fact("reasons"), kind=[TEXT], when=When.CLOSED, listed=Listed.ADMINS),
    Column("excluded_for", "excluded_for", when=When.CLOSED, listed=Listed.MEMBERS),
    Column(
        "votes",
        of=lambda facts: votes_of(facts["labels"]),
        kind=[{"category": CATEGORY, "n": WHOLE}],
        when=When.CLOSED,
    ),
    Column(
        EVIDENCE,
        of=fact(EVIDENCE),
        needs=("public_id",),
        kind=[{column.name: column.kind for column in CARD_COLUMNS}],
        when=When.EVIDENCE,
        meaning="the pages on which a verdict or a decision about the post is based, with what each says of itself",
        quotes=True,
    ),
    Column(
        "text_sha256",
        of=fact("text_digest"),
        when=When.WITHHELD,
        meaning="SHA-256 of the text in its composed form (NFC) in UTF-8",
    ),
    Column("withheld", of=fact("withheld"), kind=FLAG, when=When.WITHHELD),
    Column("split", of=fact("split"), when=When.SPLIT, meaning="train, dev or test"),
    # ── No release has these ────────────────────────────────────────────────
    Column(
        "annotator",
        when=None,
        file=FromFile(_("Whose label the row’s one label is, where a label column is named.")),
    ),
    Column(
        "answer_CODE",
        when=None,
        file=FromFile(
            _("That label’s answer to the further question CODE, and the version that was asked."),
            names=("answer_CODE", "answer_CODE_version"),
        ),
    ),
    Column(
        "gold_source",
        when=None,
        file=FromFile(_("Where that decision comes from: consensus, adjudicated or imported.")),
    ),
    Column(
        "priority",
        "priority",
        kind=WHOLE,
        when=None,
        listed=Listed.MEMBERS,
        file=FromFile(_("How early the post is handed out: a whole number, 0 for most, higher comes first.")),
    ),
    Column(
        "severity",
        "severity",
        kind=WHOLE,
        when=None,
        listed=Listed.ADMINS,
        file=FromFile(_("How severe the post is, 0 to 3.")),
    ),
    Column(
        "known_category",
        of=fact("known_category"),
        when=None,
        listed=Listed.ADMINS,
        file=FromFile(_("The known answer of a training or check post.")),
    ),
    Column(
        "known_explanation",
        of=fact("known_explanation"),
        when=None,
        listed=Listed.ADMINS,
        file=FromFile(_("The explanation shown after a training answer."), most=NOTE_LIMIT, lines=True),
    ),
    Column(
        "known_training",
        of=fact("known_training"),
        when=None,
        listed=Listed.ADMINS,
        file=FromFile(_("true: for training; false: mixed in as a check.")),
    ),
)

_LATER = ("categories", "intended_categories", "labels", "guideline_version", "rationale")
_LATER_PARTS = (
    When.ASKED,
    When.MARKED,
    When.PEOPLE,
    When.WORDS,
    When.KEPT,
    When.CLOSED,
    When.INJECTED,
    When.SPLIT,
    When.EVIDENCE,
    When.WITHHELD,
)


def _made(column: Column) -> tuple[int, int]:
    part = _LATER_PARTS.index(column.when) + 1 if column.when in _LATER_PARTS else 0
    return part, _LATER.index(column.name) + 1 if column.name in _LATER else 0


AS_MADE = tuple(sorted(ITEMS, key=_made))
"""In the order of rows before they are written: WebDataset and Label Studio's `data` have always followed it."""
