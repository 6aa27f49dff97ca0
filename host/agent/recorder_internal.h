/* Inside of the recorder:
 *
 *   recorder.c          the loop, the order in which things start and end
 *   recorder_board.c    the board: started, or attached to; what is done when it vanishes
 *   recorder_program.c  the program, its own zones, Ctrl-C
 *   recorder_notes.c    what is told of the recording: trouble, notes in the trace; the others use it
 */
#ifndef TD_HOST_AGENT_RECORDER_INTERNAL_H
#define TD_HOST_AGENT_RECORDER_INTERNAL_H
#include "host/agent/board/board_server.h"
#include "host/agent/board/guardian.h"
#include "host/agent/child.h"
#include "host/agent/client/client_source.h"
#include "host/agent/memory_watch.h"
#include "host/agent/recorder.h"
#include "host/base/run_folder.h"

#define TD_RECORDER_SYNC_READS 200  /* of a chip's clock at the start and at the end */
#define TD_RECORDER_GRACE_MS   3000 /* for a program whose board has died, or that was asked to stop */

struct recorder {
    const struct td_recorder_options *options;
    struct td_recorder_result *result;
    struct td_run_folder folder; /* the BAR file, the board's socket and copies of the kernels' ELFs */
    char where[300];             /* the board, for the program */
    char found[300];             /* where a board was found that the user has only named */
    const char *at;              /* where it runs already; NULL: it is started here */
    struct td_board board;
    char *description; /* of a board that does not tell it, or NULL */
    struct td_child sim, program;
    struct td_guardian guardian;
    struct td_transport *transport;
    struct td_gather *relay;        /* or NULL */
    struct td_board_server *server; /* NULL: programs open the board themselves */
    struct td_hub *hub;
    struct td_trace *trace;
    struct td_board_source *source;
    struct td_client_source *client; /* NULL: not asked for, or over */
    int port, port_fd;               /* where the program's client listens; as long as there is `client` */
    int virtual_clock;
    int board_gone;
    int lanes_finished; /* the source has handed on what it had; the program may still run */
    struct td_memory_watch memory;
    uint64_t t0;
    double ns_per_tick; /* one value for both sides: they are merged */
    int64_t next_sync_ns, deadline_ns;
    int asked_to_stop;
};

/* The board, in r->transport and r->board. */
int td_recorder_start_board(struct recorder *r, struct td_err *err);
/* Starts relay cores where the options want them, or where they help. */
int td_recorder_start_relay(struct recorder *r, struct td_err *err);
/* Drains once and keeps the clocks together; a board that vanishes is trouble, not an error. */
int td_recorder_poll_board(struct recorder *r, size_t *taken, struct td_err *err);
/* Takes what is left in the lanes, leaves them, and hands all to the hub. Once; what goes wrong is trouble.
 */
void td_recorder_finish_lanes(struct recorder *r);
/* Nothing can come from its lanes any more. */
void td_recorder_lose_board(struct recorder *r, const struct td_err *why);
/* All that it started or opened. */
void td_recorder_end_board(struct recorder *r);

int td_recorder_start_client(struct recorder *r, struct td_err *err);
int td_recorder_start_program(struct recorder *r, struct td_err *err);
/* Lets the program's own events in; does not wait. */
int td_recorder_pump_client(struct recorder *r, struct td_err *err);
void td_recorder_end_client(struct recorder *r);
/* The same when memory has come to its limit. */
void td_recorder_stop_client(struct recorder *r);
void td_recorder_heed_interrupt(struct recorder *r);

/* The first trouble is the cause of those that follow. */
void td_recorder_trouble(struct recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Program, board, counts and date into the trace and the result; the board's lanes have ended. */
int td_recorder_write_notes(struct recorder *r, struct td_err *err);
#endif
