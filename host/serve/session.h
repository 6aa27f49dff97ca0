/* The session with one viewer, from its first byte to its end. */
#pragma once
#include "host/serve/serve.h"
#include "host/serve/viewer.h"

/* What the sessions of a server share. The flags are atomic. */
struct td_session_shared {
    const struct td_trace *trace;
    const struct td_free_order *free_order;
    struct td_message_order *message_order;
    const struct td_serve_options *options;
    const struct td_serve_description *description; /* does not change while there are sessions */
    int complete;                                   /* no more rows will come */
    int ending; /* drop a viewer that takes nothing for options->stall_ms */
    int stop;   /* end all sessions now */
};

enum td_session_result {
    TD_SESSION_REFUSED, /* it was no viewer, or of an unknown release */
    TD_SESSION_WHOLE,   /* the viewer got all, or left by itself */
    TD_SESSION_CUT      /* it did not get all of the trace in time */
};

/* Runs the session on a connected socket, which the caller closes. *welcomed is set (atomic) when the viewer was
 * welcomed. */
enum td_session_result td_session_run(const struct td_session_shared *shared, int fd, uint32_t number,
                                      int *welcomed);
