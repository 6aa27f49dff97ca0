/* Call stacks, their frames and symbols. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

#define CODE_MAX 131072 /* bytes of the largest symbol whose code is asked for */

/* ---- call stacks ---- */

static bool is_same_stack(const struct td_stream_stacks *s, uint32_t stack, const uint64_t *frames,
                          size_t count)
{
    return s->stacks.at[stack].count == count &&
           !memcmp(s->entries.at + s->stacks.at[stack].first, frames, count * sizeof *frames);
}

/* Adds the rows of the stack's entries, then the row of STACK. */
static int add_stack(struct td_client_stream *stream, const uint64_t *frames, size_t count)
{
    struct td_stream_stacks *s = &stream->stacks;
    if (TD_LIST_ROOM(&s->stacks) < 0 ||
        td_grow(&s->entries.at, &s->entries.capacity, s->entries.count + count, sizeof *frames) < 0)
        return TD_E_NOMEM;
    uint32_t first = (uint32_t)s->entries.count;
    for (size_t i = 0; i < count; i++) {
        const int64_t entry[] = {(int64_t)frames[i]};
        int64_t row = td_stream_row(stream, TD_TABLE_STACK_ENTRY, 0, entry);
        if (row < 0)
            return (int)row;
        s->entries.at[s->entries.count++] = frames[i];
        s->serials->stack_entries = (uint64_t)row + 1;
    }
    const int64_t end[] = {(int64_t)s->serials->stack_entries};
    int64_t row = count || !s->serials->has_no_stack ? td_stream_row(stream, TD_TABLE_STACK, 0, end) : 0;
    if (row < 0)
        return (int)row;
    s->serials->has_no_stack = true;
    s->stacks.at[s->stacks.count].first = first;
    s->stacks.at[s->stacks.count].row = (uint32_t)row;
    s->stacks.at[s->stacks.count++].count = (uint32_t)count;
    return 0;
}

/* Sets the number of a call stack; equal stacks have the same. */
static int find_stack(struct td_client_stream *stream, const uint64_t *frames, size_t count, uint32_t *number)
{
    struct td_stream_stacks *s = &stream->stacks;
    uint64_t hash = count;
    int bad = s->stacks.count ? 0 : add_stack(stream, NULL, 0);
    for (size_t i = 0; i < count; i++)
        hash = td_mix64(hash ^ frames[i]) + frames[i];
    *number = td_map_get(&s->by_content, hash, 0);
    if (bad || !count || (*number && is_same_stack(s, *number, frames, count)))
        return bad;
    bad = add_stack(stream, frames, count);
    if (bad)
        return bad;
    *number = (uint32_t)s->stacks.count - 1;
    return td_map_set(&s->by_content, hash, *number) < 0 ? TD_E_NOMEM : 0;
}

int td_take_stack_payload(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint64_t frames[65536 / 8];
    size_t count = view->bytes / 8;
    memcpy(frames, view->data, count * 8);
    for (size_t i = 0; i < count; i++) {
        uint32_t index;
        if (td_names_want(&stream->names, TD_NAME_ADDRESS, frames[i], 0, &index) < 0)
            return TD_E_NOMEM;
        frames[i] &= TD_FRAME_BITS;
    }
    stream->counts.stacks++;
    return find_stack(stream, frames, count, &stream->stack);
}

/* Sets the id of a frame of a scripting language; equal frames have the same. */
static int find_scripted_frame(struct td_client_stream *stream, const int64_t *line, uint64_t *id)
{
    struct td_stream_stacks *s = &stream->stacks;
    uint64_t key =
        td_mix64((uint64_t)line[TD_STACK_LINE_FUNCTION] << 32 | (uint64_t)line[TD_STACK_LINE_FILE]);
    key = td_mix64(key + (uint64_t)line[TD_STACK_LINE_LINE]);
    uint32_t number = td_map_get(&s->scripted, key, TD_NO_NUMBER);
    *id = TD_FRAME_SCRIPTED | number;
    if (number != TD_NO_NUMBER)
        return 0;
    *id = TD_FRAME_SCRIPTED | s->serials->scripted;
    if (td_map_add(&s->scripted, key, s->serials->scripted++) < 0)
        return TD_E_NOMEM;
    int64_t row = td_stream_row(stream, TD_TABLE_STACK_LINE, 0, line);
    if (row < 0)
        return (int)row;
    const int64_t frame[TD_STACK_FRAME_COLUMN_COUNT] = {
        [TD_STACK_FRAME_FRAME] = (int64_t)*id, [TD_STACK_FRAME_END] = row + 1};
    row = td_stream_row(stream, TD_TABLE_STACK_FRAME, 0, frame);
    return row < 0 ? (int)row : 0;
}

