"""The modules of the panels, as they reach the page: what all share stands before each of them."""

import subprocess

import pytest
from playwright._impl._driver import compute_driver_executable

from attention_lib.widgets.base import HERE, front_end

NODE = compute_driver_executable()[0]
OWN = sorted(path.name for path in HERE.glob("*.js") if "export default" in path.read_text(encoding="utf-8"))


def complaint(module, folder):
    file = folder / "module.mjs"
    file.write_text(module, encoding="utf-8")
    return subprocess.run([NODE, "--check", file], capture_output=True, encoding="utf-8", check=False).stderr


@pytest.mark.parametrize("name", OWN)
def test_it_is_a_module(name, tmp_path):
    """A name that stands in the shared part too makes it none, and the panel nothing but an error."""
    module = front_end(name)
    assert complaint(module, tmp_path) == ""
    assert "has already been declared" in complaint(module + "\nfunction make() {}\n", tmp_path)
