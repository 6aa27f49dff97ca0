/* What the packets of one lane become, without a board: words in, events out. */
#include "host/agent/board/lane_add.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct td_dict *dict;
    struct td_images *images;
    struct td_lane_names names;
    struct td_store *store;
    struct td_lane_events lane;
    uint32_t words[256];
    size_t slots;
    struct td_event seen[16 + TD_LANE_LOG_BLOCK];
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->dict = td_dict_create();
    b->images = td_images_create(NULL, 0);
    b->store = td_store_create(0);
    assert_int_equal(0, td_lane_names_init(&b->names, b->dict, b->images, b->store));
    td_lane_events_init(&b->lane, &b->names, "0/1,1/BRISC");
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    td_lane_events_free(&b->lane);
    td_lane_names_free(&b->names);
    td_images_destroy(b->images);
    td_store_destroy(b->store);
    td_dict_destroy(b->dict);
    free(b);
    return 0;
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

static void more(struct bench *b, uint32_t left, uint32_t low)
{
    slot(b, (uint32_t)TD_TAG_CONT | left << TD_CONT_LEFT_SHIFT, low);
}

static void zone(struct bench *b, uint32_t id, uint32_t start, uint32_t end)
{
    slot(b, (uint32_t)TD_SLOT_VALID | id << TD_SHORT_ID_SHIFT | (end - start), end);
}

static void feed(struct bench *b)
{
    assert_int_equal(0, td_lane_events_words(&b->lane, b->words, b->slots));
    b->slots = 0;
}

/* What is in the lane's log; valid until the next call. */
static struct td_event *read_log(struct bench *b, size_t *count)
{
    struct td_lane_log_cursor cursor = {0};
    *count = 0;
    for (size_t n; (n = td_lane_log_next(&b->lane.log, &cursor, b->seen + *count)) > 0; *count += n)
        assert_true(*count + n <= 16);
    return b->seen;
}

static struct td_event *events(struct bench *b)
{
    size_t count;
    return read_log(b, &count);
}

static size_t count(struct bench *b)
{
    size_t n;
    read_log(b, &n);
    return n;
}

static const char *name_of(struct bench *b, const struct td_event *e)
{
    return td_dict_text(b->dict, td_dict_get_srcloc(b->dict, e->srcloc)->name);
}

static void texts_go_to_the_innermost_zone_open_at_their_time(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    head(b, TD_PACKET_ZVALUE, 0, 110); /* in the outer zone, before the inner one begins */
    more(b, 1, 7);
    more(b, 0, 0);
    head(b, TD_PACKET_ZVALUE, 0, 130); /* in the inner zone */
    more(b, 1, 8);
    more(b, 0, 0);
    zone(b, 2, 120, 140);
    zone(b, 3, 150, 160); /* a sibling without text */
    zone(b, 1, 100, 200);
    feed(b);
    assert_int_equal(3, count(b));
    assert_string_equal("8", td_dict_text(b->dict, events(b)[0].subject));
    assert_int_equal(0, events(b)[1].subject);
    assert_string_equal("7", td_dict_text(b->dict, events(b)[2].subject));
}

static void a_text_without_a_zone_becomes_a_message(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    head(b, TD_PACKET_ZVALUE, 0, 110);
    more(b, 1, 7);
    more(b, 0, 0);
    feed(b);
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
    assert_int_equal(1, count(b));
    assert_int_equal(TD_EVENT_MESSAGE, events(b)[0].kind);
    assert_int_equal(110, events(b)[0].time_ns);
}

/* A relay may have taken its first slot only: the rest comes any time later. */
static void a_message_that_comes_in_two_parts_is_one(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    head(b, TD_PACKET_LOG, 1, 110);
    feed(b);
    more(b, 0, 1000);
    head(b, TD_PACKET_LOG, 1, 120); /* without arguments: over when nothing follows any more */
    feed(b);
    assert_int_equal(1, b->lane.messages);
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
    assert_int_equal(2, b->lane.messages);
    assert_int_equal(0, b->lane.decoder.stats.bad_slots);
}

