#include "host/transport/link/functionfs.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/ready.h"
#include "proto/probe/usb.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/usb/functionfs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READS     4
#define WRITES    8
#define ALL       (READS + WRITES + 1)
#define SEND_MS   TD_PROBE_SILENCE_MS
#define LOOK_MS   250 /* at most this much counts as waited at a time (td_waited_ns()) */
#define CANCEL_MS 1000

enum functionfs_state {
    IDLE,
    FLYING,
    READY /* a read that has a message, which receive() has not returned yet */
};

/* One asynchronous request to the kernel. */
struct transfer_job {
    struct iocb cb;
    enum functionfs_state state;
    size_t bytes; /* that were moved */
    uint8_t data[TD_PROBE_MAX_BYTES];
};

struct ffs {
    struct td_link link;
    aio_context_t aio;
    int ep0, out, in, notify; /* descriptors */
    int done;                 /* eventfd: jobs have ended */
    int waiting;              /* eventfd, readable while messages are ready */
    int epoll;                /* all of these */
    int enabled;              /* a host has configured us */
    int stale;                /* messages to send belong to a session that has ended */
    int heard;                /* the host has sent a message in this session */
    int ended;                /* a session has ended, and receive() has not reported it yet */
    size_t packet_bytes;
    struct transfer_job job[ALL]; /* reads, writes, the notification */
    struct transfer_job *ready[READS];
    int ready_count;
};

/* Gives the kernel a job. 1: done; 0: the kernel does not take it now. */
static int start(struct ffs *f, struct transfer_job *j, int fd, int is_read, size_t bytes)
{
    struct iocb *list = &j->cb;
    j->cb = (struct iocb){.aio_data = (uint64_t)(uintptr_t)j,
                          .aio_lio_opcode = is_read ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
                          .aio_fildes = (uint32_t)fd,
                          .aio_buf = (uint64_t)(uintptr_t)j->data,
                          .aio_nbytes = bytes,
                          .aio_flags = IOCB_FLAG_RESFD,
                          .aio_resfd = (uint32_t)f->done};
    if (syscall(SYS_io_submit, f->aio, 1L, &list) != 1)
        return 0;
    j->state = FLYING;
    return 1;
}

static void end_job(struct ffs *f, struct transfer_job *j, int64_t result)
{
    int is_read = j < &f->job[READS];
    j->state = IDLE;
    if (!is_read)
        return;
    j->bytes = result > 0 ? (size_t)result : 0;
    if (td_usb_is_message(j->data, j->bytes)) {
        j->state = READY;
        f->ready[f->ready_count] = j;
        td_ready_set(f->waiting, &f->ready_count, f->ready_count + 1);
        f->link.stats.messages_in++;
        f->link.stats.bytes_in += j->bytes;
    } else if (j->bytes || result == -EOVERFLOW)
        f->link.stats.bad_frames++;
}

/* Takes the jobs that the kernel has finished; waits up to timeout_ms for the first one. */
static void reap(struct ffs *f, int timeout_ms)
{
    struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    struct io_event events[ALL];
    uint64_t count;
    (void)!read(f->done, &count, sizeof count);
    long n = syscall(SYS_io_getevents, f->aio, timeout_ms ? 1L : 0L, (long)ALL, events, &time);
    for (long i = 0; i < n; i++)
        end_job(f, (struct transfer_job *)(uintptr_t)events[i].data, events[i].res);
}

static int flying(const struct ffs *f, int first, int count)
{
    int n = 0;
    for (int i = first; i < first + count; i++)
        n += f->job[i].state == FLYING;
    return n;
}

