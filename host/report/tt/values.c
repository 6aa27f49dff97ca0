#include "host/report/tt/values.h"
#include "host/report/tt/python_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row that is being filled. */
struct row_filler {
    const struct td_report_rows *rows;
    const struct td_report_row *row;
    struct td_columns *columns;
    struct td_row_values *values;
    struct td_text_arena *arena;
    bool no_memory;
};

static void set_text(struct row_filler *f, size_t column, struct td_tt_text value)
{
    if (value.bytes && td_row_values_set(f->values, f->columns, column, value) < 0)
        f->no_memory = true;
}
static void set_number(struct row_filler *f, size_t column, int64_t value)
{
    set_text(f, column, td_text_arena_print(f->arena, "%" PRId64, value));
}
static void set_json(struct row_filler *f, size_t column, const cJSON *value)
{
    if (value && !cJSON_IsNull(value))
        set_text(f, column, td_python_text(f->arena, value));
}
static void set_named(struct row_filler *f, const char *name, struct td_tt_text value)
{
    if (value.bytes)
        set_text(f, td_columns_number(f->columns, td_tt_text_of(name)), value);
}

/* A length of the device's clock as whole ns, rounded as tt-metal's scripts do (half to even). */
static struct td_tt_text text_of_ns(struct td_text_arena *arena, const struct td_op_clock *clock,
                                    double length)
{
    const double ns = clock->cycles && clock->mhz > 0 ? length * 1000 / clock->mhz : length;
    return td_text_arena_print(arena, "%.0f", ns);
}

int64_t td_report_cycle(const struct td_op_clock *clock, const struct td_chip_clock *chip, int64_t time)
{
    return clock->cycles ? time : td_wrap_add(chip->zero_cycle, td_op_cycles(clock, time));
}

static void set_ns(struct row_filler *f, size_t column, int64_t length)
{
    set_text(f, column, text_of_ns(f->arena, &f->row->op.clock, (double)length));
}

static bool has_both(int64_t start, int64_t end)
{
    return start != TD_OP_NO_TIME && end != TD_OP_NO_TIME;
}
static void set_length(struct row_filler *f, size_t column, int64_t start, int64_t end)
{
    if (has_both(start, end))
        set_ns(f, column, td_op_length(start, end));
}

/* The latency of the first operation of a device is 0. */
static void set_latency(struct row_filler *f, size_t column, int64_t start, int64_t latency)
{
    if (start == TD_OP_NO_TIME)
        return;
    const double ns = latency == TD_OP_NO_TIME ? 0 : td_op_ns(&f->row->op.clock, latency);
    set_text(f, column, td_text_arena_print(f->arena, "%.0f", ns));
}

