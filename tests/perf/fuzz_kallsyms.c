/* Lists of the kernel's functions that may be anything, in two pieces. */
#include "host/perf/kallsyms.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct td_perf_host host = {.take = malloc, .give = free};
    static const uint64_t places[] = {
        0, 1, 0xffffffff81000000, 0xffffffff81000010, 0xffffffffc0000004, UINT64_MAX};
    struct td_kallsyms *symbols = td_kallsyms_create(&host);
    struct td_kernel_function function;
    if (!symbols || !size)
        return td_kallsyms_destroy(symbols), 0;
    const size_t first = data[0] < size ? data[0] : size - 1;
    td_kallsyms_add(symbols, (const char *)data + 1, first);
    td_kallsyms_add(symbols, (const char *)data + 1 + first, size - 1 - first);
    td_kallsyms_sort(symbols);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!td_kallsyms_find(symbols, places[i], &function))
            continue;
        if (places[i] - function.address >= function.bytes || strlen(function.name) > size ||
            strlen(function.module) > size)
            abort();
    }
    td_kallsyms_destroy(symbols);
    return 0;
}
