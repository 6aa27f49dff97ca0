#include "host/device/board/attach.h"
#include "host/device/board/adapt.h"

#include "host/base/debug_log.h"
#include "host/base/path.h"
#include "host/device/board/arc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLOCK_WAIT_MS = 200, CLOCK_LOOK_MS = 5 };

/* The transports do not know struct td_board, so they get these facts in a struct of their own. */
struct td_window_kind td_board_window_kind(const struct td_window_desc *d)
{
    struct td_window_kind kind = {.bytes = d->bytes,
                                  .count = d->count - d->reserved,
                                  .bar = d->bar,
                                  .bar_offset = d->bar_offset,
                                  .registers = d->registers,
                                  .register_bytes = d->register_bytes,
                                  .first_index = d->first_index};
#define TD_X(name, bits) kind.shift[TD_WINDOW_##name] = (uint8_t)d->shift.name;
    TD_WINDOW_REGISTER(TD_X)
#undef TD_X
    return kind;
}

/* A card that was just woken up takes some milliseconds to its full clock. Waits, since the first guess at its
 * frequency is used until the clocks are compared. */
static double settled_hz(struct td_transport *t, double described_hz)
{
    double hz = 0;
    for (int waited = 0; t->ops->frequency_hz && waited < CLOCK_WAIT_MS; waited += CLOCK_LOOK_MS) {
        hz = t->ops->frequency_hz(t);
        if (hz <= 0 || hz > 0.95 * described_hz)
            break;
        nanosleep(&(struct timespec){0, CLOCK_LOOK_MS * 1000000L}, NULL);
    }
    return hz;
}

/* What the firmware reports and the description does not have. A grid that the card does not have is refused;
 * where tiles are does not depend on which are harvested, if they are called by translated coordinates. */
static int ask_firmware(const struct td_board *board, struct td_transport *t, double *hz, struct td_err *err)
{
    struct td_arc_report r;
    struct td_err why = {0};
    if (t->ops->chip_identity || !board->telemetry_table || td_arc_read(board, t, &r, &why))
        return 0;
    if (*hz <= 0 && r.has_clock)
        *hz = r.clock_mhz * 1e6;
    const uint32_t all = (UINT32_C(1) << board->all_columns) - 1;
    const uint32_t columns = (uint32_t)__builtin_popcount(r.columns & all);
    if (r.has_columns && board->grid_width > columns)
        return td_fail(err, TD_E_USAGE, "the card has %u columns of tiles that work; grid %ux%u is larger",
                       columns, board->grid_width, board->grid_height);
    return 0;
}

int td_board_attach(struct td_board *board, struct td_transport *t, struct td_err *err)
{
    struct td_window_kind kinds[TD_MAX_WINDOWS];
    for (uint32_t i = 0; i < board->window_count; i++)
        kinds[i] = td_board_window_kind(&board->windows[i]);
    const struct td_transport_setup setup = {.clock_low = board->clock_low,
                                             .clock_live_high = board->clock_live_high,
                                             .clock_steps = (int)board->simulated,
                                             .kinds = kinds,
                                             .kind_count = board->window_count};
    int rc = t->ops->setup ? t->ops->setup(t, &setup, err) : 0;
    double hz = rc == 0 ? settled_hz(t, board->frequency_hz) : 0;
    rc = rc ? rc : ask_firmware(board, t, &hz, err);
    td_debug(board, "%s over %s: %u chips, %ux%u tiles, %u cores each, %g MHz (%s)", board->name,
             t->ops->name, board->chips, board->grid_width, board->grid_height, board->core_count,
             (hz > 0 ? hz : board->frequency_hz) / 1e6, hz > 0 ? "by the device" : "by its description");
    if (hz > 0)
        board->frequency_hz = hz;
    return rc;
}

struct id_search {
    const struct td_identity *id;
    const char *transport;
    char path[4096];
    unsigned found;
};

static int consider(void *self, const char *name, const char *path)
{
    struct id_search *s = self;
    struct td_board *b = malloc(sizeof *b);
    struct td_err unused = {0};
    (void)name;
    if (b && td_board_load(b, path, NULL, NULL, &unused) == 0 &&
        td_board_has_pci_id(b, s->id->vendor, s->id->device) && !b->simulated &&
        td_board_has_transport(b, s->transport) && s->found++ == 0)
        snprintf(s->path, sizeof s->path, "%s", path);
    free(b);
    return 0;
}

/* The path of the only description that names these ids. */
static int find_by_ids(const struct td_transport *t, const struct td_identity *id, struct id_search *search,
                       struct td_err *err)
{
    *search = (struct id_search){.id = id, .transport = t->ops->name};
    const int rc = td_board_each(consider, search);
    if (rc < 0)
        return td_fail_to_look(rc, "boards", err);
    if (search->found == 1)
        return 0;
    return td_fail(err, search->found ? TD_E_USAGE : TD_E_NOTFOUND,
                   search->found ? "%u descriptions name the device %04x:%04x; choose one with -b BOARD"
                                 : "%u descriptions name the device %04x:%04x; name its board with -b BOARD",
                   search->found, id->vendor, id->device);
}

/* A line's end, or the text's. */
static size_t line_bytes(const char *at)
{
    const size_t n = strcspn(at, "\n");
    return n + (at[n] == '\n');
}

/* The text with as many chips as the device has, and without the sections of what it lacks. NULL: no memory. */
static char *adapted(const char *text, const struct td_identity *id)
{
    char *to = malloc(strlen(text) + 64);
    bool is_left_out = false;
    if (!to)
        return NULL;
    size_t used = 0;
    for (const char *at = text; *at; at += line_bytes(at)) {
        const size_t n = line_bytes(at);
        if (*at == '[')
            is_left_out = id->is_model && strncmp(at, "[debug_bus]", 11) == 0;
        if (is_left_out || (id->is_model && strncmp(at, "pc_select=", 10) == 0))
            continue;
        if (id->chips > 1 && strncmp(at, "chips=1\n", n) == 0) {
            used += (size_t)sprintf(to + used, "chips=%u\n", id->chips);
            continue;
        }
        memcpy(to + used, at, n);
        used += n;
        if (id->is_model && strncmp(at, "[tensix]\n", n) == 0)
            used += (size_t)sprintf(to + used, "counters=none\n");
    }
    to[used] = 0;
    return to;
}

static int adapt(struct td_board *board, const struct td_identity *id, const char *grid, char **text,
                 struct td_err *err)
{
    char *other = adapted(*text, id);
    if (!other)
        return td_fail_no_memory(err, "for a board's description");
    free(*text);
    *text = other;
    return td_board_parse(board, other, board->name, grid, err);
}

int td_board_load_for(struct td_board *board, struct td_transport *t, const char *name, const char *grid,
                      char **text, struct td_err *err)
{
    struct td_identity id = {0};
    struct id_search search;
    char *own = NULL;
    if (t->ops->identity)
        t->ops->identity(t, &id);
    int rc = name ? 0 : find_by_ids(t, &id, &search, err);
    rc = rc ? rc : td_board_load(board, name ? name : search.path, grid, &own, err);
    if (rc == 0 && id.vendor && !td_board_has_pci_id(board, id.vendor, id.device))
        rc = td_fail(err, TD_E_USAGE,
                     "the device is %04x:%04x, which is no %s; leave -b out, or name its board", id.vendor,
                     id.device, board->name);
    if (rc == 0 && id.vendor)
        rc = adapt(board, &id, grid, &own, err);
    rc = rc ? rc : td_board_adapt(board, &own, grid, t, err);
    if (rc == 0 && text)
        *text = own;
    else
        free(own);
    return rc;
}
