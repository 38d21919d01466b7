"""Rows of two releases, compared."""

from typing import Any

from annotation.domain.releases.diff import brief, compare


def row(**fields: Any) -> dict[str, Any]:
    """Return a row of a release, as far as it is compared."""
    label = {"annotator": "a-1", "category": 1}
    values = {"gold": 1, "hateful": True, "source": "consensus", "round": 1, "labels": [label]}
    rest = ("level", "text", "image_sha256_released", "text_label", "image_label", "pattern", "licence", "intended")
    return {**dict.fromkeys(rest), **values, **fields}


def changes_of(before: dict[str, Any], after: dict[str, Any]) -> Any:
    return compare({"a": brief(before)}, [("a", brief(after))])


def test_a_category_of_a_post_that_was_not_gold_is_none() -> None:
    # Earlier releases gave disputed posts a category.
    before = row(stage="disputed", gold=1, pattern="001", excluded_for=None)
    same = row(stage="disputed", gold=None, hateful=None, source=None, pattern=None)
    assert changes_of(before, same).relabelled == changes_of(before, same).revised == []
    (relabelled,) = changes_of(before, row(stage="gold")).relabelled
    assert (relabelled.before, relabelled.after) == (None, 1)
