#include "host/base/err.h"
#include "host/serve/answers.h"
#include "host/serve/put.h"
#include "host/wire/items.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRANSFER_MAX     65536u /* bytes of a file's name */
#define PART_BYTES       12u
#define OPEN_SOURCES_MAX 64u
#define BYTES32_MAX      (TD_WIRE_FRAME_MAX - 2 * TD_ITEM_MAX) /* of code and source texts */
#define LOOK_MS          20

/* For so long a query waits for what the model may still get, but may not exist at all. Answers cannot be corrected
 * later. */
#define NAME_WAIT_MS 5000
#define CODE_WAIT_MS 10000
#define NO_FILE      "[unknown]"

/* An answer that is not known yet; the query stays open. */
#define NOT_YET 100

struct asked {
    const struct td_wire_query *query;
    const char *source;
    bool last_chance; /* answer with what is known */
    int64_t waited_ms;
};

static bool may_wait(const struct asked *asked, int64_t wait_ms)
{
    return !asked->last_chance && asked->waited_ms < wait_ms;
}

static int put_noop(const struct td_viewer *v)
{
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_ANSWER_FULL;
    td_put_end(v, td_wire_put_AckServerQueryNoop(p, v->release, NULL));
    return TD_ANSWER_GIVEN;
}

/* ---- names ---- */

/* The items of texts differ only in their ids. */
static int put_named(const struct td_viewer *v, enum td_item item, uint64_t key, uint32_t string)
{
    size_t bytes = td_put_text_bytes(v, string);
    uint8_t *p = td_put_room(v, TD_ITEM_MAX + bytes);
    if (!p)
        return TD_ANSWER_FULL;
    uint8_t *end = td_wire_put_StringData(p, v->release, &(struct td_wire_StringData){key});
    *p = td_wire_id(v->release, item);
    td_put_end(v, td_put_counted(end, td_dict_text(v->dict, string), bytes));
    return TD_ANSWER_GIVEN;
}

/* The string that a key means; false: it means none. */
static bool string_of_key(const struct td_viewer *v, const struct td_wire_query *query, uint32_t *string)
{
    uint32_t number;
    *string = 0;
    switch (query->query) {
    case TD_QUERY_PlotName:
        if (!td_key_is(query->ptr, TD_KEY_PLOT, &number) || number >= td_dict_plot_count(v->dict))
            return false;
        *string = td_dict_get_plot(v->dict, number)->name;
        return true;
    case TD_QUERY_FrameName:
        if (!td_key_is(query->ptr, TD_KEY_FRAME, &number) || number >= td_dict_frame_set_count(v->dict))
            return false;
        *string = td_dict_get_frame_set(v->dict, number, NULL);
        return true;
    case TD_QUERY_FiberName:
        if (!td_key_is(query->ptr, TD_KEY_FIBER, &number) || number >= td_dict_track_count(v->dict))
            return false;
        *string = td_dict_get_track(v->dict, number)->name;
        return true;
    default:
        if (!td_key_is(query->ptr, TD_KEY_STRING, &number) || number >= td_dict_string_count(v->dict))
            return false;
        *string = number;
        return true;
    }
}

/* Until the program has sent the name of a thread or fiber, the track has its number as a name. */
static bool is_stand_in(const struct td_viewer *v, uint32_t string, uint32_t track)
{
    char number[24];
    const struct td_track *known = td_dict_get_track(v->dict, track);
    const char *text = td_dict_text(v->dict, string);
    if (known->fiber)
        return !string || !strncmp(text, "fiber ", 6);
    snprintf(number, sizeof number, "%" PRIu64, known->thread);
    return !string || !strcmp(text, number);
}