/* Reads u16 count, text; returns the end. NULL: cut off, or no memory. */
static const uint8_t *read_text(struct td_client_stream *stream, const uint8_t *at, const uint8_t *end,
                                int64_t *string)
{
    uint16_t count;
    if (!at || end - at < 2)
        return NULL;
    memcpy(&count, at, 2);
    if (end - at - 2 < count)
        return NULL;
    uint32_t number = td_dict_string(stream->dict, (const char *)at + 2, count);
    *string = number;
    return number == UINT32_MAX ? NULL : at + 2 + count;
}

/* Frames of a scripting language. In the stack they come before the frames of its interpreter. */
int td_take_scripted_payload(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint64_t frames[256 + 65536 / 8];
    const uint8_t *at = view->data, *end = at + view->bytes;
    size_t count = view->bytes ? *at++ : 0;
    for (size_t i = 0; i < count; i++) {
        int64_t line[TD_STACK_LINE_COLUMN_COUNT] = {0};
        uint32_t number = 0;
        if (end - at >= 4) {
            memcpy(&number, at, 4);
            at += 4;
        }
        line[TD_STACK_LINE_LINE] = number;
        at = read_text(stream, at, end, &line[TD_STACK_LINE_FUNCTION]);
        at = read_text(stream, at, end, &line[TD_STACK_LINE_FILE]);
        if (!at) {
            stream->counts.ignored++;
            return 0;
        }
        int bad = find_scripted_frame(stream, line, &frames[i]);
        if (bad)
            return bad;
    }
    uint32_t native = stream->stack;
    if (native) {
        const struct td_stream_stacks *s = &stream->stacks;
        size_t more = s->stacks.at[native].count;
        stream->counts.ignored += more > 65536 / 8; /* the outermost frames are dropped */
        more = more > 65536 / 8 ? 65536 / 8 : more;
        memcpy(frames + count, s->entries.at + s->stacks.at[native].first, more * sizeof *frames);
        count += more;
    }
    return find_stack(stream, frames, count, &stream->stack);
}

int td_take_stack_of_thread(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint32_t stack = stream->stack;
    stream->stack = 0;
    if (!td_stream_track(stream) || !stack) {
        stream->counts.ignored++;
        return 0;
    }
    return td_map_set(&stream->stacks.of_thread, stream->context, stack) < 0 ? TD_E_NOMEM : 0;
}

int td_take_stack_of_serial(struct td_client_stream *stream, const struct td_wire_view *view)
{
    stream->serial_stack = stream->stack;
    stream->stack = 0;
    return 0;
}

uint32_t td_stream_take_stack(struct td_client_stream *stream)
{
    uint32_t stack = td_map_get(&stream->stacks.of_thread, stream->context, 0);
    if (stack)
        td_map_set(&stream->stacks.of_thread, stream->context, 0); /* the key exists: needs no memory */
    return td_stream_stack_row(stream, stack);
}

/* ---- frames at an address ---- */

int td_take_frame_size(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_CallstackFrameSize item = TD_GET(CallstackFrameSize);
    struct td_stream_stacks *s = &stream->stacks;
    uint32_t index;
    td_names_credit(&stream->names);
    if (td_stream_text(stream, &s->image) != 0 ||
        td_names_want(&stream->names, TD_NAME_ADDRESS, item.ptr, 0, &index) < 0)
        return TD_E_NOMEM;
    struct td_name *name = td_names_at(&stream->names, TD_NAME_ADDRESS, index);
    s->left = item.size;
    s->whole = item.size;
    s->address = item.ptr;
    s->lines.count = 0;
    if (name->number != TD_NO_NUMBER) /* a second answer */
        s->whole = 0;
    td_names_answered(&stream->names, name);
    return 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), of_end = strlen(end);
    return n >= of_end && !memcmp(text + n - of_end, end, of_end);
}

/* Inlined frames of the compiler's own headers, and of atomic variables, are left out, as stock recorders do. */
static bool is_intrinsic(const char *file)
{
    return ends_with(file, "/include/arm_neon.h") || ends_with(file, "/bits/atomic_base.h") ||
           ends_with(file, "/atomic") || (ends_with(file, "intrin.h") && strstr(file, "/include/"));
}

static int want_symbol(struct td_client_stream *stream, const struct td_wire_CallstackFrame *item,
                       uint32_t function, uint32_t file, int inlined)
{
    uint32_t index;
    int fresh = td_names_want(&stream->names, TD_NAME_SYMBOL, item->symAddr, 0, &index);
    if (fresh != 1)
        return fresh < 0 ? TD_E_NOMEM : 0;
    struct td_name *symbol = td_names_at(&stream->names, TD_NAME_SYMBOL, index);
    symbol->u.symbol.name = function;
    symbol->u.symbol.image = stream->stacks.image;
    symbol->u.symbol.file = file;
    symbol->u.symbol.line = item->line;
    symbol->u.symbol.bytes = item->symLen;
    symbol->u.symbol.inlined = (uint8_t)inlined;
    return 0;
}

