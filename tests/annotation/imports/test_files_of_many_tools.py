"""Files as tools, crowds and people write them today: what stands in one comes out of a release, or it is told.

Each value that must not be lost holds a word of its own (`zq…`). One test imports all files and looks for all words.
"""

import bz2
import gzip
import io
import json
import lzma
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.domain.choices import Source, Stage
from annotation.domain.formats.detect import open_reader
from annotation.imports.files import archives
from annotation.imports.run import import_file
from annotation.models import Category, Item
from builders import make_project
from written_files import (
    RELEASED,
    Filed,
    arrow,
    kept,
    lines,
    of,
    options_of,
    packed,
    parquet,
    released,
    table,
    workbook,
)

pytestmark = [pytest.mark.django_db, pytest.mark.once]


def with_features(rows: pa.Table, features: dict[str, Any]) -> pa.Table:
    about = json.dumps({"info": {"features": features}})
    return rows.replace_schema_metadata({"huggingface": about})


CLASSES = {
    "label": {"names": ["NotHate", "Racist", "Sexist"], "_type": "ClassLabel"},
    "text": {"dtype": "string", "_type": "Value"},
}
SAVED = {
    part: with_features(
        pa.table({"text": [f"{part} one.", f"{part} two."], "label": [1, 0], "topic": [f"zq{part}1", f"zq{part}2"]}),
        CLASSES,
    )
    for part in ("train", "test", "alone")
}
ABOUT_SAVED = {
    "dataset_info.json": '{"builder_name": "csv"}',
    "state.json": '{"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}',
}
GOLD = ("--label-is", "gold")
SEAT = ("--label-is", "seat")

LS_RESULT = {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["Racist"]}}
LS_TASK = {
    "id": 7,
    "annotations": [
        {
            "id": 31,
            "completed_by": {"id": 5, "email": "a@example.org"},
            "result": [
                LS_RESULT,
                {"from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": ["zqls1"]}},
                {"from_name": "stars", "to_name": "text", "type": "rating", "value": {"rating": 4}},
                {
                    "from_name": "topic",
                    "to_name": "text",
                    "type": "taxonomy",
                    "value": {"taxonomy": [["zqls2", "zqls3"]]},
                },
            ],
            "was_cancelled": False,
            "ground_truth": True,
            "created_at": "2024-05-01T10:00:00.000000Z",
            "updated_at": "2024-05-01T10:00:09.000000Z",
            "lead_time": 9.5,
            "unique_id": "zqls4",
            "last_action": None,
        },
        {
            "id": 32,
            "completed_by": 6,
            "result": [{**LS_RESULT, "value": {"choices": ["NotHate"]}}],
            "lead_time": 3.0,
            "was_cancelled": False,
            "created_at": "2024-05-02T10:00:00Z",
        },
    ],
    "predictions": [
        {
            "model_version": "m1",
            "score": 0.7,
            "result": [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["Sexist"]}}],
        }
    ],
    "data": {"text": "A post from a studio.", "url": "zqls5", "author": {"name": "zqls6"}},
    "meta": {"source_file": "zqls7"},
    "inner_id": 1,
    "total_annotations": 2,
    "project": 3,
    "file_upload": "x.json",
}
LS_CSV_HEAD = (
    "annotation_id",
    "annotator",
    "comment",
    "created_at",
    "id",
    "label",
    "lead_time",
    "post_url",
    "text",
    "updated_at",
)
LS_CSV = (
    LS_CSV_HEAD,
    (11, 3, "zqlc1", "2024-05-01T10:00:00Z", 1, "Racist", 4.25, "zqlc2", "One from a studio.", "2024-05-01T11:00:00Z"),
    (12, 4, "zqlc3", "2024-05-02T10:00:00Z", 1, "NotHate", 2.5, "zqlc2", "One from a studio.", "2024-05-02T11:00:00Z"),
    (13, 3, "zqlc4", "2024-05-03T10:00:00Z", 2, "", 1.5, "zqlc5", "Two from a studio.", "2024-05-03T11:00:00Z"),
)