static int answer_text(const struct td_viewer *v, const struct asked *asked)
{
    uint32_t string;
    enum td_item item = asked->query->query == TD_QUERY_PlotName    ? TD_ITEM_PlotName
                        : asked->query->query == TD_QUERY_FrameName ? TD_ITEM_FrameName
                        : asked->query->query == TD_QUERY_FiberName ? TD_ITEM_FiberName
                                                                    : TD_ITEM_StringData;
    bool known = string_of_key(v, asked->query, &string);
    if (known && asked->query->query == TD_QUERY_FiberName && may_wait(asked, NAME_WAIT_MS) &&
        is_stand_in(v, string, (uint32_t)asked->query->ptr))
        return NOT_YET;
    if (known && !asked->last_chance && td_key_is_unknown(v, string))
        return NOT_YET;
    return put_named(v, item, asked->query->ptr, string);
}

/* Sets *sure if the name is the program's own. */
static uint32_t thread_name(struct td_viewer *v, uint64_t thread, int32_t *hint, bool *sure)
{
    int64_t track = td_key_track_of(v, thread);
    *hint = 0;
    *sure = false;
    if (track >= 0) {
        const struct td_track *known = td_dict_get_track(v->dict, (uint32_t)track);
        *hint = known->group_hint;
        *sure = !is_stand_in(v, known->name, (uint32_t)track);
        if (known->name)
            return known->name;
    }
    const struct td_series *names = td_trace_table(v->trace, TD_TABLE_THREAD_NAME);
    int64_t row = td_key_row(&v->names, names, TD_THREAD_NAME_THREAD, thread);
    *sure = row >= 0;
    return row < 0 ? 0 : (uint32_t)td_series_get(names, (uint64_t)row, TD_THREAD_NAME_NAME);
}

static int answer_thread(struct td_viewer *v, const struct asked *asked)
{
    int32_t hint = 0;
    bool sure = true; /* a key that is no thread's only shows the recorder how far the server is */
    uint32_t name = 0;
    if (asked->query->ptr <= UINT32_MAX)
        name = thread_name(v, td_thread_of_key(v, (uint32_t)asked->query->ptr), &hint, &sure);
    if (!sure && may_wait(asked, NAME_WAIT_MS))
        return NOT_YET;
    if (!td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, name)))
        return TD_ANSWER_FULL;
    int result = put_named(v, TD_ITEM_ThreadName, asked->query->ptr, name);
    if (result == TD_ANSWER_GIVEN && hint && td_wire_has(v->release, TD_ITEM_ThreadGroupHint)) {
        struct td_wire_ThreadGroupHint item = {(uint32_t)asked->query->ptr, hint};
        td_put_end(v, td_wire_put_ThreadGroupHint(td_packer_at(v->packer), v->release, &item));
    }
    return result;
}

static int answer_external(struct td_viewer *v, const struct asked *asked)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_FOREIGN_THREAD);
    int64_t row = td_key_row(&v->foreign, rows, TD_FOREIGN_THREAD_THREAD,
                             td_thread_of_key(v, (uint32_t)asked->query->ptr));
    if (row < 0 && !asked->last_chance)
        return NOT_YET;
    uint32_t process = 0, name = 0;
    if (row >= 0) {
        process = (uint32_t)td_series_get(rows, (uint64_t)row, TD_FOREIGN_THREAD_PROCESS);
        name = (uint32_t)td_series_get(rows, (uint64_t)row, TD_FOREIGN_THREAD_NAME);
    }
    if (!td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, process) + td_put_text_bytes(v, name)))
        return TD_ANSWER_FULL;
    put_named(v, TD_ITEM_ExternalThreadName, asked->query->ptr, name);
    return put_named(v, TD_ITEM_ExternalName, asked->query->ptr, process);
}

/* Answers have no key and come in the order of the queries: this one never waits. Its texts may. */
static int answer_srcloc(const struct td_viewer *v, const struct asked *asked)
{
    uint32_t number;
    struct td_wire_SourceLocation item = {0};
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_ANSWER_FULL;
    if (td_key_is(asked->query->ptr, TD_KEY_SRCLOC, &number) && number < td_dict_srcloc_count(v->dict)) {
        const struct td_srcloc *s = td_dict_get_srcloc(v->dict, number);
        item.name = s->name || s->flags & TD_SRCLOC_EMPTY_NAME ? td_key(TD_KEY_STRING, s->name) : 0;
        item.function = td_key(TD_KEY_STRING, s->function);
        item.file = td_key(TD_KEY_STRING, s->file);
        item.line = s->line;
        item.b = (uint8_t)s->color;
        item.g = (uint8_t)(s->color >> 8);
        item.r = (uint8_t)(s->color >> 16);
    }
    td_put_end(v, td_wire_put_SourceLocation(p, v->release, &item));
    return TD_ANSWER_GIVEN;
}