static void set_device(struct row_filler *f)
{
    static const enum td_tt_ops_column risc_column[] = {TD_TT_OPS_BRISC_DURATION,  TD_TT_OPS_NCRISC_DURATION,
                                                        TD_TT_OPS_TRISC0_DURATION, TD_TT_OPS_TRISC1_DURATION,
                                                        TD_TT_OPS_TRISC2_DURATION, TD_TT_OPS_ERISC_DURATION};
    const struct td_op_sum *op = &f->row->op;
    const struct td_chip_clock chip = f->rows->chip(f->rows->self, op->device);
    set_number(f, TD_TT_OPS_CALL_COUNT, op->run_id);
    set_number(f, TD_TT_OPS_DEVICE_ID, op->device);
    set_text(f, TD_TT_OPS_DEVICE_ARCH, td_text_arena_copy(f->arena, chip.arch, strlen(chip.arch)));
    set_number(f, TD_TT_OPS_CORE_COUNT, op->core_count);
    if (chip.worker_cores)
        set_number(f, TD_TT_OPS_WORKER_COUNT, chip.worker_cores);
    if (op->fw.first_start != TD_OP_NO_TIME)
        set_number(f, TD_TT_OPS_FW_START, td_report_cycle(&op->clock, &chip, op->fw.first_start));
    if (op->fw.last_end != TD_OP_NO_TIME)
        set_number(f, TD_TT_OPS_FW_END, td_report_cycle(&op->clock, &chip, op->fw.last_end));
    set_latency(f, TD_TT_OPS_OP_TO_OP, op->kernel.first_start, op->latency);
    set_latency(f, TD_TT_OPS_OP_TO_OP_DM, op->data_kernel.first_start, op->data_latency);
    set_length(f, TD_TT_OPS_FW_DURATION, op->fw.first_start, op->fw.last_end);
    set_length(f, TD_TT_OPS_KERNEL_DURATION, op->kernel.first_start, op->kernel.last_end);
    set_length(f, TD_TT_OPS_KERNEL_DM_START, op->data_kernel.first_start, op->kernel.last_end);
    if (has_both(op->kernel.first_start, op->kernel.last_end)) {
        set_ns(f, TD_TT_OPS_KERNEL_CORE_MIN, op->per_core_min);
        set_ns(f, TD_TT_OPS_KERNEL_CORE_MAX, op->per_core_max);
        set_text(f, TD_TT_OPS_KERNEL_CORE_AVG, text_of_ns(f->arena, &op->clock, op->per_core_avg));
        set_length(f, TD_TT_OPS_FIRST_TO_LAST_START, op->kernel.first_start, op->kernel.last_start);
    }
    for (unsigned r = 0; r < sizeof risc_column / sizeof *risc_column; r++)
        set_length(f, risc_column[r], op->risc[r].first_start, op->risc[r].last_end);
    if (op->cb_wait_front >= 0)
        set_ns(f, TD_TT_OPS_CB_WAIT_FRONT, op->cb_wait_front);
    if (op->cb_reserve_back >= 0)
        set_ns(f, TD_TT_OPS_CB_RESERVE_BACK, op->cb_reserve_back);
    if (op->trace != TD_OP_NO_TRACE)
        set_number(f, TD_TT_OPS_TRACE_ID, op->trace);
    if (op->trace != TD_OP_NO_TRACE && op->replay != TD_OP_NO_TRACE)
        set_number(f, TD_TT_OPS_REPLAY, op->replay);
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* "DEV_0_L1_INTERLEAVED" */
static struct td_tt_text memory_text(struct row_filler *f, const cJSON *storage)
{
    const cJSON *config = member(storage, "memory_config");
    const char *buffer = cJSON_GetStringValue(member(config, "buffer_type"));
    const char *layout = cJSON_GetStringValue(member(config, "memory_layout"));
    if (!buffer || !layout)
        return td_python_text(f->arena, storage);
    const struct td_tt_text device = td_python_text(f->arena, member(storage, "device_id"));
    char text[200];
    snprintf(text, sizeof text, "DEV_%.*s_%s_%s", (int)device.bytes, device.at, buffer, layout);
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return td_text_arena_copy(f->arena, text, strlen(text));
}

static void set_tensor(struct row_filler *f, const cJSON *tensor, bool output, unsigned number)
{
    static const char *const parts[] = {"W", "Z", "Y", "X", "layout", "dtype"};
    const cJSON *shape = member(tensor, "shape");
    for (unsigned part = 0; part < TD_TT_TENSOR_COLUMN_COUNT; part++) {
        char name[64];
        td_tt_tensor_column_name(name, sizeof name, output, number, (enum td_tt_tensor_column)part, true);
        if (part == TD_TT_TENSOR_MEMORY)
            set_named(f, name, memory_text(f, member(tensor, "storage_type")));
        else
            set_named(
                f, name,
                td_python_text(f->arena, member(part <= TD_TT_TENSOR_SHAPE_X ? shape : tensor, parts[part])));
    }
}

static unsigned set_tensors(struct row_filler *f, const cJSON *tensors, bool output, unsigned number)
{
    const cJSON *tensor;
    cJSON_ArrayForEach(tensor, tensors)
    {
        set_tensor(f, tensor, output, number++);
    }
    return number;
}

/* Of all kernels in the list, one member of each, as a list. */
static void set_kernels(struct row_filler *f, size_t column, const cJSON *kernels, const char *name)
{
    cJSON *list = kernels ? cJSON_CreateArray() : NULL;
    const cJSON *kernel;
    f->no_memory |= kernels && !list;
    if (!list)
        return;
    cJSON_ArrayForEach(kernel, kernels)
    {
        const cJSON *value = member(kernel, name);
        cJSON *copy = value ? cJSON_Duplicate(value, true) : NULL;
        if (copy && !cJSON_AddItemToArray(list, copy))
            cJSON_Delete(copy);
    }
    set_json(f, column, list);
    cJSON_Delete(list);
}

/* "TENSIX DM 0 MAX KERNEL SIZE [B]" of tensix_dm_0_max_kernel_size. */
static void set_kernel_size(struct row_filler *f, const cJSON *size)
{
    char name[96];
    snprintf(name, sizeof name, "%.80s [B]", size->string);
    for (char *c = name; *c != '['; c++)
        *c = *c == '_' ? ' ' : (char)toupper((unsigned char)*c);
    set_named(f, name, td_python_text(f->arena, size));
}

static void set_kernel_info(struct row_filler *f, const cJSON *info)
{
    const cJSON *compute = member(info, "compute_kernels"), *data = member(info, "datamovement_kernels");
    const cJSON *kernel;
    cJSON_ArrayForEach(kernel, compute)
    {
        set_json(f, TD_TT_OPS_MATH_FIDELITY, member(kernel, "math_fidelity"));
    }
    set_kernels(f, TD_TT_OPS_COMPUTE_SOURCE, compute, "source");
    set_kernels(f, TD_TT_OPS_COMPUTE_HASH, compute, "name");
    set_kernels(f, TD_TT_OPS_DM_SOURCE, data, "source");
    set_kernels(f, TD_TT_OPS_DM_HASH, data, "name");
    cJSON_ArrayForEach(kernel, member(info, "kernel_sizes"))
    {
        set_kernel_size(f, kernel);
    }
}

/* Three decimals, at least one of them. */
static struct td_tt_text percent_text(struct row_filler *f, double percent)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.3f", percent);
    while (n > 2 && text[n - 1] == '0' && text[n - 2] != '.')
        n--;
    return td_text_arena_copy(f->arena, text, (size_t)n);
}

