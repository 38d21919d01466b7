"""Who is at fault, by what real servers answer. The table is the rule: one line for each form that was seen."""

import json
from typing import Any

import pytest

from providers.http.blame import Asked, Blame, affordable_tokens, blame_of
from providers.http.stated_fault import read_answer, read_body

MODEL = "gpt-5-locked"


def openai(message: str, code: Any = None, kind: str = "invalid_request_error", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **more}}


def dashscope(code: str, message: str = "") -> dict[str, Any]:
    return {"code": code, "message": message, "request_id": "r"}


def google(status: str, message: str, reason: str = "") -> list[dict[str, Any]]:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}] if reason else []
    return [{"error": {"code": 400, "message": message, "status": status, "details": details}}]


CLOUDFLARE = (
    "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head>"
    "<body><h1>Sorry, you have been blocked</h1></body></html>"
)
NGINX = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr>nginx</body></html>"

CASES: list[tuple[Blame, int, Any]] = [
    # The key.
    (Blame.ACCOUNT, 401, openai("Incorrect API key provided: sk-…", "invalid_api_key")),
    (Blame.ACCOUNT, 401, {"error": "Unauthorized"}),
    (Blame.ACCOUNT, 401, {"detail": "Not authenticated"}),
    (Blame.ACCOUNT, 401, ""),
    (Blame.ACCOUNT, 401, NGINX.format("401 Authorization Required")),
    (Blame.ACCOUNT, 407, NGINX.format("407 Proxy Authentication Required")),
    (Blame.ACCOUNT, 401, dashscope("InvalidApiKey", "Invalid API-key provided.")),
    (Blame.ACCOUNT, 400, google("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")),
    (Blame.ACCOUNT, 403, google("PERMISSION_DENIED", "Requests are blocked.", "API_KEY_SERVICE_BLOCKED")),
    (Blame.ACCOUNT, 401, {"code": 401, "msg": "无效的API密钥"}),
    (Blame.ACCOUNT, 403, {"message": "API key 유효하지 않습니다"}),
    # Its money.
    (Blame.ACCOUNT, 429, openai("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")),
    (Blame.ACCOUNT, 402, openai("Insufficient Balance", "invalid_request_error", "unknown_error")),
    (Blame.ACCOUNT, 402, ""),
    (Blame.ACCOUNT, 402, openai("This request requires more credits.", 402)),
    (Blame.ACCOUNT, 400, dashscope("Arrearage", "Access denied, please make sure your account is in good standing.")),
    (Blame.ACCOUNT, 403, {"code": 30001, "message": "Sorry, your account balance is insufficient", "data": None}),
    (Blame.ACCOUNT, 429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}),
    (Blame.ACCOUNT, 403, openai("用户额度不足, 剩余额度: ＄0", "insufficient_user_quota", "new_api_error")),
    (Blame.ACCOUNT, 403, openai("Key limit exceeded (monthly limit). Manage it at …", 403)),
    (Blame.ACCOUNT, 400, openai("Your credit balance is too low to access the API.", None)),
    (Blame.ACCOUNT, 429, openai("Your account is suspended.", None, "exceeded_current_quota_error")),
    (Blame.ACCOUNT, 403, {"error": {"code": "AccountOverdueError", "message": "The account has an overdue balance."}}),
    (Blame.ACCOUNT, 403, {"message": "크레딧이 부족합니다. 결제 정보를 확인하세요."}),
    # Its place and standing.
    (Blame.ACCOUNT, 403, openai("Country, region, or territory not supported", "unsupported_country_region_territory")),
    (Blame.ACCOUNT, 400, google("FAILED_PRECONDITION", "User location is not supported for the API use.")),
    (Blame.ACCOUNT, 403, {"error": {"code": "403", "message": "Access denied due to Virtual Network/Firewall rules."}}),
    (Blame.ACCOUNT, 403, openai("Your IP address 10.0.0.1 is not in the whitelist of this key.")),
    (Blame.ACCOUNT, 403, openai("Your account has been deactivated.")),
    (Blame.ACCOUNT, 403, {"message": "账户已被冻结，请联系客服"}),
    (Blame.ACCOUNT, 403, dashscope("Workspace.AccessDenied", "Workspace access denied.")),
    # Fewer tokens could be paid.
    (Blame.FUNDS, 402, openai("Fewer max_tokens: you asked for 800, but can only afford 327.", 402)),
    # One model.
    (Blame.MODEL, 403, openai(f"Project `p` does not have access to model `{MODEL}`", "model_not_found")),
    (Blame.MODEL, 403, openai(f"You are not entitled to {MODEL}.")),
    (Blame.MODEL, 403, dashscope("AccessDenied.Unpurchased", "Access to model denied.")),
    (Blame.MODEL, 403, dashscope("Model.AccessDenied", "Model access denied.")),
    (Blame.MODEL, 403, dashscope("AllocationQuota.FreeTierOnly", "The free tier of the model has been exhausted.")),
    (Blame.MODEL, 401, openai("Key not allowed to access model.", "401", "key_model_access_denied")),
    (Blame.MODEL, 403, {"error": "Access to model meta/x is restricted and you are not in the authorized list."}),
    (Blame.MODEL, 403, openai("The model `x` requires terms acceptance.", "model_terms_required")),
    (Blame.MODEL, 403, {"code": 30003, "message": "Model disabled."}),
    (Blame.MODEL, 403, {"message": "该令牌无权使用模型：gpt-x"}),
    (Blame.MODEL, 403, {"message": "이 모델에 대한 권한이 없습니다."}),
    # The content.
    (Blame.CONTENT, 400, openai("Bad request.", innererror={"code": "ResponsibleAIPolicyViolation"})),
    (Blame.CONTENT, 400, dashscope("DataInspectionFailed", "Input data may contain inappropriate content.")),
    (Blame.CONTENT, 403, openai("Provider returned error", 403, metadata={"reasons": ["hate"], "flagged_input": "…"})),
    (Blame.CONTENT, 403, {"error": {"code": 403, "message": "x requires moderation and your input was flagged"}}),
    (Blame.CONTENT, 400, openai("Content Exists Risk", "invalid_request_error")),
    (Blame.CONTENT, 400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
    (Blame.CONTENT, 400, {"error": {"code": "InputTextSensitiveContentDetected", "message": "The request failed."}}),
    (Blame.CONTENT, 403, {"message": "요청에 부적절한 표현이 포함되어 있습니다."}),
    (Blame.CONTENT, 400, {"message": "콘텐츠 정책에 위배됩니다."}),
    (Blame.CONTENT, 446, openai("The guardrail blocked this request.", "guardrail_violation")),
    (Blame.CONTENT, 200, {"candidates": [], "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
    (Blame.CONTENT, 200, {"error": {"message": "blocked", "code": "content_filter"}}),
    # A firewall in front.
    (Blame.TURNED_BACK, 403, CLOUDFLARE),
    (Blame.TURNED_BACK, 406, NGINX.format("406 Not Acceptable")),
    (Blame.TURNED_BACK, 403, NGINX.format("403 Forbidden")),
    (Blame.TURNED_BACK, 405, "<html><body>Sorry, your request has been blocked by the security policy.</body></html>"),
    (Blame.TURNED_BACK, 403, {"message": "Request blocked by the web application firewall, rule 949110"}),
    (Blame.TURNED_BACK, 403, {"message": "请求已被拦截"}),
    (Blame.TURNED_BACK, 403, {"message": "방화벽에서 막았습니다"}),
    # Nobody can tell yet.
    (Blame.UNCLEAR, 403, openai("Access denied.", "AccessDenied")),
    (Blame.UNCLEAR, 403, dashscope("AccessDenied", "The policy of this account forbids it.")),
    (Blame.UNCLEAR, 403, {"error": "Forbidden"}),
    (Blame.UNCLEAR, 403, ""),
    # For now.
    (Blame.PASSING, 429, openai("Rate limit reached for gpt-5-locked", "rate_limit_exceeded")),
    (Blame.PASSING, 429, google("RESOURCE_EXHAUSTED", "You exceeded your current quota, check your plan and billing.")),
    (Blame.PASSING, 429, dashscope("Throttling.AllocationQuota", "Allocated quota exceeded.")),
    (Blame.PASSING, 403, openai("Rate limit exceeded, retry later", 403)),
    (Blame.PASSING, 403, google("PERMISSION_DENIED", "Rate Limit Exceeded", "userRateLimitExceeded")),
    (Blame.PASSING, 400, dashscope("Throttling.RateQuota", "Requests rate limit exceeded.")),
    (Blame.PASSING, 403, {"message": "请求过于频繁，请稍后再试"}),
    (Blame.PASSING, 502, NGINX.format("502 Bad Gateway")),
    (Blame.PASSING, 503, CLOUDFLARE),
    (Blame.PASSING, 429, NGINX.format("429 Too Many Requests")),
    (Blame.PASSING, 503, {"error": {"message": "Loading model", "code": 503, "type": "unavailable_error"}}),
    (Blame.PASSING, 500, ""),
    (Blame.PASSING, 503, openai("Rate limit: exceeded 9000 tokens per minute")),
    (Blame.PASSING, 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    # The request.
    (Blame.UNKNOWN, 404, openai(f"The model `{MODEL}` does not exist", "model_not_found")),
    (Blame.UNKNOWN, 404, {"error": f"model '{MODEL}' not found, try pulling it first"}),
    (Blame.UNKNOWN, 404, {"object": "error", "message": f"The model `{MODEL}` does not exist.", "code": 404}),
    (Blame.UNKNOWN, 404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}}),
    (Blame.UNKNOWN, 404, openai("No endpoints found for x/y.", 404)),
    (Blame.REQUEST, 400, openai("'temperature' is unsupported", "unsupported_value")),
    (Blame.REQUEST, 400, openai("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
    (Blame.REQUEST, 500, {"error": {"code": 500, "message": "the request exceeds the available context size"}}),
    (Blame.REQUEST, 500, {"error": {"message": "prompt is too long: 9000 tokens", "type": "server_error"}}),
    (Blame.REQUEST, 500, {"message": "输入过长"}),
    (Blame.REQUEST, 500, {"message": "입력이 너무 깁니다"}),
    (Blame.REQUEST, 413, openai("Request too large for model x on tokens per minute (TPM)", "rate_limit_exceeded")),
    (Blame.REQUEST, 500, openai("image input is not supported")),
    (Blame.REQUEST, 422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}),
    (Blame.UNKNOWN, 400, openai("gpt-x is not a valid model ID", 400)),
    (Blame.UNKNOWN, 410, openai("The model `x` was shut down.", "model_deprecated")),
    (Blame.UNKNOWN, 400, dashscope("InvalidParameter", "Model not exist.")),
    # The address.
    (Blame.ADDRESS, 404, "404 page not found"),
    (Blame.ADDRESS, 404, {"detail": "Not Found"}),
    (Blame.ADDRESS, 404, {"error": {"code": "404", "message": "Resource not found"}}),
    (Blame.ADDRESS, 404, openai("Invalid URL (POST /chat/completions)")),
    (Blame.ADDRESS, 404, NGINX.format("404 Not Found")),
    (Blame.ADDRESS, 404, ""),
    (Blame.ADDRESS, 405, {"detail": "Method Not Allowed"}),
    (Blame.ADDRESS, 200, {"error": "Unexpected endpoint or method. (POST /chat/completions). Returning 200 anyway"}),
    # Inside a success.
    (Blame.PASSING, 200, {"error": "model is loading"}),
    (Blame.PASSING, 200, {"error": {"code": 502, "message": "Upstream idle timeout exceeded"}}),
    (Blame.PASSING, 200, {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded."}),
    (Blame.PASSING, 200, {"detail": "The server is busy, please try again later."}),
    (Blame.PASSING, 200, {"msg": "系统繁忙，请稍后再试"}),
    (Blame.PASSING, 200, {"message": "서버가 혼잡합니다. 잠시 후 다시 시도해 주세요."}),
    (Blame.PASSING, 200, {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}),
    (Blame.PASSING, 200, {"success": False, "errors": [{"code": 3040, "message": "Capacity temporarily exceeded"}]}),
    (Blame.ACCOUNT, 200, {"error": {"code": 401, "message": "No auth credentials found"}}),
    (Blame.ACCOUNT, 200, {"code": "Arrearage", "message": "overdue"}),
    (Blame.UNKNOWN, 200, {"code": 20012, "message": "Model does not exist. Please check it carefully.", "data": None}),
    (Blame.SERVER, 200, {"choices": None, "usage": {"prompt_tokens": 10}}),
    (Blame.SERVER, 200, {"choices": []}),
    (Blame.SERVER, 200, {"error": "out of memory in kernel 7"}),
    (Blame.SERVER, 200, {"output": {}}),
]  # fmt: skip


@pytest.mark.parametrize(("blame", "status", "body"), CASES, ids=[f"{c[0]}-{c[1]}-{n}" for n, c in enumerate(CASES)])
def test_who_is_at_fault(blame: Blame, status: int, body: Any) -> None:
    is_text = isinstance(body, str)
    kind = "application/json" if not is_text else "text/html" if body.startswith("<") else "text/plain"
    fault = read_body(body.encode() if is_text else json.dumps(body).encode(), kind)
    assert blame_of(status, fault, Asked(MODEL, 800)) is blame


POSTS = ["the firewall is malicious", "try again, you are busy", "billing overdue", "your account is blocked"]


@pytest.mark.parametrize("post", POSTS)
def test_a_post_that_a_server_quotes_is_not_taken_for_its_words(post: str) -> None:
    body = read_answer(openai(f"Invalid value: '{post}'.", "invalid_value"))
    assert blame_of(400, body, Asked(MODEL)) is Blame.REQUEST


def test_a_number_that_is_no_smaller_than_what_was_asked_for_is_no_offer() -> None:
    fault = read_answer(openai("You requested up to 100 tokens, but can only afford 327."))
    assert (affordable_tokens(fault), blame_of(402, fault, Asked(MODEL, 100))) == (327, Blame.ACCOUNT)


@pytest.mark.parametrize(
    ("body", "sentence", "code"),
    [
        ({"error": {"message": "outer", "error": {"message": "inner", "code": "deep"}}}, "inner", "deep"),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": "the words behind"}}}, "behind", ""),
        ([{"error": {"code": 400, "message": "in a list", "status": "INVALID"}}], "in a list", "INVALID"),
        ({"detail": [{"loc": ["body", "n"], "msg": "field required"}]}, "'n'", ""),
        ({"detail": "plain"}, "plain", ""),
        ({"msg": "half \ud83d a pair"}, "half \ufffd a pair", ""),
        ({"choices": None, "usage": {}}, "", ""),
        ("just words", "just words", ""),
        (7, "", ""),
    ],
)
def test_the_sentence_is_found_wherever_it_stands(body: Any, sentence: str, code: str) -> None:
    fault = read_body(json.dumps(body).encode())
    assert sentence in fault.sentence
    assert fault.code == code


def test_of_a_page_its_title_is_told() -> None:
    fault = read_body(CLOUDFLARE.encode(), "text/html; charset=UTF-8")
    assert (fault.is_page, fault.sentence) == (
        True,
        "Attention Required! | Cloudflare: Sorry, you have been blocked",
    )
