#include "host/transport/card/noc.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/live_clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_WINDOWS = 128,
    STRICT_READ_BYTES = 16, /* reads up to here are of control words: in order with writes anyway */
    COMBINE_BYTES = 1024,   /* writes from here on go through the write-combined mapping */
    PLACES = 4096,
    REGISTER_PAGE = 4096
};
static const int64_t witness_fresh_ns = 5000000; /* alive() asks the device again after this time */
/* How long a clock that a simulator updates may stay at one value. */
static const int64_t step_patience_ns = INT64_C(5000000000);

struct window_slot {
    struct td_window window;
    struct td_window_target target;
    uint32_t kind;
    uint64_t used;   /* when, in accesses */
    int64_t written; /* offset of a word of the last write that was not read back yet; -1: none */
};

struct noc_transport {
    struct td_transport base;
    struct td_transport_ops ops;
    struct td_windows *windows;
    struct td_transport *under;
    struct window_slot *slots;
    uint32_t count, max, last; /* `last`: slot of the access before */
    uint8_t full[TD_WINDOWS_MAX_KINDS];
    uint64_t now;           /* accesses */
    uint16_t dirty[PLACES]; /* slots with `written` >= 0, by tile */
    uint32_t dirty_slots;
    struct td_live_clock clock;
    int clock_steps;
    /* A tile whose clock could be read: the high half of a working clock is never all ones. */
    struct td_tile_at witness;
    int has_witness;
    int64_t checked_ns;
    int gone;
    struct td_noc_stats stats;
};

static uint16_t *dirty_of(struct noc_transport *n, struct td_tile_at at)
{
    return &n->dirty[(at.x + 64u * at.y + 731u * at.chip) % PLACES];
}

static bool same_tile(struct td_tile_at a, struct td_tile_at b)
{
    return a.chip == b.chip && a.x == b.x && a.y == b.y;
}

static int fail_gone(struct noc_transport *n, struct td_err *err)
{
    if (!n->gone)
        td_debug(noc, "%s reads as all ones: it is gone", n->windows->path);
    n->gone = 1;
    return td_fail(err, TD_E_GONE, "%s does not answer any more (all ones): it was unplugged or reset",
                   n->windows->path);
}

/* Through one window. */
static int load(struct noc_transport *n, const struct window_slot *s, uint64_t offset, void *to, size_t bytes,
                struct td_err *err)
{
    if (!s->window.uc)
        return n->windows->ops->read(n->windows, &s->window, offset, to, bytes, err);
    td_device_copy_from(to, (const volatile char *)s->window.uc + offset, bytes);
    return TD_OK;
}

static int store(struct noc_transport *n, const struct window_slot *s, uint64_t offset, const void *from,
                 size_t bytes, struct td_err *err)
{
    if (!s->window.uc)
        return n->windows->ops->write(n->windows, &s->window, offset, from, bytes, err);
    if (s->window.wc && bytes >= COMBINE_BYTES) {
        td_device_flush();
        td_device_copy_to((volatile char *)s->window.wc + offset, from, bytes);
        td_device_flush();
    } else {
        td_device_copy_to((volatile char *)s->window.uc + offset, from, bytes);
    }
    return TD_OK;
}

/* Reading a word back makes sure that all writes through the slot have arrived. */
static int read_back(struct noc_transport *n, struct window_slot *s, struct td_err *err)
{
    uint32_t word;
    if (s->written < 0)
        return TD_OK;
    int rc = load(n, s, (uint64_t)s->written, &word, sizeof word, err);
    s->written = -1;
    n->dirty_slots--;
    --*dirty_of(n, s->target.tile);
    n->stats.readbacks++;
    return rc;
}

/* Makes sure that writes to the tile through other slots than `but` have arrived. */
static int settle(struct noc_transport *n, struct td_tile_at at, const struct window_slot *but,
                  struct td_err *err)
{
    int rc = TD_OK;
    if (*dirty_of(n, at) == 0)
        return TD_OK;
    for (uint32_t i = 0; rc == 0 && i < n->count; i++)
        if (n->slots[i].written >= 0 && &n->slots[i] != but && same_tile(n->slots[i].target.tile, at))
            rc = read_back(n, &n->slots[i], err);
    return rc;
}

