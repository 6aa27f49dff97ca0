/* Machine code of any bytes, after a byte for the architecture. */
#include "host/agent/client/code_places.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int count_place(void *self, uint64_t address)
{
    (void)address;
    ++*(size_t *)self;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    size_t places = 0;
    if (bytes && (td_code_places(data[0] % 6, 0x1000, data + 1, bytes - 1, count_place, &places) != 0 ||
                  places > 2 * bytes))
        abort();
    return 0;
}
