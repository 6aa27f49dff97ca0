#include "host/report/noc/noc_transfers.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <stdlib.h>
#include <string.h>

#define NO_EVENT    UINT32_MAX /* of `by_text`: the message is none */
#define NO_TRANSFER SIZE_MAX
#define STEP        65536 /* messages from one report of progress to the next */

enum role {
    ROLE_NONE,
    ROLE_READ,
    ROLE_WRITE,
    ROLE_ATOMIC,
    ROLE_SET_STATE,  /* keeps what ..._WITH_STATE uses */
    ROLE_WITH_STATE, /* a transfer */
    ROLE_BARRIER,
    ROLE_BARRIER_OF_ALL
};

/* What an event does, and to which transfers: is it about reads, writes or atomics. */
struct noc_meaning {
    uint8_t role, of;
};
static const struct noc_meaning meanings[TD_TT_NOC_TYPE_COUNT] = {
    [TD_TT_NOC_TYPE_READ] = {ROLE_READ, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_SET_STATE] = {ROLE_SET_STATE, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_WITH_STATE] = {ROLE_WITH_STATE, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_WITH_STATE_AND_TRID] = {ROLE_WITH_STATE, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_BARRIER_END] = {ROLE_BARRIER, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_BARRIER_WITH_TRID] = {ROLE_BARRIER, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_DRAM_SHARDED_SET_STATE] = {ROLE_SET_STATE, ROLE_READ},
    [TD_TT_NOC_TYPE_READ_DRAM_SHARDED_WITH_STATE] = {ROLE_WITH_STATE, ROLE_READ},
    [TD_TT_NOC_TYPE_WRITE_] = {ROLE_WRITE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_WITH_TRID] = {ROLE_WRITE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_INLINE] = {ROLE_WRITE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_MULTICAST] = {ROLE_WRITE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_SET_STATE] = {ROLE_SET_STATE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_WITH_STATE] = {ROLE_WITH_STATE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_WITH_TRID_SET_STATE] = {ROLE_SET_STATE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_WITH_TRID_WITH_STATE] = {ROLE_WITH_STATE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_BARRIER_END] = {ROLE_BARRIER, ROLE_WRITE},
    [TD_TT_NOC_TYPE_WRITE_BARRIER_WITH_TRID] = {ROLE_BARRIER, ROLE_WRITE},
    [TD_TT_NOC_TYPE_FULL_BARRIER] = {ROLE_BARRIER_OF_ALL, ROLE_NONE},
    [TD_TT_NOC_TYPE_ATOMIC_BARRIER] = {ROLE_BARRIER, ROLE_ATOMIC},
    [TD_TT_NOC_TYPE_SEMAPHORE_INC] = {ROLE_ATOMIC, ROLE_ATOMIC},
    [TD_TT_NOC_TYPE_SEMAPHORE_INC_MULTICAST] = {ROLE_ATOMIC, ROLE_ATOMIC},
    [TD_TT_NOC_TYPE_SEMAPHORE_SET_REMOTE] = {ROLE_WRITE, ROLE_WRITE},
    [TD_TT_NOC_TYPE_SEMAPHORE_SET_MULTICAST] = {ROLE_WRITE, ROLE_WRITE},
};

/* Of one core: the events that set the state of its reads and of its writes. */
struct noc_core {
    const struct td_tt_noc_event *read, *write; /* NULL: none yet */
    struct td_core_place core;
    struct td_noc_place place;
    bool is_known, is_core;
};

struct td_noc_reader {
    const struct td_trace *trace;
    struct td_chip_maps maps;
    struct td_map by_text; /* string: its place in `events` */
    struct td_tt_noc_event **events;
    size_t event_count, event_room;
    struct noc_core *cores; /* by track */
    size_t core_count, core_room;
};

struct td_noc_reader *td_noc_reader_create(const struct td_trace *trace)
{
    struct td_noc_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->trace = trace;
    if (td_chip_maps_read(&reader->maps, trace) < 0) {
        free(reader);
        return NULL;
    }
    return reader;
}

void td_noc_reader_destroy(struct td_noc_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->event_count; i++)
        free(reader->events[i]);
    free(reader->events);
    free(reader->cores);
    td_map_finish(&reader->by_text);
    td_chip_maps_free(&reader->maps);
    free(reader);
}

const struct td_chip_maps *td_noc_reader_maps(const struct td_noc_reader *reader)
{
    return &reader->maps;
}

struct td_noc_place td_noc_core_place(const struct td_chip_maps *maps, const struct td_core_place *core)
{
    const struct td_chip_map *map = td_chip_maps_get(maps, core->device);
    if (!map || core->x >= map->columns || core->y >= map->rows)
        return (struct td_noc_place){core->x, core->y};
    return (struct td_noc_place){map->column_x[core->x], map->row_y[core->y]};
}

/* ---- messages: many have equal texts, each of which is read once */

static int add_event(struct td_noc_reader *reader, const struct td_tt_noc_event *event)
{
    struct td_tt_noc_event *kept = malloc(sizeof *kept);
    if (!kept ||
        td_grow(&reader->events, &reader->event_room, reader->event_count + 1, sizeof *reader->events) < 0) {
        free(kept);
        return TD_E_NOMEM;
    }
    *kept = *event;
    reader->events[reader->event_count++] = kept;
    return 0;
}

