/* The traces that are merged: what each is called, and where its clock is. */
#pragma once
#include "host/agent/clock_origin.h"
#include "host/trace/copy.h"

struct merge_source {
    const char *path; /* the caller's */
    char label[160];  /* of its process, unique */
    char program[64]; /* that the trace names */
    bool named;       /* the user chose the label */
    int64_t added_ns; /* that the user adds to its times */
    int64_t start_s;  /* the date in the trace, 0: none */
    int64_t last_ns;  /* its latest time */
    uint64_t zones;
    struct td_clock_origin origin;
    bool has_origin;
    int64_t mark_ns;        /* the event by which traces are aligned; TD_UNKNOWN_NS: it has none */
    struct td_trace *trace; /* NULL: it is read again for the copy */
    /* Set by merge_align(): the line to the merged trace's clock, the bound on its error (-1: not known), and
     * by what it was found: "its boot's clock", "the time of day" ... */
    struct td_time_line line;
    int64_t error_ns;
    const char *by;
};

enum merge_align { MERGE_BY_CLOCK, MERGE_BY_FIRST, MERGE_BY_MESSAGE, MERGE_BY_FRAME };

struct merge_rule {
    enum merge_align by;
    const char *text; /* of the message; the name of the frame set */
    char set[160];
    uint64_t frame; /* number in the set */
};

/* "clock", "first", "message:TEXT", "frame:SET:N". */
int merge_rule_parse(const char *text, struct merge_rule *rule, struct td_err *err);
/* Sets what the trace says: program, date, clock, and its event for the rule. */
int merge_source_look(struct merge_source *source, const struct td_trace *trace,
                      const struct merge_rule *rule, struct td_err *err);
/* Makes labels unique: the program, or where several have that name, the program and the file's name. */
void merge_label(struct merge_source *sources, size_t count);
/* Sets the lines. The earliest time 0 of all becomes time 0. `origin` gets the clock of the merged trace;
 * false: not known. */
bool merge_align(struct merge_source *sources, size_t count, const struct merge_rule *rule,
                 struct td_clock_origin *origin);
/* After merge_align(): TD_E_LIMIT if a file cannot hold the time between the traces. */
int merge_check_span(const struct merge_source *sources, size_t count, struct td_err *err);
/* "LABEL: aligned by the machine's clock, within 120 ns" */
void merge_describe(const struct merge_source *source, char *text, size_t bytes);
