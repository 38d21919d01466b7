"""Pictures that look the same: a fingerprint that survives re-encoding and scaling, and who is near to whom.

The fingerprint is a difference hash of 128 bits (64 across, 64 down): whether each of 9 by 9 grey cells is clearly
brighter than its neighbour. Re-encoding, scaling and small changes of tone leave all but a few bits as they are.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO

import numpy as np
from PIL import Image

BITS = 128
NEAR = 10
"""Bits of 128 in which two pictures that look the same may differ."""
_CLEARLY = 3  # of 255: flat areas must not turn with the noise of an encoder
_BANDS = NEAR + 1  # two that differ in no more than NEAR bits agree in one of so many bands


def likeness(content: bytes) -> str:
    """The fingerprint in hex. Raises OSError for bytes that are no picture."""
    with Image.open(BytesIO(content), formats=("PNG", "JPEG", "WEBP", "GIF")) as picture:
        picture.draft("L", (64, 64))  # a JPEG is decoded small at once
        grey = picture.convert("RGBA") if "A" in picture.getbands() or picture.mode == "P" else picture.convert("RGB")
        ground = Image.new("RGB", grey.size, "white")
        ground.paste(grey, mask=grey.getchannel("A") if grey.mode == "RGBA" else None)
        cells = np.asarray(ground.convert("L").resize((9, 9), Image.Resampling.BOX), dtype=np.int16)
    across = cells[:8, 1:] - cells[:8, :-1] > _CLEARLY
    down = cells[1:, :8] - cells[:-1, :8] > _CLEARLY
    return np.packbits(np.concatenate([across.ravel(), down.ravel()])).tobytes().hex()


def telling(fingerprint: str) -> bool:
    """Whether a fingerprint tells pictures apart: an even surface looks like every other one."""
    return int(fingerprint, 16).bit_count() >= 8


def near_pairs(fingerprints: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The places of fingerprints that differ in at most NEAR bits; equal ones are chained, not paired with all.

    Exact: two such fingerprints agree in one of eleven bands, and only those that do are compared.
    """
    first: dict[str, int] = {}
    for place, each in enumerate(fingerprints):
        if (twin := first.setdefault(each, place)) != place:
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