static int settle_all(struct noc_transport *n, struct td_err *err)
{
    int rc = TD_OK;
    for (uint32_t i = 0; rc == 0 && n->dirty_slots && i < n->count; i++)
        rc = read_back(n, &n->slots[i], err);
    return rc;
}

static bool shows(const struct window_slot *s, struct td_tile_at at, uint64_t address,
                  enum td_window_order order)
{
    return s->target.order == order && address - s->target.address < s->window.bytes &&
           same_tile(s->target.tile, at);
}

static struct window_slot *find_slot(struct noc_transport *n, struct td_tile_at at, uint64_t address,
                                     enum td_window_order order)
{
    if (n->last < n->count && shows(&n->slots[n->last], at, address, order))
        return &n->slots[n->last];
    for (uint32_t i = 0; i < n->count; i++)
        if (shows(&n->slots[i], at, address, order))
            return &n->slots[i];
    return NULL;
}

/* The smallest kind whose windows hold all of it, else the largest one. */
static uint32_t fitting_kind(const struct noc_transport *n, uint64_t address, size_t bytes)
{
    uint32_t kind = 0;
    while (kind + 1 < n->windows->kinds &&
           (address & (n->windows->bytes[kind] - 1)) + bytes > n->windows->bytes[kind])
        kind++;
    return kind;
}

/* No windows of this kind are left: gives back half of this process's, for processes that come later. */
static int give_back(struct noc_transport *n, uint32_t kind, struct td_err *err)
{
    uint32_t have = 0;
    for (uint32_t i = 0; i < n->count; i++)
        have += n->slots[i].kind == kind;
    for (uint32_t i = n->count, spare = have / 2; n->windows->ops->remove && spare > 0 && i-- > 0;) {
        if (n->slots[i].kind != kind)
            continue;
        int rc = read_back(n, &n->slots[i], err);
        if (rc)
            return rc;
        n->windows->ops->remove(n->windows, &n->slots[i].window);
        n->slots[i] = n->slots[--n->count];
        spare--;
    }
    n->stats.windows = n->count;
    n->full[kind] = 1;
    td_debug(noc, "%s has no window of 0x%llx bytes left; keeping %u windows of all sizes", n->windows->path,
             (unsigned long long)n->windows->bytes[kind], n->count);
    return TD_OK;
}

/* A slot of this kind that may be pointed: a new one, or the least recently used one. NULL: none; *rc is
 * 0, or an error. */
static struct window_slot *take_slot(struct noc_transport *n, uint32_t kind, int *rc, struct td_err *err)
{
    struct window_slot *oldest = NULL;
    *rc = TD_OK;
    if (!n->full[kind] && n->count < n->max) {
        struct window_slot *s = &n->slots[n->count];
        struct td_err why = {0};
        *s = (struct window_slot){.kind = kind, .written = -1};
        *rc = n->windows->ops->add(n->windows, kind, &s->window, &why);
        if (*rc == 0) {
            n->stats.windows = ++n->count;
            td_debug(noc, "%s: new window %u of 0x%llx bytes, %s; %u in use", n->windows->path, s->window.id,
                     (unsigned long long)s->window.bytes,
                     s->window.wc   ? "mapped, also write-combined"
                     : s->window.uc ? "mapped"
                                    : "not mapped",
                     n->count);
            return s;
        }
        if (*rc != TD_E_LIMIT) {
            if (err && err->code == 0)
                *err = why;
            return NULL;
        }
        if ((*rc = give_back(n, kind, err)))
            return NULL;
    }
    for (uint32_t i = 0; i < n->count; i++)
        if (n->slots[i].kind == kind && (!oldest || n->slots[i].used < oldest->used))
            oldest = &n->slots[i];
    return oldest;
}

