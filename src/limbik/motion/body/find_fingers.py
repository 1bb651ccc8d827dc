"""Finds fingers, eyes and the jaw of a humanoid, by the labels of their names (`names`)."""

from __future__ import annotations

from limbik.motion.body.names import Label
from limbik.motion.body.roles import FINGERS, SIDES
from limbik.motion.body.skeleton import LinkSkeleton

_COUNTED = tuple(FINGERS)


def find_small_parts(
    skeleton: LinkSkeleton, named: dict[str, Label], frames: dict[str, str]
) -> dict[str, str]:
    """Role and link of fingers, eyes and jaw, which are below the hands and the head."""
    roles: dict[str, str] = {}
    for side in SIDES:
        if hand := frames.get(f"{side}Hand"):
            fingers = _fingers(skeleton, hand, named)
            for finger, links in fingers.items():
                roles.update(
                    (f"{side}{finger}{bone}", link)
                    for bone, link in zip(FINGERS[finger], links, strict=False)
                )
    head = skeleton.below(frames["head"])[1:] if "head" in frames else []
    for link in head:
        label = named.get(link)
        if label and label.part == "eye" and label.side:
            roles.setdefault(f"{label.side}Eye", link)
        elif label and label.part == "jaw":
            roles.setdefault("jaw", link)
    return roles


def _fingers(skeleton: LinkSkeleton, hand: str, named: dict[str, Label]) -> dict[str, list[str]]:
    """The links of each finger below a hand, from the palm to the tip."""
    below = [(link, named[link]) for link in skeleton.below(hand)[1:] if link in named]
    is_counted_from_0 = any(label.part == "finger" and label.digits.startswith("0") for _, label in below)
    has_thumb = any(label.part == "Thumb" for _, label in below)
    first = ("0" if is_counted_from_0 else "1", 1 if has_thumb and not is_counted_from_0 else 0)
    fingers: dict[str, list[str]] = {}
    for link, label in below:
        finger = _counted(label.digits, *first) if label.part == "finger" else label.part
        if finger not in FINGERS or label.bone in ("tip", "end"):
            continue
        if label.bone == "metacarpal" and finger != "Thumb":
            continue
        line = fingers.setdefault(finger, [])
        if not line or line[-1] in skeleton.line(link):
            line.append(link)
    return fingers


def _counted(digits: str, first: str, offset: int) -> str | None:
    """The finger of "finger2-1" or "Finger21": the first digit counts fingers."""
    if not digits:
        return None
    number = ord(digits[0]) - ord(first) + offset
    return _COUNTED[number] if 0 <= number < len(_COUNTED) else None
