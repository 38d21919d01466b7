"""Addresses of the pages about runs: debates on items, for reviewers and admins."""

from django.urls import path

from annotation.pages.view_marks import limited, takes_files, takes_long_texts
from moderation.debates import views, views_repeats, views_start
from moderation.desk import views as desk_views
from moderation.desk import views_actions, views_missing, views_set_aside
from moderation.evaluation import views as evaluation_views
from moderation.evidence import views as evidence_views
from moderation.evidence import views_documents
from moderation.hatexscore import views as hatexscore_views
from moderation.hatexscore import views_human_review
from moderation.perspectives import views as perspective_views
from moderation.studies import views as study_views

app_name = "moderation"

urlpatterns = [
    path("p/<slug:slug>/evaluations/", evaluation_views.evaluations, name="evaluations"),
    path(
        "p/<slug:slug>/evaluations/start/",
        limited("trigger", evaluation_views.start_evaluation),
        name="evaluation-start",
    ),
    path("p/<slug:slug>/evaluations/study/", study_views.study, name="study"),
    path(
        "p/<slug:slug>/evaluations/study/start/",
        limited("trigger", takes_files(study_views.start_study)),
        name="study-start",
    ),
    path("p/<slug:slug>/evaluations/<uuid:public_id>/", evaluation_views.evaluation, name="evaluation"),
    path(
        "p/<slug:slug>/evaluations/<uuid:public_id>/progress/",
        evaluation_views.evaluation_progress,
        name="evaluation-progress",
    ),
    path(
        "p/<slug:slug>/evaluations/<uuid:public_id>/cancel/",
        evaluation_views.cancel_evaluation,
        name="evaluation-cancel",
    ),
    path(
        "p/<slug:slug>/evaluations/<uuid:public_id>/retry/",
        limited("trigger", evaluation_views.retry_evaluation),
        name="evaluation-retry",
    ),
    path(
        "p/<slug:slug>/evaluations/<uuid:public_id>/tables/<slug:key>/",
        evaluation_views.download_table,
        name="evaluation-table",
    ),
    path(
        "p/<slug:slug>/evaluations/<uuid:public_id>/as/<slug:form>/",
        evaluation_views.download_report,
        name="evaluation-report",
    ),
    path("p/<slug:slug>/debates/", views.runs, name="runs"),
    path("p/<slug:slug>/debates/start/", limited("trigger", views_start.start_on_stage), name="start"),
    path("p/<slug:slug>/debates/cancel/", views_start.cancel_open_runs, name="runs-cancel"),
    path("p/<slug:slug>/debates/compare/", views.compare_runs, name="compare"),
    path("p/<slug:slug>/debates/repeats/", views_repeats.repeats, name="repeats"),
    path("p/<slug:slug>/perspectives/", perspective_views.perspectives, name="perspectives"),
    path("p/<slug:slug>/perspectives/add/", perspective_views.add_perspective, name="perspective-add"),
    path("p/<slug:slug>/perspectives/of/<slug:code>/", perspective_views.show_perspective, name="perspective"),
    path(
        "p/<slug:slug>/perspectives/of/<slug:code>/change/",
        takes_long_texts(perspective_views.change_perspective),
        name="perspective-change",
    ),
    path(
        "p/<slug:slug>/perspectives/of/<slug:code>/switch/",
        perspective_views.switch_perspective,
        name="perspective-switch",
    ),
    path(
        "p/<slug:slug>/perspectives/of/<slug:code>/examples/",
        limited("import", takes_files(perspective_views.import_file)),
        name="perspective-import",
    ),
    path(
        "p/<slug:slug>/perspectives/of/<slug:code>/examples/remove/",
        perspective_views.remove_examples,
        name="perspective-examples-remove",
    ),
    path("p/<slug:slug>/debates/<uuid:public_id>/", views.run, name="run"),
    path("p/<slug:slug>/debates/<uuid:public_id>/progress/", views.run_progress, name="run-progress"),
    path("p/<slug:slug>/debates/<uuid:public_id>/cancel/", views_start.cancel_run, name="run-cancel"),
    path("p/<slug:slug>/debates/<uuid:public_id>/retry/", views_start.retry_run, name="run-retry"),
    path(
        "p/<slug:slug>/debates/<uuid:public_id>/judge/",
        limited("trigger", views_start.judge_run_again),
        name="run-judge",
    ),
    path("p/<slug:slug>/items/<uuid:public_id>/debates/", views.item_runs, name="item-runs"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/debates/start/",
        limited("trigger", views_start.start_on_item),
        name="item-start",
    ),
    # scores of explanations
    path("p/<slug:slug>/scores/", hatexscore_views.scores, name="scores"),
    path("p/<slug:slug>/scores/lists/", hatexscore_views.lists, name="group-lists"),
    path(
        "p/<slug:slug>/scores/lists/add/",
        limited("import", takes_files(hatexscore_views.add_list)),
        name="group-list-add",
    ),
    path("p/<slug:slug>/scores/lists/<slug:name>/remove/", hatexscore_views.remove_list, name="group-list-remove"),
    path("p/<slug:slug>/scores/rate/", views_human_review.rate, name="score-review"),
    path("p/<slug:slug>/scores/ratings/", views_human_review.results, name="score-review-results"),
    path("p/<slug:slug>/items/<uuid:public_id>/scores/", hatexscore_views.item_scores, name="item-scores"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/scores/start/",
        limited("trigger", takes_long_texts(hatexscore_views.start)),
        name="score-start",
    ),
    # the adjudication desk
    path("p/<slug:slug>/desk/", desk_views.desk, name="desk"),
    path("p/<slug:slug>/desk/accept/", limited("submit", views_actions.accept), name="desk-accept"),
    path("p/<slug:slug>/desk/rules/", views_actions.rules, name="desk-rules"),
    path("p/<slug:slug>/desk/rules/values/", takes_files(views_actions.values), name="desk-values"),
    path("p/<slug:slug>/desk/figures/", views_actions.figures, name="desk-figures"),
    path("p/<slug:slug>/desk/appeals/", views_actions.appeals, name="appeals"),
    path(
        "p/<slug:slug>/desk/<uuid:public_id>/",
        limited("submit", takes_long_texts(desk_views.desk_item)),
        name="desk-item",
    ),
    path("p/<slug:slug>/desk/<uuid:public_id>/anew/", desk_views.anew, name="desk-anew"),
    path(
        "p/<slug:slug>/desk/<uuid:public_id>/aside/",
        limited("submit", views_set_aside.set_post_aside),
        name="desk-aside",
    ),
    path("p/<slug:slug>/desk/<uuid:public_id>/reasons/", views_set_aside.reasons, name="desk-reasons"),
    path("p/<slug:slug>/desk/<uuid:public_id>/take/", limited("submit", views_set_aside.take), name="desk-take"),
    path(
        "p/<slug:slug>/desk/<uuid:public_id>/take-back/",
        limited("submit", views_set_aside.take_back),
        name="desk-take-back",
    ),
    path("p/<slug:slug>/desk/<uuid:public_id>/missing/", limited("submit", views_missing.missing), name="desk-missing"),
    path(
        "p/<slug:slug>/desk/<uuid:public_id>/votes/",
        limited("submit", views_missing.look_at_votes),
        name="look-at-votes",
    ),
    path("p/<slug:slug>/desk/<uuid:public_id>/row/", desk_views.queue_row, name="desk-row"),
    path("p/<slug:slug>/desk/<uuid:public_id>/renew/", desk_views.renew, name="desk-renew"),
    path("p/<slug:slug>/desk/<uuid:public_id>/opinion/", limited("submit", desk_views.opinion), name="desk-opinion"),
    path("p/<slug:slug>/desk/<uuid:public_id>/similar/", desk_views.similar_posts, name="desk-similar"),
    path("p/<slug:slug>/items/<uuid:public_id>/appeal/", limited("submit", views_actions.appeal), name="appeal"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/statement/",
        limited("submit", takes_long_texts(views_actions.statement)),
        name="statement",
    ),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/statement/<int:number>.<str:kind>",
        views_actions.statement_file,
        name="statement-file",
    ),
    path("p/<slug:slug>/items/<uuid:public_id>/evidence/", evidence_views.item_evidence, name="evidence"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/evidence/start/",
        limited("trigger", evidence_views.start_investigation),
        name="evidence-start",
    ),
    path("p/<slug:slug>/texts/<uuid:public_id>/evidence/", evidence_views.text_evidence, name="text-evidence"),
    path(
        "p/<slug:slug>/texts/<uuid:public_id>/evidence/start/",
        limited("trigger", evidence_views.start_on_text),
        name="text-evidence-start",
    ),
    path("p/<slug:slug>/evidence/<uuid:public_id>/strike/", evidence_views.strike_evidence, name="evidence-strike"),
    path("p/<slug:slug>/evidence/<uuid:public_id>/restore/", evidence_views.restore_evidence, name="evidence-restore"),
    path(
        "p/<slug:slug>/debates/<uuid:public_id>/judge-rest/",
        limited("trigger", evidence_views.judge_remaining),
        name="evidence-judge",
    ),
    path("p/<slug:slug>/documents/", takes_files(views_documents.documents), name="documents"),
    path("p/<slug:slug>/documents/<uuid:public_id>/", views_documents.document, name="document"),
    path("p/<slug:slug>/documents/<uuid:public_id>/remove/", views_documents.remove_document, name="document-remove"),
]
