/* A profile of pprof: the flame graph of zones, or of samples. A stack has a label with its track. The file is packed with
 * gzip. */
#include "host/event/map.h"
#include "host/tools/export/export_flame.h"
#include "host/tools/export/protobuf.h"
#include "host/tools/files/text_output.h"
#include "proto/pprof.h"

struct pprof_out {
    const struct td_trace *trace;
    const struct td_dict *dict;
    bool samples;
    int64_t period_ns; /* between two samples; 0: not known */
    struct td_flame flame;
    struct td_name_table strings;
    struct td_map functions, locations;
    struct td_byte_buffer out;
    bool failed; /* no memory */
};

/* ---- strings ---- */

static uint64_t string_of(struct pprof_out *p, const char *text, size_t bytes)
{
    const uint32_t number = td_name_table_number(&p->strings, text, bytes);
    p->failed |= number == UINT32_MAX;
    return number == UINT32_MAX ? 0 : number;
}

static uint64_t word_of(struct pprof_out *p, const char *text)
{
    return string_of(p, text, strlen(text));
}

static void put_strings(struct pprof_out *p)
{
    for (uint32_t i = 0; i < td_pool_count(&p->strings.names.pool); i++)
        protobuf_name(&p->out, TD_PPROF_PROFILE_STRING_TABLE, td_name_table_at(&p->strings, i));
}

/* ---- what the values are ---- */

static void put_type(struct pprof_out *p, unsigned field, const char *type, const char *unit)
{
    const size_t message = protobuf_begin(&p->out, field);
    protobuf_uint(&p->out, TD_PPROF_VALUE_TYPE_TYPE, word_of(p, type));
    protobuf_uint(&p->out, TD_PPROF_VALUE_TYPE_UNIT, word_of(p, unit));
    protobuf_end(&p->out, message);
}

