/* Any bytes as a trace in Fuchsia's format. */
#include "tests/agent/fuchsia_trace_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size)
        fuchsia_trace_check(data + 1, size - 1, 1 + (size_t)data[0] * 16);
    return 0;
}
