"""In virtual time two runs of one program give identical files."""
import os

from kit import example, expect, folder, info, record


def main():
    with folder() as directory:
        traces = []
        for i in range(2):
            trace = os.path.join(directory, f"{i}.tracy")
            record(trace, [example("matmul"), "64", "2"], "--clock", "insn")
            with open(trace, "rb") as f:
                traces.append(f.read())
        expect(info(trace)["zones"] > 500, "the trace is not empty")
        expect(traces[0] == traces[1], "two runs in virtual time differ")
        print(f"{len(traces[0])} identical bytes")


main()
