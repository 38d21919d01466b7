"""Pictures that look the same: a fingerprint that survives re-encoding and scaling, and the search for near ones.

The fingerprint is a difference hash of 128 bits (64 across, 64 down): each bit says whether one of 9 by 9 grey cells is
clearly brighter than its neighbour. Re-encoding, scaling and small changes of tone change only a few bits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO

import numpy as np
from PIL import Image

BITS = 128
NEAR = 10
"""The maximum number of different bits, of 128, between pictures that look the same."""
_CLEARLY = 3  # of 255: encoder noise must not change the bits of flat areas
_BANDS = NEAR + 1  # two fingerprints that differ in at most NEAR bits have one of these bands in common


def likeness(content: bytes) -> str:
    """Return the fingerprint in hex. Raises OSError for bytes that are no picture."""
    with Image.open(BytesIO(content), formats=("PNG", "JPEG", "WEBP", "GIF")) as picture:
        picture.draft("L", (64, 64))  # decodes a JPEG directly at a small size
        grey = picture.convert("RGBA") if "A" in picture.getbands() or picture.mode == "P" else picture.convert("RGB")
        ground = Image.new("RGB", grey.size, "white")
        ground.paste(grey, mask=grey.getchannel("A") if grey.mode == "RGBA" else None)
        cells = np.asarray(ground.convert("L").resize((9, 9), Image.Resampling.BOX), dtype=np.int16)
    across = cells[:8, 1:] - cells[:8, :-1] > _CLEARLY
    down = cells[1:, :8] - cells[:-1, :8] > _CLEARLY
    return np.packbits(np.concatenate([across.ravel(), down.ravel()])).tobytes().hex()


def telling(fingerprint: str) -> bool:
    """Return whether a fingerprint distinguishes pictures: an even surface looks like every other one."""
    return int(fingerprint, 16).bit_count() >= 8


def near_pairs(fingerprints: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of fingerprints that differ in at most NEAR bits.

    A fingerprint equal to an earlier one is paired only with the first of its equals. The result is exact: two near
    fingerprints agree in one of eleven bands, and all that do are compared.
    """
    first: dict[str, int] = {}
    for place, fingerprint in enumerate(fingerprints):
        if (twin := first.setdefault(fingerprint, place)) != place:
            yield twin, place
    places = np.array(list(first.values()), dtype=np.int64)
    if len(places) < 2:
        return
    bits = np.unpackbits(
        np.frombuffer(bytes.fromhex("".join(fingerprints[place] for place in places)), dtype=np.uint8).reshape(-1, 16),
        axis=1,
    )
    edges = np.linspace(0, BITS, _BANDS + 1).astype(int)
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        bands = bits[:, low:high] @ (1 << np.arange(high - low, dtype=np.int64))
        alike: dict[int, list[int]] = defaultdict(list)
        for row, band in enumerate(bands.tolist()):
            alike[band].append(row)
        for rows in alike.values():
            for at, row in enumerate(rows[:-1]):
                others = np.array(rows[at + 1 :])
                apart = (bits[others] != bits[row]).sum(axis=1)
                yield from ((int(places[row]), int(places[other])) for other in others[apart <= NEAR])
