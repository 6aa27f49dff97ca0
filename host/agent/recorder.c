#include "host/agent/program.h"
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FDS     64    /* waited for at once */
#define WAITING_PART 3 / 8 /* of the memory, for the board's events until the end; the same for their rows */
#define IDLE_LOOKS   4     /* polls without a packet before the loop waits a little */

/* The memory that the run folder needs: for a board that is started here, or only for ELFs. */
static uint64_t folder_bytes(const struct recorder *r)
{
    const struct td_board *b = &r->board;
    if (r->options->at || !b->simulated)
        return 1 << 20;
    return (uint64_t)b->chips * b->grid_width * b->grid_height * b->l1_bytes +
           b->dram_banks * b->dram_bank_bytes / 4;
}

static int start_source(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    int rc = td_recorder_start_relay(r, err);
    if (rc)
        return rc;
    const char *dirs[17] = {r->folder.path};
    size_t dir_count = 1;
    for (size_t i = 0; i < o->elf_dir_count && dir_count < 16; i++)
        dirs[dir_count++] = o->elf_dirs[i];
    struct td_board_source_options so = {.policy = o->policy,
                                         .virtual_clock = r->virtual_clock,
                                         .gather = r->relay,
                                         .poll = o->drain == TD_RECORDER_DRAIN_POLL,
                                         .memory_bytes = r->collection.memory.limit.in_memory * WAITING_PART,
                                         .elf_dirs = dirs,
                                         .elf_dir_count = dir_count};
    r->source = td_board_source_create(r->transport, &r->board, &so, td_hub_dict(r->collection.hub), err);
    if (!r->source)
        return err ? err->code : TD_E_NOMEM;
    return td_board_source_sync(r->source, TD_RECORDER_SYNC_READS, err);
}

/* Waits for packets, events or requests, for at most wait_ms. */
static void wait_for_news(struct recorder *r, int wait_ms)
{
    struct pollfd fds[MOST_FDS];
    size_t n = 0;
    if (r->client) {
        int limit = td_client_source_wait_ms(r->client);
        fds[n++] = (struct pollfd){td_client_source_fd(r->client), td_client_source_events(r->client), 0};
        wait_ms = limit >= 0 && limit < wait_ms ? limit : wait_ms;
    }
    if (r->server)
        n += td_board_server_fds(r->server, fds + n, MOST_FDS - n);
    /* The board's own wait is only for its lanes, so it is not used while programs send requests. An error in
     * it is ignored: the next poll of the board reports it. */
    int may_wait = wait_ms > 0 && !r->board_gone && !r->lanes_finished &&
                   !(r->server && td_board_server_is_busy(r->server));
    if (may_wait && td_board_source_wait(r->source, wait_ms, NULL) >= 0)
        wait_ms = 0;
    if (wait_ms > 0 || n)
        poll(fds, n, wait_ms);
}

/* Ends the recording; the program continues. The lanes are finished now, while the last clock samples are
 * new. */
static void stop_recording(struct recorder *r, const char *why)
{
    char *stopped = r->result->stopped;
    if (!stopped[0])
        snprintf(stopped, sizeof r->result->stopped, "%.300s; the program continued without", why);
    td_recorder_stop_client(r);
    td_recorder_finish_lanes(r);
}

static void check_limits(struct recorder *r)
{
    uint64_t waiting, in_file;
    char why[sizeof r->result->stopped];
    td_board_source_waiting(r->source, &waiting, &in_file);
    if (!td_collection_look(&r->collection, r->client, waiting, in_file))
        return;
    td_collection_tell(&r->collection, why, sizeof why);
    stop_recording(r, why);
}

/* Drains the board, answers programs and collects the program's events, once. */
static int pump_all(struct recorder *r, int wait_ms, size_t *taken, struct td_err *err)
{
    struct td_err own = {0};
    int rc = td_recorder_poll_board(r, taken, &own);
    if (rc == 0) {
        wait_for_news(r, wait_ms);
        if (r->server)
            td_board_server_pump(r->server);
        rc = td_recorder_pump_client(r, &own);
    }
    if (rc == 0)
        check_limits(r);
    if (rc != TD_E_NOMEM)
        return rc < 0 ? td_fail(err, rc, "%s", own.text) : 0;
    r->collection.memory.state = TD_MEMORY_OVER;
    stop_recording(r, own.text);
    return 0;
}

