/* Zones that no kernel closed: control words and reports of launches become zones. */
#include "host/agent/board/board_open.h"
#include "host/agent/board/lane_left.h"
#include "host/agent/board/lane_send.h"
#include "proto/device/lane.h"
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

#define WRAP (UINT64_C(1) << 32)

struct bench {
    struct fake_board *fake;
    struct td_transport_ops ops;
    char elf[64];
    struct td_dict *dict;
    struct td_store *store;
    struct td_images *images;
    struct td_lane_names names;
    struct td_lane_events lane;
    uint32_t words[256];
    size_t slots;
};

static uint64_t clock_ticks;

static int read_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    *sample = (struct td_clock_sample){.ticks = clock_ticks};
    return 0;
}

static struct bench *begin(uint32_t open)
{
    struct bench *b = calloc(1, sizeof *b);
    const char *const elf = b->elf;
    snprintf(b->elf, sizeof b->elf, "/tmp/td-open-%d.elf", (int)getpid());
    b->fake = fake_board_create(0);
    b->ops = *b->fake->transport.ops;
    b->ops.clock = read_clock;
    b->fake->transport.ops = &b->ops;
    assert_int_equal(0, tiny_elf_write(b->elf, open ? open : td_board_open(&b->fake->board, 0)));
    b->dict = td_dict_create();
    b->store = td_store_create(0);
    b->images = td_images_create(&elf, 1);
    assert_int_equal(0, td_lane_names_init(&b->names, b->dict, b->images, b->store));
    td_lane_events_init(&b->lane, &b->names, "0/0,0/A");
    return b;
}

static void end(struct bench *b)
{
    td_lane_events_free(&b->lane);
    td_lane_names_free(&b->names);
    td_images_destroy(b->images);
    td_dict_destroy(b->dict);
    td_store_destroy(b->store);
    fake_board_destroy(b->fake);
    unlink(b->elf);
    free(b);
}

static void slot(struct bench *b, uint32_t first, uint32_t second)
{
    b->words[2 * b->slots] = first;
    b->words[2 * b->slots++ + 1] = second;
}

static void head(struct bench *b, enum td_packet type, uint32_t id, uint32_t second)
{
    slot(b, (uint32_t)TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT | id, second);
}

static void zone(struct bench *b, uint32_t id, uint32_t start, uint32_t end_low)
{
    slot(b, (uint32_t)TD_SLOT_VALID | id << TD_SHORT_ID_SHIFT | (end_low - start), end_low);
}

static void open_packet(struct bench *b, uint32_t word, uint32_t start, enum td_core_state how, uint32_t at)
{
    head(b, TD_PACKET_OPEN, word, at);
    slot(b, TD_TAG_CONT | (uint32_t)how, start);
}

static void feed(struct bench *b)
{
    assert_int_equal(0, td_lane_events_words(&b->lane, b->words, b->slots));
    b->slots = 0;
}

/* A launch of the tiny kernel begins. */
static void launch(struct bench *b, uint64_t ticks)
{
    head(b, TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION, (uint32_t)TINY_BUILD_ID);
    slot(b, TD_TAG_CONT, (uint32_t)(TINY_BUILD_ID >> 32));
    head(b, TD_PACKET_TIME, 0, (uint32_t)(ticks >> 32));
    head(b, TD_PACKET_BEGIN, 3, (uint32_t)ticks);
    feed(b);
}

static void set_word(struct bench *b, uint32_t word, uint64_t begin_ticks)
{
    *fake_words(b->fake, 0, td_board_open(&b->fake->board, 0) + 4 * word) = (uint32_t)begin_ticks;
}

static void look(struct bench *b, uint64_t now)
{
    struct td_err err = {0};
    clock_ticks = now;
    const struct td_lane_at at = {.tile = td_board_tile(&b->fake->board, 0, 0, 0)};
    assert_int_equal(0, td_board_open_look(&b->fake->transport, &b->fake->board, &at, &b->lane, NULL, &err));
}

