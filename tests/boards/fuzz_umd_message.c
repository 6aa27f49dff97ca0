/* Reads any bytes as each message of a served simulation. What is read is within them. */
#include "host/transport/sim/umd_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *all, size_t size, const uint8_t *part, uint32_t bytes)
{
    if (bytes && (part < all || part > all + size || bytes > (size_t)(all + size - part)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* not aligned, and its end is known to the sanitizer */
    struct td_umd_request r;
    struct td_umd_answer a;
    struct td_umd_info i;
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (td_umd_get_request(copy, size, &r) == 0)
        check(copy, size, r.data, r.data_bytes);
    if (td_umd_get_answer(copy, size, &a) == 0)
        check(copy, size, a.data, a.data_bytes);
    if (td_umd_get_info(copy, size, &i) == 0)
        check(copy, size, i.layout, i.layout_bytes);
    free(copy);
    return 0;
}
