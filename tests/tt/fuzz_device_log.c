/* Any bytes as a device log, in pieces; what is read is written again. */
#include "host/tt/device_log_write.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take_row(void *self, const struct td_tt_log_row *row, struct td_err *err)
{
    (void)err;
    td_tt_log_write_row(self, TD_TT_LOG_ERA_STREAMING, row);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    size_t bytes;
    bool cut;
    FILE *to = open_memstream(&text, &bytes);
    const struct td_tt_log_sink sink = {.take_row = take_row, .self = to};
    struct td_tt_log_reader *reader = to ? td_tt_log_reader_create("log", &sink) : NULL;
    const size_t piece = size ? 1 + data[0] * 4u : 1;
    int bad = !reader;
    for (size_t at = 1; at < size && !bad; at += piece)
        bad = td_tt_log_reader_feed(reader, data + at, size - at < piece ? size - at : piece, NULL);
    if (!bad)
        td_tt_log_reader_end_stream(reader, &cut, NULL);
    td_tt_log_reader_destroy(reader);
    if (to)
        fclose(to);
    free(text);
    return 0;
}
