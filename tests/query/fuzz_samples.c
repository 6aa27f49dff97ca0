/* Tables of samples, stacks, symbols, code and source files with any numbers in them. The input is a list of rows:
 * a byte that chooses the table, then a byte for each column. Strings and bytes that the model itself makes are
 * always sound, as readers of files make them. */
#include "host/query/code/call_tree.h"
#include "host/query/code/code.h"
#include "host/query/code/line_sums.h"
#include "host/query/code/source_text.h"
#include "host/query/code/symbol_sums.h"
#include "host/query/code/wait_stacks.h"
#include "host/query/code/zone_site.h"
#include "host/trace/tables.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STRINGS 8
#define TRACKS  2
#define ROWS    400 /* of an input, at most */

static const enum td_table tables[] = {TD_TABLE_STACK,      TD_TABLE_STACK_ENTRY,   TD_TABLE_STACK_FRAME,
                                       TD_TABLE_STACK_LINE, TD_TABLE_SAMPLE,        TD_TABLE_SWITCH_SAMPLE,
                                       TD_TABLE_SYMBOL,     TD_TABLE_CODE,          TD_TABLE_SOURCE,
                                       TD_TABLE_SWITCH,     TD_TABLE_SWITCH_THREAD, TD_TABLE_HW_ADDRESS,
                                       TD_TABLE_HW_CYCLES,  TD_TABLE_HW_RETIRED,    TD_TABLE_HW_BRANCHES};
static const char text[] = "int f(void)\n{\r\n\n}";

/* Small numbers are likely, and so are those at the ends of the range. */
static int64_t number_of(uint8_t byte)
{
    return byte < 200 ? byte : byte < 230 ? -(int64_t)(byte - 199) : (int64_t)(UINT64_C(1) << (byte - 192));
}

static int64_t value_of(struct td_trace *trace, enum td_column_type type, uint8_t byte, size_t *bytes)
{
    if (type == TD_TYPE_STRING)
        return byte % (STRINGS + 1);
    if (type != TD_TYPE_BLOB)
        return number_of(byte);
    *bytes = byte % sizeof text;
    return td_trace_fill_blob(trace, text, *bytes);
}

static void add_row(struct td_trace *trace, enum td_table table, const uint8_t *data)
{
    const struct td_table_shape *shape = td_table_get_shape(table);
    int64_t row[TD_SERIES_COLUMNS] = {0};
    for (unsigned c = 0; c < shape->columns; c++) {
        size_t bytes = 0;
        row[c] = value_of(trace, shape->column[c].type, data[c + 1], &bytes);
        if (shape->column[c].type == TD_TYPE_BLOB) { /* the next column is its length */
            row[++c] = (int64_t)bytes;
        }
    }
    struct td_series *series = td_trace_fill_list(trace, table, shape->each ? data[0] % TRACKS : 0);
    if (series)
        td_series_append(series, row);
}

static struct td_trace *make_trace(const uint8_t *data, size_t size)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    if (!trace)
        return NULL;
    td_trace_edit_info(trace)->cpu_arch = 2;
    for (char name = 'a'; name < 'a' + STRINGS; name++)
        td_dict_string(td_trace_fill_dict(trace), &name, 1);
    for (uint32_t t = 0; t < TRACKS; t++)
        td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = t + 1});
    for (int rows = 0; rows < ROWS && size > TD_SERIES_COLUMNS; rows++) {
        const enum td_table table = tables[data[0] % (sizeof tables / sizeof *tables)];
        const size_t used = 1 + td_table_get_shape(table)->columns;
        add_row(trace, table, data);
        data += used;
        size -= used;
    }
    return trace;
}

static void sum_all(const struct td_trace *trace, const struct td_samples_choice *choice)
{
    struct td_stack_counts counts;
    struct td_symbol_sums symbols = {0};
    struct td_line_sums lines = {0};
    struct td_call_tree tree = {0};
    struct td_wait_stacks waits = {0};
    if (td_stack_counts_make(trace, choice, NULL, &counts, NULL) == 0) {
        uint64_t self = 0;
        td_symbol_sums_make(trace, choice, &counts, true, NULL, &symbols, NULL);
        for (size_t i = 0; i < symbols.count; i++)
            self += symbols.at[i].self;
        if (self > counts.total)
            abort();
        td_line_sums_make(trace, &counts, 1, 0, NULL, &lines, NULL);
        td_call_tree_make(trace, &counts, &(struct td_call_tree_choice){.inlines = true}, NULL, &tree, NULL);
        td_call_tree_free(&tree);
        td_call_tree_make(trace, &counts,
                          &(struct td_call_tree_choice){.inwards = true, .same = TD_SAME_PLACE, .key = 5},
                          NULL, &tree, NULL);
        for (uint64_t address = 0; address < 200; address += 40) {
            struct td_code_view code;
            struct td_insn insn;
            td_code_make(trace, choice, &counts, address, &(struct td_code_options){0}, NULL, &code, NULL);
            for (size_t i = 0; i < code.count; i++)
                td_code_text(&code, i, &insn);
            td_code_free(&code);
        }
    }
    td_wait_stacks_make(trace, choice, NULL, &waits, NULL);
    td_stack_counts_free(&counts);
    td_symbol_sums_free(&symbols);
    td_line_sums_free(&lines);
    td_call_tree_free(&tree);
    td_wait_stacks_free(&waits);
}

static void read_sources(const struct td_trace *trace)
{
    for (uint32_t file = 0; file <= STRINGS; file++) {
        struct td_source_text source;
        size_t bytes;
        if (td_source_text_open(&source, trace, file, NULL, NULL, NULL) == 0)
            for (uint32_t line = 0; line <= source.line_count + 1; line++)
                if ((td_source_text_line(&source, line, &bytes) != NULL) !=
                    (line >= 1 && line <= source.line_count))
                    abort();
        td_source_text_free(&source);
    }
}

/* What is found is a function of the trace that contains the address. */
static void find_sites(struct td_trace *trace)
{
    for (uint32_t i = 0; i <= STRINGS; i++) {
        const struct td_srcloc loc = {.function = 1, .file = i, .line = i};
        const uint32_t zone = td_dict_srcloc(td_trace_fill_dict(trace), &loc);
        struct td_zone_site site;
        struct td_code_view code;
        if (zone == UINT32_MAX || td_zone_site_find(trace, zone, NULL, &site, NULL) < 0)
            continue;
        if (td_code_make(trace, NULL, NULL, site.address, &(struct td_code_options){0}, NULL, &code, NULL) ==
                0 &&
            code.address != site.function)
            abort();
        td_code_free(&code);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct td_samples_choice choices[] = {{0},
                                                       {.kind = TD_SAMPLES_ALL, .from_ns = 3, .to_ns = 90}};
    struct td_trace *trace = make_trace(data, size);
    for (size_t i = 0; trace && i < sizeof choices / sizeof *choices; i++)
        sum_all(trace, &choices[i]);
    if (trace) {
        read_sources(trace);
        find_sites(trace);
    }
    td_trace_destroy(trace);
    return 0;
}