static int run_loop(struct recorder *r, struct td_err *err)
{
    int idle = 0;
    while (td_child_is_running(&r->program)) {
        size_t taken;
        int rc = pump_all(r, idle > IDLE_LOOKS ? 1 : 0, &taken, err);
        if (rc < 0)
            return rc;
        idle = taken ? 0 : idle + 1;
        td_recorder_heed_interrupt(r);
        if ((r->asked_to_stop || r->board_gone) && td_mono_ns() >= r->deadline_ns)
            td_child_stop(&r->program, r->asked_to_stop ? 1000 : TD_RECORDER_GRACE_MS);
    }
    return 0;
}

/* Collects the events that the program sent last, which are still in the socket. */
static int end_session(struct recorder *r, struct td_err *err)
{
    int64_t until = td_mono_ns() + (int64_t)TD_RECORDER_GRACE_MS * 1000000;
    int rc = 0;
    while (rc == 0 && r->client && td_client_source_get_state(r->client) != TD_SOURCE_CONNECTING &&
           td_mono_ns() < until) {
        struct pollfd fd = {.fd = td_client_source_fd(r->client),
                            .events = td_client_source_events(r->client)};
        poll(&fd, 1, 10);
        rc = td_recorder_pump_client(r, err);
    }
    td_recorder_end_client(r);
    return rc;
}

static int finish_recording(struct recorder *r, struct td_err *err)
{
    td_recorder_finish_lanes(r);
    int rc = td_recorder_write_notes(r, err);
    r->result->save_threads = td_memory_watch_threads(&r->collection.memory);
    return rc < 0 ? rc : td_trace_finish(r->collection.trace, err);
}

int td_recorder_run(const struct td_recorder_options *options, struct td_trace **trace,
                    struct td_recorder_result *result, struct td_err *err)
{
    struct recorder r = {.options = options, .result = result, .collection.options = options->collection};
    struct td_program program;
    memset(result, 0, sizeof *result);
    *trace = NULL;
    td_clock_init();
    r.t0 = td_host_ticks();
    /* Mistakes in the board's name or grid, or in the program's name, are reported before anything starts. */
    int rc = 0;
    if (!options->at)
        rc = td_board_load(&r.board, options->board, options->grid, NULL, err);
    if (rc == 0)
        rc = td_program_find(&program, options->program[0], err);
    if (rc == 0)
        rc = td_run_folder_make(&r.folder, folder_bytes(&r), err);
    if (rc == 0)
        rc = td_recorder_start_board(&r, err);
    if (rc == 0)
        rc = td_collection_begin(&r.collection, err);
    if (rc == 0)
        rc = start_source(&r, err);
    r.ns_per_tick = td_host_ns_per_tick(100);
    if (rc == 0)
        rc = td_recorder_start_client(&r, err);
    if (rc == 0)
        rc = td_recorder_start_program(&r, err);
    if (rc == 0) {
        rc = run_loop(&r, err);
        if (rc == 0)
            rc = end_session(&r, err);
        else
            td_recorder_end_client(&r);
        int ended =
            finish_recording(&r, rc < 0 ? NULL : err); /* also after an error, to keep what was recorded */
        if (rc == 0)
            rc = ended;
        else if (ended == 0) {
            td_recorder_trouble(&r, "%s", err ? err->text : "recording failed");
            rc = 0;
            if (err)
                memset(err, 0, sizeof *err);
        }
    }
    td_child_stop(&r.program, 1000);
    td_recorder_end_client(&r);
    td_recorder_end_board(&r);
    td_run_folder_remove(&r.folder);
    if (rc == 0) {
        *trace = r.collection.trace;
        r.collection.trace = NULL;
    }
    td_collection_end(&r.collection);
    return rc;
}