/* *event: NULL if the text is no event. 0 or TD_E_NOMEM. */
static int find_event(struct td_noc_reader *reader, uint32_t text, const struct td_tt_noc_event **event)
{
    struct td_tt_noc_event read = {0};
    uint32_t at = td_map_get(&reader->by_text, text, NO_EVENT - 1);
    if (at == NO_EVENT - 1) {
        at = NO_EVENT;
        if (td_tt_noc_text_read(td_tt_text_of(td_dict_text(td_trace_dict(reader->trace), text)), &read)) {
            at = (uint32_t)reader->event_count;
            if (add_event(reader, &read) < 0)
                return TD_E_NOMEM;
        }
        if (td_map_add(&reader->by_text, text, at) < 0)
            return TD_E_NOMEM;
    }
    *event = at == NO_EVENT ? NULL : reader->events[at];
    return 0;
}

/* NULL: no memory. */
static struct noc_core *find_core(struct td_noc_reader *reader, uint32_t track)
{
    if (track >= reader->core_count) {
        if (td_grow(&reader->cores, &reader->core_room, (size_t)track + 1, sizeof *reader->cores) < 0)
            return NULL;
        memset(reader->cores + reader->core_count, 0,
               (reader->core_room - reader->core_count) * sizeof *reader->cores);
        reader->core_count = reader->core_room;
    }
    struct noc_core *state = &reader->cores[track];
    if (!state->is_known) {
        state->is_known = true;
        state->is_core = td_core_place_of(td_trace_dict(reader->trace), track, &state->core);
        if (state->is_core)
            state->place = td_noc_core_place(&reader->maps, &state->core);
    }
    return state;
}

static struct noc_meaning meaning_of(const struct td_tt_noc_event *event)
{
    const int64_t type = event->value[TD_TT_NOC_TYPE];
    return type > 0 && type < TD_TT_NOC_TYPE_COUNT ? meanings[type]
                                                   : (struct noc_meaning){ROLE_NONE, ROLE_NONE};
}

/* A place that the event has; false: it has none, or one that no NoC has. */
static bool read_place(const struct td_tt_noc_event *event, enum td_tt_noc_field x, enum td_tt_noc_field y,
                       struct td_noc_place *place)
{
    if (!td_tt_noc_has(event, x) || !td_tt_noc_has(event, y) || event->value[x] < 0 || event->value[y] < 0 ||
        event->value[x] > UINT16_MAX || event->value[y] > UINT16_MAX)
        return false;
    *place = (struct td_noc_place){(uint16_t)event->value[x], (uint16_t)event->value[y]};
    return true;
}

/* The other end of a transfer: one place, or the rectangle of a multicast. */
static bool read_places(const struct td_tt_noc_event *event, struct td_noc_place *first,
                        struct td_noc_place *last)
{
    if (read_place(event, TD_TT_NOC_MCAST_START_X, TD_TT_NOC_MCAST_START_Y, first) &&
        read_place(event, TD_TT_NOC_MCAST_END_X, TD_TT_NOC_MCAST_END_Y, last))
        return true;
    if (!read_place(event, TD_TT_NOC_DX, TD_TT_NOC_DY, first))
        return false;
    *last = *first;
    return true;
}

static uint64_t bytes_of(const struct td_tt_noc_event *event)
{
    const bool has = td_tt_noc_has(event, TD_TT_NOC_NUM_BYTES) && event->value[TD_TT_NOC_NUM_BYTES] > 0;
    return has ? (uint64_t)event->value[TD_TT_NOC_NUM_BYTES] : 0;
}

/* `places`: the event that has the other end. */
static bool make_transfer(const struct noc_core *state, const struct td_message *message,
                          const struct td_tt_noc_event *event, const struct td_tt_noc_event *places,
                          bool is_read, struct td_noc_transfer *t)
{
    struct td_noc_place first, last;
    if (!read_places(places, &first, &last))
        return false;
    *t = (struct td_noc_transfer){
        .time_ns = message->time_ns,
        .done_ns = TD_OPEN,
        .bytes = bytes_of(event) ? bytes_of(event) : bytes_of(places),
        .track = message->track,
        .chip = state->core.device,
        .from = is_read ? first : state->place,
        .to = is_read ? state->place : first,
        .to_last = is_read ? state->place : last,
        .type = (uint8_t)event->value[TD_TT_NOC_TYPE],
        .noc = td_tt_noc_has(places, TD_TT_NOC_NOC) && places->value[TD_TT_NOC_NOC] == 1,
        .is_read = is_read,
    };
    return true;
}

