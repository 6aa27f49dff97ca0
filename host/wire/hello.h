/* Handshake messages, queries and the announcement: plain bytes without frames. Thread-safe; allocates
 * nothing. */
#pragma once
#include "host/wire/releases.h"

#include <stdbool.h>

struct td_wire_welcome {
#define TD_F(type, name)        td_wt_##type name;
#define TD_U(type, name, until) td_wt_##type name;
#define TD_B(name, bytes)       char name[bytes];
    TD_WIRE_WELCOME(TD_F, TD_U, TD_B)
};
struct td_wire_broadcast {
    TD_WIRE_BROADCAST(TD_F, TD_B)
#undef TD_F
#undef TD_U
#undef TD_B
};
struct td_wire_query {
    uint32_t query; /* enum td_query; TD_QUERY_COUNT: an id that the release lacks */
    uint64_t ptr;
    uint32_t extra;
};

/* A line in the hostInfo of Tendril's own client, which sends all queued events before it disconnects. */
#define TD_WIRE_OWN_CLIENT "Client: Tendril\n"
bool td_wire_is_own_client(const struct td_wire_welcome *welcome);
/* The same in that of a client which reports threads of other processes than its own. */
#define TD_WIRE_OBSERVER "Observes: other processes\n"
bool td_wire_is_observer(const struct td_wire_welcome *welcome);

/* Tendril's own client adds its clock to each welcome, at the end of hostInfo, where Tracy's texts are NUL. */
void td_wire_put_clock(struct td_wire_welcome *welcome, uint64_t ticks);
/* Reads it: the client's ticks when it wrote the welcome. False: the client does not send them. */
bool td_wire_get_clock(const struct td_wire_welcome *welcome, uint64_t *ticks);
/* Tendril's own client answers a ThreadString query with such a key by its clock: ticks as a decimal number. */
#define TD_WIRE_CLOCK_KEY (UINT64_C(0xfffffffe) << 32)

/* Writes TD_WIRE_HELLO_BYTES. */
void td_wire_put_hello(uint8_t *p, uint32_t protocol);
/* Reads them: 0 and the protocol, or TD_E_FORMAT. */
int td_wire_get_hello(const uint8_t *p, uint32_t *protocol);

/* release->welcome_bytes each. td_wire_get_welcome() ends each text with NUL. */
void td_wire_put_welcome(uint8_t *p, const struct td_wire_release *release,
                         const struct td_wire_welcome *welcome);
void td_wire_get_welcome(const uint8_t *p, const struct td_wire_release *release,
                         struct td_wire_welcome *welcome);

/* TD_WIRE_QUERY_BYTES each. */
void td_wire_put_query(uint8_t *p, const struct td_wire_release *release, const struct td_wire_query *query);
void td_wire_get_query(const uint8_t *p, const struct td_wire_release *release, struct td_wire_query *query);

/* Returns the datagram's size; p has room for sizeof(struct td_wire_broadcast) bytes. */
size_t td_wire_put_broadcast(uint8_t *p, const struct td_wire_broadcast *broadcast);
/* Reads an announcement of version 0 to 3; the datagram may end within the name. What the version lacks is 0,
 * and the port TD_WIRE_PORT. 0, or TD_E_FORMAT: it is none of these. */
int td_wire_get_broadcast(const uint8_t *p, size_t bytes, struct td_wire_broadcast *broadcast);
