"""The address that Prometheus reads. It does not exist unless a token or networks are set."""

from ipaddress import IPv4Network, IPv6Network, ip_address

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.web.error_pages import failure

_BEARER = "Bearer "


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return what all processes of this machine have counted, and what waits on the whole site."""
    if not settings.METRICS:
        raise Http404
    if settings.METRICS_NETWORKS and not _is_from(request, settings.METRICS_NETWORKS):
        return failure(request, 403, "forbidden", "Metrics are not read from this address: see METRICS_NETWORKS.")
    if settings.METRICS_TOKEN and not _has_token(request, settings.METRICS_TOKEN):
        refusal = failure(request, 401, "not_authenticated", "Send METRICS_TOKEN as a bearer token.")
        refusal["WWW-Authenticate"] = "Bearer"
        return refusal
    from config.monitoring import exposition  # noqa: PLC0415 (loads prometheus_client, which most sites do not need)

    text, content_type = exposition.scrape(request.headers.get("Accept", ""))
    return HttpResponse(text, content_type=content_type)


def _is_from(request: HttpRequest, networks: list[IPv4Network | IPv6Network]) -> bool:
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:  # a server on a Unix socket has no caller's address
        return False
    return any(address in network for network in networks)


def _has_token(request: HttpRequest, token: str) -> bool:
    header = request.headers.get("Authorization", "")
    return header.startswith(_BEARER) and constant_time_compare(header.removeprefix(_BEARER), token)
