#include "host/transport/sim/umd.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/live_clock.h"
#include "host/transport/sim/plain_memory.h"
#include "host/transport/sim/socket_all.h"
#include "host/transport/sim/umd_message.h"
#include "proto/pcie/tenstorrent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_CHIPS = 64,
    MOST_BYTES = 1 << 18, /* of one request */
    ANSWER_ROOM = 4096,   /* what an answer may have besides its data */
    INFO_MOST = 16 << 20, /* of a chip's description */
    ANSWER_S = 20,        /* the program may be busy */
    FIRST_ANSWER_S = 3,
    RETRY_NS = 20000000
};

struct umd_chip {
    int fd; /* -1: not opened yet */
    struct td_umd_info info;
};
struct umd {
    struct td_transport base;
    char path[300];
    int is_folder;
    struct umd_chip chips[MOST_CHIPS];
    uint8_t *buffer; /* of the last answer */
    size_t room;
    struct td_live_clock clock;
    int can_leave; /* it is Tendril's own library that serves */
    struct td_err gone;
};

/* The connection is of no use any more: each later call says why. */
static int lose(struct umd *u, struct td_err *err, const char *why)
{
    if (!u->gone.code)
        td_fail(&u->gone, TD_E_GONE, "the simulation at umd:%s %s", u->path, why);
    return td_fail(err, TD_E_GONE, "%s", u->gone.text);
}

/* After a whole message was not sent or received. */
static int lose_by(struct umd *u, int rc, struct td_err *err)
{
    return lose(u, err, rc == TD_E_TIMEOUT ? "does not answer any more" : "has ended");
}

/* Leaves the answer, which may have as many bytes as `most`, in u->buffer. */
static int exchange(struct umd *u, struct umd_chip *chip, const struct td_umd_request *request, size_t most,
                    size_t *bytes, struct td_err *err)
{
    uint8_t head[TD_UMD_REQUEST_BYTES], length[4];
    if (u->gone.code)
        return td_fail(err, TD_E_GONE, "%s", u->gone.text);
    td_umd_put_request(head, request);
    int rc = td_send_all(chip->fd, head, sizeof head, request->data_bytes != 0);
    rc = rc ? rc : td_send_all(chip->fd, request->data, request->data_bytes, 0);
    rc = rc ? rc : td_receive_all(chip->fd, length, sizeof length);
    if (rc)
        return lose_by(u, rc, err);
    *bytes = td_umd_message_bytes(length);
    if (*bytes > most)
        return lose(u, err, "sends an answer that is longer than what was asked for");
    if (*bytes > u->room) {
        uint8_t *larger = realloc(u->buffer, *bytes);
        if (!larger)
            return td_fail_no_memory(err, "for an answer of the simulation");
        u->buffer = larger;
        u->room = *bytes;
    }
    rc = td_receive_all(chip->fd, u->buffer, *bytes);
    return rc ? lose_by(u, rc, err) : TD_OK;
}

/* ---- chips ---- */

static int connect_to(const char *path, struct td_err *err)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof to.sun_path)
        return td_fail(err, TD_E_USAGE, "umd:%s: a socket's path has 1 to %zu characters", path,
                       sizeof to.sun_path - 1);
    strcpy(to.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to)) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        errno = error;
        return td_fail_errno(err, "no simulated chip is served at umd:%s", path);
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){FIRST_ANSWER_S, 0}, sizeof(struct timeval));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ANSWER_S, 0}, sizeof(struct timeval));
    return fd;
}