/* A location whose content the program has not sent yet. */
static bool is_promised(const struct td_viewer *v, uint32_t srcloc)
{
    const struct td_srcloc *s = td_dict_get_srcloc(v->dict, srcloc);
    return s->name && s->name == s->function && td_key_is_unknown(v, s->name) && !s->line;
}

/* ---- call stacks, symbols, code ---- */

static uint32_t symbol_bytes(const struct td_viewer *v, uint64_t address, bool *known)
{
    int64_t row = td_trace_symbol(v->trace, address);
    *known = row >= 0;
    return row < 0 ? 0
                   : (uint32_t)td_series_get(td_trace_table(v->trace, TD_TABLE_SYMBOL), (uint64_t)row,
                                             TD_SYMBOL_BYTES);
}

#define LINES_MAX 255u

struct code_frame {
    uint32_t image;
    uint64_t first, count; /* rows of STACK_LINE */
};

static bool find_frame(const struct td_viewer *v, uint64_t address, struct code_frame *frame)
{
    uint64_t end;
    const int64_t row = td_trace_frame_lines(v->trace, td_put_frame_id(address), &frame->first, &end);
    const struct td_series *frames = td_trace_table(v->trace, TD_TABLE_STACK_FRAME);
    if (row < 0)
        return false;
    frame->image = (uint32_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_IMAGE);
    frame->count = end - frame->first < LINES_MAX ? end - frame->first : LINES_MAX;
    return frame->count != 0;
}

static uint32_t line_value(const struct td_viewer *v, uint64_t line, unsigned column)
{
    return (uint32_t)td_series_get(td_trace_table(v->trace, TD_TABLE_STACK_LINE), line, column);
}

static uint64_t line_symbol(const struct td_viewer *v, uint64_t line)
{
    return (uint64_t)td_series_get(td_trace_table(v->trace, TD_TABLE_STACK_LINE), line, TD_STACK_LINE_SYMBOL);
}

static int put_unknown_frame(const struct td_viewer *v, uint64_t address)
{
    uint8_t *p = td_put_room(v, 6 * TD_ITEM_MAX);
    if (!p)
        return TD_ANSWER_FULL;
    p = td_put_bytes(v, p, NO_FILE, strlen(NO_FILE));
    p = td_wire_put_CallstackFrameSize(p, v->release, &(struct td_wire_CallstackFrameSize){address, 1});
    p = td_put_bytes(v, p, NO_FILE, strlen(NO_FILE));
    p = td_wire_put_string_head(p, v->release, TD_ITEM_SecondStringData, strlen(NO_FILE));
    memcpy(p, NO_FILE, strlen(NO_FILE));
    p += strlen(NO_FILE);
    td_put_end(v, td_wire_put_CallstackFrame(p, v->release, &(struct td_wire_CallstackFrame){0}));
    return TD_ANSWER_GIVEN;
}

