/* A live session: a thread connects to a program as a Tracy server does, and fills a model that the viewer
 * reads meanwhile.
 *
 * The functions are for the viewer's thread. */
#ifndef TD_HOST_VIEWER_LIVE_H
#define TD_HOST_VIEWER_LIVE_H
#include "host/trace/trace.h"

#include <stdbool.h>

struct td_live;

enum td_live_state {
    TD_LIVE_WAITING, /* no program listens at the address yet */
    TD_LIVE_RUNNING,
    TD_LIVE_ENDED,   /* no more events; td_live_finish() is to be called */
    TD_LIVE_FINISHED /* the model is finished and read only */
};

/* Starts to collect from the program at host:port, and waits for it in the background. NULL: *err says why. */
struct td_live *td_live_open(const char *host, int port, struct td_err *err);
/* The model, valid until td_live_close(). Its info may be read once the state is not TD_LIVE_WAITING. */
struct td_trace *td_live_trace(struct td_live *live);
enum td_live_state td_live_get_state(const struct td_live *live);
/* Bytes that have arrived. */
uint64_t td_live_bytes(const struct td_live *live);
/* Asks the session to end, without waiting. */
void td_live_stop(struct td_live *live);
/* In TD_LIVE_ENDED: finishes the model. 0, or the reason why the session ended early, which is also an error
 * if no program was found; the model has what arrived before. */
int td_live_finish(struct td_live *live, struct td_err *err);
/* Ends the session: the program is disconnected at once. NULL is allowed. */
void td_live_close(struct td_live *live);

/* Splits "HOST:PORT", "[IPV6]:PORT" or ":PORT" (this machine). False: `where` is none of these. */
bool td_live_parse(const char *where, char *host, size_t bytes, int *port);
#endif
