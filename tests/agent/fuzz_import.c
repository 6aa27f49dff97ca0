/* Any bytes as a file of one of the formats that are imported: FUZZED, set by CMakeLists.txt. */
#include "tests/agent/import_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size)
        import_check(&FUZZED, data + 1, size - 1, 1 + (size_t)data[0] * 16);
    return 0;
}
