"""Sends what tt-metal's runtime sends about an operation, and a signpost."""
import sys

import tracy
from tracy import signpost


def compile_program():
    with tracy.zone("CompileProgram"):
        sum(range(1000))


signpost("Run number 5", "after warmup")
with tracy.zone("TT_DNN_DEVICE_OP_matmul") as op:
    tracy.message('`TT_DNN_DEVICE_OP: "matmul", 17, 0, 9216 ->\n{"op_code": "matmul", "global_call_count": 9216}`')
    compile_program()
    op.text("id:9216")
for count in (1, 2):
    with tracy.operation("softmax", attributes={"axis": count}, inputs=[], kind="kept") as second:
        print(second.id)
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
