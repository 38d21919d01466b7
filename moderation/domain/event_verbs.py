"""The verbs of the events that this app records."""

from vocabulary.display_names import NamedEnum, pgettext


class ModerationVerb(NamedEnum):
    """The verbs of the log for the desk, debates, evidence, scores and evaluations."""

    APPEAL_CLOSED = "appeal_closed", pgettext("stored word", "appeal answered")
    APPEALED = "appealed", pgettext("stored word", "appealed against")
    ASSIGNED = "assigned", pgettext("stored word", "assigned to a reviewer")
    DESK_RULES = "desk_rules", pgettext("stored word", "desk rules changed")
    DOCUMENT_ADDED = "document_added", pgettext("stored word", "document added")
    DOCUMENT_REMOVED = "document_removed", pgettext("stored word", "document removed")
    EVALUATION_CANCELLED = "evaluation_cancelled", pgettext("stored word", "evaluation cancelled")
    EVALUATION_STARTED = "evaluation_started", pgettext("stored word", "evaluation started")
    EVIDENCE_RESTORED = "evidence_restored", pgettext("stored word", "evidence put back")
    EVIDENCE_STRUCK = "evidence_struck", pgettext("stored word", "evidence struck")
    EXAMPLES_IMPORTED = "examples_imported", pgettext("stored word", "examples imported")
    EXAMPLES_REMOVED = "examples_removed", pgettext("stored word", "examples removed")
    EXPLANATION_REVIEWED = "explanation_reviewed", pgettext("stored word", "explanation rated")
    GROUP_LIST_ADDED = "group_list_added", pgettext("stored word", "list of groups added")
    GROUP_LIST_REMOVED = "group_list_removed", pgettext("stored word", "list of groups removed")
    JUDGED_AGAIN = "judged_again", pgettext("stored word", "judged again by a model")
    OPINION = "opinion", pgettext("stored word", "own view recorded")
    PARKED = "parked", pgettext("stored word", "parked")
    PERSPECTIVE_ADDED = "perspective_added", pgettext("stored word", "perspective added")
    PERSPECTIVE_CHANGED = "perspective_changed", pgettext("stored word", "perspective changed")
    PERSPECTIVE_SWITCHED_OFF = "perspective_switched_off", pgettext("stored word", "perspective switched off")
    PERSPECTIVE_SWITCHED_ON = "perspective_switched_on", pgettext("stored word", "perspective switched on")
    PROPOSAL_TAKEN_BACK = "proposal_taken_back", pgettext("stored word", "proposed decision taken back")
    PROPOSED = "proposed", pgettext("stored word", "decision proposed")
    RUN_RETRIED = "run_retried", pgettext("stored word", "failed run taken up again")
    SCORE_STARTED = "score_started", pgettext("stored word", "score asked for")
    SET_ASIDE_ENDED = "set_aside_ended", pgettext("stored word", "taken up again")
    STATEMENT_WRITTEN = "statement_written", pgettext("stored word", "statement of reasons written")
    VALUE_LISTS = "value_lists", pgettext("stored word", "values of statements changed")
