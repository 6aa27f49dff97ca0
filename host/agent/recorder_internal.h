/* Inside of the recorder:
 *
 *   recorder.c          the loop; the order of starts and ends
 *   recorder_agent.c    boards of other machines
 *   recorder_board.c    one board: starts it or attaches to it; handles its loss
 *   recorder_client.c   the connections to programs, one after the other for each address
 *   recorder_children.c finds processes that the program starts
 *   recorder_program.c  the program that is started; Ctrl-C
 *   recorder_limits.c   triggers of the recorder, what is saved, losses
 *   recorder_notes.c    trouble for the user, notes in the trace; used by the others
 */
#pragma once
#include "host/probe/board_server.h"
#include "host/agent/board/fault_watch.h"
#include "host/agent/board/guardian.h"
#include "host/agent/child.h"
#include "host/agent/clock_origin.h"
#include "host/agent/client/client_source.h"
#include "host/agent/journal/board_journal.h"
#include "host/agent/journal/client_journal.h"
#include "host/agent/recorder.h"
#include "host/agent/remote/agent_source.h"
#include "host/agent/watch.h"
#include "host/base/run_folder.h"

#include <poll.h>

#define TD_RECORDER_SYNC_READS 200   /* of a chip's clock at the start and at the end */
#define TD_RECORDER_CHIPS_MOST 2048  /* td_track_id() of proto/track.h */
#define TD_RECORDER_AGENT_MS   10000 /* for an agent to listen */
#define TD_RECORDER_GRACE_MS   3000  /* for a program that lost its board, or was asked to stop */

/* Everything that belongs to one board. */
struct recorder_board {
    const struct td_recorder_board_options *options;
    uint32_t first_chip, first_lane; /* chips and lanes of the boards before this one */
    unsigned number;                 /* of the board: 0 is the first one */
    char where[300];                 /* the board's address for the program */
    char found[300];                 /* address of a board that the user has only named */
    const char *at;                  /* address of a board that runs already; NULL: it is started here */
    struct td_board board;
    char *description; /* of a board that does not describe itself, or NULL */
    struct td_child sim;
    struct td_guardian guardian;
    struct td_transport *transport;
    struct td_gather *relay;        /* or NULL */
    struct td_board_server *server; /* NULL: programs open the board themselves */
    struct td_board_source *source;
    struct td_board_journal journal;
    int virtual_clock;
    int gone;
    int left;     /* 1: gone, because the program that has it wanted to end; all was drained */
    int finished; /* 1: the hub has the events of all lanes; the program may still run */
    int64_t next_sync_ns;
    struct td_fault_watch faults;
};

enum recorder_client_role {
    RECORDER_PROGRAM, /* the program that the recorder starts, or a process that it starts at the same port */
    RECORDER_CHILD,   /* started by the program; at a port of its own, for one session */
    RECORDER_GIVEN    /* the user has given the address */
};

/* One address at which programs listen: one at a time, and another one when that has ended. */
struct recorder_client {
    enum recorder_client_role role;
    struct td_recorder_client_options at;
    int port_fd;                       /* keeps the port for the program; -1: none */
    struct td_client_source *source;   /* NULL: the address is not tried at the moment */
    struct td_client_journal *journal; /* of the source */
    int64_t retry_ns;                  /* without a source: when to try again; INT64_MAX: never */
    uint64_t sessions;                 /* that have sent events */
    bool is_scanned;                   /* found by its port, which others can take when it ends */
};

/* A board that an agent drains. */
struct recorder_remote_board {
    uint16_t source, journal_source; /* its numbers in the agent's journal and in the recorder's own */
    bool fault;                      /* its first fault was reported */
    struct td_board_player *player;
};

struct recorder_agent {
    struct recorder *recorder;
    struct td_agent_source *source;
    struct recorder_remote_board *boards;
    size_t board_count, board_capacity;
    bool closed;     /* the hub has the events of all its lanes */
    double bound_ns; /* on the error between its clock and this machine's; INFINITY: not compared */
};

struct recorder {
    const struct td_recorder_options *options;
    struct td_recorder_result *result;
    struct td_run_folder folder;     /* the boards' files and sockets, and copies of the kernels' ELFs */
    struct td_journal_room elf_room; /* in the folder, for those that agents send */
    struct td_collection collection;
    struct td_client_spaces *spaces; /* keep the programs' numbers and names apart */
    struct recorder_board *boards;
    size_t board_count;
    struct recorder_agent *agents;
    size_t agent_count;
    uint32_t chip_count, lane_count; /* of all boards so far */
    struct recorder_client *clients;
    size_t client_count, client_capacity;
    struct pollfd *fds; /* for waiting */
    size_t fd_capacity;
    struct td_child program;
    struct td_watch watch; /* samples the program */
    char **processes;      /* lines for the trace's notes */
    size_t process_count, process_capacity;
    char first_process[64];       /* name of the first process that sent events */
    int virtual_clock;            /* of the board, which is the only one then */
    uint64_t t0;                  /* ticks at the model's time 0, long before the recording: origin.h */
    int64_t began_ns;             /* the recording's start, in the model's time */
    struct td_clock_moment began; /* for the note of the trace's clock */
    double ns_per_tick;           /* of the host's clock, for the events of program and board */
    int64_t deadline_ns, next_look_ns, next_scan_ns;
    int asked_to_stop;
    int stopping; /* 1: programs that have ended are not waited for again */
};

