/* The table of functions by their samples, or of source files or images by those of their functions. */
#include "host/query/code/ghosts.h"
#include "host/query/code/sample_tables.h"

#include <stdlib.h>

struct symbol_rows {
    struct td_query_rows rows;
    struct td_symbol_sums sums;
    double period_ns;
    bool by_function, is_given;
};
#define ROWS struct symbol_rows
#define SUM  (&r->sums.at[i])

static const char *name_of(const struct symbol_rows *r, uint64_t i)
{
    return td_symbol_sum_name(r->rows.of.trace, SUM);
}

static struct td_query_value name_in_list(const struct symbol_rows *r, uint64_t i, char *room)
{
    snprintf(room, TD_QUERY_ROOM, "%s%s", name_of(r, i), SUM->is_inlined ? "  (inlined)" : "");
    return td_is_text(room);
}

/* How often the function was sampled by a counter of the processor. */
static struct td_query_value hardware_of(const struct symbol_rows *r, uint64_t i, enum td_hardware_kind kind)
{
    return td_is_part(!td_hardware_is_empty(&SUM->hardware), td_is_uint(SUM->hardware.samples[kind]));
}

/* "NAME (inlined)  FILE:LINE, 0.50 instructions a cycle" */
static struct td_query_value described(const struct symbol_rows *r, uint64_t i, char *room)
{
    const struct td_dict *dict = r->rows.dict;
    const char *file = td_dict_text(dict, SUM->file);
    char line[16] = "", rates[160];
    if (*file && SUM->line)
        snprintf(line, sizeof line, ":%" PRIu32, SUM->line);
    snprintf(room, TD_QUERY_ROOM, "%s%s  %s%s%s", name_of(r, i), SUM->is_inlined ? " (inlined)" : "",
             *file ? file : td_dict_text(dict, SUM->image), line,
             td_hardware_rates_text(&SUM->hardware, rates, sizeof rates));
    return td_is_text(room);
}

static struct td_query_value address_of(const struct symbol_rows *r, uint64_t i, char *room)
{
    snprintf(room, TD_QUERY_ROOM, "0x%" PRIx64, SUM->address);
    return td_is_text(room);
}

static struct td_query_value share_of(const struct symbol_rows *r, uint64_t samples)
{
    return td_is_real(r->sums.samples ? (double)samples / (double)r->sums.samples : 0);
}

/* clang-format off */
#define SYMBOL_COLUMNS(X)                                                                                               \
    X(name,        "Name",       TEXT,     0,   td_is_text(name_of(r, i)))                                              \
    X(function,    "Function",   TEXT,     0,   name_in_list(r, i, room))                                               \
    X(address,     "Address",    TEXT,     134, address_of(r, i, room))                                                 \
    X(bytes,       "Bytes",      COUNT,    78,  td_is_part(SUM->bytes != 0, td_is_uint(SUM->bytes)))                    \
    X(self,        "Samples",    COUNT,    84,  td_is_uint(SUM->self))                                                  \
    X(share,       "Share",      SHARE,    76,  share_of(r, SUM->self))                                                 \
    X(total,       "With calls", COUNT,    88,  td_is_part(r->by_function, td_is_uint(SUM->total)))                     \
    X(total_share, "Share",      SHARE,    76,  td_is_part(r->by_function, share_of(r, SUM->total)))                    \
    X(time_ns,     "Time",       MEAN,     92,  td_is_real((double)SUM->self * r->period_ns))                           \
    X(inlined,     "Inlined",    BOOL,     66,  td_is_bool(SUM->is_inlined))                                            \
    X(kernel,      "Kernel",     BOOL,     66,  td_is_bool(SUM->is_kernel))                                             \
    X(file,        "File",       TEXT,     190, td_is_string(rows->dict, SUM->file))                                    \
    X(line,        "Line",       ID,       60,  td_is_uint(SUM->line))                                                  \
    X(source,      "Source",     TEXT,     250, td_is_place(td_dict_text(rows->dict, SUM->file), SUM->line, room))      \
    X(image,       "Image",      TEXT,     150, td_is_string(rows->dict, SUM->image))                                   \
    X(cycles, "Cycles", COUNT, 90, hardware_of(r, i, TD_HARDWARE_CYCLES))                                              \
    X(retired, "Instructions", COUNT, 90, hardware_of(r, i, TD_HARDWARE_RETIRED))                                      \
    X(cache_references, "Cache references", COUNT, 90, hardware_of(r, i, TD_HARDWARE_CACHE_REFERENCES))                \
    X(cache_misses, "Cache misses", COUNT, 90, hardware_of(r, i, TD_HARDWARE_CACHE_MISSES))                            \
    X(branches, "Branches", COUNT, 90, hardware_of(r, i, TD_HARDWARE_BRANCHES))                                        \
    X(branch_misses, "Branch misses", COUNT, 90, hardware_of(r, i, TD_HARDWARE_BRANCH_MISSES))                         \
    X(described,   "Function, place", TEXT, 0,  described(r, i, room))
