/* The queue in which events and changes of rows wait for names, in order of arrival. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

/* A change in the queue has its row in time_ns; column, table and parent in the value. */
#define SET_COLUMN_SHIFT 48
#define SET_TABLE_SHIFT  56

#define ZONES_MAX 4096u /* events that may wait for the name of a zone */

struct td_event *td_pending_add(struct td_client_stream *stream, uint32_t kind, uint32_t ref)
{
    if (stream->begin && stream->begin == stream->count)
        stream->begin = stream->count = 0;
    if (td_grow(&stream->waiting, &stream->capacity, stream->count + 1, sizeof *stream->waiting))
        return NULL;
    struct td_event *event = &stream->waiting[stream->count++];
    *event = (struct td_event){.kind = kind | ref << TD_REF_SHIFT};
    return event;
}

int td_pending_set(struct td_client_stream *stream, enum td_table table, uint64_t parent, uint64_t row,
                   unsigned column, uint32_t ref, uint32_t value)
{
    struct td_event *event = td_pending_add(stream, TD_PENDING_SET, ref);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = (int64_t)row;
    event->value.u64 = parent | (uint64_t)column << SET_COLUMN_SHIFT | (uint64_t)table << SET_TABLE_SHIFT;
    event->subject = value;
    return 0;
}

static int apply_set(struct td_client_stream *stream, const struct td_event *event)
{
    uint64_t v = event->value.u64;
    return td_stream_set(stream, (unsigned)(v >> SET_TABLE_SHIFT),
                         v & ((UINT64_C(1) << SET_COLUMN_SHIFT) - 1), (uint64_t)event->time_ns,
                         (unsigned)(v >> SET_COLUMN_SHIFT) & 255, event->subject);
}

/* If there is no memory, only the text of this file is missing. */
static void ask_for_file(struct td_client_stream *stream, uint32_t srcloc)
{
    (void)td_stream_source_file(stream, td_dict_get_srcloc(stream->dict, srcloc)->file);
}

/* What happens to an event at the queue's front whose name is not known. */
enum late { WAITS, IS_PROMISED, STAYS_UNKNOWN };

static const uint8_t kind_of[] = {
    [TD_REF_SRCLOC] = TD_NAME_SRCLOC, [TD_REF_TEXT] = TD_NAME_TEXT,  [TD_REF_PLOT] = TD_NAME_PLOT,
    [TD_REF_FRAME] = TD_NAME_FRAME,   [TD_REF_POWER] = TD_NAME_TEXT, [TD_REF_PLACE] = TD_NAME_SRCLOC};

static uint32_t promise_name(struct td_client_stream *stream, enum td_name_kind kind, uint32_t index)
{
    uint32_t number = td_names_promise(&stream->names, kind, index);
    if (kind != TD_NAME_SRCLOC || number == TD_NO_NUMBER)
        return number;
    if (TD_LIST_ROOM(&stream->promised) < 0)
        return TD_NO_NUMBER;
    stream->promised.at[stream->promised.count++] = index;
    return number;
}

/* The dictionary's number of the thing that an event refers to; TD_NO_NUMBER: not known yet, or no memory. */
static uint32_t number_of(struct td_client_stream *stream, uint32_t ref, uint32_t index, enum late late)
{
    enum td_name_kind kind = (enum td_name_kind)kind_of[ref];
    struct td_name *name = td_names_at(&stream->names, kind, index);
    int is_new = kind == TD_NAME_SRCLOC && name->number == TD_NO_NUMBER;
    uint32_t number = td_names_number(&stream->names, kind, index, 0);
    if (is_new && number != TD_NO_NUMBER)
        ask_for_file(stream, number);
    if (number == TD_NO_NUMBER && late == IS_PROMISED)
        number = promise_name(stream, kind, index);
    if (number == TD_NO_NUMBER && late == STAYS_UNKNOWN) {
        number = td_names_number(&stream->names, kind, index, 1);
        stream->counts.unnamed++;
    }
    name->unnamed += name->promise == TD_PROMISE_OPEN;
    if (ref != TD_REF_POWER || number == TD_NO_NUMBER)
        return number;
    number = td_client_space_machine_name(stream->config.space, stream->dict, number);
    if (number == UINT32_MAX)
        return TD_NO_NUMBER;
    return td_dict_plot(stream->dict,
                        &(struct td_plot){.name = number, .format = 3, .fill = 1, .kind = TD_PLOT_POWER});
}

