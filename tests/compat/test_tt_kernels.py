"""tt_kernels.py counts the kernels of a small tree that compile, and says what the others lack."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOOD = {
    "ops/kernels/reader.cpp": """#include "api/dataflow/dataflow_api.h"
#include "ops/common.hpp"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_read_page(common(), tensor, get_named_compile_time_arg_val("to"));
    noc_async_read_barrier();
}
""",
    "ops/kernels/compute/adds.cpp": """#include "api/compute/eltwise_binary.h"
void kernel_main() {
    constexpr uint32_t bytes = get_tile_size(0);
    ELTWISE_OP(0, 1, 0, 0, bytes ? 0 : 1);
}
""",
    "other/my_kernels/even.cpp": """#include "api/dataflow/dataflow_api.h"
void kernel_main() { static_assert(get_compile_time_arg_val(0) % 2 == 0); }
""",
}
BAD = {
    "ops/kernels/fabric.cpp": '#include "tt_metal/fabric/hw/inc/none.h"\n',
    "ops/kernels/typo.cpp": "void kernel_main() { noc_async_raed(); }\n",
}


def main():
    with tempfile.TemporaryDirectory() as tree:
        for name, text in {**GOOD, **BAD, "ops/common.hpp": "static inline int common() { return 3; }\n",
                           "ops/host.cpp": "no kernel\n"}.items():
            path = os.path.join(tree, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        page = os.path.join(tree, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("before\n<!-- kernels: tests/compat/tt_kernels.py --write-docs -->\nold\n<!-- end of kernels -->\nafter\n")
        run = subprocess.run([sys.executable, os.path.join(HERE, "tt_kernels.py"), tree, "--build", sys.argv[1], "--write-docs",
                              page, "--name", "A tree"], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.endswith("3 of 5 kernels compile\n"), run.stdout
        with open(page, encoding="utf-8") as file:
            text = file.read()
        assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text, text
        assert "A tree: 5 files, of which 3 compile." in text and "| the fabric between chips | 1 |" in text, text
        assert "ops/kernels/typo.cpp\n    'noc_async_raed' was not declared" in text, text
        empty = subprocess.run([sys.executable, os.path.join(HERE, "tt_kernels.py"), os.path.join(tree, "none")],
                               capture_output=True, text=True, check=False)
        assert empty.returncode == 1 and "no kernels in" in empty.stderr, empty.stderr


main()
