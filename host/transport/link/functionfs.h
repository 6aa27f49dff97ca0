/* The probe's end of USB on a Linux machine that is itself the device: FunctionFS, the kernel's way to write
 * a gadget as a program. The user has made a gadget with an ffs function and mounted it; td_functionfs_open()
 * says what the interface is like (proto/probe/usb.h), after which the gadget can be bound to its controller.
 *
 * The link outlives its hosts: when one's session has ended, because it was unplugged or because a host
 * begins a new one, what is left of it is dropped both ways, receive() says TD_E_GONE once and can be called
 * again, and send() says TD_E_GONE until receive() has handed out a message of the next session.
 */
#ifndef TD_HOST_TRANSPORT_LINK_FUNCTIONFS_H
#define TD_HOST_TRANSPORT_LINK_FUNCTIONFS_H
#include "host/transport/link.h"

/* directory: where the function is mounted. NULL: error. */
struct td_link *td_functionfs_open(const char *directory, struct td_err *err);

/* What the kernel's events (bytes of ep0) ask for; inner part, for tests. */
enum td_functionfs_event {
    TD_FUNCTIONFS_NONE,      /* nothing, or not for us */
    TD_FUNCTIONFS_START,     /* a host has configured the gadget */
    TD_FUNCTIONFS_STOP,      /* unplugged, or unbound */
    TD_FUNCTIONFS_RESET,     /* a host begins a session; waits for an empty read of ep0 */
    TD_FUNCTIONFS_REFUSE_IN, /* a request that we do not know, by its direction: refused by an empty read */
    TD_FUNCTIONFS_REFUSE_OUT /* the same: by an empty write */
};
/* The event at `bytes`; *used: how many bytes it took, 0: there is no whole one. */
enum td_functionfs_event td_functionfs_take_event(const void *bytes, size_t count, size_t *used);
#endif
