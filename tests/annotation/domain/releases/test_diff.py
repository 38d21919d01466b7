"""Rows of two releases, compared."""

from typing import Any

from annotation.domain.releases.diff import brief, compare
from annotation.domain.text_rules import text_digest


def row(**fields: Any) -> dict[str, Any]:
    """Return a row of a release, as far as it is compared."""
    label = {"annotator": "a-1", "category": 1}
    values = {"gold": 1, "hateful": True, "source": "consensus", "round": 1, "labels": [label]}
    rest = ("level", "text", "image_sha256_released", "text_label", "image_label", "pattern", "licence", "intended")
    rest = (*rest, "rationale")
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


def test_a_set_of_categories_is_compared_as_a_whole() -> None:
    both = row(gold=1, categories=[1, 2])
    (relabelled,) = changes_of(both, row(gold=1, categories=[1])).relabelled
    assert (relabelled.before, relabelled.after) == ((1, 2), 1)
    assert changes_of(both, row(gold=1, categories=[1, 2])).relabelled == []
    # A release from before answers could name several categories has no sets.
    assert changes_of(row(), row(categories=[1], intended_categories=[])).relabelled == []


def test_another_set_of_one_label_is_the_reason() -> None:
    labels = [{"annotator": "a-1", "category": 1, "categories": codes} for codes in ([1], [1, 2])]
    before, after = row(categories=[1], labels=labels[:1]), row(categories=[1, 2], labels=labels[1:])
    assert changes_of(before, after).relabelled[0].why == "labels_changed"
    assert changes_of(before, after | {"categories": [1]}).revised == ["a"]


def test_another_reason_answer_or_intent_is_a_revision() -> None:
    def answered(value: object) -> dict[str, Any]:
        return {"labels": [{"annotator": "a-1", "category": 1, "answers": {"words": value}}]}

    assert changes_of(row(rationale="Quoted."), row(rationale="Meant.")).revised == ["a"]
    assert changes_of(row(**answered([[0, 3]])), row(**answered([[0, 4]]))).revised == ["a"]
    assert changes_of(row(**answered([[0, 3]])), row(**answered([(0, 3)]))).revised == []
    assert changes_of(row(), row(**answered(None))).revised == []  # the question came later
    sets = [row(intended=1, intended_categories=codes) for codes in ([1], [1, 2])]
    assert changes_of(*sets).revised == ["a"]


def test_what_one_release_leaves_out_is_no_revision() -> None:
    answers = {"labels": [{"annotator": "a-1", "category": 1, "answers": {"why": "Meant."}}]}
    full = row(text="Cafe\u0301.", rationale="Quoted.", **answers)
    bare = row(text_sha256=text_digest("Café."), labels=[{"annotator": "a-1", "category": 1, "answers": {"why": None}}])
    other = bare | {"text_sha256": text_digest("Tea.")}
    for before, after, revised in ((full, bare, []), (bare, full, []), (bare, bare, []), (full, other, ["a"])):
        texts = [row is full for row in (before, after)]
        changes = compare({"a": brief(before, texts[0])}, [("a", brief(after, texts[1]))])
        assert changes.revised == revised
    assert changes_of(full, bare | {"withheld": True}).revised == []  # by the licence of the post
    assert changes_of(full, full | {"rationale": "Meant."}).revised == ["a"]


def test_a_post_in_another_part_has_moved_and_is_not_revised() -> None:
    changes = changes_of(row(split="test"), row(split="train"))
    assert [(moved.id, moved.before, moved.after) for moved in changes.moved] == [("a", "test", "train")]
    assert changes.revised == []
    assert changes_of(row(split="test"), row(split="test", gold=0)).moved == []
    assert changes_of(row(), row(split="test")).moved == []  # the older release has no parts
    both = changes_of(row(split="test"), row(split="dev", gold=0))
    assert len(both.moved) == len(both.relabelled) == 1
