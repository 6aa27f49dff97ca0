/* A viewer of stress_load that checks what it gets. Usage: stress_watch PORT [NAME=VALUE ...]
 *   sessions=N   number of connections, one after the other (1)
 *   leave_ms=N   leaves at random within this time; 0: stays until the program ends (0)
 *   pause_ms=N   slow: a small window, and pauses of up to this time before reads (0: fast)
 *   connect_ms=N how long it tries to connect (20000)
 *   seed=N
 * Prints for each session: "session", the lines of stress_order_print(), and "end HOW": ended (by the
 * program), asked (all events up to the request arrived), left (the connection was closed), gone (the program
 * vanished). */
#include "host/agent/client/client_source.h"
#include "host/base/clock.h"
#include "host/trace/rows.h"
#include "tests/stress/order.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct viewer {
    int port, sessions;
    long leave_ms, pause_ms, connect_ms;
    unsigned seed;
    struct td_dict *dict;
    struct td_hub *hub;
    struct stress_order order;
    int8_t *place_of, *plot_of; /* by number, plus 1; 0: not looked up */
};

enum { TABLE = 4096 };

static int look_up(int8_t *table, uint32_t number, const char *name, const char *kind)
{
    if (number >= TABLE)
        return -1;
    if (!table[number])
        table[number] = (int8_t)(stress_index(name, kind) < 0 ? -1 : stress_index(name, kind) + 1);
    return table[number] - (table[number] > 0);
}

static void take(struct viewer *v, const struct td_event *event)
{
    const struct td_dict *dict = v->dict;
    int which;
    switch (event->kind) {
    case TD_EVENT_ZONE_BEGIN:
        which = look_up(v->place_of, event->srcloc, td_dict_zone_name(dict, event->srcloc), "place");
        if (which >= 0)
            stress_order_zone(&v->order, event->track, (unsigned)which);
        break;
    case TD_EVENT_ZONE_VALUE:
        stress_order_value(&v->order, event->track, event->value.u64);
        break;
    case TD_EVENT_ZONE_TEXT: /* so newer releases have values */
        stress_order_value(&v->order, event->track, strtoull(td_dict_text(dict, event->subject), NULL, 10));
        break;
    case TD_EVENT_MESSAGE:
        stress_order_message(&v->order, event->track, td_dict_text(dict, event->subject), 1);
        break;
    case TD_EVENT_PLOT:
        which = look_up(v->plot_of, event->subject,
                        td_dict_text(dict, td_dict_get_plot(dict, event->subject)->name), "plot");
        if (which >= 0)
            stress_order_point(&v->order, which, event->value.f64);
        break;
    default:
        break;
    }
}

static int on_events(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    for (size_t i = 0; i < count; i++)
        take(self, &events[i]);
    return 0;
}

static int on_row(void *self, unsigned table, uint64_t parent, const int64_t *values, struct td_err *err)
{
    struct viewer *v = self;
    if (table == TD_TABLE_LOCK_EVENT)
        stress_order_lock(&v->order, (int)values[TD_LOCK_EVENT_THREAD], (int)values[TD_LOCK_EVENT_KIND]);
    v->order.allocations += table == TD_TABLE_MEMORY;
    return 0;
}

static int begin(struct viewer *v)
{
    stress_order_init(&v->order);
    v->dict = td_dict_create();
    v->hub = v->dict ? td_hub_create(v->dict) : NULL;
    v->place_of = calloc(2, TABLE);
    if (!v->hub || !v->place_of)
        return -1;
    v->plot_of = v->place_of + TABLE;
    return td_hub_add_sink(v->hub, (struct td_sink){.events = on_events, .self = v, .row = on_row});
}

static void end(struct viewer *v)
{
    td_hub_destroy(v->hub);
    td_dict_destroy(v->dict);
    free(v->place_of);
}

static long chance(struct viewer *v, long below)
{
    return rand_r(&v->seed) % (below > 0 ? below : 1);
}

