"""What only DashScope has, above all: nothing of ours is ever taken for a file and uploaded."""

import base64
from pathlib import Path

import pytest

from providers.messages import Message, Picture, ProviderError, Request, Text
from providers.vendors import dashscope
from wire.server import DASHSCOPE_PICTURE_PATH, DASHSCOPE_TEXT_PATH, WireServer

PNG = Picture(b"\x89PNG", "image/png")


@pytest.fixture
def connection(wire: WireServer) -> dashscope.Connection:
    return dashscope.connect(dashscope.Endpoint("k", wire.dashscope_url))


def asked(*parts: Text | Picture) -> Request:
    return Request("prior_image", (Message.of("system", "Answer in JSON."), Message("user", parts)), schema={})


def test_text_goes_to_the_text_interface(connection: dashscope.Connection, wire: WireServer):
    connection.model("qwen-plus").reply(asked(Text("weeds in the white roses again")))
    [heard] = wire.heard
    assert heard.path.endswith(DASHSCOPE_TEXT_PATH)
    assert heard.messages[1] == {"role": "user", "content": "weeds in the white roses again"}
    assert heard.body["parameters"]["result_format"] == "message"


def test_pictures_go_to_the_multimodal_interface_as_data_uris(connection: dashscope.Connection, wire: WireServer):
    reply = connection.model("qwen3-vl-plus").reply(asked(Text("What is this?"), PNG))
    [heard] = wire.heard
    assert heard.path.endswith(DASHSCOPE_PICTURE_PATH)
    assert heard.pictures == ["data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()]
    assert "picture" in reply.text


@pytest.mark.parametrize(("name", "sees"), [("qwen3-vl-plus", True), ("qwen-vl-max", True), ("qwen-plus", False)])
def test_a_model_that_sees_is_known_by_its_name(connection: dashscope.Connection, name: str, sees: bool):
    assert connection.model(name).sees_pictures is sees


def test_a_text_that_names_a_file_stays_a_text(connection: dashscope.Connection, wire: WireServer, tmp_path: Path):
    secret = tmp_path / "secret.txt"
    secret.write_text("not for anybody else")
    texts = [f"file://{secret}", str(secret), "~", "~/x", "oss://bucket/key", "https://example.org/x.png"]
    for text in texts:
        connection.model("qwen3-vl-plus").reply(asked(Text(text), PNG))
    assert [heard.said() for heard in wire.heard] == texts
    assert all(heard.path.endswith(DASHSCOPE_PICTURE_PATH) for heard in wire.heard)
    assert not any("x-dashscope-ossresourceresolve" in heard.headers for heard in wire.heard)


@pytest.mark.parametrize("kind", ["image/svg+xml", "text/html", "", "image/png;x,"])
def test_anything_but_a_picture_is_refused_before_it_is_sent(
    connection: dashscope.Connection, wire: WireServer, kind: str
):
    with pytest.raises(ProviderError, match="cannot be sent"):
        connection.model("qwen3-vl-plus").reply(asked(Picture(b"<svg/>", kind)))
    assert wire.heard == []


def test_json_mode_is_asked_for_only_where_the_prompt_has_the_word(connection: dashscope.Connection, wire: WireServer):
    connection.model("qwen-plus").reply(asked(Text("x")))
    connection.model("qwen-plus").reply(Request("x", (Message.of("user", "x"),), schema={}))
    with_word, without = (heard.body["parameters"] for heard in wire.heard)
    assert with_word["response_format"] == {"type": "json_object"}
    assert "response_format" not in without
