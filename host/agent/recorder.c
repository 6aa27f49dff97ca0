#include "host/agent/program.h"
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/trace/origin.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_PART 1 / 8 /* of the memory, for the boards' events that wait; the rest is in a file */
#define WAITING_MOST (UINT64_C(64) << 20)
#define IDLE_LOOKS   4  /* polls without a packet before the loop waits a little */
#define BOARD_FDS    16 /* of the server of one board */
/* What the model's times can be before the recording: 26 days. A double holds such times to half a ns. */
#define ROOM_NS ((double)(INT64_C(1) << 51))

/* The memory that the run folder needs: for boards that are started here, or only for ELFs. */
static uint64_t folder_bytes(const struct recorder *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->board_count; i++) {
        const struct td_board *b = &r->boards[i].board;
        if (!r->boards[i].options->at && b->simulated)
            bytes += (uint64_t)b->chips * b->grid_width * b->grid_height * b->l1_bytes +
                     b->dram_banks * b->dram_bank_bytes / 4;
    }
    return bytes ? bytes : 1 << 20;
}

static bool all_boards_gone(const struct recorder *r)
{
    for (size_t i = 0; i < r->board_count; i++)
        if (!r->boards[i].gone)
            return false;
    return true;
}

/* ---- waiting ---- */

/* The board whose own wait ends as soon as its lanes have packets. With several boards there is none: the
 * wait of one would delay the others. Nor is there one while programs send requests. */
static struct td_board_source *source_to_wait_for(const struct recorder *r)
{
    const struct recorder_board *b = r->board_count == 1 ? &r->boards[0] : NULL;
    if (!b || b->gone || b->finished || (b->server && td_board_server_is_busy(b->server)))
        return NULL;
    return b->source;
}

/* Fills the descriptors of programs and board servers, and shortens *wait_ms if a program needs that. */
static size_t fill_fds(const struct recorder *r, struct pollfd *fds, size_t room, int *wait_ms)
{
    size_t n = 0;
    for (size_t i = 0; i < r->client_count && n < room; i++) {
        const struct td_client_source *source = r->clients[i].source;
        if (!source)
            continue;
        int limit = td_client_source_wait_ms(source);
        fds[n++] = (struct pollfd){td_client_source_fd(source), td_client_source_events(source), 0};
        *wait_ms = limit >= 0 && limit < *wait_ms ? limit : *wait_ms;
    }
    for (size_t i = 0; i < r->agent_count && n < room; i++)
        if (!r->agents[i].closed)
            fds[n++] = (struct pollfd){td_agent_source_fd(r->agents[i].source),
                                       td_agent_source_events(r->agents[i].source), 0};
    for (size_t i = 0; i < r->board_count; i++)
        if (r->boards[i].server)
            n += td_board_server_fds(r->boards[i].server, fds + n, room - n);
    return n;
}

/* Waits for packets, events or requests, for at most wait_ms. */
static int wait_for_news(struct recorder *r, int wait_ms)
{
    const size_t room = r->client_count + r->agent_count + BOARD_FDS * r->board_count + 1;
    if (td_grow(&r->fds, &r->fd_capacity, room, sizeof *r->fds) < 0)
        return TD_E_NOMEM;
    const size_t n = fill_fds(r, r->fds, room, &wait_ms);
    struct td_board_source *source = wait_ms > 0 ? source_to_wait_for(r) : NULL;
    /* An error in it is ignored: the next poll of the board reports it. */
    if (source && td_board_source_wait(source, wait_ms, NULL) >= 0)
        wait_ms = 0;
    if (wait_ms > 0 || n)
        poll(r->fds, n, wait_ms);
    return 0;
}

/* ---- limits ---- */

/* Ends the recording; the program continues. The lanes are finished now, while the last clock samples are
 * new. */
static void stop_recording(struct recorder *r, const char *why, bool at_once)
{
    char *stopped = r->result->stopped;
    if (!stopped[0])
        snprintf(stopped, sizeof r->result->stopped,
                 r->options->program ? "%.300s; the program continued without" : "%.300s", why);
    td_recorder_stop_clients(r, at_once);
    td_memory_watch_release(&r->collection.memory); /* for the events of lanes that still wait */
    for (size_t i = 0; i < r->board_count; i++)
        td_recorder_finish_lanes(r, &r->boards[i]);
}

