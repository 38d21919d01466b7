"""URLs of the pages of counterspeech and sample injection, for reviewers and admins."""

from django.urls import path

from annotation.pages.view_marks import limited, takes_files, takes_long_texts
from generation.counterspeech import views, views_data, views_replies
from generation.injection import views_material, views_plan, views_review
from generation.practice import (
    views_claims,
    views_dataset,
    views_figures,
    views_first_step,
    views_library,
    views_postings,
    views_translation,
)

app_name = "generation"

_DESK = "p/<slug:slug>/counterspeech/"
_POST = f"{_DESK}<uuid:public_id>/"
_MADE = "p/<slug:slug>/injection/"
_BATCH = f"{_MADE}batches/<uuid:public_id>/"
_POOL = f"{_MADE}pools/<uuid:public_id>/"
_SAMPLE = f"{_MADE}samples/<uuid:public_id>/"
_REPLY = f"{_DESK}replies/<uuid:public_id>/"

urlpatterns = [
    path(_DESK, takes_long_texts(views.overview), name="overview"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/counterspeech/",
        limited("trigger", views.item_desk),
        name="item-counterspeech",
    ),
    path(f"{_DESK}compare/", views_data.compare, name="compare-replies"),
    path(f"{_DESK}compare/results/", views_data.standings, name="standings"),
    path(f"{_DESK}dataset/", views_dataset.dataset, name="dataset"),
    path(f"{_DESK}dataset/<str:name>", views_dataset.dataset_file, name="dataset-file"),
    path(f"{_DESK}rules/", takes_long_texts(views_data.rules), name="rules"),
    path(_POST, views.exchange, name="exchange"),
    path(f"{_POST}seven/", views.progress, {"part": "seven"}, name="exchange-seven"),
    path(f"{_POST}written/", views.progress, {"part": "candidates"}, name="exchange-candidates"),
    path(f"{_POST}explain/", limited("trigger", views.explain), name="explain"),
    path(f"{_POST}explanations/", takes_long_texts(views.keep), name="explanations"),
    path(f"{_POST}candidates/", limited("trigger", takes_long_texts(views.candidates)), name="candidates"),
    path(f"{_POST}first-step/", limited("submit", views_first_step.decide), name="first-step"),
    path(f"{_POST}about/", limited("submit", views_first_step.about), name="about"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/counterspeech/first-step/",
        limited("submit", views_first_step.decide_on_item),
        name="item-first-step",
    ),
    path(f"{_POST}translation/", limited("trigger", views_translation.translation), name="translation"),
    path(f"{_POST}cost/", views.cost, name="candidates-cost"),
    path(f"{_POST}cancel/", views.cancel, name="cancel"),
    path(f"{_POST}begin/", views_replies.begin, name="reply-begin"),
    path(_REPLY, views_replies.reply, name="reply"),
    path(f"{_POST}claims/<uuid:claim_id>/", views_claims.post_claim, name="post-claim"),
    path(f"{_REPLY}claims/<uuid:claim_id>/", views_claims.reply_claim, name="reply-claim"),
    path(f"{_REPLY}sources/", views_claims.sources, name="reply-sources"),
    path(f"{_REPLY}write/", views_replies.write, name="reply-write"),
    path(f"{_REPLY}state/", views_replies.state, name="reply-state"),
    path(f"{_REPLY}score/", limited("score", views_replies.score), name="reply-score"),
    *(
        path(f"{_REPLY}{what}/", views_replies.act, {"what": what}, name=f"reply-{what}")
        for what in ("submit", "take-back", "discard", "approve", "return", "comment", "withdraw", "correct")
    ),
    path(f"{_REPLY}postings/", views_postings.show, name="postings"),
    path(f"{_REPLY}posted/", limited("submit", views_postings.add), name="posting-add"),
    path(f"{_DESK}postings/<uuid:public_id>/check/", limited("submit", views_postings.check), name="posting-check"),
    path(f"{_DESK}library/", limited("trigger", views_library.show), name="library"),
    path(f"{_DESK}library/check/", limited("submit", views_library.check), name="library-check"),
    path(f"{_POST}library/", limited("submit", views_library.take_up), name="library-take"),
    path(f"{_DESK}figures/", views_figures.figures, name="figures"),
    path(_MADE, views_plan.overview, name="injection"),
    path(f"{_MADE}switch/", views_plan.switch, name="injection-switch"),
    path(f"{_MADE}targets/", views_plan.targets, name="injection-targets"),
    path(f"{_MADE}plan/", views_plan.add, name="injection-add"),
    path(f"{_MADE}plan/file/", limited("submit", takes_files(views_plan.read_file)), name="injection-file"),
    path(f"{_MADE}plan/<uuid:public_id>/remove/", views_plan.remove, name="injection-remove"),
    path(f"{_MADE}begin/", limited("trigger", views_plan.begin), name="injection-begin"),
    path(_BATCH, views_plan.batch, name="injection-batch"),
    path(f"{_BATCH}progress/", views_plan.progress, name="injection-progress"),
    path(f"{_BATCH}go-on/", limited("trigger", views_plan.go_on), name="injection-go-on"),
    path(f"{_BATCH}cancel/", views_plan.cancel, name="injection-cancel"),
    path(f"{_MADE}pools/", views_material.pools, name="pools"),
    path(_POOL, views_material.pool, name="pool"),
    path(f"{_POOL}items/", limited("trigger", takes_long_texts(views_material.add_items)), name="pool-items"),
    path(f"{_POOL}files/", limited("import", takes_files(views_material.add_files)), name="pool-files"),
    path(f"{_POOL}priors/", limited("trigger", views_material.ask_priors), name="pool-priors"),
    path(f"{_MADE}pictures/<uuid:public_id>/", views_material.change_picture, name="pool-picture"),
    path(f"{_MADE}material/", views_material.material, name="injection-material"),
    path(
        f"{_MADE}material/triggers/",
        limited("submit", takes_long_texts(views_material.add_triggers)),
        name="injection-triggers",
    ),
    path(
        f"{_MADE}material/words/", limited("submit", takes_long_texts(views_material.set_words)), name="injection-words"
    ),
    path(f"{_MADE}review/", views_review.review, name="sample-review"),
    path(f"{_MADE}samples/", views_review.log, name="samples"),
    path(_SAMPLE, views_review.sample, name="sample"),
    path(f"{_SAMPLE}accept/", limited("submit", views_review.accept), name="sample-accept"),
    path(f"{_SAMPLE}reject/", limited("submit", views_review.reject), name="sample-reject"),
    path(f"{_MADE}report/", views_review.report, name="injection-report"),
]
