"""The pictures of an experiment, with matplotlib's Figure alone: no pyplot, no figure that stays behind.

Names are imported when first asked for, and matplotlib with them.
"""

from importlib import import_module
from pathlib import Path

from ..experiment import Experiment

_HOME = {"Arrows": "arrows", "Bars": "bars", "GrowthPicture": "growth", "HeadMaps": "head_maps", "Heatmap": "heatmap",
         "Picture": "picture", "PositionMap": "position_map", "Triangle": "triangle"}
__all__ = ["HEATMAP_FILE", "save_heatmap", *_HOME]

HEATMAP_FILE = "fig_ai_attention.png"


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module("..style", __name__)  # before matplotlib, see there
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def save_heatmap(experiment: Experiment, folder: str | Path = "figures") -> Path:
    """Write the heat map of the weights to ``folder``/fig_ai_attention.png and give its path.

    975 × 825 pixels: 6.5 × 5.5 inches at 150 dpi. The folder is made if it is missing.
    """
    path = Path(folder) / HEATMAP_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    __getattr__("Heatmap")(experiment).save(path)
    return path
