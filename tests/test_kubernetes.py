"""A class on Kubernetes: the settings, the hook at a server's start, and how many nodes."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "classroom" / "kubernetes"
spec = importlib.util.spec_from_file_location("kubernetes_size", FOLDER / "size.py")
size = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(size)


@pytest.fixture(scope="module")
def values():
    return yaml.safe_load((FOLDER / "values.yaml").read_text(encoding="utf-8"))


def paths(tree, at=""):
    for key, value in tree.items():
        yield f"{at}{key}"
        if isinstance(value, dict):
            yield from paths(value, f"{at}{key}.")


def test_nobody_enters_as_it_is_and_no_secret_stands_in_it(values):
    assert values["hub"]["config"]["Authenticator"] == {"allow_all": False}
    assert not [path for path in paths(values) if re.search(r"(?i)secret|password|token|key$|admin|allowed", path)]


def test_the_first_lesson_opens_out_of_the_students_own_copy(values):
    single = values["singleuser"]
    assert single["storage"]["homeMountPath"] == "/home/jovyan"
    path = single["defaultUrl"].removeprefix("/lab/tree/attention/")
    assert (ROOT / path).is_file()
    assert (ROOT / path.replace("/en/", "/zh/")).is_file()
    dockerfile = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    assert "--uid 1000 jovyan" in dockerfile  # the user that the chart runs it as
    assert dockerfile.rstrip().endswith('CMD ["jupyterhub-singleuser"]')
    for name in re.findall(r"-[rc] (\S+\.txt)", dockerfile):
        assert (ROOT / name).is_file()


@pytest.mark.skipif(os.name == "nt", reason="the hook runs in a container")
@pytest.mark.parametrize("code", [0, 1])
def test_a_server_starts_whether_or_not_the_hand_out_can_be_reached(values, tmp_path, code):
    puller = tmp_path / "gitpuller"
    puller.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/told"\nexit {code}\n', encoding="utf-8")
    puller.chmod(0o755)
    single = values["singleuser"]
    done = subprocess.run(single["lifecycleHooks"]["postStart"]["exec"]["command"], capture_output=True, check=False,
                          env=single["extraEnv"] | {"HOME": str(tmp_path), "PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.returncode == 0
    assert (tmp_path / "told").read_text(encoding="utf-8").splitlines() == [
        single["extraEnv"]["ATTENTION_REPOSITORY"], "main", f"{tmp_path}/attention"]
    assert (b"not updated" in done.stderr) is (code == 1)


def test_guarantees_are_at_most_the_limits_and_come_from_the_figures(values):
    figures = size.figures()
    memory = values["singleuser"]["memory"]
    assert memory["limit"] == "1G"
    megabytes = int(memory["guarantee"].removesuffix("M"))
    assert figures.memory_most_mb <= megabytes < figures.memory_most_mb + 10
    assert megabytes < 1024
    assert figures.cores / figures.students <= values["singleuser"]["cpu"]["guarantee"] <= 0.011 + (
        figures.cores / figures.students)
    assert (FOLDER / "values.yaml").read_text(encoding="utf-8") == size.values(figures)


def test_nodes_by_hand():
    # 28 GiB / 300 MB = 95.57; 7.5 cores / 0.07 = 107.1; 100 pods. So 95 on a node.
    figures = size.Figures(students=30, cores=2, memory_most_mb=300)
    assert figures.cpu == 0.07
    assert size.Node().students(figures) == 95
    assert [size.size(n, figures).nodes for n in (1, 95, 96, 100, 1_000, 10_000)] == [2, 2, 3, 3, 12, 107]
    assert [size.size(n, figures).hubs for n in (1, 2_000, 2_001, 10_000)] == [1, 1, 2, 5]
    # 225.3 MB become 230: 124 by memory, and the pods decide; 0.5 cores each: 15 by cores.
    assert size.Node().students(size.Figures(30, 2, 225.3)) == 100
    assert size.Node().students(size.Figures(4, 2, 225.3)) == 15
    with pytest.raises(ValueError, match="at least 1, not 0"):
        size.size(0, figures)


def test_a_run_of_the_load_test_is_what_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(size, "RESULT", tmp_path / "result.json")
    assert not size.figures().measured
    size.RESULT.write_text(json.dumps({"students": 20, "cores": 4, "memory_most_mb": 211.5, "errors": []}),
                           encoding="utf-8")
    assert size.figures() == size.Figures(20, 4, 211.5, measured=True)
    assert "20 students on 4 cores" in size.table("en", size.figures())
    assert "memory:\n    guarantee: 220M\n" in size.values(size.figures())


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_shows_what_the_script_computes(language):
    text = (ROOT / "docs" / f"kubernetes.{language}.md").read_text(encoding="utf-8")
    assert text == size.page(language, size.figures())
    assert f"{size.HUB_STUDENTS:,}" in text
    rows = [re.findall(r"[\d,]+", line) for line in text.splitlines() if line.startswith("| 1")]
    assert [[int(cell.replace(",", "")) for cell in row] for row in rows] == [
        [one.students, one.hubs, one.nodes, one.hubs, one.storage_gib]
        for one in (size.size(n, size.figures()) for n in size.SIZES)]
