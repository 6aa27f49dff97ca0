/* Any bytes as sync_device_info.csv, in pieces. */
#include "host/tt/sync_info_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct td_tt_sync_info *sync = td_tt_sync_info_create("sync");
    const size_t piece = 1 + data[0] * 4u;
    int bad = !sync;
    bool cut = false;
    double host_ns;
    for (size_t at = 1; at < size && !bad; at += piece)
        bad = td_tt_sync_info_feed(sync, data + at, size - at < piece ? size - at : piece, NULL);
    if (!bad && !td_tt_sync_info_end_stream(sync, &cut, NULL))
        for (uint32_t device = 0; device < 4; device++)
            td_tt_sync_host_ns(sync, device, INT64_MAX, &host_ns);
    td_tt_sync_info_destroy(sync);
    return 0;
}
