/* Any bytes as a report of operations, in pieces; and as a host message and a line about a zone. */
#include "host/tt/host_message.h"
#include "host/tt/ops_report_read.h"
#include "host/tt/ops_report_write.h"
#include "host/tt/zone_hash.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take_row(void *self, const struct td_tt_report_row *row, struct td_err *err)
{
    uint64_t number;
    bool has;
    struct td_tt_tensor_place place;
    for (size_t i = 0; i < row->head->count; i++) {
        td_tt_tensor_place_read(row->head->names[i], &place);
        if (row->head->columns[i] < 0)
            continue;
        td_tt_report_u64(row, "report", row->head->columns[i], &number, &has, NULL);
    }
    (void)err;
    td_tt_report_write_line(self, row->fields, row->head->count);
    return 0;
}

static void run_text(const uint8_t *data, size_t size, FILE *to)
{
    const struct td_tt_text text = {(const char *)data, size};
    struct td_tt_message message;
    struct td_tt_zone_source zone;
    char line[200];
    if (td_tt_message_read(text, &message))
        td_tt_message_write(to, &message);
    if (td_tt_zone_source_read(text, &zone)) {
        td_tt_zone_hash(&zone);
        td_tt_zone_source_text(line, sizeof line, &zone);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    size_t bytes;
    bool cut;
    FILE *to = open_memstream(&text, &bytes);
    if (!to || !size) {
        if (to)
            fclose(to);
        free(text);
        return 0;
    }
    const struct td_tt_report_sink sink = {.take_row = take_row, .self = to};
    struct td_tt_report_reader *reader = td_tt_report_reader_create("report", &sink);
    const size_t piece = 1 + data[0] * 4u;
    int bad = !reader;
    run_text(data + 1, size - 1, to);
    for (size_t at = 1; at < size && !bad; at += piece)
        bad = td_tt_report_reader_feed(reader, data + at, size - at < piece ? size - at : piece, NULL);
    if (!bad)
        td_tt_report_reader_end_stream(reader, &cut, NULL);
    td_tt_report_reader_destroy(reader);
    fclose(to);
    free(text);
    return 0;
}
