/* The table of GPU contexts. */
#include "host/query/table/forms.h"
#include "host/query/table/tables.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct gpu_context_rows {
    struct td_query_rows rows;
    struct context_sum {
        uint64_t tracks, zones;
    } * sums;
};
#define ROWS struct gpu_context_rows

static int64_t context_cell(const struct td_query_rows *rows, uint64_t context, unsigned column)
{
    return td_series_get(td_trace_table(rows->of.trace, TD_TABLE_GPU_CONTEXT), context, column);
}

static const char *gpu_type(int64_t type)
{
    static const char *const names[] = {"none",  "OpenGL", "Vulkan", "OpenCL", "Direct3D 12", "Direct3D 11",
                                        "Metal", "custom", "CUDA",   "ROCm",   "WebGPU"};
    if (type >= 0 && type < (int64_t)(sizeof names / sizeof *names))
        return names[type];
    return type == TD_GPU_TENSTORRENT ? "Tenstorrent" : "unknown";
}

static double real_cell(const struct td_query_rows *rows, uint64_t context, unsigned column)
{
    const int64_t bits = context_cell(rows, context, column);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* clang-format off */
#define GPU_CONTEXT_COLUMNS(X)                                                                                           \
    X(name,       "Context",    TEXT,   0,  td_is_string(rows->dict, context_cell(rows, i, TD_GPU_CONTEXT_NAME)))        \
    X(type,       "Type",       TEXT,   92, td_is_text(gpu_type(context_cell(rows, i, TD_GPU_CONTEXT_TYPE))))            \
    X(thread,     "Thread",     ID,     92, td_is_uint((uint64_t)context_cell(rows, i, TD_GPU_CONTEXT_THREAD)))          \
    X(calibrated, "Calibrated", BOOL,   76, td_is_bool(context_cell(rows, i, TD_GPU_CONTEXT_CALIBRATED) != 0))           \
    X(period_ns,  "Period",     NUMBER, 76, td_is_real(real_cell(rows, i, TD_GPU_CONTEXT_PERIOD)))                       \
    X(overflow,   "Overflow",   INTEGER, 76, td_is_uint((uint64_t)context_cell(rows, i, TD_GPU_CONTEXT_OVERFLOW)))       \
    X(tracks,     "Tracks",     COUNT,  76, td_is_uint(r->sums[i].tracks))                                               \
    X(zones,      "Zones",      COUNT,  84, td_is_uint(r->sums[i].zones))
/* clang-format on */
TD_QUERY_COLUMNS(GPU_CONTEXT_COLUMNS)

static int make_gpu_contexts(struct td_query_rows *rows)
{
    struct gpu_context_rows *r = (void *)rows;
    rows->count = td_series_count(td_trace_table(rows->of.trace, TD_TABLE_GPU_CONTEXT));
    r->sums = calloc(rows->count + 1, sizeof *r->sums);
    for (uint32_t t = 0; r->sums && t < td_dict_track_count(rows->dict); t++) {
        const uint32_t context = td_dict_get_track(rows->dict, t)->context;
        if (!context || context > rows->count)
            continue;
        r->sums[context - 1].tracks++;
        r->sums[context - 1].zones += td_trace_track_zones(rows->of.trace, t);
    }
    return r->sums ? 0 : TD_E_NOMEM;
}

TD_QUERY_FREES(free_gpu_contexts, free(r->sums))

static int json_notes(struct td_json *j, const struct td_query_rows *rows, uint64_t context)
{
    struct td_query_request request = rows->of;
    request.only = context + 1;
    return td_query_json_table(j, "notes", &td_table_gpu_notes, &request);
}

const struct td_query_table td_table_gpu_contexts = {
    .name = "gpu_contexts",
    .about = "a context of a GPU",
    TD_QUERY_WITH_COLUMNS,
    .make = make_gpu_contexts,
    .free = free_gpu_contexts,
    .json_more = json_notes,
};
