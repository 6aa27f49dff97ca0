/* Device operations: what one program of a device did on all of its cores, as sums over the cores.
 *
 * This is the only place that decides what an operation is; docs/report.md states the rule. A launch is one run of
 * one RISC: a zone of its firmware (FW) and, in it, that of the kernel (KERNEL). td_op_sums joins the launches of
 * one operation, by device, run host id, trace and replay, and gives each operation to its caller as a struct
 * td_op_sum. td_trace_ops_read() (trace_ops.h) reads those of a trace.
 *
 * Times of one sums object have one unit: that of its clocks. A source that reads cycles gives exact numbers.
 *
 * Launches may come in any order. An operation is given once all of its launches have ended and it is
 * known that no more come: td_op_sums_pass(). Operations of one device are given in the order of their
 * starts. Memory: the operations that wait, and for each of them its cores. Not thread-safe. */
#pragma once
#include "host/base/err.h"
#include "host/base/wrap.h"
#include "host/report/ops/op_doubt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_OP_NO_TIME  INT64_MIN  /* a time that is not known: the launch's zone has no begin, or no end */
#define TD_OP_NO_TRACE UINT32_MAX /* of `trace` and `replay`: the operation is not part of a trace */

/* The kinds of RISC that have columns of their own; the other ones (Quasar's, DRISC) are TD_OP_OTHER_RISC.
 * X(name, name in device logs) */
#define TD_OP_RISCS(X)                                                                                       \
    X(BRISC, "BRISC")                                                                                        \
    X(NCRISC, "NCRISC") X(TRISC0, "TRISC_0") X(TRISC1, "TRISC_1") X(TRISC2, "TRISC_2") X(ERISC, "ERISC")
enum td_op_risc {
#define TD_X(name, log_name) TD_OP_##name,
    TD_OP_RISCS(TD_X)
#undef TD_X
        TD_OP_OTHER_RISC,
    TD_OP_RISC_COUNT
};
/* From the name in a device log ("TRISC_0") or of a core ("TRISC0"). */
enum td_op_risc td_op_risc_find(const char *name);

/* Begin and end of zones, over all of them. A span without zones has TD_OP_NO_TIME in all fields. */
struct td_op_span {
    int64_t first_start, last_start, first_end, last_end;
};

/* A core (tile) of an operation. */
struct td_op_core {
    uint16_t x, y;
    /* Bits 1 << number of the RISC in its tile: that ran; that have not ended; with FW zones. */
    uint32_t lanes, open, fw_lanes;
    int64_t start, end;       /* first KERNEL start, last KERNEL end; TD_OP_NO_TIME: not known */
    int64_t last_start;       /* last KERNEL start */
    int64_t first_end;        /* first KERNEL end */
    int64_t fw_start, fw_end; /* the same of FW */
    int64_t data_start;       /* first KERNEL start on BRISC, NCRISC or ERISC */
    int64_t busy, wait;       /* over all RISCs: sum of the KERNEL durations, and of the waits in them */
};

/* Clock of a device. */
struct td_op_clock {
    double mhz;  /* of the chip; 0: not known */
    bool cycles; /* times are cycles; else they are ns */
};

/* All times are in the unit of `clock`. Pointers are valid during the call that gives the operation. */
struct td_op_sum {
    uint64_t number; /* counted from 0 in the order of first launches */
    uint32_t device;
    /* op << 10 | device, as the cores have it; another number in programs that use others. 0: none. */
    uint32_t run_id;
    uint32_t trace, replay; /* TD_OP_NO_TRACE: none. Replays of a trace count from 1 */
    struct td_op_clock clock;
    const char *name; /* from the host's message, else of the kernel; "" */
    bool is_labelled; /* the name is not the operation's: it says on how many tiles it ran (op_label.h) */

