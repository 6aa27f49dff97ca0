"""A kernel that was linked for lanes of another size or place is refused when it is loaded, in one line."""
import os

from kit import BUILD, expect, folder, info, record, run

PROGRAM = os.path.join(BUILD, "tests", "e2e", "launch")
SIMULATOR = os.path.join(BUILD, "bin", "tensix_sim")
KERNEL = os.path.join(BUILD, "tests", "kernels", "e2e_open.elf")
BOARDS = {"ring_slots=64": "rings of 256 slots, not 64", "ring_slots=512": "rings of 256 slots, not 512",
          "lane_base=0x440": "its lanes are at 0x400, not 0x440"}


def main():
    with folder() as directory:
        for number, (line, why) in enumerate(BOARDS.items()):
            board = os.path.join(directory, f"b{number}.board")
            with open(board, "w", encoding="ascii") as f:
                f.write(f"[board]\nbase=tensix_sim\nname=other\n[tensix]\n{line}\n")
            trace = os.path.join(directory, "t.tracy")
            done = record(trace, [PROGRAM, KERNEL], "-b", board, check=False)
            lines = [text for text in done.stderr.splitlines() if text.startswith("launch:")]
            expect(done.returncode == 1 and len(lines) == 1 and why in lines[0], f"{line}: {done.returncode} {done.stderr!r}")
            expect(info(trace)["zones"] == 0, f"{line}: nothing was recorded")
            native = run([SIMULATOR, "--bar", directory + "/bar", "--board", board, "--grid", "1x1", "--clock", "host",
                          "--emulate", "0", "--native", KERNEL], check=False, timeout=60)
            if "without native cores" not in native.stderr:
                expect(native.returncode != 0 and why in native.stderr and native.stderr.count("\n") == 1,
                       f"native {line}: {native.returncode} {native.stderr!r}")


main()
