"""The pictures of an experiment, with matplotlib's Figure alone: no pyplot, no figure that stays behind."""

from pathlib import Path

from .. import style  # before matplotlib, see there
from ..experiment import Experiment
from .arrows import Arrows
from .bars import Bars
from .head_maps import HeadMaps
from .heatmap import Heatmap
from .picture import Picture
from .position_map import PositionMap
from .triangle import Triangle

__all__ = ["HEATMAP_FILE", "Arrows", "Bars", "HeadMaps", "Heatmap", "Picture", "PositionMap", "Triangle",
           "save_heatmap", "style"]

HEATMAP_FILE = "fig_ai_attention.png"


def save_heatmap(experiment: Experiment, folder: str | Path = "figures") -> Path:
    """Write the heat map of the weights to ``folder``/fig_ai_attention.png and give its path.

    975 × 825 pixels: 6.5 × 5.5 inches at 150 dpi. The folder is made if it is missing.
    """
    path = Path(folder) / HEATMAP_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    Heatmap(experiment).save(path)
    return path
