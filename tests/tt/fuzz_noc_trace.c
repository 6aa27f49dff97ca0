/* Any bytes as a NoC trace, in pieces; and as the text of an event, the name of a file and a value of a
 * device log. */
#include "host/tt/noc_trace_write.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take_event(void *self, const struct td_tt_noc_event *event, uint64_t line, struct td_err *err)
{
    char text[TD_TT_NOC_TEXT_BYTES];
    struct td_tt_noc_event again = *event;
    (void)line;
    (void)err;
    td_tt_noc_text(event, text, sizeof text);
    td_tt_noc_text_read(td_tt_text_of(text), &again);
    td_tt_noc_write_event(self, event);
    return 0;
}

static void run_text(const uint8_t *data, size_t size, struct td_tt_noc_writer *writer)
{
    struct td_tt_noc_event event = {.proc = TD_TT_TEXT_NONE,
                                    .zone = TD_TT_TEXT_NONE,
                                    .op_name = TD_TT_TEXT_NONE,
                                    .type = TD_TT_TEXT_NONE};
    struct td_tt_noc_file file;
    char path[256], name[300];
    const size_t bytes = size < sizeof path ? size : sizeof path - 1;
    uint64_t value = 0;
    if (td_tt_noc_text_read((struct td_tt_text){(const char *)data, size}, &event))
        td_tt_noc_write_event(writer, &event);
    memcpy(path, data, bytes);
    path[bytes] = 0;
    if (td_tt_noc_file_read(path, &file))
        td_tt_noc_file_name(name, sizeof name, &file);
    memcpy(&value, data, size < sizeof value ? size : sizeof value);
    for (enum td_tt_noc_layout layout = TD_TT_NOC_LAYOUT_BEFORE; layout <= TD_TT_NOC_LAYOUT_NOW; layout++)
        if (td_tt_noc_decode(layout, value, &event))
            td_tt_noc_encode(layout, &event);
    td_tt_noc_layout_look(TD_TT_NOC_LAYOUT_UNKNOWN, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    size_t bytes;
    bool cut;
    struct td_tt_noc_writer writer;
    FILE *to = size ? open_memstream(&text, &bytes) : NULL;
    if (!to)
        return 0;
    td_tt_noc_write_begin(&writer, to);
    struct td_tt_noc_reader *reader = td_tt_noc_reader_create("noc", take_event, &writer);
    const size_t piece = 1 + data[0] * 4u;
    int bad = !reader;
    run_text(data + 1, size - 1, &writer);
    for (size_t at = 1; at < size && !bad; at += piece)
        bad = td_tt_noc_reader_feed(reader, data + at, size - at < piece ? size - at : piece, NULL);
    if (!bad)
        td_tt_noc_reader_end_stream(reader, &cut, NULL);
    td_tt_noc_reader_destroy(reader);
    td_tt_noc_write_end(&writer);
    fclose(to);
    free(text);
    return 0;
}
