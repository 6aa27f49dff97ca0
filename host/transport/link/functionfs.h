/* The probe's end of USB on a Linux machine that is the USB device, by FunctionFS. The user has made a
 * gadget with an ffs function and mounted it. td_functionfs_open() describes the interface to the kernel
 * (proto/probe/usb.h); after that the gadget can be bound to its controller.
 *
 * The link outlives its hosts. A session ends when the cable is unplugged or a host begins a new session.
 * Messages of the old session are then dropped in both directions. receive() returns TD_E_GONE once and
 * can be called again; send() returns TD_E_GONE until receive() has returned a message of the next
 * session.
 */
#pragma once
#include "host/transport/link.h"

/* directory: where the function is mounted. NULL: error. */
struct td_link *td_functionfs_open(const char *directory, struct td_err *err);

/* What the kernel's events (bytes of ep0) ask for. For tests. */
enum td_functionfs_event {
    TD_FUNCTIONFS_NONE,      /* nothing, or not for us */
    TD_FUNCTIONFS_START,     /* a host has configured the gadget */
    TD_FUNCTIONFS_STOP,      /* unplugged, or unbound */
    TD_FUNCTIONFS_RESET,     /* a host begins a session; waits for an empty read of ep0 */
    TD_FUNCTIONFS_REFUSE_IN, /* an unknown request from the device: refused by an empty read */
    TD_FUNCTIONFS_REFUSE_OUT /* an unknown request to the device: refused by an empty write */
};
/* The event at `bytes`; *used: how many bytes it took, 0: there is no whole one. */
enum td_functionfs_event td_functionfs_take_event(const void *bytes, size_t count, size_t *used);