static void expect_zone(struct bench *b, const char *name, uint64_t start, int64_t end_ticks,
                        const char *text)
{
    struct td_event events[TD_LANE_LOG_BLOCK];
    struct td_lane_log_cursor cursor = {0};
    const size_t count = td_lane_log_next(&b->lane.log, &cursor, events);
    for (size_t i = 0; i < count; i++) {
        const struct td_event *e = &events[i];
        const char *is = td_dict_text(b->dict, td_dict_get_srcloc(b->dict, e->srcloc)->name);
        if (e->kind != TD_EVENT_ZONE || strcmp(is, name) != 0 || e->time_ns != (int64_t)start)
            continue;
        assert_int_equal(end_ticks, e->value.end_ns);
        assert_string_equal(text, e->subject ? td_dict_text(b->dict, e->subject) : "");
        return;
    }
    fail_msg("no zone %s from %llu on", name, (unsigned long long)start);
}

static void the_begin_is_true_however_often_the_clock_wraps(void **state)
{
    struct bench *b = begin(0);
    const uint64_t t0 = 7 * WRAP + 500;
    launch(b, t0);
    look(b, t0 + 10);
    set_word(b, 0, t0 + 100); /* early, and open all the time */
    for (int i = 1; i < 40; i++)
        look(b, t0 + i * (WRAP / 4));
    const uint64_t late = t0 + 10 * WRAP - 1000;
    set_word(b, 1, late);
    look(b, t0 + 10 * WRAP);
    assert_int_equal(0, td_lane_events_left(&b->lane, TD_LANE_OPEN, "open"));
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
    assert_int_equal(4, td_lane_log_count(&b->lane.log)); /* and a message that says when that was */
    expect_zone(b, "zone 0", t0 + 100, TD_LANE_OPEN, "open");
    expect_zone(b, "zone 1", late, TD_LANE_OPEN, "open");
    expect_zone(b, "zone 3", t0, TD_LANE_OPEN, "");
    end(b);
}

static void a_zone_that_began_before_the_wrap_is_not_put_after_it(void **state)
{
    struct bench *b = begin(0);
    launch(b, 2 * WRAP - 1000);
    set_word(b, 0, 2 * WRAP - 500);
    set_word(b, 1, 2 * WRAP + 500);
    look(b, 2 * WRAP + 600);
    assert_int_equal(0, td_lane_events_left(&b->lane, (int64_t)(2 * WRAP + 700), "fault"));
    expect_zone(b, "zone 0", 2 * WRAP - 500, (int64_t)(2 * WRAP + 700), "fault");
    expect_zone(b, "zone 1", 2 * WRAP + 500, (int64_t)(2 * WRAP + 700), "fault");
    expect_zone(b, "zone 3", 2 * WRAP - 1000, (int64_t)(2 * WRAP + 700), "fault");
    assert_int_equal(2, b->lane.left_open);
    end(b);
}

static void a_zone_that_was_closed_after_the_look_is_there_once(void **state)
{
    struct bench *b = begin(0);
    launch(b, 1000);
    set_word(b, 0, 1100);
    set_word(b, 1, 1200);
    look(b, 1300);
    zone(b, 1, 1200, 1350);
    feed(b);
    assert_int_equal(0, td_lane_events_left(&b->lane, TD_LANE_OPEN, "open"));
    assert_int_equal(1, b->lane.left_open);
    expect_zone(b, "zone 1", 1200, 1350, "");
    expect_zone(b, "zone 0", 1100, TD_LANE_OPEN, "open");
    end(b);
}

/* The core writes a zone's packet before it clears the word. */
static void a_zone_whose_word_is_cleared_late_is_there_once(void **state)
{
    struct bench *b = begin(0);
    td_lane_stream(&b->lane, 1);
    launch(b, 1000);
    set_word(b, 0, 1100);
    set_word(b, 1, 1200);
    zone(b, 2, 1210, 1220);
    zone(b, 1, 1200, 1250);
    feed(b);
    look(b, 1300);
    assert_int_equal(2, b->lane.opens_count); /* the launch and zone 0 */
    set_word(b, 1, 0);
    zone(b, 0, 1100, 1350);
    feed(b);
    look(b, 1400);
    assert_int_equal(1, b->lane.opens_count);
    assert_int_equal(0, td_lane_events_left(&b->lane, TD_LANE_OPEN, "open"));
    assert_int_equal(0, b->lane.left_open);
    open_packet(b, 0, 1100, TD_CORE_RUNNING, 1500); /* the core was stopped there */
    feed(b);
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
    assert_int_equal(0, b->lane.left_open);
    expect_zone(b, "zone 0", 1100, 1350, "");
    expect_zone(b, "zone 1", 1200, 1250, "");
    end(b);
}

