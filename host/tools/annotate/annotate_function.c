#include "host/tools/annotate/annotate.h"

#define CONTEXT 3 /* lines around those that are known to be the function's */

static void widen(struct annotate_function *f, uint32_t line)
{
    if (!line)
        return;
    f->first = !f->first || line < f->first ? line : f->first;
    f->last = line > f->last ? line : f->last;
}

/* From the function's first line to its last: those of its instructions and samples, and a few around. */
static void find_lines(struct annotate_function *f)
{
    widen(f, f->sum->line);
    for (size_t i = 0; i < f->code.levels.count; i++)
        if (f->code.levels.at[i].file == f->sum->file && f->code.levels.at[i].symbol == f->sum->address)
            widen(f, f->code.levels.at[i].line);
    for (size_t i = 0; i < f->lines.count; i++)
        widen(f, f->lines.at[i].line);
    if (f->first) {
        f->first = f->first > CONTEXT ? f->first - CONTEXT : 1;
        f->last = f->last < UINT32_MAX - CONTEXT ? f->last + CONTEXT : f->last;
    }
}

int annotate_function_make(const struct annotate *a, const struct td_symbol_sum *sum,
                           struct annotate_function *function, struct td_err *err)
{
    const struct td_code_options options = {.att = a->att != 0};
    const struct td_level level = {.symbol = sum->address, .function = sum->name};
    *function = (struct annotate_function){.sum = sum};
    int rc = sum->address ? td_code_make(a->trace, &a->choice, &a->counts, sum->address, &options, NULL,
                                         &function->code, NULL)
                          : 0;
    if (rc == TD_E_NOTFOUND) /* an inlined function whose code is not in the trace */
        rc = 0;
    if (rc < 0)
        return td_fail_no_memory(err, "for machine code");
    if (a->processor && (rc = td_code_find_costs(&function->code, a->processor, err)) < 0)
        return rc;
    rc = td_line_sums_make(a->trace, &a->counts, sum->file, sum->address, NULL, &function->lines, err);
    rc = rc ? rc : td_source_text_open(&function->source, a->trace, sum->file, &a->paths, a->rules, err);
    if (rc == 0 && a->callers)
        rc = td_call_tree_make(a->trace, &a->counts,
                               &(struct td_call_tree_choice){.inlines = a->inlines || sum->is_inlined,
                                                             .anywhere = true,
                                                             .key = td_level_key(&level)},
                               NULL, &function->tree, err);
    find_lines(function);
    return rc;
}

void annotate_function_free(struct annotate_function *function)
{
    td_code_free(&function->code);
    td_line_sums_free(&function->lines);
    td_source_text_free(&function->source);
    td_call_tree_free(&function->tree);
}
