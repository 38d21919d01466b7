"""The verbs of the events that this app records."""

from vocabulary.display_names import NamedEnum, pgettext


class GenerationVerb(NamedEnum):
    """Verbs of events about counterspeech and injected samples."""

    CLAIM_CHECKED = "claim_checked", pgettext("stored word", "claim checked by an agent")
    CLAIM_DECIDED = "claim_decided", pgettext("stored word", "claim decided about")
    COUNTER_RULES = "counter_rules", pgettext("stored word", "rules of counterspeech changed")
    COUNTERSPEECH_EXPORTED = "counterspeech_exported", pgettext("stored word", "approved replies downloaded")
    COUNTERSPEECH_IMPORTED = "counterspeech_imported", pgettext("stored word", "replies imported as examples")
    EXPLANATIONS_WRITTEN = "explanations_written", pgettext("stored word", "explanations edited")
    FIRST_STEP = "first_step", pgettext("stored word", "first step decided")
    INJECTION_BEGUN = "injection_begun", pgettext("stored word", "batch of samples begun")
    INJECTION_OFF = "injection_off", pgettext("stored word", "sample injection switched off")
    INJECTION_ON = "injection_on", pgettext("stored word", "sample injection switched on, terms accepted")
    INJECTION_TARGETS = "injection_targets", pgettext("stored word", "wanted numbers of patterns changed")
    LEXICON_SET = "lexicon_set", pgettext("stored word", "words for insults changed")
    LIBRARY_CHECKED = "library_checked", pgettext("stored word", "reply of the library checked")
    PLAN_CHANGED = "plan_changed", pgettext("stored word", "plan of samples changed")
    POOL_EMPTIED = "pool_emptied", pgettext("stored word", "pictures taken out of a pool")
    POOL_FILLED = "pool_filled", pgettext("stored word", "pictures put into a pool")
    POOL_JUDGED = "pool_judged", pgettext("stored word", "picture of a pool judged alone")
    POOL_MADE = "pool_made", pgettext("stored word", "picture pool made")
    POSTING_CHECKED = "posting_checked", pgettext("stored word", "what became of a posted reply recorded")
    REPLIES_COMPARED = "replies_compared", pgettext("stored word", "two replies compared")
    REPLY_APPROVED = "reply_approved", pgettext("stored word", "reply approved")
    REPLY_BEGUN = "reply_begun", pgettext("stored word", "reply begun")
    REPLY_DISCARDED = "reply_discarded", pgettext("stored word", "draft of a reply discarded")
    REPLY_POSTED = "reply_posted", pgettext("stored word", "posted reply recorded")
    REPLY_REPLACED = "reply_replaced", pgettext("stored word", "reply replaced by its correction")
    REPLY_RETURNED = "reply_returned", pgettext("stored word", "reply sent back")
    REPLY_SUBMITTED = "reply_submitted", pgettext("stored word", "reply submitted")
    REPLY_TAKEN_BACK = "reply_taken_back", pgettext("stored word", "reply taken back")
    REPLY_WITHDRAWN = "reply_withdrawn", pgettext("stored word", "reply withdrawn")
    SAMPLE_ACCEPTED = "sample_accepted", pgettext("stored word", "sample accepted")
    SAMPLE_DOUBLED = "sample_doubled", pgettext("stored word", "sample found to be a duplicate")
    SAMPLE_REJECTED = "sample_rejected", pgettext("stored word", "sample rejected")
    TRIGGERS_ADDED = "triggers_added", pgettext("stored word", "trigger texts added")
