/* Inside of the recorder:
 *
 *   recorder.c          the loop; the order of starts and ends
 *   recorder_board.c    starts the board or attaches to it; handles its loss
 *   recorder_program.c  the program, its own zones, Ctrl-C
 *   recorder_notes.c    trouble for the user, notes in the trace; used by the others
 */
#ifndef TD_HOST_AGENT_RECORDER_INTERNAL_H
#define TD_HOST_AGENT_RECORDER_INTERNAL_H
#include "host/agent/board/board_server.h"
#include "host/agent/board/guardian.h"
#include "host/agent/child.h"
#include "host/agent/client/client_source.h"
#include "host/agent/recorder.h"
#include "host/base/run_folder.h"

#define TD_RECORDER_SYNC_READS 200  /* of a chip's clock at the start and at the end */
#define TD_RECORDER_GRACE_MS   3000 /* for a program that lost its board, or was asked to stop */

struct recorder {
    const struct td_recorder_options *options;
    struct td_recorder_result *result;
    struct td_run_folder folder; /* the BAR file, the board's socket and copies of the kernels' ELFs */
    char where[300];             /* the board's address for the program */
    char found[300];             /* address of a board that the user has only named */
    const char *at;              /* address of a board that runs already; NULL: it is started here */
    struct td_board board;
    char *description; /* of a board that does not describe itself, or NULL */
    struct td_child sim, program;
    struct td_guardian guardian;
    struct td_transport *transport;
    struct td_gather *relay;        /* or NULL */
    struct td_board_server *server; /* NULL: programs open the board themselves */
    struct td_collection collection;
    struct td_board_source *source;
    struct td_client_source *client; /* NULL: not wanted, or over */
    int port, port_fd;               /* where the program's client listens; valid while there is `client` */
    int virtual_clock;
    int board_gone;
    int lanes_finished; /* 1: the hub has the events of all lanes; the program may still run */
    uint64_t t0;
    double ns_per_tick; /* of the host's clock, for the events of program and board */
    int64_t next_sync_ns, deadline_ns;
    int asked_to_stop;
};

/* Starts the board or attaches to it; sets r->transport and r->board. */
int td_recorder_start_board(struct recorder *r, struct td_err *err);
/* Starts relay cores if the options require them, or if they help. */
int td_recorder_start_relay(struct recorder *r, struct td_err *err);
/* Drains once and samples clocks when due. The loss of the board is trouble, not an error. */
int td_recorder_poll_board(struct recorder *r, size_t *taken, struct td_err *err);
/* Drains the lanes for the last time, disarms them and pushes all events to the hub. The second call does
 * nothing. Errors are trouble. */
void td_recorder_finish_lanes(struct recorder *r);
/* Reports the loss of the board, which is not accessed any more. */
void td_recorder_lose_board(struct recorder *r, const struct td_err *why);
/* Ends and closes everything that belongs to the board. */
void td_recorder_end_board(struct recorder *r);

int td_recorder_start_client(struct recorder *r, struct td_err *err);
int td_recorder_start_program(struct recorder *r, struct td_err *err);
/* Collects the program's own events, without waiting. */
int td_recorder_pump_client(struct recorder *r, struct td_err *err);
void td_recorder_end_client(struct recorder *r);
/* Ends collecting because the memory is near its limit. */
void td_recorder_stop_client(struct recorder *r);
/* Asks the program to stop if the user has pressed Ctrl-C. */
void td_recorder_heed_interrupt(struct recorder *r);

/* Sets the line about trouble. Only the first call counts, because later trouble follows from it. */
void td_recorder_trouble(struct recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes program, board, counts and date to the trace and the result. To be called after the lanes have
 * ended. */
int td_recorder_write_notes(struct recorder *r, struct td_err *err);
#endif
