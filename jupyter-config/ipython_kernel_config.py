# Kernels of this environment say which cell to run first when a name is missing; see attention_lib/unready.py.
c.InteractiveShellApp.extensions = ["attention_lib.unready"]  # noqa: F821
