"""What imports read of the columns of an item: what is stored as it stands, and what the page says of each."""

from annotation.domain.columns.column import Facts, names_of
from annotation.domain.columns.items import ITEMS

ABOUT_ITEMS = names_of(column for column in ITEMS if column.field and column.file and column.file.most)
"""Those that an import stores as the file has them, in the field of the same name."""
NOTHING_ABOUT: Facts = dict.fromkeys((*ABOUT_ITEMS, "source"), "")

_TOLD = (
    *("id", "text", "image", "picture_text", "picture_text_reader", "batch", "priority"),
    *("intended", "intended_categories", "intended_hateful", "labels", "annotator", "answer_CODE"),
    *("gold", "categories", "gold_source", "rationale", "known_category", "known_explanation", "known_training"),
    *("text_label", "text_hateful", "text_explanation", "text_model", "text_prompt_digest", "text_severity"),
    *("severity", "target_group", "item_source", "licence", "extra", "injected"),
)


def told() -> dict[str, tuple[str, ...]]:
    """Return what stands in the columns of files, with the names of each, in the order of the page; new ones last."""
    names: dict[str, tuple[str, ...]] = {}
    for column in sorted(ITEMS, key=lambda column: (*_TOLD, column.name).index(column.name)):
        if column.file is not None:
            names[column.file.words] = (*names.get(column.file.words, ()), *column.file_names)
    return names
