/* Takes any bytes as a viewer's queries about a small trace, in any release. Every answer is a well-formed item, and
 * every query gets one: at once, or at the end of the trace. Input: u8 release, u8 flags (1: the trace is still
 * filled while the queries come), then queries. */
#include "host/serve/answers.h"
#include "host/serve/put.h"
#include "host/serve/session.h"
#include "host/wire/releases.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define QUERIES_MAX 3000u

/* Also in builds without assert(). */
static void must(int holds)
{
    if (!holds)
        abort();
}

static struct td_trace *trace;
static uint64_t set_parameters;

static void add(enum td_table table, uint64_t parent, const int64_t *row)
{
    int rc = td_series_append(td_trace_fill_list(trace, table, parent), row);
    must(rc == 0);
}

static void make_names(struct td_dict *dict)
{
    struct td_srcloc srcloc = {.name = td_dict_cstring(dict, "zone"),
                               .function = td_dict_cstring(dict, "work"),
                               .file = td_dict_cstring(dict, "/src/work.c"),
                               .line = 7};
    td_dict_srcloc(dict, &srcloc);
    td_dict_promise_srcloc(dict);
    td_dict_promise_string(dict);
    td_dict_plot(dict, &(struct td_plot){.name = td_dict_cstring(dict, "plot")});
    td_dict_frame_set(dict, td_dict_cstring(dict, "frames"), 0);
    td_dict_track(dict,
                  &(struct td_track){.thread = 77, .name = td_dict_cstring(dict, "main"), .group_hint = 3});
    td_dict_track(dict, &(struct td_track){.thread = 78});
    td_dict_track(dict, &(struct td_track){.thread = UINT64_C(1) << 32, .fiber = 1});
}

/* A frame with an inlined function, its symbol with code, a source file. */
static void make_code(struct td_dict *dict)
{
    const uint32_t file = td_dict_cstring(dict, "/src/work.c"), work = td_dict_cstring(dict, "work");
    const int64_t inlined[] = {work, file, 9, 0x1100}, real[] = {work, file, 8, 0x1000};
    const int64_t frame[] = {0x1004, td_dict_cstring(dict, "/bin/program"), 2};
    const int64_t symbol[] = {0x1000, work, file, 8, td_dict_cstring(dict, "/bin/program"), 0, 0, 0, 16};
    const int64_t code[] = {0x1000, td_trace_fill_blob(trace, "0123456789abcdef", 16), 16};
    const int64_t source[] = {file, td_trace_fill_blob(trace, "int work;\n", 10), 10};
    const int64_t foreign[] = {99, td_dict_cstring(dict, "other"), work};
    add(TD_TABLE_STACK_LINE, 0, inlined);
    add(TD_TABLE_STACK_LINE, 0, real);
    add(TD_TABLE_STACK_FRAME, 0, frame);
    add(TD_TABLE_SYMBOL, 0, symbol);
    add(TD_TABLE_CODE, 0, code);
    add(TD_TABLE_SOURCE, 0, source);
    add(TD_TABLE_FOREIGN_THREAD, 0, foreign);
}

static void make_trace(void)
{
    struct td_dict *dict = td_dict_create();
    trace = td_trace_create(dict);
    must(dict != NULL && trace != NULL);
    make_names(dict);
    make_code(dict);
}

static void parameter(void *self, uint32_t index, int32_t value)
{
    (void)self;
    set_parameters += index != (uint32_t)value;
}

/* Items of the frame that give a query back; none of the others may be in it. */
static size_t count_answers(const struct td_wire_release *release, const uint8_t *frame, size_t bytes)
{
    struct td_wire_view view;
    struct td_err err = {0};
    size_t at = 0, answers = 0;
    int more;
    while ((more = td_wire_next(release, frame, bytes, &at, &view, &err)) == 1) {
        switch (view.item) {
        case TD_ITEM_StringData:
        case TD_ITEM_PlotName:
        case TD_ITEM_FrameName:
        case TD_ITEM_FiberName:
        case TD_ITEM_ThreadName:
        case TD_ITEM_SourceLocation:
        case TD_ITEM_ExternalName:
        case TD_ITEM_CallstackFrameSize:
        case TD_ITEM_SymbolInformation:
        case TD_ITEM_SymbolCode:
        case TD_ITEM_AckSymbolCodeNotAvailable:
        case TD_ITEM_SourceCode:
        case TD_ITEM_AckSourceCodeNotAvailable:
        case TD_ITEM_AckServerQueryNoop:
            answers++;
            break;
        case TD_ITEM_ThreadGroupHint:
        case TD_ITEM_ExternalThreadName:
        case TD_ITEM_CallstackFrame:
        case TD_ITEM_SingleStringData:
        case TD_ITEM_SecondStringData:
            break;
        default:
            must(0); /* it answers nothing */
        }
    }
    must(more == 0);
    return answers;
}

static size_t take_frame(struct td_viewer *v)
{
    static uint8_t frame[TD_WIRE_FRAME_MAX];
    size_t bytes = td_packer_set_aside(v->packer, frame);
    return count_answers(v->release, frame, bytes);
}

static size_t answer_rest(struct td_viewer *v)
{
    size_t answers = take_frame(v);
    v->final = true;
    while (v->open.count) {
        int result = td_answer_open(v);
        size_t now = take_frame(v);
        must(result == TD_ANSWER_GIVEN || (result == TD_ANSWER_FULL && now));
        answers += now;
    }
    return answers;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct td_serve_options options = {.parameter = parameter};
    if (!trace)
        make_trace();
    if (size < 2)
        return 0;
    struct td_viewer v = {.trace = trace,
                          .dict = td_trace_dict(trace),
                          .options = &options,
                          .release = td_wire_release_at(data[0] % TD_WIRE_RELEASE_COUNT),
                          .final = !(data[1] & 1),
                          .packer = td_packer_create()};
    must(v.packer != NULL);
    size_t asked = 0, answers = 0, turns = 0;
    for (size_t at = 2; size - at >= TD_WIRE_QUERY_BYTES && asked < QUERIES_MAX;) {
        v.now_ms++;
        int result = td_answer_query(&v, data + at);
        must(result >= 0 && ++turns < 3 * QUERIES_MAX);
        if (result == TD_ANSWER_CLOSE)
            break;
        if (result == TD_ANSWER_FULL) {
            answers += take_frame(&v);
            continue;
        }
        at += TD_WIRE_QUERY_BYTES;
        asked += result == TD_ANSWER_GIVEN;
        result = td_answer_open(&v);
        must(result == TD_ANSWER_GIVEN || result == TD_ANSWER_FULL);
    }
    answers += answer_rest(&v);
    must(answers == asked);
    td_viewer_free(&v);
    return 0;
}
