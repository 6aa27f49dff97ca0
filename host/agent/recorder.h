/* Recorder: records one trace of any number of boards, of a program that it runs, and of other programs.
 *
 * Starts simulators or attaches to boards, starts the program, drains the lanes, collects the programs' own
 * events as a Tracy server does, and fills a model. If a board or a program fails, the model has everything
 * that arrived before. Not thread-safe.
 */
#pragma once
#include "host/agent/board/attach.h"
#include "host/agent/board/board_source.h"
#include "host/agent/collection.h"
#include "host/trace/trace.h"

#include <stdbool.h>

struct td_source_rules;

/* How lanes are drained; in the order of TD_RECORDER_DRAIN_CHOICES. */
enum td_recorder_drain {
    TD_RECORDER_DRAIN_AUTO, /* by a gatherer near the lanes (probe, relay core) if one helps */
    TD_RECORDER_DRAIN_POLL, /* the host reads every lane */
    TD_RECORDER_DRAIN_RELAY /* by a spare core of the board */
};

#define TD_RECORDER_DRAIN_CHOICES "auto|poll|relay"

/* Follows the model while it is filled. */
struct td_recorder_follower {
    void *self;
    int (*begin)(void *self, struct td_trace *trace, struct td_err *err); /* before the first event */
    /* All events are in the model; it is finished, or destroyed, next. May be called twice. */
    void (*end)(void *self);
};

#define TD_RECORDER_FOLLOWERS 2

/* One board. */
struct td_recorder_board_options {
    const char *board; /* name or description file; NULL: the board at `at` describes itself */
    const char *at;   /* as for td_transport_open(); NULL: start a simulator, or search for the named board */
    const char *grid; /* "WxH" or NULL */
    enum td_recorder_drain drain;
    enum td_policy policy;
    const char *offset_ns, *drift_ppm; /* simulator: error injected into its clock, or NULL */
};

/* A program that another user or process has started, or will start. */
struct td_recorder_client_options {
    const char *host; /* NULL: this machine */
    int port;
};

/* Whether the board may be used, for boards that a program holds, which begins before them: 1: yes; 0: not yet. */
struct td_recorder_ready {
    void *self;
    int (*is_ready)(void *self, struct td_transport *t, const struct td_board *board, struct td_err *err);
    void (*recorded)(void *self); /* from now on, what cores do is recorded */
};

struct td_recorder_options {
    const struct td_recorder_board_options *boards;
    size_t board_count;
    const struct td_recorder_client_options *clients;
    size_t client_count;
    const struct td_recorder_client_options *agents; /* machines with boards, where `tendril agent` runs */
    size_t agent_count;
    bool boards_only; /* the programs' own events are not collected */
    char **program;   /* argv, NULL at its end; NULL: no program is started */
    /* 1: the program and its children are clients of Tracy: they choose their ports (8086 to 8105), at which the
     * recorder finds them. 0: they get a port in TRACY_PORT, at which only one of them at a time can listen. */
    int any_children;
    const char *zone_rules; /* of kernels' zones (zone_rules.h), for the program; NULL: all are recorded */
    /* Of the program and the processes that it starts (watch.h); 0: none, -1: the usual rate. */
    long sample_hz;
    struct td_core_sampling sampling; /* of the cores of all boards; hz 0: none */
    td_open_transport *open;          /* NULL: td_transport_open() */
    const char *const *elf_dirs;
    size_t elf_dir_count;
    /* When its limits are reached, the recording ends and the program continues. */
    struct td_collection_options collection;
    /* Simulator: virtual, deterministic time; the program's own zones are left out. Only with one board and
     * without `clients`. */
    int insn_clock;
    int real_clock;                             /* 1: also where a board would choose virtual time */
    struct td_recorder_ready ready;             /* NULL: the boards are opened before the program begins */
    struct td_tt_buffers_options tt_buffers;    /* place NULL: the boards have lanes */
    int no_sources;                             /* 1: the trace gets no texts of source files */
    const struct td_source_rules *source_rules; /* which files of this machine may be read; NULL: any */
    struct td_recorder_follower followers[TD_RECORDER_FOLLOWERS];
    size_t follower_count;
    const volatile int *interrupted; /* how often the user pressed Ctrl-C: 1: stop; 2: stop at once */
};

struct td_recorder_result {
    struct td_board_summary board; /* sums over all boards; the greatest clock_error_ns */
    uint64_t host_zones, host_messages;
    double
        client_error_ns; /* bound on the error of the programs' times; 0: all read the clock of the trace */
    bool simulated_real_time; /* a board is simulated, and its time is this machine's */
    uint64_t sessions;        /* connections to programs that sent their events */
    int program_code;         /* exit code of the program; 128 + signal */
    int save_threads;         /* number of threads that may write the trace within the limit of memory */
    char unsampled
        [400]; /* a line: why there are no samples of the program; "": there are, or none were asked for */
    char stopped[400]; /* a line: why the recording ended before the program; "" if it did not */
    char about[300];   /* a line about the triggers; "": there were none */
    char loss[400];    /* --strict: a line on the first loss; "": nothing was lost */
    char trouble[400]; /* a line: what went wrong and what to do next; "" if all is well */
};

/* Adds a follower; does nothing if there are TD_RECORDER_FOLLOWERS. */
void td_recorder_follow(struct td_recorder_options *options, struct td_recorder_follower follower);

/* Fills *trace (finished; the caller destroys it) and *result. Negative enum td_e: nothing could be recorded,
 * *trace is NULL. A failure of program or board after the start is reported as `trouble`, not as an error.
 *
 * The recording ends when the program ends; without a program, when all boards are gone and all programs of
 * `clients` were there and have ended; or when the user or a limit ends it. */
int td_recorder_run(const struct td_recorder_options *options, struct td_trace **trace,
                    struct td_recorder_result *result, struct td_err *err);