static struct window_slot *any_slot(struct noc_transport *n, uint32_t wanted, int *rc, struct td_err *err)
{
    struct window_slot *s = take_slot(n, wanted, rc, err);
    for (uint32_t kind = 0; !s && *rc == 0 && kind < n->windows->kinds; kind++)
        if (kind != wanted)
            s = take_slot(n, kind, rc, err);
    if (!s && *rc == 0)
        *rc = td_fail(err, TD_E_LIMIT,
                      "%s has no window left; end other programs that use the device, then try again",
                      n->windows->path);
    return s;
}

/* Finds or points a window that shows the tile's address. */
static int reach(struct noc_transport *n, struct td_tile_at at, uint64_t address, size_t bytes,
                 enum td_window_order order, struct window_slot **slot, struct td_err *err)
{
    int rc = TD_OK;
    struct window_slot *s = find_slot(n, at, address, order);
    if (!s) {
        s = any_slot(n, fitting_kind(n, address, bytes), &rc, err);
        if (!s)
            return rc;
        if ((rc = read_back(n, s, err)))
            return rc;
        int used = s->used > 0;
        s->target = (struct td_window_target){
            .tile = at, .address = address & ~(s->window.bytes - 1), .order = order};
        rc = n->windows->ops->point(n->windows, &s->window, &s->target, err);
        n->stats.points++;
        n->stats.again += (uint64_t)used;
        td_debug(noc, "window %u -> chip %u, tile (%u,%u), address 0x%llx, %s order%s%s", s->window.id,
                 at.chip, at.x, at.y, (unsigned long long)s->target.address,
                 order == TD_WINDOW_STRICT ? "strict" : "relaxed", used ? ", pointed elsewhere before" : "",
                 rc ? ": failed" : "");
        if (rc) {
            s->target.order = (enum td_window_order) - 1; /* its target is unknown now */
            return rc;
        }
    }
    s->used = ++n->now;
    n->last = (uint32_t)(s - n->slots);
    *slot = s;
    return TD_OK;
}

static int transfer_in(struct noc_transport *n, struct td_tile_at at, uint64_t address, void *to,
                       size_t bytes, struct td_err *err)
{
    enum td_window_order order = bytes <= STRICT_READ_BYTES ? TD_WINDOW_STRICT : TD_WINDOW_RELAXED;
    for (size_t done = 0, part; done < bytes; done += part) {
        struct window_slot *s;
        int rc = reach(n, at, address + done, bytes - done, order, &s, err);
        if (rc == 0)
            rc = settle(n, at, order == TD_WINDOW_STRICT ? s : NULL, err);
        if (rc)
            return rc;
        uint64_t offset = address + done - s->target.address;
        part = s->window.bytes - offset < bytes - done ? s->window.bytes - offset : bytes - done;
        if ((rc = load(n, s, offset, (char *)to + done, part, err)))
            return rc;
    }
    return TD_OK;
}

static int transfer_out(struct noc_transport *n, struct td_tile_at at, uint64_t address, const void *from,
                        size_t bytes, struct td_err *err)
{
    for (size_t done = 0, part; done < bytes; done += part) {
        struct window_slot *s;
        int rc = reach(n, at, address + done, bytes - done, TD_WINDOW_STRICT, &s, err);
        rc = rc ? rc : settle(n, at, s, err);
        if (rc)
            return rc;
        uint64_t offset = address + done - s->target.address;
        part = s->window.bytes - offset < bytes - done ? s->window.bytes - offset : bytes - done;
        if (s->written < 0) {
            n->dirty_slots++;
            ++*dirty_of(n, at);
        }
        s->written = (int64_t)((offset + part - 1) & ~UINT64_C(3));
        if ((rc = store(n, s, offset, (const char *)from + done, part, err)))
            return rc;
        /* Combined stores reach the device in any order: wait for them here. */
        if (s->window.wc && part >= COMBINE_BYTES && (rc = read_back(n, s, err)))
            return rc;
    }
    return TD_OK;
}

