/* What the files of the writer of Perfetto's traces share. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/tools/export/protobuf.h"
#include "host/trace/trace.h"
#include "proto/perfetto.h"

#include <stdio.h>

#define PERFETTO_TEXT_IID 1 /* of the name of an annotation with a zone's text */
#define PLOT_BYTES        1 /* format of a plot (struct td_plot) */

enum perfetto_interned { /* what is interned under its number of the model */
                         PERFETTO_NAMES,
                         PERFETTO_LOCATIONS,
                         PERFETTO_STACKS,
                         PERFETTO_FUNCTIONS,
                         PERFETTO_FILES,
                         PERFETTO_IMAGES,
                         PERFETTO_LINES, /* functions of frames */
                         PERFETTO_INTERNED
};

struct perfetto_out {
    const struct td_trace *trace;
    const struct td_dict *dict;
    FILE *to;
    struct td_byte_buffer out;
    uint8_t *known[PERFETTO_INTERNED]; /* a bit for each number: it was written */
    uint32_t track;
    int64_t *end_ns; /* of the zones that were entered, as written */
    size_t depth, end_room;
    bool has_flows; /* the track has some */
    struct td_flows flows;
    struct td_flow_pair *pair;
    size_t pair_room;
};

/* 0 is no number of what is interned. */
static inline uint64_t perfetto_iid_(uint64_t number)
{
    return number + 1;
}

/* Begins a packet: its place for protobuf_end(). */
size_t perfetto_begin_(struct perfetto_out *p);
/* A string of the dictionary. */
void perfetto_put_string_(struct perfetto_out *p, unsigned field, uint32_t string);

/* ---- perfetto_intern.c ---- */

int perfetto_init_interning_(struct perfetto_out *p); /* 0 or TD_E_NOMEM */
void perfetto_free_interning_(struct perfetto_out *p);
/* Add to the packet that was begun what it refers to, unless that was written before. Location 0 and stack 0: none. */
void perfetto_intern_annotation_(struct perfetto_out *p);
void perfetto_intern_zone_(struct perfetto_out *p, uint32_t name, uint32_t location, uint32_t stack);
void perfetto_intern_stack_(struct perfetto_out *p, uint32_t stack);
