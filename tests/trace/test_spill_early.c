/* A store that spills early, and a trace on it: what is packed leaves memory while more arrives, and stays readable. */
#include "host/trace/origin.h"
#include "host/trace/series.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include "tests/trace/sanitized.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB  ((uint64_t)1 << 20)
#define KEPT (2 * MIB)

enum { COLUMNS = 4, LOOSE = 3 };

static int64_t cell(uint64_t row, unsigned column)
{
    const uint64_t x = (row * COLUMNS + column + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(x ^ x >> 29);
}

static struct td_store *spilling_store(void)
{
    struct td_store *store = td_store_create(64 * MIB);
    assert_non_null(store);
    td_store_spill_early(store, KEPT);
    return store;
}

/* 32 bytes a row. */
static void fill(struct td_series *s, uint64_t rows)
{
    for (uint64_t i = td_series_count(s); i < rows; i++) {
        const int64_t row[COLUMNS] = {cell(i, 0), cell(i, 1), cell(i, 2), cell(i, 3)};
        assert_int_equal(td_series_append(s, row), 0);
    }
}

static uint64_t wrong_cells(const struct td_series *s, uint64_t from)
{
    uint64_t wrong = 0;
    int64_t values[TD_SERIES_ROWS];
    for (uint64_t i = from; i < td_series_count(s); i += TD_SERIES_ROWS) {
        const uint64_t left = td_series_count(s) - i, n = left < TD_SERIES_ROWS ? left : TD_SERIES_ROWS;
        for (unsigned c = 0; c < COLUMNS; c++) {
            td_series_read(s, c, i, n, values);
            for (uint64_t k = 0; k < n; k++)
                wrong += values[k] != cell(i + k, c);
        }
    }
    return wrong;
}

/* Waits until the store's thread has moved what it moves. */
static uint64_t memory_of(const struct td_store *store)
{
    uint64_t memory, file;
    for (int tries = 0; tries < 5000; tries++) {
        td_store_usage(store, &memory, &file);
        if (memory <= 2 * KEPT)
            break;
        usleep(1000);
    }
    return memory;
}

static void packed_rows_leave_memory_however_many_there_are(void **unused)
{
    for (uint64_t rows = 300000; rows <= 1200000; rows *= 4) {
        struct td_store *store = spilling_store();
        struct td_series s;
        uint64_t memory, file;
        td_series_init(&s, store, COLUMNS, 0);
        fill(&s, rows);
        assert_true(memory_of(store) <= 2 * KEPT);
        td_store_usage(store, &memory, &file);
        assert_true(memory + file >= rows * 32);
        assert_int_equal(wrong_cells(&s, 0), 0);
        td_store_destroy(store);
    }
    (void)unused;
}

struct reading {
    struct td_series *series;
    uint64_t wrong, passes;
    int stop;
};

static void *read_all_the_time(void *self)
{
    struct reading *r = self;
    while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
        const uint64_t count = td_series_count(r->series);
        r->wrong += wrong_cells(r->series, count > 100000 ? count - 100000 : 0);
        __atomic_fetch_add(&r->passes, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void readers_find_rows_while_they_leave_memory(void **unused)
{
    struct td_store *store = spilling_store();
    struct td_series s;
    struct reading r = {.series = &s};
    pthread_t thread;
    td_series_init(&s, store, COLUMNS, 0);
    assert_int_equal(pthread_create(&thread, NULL, read_all_the_time, &r), 0);
    fill(&s, 1000000);
    while (!__atomic_load_n(&r.passes, __ATOMIC_RELAXED))
        sched_yield();
    __atomic_store_n(&r.stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    assert_int_equal(r.wrong, 0);
    td_store_destroy(store);
    (void)unused;
}

/* Every 7777th row changes late, every 3rd at once, so some chunks are made raw again. */
static void old_rows_of_a_loose_series_change_and_leave_memory(void **unused)
{
    struct td_store *store = spilling_store();
    struct td_series s;
    enum { ROWS = 600000 };
    td_series_init(&s, store, COLUMNS, LOOSE);
    for (uint64_t i = 0; i < ROWS; i++) {
        const int64_t row[COLUMNS] = {cell(i, 0), -1, cell(i, 2), cell(i, 3)};
        assert_int_equal(td_series_append(&s, row), 0);
        if (i >= 200 && i % 3 == 0)
            assert_int_equal(td_series_set(&s, i - 200, 1, 5), 0);
        if (i >= 50000 && i % 7777 == 0)
            assert_int_equal(td_series_set(&s, i - 50000, 1, 6), 0);
    }
    assert_true(memory_of(store) <= 2 * KEPT);
    for (int sealed = 0; sealed <= 1; sealed++) {
        for (uint64_t i = 0; i < ROWS; i++) {
            const bool soon = (i + 200) % 3 == 0 && i + 200 < ROWS,
                       late = (i + 50000) % 7777 == 0 && i + 50000 < ROWS;
            assert_true(td_series_get(&s, i, 1) == (late ? 6 : soon ? 5 : -1));
            assert_true(td_series_get(&s, i, 0) == cell(i, 0) && td_series_get(&s, i, 3) == cell(i, 3));
        }
        assert_int_equal(td_series_seal(&s), 0);
    }
    td_store_destroy(store);
    (void)unused;
}

static uint64_t anonymous_bytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[200];
    unsigned long long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %llu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib << 10;
}

static struct td_trace *spilling_trace(void)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = dict ? td_trace_create_within(dict, 64 * MIB) : NULL;
    assert_non_null(trace);
    td_trace_spill_early(trace, KEPT, NULL);
    return trace;
}

static void push(struct td_trace *trace, const struct td_event *event)
{
    const struct td_sink sink = td_trace_sink(trace);
    struct td_err err = {0};
    assert_int_equal(sink.events(sink.self, event, 1, &err), 0);
}

static size_t put_text(char *text, size_t bytes, uint64_t i)
{
    return (size_t)snprintf(text, bytes, "message number %llu of this test", (unsigned long long)i);
}

/* The messages are late in turn, so finishing sorts them. Returns how much memory has grown. */
static uint64_t record_messages(uint64_t messages)
{
    struct td_trace *trace = spilling_trace();
    struct td_dict *dict = td_trace_fill_dict(trace);
    const uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    const uint64_t before = anonymous_bytes();
    uint64_t most = before;
    char text[80];
    const uint32_t stays = td_dict_cstring(dict, "stays");
    for (uint64_t i = 0; i < messages; i++) {
        assert_int_equal(td_dict_passing_string(dict, "again", 5), td_dict_passing_string(dict, "again", 5));
        const uint32_t string = td_dict_passing_string(dict, text, put_text(text, sizeof text, i));
        push(trace, &(struct td_event){.kind = TD_EVENT_MESSAGE,
                                       .track = track,
                                       .subject = string,
                                       .time_ns = (int64_t)(i % 2 ? i - 1 : i + 1)});
        if (i % 10000 == 0 && anonymous_bytes() > most)
            most = anonymous_bytes();
    }
    struct td_err err = {0};
    assert_int_equal(td_trace_finish(trace, &err), 0);
    most = anonymous_bytes() > most ? anonymous_bytes() : most;
    assert_int_equal(td_trace_messages(trace), messages);
    for (uint64_t i = 0; i < messages; i++) {
        const struct td_message message = td_trace_message(trace, i);
        const size_t bytes = put_text(text, sizeof text, i ^ 1);
        assert_true(message.time_ns == (int64_t)i);
        assert_int_equal(td_dict_text_bytes(dict, message.text), bytes);
        assert_memory_equal(td_dict_text(dict, message.text), text, bytes);
    }
    /* A text that was repeated soon is one entry; one that stays is found after however many others. */
    assert_int_equal(td_dict_cstring(dict, "stays"), stays);
    assert_true(td_dict_string_count(dict) < messages + 100);
    td_trace_destroy(trace);
    return most - before;
}

static void texts_leave_memory_too_and_finishing_needs_none_in_proportion(void **unused)
{
    const uint64_t few = record_messages(100000), many = record_messages(800000);
    if (!SANITIZED && many > few + 16 * MIB)
        fail_msg("%.1f MB for 0.1 million messages, %.1f MB for 0.8 million", (double)few / 1e6,
                 (double)many / 1e6);
    (void)unused;
}

/* A write to the file has taken its bytes, but lasts until the recording ends, and a little longer. */
static int records, writes;

ssize_t __real_pwrite(int file, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at)
{
    const ssize_t n = __real_pwrite(file, bytes, count, at);
    __atomic_fetch_add(&writes, 1, __ATOMIC_RELEASE);
    const bool waits = __atomic_load_n(&records, __ATOMIC_ACQUIRE);
    while (__atomic_load_n(&records, __ATOMIC_ACQUIRE))
        usleep(1000);
    if (waits)
        usleep(500000);
    return n;
}

/* The thread writes a slab while the end of the recording moves the times. */
static void times_move_also_in_rows_that_leave_memory_meanwhile(void **unused)
{
    enum { ZONES = 600000, ORIGIN = 1000000000 };
    struct td_trace *trace = spilling_trace();
    const uint32_t track = td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 1});
    struct td_err err = {0};
    uint64_t wrong = 0;
    td_trace_begins(trace, ORIGIN);
    __atomic_store_n(&records, 1, __ATOMIC_RELEASE);
    for (uint64_t i = 0; i < ZONES; i++) {
        /* Without a pattern, so that a zone takes some bytes. */
        const int64_t start = ORIGIN + (int64_t)(i << 20) + (cell(i, 0) & 0x3ffff);
        push(trace, &(struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .track = track, .time_ns = start});
        push(trace, &(struct td_event){.kind = TD_EVENT_ZONE_END,
                                       .track = track,
                                       .time_ns = start + (cell(i, 1) & 0x3ffff)});
    }
    const int before = __atomic_load_n(&writes, __ATOMIC_ACQUIRE);
    __atomic_store_n(&records, 0, __ATOMIC_RELEASE);
    assert_int_equal(td_trace_finish(trace, &err), 0);
    while (__atomic_load_n(&writes, __ATOMIC_ACQUIRE) == before) /* until the slab has taken its place */
        usleep(1000);
    for (uint64_t i = 0; i < ZONES; i++)
        wrong += td_trace_zone(trace, track, 0, i).start_ns != (int64_t)(i << 20) + (cell(i, 0) & 0x3ffff);
    assert_int_equal(wrong, 0);
    td_trace_destroy(trace);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_rows_leave_memory_however_many_there_are),
        cmocka_unit_test(readers_find_rows_while_they_leave_memory),
        cmocka_unit_test(old_rows_of_a_loose_series_change_and_leave_memory),
        cmocka_unit_test(texts_leave_memory_too_and_finishing_needs_none_in_proportion),
        cmocka_unit_test(times_move_also_in_rows_that_leave_memory_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
