"""What pages send without need is left out of templates; what stood apart still does, and texts stay as they are."""

import pytest
from django.template import Context, Engine

from config.rendering.compact_templates import compact

CASES = [
    '<p\n  class="a"\n  {% if x %}\n    data-x\n  {% endif %}\n  id="b"\n>\n</p>',
    "one\n  {% if x %}\n    two\n  {% else %}\n    three\n  {% endif %}\nfour",
    "one{% if x %}\n  two\n{% endif %}\nthree",
    "one {% if x %}\n  two\n{% else %}\n  three{% endif %}four",
    "{% for n in many %}\n  <b>{{ n }}</b>\n{% empty %}\n  none\n{% endfor %}\nend",
    "one{% if x %}\n  two\n{% else %}\n  three\n{% endif %}\nfour",
    "{% for n in many %}\n  {% if x %}\n    <b>{{ n }}</b>\n  {% endif %}\n{% endfor %}\n",
    "{% with y=x %}\n  {% if y %}\n    {% if many %}\n      a\n    {% endif %}\n  {% endif %}\n{% endwith %}\nb",
    "a\n{% firstof x 'b' as c %}\n{{ c }}",
    "<b>{{ text }}</b>",
]


@pytest.mark.parametrize("source", CASES)
@pytest.mark.parametrize("x", ["", "x"])
@pytest.mark.parametrize("many", [[], [1, 2, 3]])
def test_it_shows_the_same_and_is_not_longer(source: str, x: str, many: list[int]) -> None:
    values = {"x": x, "many": many, "text": "two  blanks,\n   and a line"}
    before, after = (Engine().from_string(each).render(Context(values)) for each in (source, compact(source)))
    assert after.replace(">", " >").split() == before.replace(">", " >").split()
    assert len(after) <= len(before)


def test_a_text_keeps_its_blanks() -> None:
    assert Engine().from_string(compact(CASES[-1])).render(Context({"text": "a\n   b"})) == "<b>a\n   b</b>"


def test_lines_of_a_page_lose_what_nobody_sees() -> None:
    assert compact(CASES[0]) == '<p class="a" {% if x %}data-x {% endif %}id="b"> </p>'
