#include "host/transport/card/tenstorrent.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/transport/card/noc.h"
#include "host/transport/link/sigbus_guard.h"
#include "proto/pcie/tenstorrent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct mapping {
    uint32_t id;
    void *uc, *wc;
    uint64_t bytes;
    int guard_uc, guard_wc;
};

/* A descriptor whose only purpose is the write that the driver does when it is closed. */
struct last_word {
    struct td_tile_at tile;
    int fd;
};

struct driver_windows {
    struct td_windows base;
    int fd;
    char path[64], number[24];
    char driver[80];
    char power[80]; /* what came of asking for power; "": it was not asked for */
    struct mapping *mappings;
    size_t mapping_count, mapping_room;
    struct last_word *last_words;
    size_t last_word_count, last_word_room;
};

static int call_failed(const struct driver_windows *c, const char *what, struct td_err *err)
{
    if (errno == ENODEV || errno == ENXIO)
        return td_fail(err, TD_E_GONE, "%s: the card was removed", c->path);
    return td_fail_errno(err, "%s: %s", c->path, what);
}

static void free_mapping(const struct driver_windows *c, const struct mapping *m)
{
    struct td_tt_free give = {.id = m->id};
    td_sigbus_guard_remove(m->guard_uc);
    td_sigbus_guard_remove(m->guard_wc);
    if (m->uc != MAP_FAILED)
        munmap(m->uc, m->bytes);
    if (m->wc != MAP_FAILED)
        munmap(m->wc, m->bytes);
    ioctl(c->fd, TD_TT_FREE_TLB, &give);
}

static int map_window(const struct driver_windows *c, struct mapping *m, const struct td_tt_allocate *window,
                      struct td_err *err)
{
    const int rw = PROT_READ | PROT_WRITE;
    m->uc = mmap(NULL, m->bytes, rw, MAP_SHARED, c->fd, (off_t)window->map_offset_uc);
    if (m->uc == MAP_FAILED)
        return call_failed(c, "cannot map a window", err);
    m->guard_uc = td_sigbus_guard_add(m->uc, m->bytes, err);
    if (m->guard_uc < 0)
        return m->guard_uc;
    /* Without a write-combined mapping, writes are only slower. */
    m->wc = mmap(NULL, m->bytes, rw, MAP_SHARED, c->fd, (off_t)window->map_offset_wc);
    if (m->wc == MAP_FAILED)
        return TD_OK;
    m->guard_wc = td_sigbus_guard_add(m->wc, m->bytes, err);
    return m->guard_wc < 0 ? m->guard_wc : TD_OK;
}

static int tt_add(struct td_windows *w, uint32_t kind, struct td_window *window, struct td_err *err)
{
    struct driver_windows *c = (struct driver_windows *)w;
    struct td_tt_allocate got = {.bytes = w->bytes[kind]};
    if (td_grow(&c->mappings, &c->mapping_room, c->mapping_count + 1, sizeof *c->mappings))
        return td_fail_no_memory(err, NULL);
    if (ioctl(c->fd, TD_TT_ALLOCATE_TLB, &got)) {
        td_debug(card, "%s: the driver gives no window of 0x%llx bytes: %s", c->path,
                 (unsigned long long)w->bytes[kind], strerror(errno));
        if (errno == ENOMEM || errno == ENOSPC || errno == EINVAL || errno == EBUSY)
            return TD_E_LIMIT;
        return call_failed(c, "the driver gives no window", err);
    }
    td_debug(card, "%s: the driver gives window %u of 0x%llx bytes", c->path, got.id,
             (unsigned long long)w->bytes[kind]);
    struct mapping m = {.id = got.id,
                        .uc = MAP_FAILED,
                        .wc = MAP_FAILED,
                        .bytes = w->bytes[kind],
                        .guard_uc = -1,
                        .guard_wc = -1};
    int rc = map_window(c, &m, &got, err);
    if (rc) {
        free_mapping(c, &m);
        return rc;
    }
    c->mappings[c->mapping_count++] = m;
    *window = (struct td_window){
        .id = got.id, .bytes = m.bytes, .uc = m.uc, .wc = m.wc == MAP_FAILED ? NULL : m.wc};
    return TD_OK;
}

static void tt_remove(struct td_windows *w, const struct td_window *window)
{
    struct driver_windows *c = (struct driver_windows *)w;
    for (size_t i = 0; i < c->mapping_count; i++)
        if (c->mappings[i].id == window->id) {
            free_mapping(c, &c->mappings[i]);
            c->mappings[i] = c->mappings[--c->mapping_count];
            return;
        }
}

static int no_other_chip(const struct driver_windows *c, struct td_tile_at at, struct td_err *err)
{
    if (at.chip == 0)
        return TD_OK;
    return td_fail(err, TD_E_USAGE, "%s is one chip; chip %u cannot be reached through it", c->path, at.chip);
}

