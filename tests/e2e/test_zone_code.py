"""annotate --zone shows the source and the machine code at a marker of a kernel, found by the ELF's table of sites."""
import json
import os

from kit import BUILD, SOURCE, TENDRIL, expect, example, folder, record, run

KERNELS = [os.path.join(BUILD, "examples/matmul", name + ".elf") for name in ("reader", "math", "writer")]


def annotate(*arguments, check=True):
    return run([TENDRIL, "annotate", *arguments], check=check)


def main():
    kernels = [word for kernel in KERNELS for word in ("--kernel", kernel)]
    with folder() as directory:
        trace = os.path.join(directory, "matmul.tracy")
        record(trace, [example("matmul")])
        found = json.loads(annotate("--json", "--zone", "multiply", "--path", f"^examples;{SOURCE}/examples", *kernels, trace).stdout)
        zone, code = found["zone"], found["code"]
        expect(zone["kernel"] and os.path.basename(zone["file"]) == "math.c", zone)
        text = {line["line"]: line["text"] for line in found["source"]["lines"]}
        expect("multiply" in text[zone["line"]], text)
        expect(found["function"]["name"] == "main" and code["architecture"] == "riscv32", found["function"])
        at_marker = [i for i in code["instructions"] if any(x["line"] == zone["line"] for x in i["lines"])]
        expect(at_marker, "no instruction has the marker's line")
        if code["missing"] is None:
            expect(any(i["mnemonic"] == "mul" for i in code["instructions"]), "the product is not in the code")
        expect(sum(i["length"] for i in code["instructions"]) == code["bytes"], code["bytes"])
        shown = annotate("--zone", "multiply", *kernels, trace).stdout
        expect(f"{zone['line']}>" in shown, shown)
        wrong = annotate("--zone", "multiply", "--kernel", KERNELS[0], trace, check=False)
        expect(wrong.returncode == 1 and "no ELF that was given has a zone 'multiply'" in wrong.stderr, wrong.stderr)
        nowhere = annotate("--zone", "no such zone", trace, check=False)
        expect(nowhere.returncode == 1 and "no zone of the trace has the name" in nowhere.stderr, nowhere.stderr)
        host = json.loads(annotate("--json", "--zone", "main", trace).stdout)
        expect(not host["zone"]["kernel"] and host["zone"]["function"] == "main", host["zone"])
        sampled = os.path.join(directory, "sampled.tracy")
        record(sampled, [example("matmul")], "--sample-cores=50000", "--sample-reads", "1000000")
        found = json.loads(annotate("--json", "--zone", "multiply", sampled).stdout)  # each kernel has a main()
        expect(os.path.basename(found["function"]["file"]) == "math.c", found["function"])
        expect(found["function"]["image"].startswith("rv32 kernel ") and found["code"]["architecture"] == "riscv32", found["function"])
        expect(found["code"]["bytes"] == code["bytes"], (found["code"]["bytes"], code["bytes"]))


main()
