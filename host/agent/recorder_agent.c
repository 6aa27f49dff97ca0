/* Boards of other machines, whose agents (host/agent/remote) send what they drain. */
#include "host/agent/recorder_internal.h"
#include "host/agent/remote/remote_layout.h"
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/trace/origin.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define END_MS 10000 /* for an agent that was asked to end its boards, without a byte */

static struct td_board_player_config player_config(const struct recorder *r)
{
    return (struct td_board_player_config){.hub = r->collection.hub,
                                           .spaces = r->spaces,
                                           .elf_folder = r->folder.path,
                                           .t0 = r->t0,
                                           .ns_per_tick = r->ns_per_tick,
                                           .began_ns = r->began_ns,
                                           .memory_bytes = r->collection.memory.limit.bytes / 16};
}

/* The agent's board of this number, added if it is new. NULL: there are too many (err is set), or no memory. */
static struct recorder_remote_board *find_board(struct recorder_agent *a, uint16_t source, struct td_err *err)
{
    for (size_t i = 0; i < a->board_count; i++)
        if (a->boards[i].source == source)
            return &a->boards[i];
    if (a->board_count == td_journal_boards_within(a->recorder->collection.memory.limit.bytes)) {
        td_fail(err, TD_E_LIMIT, "the agent at %s has more than %zu boards", td_agent_source_where(a->source),
                a->board_count);
        return NULL;
    }
    if (td_grow(&a->boards, &a->board_capacity, a->board_count + 1, sizeof *a->boards) < 0)
        return NULL;
    struct recorder_remote_board *b = &a->boards[a->board_count];
    *b = (struct recorder_remote_board){.source = source, .player = td_board_player_create()};
    if (!b->player)
        return NULL;
    struct td_journal *journal = a->recorder->collection.options.journal;
    b->journal_source = journal ? td_journal_new_source(journal) : 0;
    a->board_count++;
    return b;
}

/* Chips and lanes are numbered over all boards of the recording. Returns the record with these numbers, which
 * the caller frees; NULL: no memory. */
static uint8_t *number_board(struct recorder *r, const uint8_t *bytes, size_t count)
{
    struct td_journal_board_begin begin;
    uint8_t *copy = malloc(count);
    if (!copy)
        return NULL;
    memcpy(copy, bytes, count);
    td_journal_get_board_begin(bytes, &begin);
    begin.first_chip = r->chip_count;
    begin.first_lane = r->lane_count;
    td_journal_put_board_begin(copy, &begin);
    return copy;
}

static int take_record(struct recorder *r, struct recorder_remote_board *b, enum td_journal_kind kind,
                       const uint8_t *bytes, size_t count, struct td_err *err)
{
    const struct td_board_player_config config = player_config(r);
    td_journal_put(r->collection.options.journal, kind, b->journal_source, NULL, 0, bytes, count);
    int rc = td_board_player_prepare(b->player, r->folder.path, &r->elf_room, kind, bytes, count, err);
    return rc ? rc : td_board_player_record(b->player, &config, kind, bytes, count, err);
}

/* Faults of boards that are not known, or of lanes that they do not have, are ignored. */
static int take_fault(struct recorder *r, struct recorder_agent *a, uint16_t source, const uint8_t *bytes,
                      size_t count)
{
    uint32_t lane;
    char line[200];
    if (count < sizeof lane)
        return 0;
    memcpy(&lane, bytes, sizeof lane);
    for (size_t i = 0; i < a->board_count; i++) {
        struct recorder_remote_board *b = &a->boards[i];
        if (b->source != source || b->fault || !td_board_player_put_fault(b->player, lane, line, sizeof line))
            continue;
        b->fault = true;
        td_collection_report(&r->collection, TD_TRIGGER_FAULT, line);
    }
    return 0;
}

/* What td_agent_source calls for each record of the agent's journal. */
static int on_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                     size_t count, struct td_err *err)
{
    struct recorder_agent *a = self;
    struct recorder *r = a->recorder;
    struct td_err why = {0};
    if (kind == TD_JOURNAL_FAULT)
        return take_fault(r, a, source, bytes, count);
    if (!td_journal_is_boards(kind))
        return 0;
    struct recorder_remote_board *b = find_board(a, source, &why);
    if (!b)
        return why.code ? td_fail(err, why.code, "%s", why.text) : td_fail_no_memory(err, NULL);
    if (kind != TD_JOURNAL_BOARD || count < td_journal_board_begin_bytes)
        return take_record(r, b, kind, bytes, count, err);
    uint8_t *numbered = number_board(r, bytes, count);
    int rc = numbered ? take_record(r, b, kind, numbered, count, err) : td_fail_no_memory(err, NULL);
    free(numbered);
    if (rc)
        return rc;
    td_recorder_count_board(r, td_board_player_board(b->player));
    if (td_board_player_is_virtual(b->player))
        return td_fail(err, TD_E_USAGE,
                       "the board of the agent at %s runs in virtual time, which has nothing in common with "
                       "other clocks",
                       td_agent_source_where(a->source));
    return td_recorder_check_chips(r, err);
}