/* Bytes that the boards' events, and what clients other than the first will allocate, take at the end. */
static uint64_t waiting_bytes(const struct recorder *r)
{
    uint64_t all = 0;
    for (size_t i = 0; i < r->board_count; i++)
        all += td_board_source_waiting(r->boards[i].source);
    for (size_t i = 1; i < r->client_count; i++)
        all += r->clients[i].source ? td_client_source_growth(r->clients[i].source) : 0;
    return all;
}

static void check_limits(struct recorder *r)
{
    char why[sizeof r->result->stopped];
    if (!td_collection_look(&r->collection, r->client_count ? r->clients[0].source : NULL, waiting_bytes(r),
                            r->elf_room.used))
        return;
    td_collection_tell(&r->collection, why, sizeof why);
    stop_recording(r, why, false);
}

/* ---- the loop ---- */

static int pump_sources(struct recorder *r, int wait_ms, size_t *taken, struct td_err *err)
{
    int rc = 0;
    *taken = 0;
    for (size_t i = 0; rc == 0 && i < r->board_count; i++)
        rc = td_recorder_poll_board(r, &r->boards[i], taken, err);
    if (rc == 0 && wait_for_news(r, *taken ? 0 : wait_ms) < 0)
        rc = td_fail_no_memory(err, NULL);
    for (size_t i = 0; rc == 0 && i < r->board_count; i++)
        if (r->boards[i].server)
            td_board_server_pump(r->boards[i].server);
    rc = rc ? rc : td_recorder_look_for_children(r, err);
    rc = rc ? rc : td_recorder_pump_agents(r, err);
    return rc ? rc : td_recorder_pump_clients(r, err);
}

/* Drains the boards, answers programs and collects the programs' events, once. */
static int pump_all(struct recorder *r, int wait_ms, size_t *taken, struct td_err *err)
{
    struct td_err own = {0};
    int rc = pump_sources(r, wait_ms, taken, &own);
    if (rc == 0)
        check_limits(r);
    if (rc != TD_E_NOMEM)
        return rc < 0 ? td_fail(err, rc, "%s", own.text) : 0;
    r->collection.memory.state = TD_MEMORY_OVER;
    stop_recording(r, own.text, true);
    return 0;
}

static bool has_sources(const struct recorder *r)
{
    if (r->asked_to_stop || r->result->stopped[0])
        return false;
    return (r->board_count && !all_boards_gone(r)) || td_recorder_expects_clients(r) ||
           td_recorder_expects_agents(r);
}

static int run_loop(struct recorder *r, struct td_err *err)
{
    const bool has_program = r->options->program != NULL;
    const int wait_ms = r->board_count ? 1 : 5;
    int idle = 0;
    while (has_program ? td_child_is_running(&r->program) : has_sources(r)) {
        size_t taken;
        int rc = pump_all(r, idle > IDLE_LOOKS ? wait_ms : 0, &taken, err);
        if (rc < 0)
            return rc;
        idle = taken ? 0 : idle + 1;
        td_recorder_heed_interrupt(r);
        const bool is_lost = r->board_count && all_boards_gone(r);
        if (has_program && (r->asked_to_stop || is_lost) && td_mono_ns() >= r->deadline_ns)
            td_child_stop(&r->program, r->asked_to_stop ? 1000 : TD_RECORDER_GRACE_MS);
    }
    return 0;
}

/* ---- begin and end ---- */

void td_recorder_follow(struct td_recorder_options *options, struct td_recorder_follower follower)
{
    if (options->follower_count < TD_RECORDER_FOLLOWERS)
        options->followers[options->follower_count++] = follower;
}

static int begin_followers(const struct recorder *r, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->options->follower_count; i++)
        rc = r->options->followers[i].begin(r->options->followers[i].self, r->collection.trace, err);
    return rc;
}

static void end_followers(const struct recorder *r)
{
    for (size_t i = 0; i < r->options->follower_count; i++)
        r->options->followers[i].end(r->options->followers[i].self);
}

