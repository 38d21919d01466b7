"""The table of moves against the words of design section 3."""

import pytest

from annotation.domain.choices import Stage
from annotation.domain.stages import MOVES, Mover, may_move

BY_THE_DESIGN = {
    Stage.IMPORTED: {Stage.READY, Stage.GOLD, Stage.EXCLUDED, Stage.KNOWN},
    Stage.READY: {Stage.LABELLING, Stage.EXCLUDED, Stage.KNOWN},
    Stage.LABELLING: {Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED},
    Stage.DISPUTED: {Stage.GOLD, Stage.EXCLUDED, Stage.LABELLING},
    Stage.GOLD: {Stage.LABELLING, Stage.DISPUTED, Stage.EXCLUDED},
    # Back to where it stood if it was reported without need; gold also by a new decision in place of an exclusion.
    Stage.EXCLUDED: {*Stage} - {Stage.EXCLUDED},
    Stage.KNOWN: {Stage.READY, Stage.EXCLUDED},  # a known answer never becomes gold, nor is it labelled for gold
}


@pytest.mark.parametrize("start", Stage)
def test_an_item_goes_where_the_design_lets_it_go_and_nowhere_else(start):
    assert {end for (begin, end) in MOVES if begin is start} == BY_THE_DESIGN[start]


def test_every_stage_can_be_reached_and_left():
    assert {end for (_, end) in MOVES} | {Stage.IMPORTED} == set(Stage)
    assert {start for (start, _) in MOVES} == set(Stage)


@pytest.mark.parametrize("start", [stage for stage in Stage if stage is not Stage.EXCLUDED])
def test_anyone_who_sees_an_item_can_have_it_stopped(start):
    assert may_move(start, Stage.EXCLUDED, Mover.MEMBER)


@pytest.mark.parametrize("start", [Stage.GOLD, Stage.EXCLUDED])
def test_a_reviewer_does_not_reopen_what_is_settled(start):
    assert may_move(start, Stage.LABELLING, Mover.ADMIN)
    assert not may_move(start, Stage.LABELLING, Mover.REVIEWER)


def test_only_the_system_disputes_gold():
    assert [mover for mover in Mover if may_move(Stage.GOLD, Stage.DISPUTED, mover)] == [Mover.SYSTEM]


def test_staying_put_is_no_move():
    assert not any(may_move(stage, stage, mover) for stage in Stage for mover in Mover)


S, M, R, A = Mover.SYSTEM, Mover.MEMBER, Mover.REVIEWER, Mover.ADMIN


@pytest.mark.parametrize(
    ("start", "end", "movers"),
    [
        (Stage.IMPORTED, Stage.READY, {S, A}),
        (Stage.IMPORTED, Stage.GOLD, {S, A}),
        (Stage.IMPORTED, Stage.KNOWN, {A}),
        (Stage.IMPORTED, Stage.EXCLUDED, {M, R, A}),
        (Stage.READY, Stage.LABELLING, {S, A}),
        (Stage.READY, Stage.KNOWN, {A}),
        (Stage.READY, Stage.EXCLUDED, {M, R, A}),
        (Stage.LABELLING, Stage.DISPUTED, {S}),
        (Stage.LABELLING, Stage.GOLD, {S}),
        (Stage.LABELLING, Stage.EXCLUDED, {S, M, R, A}),
        (Stage.DISPUTED, Stage.GOLD, {S, R}),
        (Stage.DISPUTED, Stage.LABELLING, {S, M, R}),
        (Stage.DISPUTED, Stage.EXCLUDED, {S, M, R, A}),
        (Stage.GOLD, Stage.DISPUTED, {S}),
        (Stage.GOLD, Stage.LABELLING, {S, M, A}),
        (Stage.GOLD, Stage.EXCLUDED, {M, R, A}),
        (Stage.EXCLUDED, Stage.LABELLING, {S, M, A}),
        (Stage.EXCLUDED, Stage.GOLD, {R, A}),
        *((Stage.EXCLUDED, end, {A}) for end in (Stage.IMPORTED, Stage.READY, Stage.DISPUTED, Stage.KNOWN)),
        (Stage.KNOWN, Stage.READY, {A}),
        (Stage.KNOWN, Stage.EXCLUDED, {M, R, A}),
    ],
)
def test_each_move_is_open_to_these_movers_and_to_no_others(start, end, movers):
    assert {mover for mover in Mover if may_move(start, end, mover)} == movers