static int tt_point(struct td_windows *w, const struct td_window *window,
                    const struct td_window_target *target, struct td_err *err)
{
    struct driver_windows *c = (struct driver_windows *)w;
    struct td_tt_configure point = {.id = window->id,
                                    .target = {.address = target->address,
                                               .x_end = target->tile.x,
                                               .y_end = target->tile.y,
                                               .ordering = (uint8_t)target->order}};
    int rc = no_other_chip(c, target->tile, err);
    if (rc == 0 && ioctl(c->fd, TD_TT_CONFIGURE_TLB, &point)) {
        char what[80];
        snprintf(what, sizeof what, "cannot point a window to 0x%llx of tile (%u,%u)",
                 (unsigned long long)target->address, target->tile.x, target->tile.y);
        rc = call_failed(c, what, err);
    }
    return rc;
}

static int tt_alive(struct td_windows *w, struct td_err *err)
{
    struct driver_windows *c = (struct driver_windows *)w;
    struct td_tt_device_info info = {.room_bytes = sizeof info - sizeof info.room_bytes};
    for (size_t i = 0; i < c->mapping_count; i++)
        if (td_sigbus_guard_hit(c->mappings[i].guard_uc) || td_sigbus_guard_hit(c->mappings[i].guard_wc))
            return td_fail(err, TD_E_GONE, "%s: the card was removed", c->path);
    if (ioctl(c->fd, TD_TT_GET_DEVICE_INFO, &info))
        return call_failed(c, "the driver does not know the card any more", err);
    return TD_OK;
}

/* Without O_APPEND each descriptor keeps the card's tiles and DRAM on (proto/pcie/tenstorrent.h). When a
 * process is killed its descriptors are closed one after the other, so those that clean up need that, too. */
static int open_card(const char *path)
{
    return open(path, O_RDWR | O_CLOEXEC);
}

static struct last_word *last_word_of(struct driver_windows *c, struct td_tile_at at, struct td_err *err)
{
    for (size_t i = 0; i < c->last_word_count; i++)
        if (c->last_words[i].tile.x == at.x && c->last_words[i].tile.y == at.y)
            return &c->last_words[i];
    if (td_grow(&c->last_words, &c->last_word_room, c->last_word_count + 1, sizeof *c->last_words)) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    struct last_word *l = &c->last_words[c->last_word_count];
    *l = (struct last_word){at, open_card(c->path)};
    if (l->fd < 0) {
        call_failed(c, "cannot be opened once more", err);
        return NULL;
    }
    c->last_word_count++;
    return l;
}

static int tt_at_end(struct td_windows *w, struct td_tile_at at, uint64_t address, uint32_t word, int on,
                     struct td_err *err)
{
    struct driver_windows *c = (struct driver_windows *)w;
    int rc = no_other_chip(c, at, err);
    if (rc)
        return rc;
    struct last_word *l = last_word_of(c, at, err);
    if (!l)
        return err ? err->code : TD_E_IO;
    struct td_tt_cleanup order = {.bytes = sizeof order,
                                  .enabled = on != 0,
                                  .x = (uint8_t)at.x,
                                  .y = (uint8_t)at.y,
                                  .address = address,
                                  .data = word};
    td_debug(card, "%s: when this process ends, the driver %s 0x%x to 0x%llx of tile (%u,%u)", c->path,
             on ? "writes" : "no longer writes", word, (unsigned long long)address, at.x, at.y);
    if (ioctl(l->fd, TD_TT_SET_NOC_CLEANUP, &order))
        return call_failed(c, "the driver refuses to write to the card when this process ends", err);
    return TD_OK;
}

/* The present clock, which the firmware reports in MHz. */
static double tt_frequency_hz(struct td_windows *w)
{
    struct driver_windows *c = (struct driver_windows *)w;
    char path[128], text[32] = "";
    snprintf(path, sizeof path, TD_TT_CLASS "/tenstorrent!%s/tt_aiclk", c->number);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    char *end = fgets(text, sizeof text, f);
    fclose(f);
    double mhz = end ? strtod(text, NULL) : 0;
    td_debug(card, "%s: %g MHz by %s", c->path, mhz, path);
    return mhz > 0 && mhz < 1e5 ? mhz * 1e6 : 0;
}

/* What this process wants to be on. A driver of before 2.6.0 does not know the call: there cards are always
 * on. Where it fails the card still works, with the idle clock. */
static void set_power(struct driver_windows *c, uint16_t flags)
{
    struct td_tt_power power = {.bytes = sizeof power, .validity = TD_TT_POWER_FLAG_COUNT, .power = flags};
    const int failed = ioctl(c->fd, TD_TT_SET_POWER_STATE, &power) ? errno : 0;
    snprintf(c->power, sizeof c->power, "%s%s",
             !failed            ? "asked for full clock, DRAM and tiles"
             : failed == ENOTTY ? "this driver has no power states"
                                : "the driver refuses to set it: ",
             failed && failed != ENOTTY ? strerror(failed) : "");
    td_debug(card, "%s: power flags 0x%x: %s", c->path, flags, failed ? strerror(failed) : "set");
}

