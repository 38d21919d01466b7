"""What holds for every test of the desk, and whom most of them need: a project, a hateful post, two reviewers."""

import pytest

from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_member, make_project
from generation.counterspeech import request
from reply_builders import make_hateful_item


@pytest.fixture(autouse=True)
def _no_store_of_another_test() -> None:
    """A database that begins anew has rows with the keys of the one before."""
    request._store.cache_clear()


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_hateful_item(project)


@pytest.fixture
def author(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER, pseudonym="heron")


@pytest.fixture
def second(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER, pseudonym="owl")
