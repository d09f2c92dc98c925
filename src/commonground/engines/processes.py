"""What every process of a pool of ours does first."""

from __future__ import annotations

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """Ends this process when the one that started it is gone, however that ended.

    A killed parent cannot tell its pool, and the pool's processes hold both ends of the queue that
    they wait at: without this they would wait for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        # Not ``sys.exit``, which in a thread ends that thread alone.
        os._exit(1)

    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()
