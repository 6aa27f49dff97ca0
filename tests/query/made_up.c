#include "tests/query/made_up.h"
#include "host/trace/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* xor eax, eax; add eax, 1; call LEAF; jmp 0x2000; ret */
static const uint8_t work_code[] = {0x31, 0xc0, 0x90, 0x83, 0xc0, 0x01, 0xe8,
                                    0xf5, 0x0f, 0x00, 0x00, 0xeb, 0xf3, 0xc3};
static const char work_text[] = "int work(void)\n{\n}\n";

static int64_t string_of(struct td_trace *trace, const char *text)
{
    return td_dict_string(td_trace_fill_dict(trace), text, strlen(text));
}

static void append(struct td_trace *trace, enum td_table table, uint64_t parent, const int64_t *row)
{
    assert_int_equal(td_series_append(td_trace_fill_list(trace, table, parent), row), 0);
}

static void add_line(struct td_trace *trace, const char *function, const char *file, int line, int64_t symbol)
{
    const int64_t row[TD_STACK_LINE_COLUMN_COUNT] = {string_of(trace, function), string_of(trace, file), line,
                                                     symbol};
    append(trace, TD_TABLE_STACK_LINE, 0, row);
}

/* The lines of the frame were added before. */
static void add_frame(struct td_trace *trace, uint64_t address)
{
    const int64_t row[TD_STACK_FRAME_COLUMN_COUNT] = {
        (int64_t)(address & TD_FRAME_BITS), string_of(trace, "program"),
        (int64_t)td_series_count(td_trace_table(trace, TD_TABLE_STACK_LINE))};
    append(trace, TD_TABLE_STACK_FRAME, 0, row);
}

static void add_frames(struct td_trace *trace)
{
    add_line(trace, "main", "main.c", 10, MAIN);
    add_frame(trace, MAIN_CALL);
    add_line(trace, "work", "work.c", 21, WORK);
    add_frame(trace, WORK_LINE_21);
    add_line(trace, "helper", "helper.h", 5, HELPER);
    add_line(trace, "work", "work.c", 22, WORK);
    add_frame(trace, WORK_HELPER);
    add_line(trace, "work", "work.c", 20, WORK);
    add_frame(trace, WORK_CALL);
    add_line(trace, "leaf", "leaf.c", 30, 0);
    add_frame(trace, LEAF);
    add_line(trace, "schedule", "", 0, (int64_t)(KERNEL & ~UINT64_C(0xf)));
    add_frame(trace, KERNEL);
}

static void add_symbol(struct td_trace *trace, int64_t address, const char *name, const char *file, int line,
                       int inlined, int bytes)
{
    const int64_t row[TD_SYMBOL_COLUMN_COUNT] = {[TD_SYMBOL_ADDRESS] = address,
                                                 [TD_SYMBOL_NAME] = string_of(trace, name),
                                                 [TD_SYMBOL_FILE] = string_of(trace, file),
                                                 [TD_SYMBOL_LINE] = line,
                                                 [TD_SYMBOL_IMAGE] = string_of(trace, "program"),
                                                 [TD_SYMBOL_INLINED] = inlined,
                                                 [TD_SYMBOL_BYTES] = bytes};
    append(trace, TD_TABLE_SYMBOL, 0, row);
}

static void add_stack(struct td_trace *trace, enum made_up_stack expected, const uint64_t *frames,
                      size_t count)
{
    uint64_t ids[8];
    for (size_t i = 0; i < count; i++)
        ids[i] = frames[i] & TD_FRAME_BITS;
    assert_int_equal(td_trace_fill_stack(trace, ids, count), expected);
}

static void add_stacks(struct td_trace *trace)
{
    add_stack(trace, IN_WORK, (const uint64_t[]){WORK_LINE_21, MAIN_CALL}, 2);
    add_stack(trace, IN_HELPER, (const uint64_t[]){WORK_HELPER, MAIN_CALL}, 2);
    add_stack(trace, IN_LEAF, (const uint64_t[]){LEAF, WORK_CALL, MAIN_CALL}, 3);
    add_stack(trace, IN_KERNEL, (const uint64_t[]){KERNEL, WORK_CALL, MAIN_CALL}, 3);
    add_stack(trace, IN_NOWHERE, (const uint64_t[]){NOWHERE}, 1);
    add_stack(trace, RECURSIVE, (const uint64_t[]){WORK_LINE_21, WORK_CALL, MAIN_CALL}, 3);
}

static void add_samples(struct td_trace *trace)
{
    static const int counts[MADE_UP_STACKS] = {0, 40, 30, 20, 6, 3, 1};
    int64_t ns = 0;
    for (int stack = 1; stack < MADE_UP_STACKS; stack++)
        for (int i = 0; i < counts[stack]; i++)
            append(trace, TD_TABLE_SAMPLE, 0, (const int64_t[]){ns += 1000, stack});
    for (ns = 1000; ns <= 10000; ns += 1000)
        append(trace, TD_TABLE_SAMPLE, 1, (const int64_t[]){ns, IN_LEAF});
    append(trace, TD_TABLE_SWITCH_THREAD, 0, (const int64_t[]){78});
    for (ns = 101000; ns <= 107000; ns += 2000) {
        const int64_t run[TD_SWITCH_COLUMN_COUNT] = {ns - 1400, ns - 1000, ns, 0, 100, 101, 0, 0};
        append(trace, TD_TABLE_SAMPLE, 1, (const int64_t[]){ns, IN_KERNEL});
        append(trace, TD_TABLE_SWITCH_SAMPLE, 1, (const int64_t[]){ns, IN_KERNEL});
        append(trace, TD_TABLE_SWITCH, 0, run);
    }
    append(trace, TD_TABLE_SWITCH, 0, (const int64_t[TD_SWITCH_COLUMN_COUNT]){107600, 108000, 109000, 0, -1});
}

static void add_hardware(struct td_trace *trace)
{
    append(trace, TD_TABLE_HW_ADDRESS, 0, (const int64_t[]){WORK_HELPER});
    for (int64_t ns = 1000; ns <= 8000; ns += 1000)
        append(trace, TD_TABLE_HW_CYCLES, 0, &ns);
    for (int64_t ns = 1000; ns <= 4000; ns += 1000)
        append(trace, TD_TABLE_HW_RETIRED, 0, &ns);
}

struct td_trace *make_up_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_err err = {0};
    assert_non_null(trace);
    td_trace_edit_info(trace)->cpu_arch = 2;
    for (uint32_t t = 0; t < 2; t++)
        td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 77 + t});
    add_frames(trace);
    add_symbol(trace, MAIN, "main", "main.c", 8, 0, 0x40);
    add_symbol(trace, WORK, "work", "work.c", 18, 0, sizeof work_code);
    add_symbol(trace, HELPER, "helper", "helper.h", 4, 1, 3);
    append(trace, TD_TABLE_CODE, 0,
           (const int64_t[]){WORK, td_trace_fill_blob(trace, work_code, sizeof work_code), sizeof work_code});
    append(trace, TD_TABLE_CODE, 0, /* of the inlined function again, as sampled cores have it */
           (const int64_t[]){HELPER, td_trace_fill_blob(trace, work_code + 3, 3), 3});
    append(trace, TD_TABLE_SOURCE, 0,
           (const int64_t[]){string_of(trace, "work.c"),
                             td_trace_fill_blob(trace, work_text, sizeof work_text - 1),
                             sizeof work_text - 1});
    add_stacks(trace);
    add_samples(trace);
    add_hardware(trace);
    assert_int_equal(td_trace_finish(trace, &err), 0);
    return trace;
}
