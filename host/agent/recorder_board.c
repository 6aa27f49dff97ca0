#include "host/base/debug_log.h"
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/device/discover.h"
#include "host/device/drain/owner.h"
#include "host/device/drain/relay.h"
#include "host/transport/sim/shm.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOARD_START_MS 20000
#define BOARD_LOOK_MS  250
#define ATTACH_WAIT_MS 3000
#define SYNC_EVERY_NS  50000000
#define SYNC_READS     24

static int start_simulator(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    char path[4096], parent[16];
    td_child_find("tensix_sim", path, sizeof path);
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    snprintf(r->where, sizeof r->where, "%s/board.bar", r->folder.path);
    const char *argv[24] = {path,       "--bar",
                            r->where,   "--board",
                            o->board,   "--parent-death",
                            "--parent", parent,
                            "--clock",  o->insn_clock ? "insn" : "host"};
    int n = 10;
    const char *more[][2] = {
        {"--grid", o->grid}, {"--offset-ns", o->offset_ns}, {"--drift-ppm", o->drift_ppm}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i][1]) {
            argv[n++] = more[i][0];
            argv[n++] = more[i][1];
        }
    td_debug(sim, "starting %s for %s", path, r->where);
    int rc = td_child_start(&r->sim, (char *const *)argv, NULL, 1, err);
    if (rc < 0)
        return rc;
    for (int waited_ms = 0; !r->transport; waited_ms += BOARD_LOOK_MS) {
        struct td_err why = {0};
        r->transport = td_shm_open(r->where, BOARD_LOOK_MS, &why);
        if (!r->transport && !td_child_is_running(&r->sim))
            return td_fail(err, TD_E_GONE,
                           "the simulated board did not start; its own message above says why");
        if (!r->transport && waited_ms >= BOARD_START_MS)
            return td_fail(err, TD_E_TIMEOUT, "%s", why.text);
    }
    r->virtual_clock = o->insn_clock;
    return 0;
}

/* The clock of a board that runs already cannot be chosen. */
static int ask_clock_mode(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    uint64_t mode = 0;
    int rc = td_transport_control(r->transport, TD_CONTROL_CLOCK_MODE, 0, &mode, err);
    if (rc)
        return rc;
    r->virtual_clock = mode == 1;
    if (o->insn_clock && !r->virtual_clock)
        return td_fail(err, TD_E_USAGE, "the board at %s runs in real time; leave --clock insn out", r->at);
    return 0;
}

/* Programs access the board through this process. */
static int share_board(struct recorder *r, struct td_err *err)
{
    char path[sizeof r->folder.path + 16];
    snprintf(path, sizeof path, "%s/board.sock", r->folder.path);
    snprintf(r->where, sizeof r->where, "unix:%s", path);
    r->server = td_board_server_create(r->transport, path, r->description, r->options->grid, err);
    return r->server ? 0 : err ? err->code : TD_E_IO;
}

