/* Collects what the kernel observes of the program and of the machine (host/perf): call stack samples, context
 * switches, wakeups, samples of the processor's counters, vertical blanks. Also the power that the machine reports.
 *
 * Events are opened by the thread that starts the client, or at the connection, on demand. The session's thread
 * gathers records every 20 to 100 ms, also while it waits for a connection or a slow peer, and encodes them. What
 * cannot be had is a line of the debug log and, where rights would help, of the trace's description. */
#pragma once
#include "host/client/encode/encoder.h"
#include "host/perf/perf.h"

#include <stdbool.h>
#include <stdint.h>

/* Opens and starts the events that the settings ask for. `asked`: the program asked for sampling, else nothing
 * happens with TRACY_SAMPLING_PROFILER_MANUAL_START. Any thread. 1: records are collected. */
int td_collect_begin(bool asked);
/* Whether call stacks are sampled; *report says what is missing. Any thread, after td_collect_begin(). */
bool td_collect_samples(struct td_perf_report *report);
void td_collect_stop(void);  /* no new records; those that wait stay. Any thread */
void td_collect_close(void); /* also forgets what waits. The session's thread, or at the client's end */
void td_collect_forked(void);
void td_collect_thread(
    uint32_t thread); /* the session's thread, which is not sampled. Before td_collect_begin() */

/* ns between two samples of a thread, for the welcome; 0: no samples are collected. */
int64_t td_collect_period_ns(void);

/* ---- The session's thread. ---- */

/* Takes the kernel's records into memory, if it is time, or at once. */
void td_collect_gather(int64_t now_ms, bool at_once);
int64_t td_collect_wait_ms(int64_t now_ms, int64_t most_ms); /* until the next gathering; at most `most_ms` */
int td_collect_fd(void); /* polls readable when a ring fills early; negative: there is none */
/* Encodes the records that came. `all`: also the last milliseconds, at the end. Returns the number, or negative:
 * sending failed. */
int td_collect_send(struct td_encoder *encoder, int64_t now_ms, bool all);
void td_collect_session_begins(void);
/* Sends all that is left, and what was lost. 0, or negative: sending failed. */
int td_collect_session_ends(struct td_encoder *encoder);
