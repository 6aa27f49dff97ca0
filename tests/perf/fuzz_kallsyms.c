/* Lists of functions that may be anything, in two pieces, read as the kernel's and as that of JIT code. */
#include "host/perf/functions.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_form(enum td_functions_form form, const uint8_t *data, size_t size)
{
    static const struct td_perf_host host = {.take = malloc, .give = free};
    static const uint64_t places[] = {
        0, 1, 0x1010, 0x1fff, 0xffffffff81000000, 0xffffffff81000010, 0xffffffffc0000004, UINT64_MAX};
    struct td_functions *functions = td_functions_create(&host, form);
    struct td_function function;
    if (!functions)
        return;
    const size_t first = data[0] < size ? data[0] : size - 1;
    td_functions_add(functions, (const char *)data + 1, first);
    td_functions_add(functions, (const char *)data + 1 + first, size - 1 - first);
    td_functions_sort(functions);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!td_functions_find(functions, places[i], &function))
            continue;
        if (places[i] - function.address >= function.bytes || strlen(function.name) > size ||
            strlen(function.module) > size)
            abort();
    }
    td_functions_destroy(functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    try_form(TD_FUNCTIONS_KERNEL, data, size);
    try_form(TD_FUNCTIONS_JIT, data, size);
    return 0;
}
