/* A live session: a thread connects to a program as a Tracy server does, and fills a model that the viewer
 * reads meanwhile.
 *
 * The functions are for the viewer's thread. */
#pragma once
#include "host/trace/trace.h"
#include "host/viewer/model/saving.h"

#include <stdbool.h>

struct td_live;

enum td_live_state {
    TD_LIVE_WAITING, /* no program listens at the address yet */
    TD_LIVE_RUNNING,
    TD_LIVE_ENDED,     /* no more events; td_live_begin_finish() is to be called */
    TD_LIVE_FINISHING, /* a thread finishes the model, which nothing else may read */
    TD_LIVE_DONE,      /* that thread has ended; td_live_finish() is to be called */
    TD_LIVE_FINISHED   /* the model is finished and read only */
};

/* Starts to collect from the program at host:port, and waits for it in the background. NULL: *err says why. */
struct td_live *td_live_open(const char *host, int port, struct td_err *err);
/* The model, valid until td_live_close(). Its info may be read once the state is not TD_LIVE_WAITING. */
struct td_trace *td_live_trace(struct td_live *live);
enum td_live_state td_live_get_state(const struct td_live *live);
/* Whether the facts of td_trace_get_info() may be read: a session that waits for its program sets them later, in
 * another thread. NULL, no session: true. */
bool td_live_has_info(const struct td_live *live);
#define TD_LIVE_RATES   160
#define TD_LIVE_RATE_MS 250

/* Facts about the connection, a snapshot. */
struct td_live_facts {
    struct td_session_facts session; /* release NULL: no program has connected yet */
    uint64_t packed, unpacked;       /* bytes of the stream so far: as received, and unpacked */
    uint64_t questions;              /* that wait for answers */
    /* The rate of each TD_LIVE_RATE_MS, the newest last. */
    unsigned rate_count;
    float mbps[TD_LIVE_RATES];
};
void td_live_get_facts(struct td_live *live, struct td_live_facts *facts);
/* Sets a parameter of the program. 0; TD_E_GONE: no program is connected; or TD_E_NOMEM. */
int td_live_set_parameter(struct td_live *live, uint32_t index, int32_t value, struct td_err *err);
/* Writes what has arrived to a file, in the background. One file at a time. 0 or a negative enum td_e. */
int td_live_save(struct td_live *live, const struct td_save_options *options, struct td_err *err);
/* A name for its file, made from that of the program. */
void td_live_offer_name(const struct td_live_facts *facts, char *path, size_t bytes);
/* A file has all events that have arrived. */
bool td_live_is_saved(const struct td_live *live);
/* The last call of td_live_save(); NULL: there was none. */
const struct td_saving *td_live_saving(const struct td_live *live);
/* False while the model is copied for a file: finishing it would wait for that. */
bool td_live_may_finish(const struct td_live *live);
/* Disconnects; what the program has marked so far still comes. The state becomes TD_LIVE_ENDED then. */
void td_live_ask_end(struct td_live *live);
/* Asks the session to end, without waiting. */
void td_live_stop(struct td_live *live);
/* In TD_LIVE_ENDED, when the user reads the model no more, once: begins to finish it when no user does, in a thread if one
 * can be started. */
void td_live_begin_finish(struct td_live *live);
/* From TD_LIVE_ENDED on: waits until the model is finished. 0, or the reason why the session ended early, which is also an error
 * if no program was found; the model has what arrived before. */
int td_live_finish(struct td_live *live, struct td_err *err);
/* There is one more user, who calls these functions as if there were no other. */
void td_live_join(struct td_live *live);
/* There is one less. `begun`: it has called td_live_begin_finish(). True: there is none, and the session is to be closed. */
bool td_live_leave(struct td_live *live, bool begun);
/* Ends the session: the program is disconnected at once. NULL is allowed. */
void td_live_close(struct td_live *live);

/* Splits "HOST:PORT", "[IPV6]:PORT" or ":PORT" (this machine). False: `where` is none of these. */
bool td_live_parse(const char *where, char *host, size_t bytes, int *port);