/* At the end of a session: drops messages on their way and messages that have arrived. */
static void drop_all(struct ffs *f)
{
    int64_t until = td_mono_ns() + (int64_t)CANCEL_MS * 1000000;
    struct io_event event;
    for (int i = 0; i < ALL; i++)
        if (f->job[i].state == FLYING)
            syscall(SYS_io_cancel, f->aio, &f->job[i].cb, &event);
    while (flying(f, 0, ALL) && td_mono_ns() < until)
        reap(f, 10);
    for (int i = 0; i < READS; i++)
        if (f->job[i].state == READY)
            f->job[i].state = IDLE;
    td_ready_set(f->waiting, &f->ready_count, 0);
    f->stale = 1;
    f->ended = f->heard;
    f->heard = 0;
}

static void start_session(struct ffs *f)
{
    struct usb_endpoint_descriptor in = {0};
    f->enabled = 1;
    f->packet_bytes = TD_USB_PACKET_HIGH;
    if (ioctl(f->in, FUNCTIONFS_ENDPOINT_DESC, &in) == 0)
        f->packet_bytes = in.wMaxPacketSize & 0x7ff;
}

static void take_event(struct ffs *f, enum td_functionfs_event event)
{
    static const char *const names[] = {"an event that changes nothing", "a host has configured the gadget",
                                        "unplugged or unbound",          "a host begins a session",
                                        "a request that is refused",     "a request that is refused"};
    td_debug(usb, "gadget: %s", names[event]);
    switch (event) {
    case TD_FUNCTIONFS_START:
        drop_all(f);
        start_session(f);
        break;
    case TD_FUNCTIONFS_STOP:
        f->enabled = 0;
        drop_all(f);
        break;
    case TD_FUNCTIONFS_RESET:
        drop_all(f);
        (void)!read(f->ep0, NULL, 0);
        break;
    case TD_FUNCTIONFS_REFUSE_IN:
        (void)!read(f->ep0, NULL, 0);
        break;
    case TD_FUNCTIONFS_REFUSE_OUT:
        (void)!write(f->ep0, NULL, 0);
        break;
    case TD_FUNCTIONFS_NONE:
        break;
    }
}

static int take_events(struct ffs *f, struct td_err *err)
{
    uint8_t bytes[4 * sizeof(struct usb_functionfs_event)];
    ssize_t count;
    size_t used;
    while ((count = read(f->ep0, bytes, sizeof bytes)) > 0)
        for (size_t at = 0; at < (size_t)count; at += used) {
            enum td_functionfs_event event = td_functionfs_take_event(bytes + at, (size_t)count - at, &used);
            take_event(f, event);
            if (used == 0)
                break;
        }
    /* EIDRM: the host has given up a request before it was answered. */
    if (count < 0 && errno != EAGAIN && errno != EINTR && errno != EIDRM)
        return td_fail_errno(err, "the USB gadget has ended");
    return TD_OK;
}

/* Lets jobs end and begin, for up to timeout_ms or until something has happened. */
static int pump(struct ffs *f, int64_t timeout_ms, struct td_err *err)
{
    struct pollfd fds[] = {{.fd = f->ep0, .events = POLLIN}, {.fd = f->done, .events = POLLIN}};
    for (int i = 0; f->enabled && i < READS; i++)
        if (f->job[i].state == IDLE)
            start(f, &f->job[i], f->out, 1, TD_PROBE_MAX_BYTES);
    if (poll(fds, 2, timeout_ms > 1000 ? 1000 : (int)timeout_ms) < 0 && errno != EINTR)
        return td_fail_errno(err, "cannot wait for USB");
    reap(f, 0);
    return fds[0].revents ? take_events(f, err) : TD_OK;
}

