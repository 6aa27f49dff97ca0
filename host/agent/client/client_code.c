/* Texts of source files, and machine code: bytes that come with a key. */
#include "host/agent/client/client_internal.h"
#include "host/agent/client/code_places.h"

#include <stdlib.h>

/* Adds a row with bytes that came with a key. */
static int add_keyed_bytes(struct td_client_stream *stream, enum td_name_kind kind,
                           const struct td_wire_view *view, enum td_table table)
{
    uint64_t key = TD_GET(StringData).ptr; /* all keyed items begin alike */
    struct td_name *name = td_names_find(&stream->names, kind, key);
    td_names_credit(&stream->names);
    if (!name || name->answered)
        return 0;
    td_names_answered(&stream->names, name);
    if (kind == TD_NAME_SOURCE && stream->config.replayed) {
        int fresh = stream->config.sources ? td_map_add(&stream->source_files, name->u.source, 1) : 0;
        if (fresh <= 0)
            return fresh < 0 ? TD_E_NOMEM : 0;
    }
    const int64_t row[] = {kind == TD_NAME_CODE ? (int64_t)key : (int64_t)name->u.source,
                           (int64_t)(uintptr_t)view->data, view->bytes};
    int64_t added = td_stream_row(stream, table, 0, row);
    return added < 0 ? (int)added : 0;
}

/* Reads this machine's file if it is older than the program, else asks the program. */
int td_stream_source_file(struct td_client_stream *stream, uint32_t string)
{
    const char *file = td_dict_text(stream->dict, string);
    if (!stream->config.sources || stream->config.replayed || !*file || *file == '[' || *file == '<')
        return 0;
    int fresh = td_map_add(&stream->source_files, string, 1);
    if (fresh <= 0)
        return fresh < 0 ? TD_E_NOMEM : 0;
    size_t bytes = 0;
    size_t name_bytes = td_dict_text_bytes(stream->dict, string);
    void *text = stream->config.local_source
                     ? stream->config.local_source(file, name_bytes, &bytes, stream->config.self)
                     : NULL;
    if (text) {
        const int64_t row[] = {string, (int64_t)(uintptr_t)text, (int64_t)bytes};
        int64_t added = td_stream_row(stream, TD_TABLE_SOURCE, 0, row);
        free(text);
        return added < 0 ? (int)added : 0;
    }
    return td_names_want_source(&stream->names, string) != 0 ? TD_E_NOMEM : 0;
}

int td_take_source(struct td_client_stream *stream, const struct td_wire_view *view)
{
    return add_keyed_bytes(stream, TD_NAME_SOURCE, view, TD_TABLE_SOURCE);
}

int td_take_no_source(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_name *name =
        td_names_find(&stream->names, TD_NAME_SOURCE, TD_GET(AckSourceCodeNotAvailable).id);
    td_names_credit(&stream->names);
    if (name)
        td_names_answered(&stream->names, name);
    return 0;
}

static int want_place(void *self, uint64_t address)
{
    struct td_client_stream *stream = self;
    uint32_t index;
    return td_names_want(&stream->names, TD_NAME_ADDRESS, address, 0, &index) < 0 ? TD_E_NOMEM : 0;
}

/* The answers name further symbols, whose code is asked for in turn. */
int td_take_code(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint64_t address = TD_GET(StringData).ptr;
    const struct td_name *name = td_names_find(&stream->names, TD_NAME_CODE, address);
    bool is_new = name && !name->answered;
    int bad = add_keyed_bytes(stream, TD_NAME_CODE, view, TD_TABLE_CODE);
    if (bad || !is_new || stream->config.replayed || stream->without_places)
        return bad;
    const uint8_t arch = stream->config.welcome ? stream->config.welcome->cpuArch : 0;
    return td_code_places(arch, address, view->data, view->bytes, want_place, stream);
}

void td_client_stream_skip_places(struct td_client_stream *stream)
{
    if (stream)
        stream->without_places = true;
}