static void tt_close(struct td_windows *w)
{
    struct driver_windows *c = (struct driver_windows *)w;
    for (size_t i = 0; i < c->mapping_count; i++)
        free_mapping(c, &c->mappings[i]);
    for (size_t i = 0; i < c->last_word_count; i++)
        close(c->last_words[i].fd);
    if (c->fd >= 0) {
        /* The close does it, too, unless the driver's parameter power_policy says otherwise. */
        if (c->power[0])
            set_power(c, 0);
        close(c->fd);
    }
    free(c->mappings);
    free(c->last_words);
    free(c);
}

static void tt_facts(struct td_windows *w, void (*fact)(void *self, const char *name, const char *text),
                     void *self)
{
    const struct driver_windows *c = (const struct driver_windows *)w;
    fact(self, "driver", c->driver);
    fact(self, "power", c->power);
}

static const struct td_window_ops tt_ops = {.add = tt_add,
                                            .remove = tt_remove,
                                            .point = tt_point,
                                            .alive = tt_alive,
                                            .at_end = tt_at_end,
                                            .frequency_hz = tt_frequency_hz,
                                            .facts = tt_facts,
                                            .close = tt_close};

struct card {
    uint16_t device;
    const char *name;
    uint64_t mib[3];
};
static const struct card known[] = {
#define TD_X(device, name, ...) {device, name, {__VA_ARGS__}},
    TD_TT_CARDS(TD_X)
#undef TD_X
};

static int identify(struct driver_windows *c, struct td_err *err)
{
    struct td_tt_driver_info driver = {.room_bytes = sizeof driver - sizeof driver.room_bytes};
    struct td_tt_device_info info = {.room_bytes = sizeof info - sizeof info.room_bytes};
    if (ioctl(c->fd, TD_TT_GET_DRIVER_INFO, &driver) || ioctl(c->fd, TD_TT_GET_DEVICE_INFO, &info))
        return call_failed(c, "is no card of the vendor's driver", err);
    td_debug(card, "%s: %04x:%04x, driver %u.%u.%u with interface version %u", c->path, info.vendor,
             info.device, driver.major, driver.minor, driver.patch, driver.api);
    snprintf(c->driver, sizeof c->driver, "%u.%u.%u, interface version %u", driver.major, driver.minor,
             driver.patch, driver.api);
    if (driver.api < TD_TT_API)
        return td_fail(err, TD_E_VERSION,
                       "%s: the driver (%u.%u.%u) is too old: it speaks version %u, at least %u is needed",
                       c->path, driver.major, driver.minor, driver.patch, driver.api, TD_TT_API);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (info.device != known[i].device)
            continue;
        for (int k = 0; k < 3 && known[i].mib[k]; k++)
            c->base.bytes[c->base.kinds++] = known[i].mib[k] << 20;
    }
    if (c->base.kinds == 0 || info.vendor != TD_TT_PCI_VENDOR)
        return td_fail(err, TD_E_USAGE, "%s is a card %04x:%04x, which is no known board", c->path,
                       info.vendor, info.device);
    return TD_OK;
}

static int open_device(struct driver_windows *c, int wait_ms, struct td_err *err)
{
    int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    while ((c->fd = open_card(c->path)) < 0 && errno == ENOENT && td_mono_ns() < until)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    td_debug(card, "%s: %s", c->path, c->fd >= 0 ? "opened" : strerror(errno));
    if (c->fd >= 0)
        return TD_OK;
    if (errno == ENOENT)
        return td_fail(err, TD_E_NOTFOUND,
                       "there is no %s; is the card in its slot, and the vendor's driver loaded?", c->path);
    if (errno == EACCES)
        return td_fail(err, TD_E_IO, "%s: this user may not open it; see its owner and mode", c->path);
    return call_failed(c, "cannot be opened", err);
}

struct td_transport *td_tenstorrent_open(const char *where, int wait_ms, struct td_err *err)
{
    struct driver_windows *c = calloc(1, sizeof *c);
    if (!c) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    const char *slash = strrchr(where, '/');
    snprintf(c->path, sizeof c->path, slash ? "%s" : TD_TT_FOLDER "/%s", where);
    snprintf(c->number, sizeof c->number, "%s", slash ? slash + 1 : where);
    c->base.ops = &tt_ops;
    c->base.path = c->path;
    if (open_device(c, wait_ms, err) || identify(c, err)) {
        tt_close(&c->base);
        return NULL;
    }
    set_power(c, TD_TT_POWER_FULL_CLOCK | TD_TT_POWER_DRAM_PHY | TD_TT_POWER_TENSIX | TD_TT_POWER_L2CPU);
    struct td_noc_config config = {.windows = &c->base, .name = "tenstorrent", .cleans_up = 1};
    return td_noc_open(&config, err);
}
