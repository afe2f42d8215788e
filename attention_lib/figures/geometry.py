"""Plane geometry for the pictures: where labels go, how far axes reach, the hull of points. numpy only."""

import numpy as np

_AROUND = np.deg2rad([0, 40, -40, 80, -80, 120, -120, 160, -160])


def place(points, sizes, away, gap: float, bounds, obstacles=()) -> np.ndarray:
    """Centres for labels beside ``points`` so that they cover neither each other nor what is drawn.

    points (n, 2); sizes (n, 2): widths and heights; away (n, 2): where each label would like to lie, seen from its
    point; gap: the free space between; bounds (left, bottom, right, top); obstacles (m, 2): more points to leave
    free. All in one unit. Each label takes the best of nine directions at four distances, in the order given; one
    for which there is no room beside the labels before it gets NaN.
    """
    points, sizes, bounds = np.asarray(points, float), np.asarray(sizes, float), np.asarray(bounds, float)
    obstacles = np.reshape(obstacles, (-1, 2))
    taken, centres = np.empty((0, 4)), np.empty_like(points)
    for i, (point, size) in enumerate(zip(points, sizes, strict=True)):
        angles = np.arctan2(away[i][1], away[i][0]) + _AROUND
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        # as far as the box needs in that direction to clear the point
        reach = 1 / np.max(np.abs(directions) / (size / 2 + gap), axis=1, keepdims=True)
        candidates = np.concatenate([point + directions * reach * far for far in (1, 1.6, 2.4, 3.4)])
        candidates = np.clip(candidates, bounds[:2] + size / 2, bounds[2:] - size / 2)
        boxes = np.hstack([candidates - size / 2, candidates + size / 2])
        hidden = _overlaps(boxes, taken)
        cost = 0.1 * np.arange(len(boxes)) + 1000 * hidden
        cost += 3 * _inside(boxes, points, gap / 2) + 0.5 * _inside(boxes, obstacles, 0)
        best = int(np.argmin(cost))
        centres[i] = np.nan if hidden[best] else candidates[best]
        if not hidden[best]:
            taken = np.vstack([taken, boxes[best]])
    return centres


def _overlaps(boxes, others):
    a, b = boxes[:, None], others[None]
    return ((a[..., :2] < b[..., 2:]) & (b[..., :2] < a[..., 2:])).all(axis=-1).sum(axis=1)


def _inside(boxes, points, margin):
    a, p = boxes[:, None], points[None]
    return ((a[..., :2] - margin < p) & (p < a[..., 2:] + margin)).all(axis=-1).sum(axis=1)


def along(starts, ends, steps: int = 7) -> np.ndarray:
    """Points on the lines from ``starts`` to ``ends``, for :func:`place` to leave free."""
    t = np.linspace(0.1, 1, steps)[:, None, None]
    return (np.asarray(starts) + t * (np.asarray(ends) - np.asarray(starts))).reshape(-1, 2)


def hull(points) -> np.ndarray:
    """The corners of the convex hull of ``points`` (n, 2), counter-clockwise: Andrew's monotone chain, 1979.

    Points on a line, but for rounding, have two corners; equal points have one.
    """
    points = np.asarray(points, float)
    flat = 1e-12 * max(1.0, np.ptp(points)) ** 2
    ordered = sorted(set(map(tuple, points)))
    if len(ordered) < 3:
        return np.array(ordered)
    return np.array(_chain(ordered, flat)[:-1] + _chain(reversed(ordered), flat)[:-1])


def _chain(points, flat):
    chain = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= flat:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a, b, c):
    """Above 0 where a → b → c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def round_up(x: float) -> float:
    """The next of … 1, 2, 5, 10, 20, 50 … not below ``x`` > 0: an axis that ends there seldom moves."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(next(step * power for step in (1, 2, 5, 10) if x <= step * power * (1 + 1e-9)))


def reach(values, least: float = 1.0) -> tuple[float, float]:
    """Round ends of an axis that shows 0 and all of ``values``; at least ``least`` upwards."""
    low, high = float(np.min(values, initial=0)), float(np.max(values, initial=0))
    return -round_up(-low) if low < 0 else 0.0, round_up(max(high, least))


def outside(corners, points, tolerance: float = 1e-9) -> np.ndarray:
    """Which of ``points`` (m, 2) lie outside the convex polygon ``corners`` (k, 2), as :func:`hull` gives them."""
    corners, points = np.asarray(corners, float), np.asarray(points, float)
    size = max(1.0, np.abs(corners).max())
    if len(corners) < 3:
        start, step = corners[0], corners[-1] - corners[0]
        along_it = np.clip((points - start) @ step / max(step @ step, 1e-300), 0, 1)
        return np.linalg.norm(points - start - along_it[:, None] * step, axis=1) > tolerance * size
    steps = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(steps, axis=1)
    gaps = points[:, None] - corners
    inward = (steps[:, 0] * gaps[..., 1] - steps[:, 1] * gaps[..., 0]) / lengths
    return (inward < -tolerance * size).any(axis=1)