static void a_kernel_that_never_ends_stays_open(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 3);
    head(b, TD_PACKET_OP, 0, 77);
    head(b, TD_PACKET_BEGIN, 5, 100);
    zone(b, 6, 110, 120);
    feed(b);
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
    assert_int_equal(2, count(b));
    assert_true(events(b)[1].value.end_ns == TD_LANE_OPEN);
    assert_true(events(b)[1].time_ns == (INT64_C(3) << 32) + 100);
    assert_string_equal("op 77\nflow in launch #77", td_dict_text(b->dict, events(b)[1].subject));
}

static void a_gap_ends_where_a_kept_zone_begins_in_it(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    zone(b, 1, 50, 100);
    head(b, TD_PACKET_LOST, 0, 400); /* 300..400 was lost ... */
    more(b, 2, 100);
    more(b, 1, 9);
    more(b, 0, 1);
    zone(b, 2, 350, 450); /* ... but this zone, kept, began inside */
    zone(b, 3, 200, 500); /* and this one holds the gap */
    feed(b);
    assert_int_equal(4, count(b));
    const struct td_event *gap = &events(b)[1];
    assert_string_equal(TD_NAME_LOST, name_of(b, gap));
    assert_int_equal(300, gap->time_ns);
    assert_int_equal(350, gap->value.end_ns);
    assert_string_equal("9 zones and 1 other packets lost", td_dict_text(b->dict, gap->subject));
    assert_int_equal(9, b->lane.lost_zones);
}

static void a_gap_that_is_told_late_is_the_one_that_ends_there(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    zone(b, 1, 350, 450);
    head(b, TD_PACKET_LOST, 0, 400); /* 300..400, which is before the end of that zone */
    more(b, 2, 100);
    more(b, 1, 9);
    more(b, 0, 1);
    zone(b, 2, 360, 460);
    feed(b);
    assert_int_equal(3, count(b));
    assert_string_equal(TD_NAME_LOST, name_of(b, &events(b)[0]));
    assert_int_equal(360, events(b)[0].value.end_ns);
    assert_int_equal(450, events(b)[1].value.end_ns);
    assert_int_equal(460, events(b)[2].value.end_ns);
}

static void a_zone_that_comes_after_its_stall_is_put_in_end_order(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    head(b, TD_PACKET_STALL, 0, 300);
    more(b, 0, 100);
    zone(b, 1, 150, 199);
    feed(b);
    assert_int_equal(2, count(b));
    assert_int_equal(199, events(b)[0].value.end_ns);
    assert_string_equal(TD_NAME_STALL, name_of(b, &events(b)[1]));
    assert_int_equal(1, b->lane.stalls);
}

static void what_was_dropped_last_is_one_zone_behind_the_others(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    zone(b, 1, 1000, 1100);
    feed(b);
    assert_int_equal(0, td_lane_events_end(&b->lane, 5000, 123, 4));
    assert_int_equal(2, count(b));
    assert_string_equal(TD_NAME_LOST, name_of(b, &events(b)[1]));
    assert_int_equal(1100, events(b)[1].time_ns);
    assert_int_equal(5000, events(b)[1].value.end_ns);
    assert_int_equal(1, b->lane.zones);
    assert_int_equal(123, b->lane.lost_zones);
}

static void whole(struct bench *b, uint32_t id, uint32_t start, uint32_t end)
{
    head(b, TD_PACKET_WHOLE, id, end);
    more(b, 0, end - start);
}

/* Overwritten slots are a gap at the place where they are missing. */
static void what_was_overwritten_is_counted_where_it_is_missing(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    head(b, TD_PACKET_BEGIN, 4, 50);
    zone(b, 1, 100, 110);
    zone(b, 1, 120, 130);
    feed(b);
    /* 40 zones and 3 others were given up, of which 3 zones came. */
    td_lane_events_overwritten(&b->lane, (struct td_lane_packets){40, 3});
    head(b, TD_PACKET_TIME, 0, 0);
    zone(b, 1, 500, 510);
    whole(b, 4, 50, 600);
    feed(b);
    assert_int_equal(0, td_lane_events_end(&b->lane, 700, 0, 0));
    assert_int_equal(37, b->lane.lost_zones);
    assert_int_equal(3, b->lane.lost_other);
    assert_int_equal(4, b->lane.zones);
    assert_int_equal(5, count(b));
    assert_string_equal(TD_NAME_LOST, name_of(b, &events(b)[2]));
    assert_int_equal(130, events(b)[2].time_ns);
    assert_int_equal(500, events(b)[2].value.end_ns);
    assert_int_equal(50, events(b)[4].time_ns);
}

