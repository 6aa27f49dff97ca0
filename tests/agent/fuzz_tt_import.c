/* Any bytes as one or two files of tt-metal: the second one is after a line of dashes. */
#include "tests/agent/tt_import_check.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char between[] = "\n----\n";
    if (!size)
        return 0;
    struct tt_check check = {.files[0] = {"first", data + 1, size - 1}, .piece = 1 + (size_t)data[0] * 16};
    const uint8_t *second = memmem(data + 1, size - 1, between, sizeof between - 1);
    if (second) {
        check.files[0].count = (size_t)(second - data) - 1;
        second += sizeof between - 1;
        check.files[1].name = "noc_trace_dev1_Op_ID7.json";
        check.files[1].bytes = second;
        check.files[1].count = size - (size_t)(second - data);
    }
    tt_import_check(&check);
    free(check.text);
    return 0;
}
