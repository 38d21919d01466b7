"""The words by which vendors tell who is at fault: codes in small letters, and parts of sentences.

English, Chinese and Korean. What is listed is meant to be said by a server and not by a post that it quotes: two words
or more, or a word that no post has.
"""

import re

from vocabulary.late_patterns import late

# ── The content: the vendor's own filter stopped it ──────────────────────────

FILTER_CODES = {
    "content_filter",
    "content_policy_violation",
    "contentpolicyviolation",
    "content_policy",
    "responsibleaipolicyviolation",
    "datainspectionfailed",
    "data_inspection_failed",
    "ip_infringement_suspect",
    "invalid_prompt",  # what OpenAI's reasoning models answer
    "cyber_policy",
    "bio_policy",
    "moderation_blocked",
    "moderation_error",
    "content_moderation",
    "content_blocked",
    "content_violation",
    "prohibited_content",
    "sensitive_words_detected",
    "guardrail_violation",
    "guardrail_intervened",
    "unsafe_content",
    "safety",
    "1301",  # Zhipu
}
FILTER_SENTENCES = re.compile(
    r"inappropriate content|our usage polic|content management policy|content polic(?:y|ies)|content exists risk"
    r"|(?:input|prompt|request has been|request was|content was|content has been|message was) flagged"
    r"|flagged (?:by|for|as) |requires moderation|moderation (?:filter|system|polic)|by moderation"
    r"|rejected (?:by the|as a result of our) safety system|safety (?:guidelines|polic(?:y|ies)|filter)"
    r"|(?:harmful|unsafe|sensitive|prohibited|disallowed|offensive) (?:content|material)|guardrail"
    r"|敏感内容|敏感词|敏感信息|不安全(?:或|和|、)|违规内容|内容违规|不当内容|不合规内容"
    r"|内容安全|内容审核|违反.{0,12}(?:政策|规定|规范)"
    r"|부적절한 (?:내용|콘텐츠|표현)|유해(?:한|성)? ?(?:내용|콘텐츠)"
    r"|(?:콘텐츠|이용|안전|사용) ?정책|금지된 (?:내용|콘텐츠)"
)

# ── The account: its key, its money, its place ───────────────────────────────

ACCOUNT_CODES = {
    "insufficient_quota",
    "insufficient_user_quota",
    "insufficient_balance",
    "insufficient_funds",
    "insufficient_credits",
    "exceeded_current_quota_error",  # Moonshot's word for an empty account
    "arrearage",
    "accountoverdueerror",
    "prepaidbilloverdue",
    "postpaidbilloverdue",
    "commoditynotpurchased",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_disabled",
    "account_deactivated",
    "account_suspended",
    "account_disabled",
    "organization_restricted",
    "consumer_suspended",
    "service_disabled",
    "invalid_api_key",
    "invalidapikey",
    "api_key_invalid",
    "api_key_expired",
    "api_key_disabled",
    "api_key_service_blocked",
    "api_key_ip_address_blocked",
    "incorrect_api_key",
    "invalid_authentication",
    "invalid_authentication_error",
    "authentication_error",
    "unauthenticated",
    "workspace.accessdenied",
    "workspacenotauthorized",
    "ip_not_authorized",
    "unsupported_country_region_territory",
    "30001",  # SiliconFlow
    "1113",  # Zhipu
}
FUNDS = re.compile(
    r"insufficient (?:account )?(?:balance|credit|fund)|not enough (?:credit|balance|fund)|out of credits"
    r"|balance is (?:insufficient|not enough|too low)|credit balance|no credits|credits? (?:has|have) run out"
    r"|余额不足|余额已|欠费|额度不足|额度已用尽|잔액(?:이)? ?부족|크레딧(?:이)? ?부족|미납"
)
KEY = re.compile(
    r"(?:incorrect|invalid|missing|expired|no|unknown|revoked) (?:api|access)[ _-]?key|(?:api|access)[ _-]?key.{0,20}"
    r"(?:not valid|invalid|expired|missing|revoked|disabled|blocked|not found|无效|过期|失效|错误|유효하지|만료|잘못)"
    r"|invalid token|密钥(?:无效|错误|过期)"
)
_PLACES = (
    r"(?:country|region|territory|location).{0,30}not (?:supported|available|allowed)"
    r"|not (?:supported|available|allowed) in your (?:country|region|location)"
    r"|(?:国家|地区|区域).{0,8}不(?:支持|可用)|(?:국가|지역).{0,16}(?:지원하지|지원되지|사용할 수 없)"
)
REGION = re.compile(rf"{_PLACES}|unsupported_country")
ACCOUNT = re.compile(
    r"account.{0,30}(?:not active|deactivated|suspended|disabled|blocked|banned|frozen|good standing|not verified)"
    r"|(?:api )?key limit exceeded|(?:spend|spending|hard|monthly|usage) limit|billing|overdue"
    rf"|{_PLACES}|ip(?: address)?\b.{0, 40}(?:not (?:allowed|authorized|authorised|whitelisted)|whitelist|allowlist)"
    r"|not in (?:the|your) (?:whitelist|allowlist)|virtual network"
    r"|账[户号].{0,12}(?:欠|停用|冻结|封禁|禁用|异常)"
    r"|白名单|实名认证"
    r"|계정.{0,16}(?:정지|비활성|차단|중지)"
    r"|결제|허용되지 않은 ip"
)
PLACE = re.compile(r"(?:user location|country, region,? or territory).{0,10} (?:is )?not supported")

