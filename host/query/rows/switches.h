/* What the context switches of a trace say: when each thread ran, what each processor ran, and the names of the
 * threads of other programs. Made when the trace is read, and brought up to date while it grows.
 *
 * One thread updates and asks. Others ask between td_switches_hold() and td_switches_release(); that thread, too, asks
 * for sums (td_busy_before(), td_busy_until()) only then if another may count. */
#pragma once
#include "host/event/map.h"
#include "host/trace/trace.h"
#include "host/query/rows/busy.h"

#include <pthread.h>

enum td_runner {
    TD_RUNNER_OTHER,
    TD_RUNNER_OWN,
    TD_RUNNER_TRACK
}; /* of another program; of this one; a track */

struct td_switches {
    pthread_rwlock_t lock;   /* for what follows */
    struct td_busy *threads; /* by row of SWITCH_THREAD; rows NULL: a fiber */
    uint64_t *looked;        /* rows of each that were looked at for `knows_wakers` */
    uint64_t thread_count;
    uint32_t *of_track; /* row of SWITCH_THREAD, counted from 1; 0: none */
    uint32_t track_count;
    struct td_busy *cpus; /* by processor */
    uint32_t cpu_count;
    /* The processors of wakeups are in the trace: some are not the ones on which the threads ran then, which stand in
     * for those that are not known. */
    bool knows_wakers;
    const struct td_trace *trace;
    struct td_map tracks;  /* of thread ids */
    struct td_map owner;   /* thread id: row of THREAD_PROCESS */
    struct td_map foreign; /* thread id: row of FOREIGN_THREAD */
};

void td_switches_init(struct td_switches *switches); /* it must stay where it is */
void td_switches_free(struct td_switches *switches);
/* Reads at most `most` rows; nothing has been read before, or rows of the same trace. 1: there are more, and until they
 * have been read, sums take longer; 0; TD_E_NOMEM. */
int td_switches_update(struct td_switches *switches, const struct td_trace *trace, uint64_t most);
/* Counts all rows that an update has found and has not counted; on any thread, while the trace does not grow. Others
 * that hold the switches wait meanwhile. 0, or TD_E_NOMEM. */
int td_switches_count(struct td_switches *switches);
/* Forgets all that was read. */
void td_switches_forget(struct td_switches *switches);
void td_switches_hold(struct td_switches *switches);
bool td_switches_try_hold(struct td_switches *switches); /* false: they are being counted */
void td_switches_release(struct td_switches *switches);

/* The runs of a track's thread; NULL: it has none, or is a fiber. */
const struct td_busy *td_switches_of(const struct td_switches *switches, uint32_t track);
/* What a processor ran; NULL: not known. */
const struct td_busy *td_switches_cpu(const struct td_switches *switches, uint32_t cpu);
enum td_runner td_switches_runner(const struct td_switches *switches, uint64_t thread);
/* The track of a thread; UINT32_MAX: it has none. */
uint32_t td_switches_track(const struct td_switches *switches, uint64_t thread);
/* The process of a thread; 0: not known. */
uint64_t td_switches_process(const struct td_switches *switches, uint64_t thread);
/* The names of a thread and of its program, "" if not known. */
const char *td_switches_thread_name(const struct td_switches *switches, uint64_t thread);
const char *td_switches_program(const struct td_switches *switches, uint64_t thread);
/* "[0:1] CPU 3": package and core of a processor, if the topology is known. */
void td_switches_cpu_name(const struct td_trace *trace, uint32_t cpu, char *text, size_t bytes);
/* ", other core" or ", other package"; "": neither, or the topology is not known. */
const char *td_switches_distance(const struct td_trace *trace, int64_t from_cpu, int64_t to_cpu);

/* Why a thread stopped to run, from SWITCH_REASON and SWITCH_STATE, in words. */
const char *td_switch_reason(int64_t reason, int64_t state);
