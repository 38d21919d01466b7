"""Changes of a project's categories while people label: what is allowed, and what changed.

A code never changes its meaning and is never used again: a category is retired, not deleted, and whether it is hateful
stays. The old name of a renamed category stays as an alias, so files by that name can still be read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from annotation.domain.categories import BadCategories, names
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.votes import Category
from vocabulary.display_names import NamedEnum, pgettext

_TAKEN = _("Category %(code)s (%(name)s) has a name or alias of the category %(owner)s. Choose another name.")
_TAKEN_BY_RETIRED = _(
    "Category %(code)s (%(name)s) has a name or alias of the retired category %(owner)s. Choose another name."
)


class ChangeKind(NamedEnum):
    """What happened to a category or to a further question."""

    ADDED = "added", pgettext("stored word", "added")
    RENAMED = "renamed", pgettext("stored word", "renamed")
    REDEFINED = "redefined", pgettext("stored word", "defined anew")
    ALIASES = "aliases", pgettext("stored word", "other names changed")
    KEY = "key", pgettext("stored word", "key changed")
    COLOUR = "colour", pgettext("stored word", "colour changed")
    REASKED = "reasked", pgettext("stored word", "asked otherwise")
    MOVED = "moved", pgettext("stored word", "moved")
    RETIRED = "retired", pgettext("stored word", "retired")
    RESTORED = "restored", pgettext("stored word", "in use again")


@dataclass(frozen=True)
class CategoryChange:
    """One change of one category, with the texts before and after it."""

    kind: ChangeKind
    code: int
    name: str
    before: str = ""
    after: str = ""


def merge(present: Sequence[Category], proposed: Sequence[Category]) -> tuple[Category, ...]:
    """Return all categories of the project after the change, by code.

    `proposed` is a whole list as `read_categories` returns it. A present category that it leaves out is retired.
    Raises BadCategories if a code would change its meaning, or a new one takes a name of a retired category.
    """
    by_code = {category.code: category for category in proposed}
    merged = dict(by_code)
    for old in present:
        new = by_code.get(old.code)
        merged[old.code] = replace(old, retired=True, key="") if new is None else _renamed(old, new)
    _refuse_taken_names(list(merged.values()))
    return tuple(merged[code] for code in sorted(merged))


def _renamed(old: Category, new: Category) -> Category:
    if old.hateful != new.hateful:
        raise BadCategories(
            _(
                "Category %(code)s (%(name)s) cannot change between hateful and not hateful: its labels would change "
                "their meaning. Retire it and add another."
            ),
            code=old.code,
            name=old.name,
        )
    if new.name == old.name or old.name.casefold() in {name.casefold() for name in names(new)}:
        return new
    return replace(new, aliases=(*new.aliases, old.name))


def _refuse_taken_names(categories: Sequence[Category]) -> None:
    holder: dict[str, Category] = {}
    for category in sorted(categories, key=lambda category: not category.retired):
        for name in {name.casefold() for name in names(category)}:
            owner = holder.setdefault(name, category)
            if owner != category:
                raise BadCategories(
                    _TAKEN_BY_RETIRED if owner.retired else _TAKEN,
                    code=category.code,
                    name=category.name,
                    owner=f"{owner.code} ({owner.name})",
                )


def changes(present: Sequence[Category], merged: Sequence[Category]) -> tuple[CategoryChange, ...]:
    """Return what changed from one state of all categories to the next, by code."""
    before = {category.code: category for category in present}
    order = [category.code for category in on_page(present)]
    moved = _moved(order, [category.code for category in on_page(merged) if category.code in order])
    listed: list[CategoryChange] = []
    for category in merged:
        old = before.get(category.code)
        if old is None:
            listed.append(CategoryChange(ChangeKind.ADDED, category.code, category.name))
        else:
            listed += _differences(old, category)
            if category.code in moved and not category.retired and not old.retired:
                listed.append(CategoryChange(ChangeKind.MOVED, category.code, category.name))
    return tuple(listed)


def on_page(categories: Sequence[Category]) -> tuple[Category, ...]:
    """Return the categories that can be chosen, in the order of the page."""
    offered = [category for category in categories if not category.retired]
    return tuple(sorted(offered, key=lambda category: (category.place, category.code)))


def _moved(before: Sequence[int], after: Sequence[int]) -> set[int]:
    """Return the codes whose place among those that stay changed."""
    staying = [code for code in before if code in after]
    return {code for place, code in enumerate(after) if staying[place] != code}


def _differences(old: Category, new: Category) -> Iterator[CategoryChange]:
    if old.retired != new.retired:
        yield CategoryChange(ChangeKind.RETIRED if new.retired else ChangeKind.RESTORED, new.code, new.name)
    pairs = (
        (ChangeKind.RENAMED, old.name, new.name),
        (ChangeKind.REDEFINED, old.definition, new.definition),
        (ChangeKind.ALIASES, "\n".join(old.aliases), "\n".join(new.aliases)),
        (ChangeKind.COLOUR, old.colour, new.colour),
        (ChangeKind.KEY, old.key, new.key),
    )
    for kind, before, after in pairs:
        if before != after and not (kind is ChangeKind.KEY and old.retired != new.retired):
            shown = (words.replace("\n", "; ") if kind is ChangeKind.ALIASES else words for words in (before, after))
            yield CategoryChange(kind, new.code, new.name, *shown)