/* Names of one frame, whose inlined functions may be many: a frame of items holds those that fit. */
static int answer_frame(struct td_viewer *v, const struct asked *asked)
{
    struct code_frame frame;
    if (!find_frame(v, asked->query->ptr, &frame))
        return asked->last_chance ? put_unknown_frame(v, asked->query->ptr) : NOT_YET;
    size_t room = 2 * TD_ITEM_MAX + td_put_text_bytes(v, frame.image);
    for (uint64_t i = 0; i < frame.count; i++) {
        uint64_t line = frame.first + i, symbol = line_symbol(v, line);
        bool known = true;
        if (symbol)
            symbol_bytes(v, symbol, &known);
        if (!known && may_wait(asked, CODE_WAIT_MS))
            return NOT_YET;
        size_t more = 3 * TD_ITEM_MAX + td_put_text_bytes(v, line_value(v, line, TD_STACK_LINE_FUNCTION)) +
                      td_put_text_bytes(v, line_value(v, line, TD_STACK_LINE_FILE));
        if (room + more > TD_ANSWERS_ROOM && i)
            frame.count = i;
        else
            room += more;
    }
    uint8_t *p = td_put_room(v, room);
    if (!p)
        return TD_ANSWER_FULL;
    p = td_put_text(v, p, frame.image);
    struct td_wire_CallstackFrameSize size = {asked->query->ptr, (uint8_t)frame.count};
    p = td_wire_put_CallstackFrameSize(p, v->release, &size);
    for (uint64_t line = frame.first; line < frame.first + frame.count; line++) {
        bool known;
        p = td_put_text(v, p, line_value(v, line, TD_STACK_LINE_FUNCTION));
        p = td_put_second_text(v, p, line_value(v, line, TD_STACK_LINE_FILE));
        struct td_wire_CallstackFrame item = {.line = line_value(v, line, TD_STACK_LINE_LINE),
                                              .symAddr = line_symbol(v, line)};
        item.symLen = item.symAddr ? symbol_bytes(v, item.symAddr, &known) : 0;
        p = td_wire_put_CallstackFrame(p, v->release, &item);
    }
    td_put_end(v, p);
    return TD_ANSWER_GIVEN;
}

static int answer_symbol(struct td_viewer *v, const struct asked *asked)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_SYMBOL);
    int64_t row = td_trace_symbol(v->trace, asked->query->ptr);
    if (row < 0 && may_wait(asked, CODE_WAIT_MS))
        return NOT_YET;
    uint32_t file = row < 0 ? 0 : (uint32_t)td_series_get(rows, (uint64_t)row, TD_SYMBOL_FILE);
    uint8_t *p = td_put_room(v, 3 * TD_ITEM_MAX + td_put_text_bytes(v, file));
    if (!p)
        return TD_ANSWER_FULL;
    struct td_wire_SymbolInformation item = {.symAddr = asked->query->ptr};
    if (row >= 0)
        item.line = (uint32_t)td_series_get(rows, (uint64_t)row, TD_SYMBOL_LINE);
    p = row < 0 ? td_put_bytes(v, p, NO_FILE, strlen(NO_FILE)) : td_put_text(v, p, file);
    td_put_end(v, td_wire_put_SymbolInformation(p, v->release, &item));
    return TD_ANSWER_GIVEN;
}

/* Ends an item of a key with a count of 32 bits and the bytes. */
static int put_blob(const struct td_viewer *v, enum td_item item, uint64_t key, const void *data,
                    uint32_t bytes)
{
    uint8_t *p = td_put_room(v, TD_ITEM_MAX + bytes);
    if (!p)
        return TD_ANSWER_FULL;
    uint8_t *end = td_wire_put_SymbolCode(p, v->release, &(struct td_wire_SymbolCode){key});
    *p = td_wire_id(v->release, item);
    memcpy(end, &bytes, 4);
    memcpy(end + 4, data, bytes);
    td_put_end(v, end + 4 + bytes);
    return TD_ANSWER_GIVEN;
}

static int answer_code(struct td_viewer *v, const struct asked *asked)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_CODE);
    int64_t row = td_key_row(&v->codes, rows, TD_CODE_ADDRESS, asked->query->ptr);
    if (row < 0 && may_wait(asked, CODE_WAIT_MS))
        return NOT_YET;
    if (row >= 0) {
        uint64_t bytes = (uint64_t)td_series_get(rows, (uint64_t)row, TD_CODE_BYTES);
        const void *data = td_trace_blob(td_series_get(rows, (uint64_t)row, TD_CODE_DATA));
        if (data && bytes == asked->query->extra && bytes <= BYTES32_MAX)
            return put_blob(v, TD_ITEM_SymbolCode, asked->query->ptr, data, (uint32_t)bytes);
    }
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_ANSWER_FULL;
    td_put_end(v, td_wire_put_AckSymbolCodeNotAvailable(p, v->release, NULL));
    return TD_ANSWER_GIVEN;
}