/* Adds the rows of an address, all of whose lines have arrived. */
static int add_address(struct td_client_stream *stream)
{
    struct td_stream_stacks *s = &stream->stacks;
    int64_t row = 0;
    struct td_name *name = td_names_find(&stream->names, TD_NAME_ADDRESS, s->address);
    for (size_t i = 0; i < s->lines.count && row >= 0; i++)
        row = td_stream_row(stream, TD_TABLE_STACK_LINE, 0, s->lines.at[i].values);
    if (row < 0 || !name || !s->lines.count)
        return row < 0 ? (int)row : 0;
    name->number = 0;
    const int64_t frame[TD_STACK_FRAME_COLUMN_COUNT] = {[TD_STACK_FRAME_FRAME] =
                                                            (int64_t)(s->address & TD_FRAME_BITS),
                                                        [TD_STACK_FRAME_IMAGE] = s->image,
                                                        [TD_STACK_FRAME_END] = row + 1};
    row = td_stream_row(stream, TD_TABLE_STACK_FRAME, 0, frame);
    const int64_t of[TD_SYMBOL_OF_COLUMN_COUNT] = {[TD_SYMBOL_OF_ADDRESS] = (int64_t)s->address,
                                                   [TD_SYMBOL_OF_SYMBOL] =
                                                       s->lines.at[0].values[TD_STACK_LINE_SYMBOL]};
    if (row >= 0)
        row = td_stream_row(stream, TD_TABLE_SYMBOL_OF, 0, of);
    return row < 0 ? (int)row : 0;
}

int td_take_stack_frame(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_CallstackFrame item = TD_GET(CallstackFrame);
    struct td_stream_stacks *s = &stream->stacks;
    uint32_t function, file = stream->second;
    stream->second = 0;
    if (td_stream_text(stream, &function) != 0)
        return TD_E_NOMEM;
    if (!s->left) {
        stream->counts.ignored++;
        return 0;
    }
    uint32_t left = s->left--;
    if (!s->whole)
        return 0;
    int skip = left == s->whole && left > 1 && is_intrinsic(td_dict_text(stream->dict, file));
    if (skip) {
        s->whole--;
        return 0;
    }
    if (TD_LIST_ROOM(&s->lines) < 0)
        return TD_E_NOMEM;
    int64_t *values = s->lines.at[s->lines.count++].values;
    values[TD_STACK_LINE_FUNCTION] = function;
    values[TD_STACK_LINE_FILE] = file;
    values[TD_STACK_LINE_LINE] = item.line;
    values[TD_STACK_LINE_SYMBOL] = (int64_t)item.symAddr;
    int bad = td_stream_source_file(stream, file);
    if (!bad && item.symAddr)
        bad = want_symbol(stream, &item, function, file, left > 1);
    return bad || s->left ? bad : add_address(stream);
}

int td_take_symbol(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_SymbolInformation item = TD_GET(SymbolInformation);
    struct td_name *name = td_names_find(&stream->names, TD_NAME_SYMBOL, item.symAddr);
    uint32_t file, index;
    td_names_credit(&stream->names);
    if (td_stream_text(stream, &file) != 0)
        return TD_E_NOMEM;
    if (!name || name->answered) {
        stream->counts.ignored += !name;
        return 0;
    }
    td_names_answered(&stream->names, name);
    uint32_t bytes = name->u.symbol.bytes;
    const int64_t row[TD_SYMBOL_COLUMN_COUNT] = {
        [TD_SYMBOL_ADDRESS] = (int64_t)item.symAddr,
        [TD_SYMBOL_NAME] = name->u.symbol.name,
        [TD_SYMBOL_FILE] = file,
        [TD_SYMBOL_LINE] = item.line,
        [TD_SYMBOL_IMAGE] = name->u.symbol.image,
        [TD_SYMBOL_CALL_FILE] = name->u.symbol.file,
        [TD_SYMBOL_CALL_LINE] = name->u.symbol.line,
        [TD_SYMBOL_INLINED] = name->u.symbol.inlined,
        [TD_SYMBOL_BYTES] = bytes,
    };
    int64_t added = td_stream_row(stream, TD_TABLE_SYMBOL, 0, row);
    if (added < 0)
        return (int)added;
    if (stream->config.code_transfer && bytes && bytes <= CODE_MAX &&
        td_names_want(&stream->names, TD_NAME_CODE, item.symAddr, bytes, &index) < 0)
        return TD_E_NOMEM;
    return td_stream_source_file(stream, file);
}

void td_stream_stacks_finish(struct td_client_stream *stream)
{
    struct td_stream_stacks *s = &stream->stacks;
    td_map_finish(&s->by_content);
    td_map_finish(&s->scripted);
    td_map_finish(&s->of_thread);
    free(s->stacks.at);
    free(s->entries.at);
    free(s->lines.at);
}
