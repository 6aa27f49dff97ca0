/* Any bytes as a saved session. */
#include "tests/agent/saved_session_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size)
        saved_session_check(data + 1, size - 1, 1 + (size_t)data[0] * 16);
    return 0;
}