int td_recorder_start_agents(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    r->agents = calloc(o->agent_count + 1, sizeof *r->agents);
    if (!r->agents)
        return td_fail_no_memory(err, NULL);
    r->elf_room = td_journal_room_within(TD_ELF_ROOM, r->collection.memory.limit.bytes);
    for (size_t i = 0; i < o->agent_count; i++) {
        struct recorder_agent *a = &r->agents[r->agent_count++];
        const struct td_agent_source_config config = {.host = o->agents[i].host,
                                                      .port = o->agents[i].port,
                                                      .connect_ms = TD_RECORDER_AGENT_MS,
                                                      .ns_per_tick = r->ns_per_tick,
                                                      .record = on_record,
                                                      .self = a};
        a->recorder = r;
        a->source = td_agent_source_create(&config, err);
        if (!a->source)
            return err->code;
    }
    /* The program starts when all agents drain their boards. */
    for (size_t i = 0; i < r->agent_count; i++)
        while (!td_agent_source_is_connected(r->agents[i].source) && !*o->interrupted) {
            int rc = td_agent_source_pump(r->agents[i].source, err);
            if (rc <= 0)
                return rc < 0 ? rc : td_fail(err, TD_E_GONE, "an agent ended before the recording began");
            poll(NULL, 0, 5);
        }
    return 0;
}

/* The agent sends nothing more: its boards' lanes are finished. */
static void close_agent(struct recorder *r, struct recorder_agent *a)
{
    const struct td_board_player_config config = player_config(r);
    struct td_err why = {0};
    char line[300];
    if (a->closed)
        return;
    a->closed = true;
    for (size_t i = 0; i < a->board_count; i++)
        if (td_board_player_close(a->boards[i].player, &config, &why) < 0)
            td_recorder_trouble(r, "%s; the trace lacks a part of what the cores wrote", why.text);
    for (size_t i = 0; i < a->board_count; i++)
        if (td_board_player_source(a->boards[i].player))
            td_trace_begins(
                r->collection.trace,
                td_board_source_begin_ns(td_board_player_source(a->boards[i].player), r->began_ns));
    td_journal_room_tell(&r->elf_room, line, sizeof line);
    if (line[0])
        td_recorder_trouble(r, "of the agents: %s", line);
    a->bound_ns = td_agent_source_bound_ns(a->source);
    if (a->board_count && !isfinite(a->bound_ns))
        td_recorder_trouble(
            r, "the clock of the agent at %s was never compared: the times of its boards are their own",
            td_agent_source_where(a->source));
}

int td_recorder_pump_agents(struct recorder *r, struct td_err *err)
{
    for (size_t i = 0; i < r->agent_count; i++) {
        struct recorder_agent *a = &r->agents[i];
        struct td_err why = {0};
        if (a->closed)
            continue;
        int rc = td_agent_source_pump(a->source, &why);
        if (rc > 0)
            continue;
        if (rc == TD_E_NOMEM)
            return td_fail(err, rc, "%s", why.text);
        if (rc < 0)
            td_recorder_trouble(r, "%s", why.text);
        else if (td_agent_source_program_code(a->source))
            td_recorder_trouble(r, "the program of the agent at %s has failed with exit code %u",
                                td_agent_source_where(a->source),
                                (unsigned)td_agent_source_program_code(a->source));
        close_agent(r, a);
    }
    return 0;
}

bool td_recorder_expects_agents(const struct recorder *r)
{
    for (size_t i = 0; i < r->agent_count; i++)
        if (!r->agents[i].closed)
            return true;
    return false;
}

/* When the last bytes of an agent arrived that has not ended. */
static int64_t last_heard_ms(const struct recorder *r)
{
    int64_t heard_ms = 0;
    for (size_t i = 0; i < r->agent_count; i++)
        if (!r->agents[i].closed && td_agent_source_heard_ms(r->agents[i].source) > heard_ms)
            heard_ms = td_agent_source_heard_ms(r->agents[i].source);
    return heard_ms;
}

int td_recorder_drain_agents(struct recorder *r, struct td_err *err)
{
    int rc = 0;
    const int64_t began_ms = td_mono_ms();
    for (size_t i = 0; i < r->agent_count; i++)
        if (!r->agents[i].closed)
            td_agent_source_ask_end(r->agents[i].source);
    while (rc == 0 && td_recorder_expects_agents(r) && *r->options->interrupted < 2) {
        const int64_t heard_ms = last_heard_ms(r);
        if (td_mono_ms() > (heard_ms > began_ms ? heard_ms : began_ms) + END_MS)
            break;
        rc = td_recorder_pump_agents(r, err);
        poll(NULL, 0, 5);
    }
    for (size_t i = 0; i < r->agent_count; i++) {
        if (!r->agents[i].closed)
            td_recorder_trouble(r, "the agent at %s did not end its boards; the trace holds what it sent",
                                td_agent_source_where(r->agents[i].source));
        close_agent(r, &r->agents[i]);
    }
    return rc;
}

void td_recorder_end_agents(struct recorder *r)
{
    for (size_t i = 0; i < r->agent_count; i++) {
        struct recorder_agent *a = &r->agents[i];
        td_agent_source_destroy(a->source);
        for (size_t k = 0; k < a->board_count; k++)
            td_board_player_destroy(a->boards[k].player);
        free(a->boards);
    }
    free(r->agents);
    r->agents = NULL;
    r->agent_count = 0;
}
