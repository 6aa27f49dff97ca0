#include "host/query/code/hardware.h"
#include "host/trace/tables.h"

const char *td_hardware_kind_name(enum td_hardware_kind kind)
{
    static const char *const names[TD_HARDWARE_KINDS] = {"cycles",       "retired",  "cache_references",
                                                         "cache_misses", "branches", "branch_misses"};
    return (unsigned)kind < TD_HARDWARE_KINDS ? names[kind] : "";
}

bool td_hardware_is_empty(const struct td_hardware *hardware)
{
    for (int k = 0; k < TD_HARDWARE_KINDS; k++)
        if (hardware->samples[k])
            return false;
    return true;
}

void td_hardware_add(struct td_hardware *to, const struct td_hardware *more)
{
    for (int k = 0; k < TD_HARDWARE_KINDS; k++)
        to->samples[k] += more->samples[k];
}

static bool divide(const struct td_hardware *h, enum td_hardware_kind over, enum td_hardware_kind under,
                   double *result)
{
    *result = h->samples[under] ? (double)h->samples[over] / (double)h->samples[under] : 0;
    return h->samples[under] != 0;
}

bool td_hardware_ipc(const struct td_hardware *hardware, double *ipc)
{
    return divide(hardware, TD_HARDWARE_RETIRED, TD_HARDWARE_CYCLES, ipc);
}

bool td_hardware_cache_miss_rate(const struct td_hardware *hardware, double *rate)
{
    return divide(hardware, TD_HARDWARE_CACHE_MISSES, TD_HARDWARE_CACHE_REFERENCES, rate);
}

bool td_hardware_branch_miss_rate(const struct td_hardware *hardware, double *rate)
{
    return divide(hardware, TD_HARDWARE_BRANCH_MISSES, TD_HARDWARE_BRANCHES, rate);
}

static uint64_t rows_before(const struct td_series *times, int64_t time_ns)
{
    return time_ns == INT64_MIN ? 0 : td_series_after(times, 0, time_ns - 1);
}

void td_hardware_of_row(const struct td_trace *trace, const struct td_samples_choice *choice, uint64_t row,
                        struct td_hardware *found)
{
    _Static_assert(TD_TABLE_HW_BRANCH_MISSES - TD_TABLE_HW_CYCLES == TD_HARDWARE_BRANCH_MISSES,
                   "kinds in the order of the tables");
    for (int k = 0; k < TD_HARDWARE_KINDS; k++) {
        const struct td_series *times = td_trace_list(trace, (enum td_table)(TD_TABLE_HW_CYCLES + k), row);
        found->samples[k] = td_series_count(times);
        if (choice->from_ns || choice->to_ns)
            found->samples[k] = rows_before(times, choice->to_ns) - rows_before(times, choice->from_ns);
    }
}

const char *td_hardware_rates_text(const struct td_hardware *hardware, char *text, size_t room)
{
    double value;
    int n = 0;
    *text = 0;
    if (td_hardware_ipc(hardware, &value))
        n += snprintf(text + n, room - (size_t)n, ", %.2f instructions a cycle", value);
    if (td_hardware_branch_miss_rate(hardware, &value))
        n += snprintf(text + n, room - (size_t)n, ", %.2f %% of branches missed", 100 * value);
    if (td_hardware_cache_miss_rate(hardware, &value))
        snprintf(text + n, room - (size_t)n, ", %.2f %% of cache references missed", 100 * value);
    return text;
}

void td_hardware_json(const struct td_hardware *hardware, struct td_json *j)
{
    if (td_hardware_is_empty(hardware))
        return;
    td_json_object(j, "hardware");
    for (int k = 0; k < TD_HARDWARE_KINDS; k++)
        td_json_uint(j, td_hardware_kind_name((enum td_hardware_kind)k), hardware->samples[k]);
    td_json_end_object(j);
}
