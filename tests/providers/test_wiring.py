import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from config.checks import check_embedding
from providers import bindings, wiring
from providers.keyword.model import KeywordModel
from providers.messages import Message, ProviderBusy, ProviderError, ProviderPaused, Request
from providers.resilience.retry import RetryingModel
from providers.roles import ModelRole
from providers.servers import ModelServer
from wire.server import WireServer, status

TEXT, IMAGE = ModelRole.PRIOR_TEXT, ModelRole.PRIOR_IMAGE
Configure = Callable[..., None]
ASKED = Request("prior_text", (Message.of("user", "hello"),))


@pytest.fixture
def wired(configure: Configure, wire: WireServer) -> Configure:
    """Binds both families to a model of the wire server."""

    def bind(model: str = "wire-sensible", **given: Any) -> None:
        configure(OPENAI_BASE_URL=wire.openai_url, MODEL_TEXT=f"openai:{model}", MODEL_BACKOFF=0, **given)

    return bind


def test_a_wired_model_asks_and_counts_its_attempts(wired: Configure, wire: WireServer):
    wired()
    wire.queue("503", "429")
    model = wiring.model_for("prior_text")
    assert isinstance(model, RetryingModel)
    assert model.name == "openai:wire-sensible"
    assert model.reply(ASKED).attempts == 3


def test_models_of_one_provider_share_one_breaker(wired: Configure, wire: WireServer):
    wired("wire-503")
    with pytest.raises(ProviderPaused):
        wiring.model_for("prior_text").reply(ASKED)
    assert len(wire.heard) == 5
    with pytest.raises(ProviderPaused, match="openai keeps failing"):
        wiring.model_for("perspective").reply(ASKED)
    assert len(wire.heard) == 5
    assert 0 < wiring._breaker(wiring._vendor("openai")).standing().paused_for <= 60


def test_no_quota_is_told_to_each_that_asks_and_never_repeated(wired: Configure, wire: WireServer):
    wired("wire-quota")
    model = wiring.model_for("prior_text")
    for _ in range(2):
        with pytest.raises(ProviderPaused, match="insufficient_quota"):
            model.reply(ASKED)
    assert len(wire.heard) == 2
    assert wiring._breaker(wiring._vendor("openai")).standing().paused_for == 0


def test_a_long_pause_that_the_provider_asks_for_is_handed_on(wired: Configure, wire: WireServer):
    wired("wire-429-600")
    with pytest.raises(ProviderBusy) as busy:
        wiring.model_for("prior_text").reply(ASKED)
    assert (busy.value.retry_after, len(wire.heard)) == (600, 1)


@pytest.mark.parametrize("behaviour", ["404", "context"])
def test_a_final_fault_names_the_setting(wired: Configure, wire: WireServer, behaviour: str):
    wired(f"wire-{behaviour}")
    with pytest.raises(ProviderError, match=f"openai:wire-{behaviour} comes from MODEL_TEXT") as fault:
        wiring.model_for("prior_text").reply(ASKED)
    assert (fault.value.code, len(wire.heard)) == ("bad_request", 1)


def test_a_plan_that_repeats_the_settings_names_the_setting_too(wired: Configure):
    wired("wire-404")
    with pytest.raises(ProviderError, match="comes from MODEL_TEXT"):
        wiring.model_for("prior_text", {"prior_text": "openai:wire-404"}).reply(ASKED)


def test_trying_out_is_one_call_and_never_raises(wired: Configure, wire: WireServer):
    wired()
    good = wiring.try_model(TEXT, ASKED)
    assert (good.ok, good.name) == (True, "openai:wire-sensible")
    wire.queue(status(500, "server_error", "on fire"))
    bad = wiring.try_model(TEXT, ASKED)
    assert (bad.ok, bad.fault) == (False, "openai answered 500 server_error: on fire")
    wire.queue("blocked")
    assert not wiring.try_model(TEXT, ASKED).ok
    assert len(wire.heard) == 3


def test_trying_out_a_model_that_is_not_set_up_says_so(configure: Configure):
    configure(MODEL_TEXT="openai:some")
    trial = wiring.try_model(TEXT, ASKED)
    assert not trial.ok
    assert "OPENAI_API_KEY" in trial.fault


# ── Several servers ───────────────────────────────────────────────────────────