/* clang-format on */
TD_QUERY_COLUMNS(SYMBOL_COLUMNS)

/* The row of the file or image of a function, among the first `count`. */
static struct td_symbol_sum *joined_row(struct td_symbol_sums *sums, size_t *count, uint32_t name,
                                        bool is_kernel)
{
    for (size_t i = 0; i < *count; i++)
        if (sums->at[i].name == name)
            return &sums->at[i];
    sums->at[*count] = (struct td_symbol_sum){.name = name, .is_kernel = is_kernel};
    return &sums->at[(*count)++];
}

/* Totals of functions that call each other would count twice: files and images have none. */
static void join_rows(struct td_symbol_sums *sums, const struct td_samples_wanted *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < sums->count; i++) {
        const struct td_symbol_sum sum = sums->at[i];
        if (wanted->no_kernel && sum.is_kernel)
            continue;
        if (wanted->by == TD_BY_FUNCTION) {
            sums->at[count++] = sum;
            continue;
        }
        struct td_symbol_sum *row =
            joined_row(sums, &count, wanted->by == TD_BY_FILE ? sum.file : sum.image, sum.is_kernel);
        row->self += sum.self;
        row->bytes += sum.bytes;
    }
    sums->count = count;
}

static int make_symbols(struct td_query_rows *rows)
{
    static const struct td_samples_wanted all;
    struct symbol_rows *r = (void *)rows;
    const struct td_samples_wanted *wanted = rows->of.with ? rows->of.with : &all;
    const struct td_samples_choice choice = td_samples_of(&rows->of);
    const struct td_progress progress = td_job_progress_of(rows->of.job);
    struct td_stack_counts counts = {0};
    r->is_given = wanted->given != NULL;
    if (r->is_given)
        r->sums = *wanted->given;
    int rc = r->is_given ? 0 : td_stack_counts_make(rows->of.trace, &choice, &progress, &counts, NULL);
    if (rc == 0 && !r->is_given)
        rc =
            td_symbol_sums_make(rows->of.trace, &choice, &counts, !wanted->joined, &progress, &r->sums, NULL);
    td_stack_counts_free(&counts);
    if (rc == 0 && !r->is_given)
        join_rows(&r->sums, wanted);
    r->by_function = wanted->by == TD_BY_FUNCTION;
    r->period_ns = (double)td_sample_period_ns(rows->of.trace);
    rows->count = r->sums.count;
    return rc;
}

TD_QUERY_FREES(free_symbols, if (!r->is_given) td_symbol_sums_free(&r->sums))

static int put_hardware(struct td_json *j, const struct td_query_rows *rows, uint64_t row)
{
    td_hardware_json(&((const struct symbol_rows *)rows)->sums.at[row].hardware, j);
    return 0;
}

const struct td_symbol_sums *td_symbols_of(const struct td_query_rows *rows)
{
    return &((const struct symbol_rows *)rows)->sums;
}

const struct td_query_table td_table_symbols = {
    .name = "symbols",
    .about = "a function with samples",
    TD_QUERY_WITH_COLUMNS,
    .make = make_symbols,
    .free = free_symbols,
    .free_with = td_samples_wanted_free,
    .json = "name address bytes file line image inlined kernel self total share total_share",
    .text = "self%=share self total%=total_share total function,place=described",
    .json_more = put_hardware,
    .lines = "name address self total inlined kernel file line image",
};