    bool without_fw;               /* there were no firmware zones: `fw` is that of the kernels */
    struct td_op_span fw, kernel;  /* over all cores and RISCs */
    struct td_op_span data_kernel; /* KERNEL on BRISC, NCRISC and ERISC */
    struct td_op_span risc[TD_OP_RISC_COUNT];
    struct td_op_core *cores; /* in the order of first launches */
    uint32_t core_count;
    uint32_t launches, open; /* of RISCs; those without an end */
    int64_t per_core_min, per_core_max;
    double per_core_avg;                    /* KERNEL end - start of a core; 0: no core has both */
    int64_t busy, wait;                     /* sums over the cores */
    int64_t cb_wait_front, cb_reserve_back; /* sums of the compute kernels' waits; -1: none were measured */

    enum td_op_doubt doubt; /* its times cannot be right: no sum has them */

    /* As tt-metal's scripts calculate it: since the operation before it on this device; TD_OP_NO_TIME: it is
     * the first. From the KERNEL end before to the KERNEL start, and to the start on BRISC, NCRISC or ERISC.
     * Negative where operations overlap: not to be summed. */
    int64_t latency, data_latency;
    uint32_t previous_run_id;

    /* For sums (op_busy.h). `gap`: how long no operation had run on the device when its kernels began;
     * TD_OP_NO_TIME: it is the first, or its begin is in doubt. `shared`: the part of its kernels' time in
     * which an operation before it ran, too. */
    int64_t gap, shared;
};

/* end - start of two times; 0 if one is not known. */
static inline int64_t td_op_length(int64_t start, int64_t end)
{
    return start == TD_OP_NO_TIME || end == TD_OP_NO_TIME ? 0 : td_wrap_sub(end, start);
}
/* A length as ns, and a time or length as cycles (rounded to the nearest), by the clock. Without mhz, one
 * cycle is one ns. */
double td_op_ns(const struct td_op_clock *clock, int64_t length);
int64_t td_op_cycles(const struct td_op_clock *clock, int64_t time);

/* One run of one RISC, or what is known of it: launches of the same RISC and operation are joined, unless
 * both have an FW start. Without FW zones, the FW times are those of the kernel. */
struct td_op_launch {
    uint32_t device, run_id, trace, replay;
    uint16_t x, y;
    uint8_t lane; /* number of the RISC in its tile, 0 to 31 */
    enum td_op_risc risc;
    const char *name; /* of the kernel; NULL: not known. Copied */
    int64_t fw_start, fw_end, kernel_start, kernel_end;
    int64_t wait;
    int64_t cb_wait_front, cb_reserve_back; /* 0 or more; -1: not measured */
    uint32_t track, row;                    /* of a trace: its zone, which is an outermost one on a core */
    size_t zone;
};

struct td_op_sums;
struct td_op_sums_options {
    void *self;
    /* Gets each operation. May change nothing of it but `name`. Another value than 0 ends the call that
     * led here. */
    int (*give)(void *self, struct td_op_sum *op, struct td_err *err);
    struct td_op_clock (*clock)(void *self, uint32_t device); /* NULL: ns, clock not known */
    /* Gets each launch with the number of its operation, before the operation is given; as give(). NULL: not
     * called. */
    int (*join)(void *self, uint64_t number, const struct td_op_launch *launch, struct td_err *err);
};
struct td_op_sums *td_op_sums_create(const struct td_op_sums_options *options); /* NULL: no memory */
void td_op_sums_destroy(struct td_op_sums *sums);
int td_op_sums_add(struct td_op_sums *sums, const struct td_op_launch *launch, struct td_err *err);
/* All launches that begin before `time` on this device were added: gives the operations that are complete.
 * Those are the ones whose launches have ended and one of whose cores has begun another launch, or that
 * ended more than `settle` before `time`. */
int td_op_sums_pass(struct td_op_sums *sums, uint32_t device, int64_t time, int64_t settle,
                    struct td_err *err);
/* Gives all operations that are left, also those with launches that have not ended. No launch may be added
 * afterwards. */
int td_op_sums_end(struct td_op_sums *sums, struct td_err *err);
/* Operations that wait to be given. */
size_t td_op_sums_waiting(const struct td_op_sums *sums);
