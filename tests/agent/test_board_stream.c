/* A board source that sends events on while the board runs: what the model shows meanwhile, and at the
 * end. */
#include "host/agent/board/board_source.h"
#include "host/trace/trace.h"
#include "proto/device/packet.h"
#include "tests/device/fake_board.h"
#include "tests/device/tiny_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL     3
#define SAMPLE     UINT64_C(50000000) /* ticks, which are ns: from one clock sample to the next */
#define MANY_ZONES 6000               /* so many wait that the source reads which zones are open */

struct world {
    struct fake_board *fake;
    struct td_transport_ops ops;
    struct fake_core core;
    struct td_trace *trace;
    struct td_hub *hub;
    struct td_board_source *source;
    char elf[64];
    uint32_t now, zones;
};

static uint64_t board_ticks; /* one board at a time */

static int read_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    *sample = (struct td_clock_sample){board_ticks - 100, board_ticks + 100, board_ticks};
    return 0;
}

static struct world *begin(int mapped)
{
    struct world *w = calloc(1, sizeof *w);
    struct td_err err = {0};
    const char *const elf = w->elf;
    w->fake = fake_board_create(mapped);
    w->fake->board.frequency_hz = 1e9;
    w->ops = *w->fake->transport.ops;
    w->ops.clock = read_clock;
    w->fake->transport.ops = &w->ops;
    w->core = (struct fake_core){w->fake, 0, 0, 0};
    w->trace = td_trace_create(td_dict_create());
    w->hub = td_hub_create(td_trace_fill_dict(w->trace));
    assert_int_equal(td_hub_add_sink(w->hub, td_trace_sink(w->trace)), 0);
    snprintf(w->elf, sizeof w->elf, "/tmp/td-board-stream-%d.elf", (int)getpid());
    assert_int_equal(tiny_elf_write(w->elf, td_board_open(&w->fake->board, 0)), 0);
    const struct td_board_source_options options = {
        .policy = TD_POLICY_BLOCK, .elf_dirs = &elf, .elf_dir_count = 1};
    board_ticks = 1000;
    w->source = td_board_source_create(&w->fake->transport, &w->fake->board, &options,
                                       td_trace_fill_dict(w->trace), &err);
    assert_non_null(w->source);
    td_board_source_stream(w->source, w->hub, 0, 1.0);
    assert_int_equal(td_board_source_poll(w->source, NULL, &err), 0);
    assert_int_equal(td_board_source_sync(w->source, 1, &err), 0);
    w->now = 1000;
    return w;
}

static void end(struct world *w, int board_gone)
{
    struct td_err err = {0};
    assert_int_equal(td_board_source_finish(w->source, board_gone, w->hub, 0, 1.0, &err), 0);
    assert_int_equal(td_trace_finish(w->trace, &err), 0);
    assert_int_equal(td_trace_clamped(w->trace), 0);
}

static void free_world(struct world *w)
{
    td_board_source_destroy(w->source);
    td_hub_destroy(w->hub);
    td_trace_destroy(w->trace);
    fake_board_destroy(w->fake);
    unlink(w->elf);
    free(w);
}

static void poll_board(struct world *w)
{
    struct td_err err = {0};
    fake_core_publish(&w->core);
    assert_int_equal(td_board_source_poll(w->source, NULL, &err), 0);
}

/* Time goes on, so that what was drained before is older than the newest clock samples. */
static void let_time_pass(struct world *w)
{
    struct td_err err = {0};
    for (int i = 0; i < 4; i++) {
        board_ticks = (board_ticks > w->now ? board_ticks : w->now) + SAMPLE;
        assert_int_equal(td_board_source_sync(w->source, 1, &err), 0);
    }
    w->now = (uint32_t)board_ticks;
}

static void put(struct world *w, uint32_t w0, uint32_t w1)
{
    board_ticks = board_ticks > w->now ? board_ticks : w->now + 1;
    if (!fake_core_put(&w->core, w0, w1)) {
        poll_board(w);
        assert_true(fake_core_put(&w->core, w0, w1));
    }
}

static void head(struct world *w, enum td_packet type, uint32_t id, uint32_t second)
{
    put(w, (uint32_t)TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT | id, second);
}

static void more(struct world *w, uint32_t left, uint32_t low)
{
    put(w, (uint32_t)TD_TAG_CONT | left << TD_CONT_LEFT_SHIFT, low);
}

