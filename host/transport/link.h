/* Link: carries whole messages (proto/probe/message.h) between the host and one probe, or between a probe and
 * its host: both ends use it.
 *
 * What arrives is whole and undamaged, or does not arrive. One thread at a time.
 */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_link_stats {
    uint64_t bytes_in, bytes_out, messages_in, messages_out;
    uint64_t bad_frames, bad_bytes; /* damaged on the way: frames, bytes that were in none */
};

struct td_link;
struct td_link_ops {
    const char *name;
    /* Sends one message. TD_E_GONE: the other end is gone. Waits when the way is full (flow control), at most
     * some seconds: TD_E_TIMEOUT. */
    int (*send)(struct td_link *l, const void *message, size_t bytes, struct td_err *err);
    /* Length of the next message, copied to `to`; 0: none came within timeout_ms; negative: error. */
    int (*receive)(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err);
    /* 1: a notification came since the last call (interrupt endpoint); waits up to timeout_ms. NULL: this
     * link has none. */
    int (*notified)(struct td_link *l, int timeout_ms, struct td_err *err);
    /* The probe's end: notifies the host that a lane has slots. Skipped while the previous notification is
     * undelivered. NULL: this link has no notifications. */
    void (*notify)(struct td_link *l);
    /* A file descriptor that is readable when receive() may return something, or -1. */
    int (*fd)(struct td_link *l);
    /* For a device that was unplugged: waits some seconds for the same one to return. Returns a new link,
     * and has closed this one; or NULL: the device is not gone, or has not returned. The pointer is NULL
     * for links without this. */
    struct td_link *(*reopen)(struct td_link *l, struct td_err *err);
    void (*close)(struct td_link *l);
};
struct td_link {
    const struct td_link_ops *ops;
    struct td_link_stats stats;
    int lossy;    /* messages can vanish: requests are repeated */
    int is_local; /* a socket of this machine: what is lost is lost behind it, seldom, so messages may be long */
    int more;     /* the sender's: another message follows at once, so this one may be kept until then */
    uint32_t bytes_per_s; /* the link's speed; 0: unknown, or fast */
};

/* The transport of a board that a probe reaches. Takes ownership of the link, also on failure. name: "usb",
 * "serial" ... */
struct td_transport *td_remote_open(struct td_link *link, const char *name, struct td_err *err);
/* The link of such a transport, for its statistics. */
const struct td_link *td_remote_link(const struct td_transport *t);