/* Some hold numbers of other things. To hold strings of the same numbers does no harm. */
void td_pending_hold(void *self, struct td_dict *dict)
{
    const struct td_client_stream *stream = self;
    for (size_t i = stream->begin; i < stream->count; i++)
        td_dict_hold(dict, stream->waiting[i].subject);
}

uint32_t td_pending_last(struct td_client_stream *stream, uint32_t ref, uint32_t index)
{
    return number_of(stream, ref, index, STAYS_UNKNOWN);
}

/* Replaces the event's index by the dictionary's number. False: that is not known yet. */
static bool resolve_name(struct td_client_stream *stream, struct td_event *event, enum late late)
{
    uint32_t ref = event->kind >> TD_REF_SHIFT;
    if (ref == TD_REF_NONE)
        return 1;
    uint32_t *field = ref == TD_REF_SRCLOC ? &event->srcloc : &event->subject;
    uint32_t number = number_of(stream, ref, *field, late);
    if (number == TD_NO_NUMBER && late != STAYS_UNKNOWN)
        return 0;
    *field = number;
    event->kind &= (1u << TD_REF_SHIFT) - 1;
    return 1;
}

/* Gives promised locations their content if it has arrived. */
static int keep_promises(struct td_client_stream *stream, int force)
{
    int bad = 0;
    size_t open = 0;
    for (size_t i = 0; i < stream->promised.count; i++) {
        uint32_t index = stream->promised.at[i];
        int kept = bad ? 0 : td_names_keep(&stream->names, index, force);
        if (kept < 0)
            bad = kept;
        if (kept == 1)
            ask_for_file(stream, td_names_at(&stream->names, TD_NAME_SRCLOC, index)->number);
        else
            stream->promised.at[open++] = index;
    }
    stream->promised.count = open;
    return bad;
}

/* Passes events from `begin` to `end` to the hub, in order with changes of rows. */
static int deliver(struct td_client_stream *stream, size_t begin, size_t end)
{
    int first = 0;
    while (begin < end) {
        size_t next = begin;
        while (next < end && stream->waiting[next].kind != TD_PENDING_SET)
            next++;
        int rc = next > begin ? td_hub_push(stream->hub, stream->waiting + begin, next - begin, &stream->err)
                              : apply_set(stream, &stream->waiting[next++]);
        first = first ? first : rc;
        begin = next;
    }
    return first;
}

/* If too many events wait, the oldest are passed on with a promise. Zones are promised much earlier than
 * others: a location has its identity by its address, so a promise changes nothing of it, and a program whose
 * zones wait in millions may answer only after them. */
static enum late late_of(const struct td_client_stream *stream, size_t at)
{
    const bool is_zone = stream->waiting[at].kind >> TD_REF_SHIFT == TD_REF_SRCLOC;
    size_t most = stream->config.pending_max;
    if (is_zone && most == TD_CLIENT_PENDING_MAX)
        most = ZONES_MAX;
    return stream->count - at > most ? IS_PROMISED : WAITS;
}

int td_pending_push(struct td_client_stream *stream, int force)
{
    size_t ready = stream->begin;
    while (ready < stream->count &&
           resolve_name(stream, &stream->waiting[ready], force ? STAYS_UNKNOWN : late_of(stream, ready)))
        ready++;
    size_t begin = stream->begin;
    stream->begin = ready;
    int bad = deliver(stream, begin, ready);
    int kept = keep_promises(stream, 0);
    if (force) {
        stream->counts.unnamed += td_names_unnamed(&stream->names);
        kept = kept ? kept : keep_promises(stream, 1);
    }
    bad = bad ? bad : kept;
    if (stream->begin > stream->count / 2) {
        stream->count -= stream->begin;
        memmove(stream->waiting, stream->waiting + stream->begin, stream->count * sizeof *stream->waiting);
        stream->begin = 0;
    }
    return bad;
}