static uint32_t launch(struct world *w)
{
    head(w, TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION, (uint32_t)TINY_BUILD_ID);
    more(w, 0, (uint32_t)(TINY_BUILD_ID >> 32));
    head(w, TD_PACKET_TIME, 0, 0);
    head(w, TD_PACKET_BEGIN, KERNEL, w->now += 10);
    return w->now;
}

static void zone(struct world *w, uint32_t id, uint32_t length)
{
    w->now += length + 10;
    put(w, (uint32_t)TD_SLOT_VALID | id << TD_SHORT_ID_SHIFT | length, w->now);
    w->zones++;
}

static void long_zone(struct world *w, uint32_t id, uint32_t start)
{
    head(w, TD_PACKET_ZONE, id, w->now += 10);
    more(w, 0, w->now - start);
    w->zones++;
}

static void expect_rows(const struct world *w, size_t first, size_t second, size_t third)
{
    assert_int_equal(td_trace_row_zones(w->trace, 0, 0), first);
    assert_int_equal(td_trace_row_zones(w->trace, 0, 1), second);
    assert_int_equal(td_trace_row_zones(w->trace, 0, 2), third);
}

/* A time of the trace, from the device's. */
static void expect_near(int64_t time_ns, uint32_t ticks)
{
    if (llabs(time_ns - (int64_t)ticks) > 2)
        fail_msg("%lld is not near %lu", (long long)time_ns, (unsigned long)ticks);
}

static const char *text_of(const struct world *w, const struct td_zone *zone)
{
    return td_dict_text(td_trace_dict(w->trace), zone->text);
}

static void a_kernel_is_shown_while_it_runs(void **state)
{
    struct world *w = begin(1);
    const uint32_t start = launch(w);
    poll_board(w);
    let_time_pass(w);
    expect_rows(w, 1, 0, 0);
    struct td_zone kernel = td_trace_zone(w->trace, 0, 0, 0);
    expect_near(kernel.start_ns, start);
    assert_true(kernel.end_ns == TD_OPEN);
    head(w, TD_PACKET_ZVALUE, 0, w->now += 10); /* a text for it, long after it was shown */
    more(w, 1, 77);
    more(w, 0, 0);
    zone(w, 0, 100);
    head(w, TD_PACKET_END, KERNEL, w->now += 10);
    const uint32_t stop = w->now;
    poll_board(w);
    let_time_pass(w);
    expect_rows(w, 1, 1, 0);
    kernel = td_trace_zone(w->trace, 0, 0, 0);
    expect_near(kernel.start_ns, start);
    expect_near(kernel.end_ns, stop);
    assert_string_equal(text_of(w, &kernel), "77");
    end(w, 0);
    assert_int_equal(td_board_source_summary(w->source)->zones, 2);
    free_world(w);
}

static void a_short_launch_is_shown_soon_after_its_end(void **state)
{
    struct world *w = begin(1);
    for (size_t i = 1; i <= 3; i++) {
        launch(w);
        zone(w, 0, 100);
        head(w, TD_PACKET_END, KERNEL, w->now += 10);
        head(w, TD_PACKET_EVENT, 1, w->now += 10); /* the last thing that it writes */
        poll_board(w);
        let_time_pass(w);
        expect_rows(w, i, i, 0);
    }
    end(w, 0);
    assert_int_equal(td_trace_settled_early(w->trace), 0);
    free_world(w);
}

/* The zone is found by reading the core's words, because many events wait. */
static void an_open_zone_around_many_is_shown_with_them(void **state)
{
    struct world *w = begin(1);
    launch(w);
    zone(w, 0, 100);
    const uint32_t start = w->now += 10;
    *fake_words(w->fake, 0, td_board_open(&w->fake->board, 0) + 4 * 1) = start;
    for (int i = 0; i < MANY_ZONES; i++)
        zone(w, 2, 50);
    w->now += 2000000; /* longer than a core may take to write a word */
    board_ticks = w->now;
    usleep(15000); /* the source looks for such lanes every 10 ms */
    poll_board(w);
    zone(w, 2, 50); /* after the read */
    zone(w, 2, 50);
    poll_board(w);
    let_time_pass(w);
    expect_rows(w, 1, 2, MANY_ZONES);
    struct td_zone open = td_trace_zone(w->trace, 0, 1, 1);
    expect_near(open.start_ns, start);
    assert_true(open.end_ns == TD_OPEN && open.child_end == MANY_ZONES);
    *fake_words(w->fake, 0, td_board_open(&w->fake->board, 0) + 4 * 1) = 0;
    long_zone(w, 1, start);
    head(w, TD_PACKET_END, KERNEL, w->now += 10);
    poll_board(w);
    end(w, 0);
    assert_int_equal(td_trace_settled_early(w->trace), 0);
    expect_rows(w, 1, 2, MANY_ZONES + 2);
    open = td_trace_zone(w->trace, 0, 1, 1);
    expect_near(open.start_ns, start);
    expect_near(open.end_ns, w->now - 10);
    assert_int_equal(td_board_source_summary(w->source)->zones, w->zones + 1);
    free_world(w);
}

