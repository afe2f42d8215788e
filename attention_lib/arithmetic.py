"""The arithmetic behind one cell of whatever there is to explain: :func:`explain` with all its ways."""

from . import explain_block, explain_heads, explain_order, moments  # noqa: F401  (each registers its own way)
from .explain import explain

__all__ = ["explain"]
