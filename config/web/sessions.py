"""Sessions in the database, as Django keeps them, read by a statement that is compiled once: every request runs it."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from runs.sql.compiled_queries import CompiledQuery, slot

_SESSION = CompiledQuery(
    Session.objects.filter(session_key=slot("key"), expire_date__gt=slot("now", Session._meta.get_field("expire_date")))
)


class SessionStore(db.SessionStore):
    """Django's sessions. The name of its module stands in SESSION_ENGINE."""

    def _get_session_from_db(self) -> Session | None:
        found = _SESSION.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
        return found
