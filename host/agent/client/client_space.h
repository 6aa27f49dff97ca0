/* Spaces: keep apart what several processes in one trace number alike.
 *
 * Each process has the numbers of its own operating system and address space: threads, addresses of code,
 * locks, processors. Names such as those of plots are unique in one process only. A process's space replaces
 * them where another process of the trace has the same:
 *
 *   threads     an id that another process has becomes id + (n << 40); 0 stays 0
 *   addresses   of code: bits 48 to 59 are n, for the kernel's addresses 4095 - n, for those of a board's
 *               kernels a number from TD_CLIENT_SPACES_CODE on
 *   names       of plots and frame sets get " (LABEL)", of GPU contexts "LABEL: " in front
 *   pools       of memory get " (LABEL)"; the default one becomes "memory (LABEL)"
 *   locks, trace sections, parameters    new numbers
 *   processors  of another machine follow those of the machines before
 *
 * n is the number of the process in the trace, and LABEL its program's name, with a number if another process
 * has the same name. Of process 0 only threads, locks and processors may change, so a trace with one process
 * has the process's own numbers and names. As soon as there are two, the names of all tracks of threads
 * get "LABEL: " in front.
 *
 * An observer (tendril-watch) reports threads of other processes of its machine. Those of a process of the trace
 * have the ids and names that this process gives them, so a thread's zones and samples are on one track. Observers
 * do not count as processes where names are concerned.
 *
 * What a client reports about the whole machine (load, power, switches of processors) is taken from one
 * client of each machine.
 *
 * All functions allow NULL for the space: then nothing changes. Not thread-safe. */
#pragma once
#include "host/event/event.h"

#include <stdbool.h>

struct td_client_spaces; /* of all processes of a trace */
struct td_client_space;  /* of one process */

/* NULL: no memory. `dict` must outlive it. */
struct td_client_spaces *td_client_spaces_create(struct td_dict *dict);
void td_client_spaces_destroy(struct td_client_spaces *spaces); /* with all spaces; NULL is allowed */
/* Adds a process. machine: a name of the machine where it runs, "" for this one. observes: it is an observer of
 * other processes of its machine. NULL: no memory. */
struct td_client_space *td_client_spaces_add(struct td_client_spaces *spaces, const char *program,
                                             const char *machine, bool observes);
/* The process has ended: another client may report about its machine, whose topology does not change. */
void td_client_space_leave(struct td_client_space *space);
const char *td_client_space_label(const struct td_client_space *space); /* "" for NULL */
/* How many processes were added. */
size_t td_client_spaces_count(const struct td_client_spaces *spaces);

/* The id of a thread in the trace. Ids of more than 32 bits are those of the trace already. */
uint64_t td_client_space_thread(struct td_client_space *space, uint64_t thread);
/* The id of the n-th fiber. */
uint64_t td_client_space_fiber(const struct td_client_space *space, uint32_t index);
/* Adds or changes a track of `dict`; its name is the client's. The track's number; UINT32_MAX: no memory. */
uint32_t td_client_space_track(struct td_client_space *space, struct td_dict *dict,
                               const struct td_track *track);
/* The string for the name of a plot or frame set; UINT32_MAX: no memory. */
uint32_t td_client_space_name(const struct td_client_space *space, struct td_dict *dict, const char *text,
                              size_t bytes);
/* The string for the name of a plot about the machine; UINT32_MAX: no memory. */
uint32_t td_client_space_machine_name(const struct td_client_space *space, struct td_dict *dict,
                                      uint32_t string);
/* The frame set of the process's base frames, made at the first call; UINT32_MAX: no memory. */
uint32_t td_client_space_base_set(struct td_client_space *space, struct td_dict *dict);
/* The trace's other processes have base frames of their own. */
bool td_client_space_has_own_frames(const struct td_client_space *space);

/* Reports about the machine. */
enum td_client_report { TD_CLIENT_REPORT_LOAD, TD_CLIENT_REPORT_SWITCHES, TD_CLIENT_REPORT_TOPOLOGY };
#define TD_CLIENT_REPORTS 3
/* True: this client is the one whose report is taken. */
bool td_client_space_reports(struct td_client_space *space, enum td_client_report report);

/* Serial numbers that all processes of a trace share: frames of scripting languages, entries of call stacks.
 * The caller counts them up. */
struct td_client_serials {
    uint32_t scripted;
    bool has_no_stack; /* row 0 of STACK is there */
    uint64_t stack_entries;
};
/* NULL for NULL. */
struct td_client_serials *td_client_space_serials(struct td_client_space *space);
struct td_client_serials *td_client_spaces_serials(struct td_client_spaces *spaces);

/* Reserves a number for the address space of a board's kernels: bits 48 to 59 of their addresses. No
 * process of the trace has it. */
#define TD_CLIENT_SPACES_CODE 2048u /* the first one */
uint32_t td_client_spaces_code(struct td_client_spaces *spaces);

/* td_hub_row() and td_hub_set() with the values of the trace. Rows and stacks are already those of the
 * trace. */
int64_t td_client_space_row(struct td_client_space *space, struct td_hub *hub, unsigned table,
                            uint64_t parent, const int64_t *values, struct td_err *err);
int td_client_space_set(struct td_client_space *space, struct td_hub *hub, unsigned table, uint64_t parent,
                        uint64_t row, unsigned column, int64_t value, struct td_err *err);
