"""An undo that comes twice, and a change of a label that an undo has taken back."""

from uuid import uuid4

import pytest
from django.test import Client

from annotation.labelling import submit, views
from annotation.models import Label, Membership, Project, Seat
from builders import make_label, make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db

PAGE = "/p/garden/label/"


@pytest.fixture
def project() -> Project:
    return make_project("garden", seats=2)


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project)


@pytest.fixture
def client(wren: Membership) -> Client:
    assert wren.user is not None
    client = Client()
    client.force_login(wren.user)
    return client


@pytest.fixture
def label(project: Project, wren: Membership, client: Client) -> Label:
    """A label that has just closed its post."""
    item = make_open_item(project, "Weeds.")
    make_label(item.seat_rows.get(number=1), make_member(project), 1)
    client.get(PAGE)
    seat = Seat.objects.get(annotator=wren)
    client.post(f"{PAGE}{seat.public_id}/", {"key": uuid4(), "category": "1"})
    return Label.objects.get(annotator=wren)


def test_of_two_presses_at_once_the_second_finds_the_post_too(label, client, monkeypatch):
    def take_back_after_another(member, public_id):
        submit.take_back_label(member, public_id)
        return submit.take_back_label(member, public_id)

    monkeypatch.setattr(views, "take_back_label", take_back_after_another)
    assert client.post(f"{PAGE}undo/")["Location"] == f"{PAGE}?again=1"


def test_a_change_of_a_label_taken_back_in_another_tab_is_shown_again(label, client):
    client.post(f"{PAGE}undo/")
    address = f"{PAGE}own/{label.public_id}/"
    answer = client.post(address, {"key": uuid4(), "category": "2", "note": "half a thought"})
    assert answer.status_code == 409
    assert "Your change was not stored" in answer.content.decode()
    assert "half a thought" in answer.content.decode()
    assert Label.objects.count() == 2
    assert client.get(address)["Location"] == PAGE
