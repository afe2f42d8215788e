"""Attention with your own hands: the module behind the notebooks.

Names are imported when first asked for, so that ``import attention_lib`` is quick
and matplotlib is only loaded when a figure is first drawn.
"""

from importlib import import_module

_HOME = {
    "softmax": "maths", "attention": "maths", "self_attention": "maths", "causal_mask": "maths", "Steps": "maths",
    "padding_mask": "masks", "mask_before_softmax": "masks", "mask_after_softmax": "masks",
    "Experiment": "experiment", "EXAMPLES": "examples", "FAULTS": "faults",
    "start": "begin",
    "edit": "widgets.edit", "show": "widgets.matrices",
    "classroom": "widgets.classroom",
    "heatmap": "widgets.live_figure", "arrows": "widgets.live_figure", "triangle": "widgets.live_figure",
    "bars": "widgets.live_figure", "save_heatmap": "figures",
    "rows": "widgets.layout", "columns": "widgets.layout",
    "predict": "widgets.predict", "predictions_summary": "widgets.summary",
    "check": "checks", "hint": "checks", "solution": "checks",
    "controls": "widgets.controls", "presets": "widgets.presets", "temperature": "widgets.temperature",
    "mask_switches": "widgets.mask_switches", "mask_lab": "widgets.mask_lab",
    "before_or_after": "widgets.before_or_after",
    "split_heads": "heads", "merge_heads": "heads", "multi_head_attention": "heads", "MultiHead": "multi_head",
    "sinusoidal_positions": "positions", "rotary": "positions", "WordOrder": "word_order",
    "head_switches": "widgets.head_switches", "head_maps": "widgets.live_figure", "order_lab": "widgets.word_order",
    "position_map": "widgets.live_figure",
    "plain_attention": "growing", "extra_memory": "growing", "fitted_exponent": "growing",
    "random_inputs": "growing", "blockwise_attention": "online", "one_pass": "online", "KeyValueCache": "cache",
    "growth_lab": "widgets.growth", "decoding": "widgets.decoding", "one_pass_softmax": "widgets.one_pass",
    "layer_norm": "block", "feed_forward": "block", "transformer_block": "block", "BlockWeights": "block",
    "Parts": "block", "WholeBlock": "whole_block", "block_flow": "widgets.block_flow",
    "block_stack": "widgets.block_stack",
    "scaling_lab": "widgets.scaling_lab", "share": "widgets.share", "playground": "widgets.playground",
    "find_student": "tasks", "copy_previous": "tasks", "train": "learning", "Learner": "learning",
    "backward": "gradients", "squared_error": "gradients", "training": "widgets.training",
    "projector": "widgets.projector", "projector_button": "widgets.projector",
    "experiment_code": "state", "from_code": "state", "save_state": "state", "open_state": "state",
}
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__():
    return __all__