/* Is the device gone? Then the high half of a clock reads as all ones, which it never is otherwise. */
static int ask_witness(struct noc_transport *n, struct td_err *err)
{
    uint32_t word = 0;
    int rc = n->windows->ops->alive(n->windows, err);
    if (rc == 0 && n->has_witness)
        rc = transfer_in(n, n->witness, n->clock.live_high, &word, sizeof word, err);
    n->checked_ns = td_mono_ns();
    if (rc == 0 && word == UINT32_MAX)
        rc = fail_gone(n, err);
    n->gone |= rc == TD_E_GONE;
    return rc;
}

static bool is_ones(const void *data, size_t bytes)
{
    const unsigned char *b = data;
    return bytes >= 4 && b[0] == 0xff && b[bytes - 1] == 0xff && memcmp(b, b + 1, bytes - 1) == 0;
}

static int check_gone(struct noc_transport *n, struct td_err *err)
{
    return n->gone ? fail_gone(n, err) : TD_OK;
}

static void note_witness(struct noc_transport *n, struct td_tile_at at, uint64_t address)
{
    if (n->clock.live_high && address / REGISTER_PAGE == n->clock.live_high / REGISTER_PAGE) {
        n->witness = at;
        n->has_witness = 1;
    }
}

static int noc_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                    struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    int rc = check_gone(n, err);
    rc = rc ? rc : transfer_in(n, at, address, to, bytes, err);
    if (rc == 0 && is_ones(to, bytes))
        rc = ask_witness(n, err);
    if (rc == 0)
        note_witness(n, at, address);
    n->gone |= rc == TD_E_GONE;
    return rc;
}

static int noc_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                     size_t bytes, struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    int rc = check_gone(n, err);
    rc = rc ? rc : transfer_out(n, at, address, from, bytes, err);
    n->gone |= rc == TD_E_GONE;
    return rc;
}

static int read_unchecked(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to,
                          size_t bytes, struct td_err *err)
{
    return transfer_in((struct noc_transport *)t, at, address, to, bytes, err);
}

static int read_clock(struct noc_transport *n, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    int rc = td_live_clock_read(&n->clock, &n->base, at, sample, err);
    return rc == 0 && sample->ticks >> 32 == UINT32_MAX ? fail_gone(n, err) : rc;
}

/* A clock that a simulator writes from time to time. Each value is taken after the previous one was
 * written. So the second new value was taken between the last read of the old value and the first read of
 * the second one. */
static int read_stepping_clock(struct noc_transport *n, struct td_tile_at at, struct td_clock_sample *sample,
                               struct td_err *err)
{
    const int64_t until = td_mono_ns() + step_patience_ns;
    uint64_t last_seen = 0;
    struct td_clock_sample now;
    int rc = read_clock(n, at, sample, err);
    now = *sample;
    for (int changes = 0; rc == 0 && changes < 2;) {
        const struct td_clock_sample before = now;
        rc = read_clock(n, at, &now, err);
        if (rc == 0 && now.ticks != before.ticks) {
            if (changes++ == 0)
                last_seen = before.host_before;
        } else if (rc == 0 && td_mono_ns() > until) {
            rc = td_fail(err, TD_E_TIMEOUT, "the clock of tile (%u,%u) of %s does not advance", at.x, at.y,
                         n->windows->path);
        }
    }
    *sample = (struct td_clock_sample){last_seen, now.host_after, now.ticks};
    return rc;
}

static int noc_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                     struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    int rc = check_gone(n, err);
    if (rc)
        return rc;
    rc = n->clock_steps ? read_stepping_clock(n, at, sample, err) : read_clock(n, at, sample, err);
    if (rc == 0)
        note_witness(n, at, n->clock.live_high);
    n->gone |= rc == TD_E_GONE;
    return rc;
}

static int noc_alive(struct td_transport *t, struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    int rc = check_gone(n, err);
    if (rc == 0 && n->under)
        rc = n->under->ops->alive(n->under, err);
    if (rc || td_mono_ns() - n->checked_ns < witness_fresh_ns)
        return rc;
    return ask_witness(n, err);
}

