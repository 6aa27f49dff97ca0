#include "host/transport/sim/ttsim.h"
#include "host/base/debug_log.h"
#include "host/base/process.h"
#include "host/transport/card/noc.h"
#include "proto/pcie/tenstorrent.h"
#include "proto/sim/ttsim.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_WINDOWS = 512,
    BARS = 3, /* 0, 2 and 4 */
    CONFIG_ID = 0,
    CONFIG_BAR = 0x10,
    PLAIN_END = 0xFF000000 /* from here on a tile has registers, which are accessed word by word */
};
#define ARC_BASE 0x800000000 /* and so has Wormhole's ARC tile */

struct ttsim_windows {
    struct td_windows base;
    char path[400];
    pid_t pid;
    int fd, messages; /* the socket; what the library prints */
    uint64_t bar[2 * BARS];
    struct td_window_kind kinds[TD_WINDOWS_MAX_KINDS];
    uint32_t used[TD_WINDOWS_MAX_KINDS], count;
    uint64_t address[MOST_WINDOWS]; /* of each window's target; its number is the window's id */
    struct {
        uint32_t kind, index;
    } at[MOST_WINDOWS];
};

/* The last line that the library printed is its reason for ending. */
static int ended(struct ttsim_windows *c, struct td_err *err)
{
    char text[4096], *line = NULL;
    ssize_t n;
    size_t used = 0;
    while ((n = read(c->messages, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)n;
        if (used > sizeof text / 2) {
            memmove(text, text + used - sizeof text / 4, sizeof text / 4);
            used = sizeof text / 4;
        }
    }
    text[used] = 0;
    for (char *rest = text, *next; (next = strsep(&rest, "\n"));)
        if (*next)
            line = next;
    return td_fail(err, TD_E_GONE, "the simulator of %s has ended: %.300s", c->path,
                   line ? line : "it gave no reason");
}

static int transfer(struct ttsim_windows *c, int is_read, void *data, size_t bytes, struct td_err *err)
{
    for (char *at = data; bytes;) {
        ssize_t n = is_read ? recv(c->fd, at, bytes, 0) : send(c->fd, at, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ended(c, err);
        at += n;
        bytes -= (size_t)n;
    }
    return TD_OK;
}

static int ask(struct ttsim_windows *c, enum td_ttsim_request request, uint64_t address, void *data,
               uint32_t bytes, struct td_err *err)
{
    struct td_ttsim_head head = {request, bytes, address};
    char done;
    int rc = transfer(c, 0, &head, sizeof head, err);
    if (rc == 0 && request == TD_TTSIM_WRITE)
        rc = transfer(c, 0, data, bytes, err);
    if (rc == 0 && (request == TD_TTSIM_WRITE || request == TD_TTSIM_FREEZE))
        return transfer(c, 1, &done, 1, err);
    return rc ? rc : transfer(c, 1, data, bytes, err);
}

static int ttsim_add(struct td_windows *w, uint32_t kind, struct td_window *window, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    if (w->kinds == 0)
        return td_fail(err, TD_E_USAGE, "the windows of %s are unknown: name its board with -b", c->path);
    if (c->used[kind] == c->kinds[kind].count || c->count == MOST_WINDOWS)
        return TD_E_LIMIT;
    c->at[c->count].kind = kind;
    c->at[c->count].index = c->used[kind]++;
    *window = (struct td_window){.id = c->count++, .bytes = c->kinds[kind].bytes};
    return TD_OK;
}

static int ttsim_point(struct td_windows *w, const struct td_window *window,
                       const struct td_window_target *target, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    const struct td_window_kind *k = &c->kinds[c->at[window->id].kind];
    uint32_t words[TD_WINDOW_MAX_WORDS];
    if (target->tile.chip != 0)
        return td_fail(err, TD_E_USAGE, "%s is one chip; chip %u cannot be reached through it", c->path,
                       target->tile.chip);
    const int count = td_window_encode(k, target, words, err);
    const uint64_t at =
        c->bar[0] + k->registers + (uint64_t)(k->first_index + c->at[window->id].index) * k->register_bytes;
    int rc = count < 0 ? count : 0;
    for (int i = 0; i < count && rc == 0; i++)
        rc = ask(c, TD_TTSIM_WRITE, at + 4 * (uint64_t)i, &words[i], 4, err);
    c->address[window->id] = target->address;
    return rc;
}

/* Memory in one piece, registers in words. */
static int access_window(struct ttsim_windows *c, const struct td_window *window, uint64_t offset, char *data,
                         size_t bytes, enum td_ttsim_request request, struct td_err *err)
{
    const struct td_window_kind *k = &c->kinds[c->at[window->id].kind];
    const uint64_t address = c->address[window->id] + offset;
    const uint64_t at = c->bar[k->bar] + k->bar_offset + c->at[window->id].index * k->bytes + offset;
    const int is_plain = address < PLAIN_END || (address > UINT32_MAX && address < ARC_BASE);
    int rc = 0;
    for (size_t done = 0; done < bytes && rc == 0;) {
        size_t part = bytes - done, most = is_plain ? TD_TTSIM_MOST_BYTES : 4 - (address + done) % 4;
        part = part < most ? part : most;
        rc = ask(c, request, at + done, data + done, (uint32_t)part, err);
        done += part;
    }
    return rc;
}

static int ttsim_read(struct td_windows *w, const struct td_window *window, uint64_t offset, void *to,
                      size_t bytes, struct td_err *err)
{
    return access_window((struct ttsim_windows *)w, window, offset, to, bytes, TD_TTSIM_READ, err);
}

static int ttsim_write(struct td_windows *w, const struct td_window *window, uint64_t offset,
                       const void *from, size_t bytes, struct td_err *err)
{
    /* Only read for a write. */
    return access_window((struct ttsim_windows *)w, window, offset, (char *)(uintptr_t)from, bytes,
                         TD_TTSIM_WRITE, err);
}

static int ttsim_alive(struct td_windows *w, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    char byte;
    return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ? ended(c, err) : TD_OK;
}

/* The chip ends with this process, so its cores wait for nothing. */
static int ttsim_at_end(struct td_windows *w, struct td_tile_at at, uint64_t address, uint32_t word, int on,
                        struct td_err *err)
{
    (void)w, (void)at, (void)address, (void)word, (void)on, (void)err;
    return TD_OK;
}

static int by_size(const void *a, const void *b)
{
    const struct td_window_kind *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int ttsim_setup(struct td_windows *w, const struct td_transport_setup *setup, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    if (setup->kind_count == 0 || setup->kind_count > TD_WINDOWS_MAX_KINDS)
        return td_fail(err, TD_E_USAGE, "the description names no windows (or too many) for %s", c->path);
    for (size_t i = 0; i < setup->kind_count; i++) {
        int rc = td_window_kind_check(&setup->kinds[i], err);
        if (rc)
            return rc;
        c->kinds[i] = setup->kinds[i];
    }
    qsort(c->kinds, setup->kind_count, sizeof *c->kinds, by_size);
    for (size_t i = 0; i < setup->kind_count; i++)
        w->bytes[i] = c->kinds[i].bytes;
    w->kinds = (uint32_t)setup->kind_count;
    return TD_OK;
}

static void ttsim_close(struct td_windows *w)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    if (c->fd >= 0)
        close(c->fd);
    if (c->messages >= 0)
        close(c->messages);
    if (c->pid > 0)
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    free(c);
}

static const struct td_window_ops ttsim_ops = {.add = ttsim_add,
                                               .point = ttsim_point,
                                               .read = ttsim_read,
                                               .write = ttsim_write,
                                               .alive = ttsim_alive,
                                               .at_end = ttsim_at_end,
                                               .setup = ttsim_setup,
                                               .close = ttsim_close};

/* Starts the process with one end of the socket. What it prints goes into a pipe. */
static int start(struct ttsim_windows *c, struct td_err *err)
{
    extern char **environ;
    char folder[4096], program[4200], number[16];
    int ends[2], out[2];
    posix_spawn_file_actions_t actions;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return td_fail_errno(err, "no socket for the simulator of %s", c->path);
    c->fd = ends[0];
    if (pipe2(out, O_CLOEXEC)) {
        close(ends[1]);
        return td_fail_errno(err, "no pipe for the simulator of %s", c->path);
    }
    c->messages = out[0];
    fcntl(c->messages, F_SETFL, O_NONBLOCK);
    snprintf(program, sizeof program, "%s/ttsim_board",
             td_process_folder(folder, sizeof folder) ? folder : "");
    const int theirs = 3;
    snprintf(number, sizeof number, "%d", theirs);
    char *argv[] = {program, c->path, number, NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], theirs);
    const int failed = posix_spawnp(&c->pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    close(out[1]);
    if (failed) {
        c->pid = 0;
        errno = failed;
        return td_fail_errno(err, "cannot start %s", program);
    }
    return TD_OK;
}

/* Which chip it is, and where its BARs are. */
static int identify(struct ttsim_windows *c, struct td_err *err)
{
    uint32_t id = 0, low, high;
    int rc = ask(c, TD_TTSIM_CONFIG, CONFIG_ID, &id, 4, err);
    for (uint32_t bar = 0; bar < 2 * BARS && rc == 0; bar += 2) {
        rc = ask(c, TD_TTSIM_CONFIG, CONFIG_BAR + 4 * bar, &low, 4, err);
        if (rc == 0)
            rc = ask(c, TD_TTSIM_CONFIG, CONFIG_BAR + 4 * bar + 4, &high, 4, err);
        if (rc == 0)
            c->bar[bar] = (uint64_t)high << 32 | (low & ~0xfu);
    }
    td_debug(sim, "%s: %04x:%04x, BAR 0 at 0x%llx", c->path, id & 0xffff, id >> 16,
             (unsigned long long)c->bar[0]);
    if (rc == 0 && (id & 0xffff) != TD_TT_PCI_VENDOR)
        return td_fail(err, TD_E_USAGE, "%s is a device %04x:%04x, which is no known board", c->path,
                       id & 0xffff, id >> 16);
    return rc;
}

struct td_transport *td_ttsim_open(const char *library, int wait_ms, struct td_err *err)
{
    (void)wait_ms;
    struct ttsim_windows *c = calloc(1, sizeof *c);
    if (!c) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    c->fd = c->messages = -1;
    /* dlopen() looks for a name without '/' elsewhere. */
    snprintf(c->path, sizeof c->path, "%s%s", strchr(library, '/') ? "" : "./", library);
    c->base.ops = &ttsim_ops;
    c->base.path = c->path;
    if (start(c, err) || identify(c, err)) {
        ttsim_close(&c->base);
        return NULL;
    }
    struct td_noc_config config = {.windows = &c->base, .name = "ttsim", .exclusive = 1, .cleans_up = 1};
    return td_noc_open(&config, err);
}
