#include "host/base/debug_log.h"
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/device/discover.h"
#include "host/device/drain/owner.h"
#include "host/device/drain/relay.h"
#include "host/trace/origin.h"
#include "host/transport/sim/shm.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BOARD_START_MS 20000
#define BOARD_LOOK_MS  250
#define ATTACH_WAIT_MS 3000
#define SYNC_EVERY_NS  50000000
#define SYNC_READS     24

void td_recorder_count_board(struct recorder *r, const struct td_board *board)
{
    r->chip_count += board->chips;
    r->lane_count += board->chips * board->grid_width * board->grid_height * board->core_count;
}

int td_recorder_check_chips(const struct recorder *r, struct td_err *err)
{
    if (r->chip_count <= TD_RECORDER_CHIPS_MOST)
        return 0;
    return td_fail(err, TD_E_LIMIT, "the boards have %u chips; a trace holds %u", r->chip_count,
                   TD_RECORDER_CHIPS_MOST);
}

/* A path in the run folder: "board.bar", of further boards "board_1.bar" ... */
static void put_path(const struct recorder *r, const struct recorder_board *b, const char *suffix, char *to,
                     size_t bytes)
{
    if (b->number)
        snprintf(to, bytes, "%s/board_%u.%s", r->folder.path, b->number, suffix);
    else
        snprintf(to, bytes, "%s/board.%s", r->folder.path, suffix);
}

static int start_simulator(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    const struct td_recorder_board_options *o = b->options;
    const int insn = r->options->insn_clock;
    char path[4096], parent[16];
    td_child_find("tensix_sim", path, sizeof path);
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    put_path(r, b, "bar", b->where, sizeof b->where);
    const char *argv[24] = {path,       "--bar",
                            b->where,   "--board",
                            o->board,   "--parent-death",
                            "--parent", parent,
                            "--clock",  insn ? "insn" : "host"};
    int n = 10;
    const char *more[][2] = {
        {"--grid", o->grid}, {"--offset-ns", o->offset_ns}, {"--drift-ppm", o->drift_ppm}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i][1]) {
            argv[n++] = more[i][0];
            argv[n++] = more[i][1];
        }
    td_debug(sim, "starting %s for %s", path, b->where);
    int rc = td_child_start(&b->sim, (char *const *)argv, NULL, 1, err);
    if (rc < 0)
        return rc;
    for (int waited_ms = 0; !b->transport; waited_ms += BOARD_LOOK_MS) {
        struct td_err why = {0};
        b->transport = td_shm_open(b->where, BOARD_LOOK_MS, &why);
        char how[120];
        if (!b->transport && !td_child_is_running(&b->sim))
            return td_fail(err, TD_E_GONE, "the simulated board did not start: tensix_sim %s",
                           td_child_has_failed(&b->sim, how, sizeof how) ? how : "ended");
        if (!b->transport && waited_ms >= BOARD_START_MS)
            return td_fail(err, TD_E_TIMEOUT, "%s", why.text);
    }
    b->virtual_clock = insn;
    return 0;
}

/* The clock of a board that runs already cannot be chosen. */
static int ask_clock_mode(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    uint64_t mode = 0;
    int rc = td_transport_control(b->transport, TD_CONTROL_CLOCK_MODE, 0, &mode, err);
    if (rc)
        return rc;
    if (mode == TD_CLOCK_GATHERED && r->options->real_clock) {
        rc = td_transport_control(b->transport, TD_CONTROL_SET_CLOCK, TD_CLOCK_REAL, NULL, err);
        mode = TD_CLOCK_REAL;
    }
    b->virtual_clock = mode != TD_CLOCK_REAL;
    if (rc == 0 && r->options->insn_clock && !b->virtual_clock)
        return td_fail(err, TD_E_USAGE, "the board at %s runs in real time; leave --clock insn out", b->at);
    return rc;
}

/* Programs access the board through this process. */
static int share_board(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    char path[sizeof r->folder.path + 32];
    put_path(r, b, "sock", path, sizeof path);
    snprintf(b->where, sizeof b->where, "unix:%s", path);
    const struct td_board_server_options o = {
        .path = path, .name = "agent", .description = b->description, .grid = b->options->grid};
    b->server = td_board_server_create(b->transport, &o, err);
    return b->server ? 0 : err ? err->code : TD_E_IO;
}

