/* Recorder: a board, a program on it, and one trace of both.
 *
 * Starts the board (the simulator) or attaches to one, starts the program, drains the lanes, collects the
 * program's own zones as a Tracy server does, and fills a model. Whatever happens to board or program, what
 * was collected is in the model afterwards. One thread.
 */
#ifndef TD_HOST_AGENT_RECORDER_H
#define TD_HOST_AGENT_RECORDER_H
#include "host/agent/board/attach.h"
#include "host/agent/board/board_source.h"
#include "host/base/memory.h"
#include "host/trace/trace.h"

/* Who takes what lanes hold; in the order of TD_RECORDER_DRAIN_CHOICES. */
enum td_recorder_drain {
    TD_RECORDER_DRAIN_AUTO, /* a gatherer near the lanes (probe, relay core) where there is one and it helps
                             */
    TD_RECORDER_DRAIN_POLL, /* the host looks at every lane */
    TD_RECORDER_DRAIN_RELAY /* a spare core of the board */
};

#define TD_RECORDER_DRAIN_CHOICES "auto|poll|relay"

struct td_recorder_options {
    const char *board; /* name or description file; NULL: what is at `at` */
    const char
        *at; /* where the board is (td_transport_open()); NULL: a simulator is started, or looked for */
    const char *grid; /* "WxH" or NULL */
    enum td_recorder_drain drain;
    td_open_transport *open; /* NULL: td_transport_open() */
    enum td_policy policy;
    const char *const *elf_dirs;
    size_t elf_dir_count;
    struct td_memory_limit memory; /* there the recording ends, and the program goes on; all 0: the default */
    int insn_clock; /* simulator: virtual time, deterministic; the program's own zones are left out */
    const char *offset_ns, *drift_ppm; /* simulator: error injected into its clock, or NULL */
    char **program;                    /* argv, NULL at its end */
    const volatile int
        *interrupted; /* becomes non-zero when the user wants to stop (Ctrl-C), twice: at once */
};

struct td_recorder_result {
    struct td_board_summary board;
    uint64_t host_zones, host_messages;
    int program_code;  /* exit code of the program; 128 + signal */
    int save_threads;  /* that may write the trace within the limit of memory */
    char stopped[400]; /* one line: why the recording ended before the program did; empty if it did not */
    char trouble[400]; /* one line: what went wrong and what to do next; empty if nothing did */
};

/* Fills *trace (finished; the caller destroys it) and *result. Negative: nothing could be recorded, *trace is
 * NULL. A program or board that fails later is `trouble`, not an error. */
int td_recorder_run(const struct td_recorder_options *options, struct td_trace **trace,
                    struct td_recorder_result *result, struct td_err *err);
#endif