/* ---- source files ---- */

static int64_t find_source(const struct td_viewer *v, const char *name)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_SOURCE);
    for (uint64_t i = 0, n = td_series_count(rows); name && i < n; i++)
        if (!strcmp(td_dict_text(v->dict, (uint32_t)td_series_get(rows, i, TD_SOURCE_NAME)), name))
            return (int64_t)i;
    return TD_E_NOTFOUND;
}

static int answer_source(struct td_viewer *v, const struct asked *asked)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_SOURCE);
    int64_t row = find_source(v, asked->source);
    if (row < 0 && asked->source && may_wait(asked, CODE_WAIT_MS))
        return NOT_YET;
    if (row >= 0) {
        uint64_t bytes = (uint64_t)td_series_get(rows, (uint64_t)row, TD_SOURCE_BYTES);
        const void *data = td_trace_blob(td_series_get(rows, (uint64_t)row, TD_SOURCE_TEXT));
        if (data && bytes <= BYTES32_MAX)
            return put_blob(v, TD_ITEM_SourceCode, (uint32_t)asked->query->ptr, data, (uint32_t)bytes);
    }
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_ANSWER_FULL;
    struct td_wire_AckSourceCodeNotAvailable item = {(uint32_t)asked->query->ptr};
    td_put_end(v, td_wire_put_AckSourceCodeNotAvailable(p, v->release, &item));
    return TD_ANSWER_GIVEN;
}

static void begin_transfer(struct td_viewer *v, uint64_t bytes)
{
    free(v->transfer.name);
    v->transfer.name = bytes && bytes <= TRANSFER_MAX ? calloc(bytes + 1, 1) : NULL;
    v->transfer.bytes = v->transfer.name ? (uint32_t)bytes : 0;
    v->transfer.have = 0;
}

static void continue_transfer(struct td_viewer *v, uint64_t low, uint32_t high)
{
    char part[PART_BYTES];
    memcpy(part, &low, 8);
    memcpy(part + 8, &high, 4);
    uint32_t left = v->transfer.bytes - v->transfer.have;
    uint32_t count = left < PART_BYTES ? left : PART_BYTES;
    if (v->transfer.name && count)
        memcpy(v->transfer.name + v->transfer.have, part, count);
    v->transfer.have += count;
}

/* ---- open queries ---- */

static int answer_one(struct td_viewer *v, const struct asked *asked)
{
    switch (asked->query->query) {
    case TD_QUERY_ThreadString:
        return answer_thread(v, asked);
    case TD_QUERY_SourceLocation:
        return answer_srcloc(v, asked);
    case TD_QUERY_ExternalName:
        return answer_external(v, asked);
    case TD_QUERY_CallstackFrame:
        return answer_frame(v, asked);
    case TD_QUERY_Symbol:
        return answer_symbol(v, asked);
    case TD_QUERY_SymbolCode:
        return answer_code(v, asked);
    case TD_QUERY_SourceCode:
        return answer_source(v, asked);
    default:
        return answer_text(v, asked);
    }
}

static int keep_open(struct td_viewer *v, const struct asked *asked)
{
    if (v->open.count >= TD_ANSWERS_OPEN)
        return TD_ANSWER_CLOSE; /* no server has so much query space */
    if (TD_PLACES_GROW(&v->open, v->open.count + 1) < 0)
        return TD_E_NOMEM;
    v->open_srclocs += asked->query->query == TD_QUERY_SourceLocation;
    struct td_open_query *open = &v->open.at[v->open.count - 1];
    *open = (struct td_open_query){.query = *asked->query, .since_ms = v->now_ms};
    if (asked->query->query == TD_QUERY_SourceCode) {
        open->source = v->transfer.name;
        v->transfer.name = NULL;
        v->open_sources++;
    }
    return TD_ANSWER_GIVEN;
}