static struct td_attach attach_to(const struct recorder *r, const struct recorder_board *b)
{
    return (struct td_attach){.where = b->at,
                              .board = b->options->board,
                              .grid = b->options->grid,
                              .wait_ms = ATTACH_WAIT_MS,
                              .open = r->options->open};
}

static int attach_board(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    const struct td_attach a = attach_to(r, b);
    int rc = td_attach_open(&a, &b->transport, &b->board, &b->description, err);
    rc = rc ? rc : ask_clock_mode(r, b, err);
    if (rc == 0 && b->transport->exclusive)
        rc = share_board(r, b, err);
    if (rc == 0 && !b->transport->cleans_up)
        td_guardian_arm(&b->guardian);
    else
        td_guardian_leave(&b->guardian);
    return rc;
}

static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *n = names; *n; n += strcspn(n, ","), n += *n == ',') {
        n += strspn(n, " ");
        if (strncmp(n, name, length) == 0 && (n[length] == 0 || n[length] == ','))
            return true;
    }
    return false;
}

struct board_search {
    const struct td_board *board;
    struct td_discovered found; /* the first board that can be opened, else the first one */
};

static int consider_board(void *self, const struct td_discovered *present)
{
    struct board_search *s = self;
    if (!has_name(present->boards, s->board->name))
        return 0;
    if (!s->found.where[0] || !present->why_not[0])
        s->found = *present;
    return !present->why_not[0];
}

/* Searches for hardware that the user has only named. */
static int search_board(struct recorder_board *b, struct td_err *err)
{
    struct board_search s = {.board = &b->board};
    td_discover_each(&(struct td_discover_roots){0}, &b->board, 1, consider_board, &s);
    if (!s.found.where[0])
        return td_fail(err, TD_E_NOTFOUND,
                       "no %s is found on this machine; give its address with --at ('tendril boards' lists "
                       "the boards it finds)",
                       b->board.name);
    if (s.found.why_not[0])
        return td_fail(err, TD_E_IO, "the %s at %s cannot be opened: %s", b->board.name, s.found.where,
                       s.found.why_not);
    snprintf(b->found, sizeof b->found, "%s", s.found.where);
    b->at = b->found;
    return 0;
}

int td_recorder_find_board(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    const struct td_recorder_board_options *o = b->options;
    b->at = o->at;
    if (!b->at && b->board.simulated)
        return 0;
    int rc = b->at ? 0 : search_board(b, err);
    if (rc)
        return rc;
    if (o->offset_ns || o->drift_ppm)
        return td_fail(
            err, TD_E_USAGE,
            "only the clock of a board that is started here can be set; the one at %s runs already", b->at);
    if (snprintf(b->where, sizeof b->where, "%s", b->at) >= (int)sizeof b->where)
        return td_fail(err, TD_E_USAGE, "the board's address is too long");
    /* Before any board is opened, so that the guardian does not keep it open. */
    const struct td_attach a = attach_to(r, b);
    return td_guardian_start(&b->guardian, &a, err);
}