static void set_performance_model(struct row_filler *f, const cJSON *model)
{
    const struct td_op_sum *op = &f->row->op;
    const cJSON *compute = member(model, "compute_ns");
    set_json(f, TD_TT_OPS_PM_IDEAL, member(model, "ideal_ns"));
    set_json(f, TD_TT_OPS_PM_COMPUTE, compute);
    set_json(f, TD_TT_OPS_PM_BANDWIDTH, member(model, "bandwidth_ns"));
    set_json(f, TD_TT_OPS_PM_INPUT_BW, member(model, "input_bws"));
    set_json(f, TD_TT_OPS_PM_OUTPUT_BW, member(model, "output_bws"));
    if (!cJSON_IsNumber(compute) || !f->row->has_device ||
        !has_both(op->kernel.first_start, op->kernel.last_end))
        return;
    const double ns = rint(td_op_ns(&op->clock, td_op_length(op->kernel.first_start, op->kernel.last_end)));
    set_text(f, TD_TT_OPS_PM_FPU, percent_text(f, ns > 0 ? 100 * compute->valuedouble / ns : 0));
}

/* Members of the JSON whose name is that of a column. */
static void set_plain(struct row_filler *f, const cJSON *json)
{
    static const struct {
        const char *name;
        size_t column;
    } plain[] = {
        {"op_code", TD_TT_OPS_OP_CODE},
        {"op_type", TD_TT_OPS_OP_TYPE},
        {"device_id", TD_TT_OPS_DEVICE_ID},
        {"attributes", TD_TT_OPS_ATTRIBUTES},
        {"parallelization_strategy", TD_TT_OPS_PARALLELIZATION},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        set_json(f, plain[i].column, member(json, plain[i].name));
    if (!f->row->has_device)
        set_json(f, TD_TT_OPS_CORE_COUNT, member(member(json, "core_usage"), "count"));
}

static void set_from_json(struct row_filler *f, const cJSON *json)
{
    set_plain(f, json);
    const unsigned inputs = set_tensors(f, member(json, "input_tensors"), false, 0);
    set_tensors(f, member(json, "optional_input_tensors"), false, inputs);
    set_tensors(f, member(json, "output_tensors"), true, 0);
    set_kernel_info(f, member(json, "kernel_info"));
    set_performance_model(f, member(json, "performance_model"));
}

static void set_calls(struct row_filler *f, const struct td_host_op *host)
{
    const struct td_host_ops *ops = f->rows->host;
    for (uint32_t c = host->calls; c != UINT32_MAX; c = ops->calls[c].next) {
        const struct td_tt_text name = ops->call_names[ops->calls[c].name];
        char column[200];
        snprintf(column, sizeof column, "%.*s%s", (int)(name.bytes < 150 ? name.bytes : 150), name.at,
                 TD_TT_HOST_FUNC);
        set_named(f, column, td_text_arena_print(f->arena, "%" PRId64, ops->calls[c].total_ns));
    }
}

static void set_host_times(struct row_filler *f, const struct td_host_op *host)
{
    set_number(f, TD_TT_OPS_HOST_START,
               host->zone_start_ns != TD_OP_NO_TIME ? host->zone_start_ns : host->time_ns);
    if (!has_both(host->zone_start_ns, host->zone_end_ns))
        return;
    set_number(f, TD_TT_OPS_HOST_END, host->zone_end_ns);
    set_number(f, TD_TT_OPS_HOST_DURATION, td_op_length(host->zone_start_ns, host->zone_end_ns));
}

static void set_host(struct row_filler *f, const struct td_host_op *host, const cJSON *json)
{
    const bool device = host->kind == TD_TT_MESSAGE_DEVICE_OP;
    set_text(f, TD_TT_OPS_OP_CODE, host->name);
    set_text(f, TD_TT_OPS_OP_TYPE, td_tt_text_of(device ? TD_TT_OP_TYPE_DEVICE : TD_TT_OP_TYPE_FALLBACK));
    set_number(f, TD_TT_OPS_CALL_COUNT, (int64_t)host->id);
    if (device)
        set_number(f, TD_TT_OPS_DEVICE_ID, host->device);
    set_host_times(f, host);
    if (device)
        set_text(f, TD_TT_OPS_PROGRAM_HASH, td_text_arena_print(f->arena, "%" PRIu64, host->hash));
    if (host->cache_hit != TD_TT_CACHE_NOT_SAID)
        set_text(f, TD_TT_OPS_CACHE_HIT,
                 td_tt_text_of(host->cache_hit == TD_TT_CACHE_HIT ? "True" : "False"));
    else
        set_json(f, TD_TT_OPS_CACHE_HIT, member(json, "program_cache_hit"));
    if (!f->row->has_device && host->trace != TD_OP_NO_TRACE)
        set_number(f, TD_TT_OPS_TRACE_ID, host->trace);
    set_from_json(f, json);
    set_calls(f, host);
}

/* A row of an imported report: its values as they were. */
static void set_reported(struct row_filler *f, const cJSON *report)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, report)
    {
        set_named(f, value->string, td_python_text(f->arena, value));
    }
}

