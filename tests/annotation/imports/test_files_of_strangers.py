"""Files of kinds that nobody had tried here: they are read as they are meant, or one sentence says what to do.

What was expected of each was written before it was read for the first time. Without options a file is read as with
them, or it stops: nothing is taken for something else unasked.
"""

# ruff: noqa: E501 (rows of files are read best as the one line that they are)

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.core.management import call_command
from django.utils import timezone
from PIL import Image

from annotation.domain.choices import Source, Stage
from annotation.domain.formats.base import Unreadable
from annotation.domain.formats.detect import open_reader
from annotation.imports.files import archives
from annotation.imports.mapping_form import MappingForm
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Category, Item, Project
from builders import make_project
from written_files import (
    RELEASED,
    Filed,
    arrow,
    asked,
    lines,
    of,
    options_of,
    packed,
    parquet,
    released,
    stopped,
    table,
    workbook,
)

pytestmark = [pytest.mark.django_db, pytest.mark.once]


def picture(shade: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (24, 20), (shade, shade, shade)).save(out, "PNG")
    return out.getvalue()


LS_ALL = {
    "id": 70,
    "data": {"text": "One post with every control.", "site": "zqlsa1"},
    "annotations": [
        {
            "id": 1,
            "completed_by": 4,
            "was_cancelled": False,
            "lead_time": 2.0,
            "created_at": "2024-05-01T10:00:00Z",
            "result": [
                {
                    "id": "a",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "choices",
                    "value": {"choices": ["Racist"]},
                },
                {
                    "id": "b",
                    "from_name": "words",
                    "to_name": "text",
                    "type": "labels",
                    "value": {"start": 4, "end": 8, "text": "post", "labels": ["zqlsa2"]},
                },
                {
                    "id": "c",
                    "from_name": "words",
                    "to_name": "text",
                    "type": "labels",
                    "value": {"start": 9, "end": 13, "text": "with", "labels": ["zqlsa3"]},
                },
                {"from_id": "b", "to_id": "c", "type": "relation", "direction": "right", "labels": ["zqlsa4"]},
                {"id": "d", "from_name": "sure", "to_name": "text", "type": "number", "value": {"number": 3}},
                {
                    "id": "e",
                    "from_name": "seen_on",
                    "to_name": "text",
                    "type": "datetime",
                    "value": {"datetime": "2024-zqlsa5"},
                },
                {
                    "id": "f",
                    "from_name": "pair",
                    "to_name": "text",
                    "type": "pairwise",
                    "value": {"selected": "zqlsa6"},
                },
                {
                    "id": "g",
                    "from_name": "order",
                    "to_name": "text",
                    "type": "ranker",
                    "value": {"ranker": {"best": ["zqlsa7"]}},
                },
                {
                    "id": "h",
                    "from_name": "box",
                    "to_name": "img",
                    "type": "rectanglelabels",
                    "value": {"x": 1, "y": 2, "width": 3, "height": 4, "rotation": 0, "rectanglelabels": ["zqlsa8"]},
                },
            ],
        },
        {"id": 2, "completed_by": 5, "was_cancelled": True, "result": []},
    ],
    "predictions": [],
}
DATASET_ROWS = {
    "features": [{"feature_idx": 0, "name": "text", "type": {"dtype": "string", "_type": "Value"}}],
    "rows": [
        {"row_idx": 0, "row": {"text": "A row of a viewer.", "origin": "zqdv1"}, "truncated_cells": []},
        {"row_idx": 1, "row": {"text": "A second row of a viewer.", "origin": "zqdv2"}, "truncated_cells": []},
    ],
    "num_rows_total": 2,
    "partial": False,
}
LISTING = {
    "kind": "Listing",
    "data": {
        "after": "t3_b",
        "children": [
            {
                "kind": "t3",
                "data": {
                    "id": "li1",
                    "name": "t3_li1",
                    "subreddit": "zqrl1",
                    "author": "wren",
                    "created_utc": 1.7e9,
                    "title": "A listing",
                    "selftext": "and its text.",
                    "is_self": True,
                },
            },
            {
                "kind": "t3",
                "data": {
                    "id": "li2",
                    "name": "t3_li2",
                    "subreddit": "zqrl1",
                    "author": "robin",
                    "created_utc": 1.7e9,
                    "title": "Another listing",
                    "selftext": "",
                    "is_self": True,
                },
            },
        ],
    },
}
LABELBOX = {
    "data_row": {"id": "cl1", "external_id": "lb-1", "row_data": "A box with a label.", "details": {"zqlb1": 1}},
    "media_attributes": {"mime_type": "text/plain"},
    "projects": {
        "p1": {
            "name": "zqlb2",
            "labels": [
                {
                    "label_kind": "Default",
                    "label_details": {"created_by": "zqlb3", "created_at": "2024-05-01"},
                    "annotations": {
                        "objects": [],
                        "classifications": [{"name": "hate", "radio_answer": {"name": "Racist", "value": "zqlb4"}}],
                    },
                }
            ],
        }
    },
}
EXIST = {
    "100001": {
        "id_EXIST": "100001", "lang": "es", "tweet": "Un jardín nuevo.", "number_annotators": 2,
        "annotators": ["Annotator_1", "Annotator_2"], "gender_annotators": ["zqex1", "zqex2"],
        "labels_task1": ["YES", "NO"], "split": "zqex3",
    },
    "100002": {
        "id_EXIST": "100002", "lang": "en", "tweet": "A new garden.", "number_annotators": 2,
        "annotators": ["Annotator_1", "Annotator_3"], "gender_annotators": ["zqex1", "zqex4"],
        "labels_task1": ["NO", "NO"], "split": "zqex3",
    },
}  # fmt: skip
TWARC_HEAD = [
    "id", "conversation_id", "author_id", "created_at", "text", "lang", "source", "public_metrics.like_count",
    *(f"author.field_{number}" for number in range(50)),
]  # fmt: skip
YOUTUBE = {
    "kind": "youtube#commentThreadListResponse",
    "etag": "e",
    "pageInfo": {"totalResults": 1},
    "items": [
        {
            "kind": "youtube#commentThread",
            "etag": "f",
            "id": "yt-1",
            "snippet": {
                "videoId": "zqyt1",
                "topLevelComment": {
                    "id": "yt-1",
                    "snippet": {"textOriginal": "A comment of a video.", "authorDisplayName": "zqyt2", "likeCount": 3},
                },
            },
        }
    ],
}
TIKTOK = {
    "data": {"comments": [{"id": 71, "text": "A comment of a clip.", "like_count": 2, "parent_comment_id": "zqtk1"}], "cursor": 100, "has_more": False, "search_id": "zqtk2"},
    "error": {"code": "ok", "message": "", "log_id": "zqtk3"},
}  # fmt: skip
DISCORD = {
    "guild": {"id": "1", "name": "zqdc1"},
    "channel": {"id": "2", "name": "zqdc2"},
    "dateRange": {"after": None, "before": None},
    "messages": [
        {
            "id": "di-1",
            "type": "Default",
            "timestamp": "2024-05-01T10:00:00+00:00",
            "content": "A message of a server.",
            "author": {"id": "9", "name": "zqdc3"},
            "attachments": [],
            "reactions": [],
        },
        {
            "id": "di-2",
            "type": "Default",
            "timestamp": "2024-05-01T10:01:00+00:00",
            "content": "Another message.",
            "author": {"id": "8", "name": "zqdc4"},
            "attachments": [],
            "reactions": [],
        },
    ],
    "messageCount": 2,
}
MASTODON = [
    {
        "id": "ms-1",
        "created_at": "2024-05-01",
        "content": "<p>A post &amp; more.</p>",
        "account": {"acct": "zqms1"},
        "visibility": "public",
        "language": "en",
    },
    {
        "id": "ms-2",
        "created_at": "2024-05-01",
        "content": "<p>A second<br>post.</p>",
        "account": {"acct": "zqms2"},
        "visibility": "public",
        "language": "en",
    },
]
BLUESKY = {
    "uri": "at://did:plc:a/app.bsky.feed.post/1",
    "cid": "bafy",
    "did": "zqbs1",
    "record": {
        "$type": "app.bsky.feed.post",
        "text": "A post of the sky.",
        "createdAt": "2024-05-01",
        "langs": ["zqbs2"],
    },
}
X_LONG = {
    "data": [
        {"id": "901", "text": "A long post that is cut …", "author_id": "7", "created_at": "2024-05-01T10:00:00Z", "edit_history_tweet_ids": ["901"], "note_tweet": {"text": "A long post that is not cut: zqxn1."}, "context_annotations": [{"domain": {"name": "zqxn2"}}], "public_metrics": {"like_count": 3}},
    ],
    "includes": {"users": [{"id": "7", "username": "zqxn3", "name": "Wren"}]},
    "meta": {"result_count": 1},
}  # fmt: skip
TELEGRAM_ALL = {
    "about": "Here is the data you requested.",
    "chats": {
        "about": "This page lists all chats.",
        "list": [
            {"name": "zqtg1", "type": "public_supergroup", "id": 11, "messages": [
                {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "date_unixtime": "1714557600", "from": "zqtg2", "from_id": "user1", "text": ["A ", {"type": "bold", "text": "poll"}, " follows."], "poll": {"question": "zqtg3", "answers": []}},
            ]},
            {"name": "zqtg4", "type": "private_channel", "id": 12, "messages": [
                {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "date_unixtime": "1714557600", "from": "zqtg5", "from_id": "user2", "text": "The same number in another chat."},
            ]},
        ],
    },
}  # fmt: skip
CATALOG = [
    {"page": 1, "threads": [{"no": 501, "now": "01/01/24", "name": "Anonymous", "com": "A thread<br>of a catalog.", "time": 1714557600, "resto": 0, "semantic_url": "zqct1"}]},
    {"page": 2, "threads": [{"no": 502, "now": "01/01/24", "name": "Anonymous", "com": "Another thread.", "time": 1714557600, "resto": 0, "semantic_url": "zqct2"}]},
]  # fmt: skip
PRODIGY_MARKS = {
    "text": "A bad word here.", "meta": {"source": "zqpm1"}, "_input_hash": 1, "_task_hash": 2, "_is_binary": False,
    "tokens": [{"text": "A", "start": 0, "end": 1, "id": 0, "ws": True}],
    "spans": [{"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "Racist"}],
    "_view_id": "ner_manual", "answer": "accept", "_timestamp": 1714557600, "_annotator_id": "set-wren", "_session_id": "set-wren",
}  # fmt: skip
AWS = {
    "source": "A line of a manifest.",
    "hate": 1,
    "hate-metadata": {"class-name": "Racist", "confidence": 0.9, "job-name": "zqaw1"},
}
SURVEY = ("Respondent ID", "Collector ID", "Start Date", "Which posts did you see?", "", "Why?")
SBIC_HEAD = ("whoTarget", "offensiveYN", "annotatorGender", "WorkerId", "HITId", "post")

FILES: dict[str, Filed] = {
    # ── Labels in tables ──
    "Davidson, counts of votes beside the class": of(
        table(("", "count", "hate_speech", "offensive_language", "neither", "class", "tweet"), (0, 3, 1, 2, 0, 1, "A tweet of it."), (7, 3, 0, 0, 3, 0, "Another of it.")),
        2, 0, *asked("--text-column tweet --label-column class --label-is gold --keep-column hate_speech --keep-column offensive_language --keep-column neither"),
    ),
    "Gab, a row and columns of 0 and 1 for each annotator": of(
        table(("ID", "Annotator", "Text", "HD", "Racist", "VO"), (27, 4, "A gab.", 0, 1, 0), (27, 3, "A gab.", 0, 0, 0), (28, 4, "A second gab.", 0, 1, 0), mark="\t"),
        2, 3, *asked("--category-column Racist --none-is NotHate --annotator-column Annotator --label-is seat --keep-column HD --keep-column VO"),
    ),
    "SBIC, a row for each worker": of(
        table(SBIC_HEAD, (1.0, 1.0, "zqsb1", "w1", "h1", "A frame."), ("", 0.0, "zqsb2", "w2", "h1", "A frame."), (0.0, 0.0, "zqsb1", "w1", "h2", "A next frame.")),
        2, 3, *asked("--text-column post --id-column HITId --label-column offensiveYN --annotator-column WorkerId --label-is seat --keep-column whoTarget"),
    ),
    "EXIST, lists of labels and of people": of(
        json.dumps(EXIST, indent=1, ensure_ascii=False),
        2, 4, *asked("--format jsonl --text-column tweet --id-column id_EXIST --label-column labels_task1[] --annotator-column annotators[] --map YES=Sexist --map NO=NotHate"),
    ),
    "a name for each annotator in an object": of(
        lines({"id": "on-1", "text": "An object of names.", "votes": {"amy": "Racist", "bo": "NotHate"}, "note": "zqon1"}, {"id": "on-2", "text": "Another object.", "votes": {"bo": "Racist"}, "note": "zqon2"}),
        2, 3, *asked("--label-column votes.*"),
    ),
    "lists of label and annotator in one cell, with commas": of(
        table(("id", "text", "labels", "workers"), ("lc-1", "A list in a cell.", "1,0,0", "w1,w2,w3")),
        1, 3, *asked("--label-column labels[] --annotator-column workers[]"),
    ),
    "OLID, with NULL": of(
        table(("id", "tweet", "subtask_a", "subtask_b"), ("90194", "A tweet.", "OFF", "UNT"), ("77444", "A second.", "NOT", "NULL"), mark="\t"),
        2, 0, *asked("--text-column tweet --label-column subtask_a --map OFF=Racist --map NOT=NotHate --label-is gold --keep-column subtask_b"),
    ),
    "ETHOS, a share with semicolons": of(
        "comment;isHate\nA comment.;0.8333\nAnother comment.;0.0\n",
        2, 0, *asked("--text-column comment --keep-column isHate"),
    ),
    "MAMI, a picture and five columns of 0 and 1": stopped(
        table(("file_name", "misogynous", "shaming", "stereotype", "Text Transcription"), ("1.jpg", 0, 0, 0, "A meme."), ("2.jpg", 1, 1, 0, "Another meme."), mark="\t"),
        "hold 0 and 1",
    ),
    "HarMeme, labels as words of two questions": stopped(
        lines({"id": "hm-1", "image": "hm-1.png", "labels": ["somewhat harmful", "individual"], "text": "A meme."}), "holds something else",
    ),
    "labels that are none of ours": of(
        lines({"id": "ln-1", "labels": ["zqln1", "individual"], "text": "A meme."}), 1, 0, *asked("--keep-column labels"),
    ),
    "marked with x": stopped(
        table(("id", "text", "racist", "sexist"), ("x-1", "A cross.", "x", ""), ("x-2", "A second cross.", "", "x")), "1 or 0", *asked("--category-column racist --category-column sexist"),
    ),
    "yes and no in a workbook": of(
        [["zqyn1", "zqyn2"]], 2, 0, *asked("--label-column 'Is it hateful?' --map yes=Racist --map no=NotHate --label-is gold"),
        raw=workbook(("ID", "Text", "Is it hateful?", "Remarks"), ("yn-1", "A yes.", "Yes", "zqyn1"), ("yn-2", "A no.", "no", "zqyn2")),
    ),
    "HateXplain as `datasets` writes it to CSV": stopped(
        table(("id", "annotators", "post_tokens"), ("hx-1", "{'label': array([0, 2, 1]), 'annotator_id': array([4, 3, 2])}", "['A' 'post']")), "post_tokens",
    ),
    "two columns of one name": stopped(table(("id", "text", "label", "label"), (1, "Two of a name.", 1, 0)), "stands twice"),
    # ── Tools ──
    "Label Studio, every control": of(
        json.dumps([LS_ALL]), 1, 1, told=("annotation.id",),
    ),
    "Label Studio, CSV of several choices": of(
        table(("annotation_id", "annotator", "created_at", "id", "label", "lead_time", "text", "updated_at"), (1, 2, "2024-05-01T10:00:00Z", 3, '{"choices":["Racist"]}', 2.5, "A cell of choices.", "2024-05-01T10:00:00Z")),
        1, 1, told=("annotation_id", "updated_at"),
    ),
    "Potato, CSV": of(
        table(("user", "instance_id", "displayed_text", "hate:::Racist", "hate:::NotHate", "why:::text_box"), ("amy", "po-1", "A potato.", "1", "", "zqpt1"), ("bo", "po-1", "A potato.", "", "1", "zqpt2")),
        1, 2, *asked("--text-column displayed_text --id-column instance_id --annotator-column user --category-column hate:::Racist=Racist --category-column hate:::NotHate=NotHate --label-is seat"),
    ),
    "Prodigy, marked by hand": of(lines(PRODIGY_MARKS), 1, 1),
    "doccano, relations": of(
        lines({"id": 5, "text": "A bad word here.", "entities": [{"id": 1, "label": "Racist", "start_offset": 2, "end_offset": 5}], "relations": [{"id": 2, "from_id": 1, "to_id": 1, "type": "zqdr1"}], "Comments": ["zqdr2"]}),
        1, 1,
    ),
    "doccano, CSV of several labels": of(
        table(("id", "text", "label", "Comments"), ("dc-1", "A cell of labels.", "Racist", "zqds1"), ("dc-2", "A cell of none.", "", "")),
        2, 1, *asked("--label-column label --label-is seat"),
    ),
    "brat, a passage in two pieces": of(
        "zqbr1", 1, 1, raw=packed({"a.txt": "A bad and worse word.\n", "a.ann": "T1\tRacist 2 5;10 15\tbad worse\n#1\tAnnotatorNotes T1\tzqbr1\n"}),
    ),
    "INCEpTION, XMI": stopped(packed({"doc/amy.xmi": '<?xml version="1.0"?><xmi:XMI/>', "TypeSystem.xml": "<a/>"}), "XMI"),
    "LightTag, relations and suggestions": of(
        json.dumps({"examples": [{"example_id": "lg-1", "content": "A lit tag.", "annotations": [{"start": 2, "end": 5, "tag": "zqlg1", "annotated_by": [{"annotator": "zqlg2"}]}], "relations": [], "suggestions": []}], "schema": {"zqlg3": 1}}),
        1, 0, *asked("--text-column content --id-column example_id --keep-column annotations"), told=("schema (of the whole file)",), lost="zqlg3",
    ),
    "Labelbox": of(
        lines(LABELBOX), 1, 0, *asked("--format jsonl --text-column data_row.row_data --id-column data_row.external_id --keep-column projects"),
    ),
    "CVAT, XML": stopped('<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n</annotations>\n', "XML"),
    "SageMaker Ground Truth": of(lines(AWS), 1, 0, *asked("--text-column source --label-column hate --label-is gold")),
    "an annotator's file each": stopped(packed({"amy.csv": "id,text,label\n1,A post.,1\n", "bo.csv": "id,text,label\n1,A post.,0\n"}), "2 tables"),
    # ── Platforms ──
    "Reddit, an answer of its API": of(json.dumps(LISTING), 2),
    "Reddit, a dump of something else in zst": of(
        "zqzs1", 1, raw=pa.Codec("zstd").compress(b'{"id": "zs-1", "text": "A packed line.", "note": "zqzs1"}\n', asbytes=True),
    ),
    "X, a long post": of(json.dumps(X_LONG), 1, told=("context_annotations", "edit_history_tweet_ids"), lost="zqxn2"),
    "X, an archive of one's own": of(
        'window.YTD.tweets.part0 = [\n  {"tweet": {"id": "81", "id_str": "81", "full_text": "A post of mine.", "lang": "zqxa1", "created_at": "Wed May 01 10:00:00 +0000 2024"}}\n]\n', 1, 0, *asked("--text-column tweet.full_text"),
    ),
    "X, twarc's table of many columns": of(
        table(TWARC_HEAD, ["tw-1", "tw-1", "7", "2024", "A wide tweet.", "en", "zqtw1", 3, *[""] * 49, "zqtw2"]), 1,
    ),
    "Telegram, all chats": of(json.dumps(TELEGRAM_ALL), 2),
    "4chan, a catalog": of(json.dumps(CATALOG), 2),
    "Meta Content Library, breaks and lists": of(
        table(("id", "creation_time", "text", "lang", "multimedia", "surface.id", "post_owner.name"), ("mc-1", "2024", 'A post,\nwith "a break".', "en", '[{"id": "zqmc1"}]', "zqmc2", "zqmc3")), 1,
    ),
    "CrowdTangle": of(
        table(("Page Name", "Post Created", "Message", "Link Text", "Total Interactions"), ("zqcr1", "2024-05-01", "A message of a page.", "zqcr2", "1,234")), 1, 0, *asked("--text-column Message"),
    ),
    "YouTube, an answer of its API": of(json.dumps(YOUTUBE, indent=2), 1, 0, *asked("--text-column snippet.topLevelComment.snippet.textOriginal"), told=("pageInfo (of the whole file)",)),
    "TikTok, an answer of its API": of(json.dumps(TIKTOK), 1),
    "Discord, an export": of(json.dumps(DISCORD, indent=2), 2, 0, *asked("--text-column content"), lost="zqdc1 zqdc2", told=("channel (of the whole file)", "dateRange (of the whole file)", "guild (of the whole file)")),
    "Mastodon": of(json.dumps(MASTODON), 2, 0, *asked("--text-column content")),
    "Bluesky": of(lines(BLUESKY), 1, 0, *asked("--text-column record.text --id-column uri")),
    "WhatsApp": stopped("01/05/2024, 10:00 - Wren: A message of a chat.\n01/05/2024, 10:01 - Robin: Another, longer one.\n", "header line"),
    # ── Forms and surveys ──
    "Google Forms in Korean, two open questions": of(
        table(("타임스탬프", "이메일 주소", "게시글을 적어 주세요", "이유"), ("2024. 5. 1 오전 10:00:00", "a@example.org", "정원에 꽃이 피었다.", "zqgf1"), ("2024. 5. 1 오전 10:01:00", "b@example.org", "새 한 마리가 왔다.", "zqgf2")),
        2, 0, *asked("--text-column '게시글을 적어 주세요'"),
    ),
    "SurveyMonkey, a workbook": of(
        [["zqsw1", "zqsw2"]], 1, 0, *asked("--text-column Why?"),
        raw=workbook(SURVEY, (None, None, None, "The first", "The second", "Open-Ended Response"), (1, 2, "2024", "zqsw1", "zqsw2", "Because of a garden.")),
    ),
    "SPSS, semicolons and decimal commas": of(
        '"Fall";"Beitrag";"V1";"Gewicht"\nsp-1;"Ein Beitrag.";1;"0,75"\nsp-2;"Noch ein Beitrag.";2;"1,25"\n',
        2, 0, *asked("--text-column Beitrag --id-column Fall --label-column V1 --map 1=NotHate --map 2=Racist --label-is gold"),
    ),
    "SPSS, its own file": stopped(b"$FL2@(#) SPSS DATA FILE MS Windows 26.0" + bytes(200), "SPSS"),
    "Stata, its own file": stopped(b"<stata_dta><header><release>118</release>" + bytes(200), "Stata"),
    # ── Spreadsheets, encodings, shapes of text ──
    "Excel, title and empty row above the header": of(
        [["zqxt1"]], 1, 0, *asked("--header-line 4"),
        raw=workbook(("Posts", None, None), ("Made in May", None, None), (None, None, None), ("id", "text", "note"), ("xt-1", "A row below.", "zqxt1")),
    ),
    "Excel, its line about the delimiter": of("sep=;\r\nid;text;note\r\nse-1;A line, and more.;zqse1\r\n", 1),
    "a workbook that is a page of HTML": stopped("<html><body><table><tr><td>id</td><td>text</td></tr></table></body></html>", "web page"),
    "TSV with quotation marks in its texts": of('id\ttext\tnote\nq-1\t"Well" she said, and left.\tzqtq1\nq-2\tHe said "no" to it.\tzqtq2\n', 2, 0, *asked("--format tsv_plain")),
    "UTF-16 without its mark": of("zqum1", 1, 0, *asked("--encoding utf-16-le"), raw="id;text;note\r\num-1;정원에 새 꽃이 피었습니다, 모두가 보았다.;zqum1\r\n".encode("utf-16-le")),
    "line ends of old Macs": stopped("id,text\rm-1,A line.\rm-2,A second.\r", "LF"),
    "an empty name at the end of each row": of("id,text,note,\nem-1,A row with a comma more.,zqem1,\n", 1),
    "a post on each line": of("A first line of text, on its own.\nA second line: zqpl1.\n", 2, 0, *asked("--format tsv_plain --header-line 0 --text-column 'column 1'")),
    "CoNLL": stopped("A O\nbad B-HATE\nword I-HATE\n\nA O\nnext O\n", "header line"),
    # ── JSON ──
    "JSON two wrappers deep": of(json.dumps({"status": "ok", "result": {"total": 1, "items": [{"id": "jw-1", "text": "A wrapped row.", "note": "zqjw1"}]}}), 1),
    "Elasticsearch": of(json.dumps({"took": 3, "hits": {"total": {"value": 1}, "hits": [{"_index": "posts", "_id": "es-1", "_score": 1.0, "_source": {"text": "A hit of a search.", "note": "zqes1"}}]}}), 1, 0, *asked("--text-column _source.text --id-column _id")),
    "MongoDB": of(lines({"_id": {"$oid": "65f1"}, "text": "A document.", "at": {"$date": "zqmo1"}}), 1),
    "rows of the Hub's viewer": of(json.dumps(DATASET_ROWS), 2, 0, *asked("--text-column row.text"), told=("features (of the whole file)",)),
    "JSON objects one after another, indented": of(json.dumps({"id": "jo-1", "text": "A first."}, indent=1) + "\n" + json.dumps({"id": "jo-2", "text": "A second.", "note": "zqjo1"}, indent=1) + "\n", 2),
    "YAML": stopped("- id: 1\n  text: A post.\n- id: 2\n  text: Another.\n", "as a table"),
    # ── Binary tables ──
    "Feather, a list of choices with gaps": of(
        [["zqfe1"]], 2, 0, *asked("--label-column label --label-is gold"),
        raw=arrow(pa.table({"id": ["fe-1", "fe-2"], "text": ["A feather.", "Another feather."], "label": pa.array(["Racist", None]).dictionary_encode(), "note": ["zqfe1", None]}), stream=False),
    ),
    "Parquet, a struct with the text inside": of(
        [["zqps1"]], 1, 0, *asked("--text-column post.body --id-column post.id"),
        raw=parquet(pa.table({"post": [{"id": "ps-1", "body": "A post in a struct.", "lang": "zqps1"}]})),
    ),
    "Avro": stopped(b"Obj\x01\x04\x14avro.codec\x08null" + bytes(60), "Avro"),
    "captions of three kinds": of(
        "zqcp1 zqcp2", 2, raw=packed({"set/1.png": picture(9), "set/1.txt": "A caption, zqcp1.", "set/2.png": picture(90), "set/2.txt": "zqcp2 is another.", "set/.DS_Store": b"\0"}), told=("folder",),
    ),
}  # fmt: skip


def _tar_gz(content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        about = tarfile.TarInfo("posts.csv")
        about.size = len(content)
        archive.addfile(about, io.BytesIO(content))
    return out.getvalue()


SECOND: dict[str, Filed] = {
    "Dataturks": of(
        lines({"content": "A turk of data.", "annotation": {"labels": ["Racist"], "note": "zqdt1"}, "extras": None, "metadata": {"status": "zqdt2"}}),
        1, 1, *asked("--text-column content --label-column annotation.labels"),
    ),
    "Reddit, a thread with replies": of(
        json.dumps([
            {"kind": "Listing", "data": {"children": [{"kind": "t3", "data": {"id": "th1", "name": "t3_th1", "subreddit": "zqth1", "author": "wren", "created_utc": 1.7e9, "title": "A thread", "selftext": "begins."}}]}},
            {"kind": "Listing", "data": {"children": [
                {"kind": "t1", "data": {"id": "th2", "name": "t1_th2", "subreddit": "zqth1", "author": "robin", "created_utc": 1.7e9, "body": "A comment.", "replies": {"kind": "Listing", "data": {"children": [{"kind": "t1", "data": {"id": "th3", "name": "t1_th3", "subreddit": "zqth1", "author": "zqth2", "created_utc": 1.7e9, "body": "A reply.", "replies": ""}}]}}}},
                {"kind": "more", "data": {"count": 3, "children": ["x"]}},
            ]}},
        ]), 3,
    ),
    "Facebook, an answer of its API": of(
        json.dumps({"data": [{"id": "fb-1", "message": "A message of a page.", "from": {"name": "zqfb1"}, "created_time": "2024"}], "paging": {"next": "https://example.org"}}, indent=1),
        1, 0, *asked("--text-column message"), told=("paging (of the whole file)",),
    ),
    "Facebook, an archive of one's own": stopped(json.dumps([{"timestamp": 1714557600, "title": "Wren updated her status.", "data": [{"post": "A post of mine."}]}]), "Found"),
    "VK, an answer of its API": of(
        json.dumps({"response": {"count": 2, "items": [{"id": 41, "text": "A wall.", "from_id": "zqvk1"}, {"id": 42, "text": "Another wall.", "from_id": "zqvk2"}], "profiles": [{"id": 7, "first_name": "zqvk3"}], "groups": []}}),
        2, 0, told=("response.profiles (of the whole file)",), lost="zqvk3",
    ),
    "Weibo": of(lines({"mblog": {"id": "wb-1", "text": "花园里开了新的花。", "user": {"name": "zqwb1"}}, "ok": 1}, {"mblog": {"id": "wb-2", "text": "邻居们一起浇水。", "user": {"name": "zqwb2"}}, "ok": 1}), 2, 0, *asked("--text-column mblog.text --id-column mblog.id")),
    "a table without its texts": stopped(table(("file_id", "user_id", "subforum_id", "label"), ("a_1", 5, 2, "noHate"), ("a_2", 6, 2, "hate")), "no column for the text"),
    "LeWiDi, its labels by person": of(
        json.dumps({"le-1": {"text": "A post of two people.", "annotations": "1,0", "annotators": "Ann1,Ann2", "lang": "zqlw1", "soft_label": {"0": 0.5, "1": 0.5}}, "le-2": {"text": "A post of one.", "annotations": "0", "annotators": "Ann3", "lang": "zqlw2", "soft_label": {"0": 1.0, "1": 0.0}}}),
        2, 3, *asked("--text-column text --label-column annotations[] --annotator-column annotators[] --keep-column soft_label"),
    ),
    "Appen, aggregated": of(
        table(("_unit_id", "_golden", "_trusted_judgments", "hate", "hate:confidence", "text"), ("au-1", "false", 3, "Racist", "0.66", "A unit of three."), ("au-2", "false", 3, "NotHate", "1.0", "Another unit.")),
        2, 0, *asked("--id-column _unit_id --label-column hate --label-is gold --keep-column hate:confidence"),
    ),
    "Scale": of(
        json.dumps({"docs": [{"task_id": "sc-1", "type": "textcollection", "params": {"text": "A scaled text.", "title": "zqsc1"}, "response": {"annotations": {"hate": "Racist"}}}], "total": 1}),
        1, 0, *asked("--text-column params.text --id-column task_id --label-column response.annotations.hate --label-is gold"),
    ),
    "UTF-16, JSON lines": of("zqu81", 1, 0, *asked("--encoding utf-16"), raw='{"id": "u8-1", "text": "정원에 새 꽃이 피었습니다.", "note": "zqu81"}\n'.encode("utf-16")),
    "Parquet, raters in a list": of(
        [["zqpr1"]], 1, 2, *asked("--label-column ratings.label --annotator-column ratings.worker"),
        raw=parquet(pa.table({"id": ["pr-1"], "text": ["A list of raters."], "ratings": [[{"worker": "w1", "label": 1, "why": "zqpr1"}, {"worker": "w2", "label": 0, "why": None}]]})),
    ),
    "a tar in gzip": stopped(_tar_gz(b"id,text\n1,A post.\n"), "no items"),
    "a database's NULL": of(
        "id\ttext\tlabel\tnote\nnu-1\tA row with a label.\t1\tzqnu1\nnu-2\tA row without one.\t\\N\tzqnu2\n",
        2, 0, *asked("--label-column label --label-is gold --map '\\N=skip'"),
    ),
    "no header, the label first": of("1\tA bad line, zqnh1.\n0\tA good line, zqnh2.\n", 2, 0, *asked("--header-line 0 --text-column 'column 2' --label-column 'column 1' --label-is gold")),
    "fastText": stopped("__label__Racist A line of it.\n__label__NotHate Another line of it.\n", "format tsv_plain"),
    "scores of a model": of(lines({"id": "sm-1", "text": "A scored post.", "scores": {"hate": 0.7, "none": 0.3}, "model": "zqsm9"}), 1),
    "Bluesky, a feed": of(
        json.dumps({"feed": [{"post": {"uri": "bf-1", "author": {"handle": "zqbf1"}, "record": {"text": "A post of a feed."}}}, {"post": {"uri": "bf-2", "author": {"handle": "zqbf2"}, "record": {"text": "Another post of a feed."}}}], "cursor": "zqbf3"}),
        2, 0, *asked("--text-column post.record.text --id-column post.uri"),
    ),
    "Mastodon, an outbox": of(
        json.dumps({"@context": "https://www.w3.org/ns/activitystreams", "type": "OrderedCollection", "orderedItems": [{"type": "Create", "actor": "zqob1", "object": {"id": "ob-1", "content": "<p>A tooted post.</p>"}}]}),
        1, 0, *asked("--text-column object.content --id-column object.id"),
    ),
    "a list for each annotator": stopped(json.dumps({"amy": [{"id": 1, "text": "A post.", "label": 1}], "bo": [{"id": 1, "text": "A post.", "label": 0}]}), "several lists"),
    "CSV in zst": of("zqcz1", 1, raw=pa.Codec("zstd").compress(b"id,text,note\ncz-1,A packed table.,zqcz1\n", asbytes=True)),
    "names of annotators in an object, in a cell": of(
        table(("id", "text", "votes", "note"), ("oc-1", "A cell of names.", '{"amy": "Racist", "bo": "NotHate"}', "zqoc1")), 1, 2, *asked("--label-column votes.*"),
    ),
    "Potato, one label in a scheme": of(
        lines({"id": "pl-9", "text": "A scheme.", "label_annotations": {"hate": {"Racist": "1"}, "sure": {"scale_3": "3"}}, "user_id": "amy"}), 1, 1, *asked("--label-column hate"),
    ),
}  # fmt: skip


THIRD: dict[str, Filed] = {
    "Potato, a table with the option in the cell": of(
        table(("user", "instance_id", "displayed_text", "hate:::Racist", "hate:::NotHate", "why:::text_box"), ("amy", "pt-1", "A post in a pot.", "Racist", "", "zqpt1"), ("bo", "pt-1", "A post in a pot.", "", "NotHate", ""), mark="\t"),
        1, 2, *asked("--text-column displayed_text --id-column instance_id --annotator-column user --label-is seat --category-column hate:::Racist=Racist --category-column hate:::NotHate=NotHate"),
    ),
    "soft labels in an object": of(
        json.dumps({"code": 0, "data": {"items": [{"mid": "so-1", "content": "A soft post.", "soft_label": {"zqsl1": 0.75, "zqsl2": 0.25}}]}}), 1, 0,
        *asked("--text-column content --id-column mid --keep-column soft_label"),
    ),
    "soft labels, nobody said what becomes of them": stopped(lines({"id": "so-2", "text": "A soft post.", "soft_label": {"a": 0.75, "b": 0.25}}), "no label of a person"),
    "Labelbox, the text named alone": stopped(lines({**LABELBOX, "projects": {}}, LABELBOX), "'projects' looks like labels", "--text-column", "data_row.row_data"),
    "a DatasetDict as JSON": of(
        json.dumps({"features": {"text": {"dtype": "string"}}, "train": {"id": ["dd-1", "dd-2"], "text": ["One part.", "The same part."], "votes": [{"who": ["amy", "bo"], "label": [1, 0]}, {"who": [], "label": []}]}, "test": {"id": ["dd-3"], "text": ["Another part."], "votes": [{"who": ["zqdd1"], "label": [0]}]}}),
        3, 3, *asked("--label-column votes.label --annotator-column votes.who"), told=("features (of the whole file)",), lost="zqdd1",
    ),
    "a column for each category, a post that nobody has coded": stopped(
        table(("id", "text", "insult", "threat", "none"), ("on-1", "A first post.", 1, 0, 0), ("on-2", "A second post.", 0, 0, 1), ("on-3", "A third post.", "", "", "")), "hold 0 and 1",
    ),
    "votes in columns with numbers, Japanese": stopped("投稿番号\t本文\t判定1\t判定2\n1\t新しい庭です。\t好意的\t攻撃的\n", "'判定2' looks like labels", "--text-column", "本文"),
    "Mechanical Turk, the text under another usual name": of(
        table(("HITId", "Title", "WorkerId", "AssignmentStatus", "Input.post_id", "Input.post_text", "Answer.label"), ("h1", "Read posts", "w1", "Approved", "zqmk1", "A post of a batch.", "Racist")), 1, 1,
    ),
    "Prodigy, few sources": of(
        lines(*({"text": f"Post {number}.", "_input_hash": number, "accept": ["Racist"], "answer": "accept", "_annotator_id": "amy", "meta": {"source": "zqpf1"[: 4 + number % 2]}} for number in range(40))), 40, 40,
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read packed files in this process: another one takes most of the time."""
    monkeypatch.setattr(archives, "ReaderProcess", lambda table, reading, watch: open_reader(table, reading))


def read(project: Project, file: Filed, *, bare: bool = False) -> tuple[str, tuple[Any, ...]]:
    """Return the sentences that stop a file, and what it holds: posts, labels, and columns that are told."""
    options = ImportOptions() if bare else options_of(file)
    try:
        report = import_file(project, io.BytesIO(file.content), options, dry_run=bare)
    except Unreadable as fault:
        return fault.error.reason, ()
    unread = {column["name"] for column in report.columns if column["rows"] and not column["became"]}
    return " ".join({error.reason for error in report.errors}), (report.items, report.labels, unread)


def wrong_in(project: Project, file: Filed) -> str:
    """Return what is otherwise than was expected of a file. Returns "" for nothing."""
    wanted = (file.posts, file.labels, {*file.told})
    said, found = read(project, file, bare=True)
    if not said and (file.stops or found != wanted):
        return f"read unasked: {found}"
    said, found = read(project, file)
    if file.stops:
        return "" if said and file.stops in said else f"says: {said or found}"
    return said or ("" if found == wanted else f"found: {found}")


@pytest.mark.parametrize("files", [FILES, SECOND, THIRD], ids=["first", "second", "third"])
def test_what_comes_in_is_as_expected_and_comes_out(files: dict[str, Filed], tmp_path: Path) -> None:
    project = make_project("garden")
    wrong = {name: fault for name, file in files.items() if (fault := wrong_in(project, file))}
    words = frozenset().union(*(file.words for name, file in files.items() if name not in wrong))
    decided = {"stage": Stage.GOLD, "category": Category.objects.get(project=project, code=0), "hateful": False}
    now = timezone.now()
    undecided = Item.objects.exclude(stage=Stage.GOLD)
    undecided.update(**decided, category_source=Source.IMPORTED, gold_at=now, closed_at=now)
    formats = ("csv", "csv_plain", "parquet", "label_studio")
    command = ("release", "garden", "--out", str(tmp_path / "out"), "--people", "--formats", *formats)
    call_command(*command, stdout=io.StringIO())
    written = [path for name in RELEASED for path in (tmp_path / "out").glob(name)]
    assert {path.name: sorted(words - released(path)) for path in written} == {path.name: [] for path in written}
    assert wrong == {}


def test_a_column_called_labels_that_is_none_of_ours_has_its_buttons() -> None:
    content = FILES["HarMeme, labels as words of two questions"].content
    report = import_file(make_project("garden"), io.BytesIO(content), ImportOptions(), dry_run=True)
    assert report.as_json()["bad_columns"] == ["labels"]


@pytest.mark.parametrize("name", ["Bluesky", "Parquet, a struct with the text inside", "rows of the Hub's viewer"])
def test_the_page_offers_a_text_inside_an_object(name: str) -> None:
    project, content = make_project("garden"), (FILES | SECOND)[name].content
    first = import_file(project, io.BytesIO(content), ImportOptions(), dry_run=True).first_rows
    form = MappingForm(first, ImportOptions())
    answers = {field: form[field].initial for field in form.fields}
    assert [column.name for column in form.columns if column.field.initial == "text"] == first["likely"][:1] != []
    told = MappingForm(first, ImportOptions(), answers)
    assert told.is_valid() and import_file(project, io.BytesIO(content), told.options()).stored