# ── The model ────────────────────────────────────────────────────────────────

MODEL_CODES = {
    "model_not_found",
    "model_not_available",
    "model_not_exist",
    "model_not_supported",
    "model_access_denied",
    "key_model_access_denied",
    "team_model_access_denied",
    "model_decommissioned",
    "model_deprecated",
    "model_disabled",
    "model_terms_required",
    "modelnotfound",
    "modelnotopen",
    "model.accessdenied",
    "accessdenied.unpurchased",
    "allocationquota.freetieronly",
    "invalidmodel",
    "unsupportedmodel",
    "deploymentnotfound",
    "invalidendpointormodel.notfound",
    "20012",  # SiliconFlow
    "30003",
}
_ABSENT = (
    r"(?:does not exist|do(?:es)? not have access|doesn't exist|not found|not exist|not available|unavailable"
    r"|not supported|not activated|not enabled|not purchased|not allowed|denied|deprecated|decommissioned|retired"
    r"|discontinued|disabled|restricted|gated|no longer)"
)
MODEL = late(
    rf"\b(?:model|deployment)s?\b.{{0,80}}?{_ABSENT}|(?:access|permission|allowed|entitled)\b[^.]{{0,40}}\bmodels?\b"
    r"|no (?:allowed )?(?:providers?|endpoints?|channels?) (?:are )?(?:found|available)|gated repo"
    r"|(?:无权|没有权限|未开通|未授权|无可用渠道).{0,20}模型|模型.{0,24}(?:不存在|未开通|无权|没有权限|下线|禁用|不支持|未找到|不可用|无可用)"
    r"|모델.{0,24}(?:존재하지|찾을 수 없|권한|접근|사용할 수 없|지원하지|지원되지|중단)|(?:권한|접근).{0,24}모델"
)
UNKNOWN_MODEL = re.compile(
    r"\bmodel\b[^.]{0,60}(?:does not exist|doesn't exist|not exist|not found)|not a valid model"
    r"|(?:unknown|invalid) model\b"
    r"|模型.{0,12}不存在|모델.{0,16}(?:존재하지|찾을 수 없)"
)
# What says also with a status of a server's own faults that the model is not served again.
GONE_MODEL = re.compile(
    r"\b(?:model|deployment)s?\b[^.!?]{0,80}?(?:does not exist|doesn't exist|not found\b|deprecated|decommissioned"
    r"|retired|discontinued|end[ -]of[ -]life|sunset|shut down"
    r"|no longer (?:available|supported|served|offered|hosted|exists)"
    r"|(?:been|was) (?:removed|withdrawn)|not (?:supported|served|offered|hosted|available) (?:by|from) (?:any|th)"
    r"|not (?:in|among|part of) (?:the|your) (?:list|plan|allowed|available))"
    r"|(?:unknown|no such) (?:model|deployment)\b|no (?:available )?channel for model"
    r"|模型.{0,24}(?:不存在|已下线|已停用|已停止|未找到|未开通|无可用渠道)|无可用渠道"
    r"|모델.{0,24}(?:존재하지|찾을 수 없|종료|지원이 중단|제공하지)"
)
CLOSED_MODEL = re.compile(
    r"(?:not have|no|denied|without) (?:access|permission)[^.]{0,40}\bmodels?\b"
    r"|\bmodels?\b[^.!?]{0,60}?(?:access (?:is )?denied|not (?:allowed|enabled|activated|permitted|authori[sz]ed) for)"
    r"|(?:无权|没有权限).{0,20}模型|모델.{0,20}(?:권한|접근)"
)
MENTIONS_MODEL = re.compile(r"\bmodels?\b|deployment|endpoints? found|模型|모델")
TRIES_AGAIN_WITHOUT_MODEL = re.compile(
    r"unexpected endpoint|unknown (?:path|url|route|endpoint)|invalid url|cannot post"
)

