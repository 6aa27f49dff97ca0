/* The parts of tendril info. */
#pragma once
#include "host/base/err.h"
#include "host/base/json.h"
#include "host/query/table/query_table.h"
#include "host/trace/trace.h"

/* Formats a TD_FILE_VERSION: "0.11.1"; 0: "". Returns `to`. */
const char *info_version(char *to, size_t bytes, uint32_t version);
/* The lines "samples", "waits" and "switches" of the text; nothing where there are none. 0 or TD_E_NOMEM. */
int info_print_samples(const struct td_trace *trace, struct td_err *err);
/* The parts "samples" and "wait_stacks" of the JSON. 0 or TD_E_NOMEM. */
int info_json_samples(struct td_json *j, const struct td_trace *trace, struct td_err *err);

/* A table of the trace as text, at most `limit` rows, those with the greatest values of the column first (NULL: as they
 * were made); nothing if it has no rows. head() prints what is before it. */
int info_print_table(const struct td_trace *trace, const struct td_query_table *table, const char *greatest,
                     void (*head)(const struct td_query_rows *rows), size_t limit, struct td_err *err);
/* Lists of the JSON, each made from a table; an empty key is the end. 0 or TD_E_NOMEM. */
struct info_list {
    const char *key;
    const struct td_query_table *table;
};
int info_json_lists(struct td_json *j, const struct td_trace *trace, const struct info_list *lists);

/* Prints what markers cost the cores, at most `limit` of them; nothing where the trace does not say it. */
int info_print_bill(const struct td_trace *trace, size_t limit, struct td_err *err);

/* Prints who waited for whom, and the launches of an operation with their waits. */
struct info_waits_request {
    bool waits;            /* in all of the trace */
    long op;               /* in the launches of this operation; negative: of none */
    size_t limit;          /* of rows */
    const char *json_path; /* the trace's name: prints JSON; NULL: text */
};
int info_print_waits(const struct td_trace *trace, const struct info_waits_request *request,
                     struct td_err *err);

/* The members "flow_ends", "op" and "operations" of that JSON: an operation, of its replays at most `limit`. */
int info_json_operation(struct td_json *j, const struct td_trace *trace, uint32_t op, size_t limit,
                        struct td_err *err);

/* Prints the JSON that docs/info-json.md describes, to standard output. compensated: the trace is a
 * compensated copy. 0 or TD_E_NOMEM. */
int info_json(const struct td_trace *trace, const char *path, uint32_t version, bool compensated,
              struct td_err *err);
/* The last part of info_json(): GPU contexts, locks, memory, samples, processors, code ... */
int info_json_tables(struct td_json *j, const struct td_trace *trace, struct td_err *err);
