"""Registers: the types of CONAN, read from cells as its file writes them."""

import pytest

from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import (
    Register,
    UnknownRegister,
    cn_type,
    in_order,
    intent_of,
    read_registers,
    read_types,
)

CELLS = [
    ("facts", ["facts"], []),
    ("facts , hypocrisy", ["facts", "hypocrisy"], []),
    ("denouncing , facts , humor", ["facts", "humor", "denouncing"], []),
    ("affiliation , humor , question", ["affiliation", "humor", "question"], []),
    ("Facts", ["facts"], []),
    ("hyocrisy , positive", ["hypocrisy", "positive"], []),  # as CONAN has it in four rows
    ("humor , negative", ["humor"], []),
    ("other", [], []),
    ("facts,facts", ["facts"], []),
    ("humour", ["humor"], []),
    ("counter-question", ["question"], []),
    ("empathy", ["empathy"], []),
    ("irony , facts", ["facts"], ["irony"]),
    ("", [], []),
]


@pytest.mark.parametrize(("cell", "registers", "unread"), CELLS)
def test_a_cell_of_types_is_read_as_conan_writes_it(cell: str, registers: list[str], unread: list[str]) -> None:
    read = read_types(cell)
    assert (list(map(str, read.registers)), list(read.unread)) == (registers, unread)


@pytest.mark.parametrize(
    ("cell", "intent"),
    [
        ("facts", Intent.INFORMATIVE),
        ("humor , positive", Intent.POSITIVE),
        ("hypocrisy , question", Intent.QUESTIONING),
        ("denouncing", Intent.DENOUNCING),
        ("humor", None),
        ("affiliation , consequences", None),
        ("other", None),
    ],
)
def test_four_types_are_intents_and_the_others_are_none(cell: str, intent: Intent | None) -> None:
    assert intent_of(read_types(cell).registers) == intent


def test_types_are_written_as_conan_writes_them() -> None:
    assert cn_type(["humor", "facts"], Intent.POSITIVE) == "facts , humor"
    assert [cn_type([], intent) for intent in Intent] == ["facts", "positive", "question", "denouncing"]
    for register in Register:
        assert read_types(cn_type([register], Intent.POSITIVE)).registers == (register,)


def test_registers_that_somebody_asks_for_are_all_known() -> None:
    assert read_registers("humor, facts") == [Register.FACTS, Register.HUMOR]
    for word in ("negative", "irony"):
        with pytest.raises(UnknownRegister, match="is no register; there are facts, hypocrisy"):
            read_registers(f"facts,{word}")


def test_registers_stand_in_their_order_each_once() -> None:
    assert in_order(["humor", "nothing", "facts", "humor"]) == (Register.FACTS, Register.HUMOR)