static int answer_or_keep(struct td_viewer *v, const struct td_wire_query *query)
{
    struct asked asked = {.query = query,
                          .last_chance =
                              v->final || v->open.count >= TD_ANSWERS_OPEN ||
                              (query->query == TD_QUERY_SourceCode && v->open_sources >= OPEN_SOURCES_MAX)};
    if (query->query == TD_QUERY_SourceCode && v->transfer.have == v->transfer.bytes)
        asked.source = v->transfer.name;
    uint32_t srcloc;
    /* A location that was promised waits, and later ones wait for it: their answers have no key. */
    if (query->query == TD_QUERY_SourceLocation && !v->final &&
        td_key_is(query->ptr, TD_KEY_SRCLOC, &srcloc) && srcloc < td_dict_srcloc_count(v->dict) &&
        is_promised(v, srcloc))
        return keep_open(v, &asked);
    if (query->query == TD_QUERY_SourceLocation && v->open_srclocs)
        return keep_open(v, &asked);
    int result = answer_one(v, &asked);
    if (result == NOT_YET)
        return keep_open(v, &asked);
    if (result == TD_ANSWER_GIVEN && query->query == TD_QUERY_SourceCode)
        begin_transfer(v, 0);
    return result;
}

int td_answer_open(struct td_viewer *v)
{
    if (!v->open.count || (!v->final && v->now_ms - v->looked_ms < LOOK_MS))
        return TD_ANSWER_GIVEN;
    v->looked_ms = v->now_ms;
    size_t kept = 0;
    bool srcloc_waits = false;
    int result = TD_ANSWER_GIVEN;
    for (size_t i = 0; i < v->open.count; i++) {
        struct td_open_query *open = &v->open.at[i];
        struct asked asked = {.query = &open->query,
                              .source = open->source,
                              .last_chance = v->final,
                              .waited_ms = v->now_ms - open->since_ms};
        int now = NOT_YET;
        bool is_srcloc = open->query.query == TD_QUERY_SourceLocation;
        bool waits = is_srcloc && !v->final && (srcloc_waits || is_promised(v, (uint32_t)open->query.ptr));
        if (result == TD_ANSWER_GIVEN && !waits)
            now = answer_one(v, &asked);
        if (now == TD_ANSWER_FULL) {
            result = now;
            v->looked_ms = 0; /* to be continued at once */
        }
        if (now == TD_ANSWER_GIVEN) {
            v->open_sources -= open->query.query == TD_QUERY_SourceCode;
            v->open_srclocs -= is_srcloc;
            free(open->source);
            continue;
        }
        srcloc_waits |= is_srcloc;
        v->open.at[kept++] = *open;
    }
    v->open.count = kept;
    return result;
}

int td_answer_query(struct td_viewer *v, const uint8_t *bytes)
{
    struct td_wire_query query;
    td_wire_get_query(bytes, v->release, &query);
    if (!td_put_room(v, TD_ANSWERS_ROOM))
        return TD_ANSWER_FULL;
    switch (query.query) {
    case TD_QUERY_Terminate:
    case TD_QUERY_COUNT: /* unknown: the viewer does not speak the protocol */
        return TD_ANSWER_CLOSE;
    case TD_QUERY_Disconnect:
        return TD_ANSWER_LEAVE;
    case TD_QUERY_DataTransfer:
        begin_transfer(v, query.ptr);
        return put_noop(v);
    case TD_QUERY_DataTransferPart:
        continue_transfer(v, query.ptr, query.extra);
        return put_noop(v);
    case TD_QUERY_Parameter:
        if (v->options->parameter)
            v->options->parameter(v->options->self, (uint32_t)(query.ptr >> 32),
                                  (int32_t)(uint32_t)query.ptr);
        return put_noop(v);
    default:
        return answer_or_keep(v, &query);
    }
}
