"""Zones of sources with one base name, and of a source that is compiled twice, stay distinct in every kind of link."""
import os

from kit import BUILD, expect, folder, info, record

WANTED = {'left part %d"%': 3, 'right part %d"%': 5, "left_function": 1, "right_function": 1, "first time": 2,
          "second time": 4, "shared template": 6, "BRISC-KERNEL": 1}


def main():
    with folder() as directory:
        for kind in ("plain", "lto", "lto_whole", "relocatable"):
            trace = os.path.join(directory, kind + ".tracy")
            elf = os.path.join(BUILD, "tests/kernels", f"e2e_same_base_{kind}.elf")
            record(trace, [os.path.join(BUILD, "tests/e2e/launch"), elf])
            facts = info(trace)
            found = {n["name"]: n["count"] for n in facts["names"] if n["name"] in WANTED}
            expect(found == WANTED, f"{kind}: {found} instead of {WANTED}")
            plots = sorted((p["name"].split(" (")[0], p["points"]) for p in facts["plots"])
            expect(plots == [("left depth", 3), ("right depth", 5)], f"{kind}: plots {plots}")


main()
