"""Addresses of the pages about counterspeech, for reviewers and admins."""

from django.urls import path

from generation.views import counter_data, counterspeech, replies

app_name = "generation"

_DESK = "p/<slug:slug>/counterspeech/"
_POST = f"{_DESK}<uuid:public_id>/"
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
]
