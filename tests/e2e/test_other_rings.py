"""A kernel that was linked for lanes of another size or place is refused when it is loaded, in one line."""
import os

from kit import BUILD, expect, folder, info, record

PROGRAM = os.path.join(BUILD, "tests", "e2e", "launch")
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


main()
