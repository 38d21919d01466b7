"""Passwords: cheap enough for thirty people who sign in together, and old hashes are replaced."""

import pytest
from django.contrib.auth.hashers import check_password, identify_hasher, make_password
from django.test import Client
from knox.models import AuthToken

import builders
from config import settings as site

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_deployed(settings):
    settings.PASSWORD_HASHERS = site.PASSWORD_HASHERS


def test_a_password_is_kept_as_argon2id_with_the_parameters_of_the_advice():
    encoded = make_password("a long enough phrase")
    assert encoded.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
    assert check_password("a long enough phrase", encoded) and not check_password("another", encoded)


def test_a_password_of_before_opens_the_account_and_is_hashed_anew():
    user = builders.make_user("wren")
    user.password = make_password("a long enough phrase", hasher="pbkdf2_sha256")
    user.save()
    AuthToken.objects.create(user)
    answer = Client().post("/accounts/login/", {"login": "wren", "password": "a long enough phrase"})
    assert answer.status_code == 302
    user.refresh_from_db()
    assert identify_hasher(user.password).algorithm == "argon2"
    assert AuthToken.objects.filter(user=user).exists()  # nobody set another password