/* For boards that run already: finds them, and starts what must be started before any board is opened. */
int td_recorder_find_board(struct recorder *r, struct recorder_board *b, struct td_err *err);
/* Waits until the board of the program, which runs, is there and ready. */
int td_recorder_await_board(struct recorder *r, struct recorder_board *b, struct td_err *err);
/* Starts the board or attaches to it; sets b->transport and b->board. */
int td_recorder_start_board(struct recorder *r, struct recorder_board *b, struct td_err *err);
/* Starts relay cores if the options require them, or if they help; arms the lanes. memory_bytes: of events
 * that wait in memory. */
int td_recorder_start_source(struct recorder *r, struct recorder_board *b, uint64_t memory_bytes,
                             struct td_err *err);
/* Drains once and samples clocks when due; adds to *taken. The loss of the board is trouble, not an error. */
int td_recorder_poll_board(struct recorder *r, struct recorder_board *b, size_t *taken, struct td_err *err);
/* Drains the lanes for the last time, disarms them and pushes all events to the hub. The second call does
 * nothing. Errors are trouble. */
void td_recorder_finish_lanes(struct recorder *r, struct recorder_board *b);
/* Ends and closes everything that belongs to the board. */
void td_recorder_end_board(struct recorder_board *b);

/* Adds the chips and lanes of a board to those of the recording. */
void td_recorder_count_board(struct recorder *r, const struct td_board *board);
/* 0, or TD_E_LIMIT: a trace does not hold so many chips. */
int td_recorder_check_chips(const struct recorder *r, struct td_err *err);

/* Connects to the agents, and waits until they drain their boards. */
int td_recorder_start_agents(struct recorder *r, struct td_err *err);
/* Takes what the agents have sent. The loss of an agent is trouble, not an error. */
int td_recorder_pump_agents(struct recorder *r, struct td_err *err);
/* False: all agents have ended. */
bool td_recorder_expects_agents(const struct recorder *r);
/* Has the agents end their boards, and takes the rest. */
int td_recorder_drain_agents(struct recorder *r, struct td_err *err);
void td_recorder_end_agents(struct recorder *r);

/* Adds an address; the first try is at the next pump. at.host is the caller's. port_fd: see above; it is
 * closed here, also after an error. 0 or a negative enum td_e. */
int td_recorder_add_client(struct recorder *r, enum recorder_client_role role,
                           struct td_recorder_client_options at, int port_fd, struct td_err *err);
/* Collects the programs' events, without waiting. */
int td_recorder_pump_clients(struct recorder *r, struct td_err *err);
/* Sends and receives what is left, until all sessions have ended, at most for TD_RECORDER_GRACE_MS for those
 * of the program that the recorder has started. */
int td_recorder_drain_clients(struct recorder *r, struct td_err *err);
/* Ends all sessions at once. */
void td_recorder_end_clients(struct recorder *r);
/* Asks all programs to end their sessions, because of a limit. at_once: ends them, because there is no
 * memory. */
void td_recorder_stop_clients(struct recorder *r, bool at_once);
/* False: all given programs were there and have ended. */
bool td_recorder_expects_clients(const struct recorder *r);

/* Adds the processes that the program has started since the last call. */
int td_recorder_look_for_children(struct recorder *r, struct td_err *err);

/* For a client that was found by its port: no process of another program listens there. */
bool td_recorder_is_child_at(void *recorder, int port);

/* Adds texts of the files that markers are in. 0 or TD_E_NOMEM. */
int td_recorder_add_sources(struct recorder *r, struct td_err *err);
/* Reserves the port at which the program is to listen. */
int td_recorder_start_client(struct recorder *r, struct td_err *err);
int td_recorder_start_program(struct recorder *r, struct td_err *err);
/* Asks the program, or the programs that are collected, to stop if the user has pressed Ctrl-C. */
void td_recorder_heed_interrupt(struct recorder *r);

/* Before the collection begins: sets what it has to know about the recording. */
void td_recorder_prepare_limits(struct recorder *r);
/* If there is a trigger for faults, looks for one. 0 or a negative enum td_e of the board. */
int td_recorder_watch_faults(struct recorder *r, struct recorder_board *b, struct td_err *err);
/* After the last event: leaves in the collection what is to be saved. */
int td_recorder_apply_limits(struct recorder *r, struct td_err *err);
/* --strict: fills r->result->loss. To be called when the trace is finished. */
void td_recorder_judge_losses(struct recorder *r);

/* Sets the line about trouble. Only the first call counts, because later trouble follows from it. */
void td_recorder_trouble(struct recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes program, board, counts and date to the trace and the result. To be called after the lanes have
 * ended. */
int td_recorder_write_notes(struct recorder *r, struct td_err *err);
/* The facts that are known from the beginning, for traces that are cut out while the recording runs. */
int td_recorder_describe(struct recorder *r, struct td_err *err);
/* Puts into the journal where the trace's clock is; again at the end, when it is known better. */
void td_recorder_journal_clock(struct recorder *r);
