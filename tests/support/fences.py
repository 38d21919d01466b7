"""What a request to a model says outside of its fences: whoever obeys that alone obeys no stranger (threats T8)."""

import re

_CODE = re.compile(r"The code of this conversation: ([0-9a-f]+)")


def outside_of_fences(said: str) -> str:
    """Return what all messages of a request say together, without the blocks that its own code fences."""
    code = _CODE.search(said)
    assert code is not None, "the request names no code"
    return re.sub(rf"\[(\w+) {code[1]}\].*?\[/\1 {code[1]}\]", "", said, flags=re.DOTALL)
