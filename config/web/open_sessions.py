"""Notes with each response that its session is in use (`members/accounts/open_sessions.py`: how often)."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from annotation.members.accounts.open_sessions import note_use


class OpenSessions(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.session.accessed:
            note_use(request)
        return response