static int ffs_receive(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err)
{
    struct ffs *f = (struct ffs *)l;
    int64_t until = td_mono_ns() + (int64_t)timeout_ms * 1000000;
    int rc = pump(f, 0, err);
    while (rc == TD_OK && f->ready_count == 0 && !f->ended && td_ms_until(until))
        rc = pump(f, td_ms_until(until), err);
    if (rc == TD_OK && f->ended) {
        f->ended = 0;
        return td_fail(err, TD_E_GONE, "the host on USB has ended its session");
    }
    if (rc || f->ready_count == 0)
        return rc;
    struct transfer_job *j = f->ready[0];
    memmove(f->ready, f->ready + 1, (size_t)(f->ready_count - 1) * sizeof *f->ready);
    td_ready_set(f->waiting, &f->ready_count, f->ready_count - 1);
    j->state = IDLE;
    f->stale = 0;
    f->heard = 1;
    if (j->bytes > room)
        return td_fail(err, TD_E_LIMIT, "a message of %zu bytes from USB is too long", j->bytes);
    memcpy(to, j->data, j->bytes);
    return (int)j->bytes;
}

static struct transfer_job *idle_write(struct ffs *f)
{
    for (int i = READS; i < READS + WRITES; i++)
        if (f->job[i].state == IDLE)
            return &f->job[i];
    return NULL;
}

static int ffs_send(struct td_link *l, const void *message, size_t bytes, struct td_err *err)
{
    struct ffs *f = (struct ffs *)l;
    int64_t waited_ns = 0;
    int rc = TD_OK;
    if (bytes > TD_PROBE_MAX_BYTES)
        return td_fail(err, TD_E_LIMIT, "a message of %zu bytes is too long for USB", bytes);
    if (flying(f, READS, WRITES))
        rc = pump(f, 0, err);
    int empty = td_usb_needs_empty(bytes, f->packet_bytes);
    while (rc == TD_OK && f->enabled && !f->stale && flying(f, READS, WRITES) + 1 + empty > WRITES) {
        if (waited_ns >= SEND_MS * INT64_C(1000000))
            return td_fail(err, TD_E_TIMEOUT, "the host has not taken a message for %d s", SEND_MS / 1000);
        const int64_t before = td_mono_ns();
        rc = pump(f, LOOK_MS, err);
        waited_ns += td_waited_ns(td_mono_ns() - before, LOOK_MS * INT64_C(1000000));
    }
    if (rc)
        return rc;
    struct transfer_job *j = idle_write(f);
    if (f->enabled && !f->stale && j) {
        memcpy(j->data, message, bytes);
        if (start(f, j, f->in, 0, bytes) && (!empty || start(f, idle_write(f), f->in, 0, 0))) {
            l->stats.messages_out++;
            l->stats.bytes_out += bytes;
            return TD_OK;
        }
    }
    return td_fail(err, TD_E_GONE, "the host on USB is gone");
}

static void ffs_notify(struct td_link *l)
{
    static const struct td_probe_head head = {.type = TD_PROBE_NOTIFY | TD_PROBE_ANSWER};
    struct ffs *f = (struct ffs *)l;
    struct transfer_job *j = &f->job[READS + WRITES];
    memcpy(j->data, &head, sizeof head);
    if (f->enabled && j->state == IDLE)
        start(f, j, f->notify, 0, sizeof head);
}

static int ffs_fd(struct td_link *l)
{
    return ((struct ffs *)l)->epoll;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void ffs_close(struct td_link *l)
{
    struct ffs *f = (struct ffs *)l;
    if (f->aio) {
        drop_all(f);
        syscall(SYS_io_destroy, f->aio); /* waits for the remaining jobs */
    }
    const int fds[] = {f->notify, f->in, f->out, f->ep0, f->epoll, f->waiting, f->done};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        close_fd(fds[i]);
    free(f);
}

static const struct td_link_ops ffs_ops = {
    .name = "usb",
    .send = ffs_send,
    .receive = ffs_receive,
    .notify = ffs_notify,
    .fd = ffs_fd,
    .close = ffs_close,
};

static int open_part(const char *directory, const char *name, struct td_err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == EBUSY)
        return td_fail(err, TD_E_USAGE, "%s is in use by another program", directory);
    return fd >= 0 ? fd : td_fail_errno(err, "cannot open %s (is FunctionFS mounted there?)", path);
}

