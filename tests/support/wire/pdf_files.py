"""PDF files for tests, written by hand: pages of text, columns, and pages that are pictures of text."""

import zlib
from collections.abc import Sequence

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
Drawn = tuple[str, str]
"""What a page draws, and its resources."""


def pdf(*pages: str) -> bytes:
    """Return a PDF file of these pages, a line of text each."""
    return _file([_written(_line(72, 720, text)) for text in pages])


def pdf_in_columns(left: Sequence[str], right: Sequence[str], *, by_row: bool, moves: str = "") -> bytes:
    """Return one page with two columns; `by_row` draws a line of each in turn, otherwise one column is drawn first.

    With `moves`, Td or Tm, all lines stand in one text object, and this operator moves between them.
    """
    columns = [[_line(x, 720 - 16 * row, text) for row, text in enumerate(column)]
               for x, column in ((72, left), (330, right))]  # fmt: skip
    if by_row:
        lines = [line for row in zip(*columns, strict=True) for line in row]
    else:
        lines = [line for column in columns for line in column]
    return _file([_written(_in_one_object(lines, moves) if moves else " ".join(lines))])


def coded_pdf(*pages: str) -> bytes:
    """Return a PDF whose font draws glyphs by number and does not say which characters they are."""
    shown = [f"BT /F1 12 Tf 72 720 Td <{text.encode('utf-16-be').hex()}> Tj ET" for text in pages]
    descendant = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Gothic /CIDSystemInfo << /Registry (Adobe)"
    descendant += " /Ordering (Identity) /Supplement 0 >> >>"
    font = "<< /Type /Font /Subtype /Type0 /BaseFont /Gothic /Encoding /Identity-H"
    return _file([(drawn, f"/Font << /F1 {font} /DescendantFonts [{descendant}] >> >>") for drawn in shown])


def _in_one_object(lines: Sequence[str], moves: str) -> str:
    """Return the lines in one text object, each reached by a move from the one before or by a place of its own."""
    drawn, before = ["BT /F1 12 Tf"], (0, 0)
    for line in lines:
        place, shown = line.removeprefix("BT /F1 12 Tf ").removesuffix(" ET").split(" Td ", 1)
        x, y = map(int, place.split())
        drawn.append(f"{x - before[0]} {y - before[1]} Td" if moves == "Td" else f"1 0 0 1 {x} {y} Tm")
        drawn.append(shown)
        before = (x, y)
    return " ".join([*drawn, "ET"])


def scanned_pdf(pages: int = 2, words: str = "") -> bytes:
    """Return a PDF whose pages hold a picture each, and perhaps a line of words."""
    drawn = "q 500 0 0 700 50 50 cm /P1 Do Q " + (_line(72, 20, words) if words else "")
    return _file([(drawn, "/XObject << /P1 {picture} 0 R >> /Font << /F1 3 0 R >>")] * pages)


def _line(x: int, y: int, text: str) -> str:
    plain = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F1 12 Tf {x} {y} Td ({plain}) Tj ET"


def _written(drawn: str) -> Drawn:
    return drawn, "/Font << /F1 3 0 R >>"


def _file(pages: Sequence[Drawn]) -> bytes:
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    pixels = zlib.compress(b"\x80" * 64)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        FONT.encode(),
        b"<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8"
        b" /Filter /FlateDecode /Length %d >>\nstream\n%b\nendstream" % (len(pixels), pixels),
    ]
    for number, (drawn, resources) in enumerate(pages):
        content = drawn.encode("cp1252")
        named = resources.replace("{picture}", "4")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * number} 0 R"
            f" /Resources << {named} >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, written in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return bytes(out) + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()
