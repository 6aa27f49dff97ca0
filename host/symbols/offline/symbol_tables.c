#include "host/symbols/offline/symbol_tables.h"
#include "host/event/map.h"
#include "host/trace/tables.h"

#include <stdlib.h>
#include <string.h>

bool td_symbol_is_unresolved(const struct td_trace *trace, uint32_t function)
{
    return !strncmp(td_dict_text(td_trace_dict(trace), function), TD_SYMBOL_UNRESOLVED,
                    sizeof TD_SYMBOL_UNRESOLVED - 1);
}

bool td_symbol_is_nothing(const struct td_trace *trace, uint32_t text)
{
    const char *words = td_dict_text(td_trace_dict(trace), text);
    return !*words || !strcmp(words, "???") ||
           !strncmp(words, TD_SYMBOL_UNKNOWN, sizeof TD_SYMBOL_UNKNOWN - 1) ||
           td_symbol_is_unresolved(trace, text);
}

/* ---- reading ---- */

static int read_frame(struct td_stack_frame *frame, const struct td_trace *trace, uint64_t row,
                      uint64_t begin)
{
    const struct td_series *frames = td_trace_table(trace, TD_TABLE_STACK_FRAME);
    const struct td_series *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    uint64_t end = (uint64_t)td_series_get(frames, row, TD_STACK_FRAME_END);
    end = end < td_series_count(lines) ? end : td_series_count(lines);
    frame->id = (uint64_t)td_series_get(frames, row, TD_STACK_FRAME_FRAME);
    frame->address = td_frame_address(frame->id);
    frame->image = (uint32_t)td_series_get(frames, row, TD_STACK_FRAME_IMAGE);
    if (end <= begin)
        return 0;
    frame->lines = calloc(end - begin, sizeof *frame->lines);
    if (!frame->lines)
        return TD_E_NOMEM;
    frame->count = (int)(end - begin);
    for (int i = 0; i < frame->count; i++) {
        struct td_stack_line *line = &frame->lines[i];
        line->function = (uint32_t)td_series_get(lines, begin + (uint64_t)i, TD_STACK_LINE_FUNCTION);
        line->file = (uint32_t)td_series_get(lines, begin + (uint64_t)i, TD_STACK_LINE_FILE);
        line->line = (uint32_t)td_series_get(lines, begin + (uint64_t)i, TD_STACK_LINE_LINE);
        line->symbol = (uint64_t)td_series_get(lines, begin + (uint64_t)i, TD_STACK_LINE_SYMBOL);
    }
    return 0;
}

int td_stack_frames_init(struct td_stack_frames *frames, const struct td_trace *trace, struct td_err *err)
{
    const struct td_series *rows = td_trace_table(trace, TD_TABLE_STACK_FRAME);
    uint64_t begin = 0;
    frames->count = td_series_count(rows);
    frames->at = calloc(frames->count + 1, sizeof *frames->at);
    int rc = frames->at ? 0 : TD_E_NOMEM;
    frames->count = rc < 0 ? 0 : frames->count;
    for (uint64_t i = 0; rc == 0 && i < frames->count; i++) {
        rc = read_frame(&frames->at[i], trace, i, begin);
        begin = (uint64_t)td_series_get(rows, i, TD_STACK_FRAME_END);
    }
    return rc < 0 ? td_fail_no_memory(err, "for call stack frames") : 0;
}

static void drop_lines(struct td_stack_frame *frame)
{
    free(frame->lines);
    free(frame->old);
}

void td_stack_frames_free(struct td_stack_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        drop_lines(&frames->at[i]);
    free(frames->at);
    *frames = (struct td_stack_frames){0};
}

struct td_stack_line *td_stack_frame_change(struct td_stack_frame *frame, int count)
{
    struct td_stack_line *lines = calloc((size_t)count, sizeof *lines);
    if (!lines)
        return NULL;
    if (frame->changed) {
        free(frame->lines);
    } else {
        frame->old = frame->lines;
        frame->old_count = frame->count;
    }
    frame->lines = lines;
    frame->count = count;
    frame->changed = 1;
    return lines;
}

