/* What is under the mouse in this frame. */
#pragma once
#include "host/query/sums/marks.h"

/* A call stack that was sampled, on the timeline or in a panel. */
enum td_stack_kind {
    TD_STACK_NONE,
    TD_STACK_SAMPLE, /* index: of the track's SAMPLE rows */
    TD_STACK_SWITCH, /* of its SWITCH_SAMPLE rows */
    TD_STACK_ROW     /* any other: index is the row of STACK */
};
struct td_stack_spot {
    enum td_stack_kind kind;
    uint32_t track;
    uint64_t index;
};

struct td_time_span {
    bool used;
    double from_ns, to_ns;
};

struct td_hover {
    struct td_zone_ref zone;
    uint32_t srcloc;            /* of that zone; TD_SUM_MIXED: none */
    int node;                   /* -1: none */
    struct td_time_span span;   /* of the frame, section or run */
    bool waits;                 /* the span is one in which the thread of the row did not run */
    uint32_t set;               /* of the frame */
    size_t frame;               /* counted from 1; 0: none */
    size_t message;             /* counted from 1; 0: none */
    struct td_stack_spot stack; /* that a click shows */
    uint32_t pool;              /* of memory, counted from 1; 0: none */
    uint64_t allocation;        /* row of MEMORY of that pool, counted from 1; 0: none */
    uint64_t thread;            /* whose run it is; 0: none */
    char tip[1200];    /* text of a tooltip instead of the hovered zone's: title, then lines; "": none */
    int64_t tip_image; /* an image below the text, counted from 1; 0: none */
};
