/* The parts of the client library among themselves.
 *
 *   api.c      the markers: write records into queues (queue.h)
 *   start.c    start, end, fork, names of threads and of the program
 *   session.c  the client's own thread: listens, greets, sends, answers, ends
 *   encode.c   records -> items of the protocol
 *   answer.c   queries -> answers
 *   welcome.c  what the client says of itself
 *   crash.c    fatal signals
 */
#ifndef TD_HOST_CLIENT_CLIENT_H
#define TD_HOST_CLIENT_CLIENT_H
#include "host/client/queue.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include <stdatomic.h>

/* start.c. All of it is thread-safe. */
void td_client_start(void); /* once a process; later calls return at once */
void td_client_thread_ends(uint32_t thread);
/* Copies the thread's name (NUL-terminated, cut to `room`) and returns its group hint. */
int32_t td_client_thread_name(uint32_t thread, char *name, size_t room);
void td_client_program_name(char *name, size_t room);
int64_t td_client_begin_ticks(void);
uint64_t td_client_epoch(void);                        /* Unix seconds of the start */
int td_client_option(const char *name, int otherwise); /* an environment variable's number */

/* session.c */
enum td_client_state {
    TD_CLIENT_STARTING,
    TD_CLIENT_LISTENING,
    TD_CLIENT_CONNECTED, /* handshake done */
    TD_CLIENT_OVER       /* the session ended, or there is no port: events are thrown away */
};
int td_session_start(void); /* 0, or not: no thread could be made */
int td_session_state(void); /* enum td_client_state */
int td_session_port(void);
void td_session_end(
    void); /* drains and ends the session; bounded in time; returns when the thread has ended */
void td_session_crashed(int wait_ms); /* for a signal handler: asks for the end and waits so long for it */
void td_session_forked(void);

/* welcome.c */
void td_welcome_fill(struct td_wire_welcome *welcome, double ns_per_tick, int64_t begin, int64_t end);
uint64_t td_welcome_resolution(void);

/* encode.c. One encoder a session; used by the session's thread only. */
struct td_known; /* the addresses that the peer has been told, and may ask about */
struct td_encoder {
    const struct td_wire_release *release;
    struct td_packer *packer;
    struct td_known *known;
    int (*send)(void *self, const uint8_t *bytes, size_t count); /* not 0: the peer is gone */
    void *self;
    uint32_t thread; /* of the last ThreadContext; 0 none */
    int64_t thread_time;
    uint32_t open_zones;
};
/* Takes up to `most` records of a lane; returns how many, or -1 when sending failed. */
int td_encode_lane(struct td_encoder *encoder, struct td_lane *lane, unsigned most);
/* Room for `bytes` in the open frame, sending what is there if it must; NULL when sending failed. Then
 * td_encode_put. */
uint8_t *td_encode_room(struct td_encoder *encoder, size_t bytes);
void td_encode_put(struct td_encoder *encoder, const uint8_t *end);
int td_encode_flush(struct td_encoder *encoder); /* sends the open frame; 0 or -1 */

struct td_known *td_known_create(void);
void td_known_destroy(struct td_known *known);
enum td_known_kind { TD_KNOWN_TEXT, TD_KNOWN_SRCLOC };
void td_known_add(struct td_known *known, enum td_known_kind kind, uint64_t ptr);
int td_known_has(const struct td_known *known, enum td_known_kind kind, uint64_t ptr);

/* answer.c. 0 answered, 1 the peer ends the session, 2 it asks for the end (Disconnect), -1 sending failed.
 */
int td_answer(struct td_encoder *encoder, const uint8_t *query);

/* crash.c */
void td_crash_install(void);

/* Layout of the memory that ___tracy_alloc_srcloc() makes. */
struct td_srcloc_block {
    uint32_t bytes;
    char data[];
};
#endif
