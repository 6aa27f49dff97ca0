/* Facts about a trace as a whole, as text: the program, the machine, counts, what the capture noted. */
#pragma once
#include "host/trace/trace.h"

struct td_fact {
    const char *label, *value; /* value NULL: `label` is a heading */
};

struct td_trace_facts { /* all zero: none */
    char *text;         /* the lines "LABEL\tVALUE", headings without a tab */
    char *split;        /* where labels and values are */
    struct td_fact *list;
    size_t count;
};

/* 0 or TD_E_NOMEM. `path` is the trace's file, "" if there is none; `version` that of its contents, 0: not known. */
int td_trace_facts_make(struct td_trace_facts *facts, const struct td_trace *trace, const char *path,
                        uint32_t version);
void td_trace_facts_free(struct td_trace_facts *facts);
/* The value after that label; NULL: there is none. */
const char *td_trace_facts_get(const struct td_trace_facts *facts, const char *label);
