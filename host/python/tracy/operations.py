"""Operations that a program launches on a device."""

import json

from . import _tracy


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
