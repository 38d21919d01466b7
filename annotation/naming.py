"""Stored words as people read them, in their language.

The database, the API and the files hold the words themselves (`kind_undecided`); pages show what stands here.
One word has one name wherever it is stored, so the enums and the verbs of events share this table.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

NAMES: Mapping[str, Promise] = {
    # Stage
    "imported": pgettext_lazy("stored word", "imported"),
    "ready": pgettext_lazy("stored word", "ready"),
    "labelling": pgettext_lazy("stored word", "labelling"),
    "disputed": pgettext_lazy("stored word", "disputed"),
    "gold": pgettext_lazy("stored word", "gold"),
    "excluded": pgettext_lazy("stored word", "excluded"),
    "known": pgettext_lazy("stored word", "answer known"),
    # Reason
    "not_sure": pgettext_lazy("stored word", "not sure"),
    "low_quality": pgettext_lazy("stored word", "low quality"),
    "no_majority": pgettext_lazy("stored word", "no majority"),
    "kind_undecided": pgettext_lazy("stored word", "kind undecided"),
    "misaligned": pgettext_lazy("stored word", "misaligned"),
    "prior_challenged": pgettext_lazy("stored word", "prior challenged"),
    "model_conflict": pgettext_lazy("stored word", "model conflict"),
    "reported": pgettext_lazy("stored word", "reported"),
    "withdrawn": pgettext_lazy("stored word", "withdrawn"),
    # Level
    "perfect": pgettext_lazy("stored word", "perfect"),
    "strong": pgettext_lazy("stored word", "strong"),
    "weak": pgettext_lazy("stored word", "weak"),
    "none": pgettext_lazy("stored word", "none"),
    # Source
    "consensus": pgettext_lazy("stored word", "consensus"),
    "adjudicated": pgettext_lazy("stored word", "adjudicated"),
    # Policy
    "review": pgettext_lazy("stored word", "review"),
    "paper": pgettext_lazy("stored word", "paper"),
    # Modality
    "text": pgettext_lazy("stored word", "text"),
    "image": pgettext_lazy("stored word", "image"),
    # What became of a prior, and why
    "ok": pgettext_lazy("stored word", "answered"),
    "refused": pgettext_lazy("stored word", "refused"),
    "unreadable": pgettext_lazy("stored word", "unreadable"),
    "failed": pgettext_lazy("stored word", "failed"),
    "provider_blocked": pgettext_lazy("stored word", "provider blocked"),
    "invalid_output": pgettext_lazy("stored word", "answer of another form"),
    "invalid_label": pgettext_lazy("stored word", "unknown category"),
    "truncated": pgettext_lazy("stored word", "answer cut off"),
    "empty_output": pgettext_lazy("stored word", "empty answer"),
    "too_large": pgettext_lazy("stored word", "too large"),
    "timeout": pgettext_lazy("stored word", "no answer in time"),
    "provider_error": pgettext_lazy("stored word", "error at the provider"),
    "bad_request": pgettext_lazy("stored word", "request not accepted"),
    "budget_exceeded": pgettext_lazy("stored word", "budget used up"),
    "worker_lost": pgettext_lazy("stored word", "worker lost"),
    "user": pgettext_lazy("stored word", "cancelled by a person"),
    "target_gone": pgettext_lazy("stored word", "item gone"),
    # Role
    "annotator": pgettext_lazy("stored word", "annotator"),
    "reviewer": pgettext_lazy("stored word", "reviewer"),
    "admin": pgettext_lazy("stored word", "admin"),
    # Difficulty
    "easy": pgettext_lazy("stored word", "easy"),
    "normal": pgettext_lazy("stored word", "normal"),
    "hard": pgettext_lazy("stored word", "hard"),
    # Mechanism
    "consistency": pgettext_lazy("stored word", "consistency"),
    "neutralization": pgettext_lazy("stored word", "neutralization"),
    "emergence": pgettext_lazy("stored word", "emergence"),
    "inversion": pgettext_lazy("stored word", "inversion"),
    # What can be asked for among items
    "stage": pgettext_lazy("stored word", "stage"),
    "reason": pgettext_lazy("stored word", "reason"),
    "level": pgettext_lazy("stored word", "level"),
    "difficulty": pgettext_lazy("stored word", "difficulty"),
    "source": pgettext_lazy("stored word", "source"),
    "pattern": pgettext_lazy("stored word", "pattern"),
    "picture": pgettext_lazy("stored word", "picture"),
    "batch": pgettext_lazy("stored word", "batch"),
    "undefined": pgettext_lazy("stored word", "undefined"),
    "yes": pgettext_lazy("stored word", "yes"),
    "no": pgettext_lazy("stored word", "no"),
    "missing": pgettext_lazy("stored word", "missing"),
    # Rulings
    "decide": pgettext_lazy("stored word", "decided"),
    "exclude": pgettext_lazy("stored word", "excluded"),
    "new_round": pgettext_lazy("stored word", "sent to a new round"),
    "reopen": pgettext_lazy("stored word", "reopened"),
    # Models of competence
    "dawid-skene": pgettext_lazy("stored word", "Dawid-Skene"),
    "mace": pgettext_lazy("stored word", "MACE"),
    # Verbs of events
    "asked_again": pgettext_lazy("stored word", "asked again"),
    "change_roles": pgettext_lazy("stored word", "roles changed"),
    "change_settings": pgettext_lazy("stored word", "settings changed"),
    "erased": pgettext_lazy("stored word", "account erased"),
    "invitation_accepted": pgettext_lazy("stored word", "invitation accepted"),
    "invitation_revoked": pgettext_lazy("stored word", "invitation revoked"),
    "invited": pgettext_lazy("stored word", "invited"),
    "label_removed": pgettext_lazy("stored word", "label removed"),
    "labels_removed": pgettext_lazy("stored word", "labels of somebody who left removed"),
    "pseudonym_changed": pgettext_lazy("stored word", "pseudonym changed"),
    "quota_changed": pgettext_lazy("stored word", "personal quota changed"),
    "runs_started": pgettext_lazy("stored word", "models asked"),
    "judged_again": pgettext_lazy("stored word", "judged again by a model"),
    "run_cancelled": pgettext_lazy("stored word", "run cancelled"),
    "choose_models": pgettext_lazy("stored word", "models chosen"),
    "closed": pgettext_lazy("stored word", "closed"),
    "competence_asked": pgettext_lazy("stored word", "model of competence asked"),
    "consented": pgettext_lazy("stored word", "consented"),
    "corrected": pgettext_lazy("stored word", "label corrected"),
    "deactivated": pgettext_lazy("stored word", "access ended"),
    "filled": pgettext_lazy("stored word", "gap filled"),
    "first_answer": pgettext_lazy("stored word", "first answer given"),
    "guidelines_written": pgettext_lazy("stored word", "guidelines written"),
    "import_uploaded": pgettext_lazy("stored word", "file uploaded"),
    "known_changed": pgettext_lazy("stored word", "known answer changed"),
    "known_ended": pgettext_lazy("stored word", "known answer taken back"),
    "known_marked": pgettext_lazy("stored word", "answer declared known"),
    "known_rested": pgettext_lazy("stored word", "known answer rested"),
    "known_used": pgettext_lazy("stored word", "known answer in use again"),
    "labelled": pgettext_lazy("stored word", "labelled"),
    "look_at_votes": pgettext_lazy("stored word", "looked at the votes"),
    "member_added": pgettext_lazy("stored word", "member added"),
    "opened": pgettext_lazy("stored word", "opened"),
    "priors_cancelled": pgettext_lazy("stored word", "priors cancelled"),
    "priors_given_up": pgettext_lazy("stored word", "priors given up"),
    "priors_requested": pgettext_lazy("stored word", "priors requested"),
    "project_closed": pgettext_lazy("stored word", "project closed"),
    "project_created": pgettext_lazy("stored word", "project created"),
    "project_opened": pgettext_lazy("stored word", "project opened"),
    "reactivated": pgettext_lazy("stored word", "access given again"),
    "released": pgettext_lazy("stored word", "released"),
    "replace": pgettext_lazy("stored word", "missing category given"),
    "report": pgettext_lazy("stored word", "reported as illegal"),
    "seat_emptied": pgettext_lazy("stored word", "seat emptied"),
    "seat_lapsed": pgettext_lazy("stored word", "seat lapsed"),
    "seats_added": pgettext_lazy("stored word", "seats added"),
    "skipped": pgettext_lazy("stored word", "skipped"),
    "taken_back": pgettext_lazy("stored word", "label taken back"),
    "training_finished": pgettext_lazy("stored word", "training attempt finished"),
    "training_granted": pgettext_lazy("stored word", "another training attempt granted"),
    "training_rules": pgettext_lazy("stored word", "rules of training changed"),
    "training_waived": pgettext_lazy("stored word", "declared trained"),
    "withdraw_item": pgettext_lazy("stored word", "taken out"),
    "bulk_change": pgettext_lazy("stored word", "many items changed"),
    "project_archived": pgettext_lazy("stored word", "project archived"),
    "project_unarchived": pgettext_lazy("stored word", "project taken out of the archive"),
    "project_cloned": pgettext_lazy("stored word", "project copied"),
    "deletion_asked": pgettext_lazy("stored word", "deletion asked for"),
    "deletion_cancelled": pgettext_lazy("stored word", "deletion cancelled"),
    "withheld_share": pgettext_lazy("stored word", "share without priors changed"),
    "withdrew": pgettext_lazy("stored word", "left the project"),
}


def name_of(word: str) -> str:
    """The word in the reader's language; a word without a name stays as it is, its underscores spaces."""
    return str(NAMES.get(word, word.replace("_", " ")))