CAS_TEXT = "ab bad word"
CAS = {
    "%TYPES": {},
    "%FEATURE_STRUCTURES": [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": CAS_TEXT},
        {
            "%ID": 2,
            "%TYPE": "webanno.custom.Hate",
            "@sofa": 1,
            "begin": 3,
            "end": 6,
            "value": "Racist",
            "target": "zqcas1",
        },
        {
            "%ID": 3,
            "%TYPE": "webanno.custom.Link",
            "@sofa": 1,
            "begin": 3,
            "end": 6,
            "@Governor": 2,
            "@Dependent": 2,
            "kind": "zqcas2",
        },
        {"%ID": 4, "%TYPE": "webanno.custom.Doc", "@sofa": 1, "tone": "zqcas3"},
    ],
    "%VIEWS": {},
}
WEBANNO = "\n".join(
    (
        "#FORMAT=WebAnno TSV 3.3",
        "#T_SP=webanno.custom.Hate|label|target",
        "#T_RL=webanno.custom.Link|kind|BT_webanno.custom.Hate",
        "",
        "",
        f"#Text={CAS_TEXT}",
        "1-1\t0-2\tab\t_\t_\t_\t_\t",
        "1-2\t3-6\tbad\tRacist\tzqwa1\tzqwa2\t1-2\t",
        "1-3\t7-11\tword\t_\t_\t_\t_\t",
        "",
    )
)

KOREAN = "정원에 새 꽃이 피었습니다. 이웃들이 함께 물을 주었고 아이들은 나비를 보았다."
JAPANESE = "庭に新しい花が咲きました。近所の人たちが水をやり、子どもたちは蝶を見ていました。"
CHINESE = "花园里开了新的花。邻居们一起浇水，孩子们看到了蝴蝶，这是我们的生活。"
GERMAN = "Im Garten blühen neue Blumen. Die Nachbarn gießen sie, und die Kinder hören Vögel – schön."

RICH = pa.table(
    {
        "id": ["pq1", "pq2"],
        "text": ["One of many types.", "Two of many types."],
        "tags": pa.array([["zqpa1", "zqpa2"], []]),
        "author": pa.array([{"name": "zqpa3", "followers": 12}, None]),
        "price": pa.array([Decimal("12.50"), None]),
        "at": pa.array([datetime(2024, 5, 1, 10, 30), None]),
        "day": pa.array([date(2024, 5, 1), None]),
        "clock": pa.array([time(10, 30), None]),
        "platform": pa.array(["zqpa4", "zqpa5"]).dictionary_encode(),
        "score": pa.array([0.25, None]),
        "seen": pa.array([True, None]),
        "map": pa.array([[("k", "zqpa6")], None], pa.map_(pa.string(), pa.string())),
        "raw": pa.array([b"\x00\x01", None]),
    }
)


def in_encoding(text: str, encoding: str, *command: str, labels: int = 0) -> Filed:
    return of(text, 1, labels, "--encoding", encoding, *command, raw=text.encode(encoding))


