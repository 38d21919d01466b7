"""The pages of the counterspeech desk of the project `garden`, as its people open them."""

from typing import Any

from django.test import Client
from django.urls import reverse

from annotation.models import Membership
from markup import compact


def client_of(member: Membership) -> Client:
    """Return a browser in which the member is signed in."""
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def address(name: str, *args: object) -> str:
    """Return the address of a page of the desk."""
    return reverse(f"generation:{name}", args=["garden", *args])


def text_of(answer: Any) -> str:
    """Return the page as text without the blanks of its template."""
    return compact(answer.content.decode())
