"""The page behind the link that ends e-mails, for anybody who has it, signed in or not."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.core.found import found
from annotation.domain.outgoing import MailKind
from annotation.mail.send import STOPPED_BY, read_stop_token
from annotation.models import User


@never_cache
@login_not_required
@csrf_exempt  # mail programs press it themselves (RFC 8058); the token is the permission
@require_http_methods(["GET", "POST"])
def mail_stop(request: HttpRequest, token: str) -> HttpResponse:
    """Offer to end one kind of e-mail to one person, and end it. Opening the page alone changes nothing.

    A kind that the site sends no more has ended already.
    """
    public_id, kind = found(read_stop_token(token))
    retired = kind not in set(MailKind)
    if not retired and MailKind(kind) not in STOPPED_BY:
        raise Http404
    if request.method == "POST" and not retired:
        User.objects.filter(public_id=public_id).update(**{STOPPED_BY[MailKind(kind)]: False})
    return render(request, "annotation/mail_stop.html", {"ended": request.method == "POST", "retired": retired})