/* Waits between two reads. */
static void nap(struct viewer *v, const struct td_client_source *source)
{
    struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
    if (v->pause_ms) {
        int bytes = 4096;
        setsockopt(fd.fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
        poll(NULL, 0, (int)(chance(v, 400) ? chance(v, 4) : v->pause_ms));
    }
    int wait_ms = td_client_source_wait_ms(source);
    poll(&fd, 1, wait_ms < 0 || wait_ms > 20 ? 20 : wait_ms);
}

/* Leaves in a random way. After a request for the end it waits for the end. */
static const char *leave(struct viewer *v, struct td_client_source *source)
{
    static const uint8_t terminate[13];
    switch (chance(v, 3)) {
    case 0:
        td_client_source_ask_end(source);
        return "asked";
    case 1:
        if (send(td_client_source_fd(source), terminate, sizeof terminate, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            return NULL;
        return "left";
    default:
        return "left";
    }
}

static const char *pump(struct viewer *v, struct td_client_source *source, struct td_err *err)
{
    const char *how = NULL;
    int64_t until = 0;
    int going;
    while ((going = td_client_source_pump(source, err)) == 1) {
        if (!until && td_client_source_get_state(source) >= TD_SOURCE_STREAM)
            until = td_mono_ms() + (v->leave_ms ? chance(v, v->leave_ms) : INT32_MAX);
        if (until && !how && td_mono_ms() >= until && (how = leave(v, source)) && !strcmp(how, "left"))
            return how;
        nap(v, source);
    }
    return going < 0 ? "gone" : how ? how : "ended";
}

/* Returns 1 if no fault was found. */
static int session(struct viewer *v)
{
    /* Names are looked up when events arrive, so every event waits for its names. */
    struct td_client_source_config config = {.port = v->port,
                                             .connect_ms = (int)v->connect_ms,
                                             .hub = v->hub,
                                             .ns_per_tick = 1,
                                             .own_clock = 1,
                                             .pending_max = UINT32_MAX};
    struct td_err err = {0};
    struct td_client_source *source = td_client_source_create(&config, &err);
    const char *how = source ? pump(v, source, &err) : "gone";
    if (source) {
        struct td_client_counts counts = td_client_source_counts(source);
        uint64_t packed, unpacked;
        td_client_source_bytes(source, &packed, &unpacked);
        printf("session\nzones %" PRIu64 "\nignored %" PRIu64 "\nunnamed %" PRIu64 "\nodd_memory %" PRIu64
               "\ntime_bent %" PRIu64 "\nopen_zones %" PRIu64 "\nbytes %" PRIu64 "\n",
               counts.zones, counts.ignored, counts.unnamed, counts.odd_memory, counts.time_bent,
               counts.open_zones, packed);
    }
    int bad = stress_order_print(&v->order, stdout);
    printf("end %s%s%s\n", how, err.text[0] ? ": " : "", err.text);
    fflush(stdout);
    td_client_source_destroy(source);
    return !bad && strcmp(how, "gone");
}

static void set(struct viewer *v, const char *text)
{
    const char *value = strchr(text, '=');
    long number = value ? atol(value + 1) : 0;
    if (!strncmp(text, "sessions=", 9))
        v->sessions = (int)number;
    else if (!strncmp(text, "leave_ms=", 9))
        v->leave_ms = number;
    else if (!strncmp(text, "pause_ms=", 9))
        v->pause_ms = number;
    else if (!strncmp(text, "connect_ms=", 11))
        v->connect_ms = number;
    else if (!strncmp(text, "seed=", 5))
        v->seed = (unsigned)number;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct viewer v = {.port = atoi(argv[1]), .sessions = 1, .seed = 1, .connect_ms = 20000};
    for (int i = 2; i < argc; i++)
        set(&v, argv[i]);
    int good = 1;
    for (int i = 0; i < v.sessions && good; i++) {
        if (begin(&v) != 0)
            return 1;
        good = session(&v);
        end(&v);
    }
    return !good;
}