static void set_signpost(struct row_filler *f, const struct td_host_signpost *signpost)
{
    set_text(f, TD_TT_OPS_OP_CODE, signpost->header);
    set_text(f, TD_TT_OPS_OP_TYPE, td_tt_text_of(TD_TT_OP_TYPE_SIGNPOST));
    set_text(f, TD_TT_OPS_ATTRIBUTES, signpost->text);
    set_number(f, TD_TT_OPS_HOST_START, td_wrap_add(f->rows->host_zero_ns, signpost->time_ns));
}

/* ---- what kernels measured */

/* Bytes that a link of the NoC carries in a cycle. */
static unsigned link_width(const char *arch)
{
    return strncmp(arch, "blackhole", 9) == 0 ? 64 : 32;
}

/* The share of all links of both NoCs that carried data while the kernels ran. */
static void set_noc(struct row_filler *f, const struct td_op_measured *measured)
{
    const struct td_op_sum *op = &f->row->op;
    const struct td_chip_clock chip = f->rows->chip(f->rows->self, op->device);
    if (!measured->has_noc || !has_both(op->kernel.first_start, op->kernel.last_end))
        return;
    const double cycles =
        (double)td_op_cycles(&op->clock, td_op_length(op->kernel.first_start, op->kernel.last_end));
    const double most = (double)measured->links * link_width(chip.arch) * cycles;
    if (!(most > 0))
        return;
    set_text(f, TD_TT_OPS_NOC_UTIL, percent_text(f, 100 * (double)measured->link_bytes / most));
    set_text(f, TD_TT_OPS_MULTICAST_UTIL, percent_text(f, 100 * (double)measured->multicast_bytes / most));
}

