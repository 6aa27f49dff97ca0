/* One record of a perf ring, as bytes. The kernel writes them, but their layout depends on its version and on the
 * formats that tracefs describes: they are parsed as untrusted. Thread-safe. */
#pragma once
#include "host/perf/perf.h"
#include "host/perf/thread_names.h"
#include "host/perf/tracefs.h"

#include <linux/perf_event.h>

/* What every event of a td_perf has in its records, by kind. */
#define TD_PERF_SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
uint64_t td_perf_sample_type(enum td_perf_kind kind);
#ifdef __x86_64__ /* the registers of td_perf_user */
#define TD_PERF_USER_REGISTERS (UINT64_C(1) << 6 | UINT64_C(1) << 7 | UINT64_C(1) << 8)
#else /* where the kernel's stacks are not completed */
#define TD_PERF_USER_REGISTERS UINT64_C(0)
#endif

/* Where the fields of tracepoints are (td_trace_field_find()). */
struct td_perf_fields {
    struct td_trace_field old_thread, old_priority, old_state, new_thread, new_priority; /* sched_switch */
    struct td_trace_field old_name, new_name; /* of sched_switch, too; 0 bytes: the system has none */
    struct td_trace_field woken;              /* sched_waking */
    struct td_trace_field display;            /* drm_vblank_event */
};

enum td_perf_what {
    TD_PERF_NOTHING, /* a record that does not matter */
    TD_PERF_DAMAGED, /* it makes no sense */
    TD_PERF_EVENT,   /* a td_perf_record */
    TD_PERF_LOST,    /* td_perf_parsed.lost records were dropped */
    TD_PERF_SPARE,   /* a switch, once more: without priorities, stack and the exact state */
    TD_PERF_PAUSE    /* the kernel throttled the event */
};
struct td_perf_parsed {
    uint64_t id, lost;
    struct td_perf_record record; /* without cpu; time as in the record; stack in `addresses` */
    uint64_t addresses[TD_PERF_STACK_MAX];
    uint32_t user_at;         /* of a stack: the first address of the program */
    struct td_perf_user user; /* bytes 0: not recorded; points into the record */
    char old_name[TD_THREAD_NAME_BYTES], new_name[TD_THREAD_NAME_BYTES]; /* of a SWITCH; "": not known */
};
/* The kind of an event's number; negative: there is no such event. */
typedef int td_perf_kind_of(const void *self, uint64_t id);
/* Parses the record of `bytes` (its header's size) at p. `parsed` is set for all but NOTHING and DAMAGED. */
enum td_perf_what td_perf_parse(const uint8_t *p, size_t bytes, const struct td_perf_fields *fields,
                                td_perf_kind_of *kind_of, const void *self, struct td_perf_parsed *parsed);
