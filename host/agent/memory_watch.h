/* Watches the memory of a session, so that it ends while there is room to finish and to save it. */
#ifndef TD_HOST_AGENT_MEMORY_WATCH_H
#define TD_HOST_AGENT_MEMORY_WATCH_H
#include "host/base/memory.h"
#include "host/event/event.h"
#include "host/trace/trace.h"

struct td_client_source;

struct td_memory_watch {
    struct td_memory_limit limit; /* the caller's */
    enum td_memory_state state;
    int64_t next_ns, next_free_ns; /* when to look again: at the limit, at what is free */
    int none_free;                 /* others have taken the memory before it came to the limit */
};

/* A model that keeps in memory what the limit allows; *trace and *hub are the caller's, also after an error,
 * when they may be NULL. 0 or TD_E_NOMEM. */
int td_memory_watch_begin(struct td_memory_watch *watch, struct td_trace **trace, struct td_hub **hub,
                          struct td_err *err);
/* Often enough while a session is collected. `source` may be NULL; `waiting_bytes` is what else becomes rows
 * of the model at the end, of it `waiting_in_file` is in a temporary file. The state never becomes better
 * again. */
enum td_memory_state td_memory_watch_look(struct td_memory_watch *watch, const struct td_trace *trace,
                                          const struct td_client_source *source, uint64_t waiting_bytes,
                                          uint64_t waiting_in_file);
/* Threads that may save the file: what packing takes grows with them. */
int td_memory_watch_threads(const struct td_memory_watch *watch);
/* One line on why the session has ended; "" while the state is fine. */
void td_memory_watch_tell(const struct td_memory_watch *watch, char *line, size_t bytes);
#endif
