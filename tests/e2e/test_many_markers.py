"""A kernel with more than 255 markers in one source file: each zone has its own name, and the trace has the file once."""
import os

from kit import BUILD, SOURCE, TENDRIL, expect, folder, info, run

MARKS = 300


def main():
    os.chdir(SOURCE)  # kernels name their sources from there
    with folder() as directory:
        trace = os.path.join(directory, "crowd.tracy")
        launch, kernel = (os.path.join(BUILD, "tests", name) for name in ("e2e/launch", "kernels/e2e_crowd.elf"))
        run([TENDRIL, "record", "-o", trace, "--", launch, kernel])
        found = {name["name"]: name["count"] for name in info(trace)["names"] if name["name"].startswith("mark ")}
        expect(found == {f"mark {i}": 1 for i in range(100, 100 + MARKS)}, f"{len(found)} names: {found}")
        files = [file["name"] for file in info(trace)["source_files"]]
        expect(files.count("tests/e2e/kernels/crowd.c") == 1 and len(set(files)) == len(files), f"source files: {files}")


main()