static void a_zone_of_which_the_begin_or_the_end_was_overwritten_counts_once(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_TIME, 0, 0);
    head(b, TD_PACKET_BEGIN, 4, 50);
    zone(b, 1, 60, 70);
    feed(b);
    /* The end of the first kernel, 5 zones of the second one and its BEGIN. */
    td_lane_events_overwritten(&b->lane, (struct td_lane_packets){8, 0});
    head(b, TD_PACKET_TIME, 0, 0);
    whole(b, 4, 300, 400);
    feed(b);
    assert_int_equal(0, td_lane_events_end(&b->lane, 700, 0, 0));
    assert_int_equal(5, b->lane.lost_zones);
    assert_int_equal(3, b->lane.zones);
    for (size_t i = 0; i < count(b); i++)
        assert_true(events(b)[i].value.end_ns <= 400);
}

static void an_image_without_elf_is_named_by_its_build_id(void **state)
{
    struct bench *b = *state;
    head(b, TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION, 0x44332211);
    more(b, 0, 0x88776655);
    head(b, TD_PACKET_TIME, 0, 0);
    zone(b, 9, 10, 20);
    feed(b);
    assert_string_not_equal("", b->names.missing_image);
    assert_non_null(strstr(name_of(b, &events(b)[0]), "site 9"));
    assert_true(b->names.unnamed_sites > 0);
}

static void hold_lane(void *self, struct td_dict *dict)
{
    td_lane_events_hold(self, dict);
}

static void texts_that_wait_in_the_lane_are_not_forgotten(void **state)
{
    enum { MESSAGES = 5000, ZONE = MESSAGES / 2 };
    struct bench *b = *state;
    struct td_dict_holder holder = {.hold = hold_lane, .self = &b->lane};
    struct td_lane_log_cursor cursor = {0};
    char text[100];
    td_dict_may_forget(b->dict);
    td_dict_add_holder(b->dict, &holder);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        snprintf(text, sizeof text, "message %d, which is as long as a message may well be", (int)i);
        assert_int_equal(0, td_lane_add_message(&b->lane, 100 + i, text, 0));
        if (i == ZONE)
            assert_int_equal(0, td_lane_add_text(&b->lane, 100 + i, "of the zone"));
    }
    for (int i = 0; i < 3; i++) {
        td_dict_forget(b->dict, 0);
        td_dict_turn(b->dict);
        assert_int_not_equal(td_dict_passing_string(b->dict, "another", 7), UINT32_MAX);
    }
    assert_int_equal(0, td_lane_add_zone(&b->lane, 90, 100 + MESSAGES, 0, 0));
    int seen = 0;
    for (size_t n; (n = td_lane_log_next(&b->lane.log, &cursor, b->seen)) > 0;)
        for (size_t i = 0; i < n; i++, seen++) {
            snprintf(text, sizeof text, "message %d, which is as long as a message may well be", seen);
            assert_string_equal(seen < MESSAGES ? text : "of the zone",
                                td_dict_text(b->dict, b->seen[i].subject));
        }
    assert_int_equal(MESSAGES + 1, seen);
    td_dict_remove_holder(&holder);
}

static void any_words_are_survived(void **state)
{
    struct bench *b = *state;
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 64; i++) {
            seed = seed * 1664525u + 1013904223u;
            b->words[i] = i % 2 == 0 && seed >> 28 ? (seed >> 3) | 0xf8000000u : seed;
        }
        b->slots = 32;
        feed(b);
    }
    assert_int_equal(0, td_lane_events_end(&b->lane, 0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_go_to_the_innermost_zone_open_at_their_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_that_comes_in_two_parts_is_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_without_a_zone_becomes_a_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_kernel_that_never_ends_stays_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_gap_ends_where_a_kept_zone_begins_in_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_gap_that_is_told_late_is_the_one_that_ends_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_zone_that_comes_after_its_stall_is_put_in_end_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_dropped_last_is_one_zone_behind_the_others, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_overwritten_is_counted_where_it_is_missing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_zone_of_which_the_begin_or_the_end_was_overwritten_counts_once,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_image_without_elf_is_named_by_its_build_id, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_that_wait_in_the_lane_are_not_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_words_are_survived, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