# ── The request ──────────────────────────────────────────────────────────────

TOO_LONG = re.compile(
    r"context[ _](?:length|window|limit|size)|maximum context|n_ctx|request too large|too many (?:input )?tokens"
    r"|(?:prompt|input|message|request|sequence|text)s? (?:is |are |was )?(?:too long|too large)"
    r"|(?:exceeds?|exceeded|longer than|greater than|larger than).{0,40}(?:tokens|sequence length|context|input length)"
    r"|(?:上下文|输入|提示词).{0,10}(?:过长|太长|超出|超过)"
    r"|(?:입력|프롬프트|문맥|컨텍스트).{0,12}(?:너무 (?:깁|길)|초과)"
)
# What some servers say with status 500 of what will never succeed: a picture for a model without eyes, a parameter that
# their own validator rejects.
UNSUPPORTED = re.compile(
    r"not supported|not support |unsupported|not implemented"
    r"|validation error|input should be|inputs are not permitted|must be created with"
    r"|(?:parse|compile|create) grammar|initialize samplers|(?:invalid|required for) format\b"
    r"|developer instruction is not enabled|roles must alternate"
)
# A firewall says so also as JSON.
TURNED_BACK = re.compile(
    r"(?:request|you) (?:was|were|is|are|has been|have been) (?:blocked|rejected|denied by)"
    r"|request (?:blocked|rejected)|blocked by|firewall|\bwaf\b|mod_?security"
    r"|security (?:rule|policy|service)|malicious|potential threat"
    r"|(?:请求|访问).{0,8}(?:拦截|阻断)|防火墙|방화벽|(?:요청|접속|접근)(?:이|은)? ?차단"
)

# ── Passing ──────────────────────────────────────────────────────────────────

_BUSY_CODES = ("throttling", "rate_limit", "ratelimit", "too_many_requests", "server_busy", "engine_overloaded")
_MORE_BUSY_CODES = {
    *("overloaded_error", "overloaded", "resource_exhausted", "model_loading", "service_unavailable", "unavailable"),
    *("userratelimitexceeded", "timeout", "request_timeout", "gateway_timeout", "server_overloaded", "systemerror"),
    *("serviceunavailable", "internalerror.timeout", "requesttimeout", "modelserving.busy"),
}
BUSY = re.compile(
    r"\bloading\b|warming up|starting up|overload|\bbusy\b|rate.?limit|too many requests|throttl|try again|retry"
    r"|time(?:d)?[ -]?out|temporar|unavailable|at capacity|over capacity|capacity exceeded|too many concurrent"
    r"|繁忙|稍后|重试|限流|过载|超时|加载中|过于频繁|频率|并发"
    r"|잠시 ?후|다시 시도|과부하|시간 ?초과|로딩|혼잡|요청이 너무 많"
)
LATER = re.compile(
    r"try again|retry|temporar|\bloading\b|warming up|starting up|overload|at capacity|moment|later"
    r"|稍后|重试|加载中|잠시|다시 시도"
)
RATE = re.compile(r"rate.?limit|too many requests|throttl|限流|过于频繁|频率|요청이 너무 많")


def is_busy_code(code: str) -> bool:
    """Return whether the code, in small letters, tells of a server that serves later."""
    return code in _MORE_BUSY_CODES or code.startswith(_BUSY_CODES)


def is_filter_code(code: str) -> bool:
    """Return whether the code, in small letters, is a filter's."""
    return code in FILTER_CODES or "sensitivecontent" in code or code.startswith("content_filter")


AFFORDABLE = re.compile(r"(?:can only afford|afford only|afford at most|affordable[^0-9]{0,20}) ?(\d{1,7})")
