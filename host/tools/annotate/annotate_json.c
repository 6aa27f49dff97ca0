/* The JSON that tendril annotate prints (docs/samples.md). */
#include "host/tools/annotate/annotate.h"

static void put_string(const struct annotate *a, struct td_json *j, const char *key, uint32_t string)
{
    td_json_text(j, key, td_dict_text(a->dict, string), td_dict_text_bytes(a->dict, string));
}

static int put_functions(const struct annotate *a, struct td_json *j, const struct td_symbol_sums *sums)
{
    struct td_query_rows *rows = annotate_rows(a, sums);
    const int rc = rows ? td_query_json(j, "functions", rows, NULL) : TD_E_NOMEM;
    td_query_free(rows);
    return rc;
}

/* One function, as in the list of functions. */
static int put_function(const struct annotate *a, struct td_json *j, const struct td_symbol_sum *sum)
{
    const struct td_symbol_sums one = {
        .at = (struct td_symbol_sum *)sum, .count = 1, .samples = a->counts.total};
    struct td_query_rows *rows = annotate_rows(a, &one);
    if (!rows)
        return TD_E_NOMEM;
    td_json_object(j, "function");
    td_query_json_row(j, rows, 0);
    td_hardware_json(&sum->hardware, j);
    td_json_end_object(j);
    td_query_free(rows);
    return 0;
}

static void put_source(const struct annotate *a, struct td_json *j, const struct annotate_function *f)
{
    td_json_object(j, "source");
    put_string(a, j, "file", f->sum->file);
    td_json_string(j, "origin", td_source_origin_name(f->source.origin));
    td_json_string(j, "path", f->source.path);
    td_json_array(j, "lines");
    for (uint32_t line = f->first; line && line <= f->last; line++) {
        const struct td_line_sum *sum = td_line_sums_find(&f->lines, line);
        size_t bytes = 0;
        const char *text = td_source_text_line(&f->source, line, &bytes);
        if (!text && !sum)
            continue;
        td_json_object(j, NULL);
        td_json_uint(j, "line", line);
        if (text)
            td_json_text(j, "text", text, bytes);
        td_json_uint(j, "self", sum ? sum->self : 0);
        td_json_uint(j, "inlined", sum ? sum->inlined : 0);
        td_json_uint(j, "called", sum ? sum->called : 0);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_json_end_object(j);
}

static void put_levels(const struct annotate *a, struct td_json *j, const char *key,
                       const struct td_level *levels, size_t count)
{
    td_json_array(j, key);
    for (size_t i = 0; i < count; i++) {
        td_json_object(j, NULL);
        put_string(a, j, "function", levels[i].function);
        put_string(a, j, "file", levels[i].file);
        td_json_uint(j, "line", levels[i].line);
        td_json_uint(j, "address", levels[i].address);
        td_json_bool(j, "inlined", levels[i].is_inlined);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static const char *kind_name(uint8_t kind)
{
    static const char *const names[] = {"plain", "jump", "branch", "call", "return", "bytes"};
    return names[kind];
}

static void put_cost(struct td_json *j, const struct td_insn_cost *cost)
{
    td_json_uint(j, "latency_cycles", cost->latency_cycles);
    td_json_double(j, "throughput_cycles", cost->throughput_cycles);
    td_json_uint(j, "uops", cost->uops);
}

static void put_insn(const struct annotate *a, struct td_json *j, const struct td_code_view *code,
                     size_t index)
{
    const struct td_code_insn *row = &code->at[index];
    struct td_insn insn;
    td_code_text(code, index, &insn);
    td_json_object(j, NULL);
    td_json_uint(j, "address", row->address);
    td_json_uint(j, "length", row->length);
    if (row->length) {
        td_json_string(j, "mnemonic", insn.mnemonic);
        td_json_string(j, "operands", insn.operands);
        td_json_string(j, "kind", kind_name(row->kind));
    }
    if (row->has_target)
        td_json_uint(j, "target", row->target);
    td_json_uint(j, "self", row->self);
    td_json_uint(j, "called", row->called);
    if (code->costs && code->costs[index].known)
        put_cost(j, &code->costs[index]);
    td_hardware_json(&row->hardware, j);
    put_levels(a, j, "lines", code->levels.at + row->first_level, row->level_count);
    td_json_end_object(j);
}

static void put_code(const struct annotate *a, struct td_json *j, const struct td_code_view *code)
{
    td_json_object(j, "code");
    td_json_uint(j, "address", code->address);
    td_json_uint(j, "bytes", code->byte_count);
    put_string(a, j, "function", code->name);
    td_json_string(j, "architecture", td_code_arch_name(code->arch));
    td_json_string(j, "missing", code->missing);
    td_json_array(j, "instructions");
    for (size_t i = 0; i < code->count; i++)
        put_insn(a, j, code, i);
    td_json_end_array(j);
    td_json_end_object(j);
}

/* The tree as a list of nodes, parents first, with the number of each one's parent. */
static void put_callers(const struct annotate *a, struct td_json *j, const struct td_call_tree *tree)
{
    td_json_array(j, "callers");
    for (size_t i = 1; i < tree->count; i++) {
        const struct td_call_node *node = &tree->at[i];
        td_json_object(j, NULL);
        td_json_uint(j, "node", i);
        td_json_uint(j, "parent", node->parent);
        put_string(a, j, "function", node->name);
        td_json_uint(j, "address", node->address);
        td_json_uint(j, "samples", node->total);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static int put_waits(const struct annotate *a, struct td_json *j, const struct td_wait_stacks *waits)
{
    struct td_levels levels = {0};
    int rc = 0;
    td_json_array(j, "wait_stacks");
    for (size_t i = 0; i < waits->count && rc == 0; i++) {
        rc = td_levels_read(&levels, a->trace, waits->at[i].stack);
        td_json_object(j, NULL);
        td_json_uint(j, "count", waits->at[i].count);
        td_json_uint(j, "timed", waits->at[i].timed);
        td_json_int(j, "total_ns", waits->at[i].total_ns);
        td_json_int(j, "max_ns", waits->at[i].max_ns);
        td_json_int(j, "woken_ns", waits->at[i].woken_ns);
        put_levels(a, j, "stack", levels.at, levels.count);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_levels_free(&levels);
    return rc;
}

static void put_zone(const struct annotate *a, struct td_json *j, const struct annotate_zone *zone)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(a->dict, zone->srcloc);
    td_json_object(j, "zone");
    td_json_string(j, "name", zone->name);
    put_string(a, j, "function", loc->function);
    put_string(a, j, "file", loc->file);
    td_json_uint(j, "line", loc->line);
    td_json_bool(j, "kernel", zone->image != NULL);
    td_json_end_object(j);
}

int annotate_json(const struct annotate *a, const struct annotate_zone *zone,
                  const struct annotate_function *function, const struct td_wait_stacks *waits,
                  struct td_err *err)
{
    struct td_json j = {.to = a->to};
    int rc = 0;
    td_json_object(&j, NULL);
    td_json_uint(&j, "schema", 1);
    td_json_string(&j, "file", a->path);
    td_json_uint(&j, "samples", a->counts.total);
    td_json_bool(&j, "inlines", a->inlines);
    if (zone)
        put_zone(a, &j, zone);
    if (function) {
        rc = put_function(a, &j, function->sum);
        put_source(a, &j, function);
        put_code(a, &j, &function->code);
        if (a->callers)
            put_callers(a, &j, &function->tree);
    } else if (waits) {
        rc = put_waits(a, &j, waits);
    } else {
        rc = put_functions(a, &j, &a->sums);
    }
    td_json_end_object(&j);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}
