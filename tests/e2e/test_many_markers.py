"""A kernel with more than 255 markers in one source file: each zone has its own name, and the trace has the file once. Zones are
switched off by name, tile, core, and for some of the launches."""
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
        switch_zones(directory, launch, kernel)


def switch_zones(directory, launch, kernel):
    trace = os.path.join(directory, "switched.tracy")
    everything = {f"mark {i}": 1 for i in range(100, 100 + MARKS)}

    def zones(*options):
        run([TENDRIL, "record", "-o", trace, *options, "--", launch, kernel])
        return {name["name"]: name["count"] for name in info(trace)["names"] if name["name"].startswith("mark ")}

    for options, names in (
            (("--zones", "mark 1*"), [n for n in everything if n.startswith("mark 1")]),
            (("--zones", "mark 2?7", "--zones", "mark 390", "--no-zones", "*20?"),
             [n for n in everything if n == "mark 390" or (n[5] == "2" and n[7] == "7" and n[6] != "0")]),
            (("--only-tiles", "0,0-1", "--only-cores", "B*"), everything),
            (("--only-tiles", "1-3,*"), []), (("--only-cores", "TRISC*"), []), (("--every-launch", "2"), everything)):
        found = zones(*options)
        expect(found == {n: 1 for n in names}, f"{options} recorded {found}")
    for options, why in ((("--zones", ""), "no rule"), (("--only-tiles", "3-1,0"), "names no tiles"), (("--every-launch", "0"), "every-launch")):
        done = run([TENDRIL, "record", "-o", trace, *options, "--", launch, kernel], check=False)
        expect(done.returncode == 2 and why in done.stderr and done.stderr.count("\n") <= 2, f"{options}: {done.stderr}")


main()