/* ---- writing ---- */

static int write_frames(const struct td_stack_frames *frames, struct td_trace *trace)
{
    struct td_series *rows = td_trace_fill_table(trace, TD_TABLE_STACK_FRAME);
    struct td_series *lines = td_trace_fill_table(trace, TD_TABLE_STACK_LINE);
    int rc = rows && lines ? 0 : TD_E_NOMEM;
    if (rc == 0) {
        td_series_clear(rows);
        td_series_clear(lines);
    }
    for (size_t i = 0; rc == 0 && i < frames->count; i++) {
        const struct td_stack_frame *frame = &frames->at[i];
        for (int k = 0; rc == 0 && k < frame->count; k++) {
            const struct td_stack_line *line = &frame->lines[k];
            const int64_t row[TD_STACK_LINE_COLUMN_COUNT] = {
                [TD_STACK_LINE_FUNCTION] = line->function,
                [TD_STACK_LINE_FILE] = line->file,
                [TD_STACK_LINE_LINE] = line->line,
                [TD_STACK_LINE_SYMBOL] = (int64_t)line->symbol,
            };
            rc = td_series_append(lines, row);
        }
        const int64_t row[TD_STACK_FRAME_COLUMN_COUNT] = {[TD_STACK_FRAME_FRAME] = (int64_t)frame->id,
                                                          [TD_STACK_FRAME_IMAGE] = frame->image,
                                                          [TD_STACK_FRAME_END] = (int64_t)lines->count};
        rc = rc ? rc : td_series_append(rows, row);
    }
    return rc;
}

static int append_symbol(struct td_series *symbols, const struct td_stack_frame *frame,
                         const struct td_stack_line *line)
{
    const int64_t row[TD_SYMBOL_COLUMN_COUNT] = {
        [TD_SYMBOL_ADDRESS] = (int64_t)line->symbol,
        [TD_SYMBOL_NAME] = line->function,
        [TD_SYMBOL_FILE] = line->symbol_file,
        [TD_SYMBOL_LINE] = line->symbol_line,
        [TD_SYMBOL_IMAGE] = frame->image,
        [TD_SYMBOL_CALL_FILE] = line->file,
        [TD_SYMBOL_CALL_LINE] = line->line,
        [TD_SYMBOL_INLINED] = line + 1 < frame->lines + frame->count,
        [TD_SYMBOL_BYTES] = (int64_t)(line->bytes > 0xffffff ? 0xffffff : line->bytes),
    };
    return td_series_append(symbols, row);
}

/* State of a symbol's address: new lines define it; an unchanged frame has it; no frame has it any more. */
enum { FRESH = 1, USED, GONE };

static int mark_lines(struct td_map *of, const struct td_stack_line *lines, int count, uint32_t state)
{
    int rc = 0;
    for (int i = 0; rc >= 0 && i < count; i++)
        if (lines[i].symbol)
            rc = td_map_add(of, lines[i].symbol, state);
    return rc;
}

static int mark_symbols(const struct td_stack_frames *frames, struct td_map *of)
{
    int rc = 0;
    for (uint32_t state = FRESH; state <= GONE; state++)
        for (size_t i = 0; rc >= 0 && i < frames->count; i++) {
            const struct td_stack_frame *frame = &frames->at[i];
            if (state == GONE)
                rc = mark_lines(of, frame->old, frame->old_count, state);
            else if (frame->changed == (state == FRESH))
                rc = mark_lines(of, frame->lines, frame->count, state);
        }
    return rc;
}