@pytest.fixture
def servers(configure: Configure) -> Iterator[tuple[WireServer, WireServer]]:
    """Two servers of their own names: `lab` speaks OpenAI's protocol without a key, `far` DashScope's with one."""
    with WireServer() as lab, WireServer() as far:
        named = [
            ModelServer("lab", "openai", lab.openai_url),
            ModelServer("far", "dashscope", far.dashscope_url, "sk-CANARY-2"),
        ]
        bound = {"MODEL_TEXT": "lab:small:7b", "MODEL_JUDGE": "far:qwen-plus", "MODEL_BACKOFF": 0}
        configure(MODEL_SERVERS={server.name: server for server in named}, MODEL_ALLOWED=["lab:*"], **bound)
        yield lab, far


def test_a_role_s_model_is_asked_at_the_server_that_its_name_begins_with(servers: tuple[WireServer, WireServer]):
    lab, far = servers
    assert not any(bindings.bind_role(role).problem for role in (TEXT, ModelRole.JUDGE))
    assert wiring.model_for("prior_text").name == "lab:small:7b"
    wiring.model_for("prior_text").reply(ASKED)
    wiring.model_for("judge").reply(ASKED)
    assert ([heard.model for heard in lab.heard], [heard.model for heard in far.heard]) == (["small:7b"], ["qwen-plus"])
    assert far.heard[0].headers["authorization"] == "Bearer sk-CANARY-2"
    assert "CANARY" not in str(lab.heard[0].headers)


def test_each_server_has_its_own_breaker_and_is_named_in_its_faults(servers: tuple[WireServer, WireServer]):
    lab, far = servers
    lab.always("503")
    with pytest.raises(ProviderPaused, match="lab keeps failing"):
        wiring.model_for("prior_text").reply(ASKED)
    wiring.model_for("judge").reply(ASKED)
    far.queue("404")
    with pytest.raises(ProviderError, match="far answered 404.*far:qwen-plus comes from MODEL_JUDGE"):
        wiring.model_for("judge").reply(ASKED)


def test_a_project_chooses_among_the_models_of_named_servers(servers: tuple[WireServer, WireServer]):
    assert wiring.model_for("judge", {"judge": "lab:large"}).name == "lab:large"
    with pytest.raises(bindings.NotConfigured, match="MODEL_ALLOWED"):
        wiring.model_for("prior_text", {"prior_text": "far:other"})


def test_vectors_come_from_a_named_server_too(servers: tuple[WireServer, WireServer], settings: Any):
    lab, _far = servers
    settings.MODEL_EMBEDDING = "lab:vectors"
    assert wiring.embedder().name == "lab:vectors"
    wiring.embedder().embed(["white roses"])
    assert [heard.texts for heard in lab.heard] == [["white roses"]]


def test_a_protocol_without_vectors_is_said_to_have_none(settings: Any, monkeypatch: pytest.MonkeyPatch):
    """A connection that is made as the recipe says: it has `model` and nothing else."""
    told: Any = ModuleType("providers.vendors.lines")
    told.Bounds = told.Endpoint = SimpleNamespace
    told.connect = lambda endpoint, *, provider: SimpleNamespace(model=lambda name: KeywordModel())
    monkeypatch.setitem(sys.modules, "providers.vendors.lines", told)
    monkeypatch.setitem(wiring._MODULES, "lines", "providers.vendors.lines")
    settings.MODEL_SERVERS = {"lab": ModelServer("lab", "lines", "http://127.0.0.1:9/")}
    settings.MODEL_EMBEDDING = "lab:emb"
    with pytest.raises(
        bindings.NotConfigured, match="MODEL_EMBEDDING names lab, whose protocol lines gives no vectors"
    ):
        wiring.embedder()
    [finding] = check_embedding()
    assert "whose protocol lines gives no vectors" in finding.msg


def test_the_protocol_s_own_server_keeps_its_variables_beside_others(configure: Configure, wire: WireServer):
    other = ModelServer("lab", "openai", "http://127.0.0.1:9/v1")
    configure(MODEL_SERVERS={"lab": other}, OPENAI_BASE_URL=wire.openai_url, MODEL_TEXT="openai:some")
    wiring.model_for("prior_text").reply(ASKED)
    assert [heard.model for heard in wire.heard] == ["some"]