/* tt-metal's names of counters in its reports; others have the names that the chip's documentation gives
 * them. */
static const struct {
    const char *counter, *label, *average;
} counter_labels[] = {
    {"SFPU_COUNTER", "SFPU Util", "Avg SFPU util on full grid (%)"},
    {"FPU_COUNTER", "FPU Util", "Avg FPU util on full grid (%)"},
    {"MATH_COUNTER", "MATH Util", "Avg Math util on full grid (%)"},
};

static void set_counter_value(struct row_filler *f, const char *label, int label_bytes, const char *statistic,
                              double value)
{
    char column[128];
    snprintf(column, sizeof column, "%.*s %s (%%)", label_bytes, label, statistic);
    set_named(f, column, percent_text(f, value));
}

static void set_counter(struct row_filler *f, const struct td_op_counter *counter)
{
    const struct td_chip_clock chip = f->rows->chip(f->rows->self, f->row->op.device);
    const uint32_t grid = chip.worker_cores > counter->cores ? chip.worker_cores : counter->cores;
    const char *label = counter->name, *average = NULL;
    int bytes = (int)strcspn(counter->name, ":");
    for (size_t i = 0; i < sizeof counter_labels / sizeof *counter_labels; i++)
        if (strlen(counter_labels[i].counter) == (size_t)bytes &&
            !strncmp(counter_labels[i].counter, counter->name, (size_t)bytes)) {
            label = counter_labels[i].label;
            average = counter_labels[i].average;
            bytes = (int)strlen(label);
            break;
        }
    set_counter_value(f, label, bytes, "Min", counter->min);
    set_counter_value(f, label, bytes, "Median", counter->median);
    set_counter_value(f, label, bytes, "Max", counter->max);
    if (average)
        set_named(f, average, percent_text(f, counter->sum / grid));
    else
        set_counter_value(f, label, bytes, "Avg", counter->sum / counter->cores);
}

static void set_measured(struct row_filler *f)
{
    const struct td_op_clock ns = {0, false};
    struct td_op_measured measured;
    if (!f->rows->measures || !td_op_measures_get(f->rows->measures, &f->row->op, &measured))
        return;
    set_noc(f, &measured);
    if (measured.dispatch_ns >= 0)
        set_text(f, TD_TT_OPS_DISPATCH_TOTAL, text_of_ns(f->arena, &ns, (double)measured.dispatch_ns));
    if (measured.go_ns >= 0)
        set_text(f, TD_TT_OPS_DISPATCH_GO_SEND, text_of_ns(f->arena, &ns, (double)measured.go_ns));
    for (size_t i = 0; i < measured.counter_count; i++)
        set_counter(f, &measured.counters[i]);
    free(measured.counters);
}

int td_report_values(const struct td_report_rows *rows, const struct td_report_row *row,
                     struct td_columns *columns, struct td_row_values *values, struct td_text_arena *arena)
{
    struct row_filler f = {rows, row, columns, values, arena, false};
    const struct td_host_op *host = td_report_row_host(rows, row);
    cJSON *json = host && host->json.bytes ? cJSON_ParseWithLength(host->json.at, host->json.bytes) : NULL;
    td_row_values_clear(values);
    if (row->signpost != UINT32_MAX)
        set_signpost(&f, &rows->host->signposts[row->signpost]);
    else if (host && host->reported && !row->has_device && member(json, "report"))
        set_reported(&f, member(json, "report"));
    else {
        if (host)
            set_host(&f, host, json);
        else
            set_text(&f, TD_TT_OPS_OP_CODE, td_report_row_name(rows, row));
        if (row->has_device)
            set_device(&f);
        if (row->has_device)
            set_measured(&f);
    }
    cJSON_Delete(json);
    return f.no_memory || arena->no_memory ? TD_E_NOMEM : 0;
}