int td_recorder_await_board(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    const struct td_recorder_ready *ready = &r->options->ready;
    struct td_attach a = attach_to(r, b);
    struct td_transport *t = NULL;
    struct td_err why = {0};
    int is_ready = 0;
    a.wait_ms = BOARD_LOOK_MS;
    while (is_ready <= 0) {
        if (!td_child_is_running(&r->program))
            is_ready = td_fail(err, TD_E_GONE, "%s ended before its board was ready%s%s",
                               r->options->program[0], why.code ? ": " : "", why.code ? why.text : "");
        else if (*r->options->interrupted)
            is_ready = td_fail(err, TD_E_GONE, "stopped before the board was ready");
        else if (!t && td_attach_open(&a, &t, &b->board, NULL, &why) == TD_E_USAGE)
            is_ready = td_fail(err, why.code, "%s", why.text);
        if (is_ready < 0)
            break;
        if (t)
            is_ready = ready->is_ready(ready->self, t, &b->board, &why);
        if (is_ready < 0) {
            td_transport_close(t);
            t = NULL;
        }
        if (is_ready <= 0)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    td_transport_close(t);
    return is_ready < 0 ? is_ready : 0;
}

int td_recorder_start_board(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    return b->at ? attach_board(r, b, err) : start_simulator(r, b, err);
}

/* A relay does not help where the host can map lanes, because reading them directly is faster; nor in virtual
 * time, because it would be part of the measurement. */
static bool may_relay_help(const struct recorder_board *b)
{
    struct td_transport *t = b->transport;
    const int has_gatherer = t->ops->gather && t->ops->gather(t);
    const char *why = has_gatherer                      ? "the probe gathers"
                      : t->ops->map                     ? "lanes are mapped into this process"
                      : b->virtual_clock                ? "the board runs in virtual time"
                      : td_board_relays(&b->board) == 0 ? "the board's description has no [relay]"
                                                        : NULL;
    if (why)
        td_debug(relay, "no relay: %s", why);
    return !why;
}

static int start_relay(struct recorder_board *b, struct td_err *err)
{
    const struct td_recorder_board_options *o = b->options;
    const int takes = o->policy == TD_POLICY_BLOCK || o->policy == TD_POLICY_DROP;
    if (!takes || o->drain == TD_RECORDER_DRAIN_POLL) {
        td_debug(relay, "no relay: %s", takes ? "--drain" : "the policy is overwrite");
        return 0;
    }
    if (o->drain == TD_RECORDER_DRAIN_AUTO && !may_relay_help(b))
        return 0;
    td_debug(relay, "%s",
             o->drain == TD_RECORDER_DRAIN_AUTO ? "a relay is quicker here: trying to start relays"
                                                : "relays are asked for");
    /* Relay cores of another process must not be touched. */
    struct td_owner owner;
    td_owner_init(&owner, b->transport, &b->board, (uint32_t)getpid());
    int rc = td_owner_check_free(&owner, td_board_tile(&b->board, 0, 0, 0), err);
    if (rc)
        return rc;
    b->relay = td_relay_create(b->transport, &b->board, &(struct td_relay_options){0},
                               o->drain == TD_RECORDER_DRAIN_RELAY ? err : NULL);
    if (!b->relay)
        td_debug(relay, "no relay could be started%s",
                 o->drain == TD_RECORDER_DRAIN_AUTO ? "; this process reads the lanes" : "");
    if (b->relay || o->drain == TD_RECORDER_DRAIN_AUTO)
        return 0;
    return err && err->code ? err->code : TD_E_NOTFOUND;
}

/* The tap for the journal, which needs the board's whole description. NULL: no journal. */
static const struct td_board_tap *begin_journal(struct recorder *r, struct recorder_board *b,
                                                const struct td_board_source_options *options)
{
    const char *text = b->description, *grid = NULL;
    struct td_err unused = {0};
    if (!text && b->transport->ops->describe &&
        b->transport->ops->describe(b->transport, &text, &grid, &unused) < 0)
        text = NULL;
    return td_board_journal_init(&b->journal, r->collection.options.journal, &b->board, text, options);
}

/* Not even looked at: the vendor's simulator ends at an access. */
static int check_debug_bus(const struct recorder *r, const struct recorder_board *b, struct td_err *err)
{
    struct td_identity id = {0};
    if (b->transport->ops->identity)
        b->transport->ops->identity(b->transport, &id);
    if (r->options->sampling.hz <= 0 || !id.is_model)
        return 0;
    return td_fail(err, TD_E_USAGE,
                   "cores cannot be sampled at %s: the vendor's simulator has no debug bus; leave "
                   "--sample-cores out",
                   b->at);
}

int td_recorder_start_source(struct recorder *r, struct recorder_board *b, uint64_t memory_bytes,
                             struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    int rc = check_debug_bus(r, b, err);
    rc = rc || o->tt_buffers.place ? rc : start_relay(b, err);
    if (rc)
        return rc;
    const char *dirs[17] = {r->folder.path};
    size_t dir_count = 1;
    for (size_t i = 0; i < o->elf_dir_count && dir_count < 16; i++)
        dirs[dir_count++] = o->elf_dirs[i];
    struct td_board_source_options so = {.policy = b->options->policy,
                                         .first_chip = (uint16_t)b->first_chip,
                                         .first_lane = b->first_lane,
                                         .virtual_clock = b->virtual_clock,
                                         .followed = o->follower_count != 0,
                                         .gather = b->relay,
                                         .poll = b->options->drain == TD_RECORDER_DRAIN_POLL,
                                         .memory_bytes = memory_bytes,
                                         .spill_folder = r->options->collection.folder,
                                         .sampling = o->sampling,
                                         .tt_buffers = o->tt_buffers,
                                         .spaces = r->spaces,
                                         .elf_dirs = dirs,
                                         .elf_dir_count = dir_count};
    so.tap = begin_journal(r, b, &so);
    b->source = td_board_source_create(b->transport, &b->board, &so, td_hub_dict(r->collection.hub), err);
    if (!b->source)
        return err ? err->code : TD_E_NOMEM;
    return td_board_source_sync(b->source, TD_RECORDER_SYNC_READS, err);
}

/* Reports the loss of the board, which is not accessed any more. A program that has lost its last board gets
 * some time to end. */
static void lose_board(struct recorder *r, struct recorder_board *b, const struct td_err *why)
{
    char how[100];
    if (b->gone)
        return;
    b->gone = 1;
    td_debug(board, "the board is lost: %s", why->text);
    int known = !b->at && !td_child_is_running(&b->sim) && td_child_has_failed(&b->sim, how, sizeof how);
    if (known)
        td_recorder_trouble(r, "the board %s (%s); the trace holds what was drained before", how, why->text);
    else
        td_recorder_trouble(r, "%s; the trace holds what was drained before", why->text);
    r->deadline_ns = td_mono_ns() + (int64_t)TD_RECORDER_GRACE_MS * 1000000;
}

/* The program that has the board waits for this process before it ends the board. */
static void leave_board(struct recorder *r, struct recorder_board *b)
{
    td_debug(board, "the program ends the board: draining the rest");
    td_recorder_finish_lanes(r, b);
    if (b->gone)
        return;
    td_transport_close(b->transport);
    b->transport = NULL;
    b->gone = b->left = 1;
    r->deadline_ns = INT64_MAX; /* it may do more */
}

int td_recorder_poll_board(struct recorder *r, struct recorder_board *b, size_t *taken, struct td_err *err)
{
    struct td_err why = {0};
    size_t slots = 0;
    if (b->gone)
        return 0;
    int rc = b->finished ? 0 : td_board_source_poll(b->source, &slots, &why);
    *taken += slots;
    int64_t now = td_mono_ns();
    if (rc == 0 && now >= b->next_sync_ns) {
        b->next_sync_ns = now + SYNC_EVERY_NS;
        rc = b->finished ? 0 : td_board_source_sync(b->source, SYNC_READS, &why);
        rc = rc ? rc : td_recorder_watch_faults(r, b, &why);
        rc = rc ? rc : b->transport->ops->alive(b->transport, &why);
        if (rc == 0 && b->transport->ops->leaving && b->transport->ops->leaving(b->transport)) {
            leave_board(r, b);
            return 0;
        }
        if (rc == 0 && !b->at && !td_child_is_running(&b->sim))
            rc = td_fail(&why, TD_E_GONE, "its process ended");
    }
    if (rc < 0 && rc != TD_E_NOMEM) {
        lose_board(r, b, &why);
        return 0;
    }
    return rc < 0 ? td_fail(err, rc, "%s", why.text) : 0;
}

void td_recorder_finish_lanes(struct recorder *r, struct recorder_board *b)
{
    struct td_err why = {0};
    if (b->finished)
        return;
    b->finished = 1;
    if (!b->gone && td_board_source_sync(b->source, TD_RECORDER_SYNC_READS, &why) < 0)
        lose_board(r, b, &why);
    if (td_board_source_finish(b->source, b->gone, r->collection.hub, r->t0, r->ns_per_tick, &why) < 0)
        td_recorder_trouble(r, "%s; the trace lacks a part of what the cores wrote", why.text);
    else if (td_board_source_gone(b->source))
        lose_board(r, b, td_board_source_gone(b->source));
    td_trace_begins(r->collection.trace, td_board_source_begin_ns(b->source, r->began_ns));
}

void td_recorder_end_board(struct recorder_board *b)
{
    td_board_source_destroy(b->source);
    td_relay_destroy(b->relay);
    td_board_server_destroy(b->server);
    td_transport_close(b->transport);
    if (b->gone && !b->left)
        td_guardian_abandon(&b->guardian);
    else
        td_guardian_leave(&b->guardian);
    td_child_stop(&b->sim, 1000);
    free(b->description);
}
