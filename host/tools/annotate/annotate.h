/* The parts of tendril annotate. */
#pragma once
#include "host/base/path_substitutions.h"
#include "host/query/code/call_tree.h"
#include "host/query/code/code.h"
#include "host/query/code/line_sums.h"
#include "host/query/code/sample_tables.h"
#include "host/query/code/source_text.h"
#include "host/query/code/symbol_sums.h"
#include "host/query/code/wait_stacks.h"
#include "host/query/table/text_form.h"
#include "host/base/json.h"

#include <stdio.h>

struct td_image;

struct annotate {
    const struct td_trace *trace;
    const struct td_dict *dict;
    const char *path; /* of the trace */
    struct td_samples_choice choice;
    struct td_stack_counts counts;
    struct td_symbol_sums sums;
    struct td_path_substitutions paths;
    const struct td_source_rules *rules; /* which source files may be read; NULL: any */
    const char *processor;               /* whose costs of instructions are shown; NULL: none */
    int inlines, att, all, callers, waits, source_only, assembly_only;
    FILE *to;
};

/* What is known of one function. */
struct annotate_function {
    const struct td_symbol_sum *sum;
    struct td_code_view code; /* of the function around it, if it is inlined; count 0: nothing is known */
    struct td_line_sums lines;
    struct td_source_text source;
    struct td_call_tree tree; /* with `callers` */
    uint32_t first, last;     /* lines to show; 0: none */
    uint32_t marked;          /* the line of a zone; 0: none */
};
/* 0, or a negative enum td_e. Free in any case. */
int annotate_function_make(const struct annotate *a, const struct td_symbol_sum *sum,
                           struct annotate_function *function, struct td_err *err);
void annotate_function_free(struct annotate_function *function);

/* The place of a zone's marker. */
struct annotate_zone {
    const char *name;
    uint32_t srcloc;
    struct td_symbol_sum function; /* around the marker; its name may not be known */
    struct td_image *image;        /* the kernel's ELF that has the marker, or NULL */
};
/* Finds the zone's location in the trace, and with ELFs of kernels the one that has the marker at this place. Fills
 * the function around the marker: in an ELF the one whose code has its line, else the one that td_zone_site_find()
 * finds in the trace. 0, TD_E_NOTFOUND or another negative enum td_e. Free both in any case. */
int annotate_zone_make(const struct annotate *a, struct td_trace *trace, const struct td_words *elfs,
                       struct annotate_zone *zone, struct annotate_function *function, struct td_err *err);
void annotate_zone_free(struct annotate_zone *zone);
void annotate_print_zone(const struct annotate *a, const struct annotate_zone *zone,
                         const struct annotate_function *function);

double annotate_percent(uint64_t part, uint64_t whole);

/* The table of these functions; NULL: no memory. */
struct td_query_rows *annotate_rows(const struct annotate *a, const struct td_symbol_sums *sums);
int annotate_print_list(const struct annotate *a); /* 0 or TD_E_NOMEM */
void annotate_print_waits(const struct annotate *a, const struct td_wait_stacks *waits);
int annotate_print_wait_levels(const struct annotate *a, uint32_t stack);
void annotate_print_function(const struct annotate *a, const struct annotate_function *function);
void annotate_print_callers(const struct annotate *a, const struct td_call_tree *tree);

/* `function` NULL: the list; `zone` and `waits` may be NULL. */
int annotate_json(const struct annotate *a, const struct annotate_zone *zone,
                  const struct annotate_function *function, const struct td_wait_stacks *waits,
                  struct td_err *err);
