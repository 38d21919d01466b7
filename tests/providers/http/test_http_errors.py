from datetime import UTC, datetime

import pytest

from providers.http.errors import error_of_status, read_retry_after
from providers.messages import BadRequest, ProviderBusy, ProviderError, ProviderPaused

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3),
        ("0.5", 0.5),
        ("-2", 0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30),
        ("Thu, 01 Jan 2026 11:59:00 GMT", 0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(header: str, seconds: float | None):
    assert read_retry_after({"retry-AFTER": header}, NOW) == seconds


def test_no_header_is_no_wish():
    assert read_retry_after({}, NOW) is None


def test_an_account_in_arrears_pauses_whatever_its_status():
    assert isinstance(error_of_status("dashscope", 400, "Arrearage", "overdue", {}), ProviderPaused)


def test_a_long_message_is_cut():
    assert len(str(error_of_status("openai", 400, "x", "word " * 1000, {}))) < 400


@pytest.mark.parametrize(
    ("status", "message", "passes"),
    [
        (500, "image input is not supported", False),
        (501, "This server does not do embeddings.", False),
        (500, "1 validation error: {'loc': ('body', 'response_format', 'type'), 'msg': 'Input should be ...'}", False),
        (500, "Llama model must be created with embedding=True to call this method", False),
        (500, "CUDA error: out of memory", True),
        (500, "", True),
        (502, "upstream: protocol not supported", True),
        (503, "Loading model", True),
    ],
)
def test_what_a_server_never_does_is_final_also_with_a_status_of_its_own_faults(
    status: int, message: str, passes: bool
):
    error = error_of_status("lab", status, "server_error", message, {})
    assert isinstance(error, ProviderBusy if passes else BadRequest)


@pytest.mark.parametrize(
    ("status", "code", "message", "is_final"),
    [
        (500, "500", "NotFoundError: The model `m` does not exist or you do not have access to it.", True),
        (503, "model_not_found", "Nobody takes m in group default", True),
        (502, "502", "The model m has reached its end of life", True),
        (500, "500", "Model m is not supported by any provider you have enabled.", True),
        (503, "503", "You have no access to the model m", True),
        (503, "", "模型 m 已下线", True),
        (503, "", "해당 모델은 존재하지 않습니다.", True),
        (503, "model_not_found", "The model m is loading, try again later", False),
        (503, "", "The model is temporarily not found on this node", False),
        (500, "", "The file was not found", False),
        (503, "", "The model m is currently unavailable", False),
    ],
)
def test_a_model_that_is_never_served_is_final_also_with_a_status_of_a_server_s_own_faults(
    status: int, code: str, message: str, is_final: bool
):
    error = error_of_status("lab", status, code, message, {})
    assert isinstance(error, ProviderError)
    assert (error.is_final, isinstance(error, ProviderBusy)) == (is_final, not is_final)
