/* Any bytes as a journal. The first byte chooses: 0 to 127 a whole journal, in pieces of 1 + 16 times it;
 * from 128 on its records, without the checksums that a fuzzer cannot guess. */
#include "tests/agent/journal_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] < 128)
        journal_check(data + 1, size - 1, 1 + (size_t)data[0] * 16);
    else if (size)
        journal_check_records(data + 1, size - 1);
    return 0;
}
