/* Any bytes as a lane's words: the decoder never crashes, and pieces give what the whole gives. */
#include "tests/device/lane_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lane_check(data, size);
    return 0;
}
