"""Attention over 8,192 words by blocks beside the plain way, and beside PyTorch's kernel for CPUs where installed.

    python tests/benchmarks/blockwise.py            # about a minute
    python tests/benchmarks/blockwise.py --n 4096 --rounds 5

Prints the table and writes blockwise.json beside this file. d = 64, float32; memory beyond inputs and output. Each run
has a process of its own; the ways take turns, and of all rounds the least time and the least memory count. Memory is
what numpy reports to tracemalloc; for PyTorch, which does not, how much larger the process became at its peak.
Exit code 1 where blocks need more than 1/16 of the plain way's memory or more than 1.2 times its time.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from tqdm import tqdm

from attention_lib.growing import best_of, extra_memory, plain_attention, random_inputs
from attention_lib.measuring import ONE_THREAD
from attention_lib.online import blockwise_attention

HERE = Path(__file__).parent
RESULT = HERE / "blockwise.json"
MEMORY, TIME = 1 / 16, 1.2  # what the blocks may take of the plain way's


def formula(Q, K, V):
    """The plain way as one would first write it, a new array for each step."""
    scaled = Q @ K.T / np.float32(np.sqrt(Q.shape[1]))
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ V


def torch_kernel(Q, K, V):
    import torch

    Q, K, V = (torch.from_numpy(a)[None, None] for a in (Q, K, V))
    with torch.inference_mode():
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V)[0, 0].numpy()


WAYS = {"plain, in place": plain_attention, "plain, as the formula": formula, "blockwise": blockwise_attention,
        "PyTorch, CPU kernel": torch_kernel}


def peak() -> int:
    """The most memory this process has had, in bytes."""
    if sys.platform == "win32":
        import psutil

        return psutil.Process().memory_info().peak_wset
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def one(way: str, n: int) -> dict:
    """Time, memory and the output's first row of one way, in this process."""
    attend, inputs = WAYS[way], random_inputs(n)
    attend(*random_inputs(256))  # what is slow the first time
    before = peak()
    output = attend(*inputs)
    grown = max(peak() - before - output.nbytes, 0)
    traced = grown if way.startswith("PyTorch") else extra_memory(attend, *inputs)
    return {"seconds": best_of(0, attend, *inputs), "memory": traced, "process": grown,
            "row": output[0, :4].astype(float).tolist()}


def measured(n: int, rounds: int, threads: dict) -> dict:
    """The least of all rounds, by way."""
    ways = [way for way in WAYS if not way.startswith("PyTorch") or importlib.util.find_spec("torch")]
    found = {}
    for _, way in tqdm([(r, way) for r in range(rounds) for way in ways], unit="run"):
        printed = subprocess.run([sys.executable, __file__, "--one", way, "--n", str(n)], check=True, text=True,
                                 env=os.environ | threads, stdout=subprocess.PIPE).stdout
        run = json.loads(printed)
        best = found.setdefault(way, run)
        assert np.allclose(run["row"], found[ways[0]]["row"], rtol=0, atol=1e-5), way
        found[way] = {key: min(best[key], run[key]) if key != "row" else run["row"] for key in run}
    return {way: {key: value for key, value in run.items() if key != "row"} for way, run in found.items()}


def table(result: dict):
    """Lines of a Markdown table; ratios are to the plain way in place, the better of the two."""
    yield (f"| n = {result['n']:,}, d = 64, float32 | extra memory (MiB) | of plain | time (s) | of plain "
           "| on one core (s) | of plain |")
    yield "|---|---:|---:|---:|---:|---:|---:|"
    plain = [result[threads]["plain, in place"] for threads in ("all cores", "one core")]
    for way, run in result["all cores"].items():
        single = result["one core"][way]
        cells = (f"{run['memory'] / 2**20:.1f}", f"{run['memory'] / plain[0]['memory']:.4f}",
                 f"{run['seconds']:.2f}", f"{run['seconds'] / plain[0]['seconds']:.2f}",
                 f"{single['seconds']:.2f}", f"{single['seconds'] / plain[1]['seconds']:.2f}")
        yield f"| {way} | {' | '.join(cells)} |"


def bars(result: dict):
    """Each promise: whether it is kept, what it says, and what was measured."""
    blocks, plain = (result["all cores"][way] for way in ("blockwise", "plain, in place"))
    memory, time = (blocks[key] / plain[key] for key in ("memory", "seconds"))
    yield memory <= MEMORY, "extra memory at most 1/16 of the plain way's", f"1/{1 / memory:.0f}"
    yield time <= TIME, "time at most 1.2 times the plain way's", f"{time:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.one, options.n)))
        return 0
    result = {"n": options.n, "rounds": options.rounds}
    for name, threads in (("all cores", {}), ("one core", ONE_THREAD)):
        result[name] = measured(options.n, options.rounds, threads)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(*table(result), sep="\n")
    held = True
    for holds, sentence, found in bars(result):
        print(f"{'met   ' if holds else 'MISSED'} {sentence}: {found}")
        held &= holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
