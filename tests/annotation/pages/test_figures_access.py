"""Who may see figures of a project: the link of the header, the pages and the API answer alike for every role."""

from itertools import combinations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.pages.navigation import places_of
from builders import make_member, make_project

ROLES = [roles for count in (1, 2, 3) for roles in combinations(Role, count)]


@pytest.mark.parametrize("roles", ROLES, ids="+".join)
def test_the_link_and_the_view_of_figures_agree_for_each_role(db, roles):
    project = make_project("garden")
    member = make_member(project, *roles)
    client = Client()
    client.force_login(member.user)
    links = {place["href"] for place in places_of(member, project)}
    allowed = Role.ADMIN in roles or (Role.REVIEWER in roles and Role.ANNOTATOR not in roles)
    assert member.sees_figures == allowed
    dashboard = reverse("annotation:dashboard", args=["garden"])
    assert (dashboard in links) == allowed
    for address in (dashboard, reverse("annotation:dashboard-table", args=["garden", "agreement"]), API):
        assert client.get(address).status_code == (200 if allowed else 404), address


API = "/api/v1/projects/garden/agreement/"
