/* The lines that `perf script` prints, of any choice of fields that has a time. */
#pragma once
#include "host/tt/tt_text.h"

#define TD_SCRIPT_NONE (-1)

/* "COMM PID/TID [CPU] TIME: PERIOD EVENT: REST"; without PID/, [CPU], PERIOD and EVENT, too. */
struct td_script_header {
    struct td_tt_text comm, event, rest; /* event: without its colon; "": none */
    int64_t pid, tid;                    /* TD_SCRIPT_NONE: not there */
    uint32_t cpu;
    int64_t time_ns;
};
/* False: the line is no header. */
bool td_script_read_header(struct td_tt_text line, struct td_script_header *header);
/* Whether the event is a tracepoint, "GROUP:NAME", and not a counter with modifiers, "cycles:u". */
bool td_script_is_tracepoint(struct td_tt_text event);

/* "ADDRESS SYMBOL+OFFSET (IMAGE)", also without ADDRESS. */
struct td_script_frame {
    uint64_t address, symbol; /* symbol: where the function begins; 0: not known */
    struct td_tt_text function, image;
    bool inlined;
};
bool td_script_read_frame(struct td_tt_text line, struct td_script_frame *frame);
/* Splits "ADDRESS SYMBOL+OFFSET (IMAGE)" off the end of an event's fields. */
bool td_script_split_frame(struct td_tt_text *fields, struct td_script_frame *frame);

/* Of the fields of sched_switch and sched_wakeup. Threads: TD_SCRIPT_NONE: not there. */
struct td_script_change {
    int64_t from, to;
    char state;             /* of `from` */
    struct td_tt_text comm; /* of `to` */
};
bool td_script_read_switch(struct td_tt_text fields, struct td_script_change *change);
bool td_script_read_wakeup(struct td_tt_text fields, struct td_script_change *change);
/* "OUT preempt  next pid/tid: 1/2" of a record of a switch, or "IN ...". *other: that thread, or TD_SCRIPT_NONE. */
bool td_script_read_record(struct td_tt_text rest, bool *is_out, bool *preempted, int64_t *other);