/* Keeps the symbols that unchanged frames have, or that no frame ever had. */
static int keep_symbols(struct td_series *symbols, const struct td_map *of)
{
    uint64_t count = td_series_count(symbols);
    int64_t *rows = malloc((count + 1) * TD_SYMBOL_COLUMN_COUNT * sizeof *rows);
    int rc = rows ? 0 : TD_E_NOMEM;
    for (uint64_t i = 0; rc == 0 && i < count; i++)
        td_series_row(symbols, i, rows + i * TD_SYMBOL_COLUMN_COUNT);
    if (rc == 0)
        td_series_clear(symbols);
    for (uint64_t i = 0; rc == 0 && i < count; i++) {
        const int64_t *row = rows + i * TD_SYMBOL_COLUMN_COUNT;
        uint32_t state = td_map_get(of, (uint64_t)row[TD_SYMBOL_ADDRESS], 0);
        if (!state || state == USED)
            rc = td_series_append(symbols, row);
    }
    free(rows);
    return rc;
}

static int add_symbols(struct td_series *symbols, const struct td_stack_frame *frame, struct td_map *of)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < frame->count; i++)
        if (td_map_get(of, frame->lines[i].symbol, 0) == FRESH) {
            rc = append_symbol(symbols, frame, &frame->lines[i]);
            rc = rc ? rc : td_map_set(of, frame->lines[i].symbol, USED);
        }
    return rc;
}

static int write_symbols(const struct td_stack_frames *frames, struct td_trace *trace)
{
    struct td_series *symbols = td_trace_fill_table(trace, TD_TABLE_SYMBOL);
    struct td_map of = {0};
    int rc = symbols ? mark_symbols(frames, &of) : TD_E_NOMEM;
    if (rc >= 0)
        rc = keep_symbols(symbols, &of);
    for (size_t i = 0; rc == 0 && i < frames->count; i++)
        if (frames->at[i].changed)
            rc = add_symbols(symbols, &frames->at[i], &of);
    td_map_finish(&of);
    return rc;
}

/* Writes the table of the innermost symbol at each address. */
static int write_symbols_of(const struct td_stack_frames *frames, struct td_trace *trace)
{
    struct td_series *table = td_trace_fill_table(trace, TD_TABLE_SYMBOL_OF);
    struct td_map row_of = {0};
    uint64_t count = table ? td_series_count(table) : 0;
    int64_t *rows = table ? malloc((count + 1) * TD_SYMBOL_OF_COLUMN_COUNT * sizeof *rows) : NULL;
    int rc = rows ? 0 : TD_E_NOMEM;
    for (uint64_t i = 0; rc >= 0 && i < count; i++) {
        int64_t *row = rows + i * TD_SYMBOL_OF_COLUMN_COUNT;
        td_series_row(table, i, row);
        rc = td_map_set(&row_of, (uint64_t)row[TD_SYMBOL_OF_ADDRESS], (uint32_t)i);
    }
    for (size_t i = 0; rc >= 0 && i < frames->count; i++) {
        const struct td_stack_frame *frame = &frames->at[i];
        uint32_t row =
            frame->changed && frame->count ? td_map_get(&row_of, frame->address, UINT32_MAX) : UINT32_MAX;
        if (row != UINT32_MAX)
            rows[row * TD_SYMBOL_OF_COLUMN_COUNT + TD_SYMBOL_OF_SYMBOL] = (int64_t)frame->lines[0].symbol;
    }
    if (rc >= 0)
        td_series_clear(table);
    for (uint64_t i = 0; rc >= 0 && i < count; i++)
        rc = td_series_append(table, rows + i * TD_SYMBOL_OF_COLUMN_COUNT);
    free(rows);
    td_map_finish(&row_of);
    return rc;
}

int td_stack_frames_write(const struct td_stack_frames *frames, struct td_trace *trace, struct td_err *err)
{
    if (write_frames(frames, trace) < 0 || write_symbols(frames, trace) < 0 ||
        write_symbols_of(frames, trace) < 0)
        return td_fail_no_memory(err, "for call stack frames");
    return 0;
}
