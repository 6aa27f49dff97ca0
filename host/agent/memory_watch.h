/* Watches the memory that a session takes, and ends it while there is room to finish the trace and save it.
 * Not thread-safe. */
#pragma once
#include "host/base/memory.h"
#include "host/event/event.h"
#include "host/trace/trace.h"

#include <stdbool.h>

struct td_client_source;

/* Why the state is no longer fine. */
enum td_memory_cause { TD_MEMORY_LIMIT, TD_MEMORY_SPACE, TD_MEMORY_NONE_FREE, TD_MEMORY_DISK };

struct td_memory_watch {
    struct td_memory_limit limit; /* set by the caller */
    enum td_memory_state state;
    enum td_memory_cause cause;
    struct td_space_reserve reserve; /* what finishing needs of limited address space */
    int64_t next_ns, next_free_ns;   /* time of the next check of the limit, and of what is free */
    char folder[200];                /* TD_MEMORY_DISK: where there is no room */
};

/* Makes a trace and a hub that fills it. Both are the caller's, also after an error, when they may be NULL. The rows
 * go to a temporary file in `folder`, if it can be there (td_trace_spill_early()). With `in_memory`, for a trace that
 * forgets, they stay in memory as far as the limit allows. 0 or TD_E_NOMEM. */
int td_memory_watch_begin(struct td_memory_watch *watch, const char *folder, bool in_memory,
                          struct td_trace **trace, struct td_hub **hub, struct td_err *err);
/* Checks the memory, and the disk that has the temporary file; to be called often while a session is collected.
 * `source` may be NULL. `waiting_bytes`: other data in memory that becomes rows of the model at the end;
 * `folder_bytes`: of files in the run folder, which is in memory. The state never improves. */
enum td_memory_state td_memory_watch_look(struct td_memory_watch *watch, const struct td_trace *trace,
                                          const struct td_client_source *source, uint64_t waiting_bytes,
                                          uint64_t folder_bytes);
/* Finishing begins: it gets the address space that was kept for it. A later look keeps some again. */
void td_memory_watch_release(struct td_memory_watch *watch);
/* Collecting has ended with this error. If limited address space has run out, that is the cause. */
void td_memory_watch_ran_out(struct td_memory_watch *watch, const struct td_err *why);
/* The number of threads that may save the file within the limit. */
int td_memory_watch_threads(const struct td_memory_watch *watch);
/* Fills a line: which limit was reached; "": none. */
void td_memory_watch_why(const struct td_memory_watch *watch, char *line, size_t bytes);
/* Fills a line for the user: why the session has ended; "" while the state is fine. */
void td_memory_watch_tell(const struct td_memory_watch *watch, char *line, size_t bytes);
