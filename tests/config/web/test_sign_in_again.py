"""Where people come back to whose session ended, and what an address says that is no page."""

import pytest
from django.urls import reverse

from annotation.models import Seat
from builders import make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db
LABEL = "/p/garden/label/"


def location(client, method, address, **headers):
    return getattr(client, method)(address, headers=headers)["Location"]


def test_a_form_leads_back_to_the_page_that_sent_it_and_a_page_to_itself(client):
    sent = location(client, "post", "/p/garden/glossary/use/", referer="http://testserver/p/garden/glossary/?q=weed")
    assert sent == "/accounts/login/?next=/p/garden/glossary/%3Fq%3Dweed%26signed_in%3Dagain"
    again = location(client, "post", LABEL + "undo/", referer="http://testserver/p/garden/label/?signed_in=again")
    assert again == "/accounts/login/?next=/p/garden/label/%3Fsigned_in%3Dagain"
    assert location(client, "get", "/p/garden/items/?q=weed") == "/accounts/login/?next=/p/garden/items/%3Fq%3Dweed"


def test_a_part_of_a_page_leads_back_to_the_whole_and_a_foreign_page_nowhere(client):
    page = {"hx-request": "true", "referer": "http://testserver/p/garden/priors/"}
    assert location(client, "get", "/p/garden/priors/progress/", **page) == "/accounts/login/?next=/p/garden/priors/"
    foreign = location(client, "post", LABEL + "undo/", referer="https://evil.example/p/garden/")
    assert foreign == "/accounts/login/?next=/%3Fsigned_in%3Dagain"


def test_the_sign_in_and_the_page_after_it_say_what_became_of_the_form(client):
    page = client.get("/accounts/login/?next=/p/garden/label/%3Fsigned_in%3Dagain").content.decode()
    assert "You were signed out meanwhile." in page
    assert "You were signed out" not in client.get("/accounts/login/").content.decode()
    member = make_member(make_project("garden"))
    client.force_login(member.user)
    assert "What you sent was not stored" in client.get(LABEL, {"signed_in": "again"}, follow=True).content.decode()
    assert "What you sent was not stored" not in client.get(LABEL, follow=True).content.decode()


def test_an_address_that_only_takes_a_form_has_a_page_of_ours_for_whoever_opens_it(client):
    project = make_project("garden")
    member = make_member(project)
    item = make_open_item(project, "One.")
    client.force_login(member.user)
    client.get(LABEL)
    seat = Seat.objects.filter(item=item)[0].public_id
    for name in ("submit", "skip"):
        answer = client.get(reverse(f"annotation:{name}", args=("garden", seat)))
        assert (answer.status_code, answer["Allow"]) == (405, "POST")
        assert "This address is not a page" in answer.content.decode()
        assert 'href="/"' in answer.content.decode()
    told = client.get(reverse("annotation:undo", args=["garden"]), headers={"accept": "application/json"})
    assert told.json()["code"] == "method_not_allowed"