FILES: dict[str, Filed] = {
    # ── Tools ──
    "Label Studio 1.13, JSON": of(
        json.dumps([LS_TASK]),
        1,
        2,
        lost="zqls4",
        told=(
            "annotation.ground_truth",
            "annotation.id",
            "annotation.unique_id",
            "annotation.updated_at",
            "prediction.label",
            "task.file_upload",
            "task.inner_id",
            "task.project",
            "task.total_annotations",
        ),
    ),
    "Label Studio, JSON-MIN of two people": of(
        json.dumps(
            [
                {
                    "id": 4,
                    "text": "A short form.",
                    "annotation_id": 1,
                    "annotator": 3,
                    "label": "Racist",
                    "tone": "zqlm1",
                    "created_at": "2024-05-01T10:00:00Z",
                    "updated_at": "2024-05-01T10:00:00Z",
                    "lead_time": 3.5,
                },
                {
                    "id": 4,
                    "text": "A short form.",
                    "annotation_id": 2,
                    "annotator": 4,
                    "label": "NotHate",
                    "tone": "zqlm2",
                    "created_at": "2024-05-01T10:00:00Z",
                    "updated_at": "2024-05-01T10:00:00Z",
                    "lead_time": 3.5,
                },
            ]
        ),
        1,
        2,
        told=("annotation_id", "updated_at"),
    ),
    "Label Studio, CSV": of(
        table(*LS_CSV), 2, 2, told=("annotation_id", "annotator", "created_at", "lead_time", "updated_at")
    ),
    "Label Studio, TSV": of(
        table(
            LS_CSV_HEAD,
            (21, 3, "zqlt8", "2024-05-01T10:00:00Z", 8, "Racist", 4.25, "zqlt9", "Eight.", "2024-05-01T11:00:00Z"),
            mark="\t",
        ),
        1,
        1,
        told=("annotation_id", "updated_at"),
    ),
    "Argilla 2, JSON": of(
        json.dumps(
            [
                {
                    "id": "ar-1",
                    "status": "completed",
                    "_server_id": "zqar1",
                    "fields": {"text": "A record.", "context": "zqar2"},
                    "metadata": {"origin": "zqar3"},
                    "suggestions": {"label": {"value": "Racist", "score": 0.9, "agent": "zqar4"}},
                    "responses": {
                        "label": [
                            {"value": "Racist", "user_id": "u1", "status": "submitted"},
                            {"value": "NotHate", "user_id": "u2", "status": "submitted"},
                        ],
                        "why": [{"value": "zqar5", "user_id": "u1", "status": "submitted"}],
                    },
                    "vectors": {},
                    "inserted_at": "2024-05-01T10:00:00",
                    "updated_at": "2024-05-01T10:00:00",
                }
            ]
        ),
        1,
        2,
        "--label-column",
        "label",
        "--keep-column",
        "label.suggestion",
        lost="zqar1",
    ),
    "Prodigy textcat": of(
        lines(
            {
                "text": "A stream.",
                "meta": {"source": "zqpr1"},
                "_input_hash": 11,
                "_task_hash": 21,
                "label": "Racist",
                "answer": "accept",
                "_timestamp": 1714557600,
                "_annotator_id": "textcat-amy",
                "_session_id": "textcat-amy",
                "_view_id": "classification",
            },
            {
                "text": "A stream.",
                "meta": {"source": "zqpr1"},
                "_input_hash": 11,
                "_task_hash": 21,
                "label": "Racist",
                "answer": "accept",
                "_timestamp": 1714557601,
                "_annotator_id": "textcat-ben",
                "_session_id": "textcat-ben",
                "_view_id": "classification",
            },
        ),
        1,
        2,
    ),
    "Potato 2": of(
        lines(
            {
                "id": "po-1",
                "displayed_text": "A potato.",
                "label_annotations": {"hate": {"Racist": "true"}, "why": {"text_box": "zqpo2"}},
                "span_annotations": [],
                "behavioral_data": {"time": "zqpo1"},
                "user_id": "zoe",
            }
        ),
        1,
        1,
        "--label-column",
        "hate",
    ),
    "doccano 1.8, text classification": of(
        lines({"id": 3, "text": "A line of doccano.", "label": ["Racist"], "Comments": ["zqdo1"], "origin": "zqdo2"}),
        1,
        1,
        "--label-column",
        "label",
        *SEAT,
    ),
    "doccano, approved by somebody": of(
        lines({"id": 5, "text": "A line of it.", "label": ["NotHate"], "Comments": [], "annotation_approver": "zqdo3"}),
        1,
        1,
        "--label-column",
        "label",
        *SEAT,
    ),
    "brat with notes and attributes": of(
        "zqbr1",
        1,
        1,
        raw=packed(
            {
                "b/one.txt": "ab bad word",
                "b/one.ann": "T1\tRacist 3 6\tbad\nA1\tNegation T1\n#1\tAnnotatorNotes T1\tzqbr1\n",
            }
        ),
    ),
    "INCEpTION, CAS JSON of several layers": of(
        json.dumps(CAS), 1, 1, lost="zqcas1 zqcas2 zqcas3", told=("Doc", "Hate.target", "Link")
    ),
    "INCEpTION, WebAnno TSV of several features": of(
        WEBANNO, 1, 1, lost="zqwa1 zqwa2", told=("Hate.target", "Link.BT_webanno.custom.Hate", "Link.kind")
    ),
    "LightTag": of(
        json.dumps(
            {
                "name": "zqlt1",
                "examples": [
                    {
                        "example_id": "lt-1",
                        "content": "A tagged text.",
                        "metadata": {"n": "zqlt2"},
                        "classifications": [{"classname": "zqlt3", "annotated_by": ["amy"]}],
                        "annotations": [],
                    },
                    {
                        "example_id": "lt-2",
                        "content": "Another one.",
                        "metadata": {},
                        "classifications": [],
                        "annotations": [],
                    },
                ],
            }
        ),
        2,
        0,
        "--format",
        "jsonl",
        "--text-column",
        "content",
        "--id-column",
        "example_id",
        *kept("annotations", "classifications"),
    ),
    # ── Crowds ──
    "Toloka": of(
        table(
            (
                "INPUT:id",
                "INPUT:text",
                "OUTPUT:label",
                "ASSIGNMENT:worker_id",
                "ASSIGNMENT:status",
                "ASSIGNMENT:started",
            ),
            ("to-1", "A pool.", "Racist", "w1", "APPROVED", "zqto1"),
            ("to-1", "A pool.", "NotHate", "w2", "APPROVED", "zqto2"),
            mark="\t",
        ),
        1,
        2,
        "--text-column",
        "INPUT:text",
        "--id-column",
        "INPUT:id",
        "--label-column",
        "OUTPUT:label",
        "--annotator-column",
        "ASSIGNMENT:worker_id",
        *SEAT,
    ),
    "Appen, full report": of(
        table(
            (
                "_unit_id",
                "_created_at",
                "_id",
                "_started_at",
                "_tainted",
                "_channel",
                "_trust",
                "_worker_id",
                "_country",
                "hate",
                "hate_gold",
                "text",
            ),
            ("ap-1", "2024", "1", "2024", "false", "zqap1", "0.9", "w1", "zqap2", "Racist", "", "A unit."),
            ("ap-1", "2024", "2", "2024", "false", "zqap3", "0.8", "w2", "zqap4", "NotHate", "", "A unit."),
        ),
        1,
        2,
        "--id-column",
        "_unit_id",
        "--label-column",
        "hate",
        "--annotator-column",
        "_worker_id",
        *SEAT,
    ),
    "Mechanical Turk": of(
        table(
            (
                "HITId",
                "HITTypeId",
                "Title",
                "AssignmentId",
                "WorkerId",
                "AssignmentStatus",
                "AcceptTime",
                "SubmitTime",
                "WorkTimeInSeconds",
                "Input.text",
                "Input.url",
                "Answer.label",
                "Answer.comment",
            ),
            (
                "H-1",
                "T",
                "zqmt1",
                "A1",
                "W1",
                "Approved",
                "Thu Oct 09 07:30:00 PDT 2025",
                "Thu Oct 09 07:30:20 PDT 2025",
                "20",
                "A hit.",
                "zqmt2",
                "Racist",
                "zqmt3",
            ),
        ),
        1,
        1,
        "--label-column",
        "label",
        lost="zqmt1",
    ),
    "Prolific with answers": of(
        table(
            ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "id", "text", "label", "Sex"),
            ("p1", "zqpl1", "zqpl2", "pl-1", "A study.", "1", "zqpl3"),
            ("p2", "zqpl1", "zqpl4", "pl-1", "A study.", "0", "zqpl5"),
        ),
        1,
        2,
    ),
    "SurveyMonkey, two rows of header": of(
        table(
            ("Respondent ID", "Collector ID", "Is this hateful?", ""),
            ("", "", "Response", "Other"),
            ("1", "zqsm1", "Yes", "zqsm2"),
        ),
        1,
        0,
        "--text-column",
        "Is this hateful?",
    ),
    "Qualtrics": of(
        table(
            ("StartDate", "ResponseId", "Q1", "Q2"),
            ("Start Date", "Response ID", "What is said?", "Who says it?"),
            ('{"ImportId":"startDate"}', '{"ImportId":"_recordId"}', '{"ImportId":"QID1"}', '{"ImportId":"QID2"}'),
            ("2024-05-01", "qu-1", "An answer.", "zqqu1"),
        ),
        1,
        0,
        "--text-column",
        "Q1",
        "--id-column",
        "ResponseId",
    ),
    # ── Spreadsheets ──
    "Google Sheets, a merged title": of(
        table(("Posts of May", "", ""), ("id", "text", "note"), ("gs-1", "A sheet.", "zqgs1")),
        1,
        0,
        "--header-line",
        "2",
    ),
    "Excel, a merged title": of(
        [["zqxm1"]],
        1,
        0,
        "--header-line",
        "2",
        raw=workbook(
            ("Posts of May", None, None), ("id", "text", "note"), ("xm-1", "A merged book.", "zqxm1"), merged="A1:C1"
        ),
    ),
    "Excel with dates, booleans, times, numbers": of(
        [["zqxl1"]],
        1,
        0,
        raw=workbook(
            ("id", "text", "day", "at", "seen", "clock", "score", "note"),
            ("xl-1", "A book.", date(2024, 5, 1), datetime(2024, 5, 1, 10, 30), True, time(10, 30), 0.25, "zqxl1"),
        ),
    ),
    # ── Encodings and separators ──
    "UTF-16 with tabs": in_encoding(f"id\ttext\tnote\r\nu16-1\t{KOREAN}\tzqen1\r\n", "utf-16"),
    "Shift-JIS, Japanese headers": in_encoding(
        f"番号,本文,備考\r\nsj-1,{JAPANESE},zqen2\r\n", "cp932", "--text-column", "本文", "--id-column", "番号"
    ),
    "GB18030, Chinese headers": in_encoding(
        f"编号;文本;备注\r\ngb-1;{CHINESE};zqen3\r\n", "gb18030", "--text-column", "文本", "--id-column", "编号"
    ),
    "CP949, an annotator in each column": in_encoding(
        f"번호,문장,평가자1,평가자2,비고\r\nkr-1,{KOREAN},1,0,zqen4\r\n",
        "cp949",
        "--text-column",
        "문장",
        "--id-column",
        "번호",
        "--label-column",
        "평가자1",
        "--label-column",
        "평가자2",
        labels=2,
    ),
    "CP1252 with semicolons, German headers": in_encoding(
        f"Nr;Kommentar;Anmerkung\r\nde-1;{GERMAN};zqen5\r\n",
        "cp1252",
        "--text-column",
        "Kommentar",
        "--id-column",
        "Nr",
    ),
    "pipes": of("id|text|note\npi-1|A pipe, and more.|zqen6\n", 1),
    # ── Packed ──
    "CSV in gzip": of(
        "id,text,note\ngz-1,A packed one.,zqgz1\n", 1, raw=gzip.compress(b"id,text,note\ngz-1,A packed one.,zqgz1\n")
    ),
    "TSV in bzip2": of(
        "id\ttext\tnote\nbz-1\tA packed two.\tzqgz2\n",
        1,
        raw=bz2.compress(b"id\ttext\tnote\nbz-1\tA packed two.\tzqgz2\n"),
    ),
    "JSON lines in xz": of(
        lines({"id": "xz-1", "text": "A packed three.", "note": "zqgz3"}),
        1,
        raw=lzma.compress(lines({"id": "xz-1", "text": "A packed three.", "note": "zqgz3"}).encode()),
    ),
    "Parquet in gzip": of(
        "zqgz4",
        1,
        raw=gzip.compress(parquet(pa.table({"id": ["pz-1"], "text": ["A packed four."], "note": ["zqgz4"]}))),
    ),
    # ── Hugging Face ──
    "datasets, save_to_disk": of(
        "zqalone1 zqalone2",
        2,
        0,
        "--label-column",
        "label",
        *GOLD,
        raw=packed(
            {
                "set/data-00000-of-00001.arrow": arrow(SAVED.pop("alone")),
                **{f"set/{name}": content for name, content in ABOUT_SAVED.items()},
            }
        ),
    ),
    "datasets, save_to_disk of a dict": of(
        "zqtest1 zqtest2 zqtrain1 zqtrain2",
        4,
        0,
        "--label-column",
        "label",
        *GOLD,
        raw=packed(
            {
                "set/dataset_dict.json": '{"splits": ["train", "test"]}',
                **{f"set/{part}/data-00000-of-00001.arrow": arrow(rows) for part, rows in SAVED.items()},
                **{f"set/{part}/{name}": content for part in SAVED for name, content in ABOUT_SAVED.items()},
            }
        ),
    ),
    "datasets, a shard of Arrow alone": of(
        "zqar9", 1, raw=arrow(pa.table({"id": ["as-1"], "text": ["A stream of Arrow."], "note": ["zqar9"]}))
    ),
    "the Hub, Parquet in pieces": of(
        "zqhub1 zqhub2",
        2,
        raw=packed(
            {
                "data/train-00000-of-00001.parquet": parquet(
                    pa.table({"id": ["hu-1"], "text": ["A piece."], "note": ["zqhub1"]})
                ),
                "data/test-00000-of-00001.parquet": parquet(
                    pa.table({"id": ["hu-2"], "text": ["Another piece."], "note": ["zqhub2"]})
                ),
                "README.md": "# About",
            }
        ),
    ),
    "Parquet with types of all kinds": of(
        repr([value for name in RICH.column_names for value in RICH[name].to_pylist()]),
        2,
        0,
        "--leave-out",
        "raw",
        told=("raw",),
        raw=parquet(RICH),
    ),
    # ── Shapes of labels ──
    "JSON lines with raters inside": of(
        lines(
            {
                "id": "nr-1",
                "text": "A nest.",
                "ratings": [{"rater": "r1", "score": 1, "why": "zqnr1"}, {"rater": "r2", "score": 0, "why": "zqnr2"}],
            }
        ),
        1,
        2,
        "--label-column",
        "ratings.score",
        "--annotator-column",
        "ratings.rater",
    ),
    "Jigsaw with counts and shares": of(
        table(
            (
                "id",
                "comment_text",
                "toxicity",
                "severe_toxicity",
                "identity_attack",
                "created_date",
                "rating",
                "toxicity_annotator_count",
            ),
            ("ji-1", "A comment.", "0.83", "0.1", "0.0", "zqji1", "rejected", "10"),
        ),
        1,
        0,
        "--text-column",
        "comment_text",
        *kept("toxicity", "severe_toxicity", "identity_attack", "rating", "toxicity_annotator_count"),
    ),
    "soft labels": of(
        lines(
            {
                "id": "so-1",
                "text": "A soft one.",
                "soft_label": {"0": 0.4, "1": 0.6},
                "annotators": "zqso1,zqso2",
                "lang": "zqso3",
            }
        ),
        1,
        0,
        *kept("soft_label", "annotators"),
    ),
    "LeWiDi, by id with annotations": of(
        json.dumps(
            {
                "le-1": {
                    "text": "A post of it.",
                    "task": "zqle1",
                    "number of annotations": 2,
                    "annotations": "1,0",
                    "annotators": "Ann1,Ann2",
                    "lang": "zqle2",
                    "hard_label": "1",
                    "soft_label": {"0": 0.5, "1": 0.5},
                    "split": "zqle3",
                    "other_info": {"age": "zqle4"},
                }
            }
        ),
        1,
        0,
        "--text-column",
        "text",
        *kept("annotations", "annotators", "hard_label", "soft_label"),
    ),
    "labels of 0 and 1, several": of(
        table(
            ("id", "text", "racist", "sexist", "origin"),
            ("ml-1", "A one.", 1, 0, "zqml1"),
            ("ml-2", "A none.", 0, 0, "zqml2"),
        ),
        2,
        0,
        "--category-column",
        "racist",
        "--category-column",
        "sexist",
        "--none-is",
        "NotHate",
        *GOLD,
    ),
    "wide, Chinese headers": of(
        table(("编号", "内容", "标注员甲", "标注员乙", "来源"), ("zh-1", CHINESE + "二", 1, 0, "zqwi1")),
        1,
        2,
        "--text-column",
        "内容",
        "--id-column",
        "编号",
        "--label-column",
        "标注员甲",
        "--label-column",
        "标注员乙",
    ),
    "wide, Japanese headers": of(
        table(("id", "投稿", "評価者A", "評価者B", "出典"), ("ja-1", JAPANESE + "二", "Racist", "NotHate", "zqwi2")),
        1,
        2,
        "--text-column",
        "投稿",
        "--label-column",
        "評価者A",
        "--label-column",
        "評価者B",
    ),
    "wide, German headers": of(
        table(("id", "Text", "Prüfer 1", "Prüfer 2", "Quelle"), ("dw-1", "Ein Satz.", "Racist", "NotHate", "zqwi3")),
        1,
        2,
        "--label-column",
        "Prüfer 1",
        "--label-column",
        "Prüfer 2",
    ),
    "long, with an answer for each person": of(
        table(
            ("id", "text", "rater", "label", "confidence", "age"),
            ("lo-1", "A long one.", "r1", 1, "zqlo1", "zqlo2"),
            ("lo-1", "A long one.", "r2", 0, "zqlo3", "zqlo4"),
            ("lo-2", "A next one.", "r1", 0, "zqlo5", "zqlo2"),
        ),
        2,
        3,
        "--label-column",
        "label",
        "--annotator-column",
        "rater",
        *SEAT,
    ),
}


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read packed files in this process: another one takes most of the time."""
    monkeypatch.setattr(archives, "ReaderProcess", lambda table, reading, watch: open_reader(table, reading))


def test_what_comes_in_is_told_and_comes_out_of_each_format_of_a_release(tmp_path: Path) -> None:
    project, words = make_project("garden"), set[str]()
    for name, file in FILES.items():
        report = import_file(project, io.BytesIO(file.content), options_of(file))
        unread = {column["name"] for column in report.columns if column["rows"] and not column["became"]}
        assert (report.errors, report.items, report.labels, unread) == ([], file.posts, file.labels, {*file.told}), name
        words |= file.words
    decided = {"stage": Stage.GOLD, "category": Category.objects.get(project=project, code=0), "hateful": False}
    now = timezone.now()
    Item.objects.exclude(stage=Stage.GOLD).update(
        **decided, category_source=Source.IMPORTED, gold_at=now, closed_at=now
    )
    formats = ("csv", "csv_plain", "parquet", "label_studio")
    call_command(
        "release", "garden", "--out", str(tmp_path / "out"), "--people", "--formats", *formats, stdout=io.StringIO()
    )
    files = [path for name in RELEASED for path in (tmp_path / "out").glob(name)]
    assert {path.name: sorted(words - released(path)) for path in files} == {path.name: [] for path in files}
    assert len(files) == len(RELEASED) and len(FILES) >= 40
