/* csvexport --samples: a row for each function. */
#include "host/query/code/symbol_sums.h"
#include "host/tools/csv/csv.h"

static void cell_text(struct csv *c, const char *text)
{
    csv_out_text(&c->out, text);
    csv_out_text(&c->out, c->separator);
}

static void cell_number(struct csv *c, uint64_t number)
{
    csv_out_u64(&c->out, number);
    csv_out_text(&c->out, c->separator);
}

static void cell_percent(struct csv *c, uint64_t part, uint64_t whole, const char *end)
{
    csv_out_f6(&c->out, whole ? 100. * (double)part / (double)whole : 0);
    csv_out_text(&c->out, end);
}

static void print_function(struct csv *c, const struct td_symbol_sum *sum, uint64_t samples)
{
    cell_text(c, td_symbol_sum_name(c->trace, sum));
    cell_text(c, td_dict_text(c->dict, sum->file));
    cell_number(c, sum->line);
    cell_text(c, td_dict_text(c->dict, sum->image));
    cell_number(c, sum->address);
    cell_number(c, sum->is_inlined);
    cell_number(c, sum->is_kernel);
    cell_number(c, sum->self);
    cell_percent(c, sum->self, samples, c->separator);
    cell_number(c, sum->total);
    cell_percent(c, sum->total, samples, "");
    for (int k = 0; k < TD_HARDWARE_KINDS; k++) {
        csv_out_text(&c->out, c->separator);
        csv_out_u64(&c->out, sum->hardware.samples[k]);
    }
    csv_out_bytes(&c->out, "\n", 1);
    csv_out_flush_if_full(&c->out);
}

int csv_samples(struct csv *c, struct td_err *err)
{
    static const char *const columns[] = {
        "name",         "src_file",  "src_line",      "image",      "address", "inlined", "kernel",
        "self",         "self_perc", "total",         "total_perc", "cycles",  "retired", "cache_references",
        "cache_misses", "branches",  "branch_misses", NULL};
    const struct td_samples_choice all = {0};
    struct td_stack_counts counts;
    struct td_symbol_sums sums = {0};
    int rc = td_stack_counts_make(c->trace, &all, NULL, &counts, err);
    rc = rc ? rc : td_symbol_sums_make(c->trace, &all, &counts, true, NULL, &sums, err);
    if (rc == 0)
        csv_header(c, columns);
    for (size_t i = 0; rc == 0 && i < sums.count; i++)
        if (csv_is_chosen(c, td_symbol_sum_name(c->trace, &sums.at[i])))
            print_function(c, &sums.at[i], counts.total);
    td_symbol_sums_free(&sums);
    td_stack_counts_free(&counts);
    return rc;
}
