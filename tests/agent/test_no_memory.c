/* Memory that runs out at any allocation while sessions of programs and lanes of a board are collected, put
 * in order and saved: what arrived before is in a sound trace, or there is one error; nothing crashes or
 * leaks. */
#include "host/agent/board/board_source.h"
#include "host/agent/client/saved_session.h"
#include "host/trace/trace.h"
#include "proto/device/packet.h"
#include "tests/base/failing_memory.h"
#include "tests/device/fake_board.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define ONE_BY_ONE 400 /* of the first allocations each fails, of later ones every STEP-th */
#define STEP       17
#define WRITE_STEP 8 /* of the sessions that go on after a failure; writing has a test of its own */
#define LANES      8
#define ROUNDS     30

/* The linker sends mmap() of our code here, as the allocations go to failing_memory.c. */
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return memory_fails_now() ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, offset);
}

/* ---- what is collected ---- */

struct session {
    struct td_trace *trace;
    struct td_hub *hub;
};

/* Collects into the session: 0, or a negative enum td_e and a line. */
typedef int collect_function(struct session *session, struct td_err *err);

static uint8_t bytes[1 << 16];
static size_t byte_count;

static void read_stream(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    byte_count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(byte_count > 1000);
}

/* What a program said, as `capture` takes it: when its session ends early, what waits for names goes without.
 */
static int collect_stream(struct session *session, struct td_err *err)
{
    struct td_saved_session *saved = td_saved_session_create(session->hub);
    struct td_err after = {0};
    if (!saved)
        return td_fail(err, TD_E_NOMEM, "no memory for a session");
    int rc = td_saved_session_feed(saved, bytes, byte_count, err);
    if (rc < 0)
        memory_fails(-1);
    int closed = td_saved_session_close(saved, rc < 0 ? &after : err);
    td_saved_session_destroy(saved);
    return rc < 0 ? rc : closed;
}

struct world {
    struct fake_board *fake;
    struct fake_core core[LANES];
    uint32_t now;
};

static void put(struct world *w, uint32_t lane, uint32_t w0, uint32_t w1)
{
    fake_core_put(&w->core[lane], w0, w1);
}

static uint32_t head(enum td_packet type, uint32_t id)
{
    return (uint32_t)TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT | id;
}

/* Some of everything that a core writes. */
static void write_some(struct world *w, uint32_t lane, int first)
{
    if (first) {
        put(w, lane, head(TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION), 0x1234);
        put(w, lane, (uint32_t)TD_TAG_CONT, 0x5678);
        put(w, lane, head(TD_PACKET_TIME, 0), 0);
    }
    put(w, lane, head(TD_PACKET_BEGIN, 1), w->now += 10);
    put(w, lane, head(TD_PACKET_EVENT, lane), w->now += 10);
    put(w, lane, head(TD_PACKET_PLOT_INT, 2), w->now += 10);
    put(w, lane, (uint32_t)TD_TAG_CONT, 5);
    for (uint32_t i = 0; i < 40; i++)
        put(w, lane, TD_SLOT_VALID | (3 + i % 5) << TD_SHORT_ID_SHIFT | 5, w->now += 10);
    put(w, lane, head(TD_PACKET_STALL, 0), w->now += 10);
    put(w, lane, (uint32_t)TD_TAG_CONT, 4);
    put(w, lane, head(TD_PACKET_END, 1), w->now += 10);
    fake_core_publish(&w->core[lane]);
}

/* A clock that goes on by a sample at each read. */
static uint64_t clock_ticks;

static int read_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    clock_ticks += 10000000;
    *sample = (struct td_clock_sample){clock_ticks, clock_ticks + 100, clock_ticks};
    return 0;
}