static int ask_info(struct umd *u, struct umd_chip *chip, struct td_err *err)
{
    static const char ours[] = "tendril"; /* libtendril-ttsim.so has this in place of a layout */
    size_t bytes;
    int rc =
        exchange(u, chip, &(struct td_umd_request){.command = TD_UMD_DEVICE_INFO}, INFO_MOST, &bytes, err);
    if (rc)
        return rc;
    if (td_umd_get_info(u->buffer, bytes, &chip->info))
        return lose(u, err, "does not say which chip it has");
    if (chip->info.status)
        return td_fail(err, TD_E_IO, "the simulation at umd:%s cannot say which chip it has (status %d)",
                       u->path, chip->info.status);
    u->can_leave =
        chip->info.layout_bytes == sizeof ours - 1 && memcmp(chip->info.layout, ours, sizeof ours - 1) == 0;
    chip->info.layout = NULL;
    td_debug(sim, "umd:%s: kind %d, harvested: tiles 0x%x, DRAM 0x%x, Ethernet 0x%x, PCIe 0x%x, %s", u->path,
             chip->info.arch, chip->info.tensix, chip->info.dram, chip->info.ethernet, chip->info.pcie,
             chip->info.translation ? "translated" : "coordinates of NoC 0");
    setsockopt(chip->fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ANSWER_S, 0}, sizeof(struct timeval));
    return TD_OK;
}

static int open_chip(struct umd *u, uint32_t number, struct umd_chip **chip, struct td_err *err)
{
    char path[sizeof u->path + 40];
    if (number >= (u->is_folder ? MOST_CHIPS : 1))
        return td_fail(err, TD_E_USAGE, "umd:%s is one chip; there is no chip %u", u->path, number);
    *chip = &u->chips[number];
    if ((*chip)->fd >= 0)
        return TD_OK;
    snprintf(path, sizeof path, u->is_folder ? "%s/tt-umd-sim-%u.sock" : "%s", u->path, number);
    const int fd = connect_to(path, err);
    if (fd < 0)
        return fd;
    (*chip)->fd = fd;
    return ask_info(u, *chip, err);
}

/* ---- accesses ---- */

static int request_part(struct umd *u, struct umd_chip *chip, const struct td_umd_request *request, void *to,
                        struct td_err *err)
{
    struct td_umd_answer answer;
    const uint32_t wanted = to ? request->size : 0;
    size_t bytes;
    int rc = exchange(u, chip, request, (size_t)wanted + ANSWER_ROOM, &bytes, err);
    if (rc)
        return rc;
    if (td_umd_get_answer(u->buffer, bytes, &answer))
        return lose(u, err, "sends what is no answer");
    if (answer.status)
        return td_fail(err, TD_E_IO,
                       "the simulation at umd:%s refuses to %s %u bytes at 0x%llx of tile (%u,%u)", u->path,
                       to ? "read" : "write", request->size, (unsigned long long)request->address, request->x,
                       request->y);
    if (answer.data_bytes != wanted)
        return lose(u, err, "sends another number of bytes than was asked for");
    if (wanted)
        memcpy(to, answer.data, wanted);
    return TD_OK;
}

static int transfer(struct umd *u, struct td_tile_at at, uint64_t address, void *to, const void *from,
                    size_t bytes, struct td_err *err)
{
    struct umd_chip *chip;
    int rc = open_chip(u, at.chip, &chip, err);
    for (size_t done = 0, part; done < bytes && rc == 0; done += part) {
        part = td_plain_part(address + done, bytes - done, MOST_BYTES);
        struct td_umd_request r = {.command = to ? TD_UMD_READ : TD_UMD_WRITE,
                                   .x = at.x,
                                   .y = at.y,
                                   .address = address + done,
                                   .size = (uint32_t)part};
        if (from) {
            r.data = (const uint8_t *)from + done;
            r.data_bytes = (uint32_t)part;
        }
        rc = request_part(u, chip, &r, to ? (char *)to + done : NULL, err);
    }
    return rc;
}

static int umd_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                    struct td_err *err)
{
    return transfer((struct umd *)t, at, address, to, NULL, bytes, err);
}

static int umd_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                     size_t bytes, struct td_err *err)
{
    return transfer((struct umd *)t, at, address, NULL, from, bytes, err);
}

static int umd_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                     struct td_err *err)
{
    const struct umd *u = (const struct umd *)t;
    return td_live_clock_read(&u->clock, t, at, sample, err);
}