static void what_a_launch_tells_ends_with_it(void **state)
{
    struct bench *b = begin(0);
    launch(b, 1000);
    zone(b, 2, 1300, 1310);
    open_packet(b, 0, 1100, TD_CORE_DONE, 1500); /* in the order of the words, not of the zones */
    open_packet(b, 2, 1400, TD_CORE_DONE, 1500);
    open_packet(b, 1, 1200, TD_CORE_DONE, 1500);
    head(b, TD_PACKET_END, 3, 1600);
    feed(b);
    expect_zone(b, "zone 0", 1100, 1500, "open when the kernel ended");
    expect_zone(b, "zone 1", 1200, 1500, "open when the kernel ended");
    expect_zone(b, "zone 2", 1400, 1500, "open when the kernel ended");
    expect_zone(b, "zone 2", 1300, 1310, "");
    expect_zone(b, "zone 3", 1000, 1600, "");
    assert_int_equal(5, b->lane.zones);
    end(b);
}

static void a_launch_that_was_stopped_ends_when_the_next_one_says(void **state)
{
    struct bench *b = begin(0);
    launch(b, 1000);
    open_packet(b, 0, 1100, TD_CORE_FAULT, 1500);
    head(b, TD_PACKET_LEFT, 0, 1500);
    slot(b, TD_TAG_CONT, TD_CORE_FAULT);
    launch(b, 9000);
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
    expect_zone(b, "zone 0", 1100, 1500, "open at the fault");
    expect_zone(b, "zone 3", 1000, 1500, "open at the fault");
    expect_zone(b, "zone 3", 9000, TD_LANE_OPEN, "");
    end(b);
}

static void a_forgotten_span_ends_with_the_zone_around_it(void **state)
{
    struct bench *b = begin(0);
    launch(b, 1000);
    zone(b, 0, 1100, 1300);
    open_packet(b, 1, 1200, TD_CORE_DONE, 1500);
    head(b, TD_PACKET_END, 3, 1600);
    feed(b);
    expect_zone(b, "zone 1", 1200, 1299, "open when the kernel ended");
    end(b);
}

static void words_outside_of_the_cores_own_memory_are_not_read(void **state)
{
    const uint32_t places[] = {0x440, 0x1080, 0x10f8, 0x8000, 0xfff8, 0xfffffff0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct bench *b = begin(places[i]);
        launch(b, 1000);
        look(b, 1300);
        assert_null(b->lane.watch.image);
        end(b);
    }
    struct bench *b = begin(0x7ff0); /* the last words of the core's code */
    launch(b, 1000);
    look(b, 1300);
    assert_non_null(b->lane.watch.image);
    end(b);
}

static void a_kernel_without_its_elf_says_nothing(void **state)
{
    struct bench *b = begin(0);
    unlink(b->elf);
    launch(b, 1000);
    set_word(b, 0, 1100);
    look(b, 1300);
    open_packet(b, 0, 1100, TD_CORE_DONE, 1500);
    feed(b);
    assert_int_equal(0, td_lane_events_left(&b->lane, TD_LANE_OPEN, "open"));
    assert_int_equal(0, td_lane_log_count(&b->lane.log));
    end(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_begin_is_true_however_often_the_clock_wraps),
        cmocka_unit_test(a_zone_that_began_before_the_wrap_is_not_put_after_it),
        cmocka_unit_test(a_zone_that_was_closed_after_the_look_is_there_once),
        cmocka_unit_test(a_zone_whose_word_is_cleared_late_is_there_once),
        cmocka_unit_test(what_a_launch_tells_ends_with_it),
        cmocka_unit_test(a_launch_that_was_stopped_ends_when_the_next_one_says),
        cmocka_unit_test(a_forgotten_span_ends_with_the_zone_around_it),
        cmocka_unit_test(words_outside_of_the_cores_own_memory_are_not_read),
        cmocka_unit_test(a_kernel_without_its_elf_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