static bool take_event(struct noc_core *state, const struct td_message *message,
                       const struct td_tt_noc_event *event, struct td_noc_transfer *transfer)
{
    const struct noc_meaning m = meaning_of(event);
    const bool is_read = m.of == ROLE_READ;
    const struct td_tt_noc_event **kept = is_read ? &state->read : &state->write;
    switch (m.role) {
    case ROLE_SET_STATE:
        *kept = event;
        return false;
    case ROLE_WITH_STATE:
        return make_transfer(state, message, event, *kept ? *kept : event, is_read, transfer);
    case ROLE_READ:
    case ROLE_WRITE:
    case ROLE_ATOMIC:
        return make_transfer(state, message, event, event, is_read, transfer);
    }
    return false;
}

/* 0 or TD_E_NOMEM. *event: NULL if the message is none of a core. */
static int find_message(struct td_noc_reader *reader, const struct td_message *message,
                        const struct td_tt_noc_event **event, struct noc_core **state)
{
    const int rc = find_event(reader, message->text, event);
    if (rc < 0 || !*event)
        return rc;
    *state = find_core(reader, message->track);
    if (!*state)
        return TD_E_NOMEM;
    if (!(*state)->is_core)
        *event = NULL;
    return 0;
}

int td_noc_reader_take(struct td_noc_reader *reader, const struct td_message *message,
                       struct td_noc_transfer *transfer)
{
    const struct td_tt_noc_event *event;
    struct noc_core *state;
    const int rc = find_message(reader, message, &event, &state);
    return rc < 0 || !event ? rc : take_event(state, message, event, transfer);
}

/* ---- all of a trace */

struct transfer_maker {
    struct td_noc_transfers *to;
    struct td_noc_reader *reader;
    size_t *open; /* by track: the last transfer that no barrier has ended, or NO_TRANSFER */
    size_t open_count, open_room;
    size_t *before; /* of each transfer: the one before it on its track that was open */
    size_t before_room;
};

static int add_transfer(struct transfer_maker *m, const struct td_noc_transfer *transfer)
{
    struct td_noc_transfers *to = m->to;
    const uint32_t track = transfer->track;
    if (td_grow(&to->list, &to->room, to->count + 1, sizeof *to->list) < 0 ||
        td_grow(&m->before, &m->before_room, to->count + 1, sizeof *m->before) < 0 ||
        td_grow(&m->open, &m->open_room, (size_t)track + 1, sizeof *m->open) < 0)
        return TD_E_NOMEM;
    for (; m->open_count < m->open_room; m->open_count++)
        m->open[m->open_count] = NO_TRANSFER;
    m->before[to->count] = m->open[track];
    m->open[track] = to->count;
    to->list[to->count++] = *transfer;
    return 0;
}

/* Ends the transfers of the track that the barrier waits for; the others stay in the chain. */
static void end_transfers(struct transfer_maker *m, uint32_t track, const struct td_tt_noc_event *barrier,
                          int64_t time_ns)
{
    const struct noc_meaning b = meaning_of(barrier);
    if (track >= m->open_count)
        return;
    for (size_t *at = &m->open[track]; *at != NO_TRANSFER;) {
        struct td_noc_transfer *t = &m->to->list[*at];
        const bool other_noc =
            td_tt_noc_has(barrier, TD_TT_NOC_NOC) && t->noc != barrier->value[TD_TT_NOC_NOC];
        if (other_noc || (b.role == ROLE_BARRIER && meanings[t->type].of != b.of)) {
            at = &m->before[*at];
            continue;
        }
        t->done_ns = time_ns;
        *at = m->before[*at];
    }
}

static int take_message(struct transfer_maker *m, const struct td_message *message)
{
    const struct td_tt_noc_event *event;
    struct noc_core *state;
    struct td_noc_transfer transfer;
    const int rc = find_message(m->reader, message, &event, &state);
    if (rc < 0 || !event)
        return rc;
    const uint8_t role = meaning_of(event).role;
    if (role == ROLE_BARRIER || role == ROLE_BARRIER_OF_ALL)
        end_transfers(m, message->track, event, message->time_ns);
    return take_event(state, message, event, &transfer) ? add_transfer(m, &transfer) : 0;
}

int td_noc_transfers_make(struct td_noc_transfers *transfers, const struct td_trace *trace,
                          const struct td_progress *progress, struct td_err *err)
{
    const size_t count = td_trace_messages(trace);
    *transfers = (struct td_noc_transfers){0};
    struct transfer_maker m = {.to = transfers, .reader = td_noc_reader_create(trace)};
    int rc = m.reader ? 0 : TD_E_NOMEM;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct td_message message = td_trace_message(trace, i);
        rc = take_message(&m, &message);
        if (rc == 0 && i % STEP == 0 && progress && progress->step &&
            progress->step(progress->self, i, count) != 0)
            rc = TD_E_STOPPED;
    }
    if (rc == 0) {
        transfers->maps = m.reader->maps;
        m.reader->maps = (struct td_chip_maps){0};
    } else {
        td_noc_transfers_free(transfers);
    }
    td_noc_reader_destroy(m.reader);
    free(m.open);
    free(m.before);
    return rc == TD_E_NOMEM ? td_fail_no_memory(err, "for transfers over the NoC") : rc;
}

void td_noc_transfers_free(struct td_noc_transfers *transfers)
{
    free(transfers->list);
    td_chip_maps_free(&transfers->maps);
    *transfers = (struct td_noc_transfers){0};
}
