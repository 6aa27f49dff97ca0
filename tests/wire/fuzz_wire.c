/* Decodes any bytes as the stream of a client. */
#include "tests/wire/stream_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stream_check(data, size);
    return 0;
}