static int noc_describe(struct td_transport *t, const char **text, const char **grid, struct td_err *err)
{
    struct td_transport *under = ((struct noc_transport *)t)->under;
    return under->ops->describe(under, text, grid, err);
}

static int noc_control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                       struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    int rc = settle_all(n, err); /* controls use no window, so only this keeps them in order */
    return rc ? rc : td_transport_control(n->under, what, value, out, err);
}

static int noc_setup(struct td_transport *t, const struct td_transport_setup *setup, struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    n->clock.low = setup->clock_low;
    n->clock.live_high = setup->clock_live_high;
    td_debug(noc, "clock at 0x%x (low) and 0x%x (high); the description has %zu kinds of windows",
             setup->clock_low, setup->clock_live_high, setup->kind_count);
    n->clock_steps = setup->clock_steps && !n->under; /* `under` can read it exactly */
    return n->windows->ops->setup ? n->windows->ops->setup(n->windows, setup, err) : TD_OK;
}

static int noc_at_end(struct td_transport *t, struct td_tile_at at, uint64_t address, uint32_t word, int on,
                      struct td_err *err)
{
    struct noc_transport *n = (struct noc_transport *)t;
    return n->windows->ops->at_end(n->windows, at, address, word, on, err);
}

static void noc_identity(struct td_transport *t, struct td_identity *identity)
{
    struct noc_transport *n = (struct noc_transport *)t;
    n->windows->ops->identity(n->windows, identity);
}

static double noc_frequency_hz(struct td_transport *t)
{
    struct noc_transport *n = (struct noc_transport *)t;
    return n->windows->ops->frequency_hz(n->windows);
}

static void noc_close(struct td_transport *t)
{
    struct noc_transport *n = (struct noc_transport *)t;
    if (!n->gone)
        settle_all(n, NULL);
    td_debug(noc, "%s is closed: windows were pointed %llu times, %llu writes were read back",
             n->windows->path, (unsigned long long)n->stats.points, (unsigned long long)n->stats.readbacks);
    n->windows->ops->close(n->windows);
    td_transport_close(n->under);
    free(n->slots);
    free(n);
}

struct td_transport *td_noc_open(const struct td_noc_config *config, struct td_err *err)
{
    struct noc_transport *n = calloc(1, sizeof *n);
    struct window_slot *slots = NULL;
    uint32_t max = config->max_windows ? config->max_windows : USUAL_WINDOWS;
    if (n)
        slots = calloc(max, sizeof *slots);
    if (!slots) {
        td_fail_no_memory(err, NULL);
        config->windows->ops->close(config->windows);
        td_transport_close(config->under);
        free(n);
        return NULL;
    }
    n->ops = (struct td_transport_ops){.name = config->name,
                                       .read = noc_read,
                                       .write = noc_write,
                                       .clock = noc_clock,
                                       .alive = noc_alive,
                                       .describe = config->under ? noc_describe : NULL,
                                       .control = config->under ? noc_control : NULL,
                                       .setup = noc_setup,
                                       .at_end = config->windows->ops->at_end ? noc_at_end : NULL,
                                       .identity = config->windows->ops->identity ? noc_identity : NULL,
                                       .frequency_hz =
                                           config->windows->ops->frequency_hz ? noc_frequency_hz : NULL,
                                       .close = noc_close};
    n->base =
        (struct td_transport){.ops = &n->ops, .exclusive = config->exclusive, .cleans_up = config->cleans_up};
    n->windows = config->windows;
    n->clock = (struct td_live_clock){.read = read_unchecked, .path = n->windows->path};
    n->under = config->under;
    n->slots = slots;
    n->max = max;
    return &n->base;
}

void td_noc_facts(struct td_transport *t, void (*fact)(void *self, const char *name, const char *text),
                  void *self)
{
    if (t->ops->close != noc_close)
        return;
    struct td_windows *w = ((struct noc_transport *)t)->windows;
    if (w->ops->facts)
        w->ops->facts(w, fact, self);
}

const struct td_noc_stats *td_noc_get_stats(const struct td_transport *t)
{
    return &((const struct noc_transport *)t)->stats;
}
