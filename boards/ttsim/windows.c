#include "boards/ttsim/windows.h"
#include "host/transport/sim/plain_memory.h"

#include <stdlib.h>

enum {
    MOST_WINDOWS = 512,
    MOST_BYTES = 1 << 20 /* of one call of the library */
};

struct ttsim_windows {
    struct td_windows base;
    const struct library *lib;
    struct td_window_kind kinds[TD_WINDOWS_MAX_KINDS];
    uint32_t used[TD_WINDOWS_MAX_KINDS], count;
    struct {
        uint32_t kind, index, chip;
        uint64_t address; /* of its target */
    } at[MOST_WINDOWS];   /* a window's number is its id */
};

static int ttsim_add(struct td_windows *w, uint32_t kind, struct td_window *window, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    (void)err;
    if (c->used[kind] == c->kinds[kind].count || c->count == MOST_WINDOWS)
        return TD_E_LIMIT;
    c->at[c->count].kind = kind;
    c->at[c->count].index = c->used[kind]++;
    *window = (struct td_window){.id = c->count++, .bytes = c->kinds[kind].bytes};
    return TD_OK;
}

/* All chips have the same windows, so one of each may show any chip. */
static int ttsim_point(struct td_windows *w, const struct td_window *window,
                       const struct td_window_target *target, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    const struct td_window_kind *k = &c->kinds[c->at[window->id].kind];
    const uint32_t chip = target->tile.chip;
    uint32_t words[TD_WINDOW_MAX_WORDS];
    if (chip >= c->lib->chips)
        return td_fail(err, TD_E_USAGE, "%s has %u chips that are PCI devices; chip %u cannot be reached",
                       w->path, c->lib->chips, chip);
    const int count = td_window_encode(k, target, words, err);
    const uint64_t at = c->lib->bar[chip][0] + k->registers +
                        (uint64_t)(k->first_index + c->at[window->id].index) * k->register_bytes;
    for (int i = 0; i < count; i++)
        c->lib->write(at + 4 * (uint64_t)i, &words[i], 4);
    c->at[window->id].address = target->address;
    c->at[window->id].chip = chip;
    return count < 0 ? count : TD_OK;
}

/* The next piece of an access, and where it is in the library's memory: registers come in words. */
static uint64_t piece(const struct ttsim_windows *c, const struct td_window *window, uint64_t offset,
                      size_t left, uint32_t *bytes)
{
    const struct td_window_kind *k = &c->kinds[c->at[window->id].kind];
    const uint64_t address = c->at[window->id].address + offset;
    *bytes = (uint32_t)td_plain_part(address, left, MOST_BYTES);
    return c->lib->bar[c->at[window->id].chip][k->bar] + k->bar_offset + c->at[window->id].index * k->bytes +
           offset;
}

static int ttsim_read(struct td_windows *w, const struct td_window *window, uint64_t offset, void *to,
                      size_t bytes, struct td_err *err)
{
    const struct ttsim_windows *c = (const struct ttsim_windows *)w;
    (void)err;
    for (uint32_t done = 0, n; done < bytes; done += n) {
        const uint64_t at = piece(c, window, offset + done, bytes - done, &n);
        c->lib->read(at, (char *)to + done, n);
    }
    return TD_OK;
}

static int ttsim_write(struct td_windows *w, const struct td_window *window, uint64_t offset,
                       const void *from, size_t bytes, struct td_err *err)
{
    const struct ttsim_windows *c = (const struct ttsim_windows *)w;
    (void)err;
    for (uint32_t done = 0, n; done < bytes; done += n) {
        const uint64_t at = piece(c, window, offset + done, bytes - done, &n);
        c->lib->write(at, (const char *)from + done, n);
    }
    return TD_OK;
}

/* Else there were no process that could ask. */
static int ttsim_alive(struct td_windows *w, struct td_err *err)
{
    (void)w, (void)err;
    return TD_OK;
}

static void ttsim_identity(struct td_windows *w, struct td_identity *identity)
{
    const struct library *lib = ((const struct ttsim_windows *)w)->lib;
    *identity = (struct td_identity){lib->vendor, lib->device, lib->chips, 1};
}

static int ttsim_setup(struct td_windows *w, const struct td_transport_setup *setup, struct td_err *err)
{
    struct ttsim_windows *c = (struct ttsim_windows *)w;
    const int count = td_window_kinds(setup, w->path, c->kinds, err);
    for (int i = 0; i < count; i++)
        w->bytes[i] = c->kinds[i].bytes;
    w->kinds = count > 0 ? (uint32_t)count : 0;
    return count < 0 ? count : TD_OK;
}

static void ttsim_close(struct td_windows *w)
{
    free(w);
}

static const struct td_window_ops ttsim_ops = {.add = ttsim_add,
                                               .point = ttsim_point,
                                               .read = ttsim_read,
                                               .write = ttsim_write,
                                               .alive = ttsim_alive,
                                               .identity = ttsim_identity,
                                               .setup = ttsim_setup,
                                               .close = ttsim_close};

struct td_windows *ttsim_windows(const struct library *lib, const char *path, struct td_err *err)
{
    struct ttsim_windows *c = calloc(1, sizeof *c);
    if (!c) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    c->base.ops = &ttsim_ops;
    c->base.path = path;
    c->lib = lib;
    return &c->base;
}