static int attach_board(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    struct td_attach a = {
        .where = r->at, .board = o->board, .grid = o->grid, .wait_ms = ATTACH_WAIT_MS, .open = o->open};
    if (o->offset_ns || o->drift_ppm)
        return td_fail(
            err, TD_E_USAGE,
            "only the clock of a board that is started here can be set; the one at %s runs already", r->at);
    if (snprintf(r->where, sizeof r->where, "%s", r->at) >= (int)sizeof r->where)
        return td_fail(err, TD_E_USAGE, "the board's address is too long");
    /* Before the board is opened, so that the guardian does not keep it open. */
    int rc = td_guardian_start(&r->guardian, &a, err);
    if (rc == 0)
        rc = td_attach_open(&a, &r->transport, &r->board, &r->description, err);
    if (rc == 0)
        rc = ask_clock_mode(r, err);
    if (rc == 0 && r->transport->exclusive)
        rc = share_board(r, err);
    if (rc == 0 && !r->transport->cleans_up)
        td_guardian_arm(&r->guardian);
    else
        td_guardian_leave(&r->guardian);
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
static int find_board(struct recorder *r, struct td_err *err)
{
    struct board_search s = {.board = &r->board};
    td_discover_each(&(struct td_discover_roots){0}, &r->board, 1, consider_board, &s);
    if (!s.found.where[0])
        return td_fail(err, TD_E_NOTFOUND,
                       "no %s is found on this machine; give its address with --at ('tendril boards' lists "
                       "the boards it finds)",
                       r->board.name);
    if (s.found.why_not[0])
        return td_fail(err, TD_E_IO, "the %s at %s cannot be opened: %s", r->board.name, s.found.where,
                       s.found.why_not);
    snprintf(r->found, sizeof r->found, "%s", s.found.where);
    r->at = r->found;
    return 0;
}

int td_recorder_start_board(struct recorder *r, struct td_err *err)
{
    r->at = r->options->at;
    if (!r->at && r->board.simulated)
        return start_simulator(r, err);
    int rc = r->at ? 0 : find_board(r, err);
    return rc ? rc : attach_board(r, err);
}

/* A relay does not help where the host can map lanes, because reading them directly is faster; nor in virtual
 * time, because it would be part of the measurement. */
static bool may_relay_help(const struct recorder *r)
{
    struct td_transport *t = r->transport;
    const int has_gatherer = t->ops->gather && t->ops->gather(t);
    const char *why = has_gatherer                      ? "the probe gathers"
                      : t->ops->map                     ? "lanes are mapped into this process"
                      : r->virtual_clock                ? "the board runs in virtual time"
                      : td_board_relays(&r->board) == 0 ? "the board's description has no [relay]"
                                                        : NULL;
    if (why)
        td_debug(relay, "no relay: %s", why);
    return !why;
}

int td_recorder_start_relay(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    const int takes = o->policy == TD_POLICY_BLOCK || o->policy == TD_POLICY_DROP;
    if (!takes || o->drain == TD_RECORDER_DRAIN_POLL) {
        td_debug(relay, "no relay: %s", takes ? "--drain" : "the policy is overwrite");
        return 0;
    }
    if (o->drain == TD_RECORDER_DRAIN_AUTO && !may_relay_help(r))
        return 0;
    td_debug(relay, "%s",
             o->drain == TD_RECORDER_DRAIN_AUTO ? "a relay is quicker here: trying to start relays"
                                                : "relays are asked for");
    /* Relay cores of another process must not be touched. */
    struct td_owner owner;
    td_owner_init(&owner, r->transport, &r->board, (uint32_t)getpid());
    int rc = td_owner_check_free(&owner, td_board_tile(&r->board, 0, 0, 0), err);
    if (rc)
        return rc;
    r->relay = td_relay_create(r->transport, &r->board, &(struct td_relay_options){0},
                               o->drain == TD_RECORDER_DRAIN_RELAY ? err : NULL);
    if (!r->relay)
        td_debug(relay, "no relay could be started%s",
                 o->drain == TD_RECORDER_DRAIN_AUTO ? "; this process reads the lanes" : "");
    if (r->relay || o->drain == TD_RECORDER_DRAIN_AUTO)
        return 0;
    return err && err->code ? err->code : TD_E_NOTFOUND;
}

void td_recorder_lose_board(struct recorder *r, const struct td_err *why)
{
    char how[100];
    if (r->board_gone)
        return;
    r->board_gone = 1;
    td_debug(board, "the board is lost: %s", why->text);
    int known = !r->at && !td_child_is_running(&r->sim) && td_child_has_failed(&r->sim, how, sizeof how);
    if (known)
        td_recorder_trouble(r, "the board %s (%s); the trace holds what was drained before", how, why->text);
    else
        td_recorder_trouble(r, "%s; the trace holds what was drained before", why->text);
    r->deadline_ns = td_mono_ns() + (int64_t)TD_RECORDER_GRACE_MS * 1000000;
}

int td_recorder_poll_board(struct recorder *r, size_t *taken, struct td_err *err)
{
    struct td_err why = {0};
    *taken = 0;
    if (r->board_gone)
        return 0;
    int rc = r->lanes_finished ? 0 : td_board_source_poll(r->source, taken, &why);
    int64_t now = td_mono_ns();
    if (rc == 0 && now >= r->next_sync_ns) {
        r->next_sync_ns = now + SYNC_EVERY_NS;
        rc = r->lanes_finished ? 0 : td_board_source_sync(r->source, SYNC_READS, &why);
        if (rc == 0)
            rc = r->transport->ops->alive(r->transport, &why);
        if (rc == 0 && !r->at && !td_child_is_running(&r->sim))
            rc = td_fail(&why, TD_E_GONE, "its process ended");
    }
    if (rc < 0 && rc != TD_E_NOMEM) {
        td_recorder_lose_board(r, &why);
        return 0;
    }
    return rc < 0 ? td_fail(err, rc, "%s", why.text) : 0;
}

void td_recorder_finish_lanes(struct recorder *r)
{
    struct td_err why = {0};
    if (r->lanes_finished)
        return;
    r->lanes_finished = 1;
    if (!r->board_gone && td_board_source_sync(r->source, TD_RECORDER_SYNC_READS, &why) < 0)
        td_recorder_lose_board(r, &why);
    if (td_board_source_finish(r->source, r->board_gone, r->collection.hub, r->t0, r->ns_per_tick, &why) < 0)
        td_recorder_trouble(r, "%s; the trace lacks a part of what the cores wrote", why.text);
    else if (td_board_source_gone(r->source))
        td_recorder_lose_board(r, td_board_source_gone(r->source));
}

void td_recorder_end_board(struct recorder *r)
{
    td_board_source_destroy(r->source);
    td_relay_destroy(r->relay);
    td_board_server_destroy(r->server);
    td_transport_close(r->transport);
    if (r->board_gone)
        td_guardian_abandon(&r->guardian);
    else
        td_guardian_leave(&r->guardian);
    td_child_stop(&r->sim, 1000);
    free(r->description);
}
