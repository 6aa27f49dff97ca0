#include "host/transport/link/usb.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/link/usb_find.h"
#include "host/transport/ready.h"
#include "proto/probe/usb.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TRANSFERS   4 /* inwards, under way at the same time */
#define IN_BYTES    TD_PROBE_MAX_BYTES
#define SEND_MS     5000
#define RESET_MS    2000
#define CLOSE_MS    1000
#define RETURN_MS   5000 /* how long an unplugged probe may stay away */
#define SEND_TRIES  3
#define MAX_ERRORS  100 /* one after the other, ERROR_MS apart, before the probe is given up */
#define ERROR_MS    5
#define MAX_POLLFDS 16

enum usb_state {
    IDLE,
    FLYING,
    READY /* has a message that receive() has not returned yet */
};

struct usb;
struct incoming {
    struct usb *usb;
    struct libusb_transfer *transfer;
    enum usb_state state;
};

struct usb {
    struct td_link link;
    struct td_usb_found dev;
    int claimed;
    struct incoming in[TRANSFERS];
    struct incoming *ready[TRANSFERS]; /* in the order of arrival */
    int ready_count;
    struct libusb_transfer *out, *notify;
    int out_flying, notify_flying;
    int notified;
    int gone;                    /* unplugged */
    int given_up;                /* unplugged, and did not return in time */
    int stalled, notify_stalled; /* bulk IN; interrupt IN */
    int failed;                  /* a transfer failed since the last pump */
    int errors;                  /* transfers that failed since the last good one */
    int epoll;                   /* libusb's descriptors and `waiting`; -1: they cannot be joined */
    int waiting;                 /* eventfd, readable while messages are ready */
    uint8_t in_bytes[TRANSFERS][IN_BYTES], out_bytes[TD_PROBE_MAX_BYTES], notify_bytes[64];
};

