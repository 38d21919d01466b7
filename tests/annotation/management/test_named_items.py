"""Items that a command's argument names."""

import pytest
from django.core.management import CommandError

from annotation.management.projects import named_items
from annotation.models import Item
from builders import make_item, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("written", ["", ",", " , ,", " "])
def test_an_argument_without_a_name_is_refused_and_never_means_all(written: str) -> None:
    make_item(make_project(), external_id="a")
    with pytest.raises(CommandError, match="names no item: write external ids"):
        named_items(Item.objects.all(), written, "here")


def test_the_first_unknown_name_is_said() -> None:
    project = make_project()
    for name in ("a", "b", "c"):
        make_item(project, external_id=name)
    chosen = named_items(Item.objects.filter(project=project).order_by("pk"), " c,a ,", "here")
    assert [item.external_id for item in chosen] == ["a", "c"]
    with pytest.raises(CommandError, match="no item 'x' that can be looked at"):
        named_items(Item.objects.all(), "a,x,y", "that can be looked at")
