"""What the commands that make papers have in common: standard library only, like all that reads what was typed."""

PAPERS = ("a4", "letter")


class Refused(ValueError):
    """What was typed, or what stands in a file, cannot be used; its text says why, and what to do."""
