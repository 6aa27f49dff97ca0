/* Raw lane bytes: garbage must never crash the decoder, and pieces must give what the whole gives. */
#include "tests/device/lane_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lane_check(data, size);
    return 0;
}