static void put_types(struct pprof_out *p)
{
    put_type(p, TD_PPROF_PROFILE_SAMPLE_TYPE, p->samples ? "samples" : "zones", "count");
    if (!p->samples)
        put_type(p, TD_PPROF_PROFILE_SAMPLE_TYPE, "time", "nanoseconds");
    if (!p->samples || !p->period_ns)
        return;
    put_type(p, TD_PPROF_PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
    put_type(p, TD_PPROF_PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
    protobuf_uint(&p->out, TD_PPROF_PROFILE_PERIOD, (uint64_t)p->period_ns);
}

/* ---- functions and locations ---- */

struct pprof_place {
    uint32_t function, file, line; /* strings of the trace */
};

static struct pprof_place place_of(const struct pprof_out *p, const struct td_call_node *node)
{
    if (p->samples)
        return (struct pprof_place){.file = node->file, .line = node->line};
    const struct td_srcloc *at = td_dict_get_srcloc(p->dict, node->place);
    return (struct pprof_place){at->function, at->file, at->line};
}

/* The number of a key, from 1. *is_new: it had none. */
static uint64_t number_of(struct pprof_out *p, struct td_map *map, uint64_t key, bool *is_new)
{
    const int added = td_map_add(map, key, (uint32_t)map->count + 1);
    p->failed |= added < 0;
    *is_new = added == 1;
    return td_map_get(map, key, 0);
}

static uint64_t name_of(struct pprof_out *p, const struct td_call_node *node)
{
    return word_of(p, td_name_table_at(&p->flame.names, node->name));
}

static uint64_t function_of(struct pprof_out *p, const struct td_call_node *node,
                            const struct pprof_place *place)
{
    bool is_new;
    const uint64_t name = name_of(p, node);
    const uint64_t number = number_of(p, &p->functions, name << 32 | place->file, &is_new);
    if (!is_new)
        return number;
    const size_t function = protobuf_begin(&p->out, TD_PPROF_PROFILE_FUNCTION);
    protobuf_uint(&p->out, TD_PPROF_FUNCTION_ID, number);
    protobuf_uint(&p->out, TD_PPROF_FUNCTION_NAME, name);
    if (place->function)
        protobuf_uint(&p->out, TD_PPROF_FUNCTION_SYSTEM_NAME,
                      string_of(p, td_dict_text(p->dict, place->function),
                                td_dict_text_bytes(p->dict, place->function)));
    protobuf_uint(&p->out, TD_PPROF_FUNCTION_FILENAME,
                  string_of(p, td_dict_text(p->dict, place->file), td_dict_text_bytes(p->dict, place->file)));
    protobuf_end(&p->out, function);
    return number;
}

static uint64_t location_of(struct pprof_out *p, const struct td_call_node *node)
{
    const struct pprof_place place = place_of(p, node);
    const uint64_t function = function_of(p, node, &place);
    bool is_new;
    const uint64_t number = number_of(p, &p->locations, function << 32 | place.line, &is_new);
    if (!is_new)
        return number;
    const size_t location = protobuf_begin(&p->out, TD_PPROF_PROFILE_LOCATION);
    protobuf_uint(&p->out, TD_PPROF_LOCATION_ID, number);
    if (p->samples)
        protobuf_uint(&p->out, TD_PPROF_LOCATION_ADDRESS, node->address);
    const size_t line = protobuf_begin(&p->out, TD_PPROF_LOCATION_LINE);
    protobuf_uint(&p->out, TD_PPROF_LINE_FUNCTION_ID, function);
    protobuf_uint(&p->out, TD_PPROF_LINE_LINE, place.line);
    protobuf_end(&p->out, line);
    protobuf_end(&p->out, location);
    return number;
}

/* ---- samples ---- */

static void put_label(struct pprof_out *p, uint64_t track)
{
    const size_t label = protobuf_begin(&p->out, TD_PPROF_SAMPLE_LABEL);
    protobuf_uint(&p->out, TD_PPROF_LABEL_KEY, word_of(p, "track"));
    protobuf_uint(&p->out, TD_PPROF_LABEL_STR, track);
    protobuf_end(&p->out, label);
}

static bool is_function(const struct td_call_node *node)
{
    return node->parent != TD_CALL_NONE && !node->lane;
}

/* Locations come before the sample that has them. */
static void put_stack(struct pprof_out *p, uint32_t number)
{
    const struct td_call_node *const nodes = p->flame.tree.at, *const node = &nodes[number];
    const struct td_call_node *at;
    for (at = node; is_function(at); at = &nodes[at->parent])
        location_of(p, at);
    const size_t sample = protobuf_begin(&p->out, TD_PPROF_PROFILE_SAMPLE);
    for (at = node; is_function(at); at = &nodes[at->parent])
        protobuf_uint(&p->out, TD_PPROF_SAMPLE_LOCATION_ID, location_of(p, at));
    protobuf_uint(&p->out, TD_PPROF_SAMPLE_VALUE, p->samples ? node->self : node->zones);
    if (!p->samples)
        protobuf_uint(&p->out, TD_PPROF_SAMPLE_VALUE, node->self);
    else if (p->period_ns)
        protobuf_uint(&p->out, TD_PPROF_SAMPLE_VALUE, node->self * (uint64_t)p->period_ns);
    if (at->lane)
        put_label(p, name_of(p, at));
    protobuf_end(&p->out, sample);
}

static int put_all(struct pprof_out *p, FILE *to, struct td_err *err)
{
    const struct td_trace_info *info = td_trace_get_info(p->trace);
    const struct td_call_tree *tree = &p->flame.tree;
    string_of(p, "", 0);
    put_types(p);
    /* Not by number, which the threads that made the tree have chosen. */
    for (uint32_t at = 0; (at = td_call_tree_next(tree, at, 0, true)) != TD_CALL_NONE;)
        if (tree->at[at].self || (!tree->at[at].lane && tree->at[at].zones))
            put_stack(p, at);
    protobuf_uint(&p->out, TD_PPROF_PROFILE_TIME_NS, info->capture_time_s * UINT64_C(1000000000));
    protobuf_uint(&p->out, TD_PPROF_PROFILE_DURATION_NS, (uint64_t)info->last_time_ns);
    put_strings(p);
    if (p->failed || p->out.failed)
        return td_fail_no_memory(err, NULL);
    fwrite(p->out.bytes, 1, p->out.used, to);
    return 0;
}

int export_pprof(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, true, err);
    struct pprof_out p = {.trace = work->trace,
                          .dict = td_trace_dict(work->trace),
                          .samples = work->samples,
                          .period_ns = td_trace_get_info(work->trace)->sampling_period_ns};
    rc = rc ? rc : export_flame_make(work, &p.flame, err);
    rc = rc ? rc : put_all(&p, output.to, err);
    td_flame_free(&p.flame);
    td_name_table_free(&p.strings);
    td_map_finish(&p.functions);
    td_map_finish(&p.locations);
    td_byte_buffer_free(&p.out);
    return text_output_close(&output, rc, err);
}
