"""Addresses of the pages about counterspeech, for reviewers and admins."""

from django.urls import path

from generation.views import counter_data, counterspeech, injection_material, injection_plan, injection_review, replies

app_name = "generation"

_DESK = "p/<slug:slug>/counterspeech/"
_POST = f"{_DESK}<uuid:public_id>/"
_MADE = "p/<slug:slug>/injection/"
_BATCH = f"{_MADE}batches/<uuid:public_id>/"
_POOL = f"{_MADE}pools/<uuid:public_id>/"
_SAMPLE = f"{_MADE}samples/<uuid:public_id>/"
_REPLY = f"{_DESK}replies/<uuid:public_id>/"

urlpatterns = [
    path(_DESK, counterspeech.overview, name="overview"),
    path("p/<slug:slug>/items/<uuid:public_id>/counterspeech/", counterspeech.item_desk, name="item-counterspeech"),
    path(f"{_DESK}compare/", counter_data.compare, name="compare-replies"),
    path(f"{_DESK}compare/results/", counter_data.standings, name="standings"),
    path(f"{_DESK}dataset/", counter_data.dataset, name="dataset"),
    path(f"{_DESK}dataset/<str:name>", counter_data.dataset_file, name="dataset-file"),
    path(f"{_DESK}rules/", counter_data.rules, name="rules"),
    path(_POST, counterspeech.exchange, name="exchange"),
    path(f"{_POST}seven/", counterspeech.progress, {"part": "seven"}, name="exchange-seven"),
    path(f"{_POST}written/", counterspeech.progress, {"part": "candidates"}, name="exchange-candidates"),
    path(f"{_POST}explain/", counterspeech.explain, name="explain"),
    path(f"{_POST}explanations/", counterspeech.keep, name="explanations"),
    path(f"{_POST}candidates/", counterspeech.candidates, name="candidates"),
    path(f"{_POST}cancel/", counterspeech.cancel, name="cancel"),
    path(f"{_POST}begin/", replies.begin, name="reply-begin"),
    path(_REPLY, replies.reply, name="reply"),
    path(f"{_REPLY}write/", replies.write, name="reply-write"),
    path(f"{_REPLY}state/", replies.state, name="reply-state"),
    path(f"{_REPLY}score/", replies.score, name="reply-score"),
    *(
        path(f"{_REPLY}{what}/", replies.act, {"what": what}, name=f"reply-{what}")
        for what in ("submit", "take-back", "discard", "approve", "return", "comment")
    ),
    path(_MADE, injection_plan.overview, name="injection"),
    path(f"{_MADE}switch/", injection_plan.switch, name="injection-switch"),
    path(f"{_MADE}targets/", injection_plan.targets, name="injection-targets"),
    path(f"{_MADE}plan/", injection_plan.add, name="injection-add"),
    path(f"{_MADE}plan/file/", injection_plan.read_file, name="injection-file"),
    path(f"{_MADE}plan/<uuid:public_id>/remove/", injection_plan.remove, name="injection-remove"),
    path(f"{_MADE}begin/", injection_plan.begin, name="injection-begin"),
    path(_BATCH, injection_plan.batch, name="injection-batch"),
    path(f"{_BATCH}progress/", injection_plan.progress, name="injection-progress"),
    path(f"{_BATCH}go-on/", injection_plan.go_on, name="injection-go-on"),
    path(f"{_BATCH}cancel/", injection_plan.cancel, name="injection-cancel"),
    path(f"{_MADE}pools/", injection_material.pools, name="pools"),
    path(_POOL, injection_material.pool, name="pool"),
    path(f"{_POOL}items/", injection_material.add_items, name="pool-items"),
    path(f"{_POOL}files/", injection_material.add_files, name="pool-files"),
    path(f"{_POOL}priors/", injection_material.ask_priors, name="pool-priors"),
    path(f"{_MADE}pictures/<uuid:public_id>/", injection_material.change_picture, name="pool-picture"),
    path(f"{_MADE}material/", injection_material.material, name="injection-material"),
    path(f"{_MADE}material/triggers/", injection_material.add_triggers, name="injection-triggers"),
    path(f"{_MADE}material/words/", injection_material.set_words, name="injection-words"),
    path(f"{_MADE}review/", injection_review.review, name="sample-review"),
    path(f"{_MADE}samples/", injection_review.log, name="samples"),
    path(_SAMPLE, injection_review.sample, name="sample"),
    path(f"{_SAMPLE}accept/", injection_review.accept, name="sample-accept"),
    path(f"{_SAMPLE}reject/", injection_review.reject, name="sample-reject"),
    path(f"{_MADE}report/", injection_review.report, name="injection-report"),
]