static int umd_alive(struct td_transport *t, struct td_err *err)
{
    struct umd *u = (struct umd *)t;
    char byte;
    if (u->gone.code)
        return td_fail(err, TD_E_GONE, "%s", u->gone.text);
    for (int i = 0; i < MOST_CHIPS; i++)
        if (u->chips[i].fd >= 0 && recv(u->chips[i].fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
            return lose(u, err, "has ended");
    return TD_OK;
}

static int umd_leaving(struct td_transport *t)
{
    struct umd *u = (struct umd *)t;
    struct td_umd_answer answer;
    size_t bytes;
    return u->can_leave &&
           exchange(u, &u->chips[0], &(struct td_umd_request){.command = TD_UMD_ENDS}, ANSWER_ROOM, &bytes,
                    NULL) == 0 &&
           td_umd_get_answer(u->buffer, bytes, &answer) == 0 && answer.status == 1;
}

static int umd_setup(struct td_transport *t, const struct td_transport_setup *setup, struct td_err *err)
{
    struct umd *u = (struct umd *)t;
    (void)err;
    u->clock.low = setup->clock_low;
    u->clock.live_high = setup->clock_live_high;
    return TD_OK;
}

static int umd_chip_identity(struct td_transport *t, uint16_t number, struct td_chip_identity *identity,
                             struct td_err *err)
{
    struct umd_chip *chip;
    int rc = open_chip((struct umd *)t, number, &chip, err);
    if (rc)
        return rc;
    const struct td_umd_info *info = &chip->info;
    *identity = (struct td_chip_identity){.pci_device = td_umd_pci_device(info->arch),
                                          .translated = info->translation != 0,
                                          .tensix = info->tensix,
                                          .dram = info->dram,
                                          .ethernet = info->ethernet,
                                          .pcie = info->pcie};
    return TD_OK;
}

/* Chips are numbered from 0 on. */
static void umd_identity(struct td_transport *t, struct td_identity *identity)
{
    struct umd *u = (struct umd *)t;
    struct td_chip_identity first;
    char path[sizeof u->path + 40];
    struct stat st;
    *identity = (struct td_identity){.is_model = 1};
    if (umd_chip_identity(t, 0, &first, NULL) || !first.pci_device)
        return;
    identity->vendor = TD_TT_PCI_VENDOR;
    identity->device = first.pci_device;
    for (int is_there = u->is_folder; is_there && identity->chips < MOST_CHIPS;
         identity->chips += is_there != 0) {
        snprintf(path, sizeof path, "%s/tt-umd-sim-%u.sock", u->path, identity->chips);
        is_there = stat(path, &st) == 0;
    }
}

static void umd_close(struct td_transport *t)
{
    struct umd *u = (struct umd *)t;
    for (int i = 0; i < MOST_CHIPS; i++)
        if (u->chips[i].fd >= 0)
            close(u->chips[i].fd);
    free(u->buffer);
    free(u);
}

static const struct td_transport_ops umd_ops = {.name = "umd",
                                                .read = umd_read,
                                                .write = umd_write,
                                                .clock = umd_clock,
                                                .alive = umd_alive,
                                                .setup = umd_setup,
                                                .identity = umd_identity,
                                                .chip_identity = umd_chip_identity,
                                                .leaving = umd_leaving,
                                                .close = umd_close};

struct td_transport *td_umd_open(const char *where, int wait_ms, struct td_err *err)
{
    struct umd *u = calloc(1, sizeof *u);
    struct umd_chip *chip;
    struct stat st;
    struct td_err why = {0};
    const int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    if (!u) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    u->base.ops = &umd_ops;
    u->base.asks = 1;
    for (int i = 0; i < MOST_CHIPS; i++)
        u->chips[i].fd = -1;
    snprintf(u->path, sizeof u->path, "%s", where);
    u->clock = (struct td_live_clock){.read = umd_read, .path = u->path};
    int rc;
    for (;;) {
        u->is_folder = stat(u->path, &st) == 0 && S_ISDIR(st.st_mode);
        why = (struct td_err){0};
        rc = open_chip(u, 0, &chip, &why);
        if (rc != TD_E_IO || u->chips[0].fd >= 0 || td_mono_ns() >= until)
            break;
        nanosleep(&(struct timespec){0, RETRY_NS}, NULL);
    }
    if (rc) {
        td_fail(err, why.code, "%s", why.text);
        umd_close(&u->base);
        return NULL;
    }
    return &u->base;
}