static const char *status_name(enum libusb_transfer_status status)
{
    static const char *const names[] = {"completed", "failed",      "timed out", "cancelled",
                                        "stalled",   "device gone", "overflow"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "of unknown status";
}

/* Notes what the end of a transfer shows about the device. 1: the transfer is complete. */
static int note_end(struct usb *u, const struct libusb_transfer *t)
{
    if (t->status != LIBUSB_TRANSFER_COMPLETED)
        td_debug(usb, "%s: a transfer on endpoint 0x%02x %s", u->dev.seen.serial, t->endpoint,
                 status_name(t->status));
    switch (t->status) {
    case LIBUSB_TRANSFER_COMPLETED:
        u->errors = 0;
        return 1;
    case LIBUSB_TRANSFER_NO_DEVICE:
        u->gone = 1;
        return 0;
    case LIBUSB_TRANSFER_CANCELLED:
        return 0;
    case LIBUSB_TRANSFER_OVERFLOW:
        u->link.stats.bad_frames++;
        u->failed = 1;
        return 0;
    case LIBUSB_TRANSFER_STALL:
    default:
        u->failed = 1;
        return 0;
    }
}

static void LIBUSB_CALL on_in(struct libusb_transfer *t)
{
    struct incoming *in = t->user_data;
    struct usb *u = in->usb;
    size_t bytes = (size_t)t->actual_length;
    in->state = IDLE;
    if (t->status == LIBUSB_TRANSFER_STALL)
        u->stalled = 1;
    if (!note_end(u, t))
        return;
    if (td_usb_is_message(t->buffer, bytes)) {
        in->state = READY;
        u->ready[u->ready_count] = in;
        td_ready_set(u->waiting, &u->ready_count, u->ready_count + 1);
        u->link.stats.messages_in++;
        u->link.stats.bytes_in += bytes;
    } else if (bytes)
        u->link.stats.bad_frames++;
}

static void LIBUSB_CALL on_notify(struct libusb_transfer *t)
{
    struct usb *u = t->user_data;
    u->notify_flying = 0;
    if (note_end(u, t) && td_usb_is_notify(t->buffer, (size_t)t->actual_length))
        u->notified = 1;
    else if (t->status == LIBUSB_TRANSFER_STALL)
        u->notify_stalled = 1;
}

static void LIBUSB_CALL on_out(struct libusb_transfer *t)
{
    struct usb *u = t->user_data;
    u->out_flying = 0;
    if (t->status == LIBUSB_TRANSFER_NO_DEVICE)
        u->gone = 1;
}

static int fail_gone(struct usb *u, struct td_err *err)
{
    return td_fail(err, TD_E_GONE, "the USB probe %s was unplugged", u->dev.seen.serial);
}

static void handle_events(struct usb *u, int64_t timeout_ms)
{
    struct timeval time = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    libusb_handle_events_timeout_completed(u->dev.context, &time, NULL);
}

static int in_flying(const struct usb *u)
{
    int count = 0;
    for (int i = 0; i < TRANSFERS; i++)
        count += u->in[i].state == FLYING;
    return count;
}

static void cancel_in(struct usb *u)
{
    int64_t until = td_mono_ns() + (int64_t)CLOSE_MS * 1000000;
    for (int i = 0; i < TRANSFERS; i++)
        if (u->in[i].state == FLYING)
            libusb_cancel_transfer(u->in[i].transfer);
    while (in_flying(u) && td_ms_until(until))
        handle_events(u, td_ms_until(until));
}

static int submit(struct usb *u, struct libusb_transfer *t)
{
    int rc = libusb_submit_transfer(t);
    if (rc == LIBUSB_ERROR_NO_DEVICE)
        u->gone = 1;
    else if (rc < 0)
        u->failed = 1;
    return rc == 0;
}

static void submit_all(struct usb *u)
{
    for (int i = 0; i < TRANSFERS && !u->gone; i++)
        if (u->in[i].state == IDLE && submit(u, u->in[i].transfer))
            u->in[i].state = FLYING;
    if (u->notify && !u->notify_flying && !u->gone)
        u->notify_flying = submit(u, u->notify);
}

/* Makes failed endpoints usable again. */
static int recover(struct usb *u, struct td_err *err)
{
    u->failed = u->stalled && u->notify_stalled;
    if (++u->errors > MAX_ERRORS)
        return td_fail(err, TD_E_IO, "the USB probe %s fails repeatedly", u->dev.seen.serial);
    if (u->stalled) {
        td_debug(usb, "%s: clearing halted endpoint 0x%02x", u->dev.seen.serial, u->dev.in);
        cancel_in(u); /* no transfer may be under way on the endpoint */
        libusb_clear_halt(u->dev.handle, u->dev.in);
        u->stalled = 0;
    } else if (u->notify_stalled) {
        td_debug(usb, "%s: clearing halted endpoint 0x%02x", u->dev.seen.serial, u->dev.notify);
        libusb_clear_halt(u->dev.handle, u->dev.notify);
        u->notify_stalled = 0;
    } else if (u->errors > 1)
        nanosleep(&(struct timespec){0, ERROR_MS * 1000000}, NULL);
    return TD_OK;
}

/* Lets transfers end and begin, for up to timeout_ms or until something has ended. */
static int pump(struct usb *u, int64_t timeout_ms, struct td_err *err)
{
    if (u->gone)
        return fail_gone(u, err);
    if (u->failed) {
        int rc = recover(u, err);
        if (rc)
            return rc;
    }
    submit_all(u);
    if (!u->gone)
        handle_events(u, u->failed ? 0 : timeout_ms);
    return TD_OK;
}

static int usb_receive(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err)
{
    struct usb *u = (struct usb *)l;
    int64_t until = td_mono_ns() + (int64_t)timeout_ms * 1000000;
    int rc = TD_OK;
    /* Takes finished transfers even if timeout_ms is 0. */
    if (u->ready_count == 0)
        rc = pump(u, 0, err);
    while (rc == TD_OK && u->ready_count == 0 && td_ms_until(until))
        rc = pump(u, td_ms_until(until), err);
    if (u->ready_count == 0)
        return rc;
    struct incoming *in = u->ready[0];
    size_t bytes = (size_t)in->transfer->actual_length;
    if (bytes > room)
        return td_fail(err, TD_E_LIMIT, "a message of %zu bytes from the USB probe %s is too long", bytes,
                       u->dev.seen.serial);
    memcpy(to, in->transfer->buffer, bytes);
    memmove(u->ready, u->ready + 1, (size_t)(u->ready_count - 1) * sizeof *u->ready);
    td_ready_set(u->waiting, &u->ready_count, u->ready_count - 1);
    in->state = !u->stalled && !u->gone && submit(u, in->transfer) ? FLYING : IDLE;
    return (int)bytes;
}

/* One attempt to send out_bytes. 1: try again. */
static int send_once(struct usb *u, int bytes, struct td_err *err)
{
    const char *serial = u->dev.seen.serial;
    u->out->length = bytes;
    int rc = libusb_submit_transfer(u->out);
    if (rc == LIBUSB_ERROR_NO_DEVICE)
        return u->gone = 1, fail_gone(u, err);
    if (rc < 0)
        return td_fail(err, TD_E_IO, "cannot send to the USB probe %s: %s", serial, libusb_strerror(rc));
    u->out_flying = 1;
    while (u->out_flying) /* it has a timeout of its own */
        handle_events(u, 1000);
    if (u->gone)
        return fail_gone(u, err);
    if (u->out->status != LIBUSB_TRANSFER_COMPLETED || u->out->actual_length != bytes)
        td_debug(usb, "%s: a message of %d bytes %s, %d were sent", serial, bytes,
                 status_name(u->out->status), u->out->actual_length);
    switch (u->out->status) {
    case LIBUSB_TRANSFER_COMPLETED:
        return u->out->actual_length == bytes ? TD_OK : 1;
    case LIBUSB_TRANSFER_TIMED_OUT:
        return td_fail(err, TD_E_TIMEOUT, "the USB probe %s has not taken a message for %d s", serial,
                       SEND_MS / 1000);
    case LIBUSB_TRANSFER_STALL:
        libusb_clear_halt(u->dev.handle, u->dev.out);
        return 1;
    default:
        nanosleep(&(struct timespec){0, ERROR_MS * 1000000}, NULL);
        return 1;
    }
}

static int usb_send(struct td_link *l, const void *message, size_t bytes, struct td_err *err)
{
    struct usb *u = (struct usb *)l;
    int rc = 1;
    if (bytes > sizeof u->out_bytes)
        return td_fail(err, TD_E_LIMIT, "a message of %zu bytes is too long for USB", bytes);
    if (u->gone)
        return fail_gone(u, err);
    memcpy(u->out_bytes, message, bytes);
    for (int i = 0; i < SEND_TRIES && rc == 1; i++)
        rc = send_once(u, (int)bytes, err);
    if (rc == 1)
        return td_fail(err, TD_E_IO, "the USB probe %s does not take a whole message", u->dev.seen.serial);
    if (rc == TD_OK) {
        l->stats.messages_out++;
        l->stats.bytes_out += bytes;
    }
    return rc;
}

static int usb_notified(struct td_link *l, int timeout_ms, struct td_err *err)
{
    struct usb *u = (struct usb *)l;
    int64_t until = td_mono_ns() + (int64_t)timeout_ms * 1000000;
    int rc = u->notified ? TD_OK : pump(u, 0, err);
    while (rc == TD_OK && !u->notified && td_ms_until(until))
        rc = pump(u, td_ms_until(until), err);
    if (!u->notified)
        return rc;
    u->notified = 0;
    return 1;
}

static int usb_fd(struct td_link *l)
{
    return ((struct usb *)l)->epoll;
}

static void free_transfers(struct usb *u)
{
    for (int i = 0; i < TRANSFERS; i++)
        libusb_free_transfer(u->in[i].transfer);
    libusb_free_transfer(u->out);
    libusb_free_transfer(u->notify);
}

static void usb_close(struct td_link *l)
{
    struct usb *u = (struct usb *)l;
    int64_t until = td_mono_ns() + (int64_t)CLOSE_MS * 1000000;
    if (u->notify_flying)
        libusb_cancel_transfer(u->notify);
    if (u->out_flying)
        libusb_cancel_transfer(u->out);
    cancel_in(u);
    while ((u->notify_flying || u->out_flying) && td_ms_until(until))
        handle_events(u, td_ms_until(until));
    if (u->claimed)
        libusb_release_interface(u->dev.handle, u->dev.interface);
    if (u->epoll >= 0)
        close(u->epoll);
    if (u->waiting >= 0)
        close(u->waiting);
    /* The kernel may still write into a transfer that has not ended: its memory is not freed. */
    int left = in_flying(u) || u->notify_flying || u->out_flying;
    if (!left)
        free_transfers(u);
    td_usb_found_close(&u->dev);
    if (!left)
        free(u);
}

static struct td_link *usb_reopen(struct td_link *l, struct td_err *err)
{
    struct usb *u = (struct usb *)l;
    if (!u->gone || u->given_up)
        return NULL;
    td_debug(usb, "%s was unplugged; waiting up to %d ms for it to return", u->dev.seen.serial, RETURN_MS);
    struct td_link *again = td_usb_link_open(u->dev.seen.serial, RETURN_MS, err);
    if (!again) {
        u->given_up = 1;
        return NULL;
    }
    again->stats = l->stats;
    usb_close(l);
    return again;
}

/* clang-format off */
#define USB_OPS .name = "usb", .send = usb_send, .receive = usb_receive, .fd = usb_fd, .reopen = usb_reopen, .close = usb_close
/* clang-format on */
static const struct td_link_ops usb_ops = {USB_OPS, .notified = usb_notified};
static const struct td_link_ops usb_ops_silent = {USB_OPS}; /* for probes that do not notify */

static int make_transfers(struct usb *u, struct td_err *err)
{
    libusb_device_handle *h = u->dev.handle;
    for (int i = 0; i < TRANSFERS; i++) {
        struct incoming *in = &u->in[i];
        in->usb = u;
        if (!(in->transfer = libusb_alloc_transfer(0)))
            return td_fail_no_memory(err, NULL);
        libusb_fill_bulk_transfer(in->transfer, h, u->dev.in, u->in_bytes[i], IN_BYTES, on_in, in, 0);
    }
    if (!(u->out = libusb_alloc_transfer(0)))
        return td_fail_no_memory(err, NULL);
    libusb_fill_bulk_transfer(u->out, h, u->dev.out, u->out_bytes, 0, on_out, u, SEND_MS);
    u->out->flags = LIBUSB_TRANSFER_ADD_ZERO_PACKET;
    if (!u->dev.notify)
        return TD_OK;
    if (!(u->notify = libusb_alloc_transfer(0)))
        return td_fail_no_memory(err, NULL);
    /* One packet: longer ones would wait for more. */
    size_t packet = u->dev.notify_packet;
    libusb_fill_interrupt_transfer(u->notify, h, u->dev.notify, u->notify_bytes,
                                   packet && packet < sizeof u->notify_bytes ? (int)packet
                                                                             : (int)sizeof u->notify_bytes,
                                   on_notify, u, 0);
    return TD_OK;
}

static int claim(struct usb *u, struct td_err *err)
{
    const char *serial = u->dev.seen.serial;
    int rc = libusb_claim_interface(u->dev.handle, u->dev.interface);
    td_debug(usb, "%s: claiming interface %u: %s", serial, u->dev.interface,
             rc ? libusb_strerror(rc) : "done");
    if (rc == LIBUSB_ERROR_BUSY)
        return td_fail(err, TD_E_USAGE, "the USB probe %s is in use by another program", serial);
    if (rc == LIBUSB_ERROR_NO_DEVICE)
        return fail_gone(u, err);
    if (rc < 0)
        return td_fail(err, TD_E_IO, "cannot claim the USB probe %s: %s", serial, libusb_strerror(rc));
    u->claimed = 1;
    rc = libusb_control_transfer(u->dev.handle, TD_USB_REQUEST_TYPE, TD_USB_REQUEST_RESET, 0,
                                 u->dev.interface, NULL, 0, RESET_MS);
    td_debug(usb, "%s: beginning a session: %s", serial, rc < 0 ? libusb_strerror(rc) : "done");
    if (rc == LIBUSB_ERROR_NO_DEVICE)
        return fail_gone(u, err);
    if (rc == LIBUSB_ERROR_TIMEOUT)
        return td_fail(err, TD_E_TIMEOUT, "the USB probe %s does not answer", serial);
    if (rc < 0)
        return td_fail(err, TD_E_IO, "the USB probe %s does not begin a session: %s", serial,
                       libusb_strerror(rc));
    return TD_OK;
}

/* Makes one descriptor for all that libusb waits for. On failure it stays -1, and callers wait in
 * receive(). */
static void join_pollfds(struct usb *u)
{
    const struct libusb_pollfd **fds = libusb_get_pollfds(u->dev.context);
    struct epoll_event event = {.events = EPOLLIN};
    int ok = fds != NULL;
    u->epoll = epoll_create1(EPOLL_CLOEXEC);
    ok = ok && u->epoll >= 0 && epoll_ctl(u->epoll, EPOLL_CTL_ADD, u->waiting, &event) == 0;
    for (int i = 0; ok && fds[i]; i++) {
        event.events = (fds[i]->events & POLLIN ? EPOLLIN : 0) | (fds[i]->events & POLLOUT ? EPOLLOUT : 0);
        ok = epoll_ctl(u->epoll, EPOLL_CTL_ADD, fds[i]->fd, &event) == 0;
    }
    libusb_free_pollfds(fds);
    if (!ok && u->epoll >= 0) {
        close(u->epoll);
        u->epoll = -1;
    }
}

struct td_link *td_usb_link_open(const char *serial, int wait_ms, struct td_err *err)
{
    struct usb *u = calloc(1, sizeof *u);
    if (!u) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    u->epoll = u->waiting = -1;
    int rc = td_usb_find(serial, wait_ms, &u->dev, err);
    if (rc) {
        free(u);
        return NULL;
    }
    u->link.ops = u->dev.notify ? &usb_ops : &usb_ops_silent;
    u->link.lossy = 1;
    u->waiting = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (u->waiting < 0)
        rc = td_fail_errno(err, "cannot open the USB probe %s", u->dev.seen.serial);
    if (rc == TD_OK)
        rc = make_transfers(u, err);
    if (rc == TD_OK)
        rc = claim(u, err);
    if (rc == TD_OK) {
        join_pollfds(u);
        rc = pump(u, 0, err); /* transfers inwards begin before the first request is sent */
    }
    if (rc == TD_OK)
        return &u->link;
    usb_close(&u->link);
    return NULL;
}

const char *td_usb_serial(const struct td_link *l)
{
    return l->ops->close == usb_close ? ((const struct usb *)l)->dev.seen.serial : NULL;
}

struct td_transport *td_usb_open(const char *serial, int wait_ms, struct td_err *err)
{
    struct td_link *l = td_usb_link_open(serial, wait_ms, err);
    return l ? td_remote_open(l, "usb", err) : NULL;
}