static void what_was_shown_stays_when_the_board_vanishes(void **state)
{
    struct world *w = begin(0);
    struct td_err err = {0};
    const uint32_t start = launch(w);
    zone(w, 0, 100);
    poll_board(w);
    let_time_pass(w);
    zone(w, 1, 100); /* drained, but not shown yet */
    poll_board(w);
    zone(w, 2, 100); /* never drained */
    fake_core_publish(&w->core);
    w->fake->fail_reads = 1;
    assert_int_equal(td_board_source_poll(w->source, NULL, &err), TD_E_GONE);
    end(w, 1);
    expect_rows(w, 1, 2, 0);
    const struct td_zone kernel = td_trace_zone(w->trace, 0, 0, 0);
    expect_near(kernel.start_ns, start);
    assert_true(kernel.end_ns == TD_OPEN);
    free_world(w);
}

/* Nothing is known of the zones that are open: what is sent on is guessed, and mended at the end. */
static void zones_without_a_launch_are_sent_on_when_too_many_wait(void **state)
{
    enum { ZONES = 200000 };
    struct world *w = begin(1);
    const uint32_t start = w->now += 10;
    head(w, TD_PACKET_TIME, 0, 0);
    for (int i = 0; i < ZONES / 2; i++)
        zone(w, 2, 50);
    poll_board(w);
    let_time_pass(w);
    const size_t shown = td_trace_row_zones(w->trace, 0, 0);
    assert_true(shown > 0 && shown < ZONES / 2);
    for (int i = 0; i < ZONES / 2; i++)
        zone(w, 2, 50);
    long_zone(w, 1, start);
    poll_board(w);
    let_time_pass(w);
    const size_t before = td_trace_row_zones(w->trace, 0, 0);
    for (int i = 0; i < ZONES / 2; i++)
        zone(w, 2, 50);
    poll_board(w);
    let_time_pass(w);
    assert_true(before >= shown && td_trace_row_zones(w->trace, 0, 0) > before);
    end(w, 0);
    assert_int_equal(td_trace_settled_early(w->trace), 1);
    assert_int_equal(td_trace_late_zones(w->trace), 1);
    expect_rows(w, 1 + ZONES / 2, ZONES, 0);
    free_world(w);
}

static void a_recording_begins_with_events_of_the_last_hours_only(void **state)
{
    const int64_t hour_ns = INT64_C(3600000000000);
    struct world *w = begin(1);
    const int64_t first_ns = launch(w);
    zone(w, 1, 100);
    head(w, TD_PACKET_END, KERNEL, w->now += 10);
    poll_board(w);
    let_time_pass(w);
    end(w, 0);
    assert_int_equal(td_board_source_begin_ns(w->source, 100), 100);
    assert_in_range(td_board_source_begin_ns(w->source, first_ns + hour_ns), first_ns - 2, first_ns + 2);
    assert_int_equal(td_board_source_begin_ns(w->source, first_ns + 13 * hour_ns), first_ns + 13 * hour_ns);
    free_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_begins_with_events_of_the_last_hours_only),
        cmocka_unit_test(a_kernel_is_shown_while_it_runs),
        cmocka_unit_test(a_short_launch_is_shown_soon_after_its_end),
        cmocka_unit_test(an_open_zone_around_many_is_shown_with_them),
        cmocka_unit_test(what_was_shown_stays_when_the_board_vanishes),
        cmocka_unit_test(zones_without_a_launch_are_sent_on_when_too_many_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
