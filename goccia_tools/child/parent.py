"""die_with_parent: the kernel ends this process when the one that started it is gone."""

from __future__ import annotations

import sys
from posix import _exit, getppid

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


def die_with_parent(parent_pid: int) -> bool:
    """Ask for SIGKILL at the parent's end; ends the process at once if ``parent_pid`` is not its parent any more.

    False where the platform cannot do it (only Linux can). The kernel acts on the end of the *thread* that started
    this process; the launcher's is the one that waits for it, so the two ends are the same.
    """
    if sys.platform != "linux":
        return False
    # the engine's binding needs this module anyway, and ctypes takes ten times as long to import
    import _cffi_backend as c

    word = c.new_primitive_type("unsigned long")
    number = c.new_primitive_type("int")
    signature = c.new_function_type((number, word, word, word, word), number, False)
    prctl = c.load_library(None, 0).load_function(signature, "prctl")
    armed = prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0) == 0
    if getppid() != parent_pid:
        _exit(1)
    return bool(armed)