/* As `record` does it: when there is no memory, what was drained is handed on. */
static int collect_from_board(struct session *session, int streams, struct td_err *err)
{
    const long allocations = memory_left();
    memory_fails(-1);
    struct world w = {.fake = fake_board_create(1)};
    memory_fails(allocations);
    const struct td_board_source_options options = {
        .policy = TD_POLICY_BLOCK, .virtual_clock = !streams, .memory_bytes = 256 << 10};
    struct td_transport_ops ops = *w.fake->transport.ops;
    ops.clock = read_clock;
    w.fake->transport.ops = &ops;
    clock_ticks = 1000;
    for (uint32_t i = 0; i < LANES; i++)
        w.core[i] = (struct fake_core){w.fake, i / 2, i % 2, 0};
    struct td_board_source *source = td_board_source_create(&w.fake->transport, &w.fake->board, &options,
                                                            td_trace_fill_dict(session->trace), err);
    int rc = source ? td_board_source_poll(source, NULL, err) : err->code;
    if (source)
        td_board_source_stream(source, session->hub, 0, 1);
    for (int round = 0; rc == 0 && round < ROUNDS; round++) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            write_some(&w, lane, round == 0);
        rc = td_board_source_poll(source, NULL, err);
        w.now += (uint32_t)(streams ? 5000000 : 0);
        if (rc == 0)
            rc = td_board_source_sync(source, 1, err);
    }
    if (rc < 0)
        memory_fails(-1);
    struct td_err after = {0};
    int finished = source ? td_board_source_finish(source, 0, session->hub, 0, 1, rc < 0 ? &after : err) : 0;
    td_board_source_destroy(source);
    fake_board_destroy(w.fake);
    return rc < 0 ? rc : finished;
}

static int collect_board(struct session *session, struct td_err *err)
{
    return collect_from_board(session, 0, err);
}

static int collect_streaming_board(struct session *session, struct td_err *err)
{
    return collect_from_board(session, 1, err);
}

/* ---- the loop ---- */

static void check_error(int rc, const struct td_err *err)
{
    assert_int_equal(rc, TD_E_NOMEM);
    assert_int_equal(err->code, rc);
    assert_true(err->text[0] && !strchr(err->text, '\n'));
}

static int begin(struct session *session)
{
    struct td_dict *dict = td_dict_create();
    session->trace = dict ? td_trace_create_within(dict, 512 << 10) : NULL;
    session->hub = session->trace ? td_hub_create(dict) : NULL;
    return session->hub ? td_hub_add_sink(session->hub, td_trace_sink(session->trace)) : TD_E_NOMEM;
}

static void check_file(const char *path)
{
    struct td_trace *trace;
    assert_int_equal(td_file_read(path, &trace, NULL), 0);
    assert_null(broken_rule(trace));
    td_trace_destroy(trace);
}

/* One session in which the n-th allocation fails. 1: none was left to fail. */
static int try_one(collect_function *collect, long n, int all_after, const char *path)
{
    struct session session;
    struct td_err err = {0};
    long before = memory_failures();
    memory_fails(-1);
    assert_int_equal(begin(&session), 0);
    memory_fails_for_good(all_after);
    memory_fails(n);
    int rc = collect(&session, &err);
    if (rc < 0)
        check_error(rc, &err);
    if (all_after) /* what was kept back for the end is there now */
        memory_fails(-1);
    err = (struct td_err){0};
    rc = td_trace_finish(session.trace, &err);
    if (rc == 0) {
        const char *rule = broken_rule(session.trace);
        if (rule)
            fail_msg("allocation %ld%s: %s", n, all_after ? " and all after it" : "", rule);
        if (n % WRITE_STEP == 0)
            rc = td_file_write(session.trace, path, &(struct td_file_options){.threads = 1}, &err);
    }
    memory_fails(-1);
    if (rc < 0) {
        assert_false(all_after);
        check_error(rc, &err);
    } else if (n % WRITE_STEP == 0) {
        check_file(path);
    }
    unlink(path);
    td_hub_destroy(session.hub);
    td_trace_destroy(session.trace);
    return memory_failures() == before;
}

static void try_all(collect_function *collect)
{
    char *path = temporary("no_memory.tracy");
    for (int all_after = 0; all_after <= 1; all_after++) {
        long n = 0, tried = 0;
        while (!try_one(collect, n, all_after, path)) {
            n += n < ONE_BY_ONE ? 1 : STEP;
            tried++;
        }
        assert_true(tried > 30);
    }
    free(path);
}

static void sessions_of_programs_survive(void **state)
{
    static const char *const streams[] = {"0.14.0/features", "0.9.1/features", "ttfork/gpu", "0.12.2/crash"};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/tests/data/session/%s.stream", TD_SOURCE_DIR, streams[i]);
        read_stream(path);
        try_all(collect_stream);
    }
}

static void recordings_of_boards_survive(void **state)
{
    try_all(collect_board);
}

static void recordings_of_boards_that_stream_survive(void **state)
{
    try_all(collect_streaming_board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_of_programs_survive),
        cmocka_unit_test(recordings_of_boards_survive),
        cmocka_unit_test(recordings_of_boards_that_stream_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