static int finish_recording(struct recorder *r, struct td_err *err)
{
    td_memory_watch_release(&r->collection.memory);
    for (size_t i = 0; i < r->board_count; i++)
        td_recorder_finish_lanes(r, &r->boards[i]);
    td_collection_settle(&r->collection);
    int rc = td_recorder_write_notes(r, err);
    r->result->save_threads = td_memory_watch_threads(&r->collection.memory);
    end_followers(r);
    rc = rc ? rc : td_recorder_apply_limits(r, err);
    if (rc == 0 && !td_trace_is_finished(r->collection.trace))
        rc = td_trace_finish(r->collection.trace, err);
    td_recorder_judge_losses(r);
    return rc;
}

/* Mistakes in a board's name or grid, or in the program's name, are reported before anything starts. */
static int load_names(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    struct td_program program;
    int rc = 0;
    r->boards = calloc(o->board_count + 1, sizeof *r->boards);
    if (!r->boards)
        return td_fail_no_memory(err, NULL);
    r->board_count = o->board_count;
    for (size_t i = 0; rc == 0 && i < o->board_count; i++) {
        struct recorder_board *b = &r->boards[i];
        b->options = &o->boards[i];
        b->number = (unsigned)i;
        if (!b->options->at)
            rc = td_board_load(&b->board, b->options->board, b->options->grid, NULL, err);
    }
    return rc == 0 && o->program ? td_program_find(&program, o->program[0], err) : rc;
}

/* Before other clients are added: the first one of the list is that of the program. */
static int start_client(struct recorder *r, struct td_err *err)
{
    return r->options->program && !r->options->boards_only ? td_recorder_start_client(r, err) : 0;
}

/* A program that holds the boards begins before they are opened. */
static int start_holder(struct recorder *r, struct td_err *err)
{
    int rc = start_client(r, err);
    rc = rc ? rc : td_recorder_start_program(r, err);
    for (size_t i = 0; rc == 0 && i < r->board_count; i++)
        rc = td_recorder_await_board(r, &r->boards[i], err);
    return rc;
}

static int start_boards(struct recorder *r, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->board_count; i++)
        rc = td_recorder_find_board(r, &r->boards[i], err);
    if (rc == 0 && r->options->ready.is_ready)
        rc = start_holder(r, err);
    for (size_t i = 0; rc == 0 && i < r->board_count; i++) {
        struct recorder_board *b = &r->boards[i];
        rc = td_recorder_start_board(r, b, err);
        r->virtual_clock |= b->virtual_clock;
    }
    if (rc == 0 && r->virtual_clock && (r->board_count > 1 || r->options->client_count))
        rc = td_fail(err, TD_E_USAGE,
                     "a board in virtual time cannot be recorded together with other boards or programs: "
                     "their clocks have nothing in common (the vendor's simulator also runs with --clock "
                     "host)");
    if (rc == 0 && r->virtual_clock && r->options->sample_hz)
        rc = td_fail(err, TD_E_USAGE, "--sample needs a board in real time: add --clock host");
    return rc;
}

/* Chips and lanes are numbered over all boards. Those of agents follow. */
static int number_chips(struct recorder *r, struct td_err *err)
{
    for (size_t i = 0; i < r->board_count; i++) {
        r->boards[i].first_chip = r->chip_count;
        r->boards[i].first_lane = r->lane_count;
        td_recorder_count_board(r, &r->boards[i].board);
    }
    return td_recorder_check_chips(r, err);
}

/* The model's clock has room for programs that have begun before. Virtual time begins at 0. */
static void start_clock(struct recorder *r)
{
    struct td_journal *journal = r->collection.options.journal;
    struct td_trace *trace = r->collection.trace;
    r->ns_per_tick = td_host_ns_per_tick(100);
    if (!r->virtual_clock) {
        r->t0 -= (uint64_t)(ROOM_NS / r->ns_per_tick);
        r->began_ns = (int64_t)((double)(r->began.ticks - r->t0) * r->ns_per_tick);
        td_trace_expect_origin(trace, r->began_ns);
        td_journal_put_setting(journal, "began_ns", "%lld", (long long)r->began_ns);
    }
    if (r->board_count || r->options->agent_count)
        td_trace_begins(trace, r->began_ns);
    td_journal_put_setting(journal, "t0_ticks", "%llu", (unsigned long long)r->t0);
    td_journal_put_setting(journal, "ns_per_tick", "%.17g", r->ns_per_tick);
    td_recorder_journal_clock(r);
}