/* Describes the interface to the kernel, which then makes the endpoints' files. */
static int describe(struct ffs *f, const char *directory, struct td_err *err)
{
    static const struct {
        struct usb_functionfs_descs_head_v2 head;
        uint32_t counts[3];
        uint8_t full[TD_USB_DESCRIPTOR_BYTES], high[TD_USB_DESCRIPTOR_BYTES];
        uint8_t super[TD_USB_DESCRIPTOR_BYTES_SS];
    } __attribute__((packed)) descriptors = {
        .head = {.magic = FUNCTIONFS_DESCRIPTORS_MAGIC_V2,
                 .length = sizeof descriptors,
                 .flags = FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC | FUNCTIONFS_HAS_SS_DESC},
        .counts = {TD_USB_DESCRIPTORS, TD_USB_DESCRIPTORS, TD_USB_DESCRIPTORS_SS},
        .full = {TD_USB_FUNCTION(0, 1, TD_USB_ENDPOINT_OUT, TD_USB_ENDPOINT_IN, TD_USB_ENDPOINT_NOTIFY,
                                 TD_USB_PACKET_FULL, TD_USB_INTERVAL_FULL)},
        .high = {TD_USB_FUNCTION(0, 1, TD_USB_ENDPOINT_OUT, TD_USB_ENDPOINT_IN, TD_USB_ENDPOINT_NOTIFY,
                                 TD_USB_PACKET_HIGH, TD_USB_INTERVAL_HIGH)},
        .super = {TD_USB_FUNCTION_SS(0, 1, TD_USB_ENDPOINT_OUT, TD_USB_ENDPOINT_IN, TD_USB_ENDPOINT_NOTIFY)},
    };
    static const struct {
        struct usb_functionfs_strings_head head;
        uint16_t language;
        char text[sizeof TD_USB_INTERFACE_NAME];
    } __attribute__((packed)) strings = {
        .head = {.magic = FUNCTIONFS_STRINGS_MAGIC,
                 .length = sizeof strings,
                 .str_count = 1,
                 .lang_count = 1},
        .language = 0x0409,
        .text = TD_USB_INTERFACE_NAME,
    };
    if (write(f->ep0, &descriptors, sizeof descriptors) != sizeof descriptors ||
        write(f->ep0, &strings, sizeof strings) != sizeof strings)
        return errno == ESRCH ? td_fail(err, TD_E_USAGE, "%s is in use by another program", directory)
                              : td_fail_errno(err, "FunctionFS does not take the probe's descriptors");
    return TD_OK;
}

static int prepare(struct ffs *f, const char *directory, struct td_err *err)
{
    if (syscall(SYS_io_setup, ALL, &f->aio) < 0)
        return td_fail_errno(err, "cannot set up asynchronous input and output");
    if ((f->ep0 = open_part(directory, "ep0", err)) < 0)
        return f->ep0;
    int rc = describe(f, directory, err);
    if (rc)
        return rc;
    if ((f->out = open_part(directory, "ep1", err)) < 0)
        return f->out;
    if ((f->in = open_part(directory, "ep2", err)) < 0)
        return f->in;
    if ((f->notify = open_part(directory, "ep3", err)) < 0)
        return f->notify;
    f->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    f->waiting = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    f->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (f->done < 0 || f->waiting < 0 || f->epoll < 0 || epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->ep0, &event) ||
        epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->done, &event) ||
        epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->waiting, &event))
        return td_fail_errno(err, "cannot wait for USB");
    return TD_OK;
}

struct td_link *td_functionfs_open(const char *directory, struct td_err *err)
{
    struct ffs *f = calloc(1, sizeof *f);
    if (!f) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    f->link.ops = &ffs_ops;
    f->link.lossy = 1;
    f->ep0 = f->out = f->in = f->notify = f->done = f->waiting = f->epoll = -1;
    if (prepare(f, directory, err) == TD_OK)
        return &f->link;
    ffs_close(&f->link);
    return NULL;
}
