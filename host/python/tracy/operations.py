"""Operations that a program launches on a device."""

import json
import subprocess
import threading

from . import _tracy
from .report import find_tendril


class operation:
    """`with operation("matmul", attributes={"transpose": False}) as op:` is a zone of the calling thread, and sends the
    messages that tt-metal's programs send. `op.id` is the number that a launch gives to the device. `inputs` and
    `outputs` are lists of tensors, `more` are further members of the description; all must be fit for JSON."""

    def __init__(self, name, device=0, attributes=None, inputs=None, outputs=None, **more):
        texts = [None if value is None else json.dumps(value) for value in (attributes, inputs, outputs)]
        self.arguments = (name, device, *texts, json.dumps(more)[1:-1] if more else None)
        self.id = 0
        self.zone = None

    def __enter__(self):
        self.id, self.zone = _tracy.op_begin(*self.arguments)
        return self

    def __exit__(self, *exception):
        _tracy.op_end(self.id, self.zone)


class on_op:
    """Calls `callback(op)` for each operation of a recording, as it ends. `op` is a dict: device, id, name, cores,
    start_ns, fw_ns, kernel_ns, wait_ns, latency_ns ... The recording is a `tendril record --serve PORT`; one that is not
    there yet is waited for. The calls come from a thread of their own, until the recording ends, stop(), or an exception,
    which join() raises."""

    def __init__(self, callback, port=8086, host="127.0.0.1", tendril=None):
        self._callback = callback
        self._error = None
        self._process = subprocess.Popen([tendril or find_tendril(None), "report", "--follow", f"{host}:{port}", "--json"],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._run, name="tracy.on_op", daemon=True)
        self._thread.start()

    def _run(self):
        with self._process.stdout as lines:
            try:
                for line in lines:
                    self._callback(json.loads(line))
            except Exception as error:
                self._error = error
                self._process.terminate()
        self._process.wait()

    def join(self, timeout=None):
        """Waits for the end of the recording. False: it has not ended in this time."""
        self._thread.join(timeout)
        if self._error:
            raise self._error
        return not self._thread.is_alive()

    def stop(self):
        """No calls come any more."""
        self._process.terminate()
        return self.join()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