static int start_sources(struct recorder *r, struct td_err *err)
{
    int rc = 0;
    const uint64_t part = r->collection.memory.limit.bytes * WAITING_PART,
                   memory = part < WAITING_MOST ? part : WAITING_MOST;
    for (size_t i = 0; rc == 0 && i < r->board_count; i++)
        rc = td_recorder_start_source(r, &r->boards[i], memory / r->board_count, err);
    start_clock(r);
    for (size_t i = 0; rc == 0 && i < r->board_count; i++)
        td_board_source_stream(r->boards[i].source, r->collection.hub, r->t0, r->ns_per_tick);
    r->spaces = rc == 0 ? td_client_spaces_create(td_hub_dict(r->collection.hub)) : NULL;
    if (rc == 0 && !r->spaces)
        rc = td_fail_no_memory(err, NULL);
    rc = rc ? rc : td_recorder_start_agents(r, err);
    const bool runs_already = r->options->ready.is_ready != NULL;
    if (rc == 0 && !runs_already)
        rc = start_client(r, err);
    for (size_t i = 0; rc == 0 && i < r->options->client_count; i++)
        rc = td_recorder_add_client(r, RECORDER_GIVEN, r->options->clients[i], -1, err);
    if (rc == 0 && r->options->program && !runs_already)
        rc = td_recorder_start_program(r, err);
    if (rc == 0 && runs_already)
        r->options->ready.recorded(r->options->ready.self);
    return rc;
}

/* Runs to the end of the recording. What was recorded before an error is kept: then the error is trouble. */
static int record_to_end(struct recorder *r, struct td_err *err)
{
    int rc = td_recorder_describe(r, err);
    td_collection_started(&r->collection);
    rc = rc ? rc : run_loop(r, err);
    rc = rc ? rc : td_recorder_drain_clients(r, err);
    td_recorder_end_clients(r);
    int drained = td_recorder_drain_agents(r, rc < 0 ? NULL : err);
    rc = rc ? rc : drained;
    int ended = finish_recording(r, rc < 0 ? NULL : err);
    if (rc == 0 || ended < 0)
        return rc ? rc : ended;
    td_recorder_trouble(r, "%s", err ? err->text : "recording failed");
    if (err)
        memset(err, 0, sizeof *err);
    return 0;
}

int td_recorder_run(const struct td_recorder_options *options, struct td_trace **trace,
                    struct td_recorder_result *result, struct td_err *err)
{
    struct recorder r = {.options = options, .result = result, .collection.options = options->collection};
    td_recorder_prepare_limits(&r);
    memset(result, 0, sizeof *result);
    *trace = NULL;
    td_clock_init();
    r.t0 = td_host_ticks();
    td_clock_moment_take(&r.began);
    int rc = load_names(&r, err);
    rc = rc ? rc : td_run_folder_make(&r.folder, folder_bytes(&r), err);
    rc = rc ? rc : start_boards(&r, err);
    rc = rc ? rc : td_collection_begin(&r.collection, err);
    rc = rc ? rc : begin_followers(&r, err);
    rc = rc ? rc : number_chips(&r, err);
    rc = rc ? rc : start_sources(&r, err);
    rc = rc ? rc : record_to_end(&r, err);
    td_child_stop(&r.program, 1000);
    td_recorder_end_clients(&r);
    td_watch_stop(&r.watch, TD_RECORDER_GRACE_MS);
    td_recorder_end_agents(&r);
    for (size_t i = 0; i < r.board_count; i++)
        td_recorder_end_board(&r.boards[i]);
    td_run_folder_remove(&r.folder);
    end_followers(&r); /* also where nothing was finished */
    if (rc == 0) {
        *trace = r.collection.trace;
        r.collection.trace = NULL;
    }
    for (size_t i = 0; i < r.process_count; i++)
        free(r.processes[i]);
    free(r.processes);
    td_client_spaces_destroy(r.spaces);
    td_collection_end(&r.collection);
    free(r.clients);
    free(r.fds);
    free(r.boards);
    return rc;
}
