/* Readers with pins while a trace is filled and forgets. Each zone's length follows from its start, each
 * message's colour from its time, so a reader notices memory that was used again too early. */
#include "host/trace/forget.h"
#include "host/trace/tables.h"
#include "host/trace/walk.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { READERS = 3, INNER = 3 };

#ifdef TD_THREAD_SANITIZER
enum { TURNS = 20000 };
#else
enum { TURNS = 400000 };
#endif

struct shared {
    struct td_trace *trace;
    int done; /* atomic */
};

struct reader {
    const struct shared *shared;
    uint64_t passes, zones, messages, wrong;
};

static int64_t length_at(int64_t start_ns)
{
    return 1000 + start_ns % 977;
}

static void look_at_zones(struct reader *r)
{
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, r->shared->trace, 0) < 0)
        return;
    while (td_walk_next(&walk, &step)) {
        if (step.leaves || !step.zone.srcloc) /* location 0: forgotten during the walk */
            continue;
        r->zones++;
        r->wrong += step.row == 0 && step.zone.end_ns != TD_OPEN &&
                    step.zone.end_ns - step.zone.start_ns != length_at(step.zone.start_ns);
    }
    td_walk_end(&walk);
}

static void look_at_messages(struct reader *r)
{
    const struct td_series *messages = td_trace_table(r->shared->trace, TD_TABLE_MESSAGE);
    for (uint64_t i = td_series_first(messages), n = td_series_count(messages); i < n; i++) {
        struct td_message m = td_trace_message(r->shared->trace, i);
        if (!m.text) /* forgotten meanwhile */
            continue;
        r->messages++;
        r->wrong += m.color != (uint32_t)(m.time_ns % 100003);
    }
}

static void *read_all(void *self)
{
    struct reader *r = self;
    while (!__atomic_load_n(&r->shared->done, __ATOMIC_ACQUIRE)) {
        unsigned pin = td_trace_pin(r->shared->trace);
        look_at_zones(r);
        look_at_messages(r);
        td_trace_unpin(r->shared->trace, pin);
        r->passes++;
    }
    return NULL;
}

static void fill_one(struct td_sink *sink, uint32_t srcloc, uint32_t text, int64_t start)
{
    int64_t end = start + length_at(start);
    struct td_event e[2 * INNER + 3] = {{.kind = TD_EVENT_ZONE_BEGIN, .time_ns = start, .srcloc = srcloc}};
    size_t n = 1;
    for (int i = 0; i < INNER; i++) {
        e[n++] = (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = start + 10 * i, .srcloc = srcloc};
        e[n++] = (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = start + 10 * i + 5};
    }
    e[n++] = (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = end};
    e[n++] = (struct td_event){
        .kind = TD_EVENT_MESSAGE, .time_ns = end, .subject = text, .color = (uint32_t)(end % 100003)};
    assert_int_equal(sink->events(sink->self, e, n, NULL), 0);
}

static void readers_find_what_was_written(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct shared shared = {.trace = td_trace_create(dict)};
    struct reader readers[READERS] = {0};
    pthread_t threads[READERS];
    assert_int_equal(td_trace_may_forget(shared.trace), 0);
    struct td_sink sink = td_trace_sink(shared.trace);
    uint32_t text = td_dict_cstring(dict, "text");
    uint32_t srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.name = text, .line = 1});
    td_dict_track(dict, &(struct td_track){.thread = 1});
    for (int i = 0; i < READERS; i++) {
        readers[i].shared = &shared;
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    }
    int64_t time = 0;
    for (int i = 0; i < TURNS; i++, time += 2500) {
        fill_one(&sink, srcloc, text, time);
        if (i % 300 == 0)
            td_trace_forget(shared.trace, time - 5000000);
    }
    __atomic_store_n(&shared.done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].wrong, 0);
    }
    assert_true(td_series_first(td_trace_table(shared.trace, TD_TABLE_MESSAGE)) > TURNS / 2);
    td_trace_destroy(shared.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_find_what_was_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
