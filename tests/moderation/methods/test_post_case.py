"""The question about a post: a picture goes to roles alone that are bound to a model which sees pictures."""

import pytest

from moderation.methods.post_case import Post
from providers.messages import Picture
from providers.roles import ModelRole

POST = Post("A post about a garden.", Picture(b"picture"), (), "nonce")


def test_a_role_of_words_is_never_sent_a_picture() -> None:
    with pytest.raises(ValueError, match="debater is shown a picture: declare it with PICTURES"):
        POST.step("one", ModelRole.DEBATER, "baseline", "binary", {})
    described = POST.in_words("A garden.").step("one", ModelRole.DEBATER, "baseline", "binary", {})
    shown = POST.step("one", ModelRole.BASELINE, "baseline", "binary", {})
    for step, pictures in ((described, 0), (shown, 1)):
        parts = [part for message in step.messages for part in message.parts]
        assert sum(isinstance(part, Picture) for part in parts) == pictures
