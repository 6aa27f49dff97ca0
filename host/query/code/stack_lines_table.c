/* The table of the functions of one call stack, that of the request's `only`; without one it has no rows, as all stacks
 * are in the model's tables. */
#include "host/query/code/stack_lines.h"

#include <stdlib.h>

struct stack_line_rows {
    struct td_query_rows rows;
    struct td_stack_place *at;
};
#define ROWS struct stack_line_rows
#define LINE (&r->at[i])

static struct td_query_value address_of(const struct td_stack_place *line, char *room)
{
    snprintf(room, TD_QUERY_ROOM, "0x%" PRIx64, line->address);
    return td_is_text(room);
}

/* clang-format off */
#define STACK_LINE_COLUMNS(X)                                                              \
    X(frame,    "#",        ID,   52,  td_is_uint(LINE->frame))                            \
    X(function, "Function", TEXT, 0,   td_is_text(LINE->function))                         \
    X(file,     "File",     TEXT, 250, td_is_text(LINE->file))                             \
    X(line,     "Line",     ID,   60,  td_is_uint(LINE->line))                             \
    X(source,   "Source",   TEXT, 330, td_is_place(LINE->file, LINE->line, room))          \
    X(image,    "Image",    TEXT, 180, td_is_text(LINE->image))                            \
    X(address,  "Address",  TEXT, 140, address_of(LINE, room))                             \
    X(inlined,  "Inlined",  BOOL, 66,  td_is_bool(LINE->is_inline))                        \
    X(kernel,   "Kernel",   BOOL, 66,  td_is_bool(LINE->is_kernel))                        \
    X(outside,  "Outside",  BOOL, 66,  td_is_bool(LINE->is_outside))
/* clang-format on */
TD_QUERY_COLUMNS(STACK_LINE_COLUMNS)

static int make_stack_lines(struct td_query_rows *rows)
{
    struct stack_line_rows *r = (void *)rows;
    const uint32_t stack = (uint32_t)(rows->of.only - 1);
    size_t all;
    if (!rows->of.only)
        return 0;
    td_stack_lines(rows->of.trace, stack, NULL, 0, &all);
    r->at = malloc((all + 1) * sizeof *r->at);
    if (!r->at)
        return TD_E_NOMEM;
    rows->count = td_stack_lines(rows->of.trace, stack, r->at, all, &all);
    return 0;
}

TD_QUERY_FREES(free_stack_lines, free(r->at))

const struct td_stack_place *td_stack_line_at(const struct td_query_rows *rows, uint64_t row)
{
    return &((const struct stack_line_rows *)rows)->at[row];
}

const struct td_query_table td_table_stack_lines = {
    .name = "stack_lines",
    .about = "a function of a call stack",
    TD_QUERY_WITH_COLUMNS,
    .make = make_stack_lines,
    .free = free_stack_lines,
    .json = "frame function file line image address inlined kernel outside",
    .lines = "frame function file line image address",
};
