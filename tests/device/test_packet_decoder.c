/* The decoder of a lane's words. */
#include "host/device/drain/packet_decoder.h"
#include "tests/device/lane_check.h"
#include "tests/device/packet_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define MAX_RECORDS 1000

struct seen {
    struct td_packet_record r[MAX_RECORDS];
    uint32_t args[MAX_RECORDS][TD_MAX_ARGS + 2];
    char text[MAX_RECORDS][64];
    size_t count;
};

static int keep(void *self, const struct td_packet_record *r)
{
    struct seen *s = self;
    assert_true(s->count < MAX_RECORDS);
    s->r[s->count] = *r;
    if (r->type == TD_PACKET_TEXT)
        snprintf(s->text[s->count], sizeof s->text[0], "%.*s", (int)r->arg_count, (const char *)r->args);
    else if (r->arg_count)
        memcpy(s->args[s->count], r->args, 4 * r->arg_count);
    s->count++;
    return 0;
}

struct fixture {
    struct td_packet_decoder u;
    struct seen seen;
    uint32_t words[4096];
    struct packet_writer w;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    td_packet_decoder_init(&f->u);
    f->w = (struct packet_writer){f->words, 0, 2048};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void decode_all(struct fixture *f)
{
    assert_int_equal(td_packet_decoder_feed(&f->u, f->words, f->w.slots, keep, &f->seen), 0);
    assert_int_equal(td_packet_decoder_feed(&f->u, NULL, 0, keep, &f->seen), 0);
}

static void short_zones_get_the_high_half_of_the_last_time_packet(void **state)
{
    struct fixture *f = *state;
    put_head(&f->w, TD_PACKET_TIME, 0, 5);
    put_zone(&f->w, 0, 0, 10);
    put_zone(&f->w, 0x7bff, 0xffff, 0xffffffff);
    put_head(&f->w, TD_PACKET_TIME, 0, 6);
    put_zone(&f->w, 3, 20, 4);
    decode_all(f);
    assert_int_equal(f->seen.count, 3);
    assert_int_equal(f->seen.r[0].end_ticks, UINT64_C(0x50000000a));
    assert_int_equal(f->seen.r[1].id, 0x7bff);
    assert_int_equal(f->seen.r[1].duration_ticks, 0xffff);
    assert_int_equal(f->seen.r[1].end_ticks, UINT64_C(0x5ffffffff));
    assert_int_equal(f->seen.r[2].end_ticks, UINT64_C(0x600000004));
    assert_int_equal(f->u.stats.zones, 3);
    assert_int_equal(f->u.stats.bad_slots, 0);
}

static void every_packet_type_comes_out_as_it_was_written(void **state)
{
    struct fixture *f = *state;
    const uint64_t big = UINT64_C(0xfedcba987654);
    put_head(&f->w, TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION, 0x11223344);
    put_cont(&f->w, 0, 0x55667788);
    put_head(&f->w, TD_PACKET_TIME, 0, 1);
    put_head(&f->w, TD_PACKET_OP, 0, 77);
    put_head(&f->w, TD_PACKET_BEGIN, 0xfffff, 100);
    put_head(&f->w, TD_PACKET_ZONE, 0x8000, 101);
    put_cont(&f->w, 0, big);
    put_head(&f->w, TD_PACKET_STALL, 0, 102);
    put_cont(&f->w, 0, big - 1);
    put_head(&f->w, TD_PACKET_LOST, 0, 103);
    put_cont(&f->w, 2, 1);
    put_cont(&f->w, 1, big);
    put_cont(&f->w, 0, big + 1);
    put_head(&f->w, TD_PACKET_ZVALUE, 0, 104);
    put_cont(&f->w, 1, big);
    put_cont(&f->w, 0, 0xabcd);
    put_head(&f->w, TD_PACKET_PLOT_INT, 9, 105);
    put_cont(&f->w, 0, 0xffffffff);
    put_head(&f->w, TD_PACKET_FLOW_OUT, 10, 106);
    put_cont(&f->w, 0, 42);
    put_head(&f->w, TD_PACKET_EVENT, 0xffff, 107);
    put_head(&f->w, TD_PACKET_SUM, 11, 108);
    put_cont(&f->w, 1, big);
    put_cont(&f->w, 0, 12);
    put_head(&f->w, TD_PACKET_PAD, 0, 0);
    put_head(&f->w, TD_PACKET_END, 0xfffff, 109);
    put_head(&f->w, TD_PACKET_EXIT, 0, 110);
    put_cont(&f->w, 0, 3);
    decode_all(f);
    static const uint32_t types[] = {
        TD_PACKET_IMAGE, TD_PACKET_OP,     TD_PACKET_BEGIN,    TD_PACKET_ZONE,     TD_PACKET_STALL,
        TD_PACKET_LOST,  TD_PACKET_ZVALUE, TD_PACKET_PLOT_INT, TD_PACKET_FLOW_OUT, TD_PACKET_EVENT,
        TD_PACKET_SUM,   TD_PACKET_END,    TD_PACKET_EXIT};
    const struct td_packet_record *r = f->seen.r;
    assert_int_equal(f->seen.count, sizeof types / sizeof types[0]);
    for (size_t i = 0; i < f->seen.count; i++) {
        assert_int_equal(r[i].type, types[i]);
        if (i >= 2)
            assert_int_equal(r[i].end_ticks, UINT64_C(0x100000000) + 98 + i);
    }
    assert_int_equal(r[0].value, UINT64_C(0x5566778811223344));
    assert_int_equal(r[0].id, TD_DEVICE_PROTO_VERSION);
    assert_int_equal(r[1].value, 77);
    assert_int_equal(r[2].id, 0xfffff);
    assert_int_equal(r[3].duration_ticks, big);
    assert_int_equal(r[4].duration_ticks, big - 1);
    assert_int_equal(r[5].value, big);
    assert_int_equal(r[5].value2, big + 1);
    assert_int_equal(r[6].value, UINT64_C(0xabcdfedcba987654));
    assert_int_equal(r[7].value, 0xffffffff);
    assert_int_equal(r[8].value, 42);
    assert_int_equal(r[9].id, 0xffff);
    assert_int_equal(r[10].value, big);
    assert_int_equal(r[10].value2, 12);
    assert_int_equal(r[12].value, 3);
    assert_int_equal(f->u.stats.bad_slots, 0);
}

struct row {
    const char *name;
    uint32_t type;
    int has_id, fixed;
    enum td_second_word second;
    enum td_slot_field fields[3];
    size_t words;
};

static const struct row rows[] = {
#define TD_X(type, name, counts, id, second, s1, s2, s3, what)                                               \
    {#name,                                                                                                  \
     type,                                                                                                   \
     strcmp(#id, "none") != 0,                                                                               \
     TD_FIELD_##s1 != TD_FIELD_ARGS && TD_FIELD_##s1 != TD_FIELD_TEXT,                                       \
     TD_SECOND_##second,                                                                                     \
     {TD_FIELD_##s1, TD_FIELD_##s2, TD_FIELD_##s3},                                                          \
     TD_PACKET_WORDS_##name},
    TD_PACKETS(TD_X)
#undef TD_X
};

/* A record with every bit set that such a packet holds, and no other. */
static struct td_packet_record full_record(const struct row *row)
{
    struct td_packet_record r = {.type = row->type, .id = row->has_id ? TD_HEAD_ID_MASK : 0};
    if (row->second == TD_SECOND_VALUE)
        r.value = 0xffffffff;
    else
        r.end_ticks = UINT64_C(0x5fedcba98);
    for (int i = 0; i < 3; i++) {
        switch (row->fields[i]) {
#define TD_X(name, member, bits, shift)                                                                      \
    case TD_FIELD_##name:                                                                                    \
        r.member |= ((UINT64_C(1) << (bits)) - 1) << (shift);                                                \
        break;
            TD_SLOT_FIELDS(TD_X)
#undef TD_X
        default:
            break;
        }
    }
    return r;
}

static void each_row_of_the_table_goes_round(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct td_packet_record r = full_record(&rows[i]);
        const int has_record = rows[i].second != TD_SECOND_HIGH && rows[i].second != TD_SECOND_NONE;
        if (!rows[i].fixed) /* messages and text have tests of their own */
            continue;
        td_packet_decoder_init(&f->u);
        td_packet_decoder_set_time(&f->u, 5);
        f->seen.count = f->w.slots = 0;
        put_record(&f->w, &r);
        assert_int_equal(2 * f->w.slots, rows[i].words);
        decode_all(f);
        if (f->u.stats.bad_slots || f->u.stats.packets != 1 || f->seen.count != (size_t)has_record)
            fail_msg("%s does not come back", rows[i].name);
        const struct td_packet_record *back = &f->seen.r[0];
        if (has_record && (back->type != r.type || back->id != r.id || back->end_ticks != r.end_ticks ||
                           back->duration_ticks != r.duration_ticks || back->value != r.value ||
                           back->value2 != r.value2 || back->arg_count))
            fail_msg("%s comes back with other fields", rows[i].name);
    }
}

static void arguments_of_messages_come_back_for_every_count(void **state)
{
    struct fixture *f = *state;
    uint32_t args[TD_MAX_ARGS];
    for (uint32_t i = 0; i < TD_MAX_ARGS; i++)
        args[i] = 0x89abcdef * (i + 1);
    put_head(&f->w, TD_PACKET_TIME, 0, 0);
    for (uint32_t n = 0; n <= TD_MAX_ARGS; n++)
        put_args(&f->w, TD_PACKET_LOG, n, n, args, n);
    put_args(&f->w, TD_PACKET_DATA, 0, 0, args, 2);
    decode_all(f);
    assert_int_equal(f->seen.count, TD_MAX_ARGS + 2);
    for (uint32_t n = 0; n <= TD_MAX_ARGS; n++) {
        assert_true(f->seen.r[n].arg_count >= n && f->seen.r[n].arg_count <= n + 1);
        assert_memory_equal(f->seen.args[n], args, 4 * n);
    }
    assert_memory_equal(f->seen.args[TD_MAX_ARGS + 1], args, 4 * 2);
}

static void a_message_without_arguments_is_complete_when_nothing_follows(void **state)
{
    struct fixture *f = *state;
    put_head(&f->w, TD_PACKET_TIME, 0, 0);
    put_args(&f->w, TD_PACKET_LOG, 1, 1, NULL, 0);
    assert_int_equal(td_packet_decoder_feed(&f->u, f->words, f->w.slots, keep, &f->seen), 0);
    assert_int_equal(f->seen.count, 0);
    assert_int_equal(td_packet_decoder_feed(&f->u, NULL, 0, keep, &f->seen), 0);
    assert_int_equal(f->seen.count, 1);
}

static void text_comes_back_without_its_padding(void **state)
{
    struct fixture *f = *state;
    static const char *const lines[] = {"a", "hello!", "a longer line of text", "exactly twelve"};
    put_head(&f->w, TD_PACKET_TIME, 0, 0);
    for (size_t i = 0; i < 4; i++)
        put_text(&f->w, 1, lines[i]);
    decode_all(f);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(f->seen.text[i], lines[i]);
}

static void packets_cut_at_any_slot_are_put_together(void **state)
{
    struct fixture *f = *state;
    uint32_t args[6] = {1, 2, 3, 4, 5, 6};
    put_head(&f->w, TD_PACKET_TIME, 0, 9);
    put_text(&f->w, 1, "this line is cut somewhere, and nothing of it may be lost");
    put_zone(&f->w, 1, 2, 3);
    put_args(&f->w, TD_PACKET_LOG, 1, 1, args, 0);
    put_args(&f->w, TD_PACKET_LOG, 1, 1, args, 6);
    put_args(&f->w, TD_PACKET_LOG, 1, 1, args, 0);
    for (size_t cut = 0; cut <= f->w.slots; cut++) {
        td_packet_decoder_init(&f->u);
        f->seen.count = 0;
        if (cut)
            assert_int_equal(td_packet_decoder_feed(&f->u, f->words, cut, keep, &f->seen), 0);
        if (cut < f->w.slots)
            assert_int_equal(
                td_packet_decoder_feed(&f->u, f->words + 2 * cut, f->w.slots - cut, keep, &f->seen), 0);
        assert_int_equal(td_packet_decoder_end_stream(&f->u, keep, &f->seen), 0);
        assert_int_equal(f->seen.count, 5);
        assert_string_equal(f->seen.text[0], "this line is cut somewhere, and nothing of it may be lost");
        assert_int_equal(f->seen.r[3].arg_count, 6);
        assert_int_equal(f->u.stats.bad_slots, 0);
    }
}

static void garbage_is_counted_and_the_decoder_finds_its_way_back(void **state)
{
    struct fixture *f = *state;
    put_head(&f->w, TD_PACKET_TIME, 0, 0);
    put_zone(&f->w, 1, 1, 1);
    put_slot(&f->w, 0, 0);     /* not valid */
    put_head(&f->w, 31, 0, 0); /* no such type */
    put_cont(&f->w, 0, 0);     /* no head */
    put_zone(&f->w, 2, 1, 2);
    put_head(&f->w, TD_PACKET_LOST, 0, 3); /* broken off after one of three */
    put_cont(&f->w, 2, 0);
    put_zone(&f->w, 3, 1, 4);
    put_head(&f->w, TD_PACKET_TEXT, 0, 4); /* without text */
    put_zone(&f->w, 4, 1, 5);
    put_head(&f->w, TD_PACKET_LOG, 0, 5); /* with more than a message can have */
    put_cont(&f->w, 8, 0);
    put_zone(&f->w, 5, 1, 6);
    decode_all(f);
    assert_int_equal(f->seen.count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(f->seen.r[i].id, i + 1);
    assert_int_equal(f->u.stats.bad_slots, 3 + 2 + 1 + 2);
    assert_int_equal(f->u.stats.bad_runs, 4);
}

static void a_packet_that_never_ends_is_bad_at_the_end_of_the_lane(void **state)
{
    struct fixture *f = *state;
    put_head(&f->w, TD_PACKET_LOST, 0, 3);
    put_cont(&f->w, 2, 0);
    decode_all(f);
    assert_int_equal(f->u.stats.bad_slots, 0);
    assert_int_equal(td_packet_decoder_end_stream(&f->u, keep, &f->seen), 0);
    assert_int_equal(f->u.stats.bad_slots, 2);
}

static void what_a_gap_cut_off_is_not_bad(void **state)
{
    struct fixture *f = *state;
    put_cont(&f->w, 1, 0);
    put_cont(&f->w, 0, 0);
    put_head(&f->w, TD_PACKET_TIME, 0, 0);
    put_zone(&f->w, 2, 1, 2);
    td_packet_decoder_gap(&f->u);
    decode_all(f);
    assert_int_equal(f->seen.count, 1);
    assert_int_equal(f->u.stats.bad_slots, 0);
    assert_int_equal(f->u.stats.cut_slots, 2);
}

static void packets_before_the_first_time_are_counted_and_not_handed_on(void **state)
{
    struct fixture *f = *state;
    put_zone(&f->w, 1, 1, 1);
    put_head(&f->w, TD_PACKET_EVENT, 1, 1);
    put_head(&f->w, TD_PACKET_OP, 0, 1);
    decode_all(f);
    assert_int_equal(f->seen.count, 1);
    assert_int_equal(f->u.stats.untimed, 2);
    assert_int_equal(f->u.stats.bad_slots, 0);
}

static int stop_at_second(void *self, const struct td_packet_record *r)
{
    size_t *count = self;
    return ++*count == 2 ? -42 : 0;
}

static void a_record_callback_stops_the_decoder(void **state)
{
    struct fixture *f = *state;
    put_head(&f->w, TD_PACKET_TIME, 0, 0);
    for (uint32_t i = 0; i < 10; i++)
        put_zone(&f->w, i, 1, i);
    size_t count = 0;
    assert_int_equal(td_packet_decoder_feed(&f->u, f->words, f->w.slots, stop_at_second, &count), -42);
    assert_int_equal(count, 2);
}

/* Bytes that are mostly packets, partly damaged: what a fuzzer would need long to find. */
static size_t make_bytes(uint32_t *seed, uint8_t *bytes, size_t room)
{
    uint32_t words[2048];
    struct packet_writer w = {words, 0, 900};
    size_t packets = 1 + rand_r(seed) % 100;
    for (size_t i = 0; i < packets; i++) {
        uint32_t type = (uint32_t)rand_r(seed) % 26;
        uint32_t conts = (uint32_t)rand_r(seed) % (type == TD_PACKET_TEXT ? 300 : 4);
        if (rand_r(seed) % 2) {
            for (int n = rand_r(seed) % 8 ? 1 : rand_r(seed) % 300; n > 0; n--)
                put_zone(&w, (uint32_t)rand_r(seed) % 0x7c00, (uint32_t)rand_r(seed) & 0xffff,
                         (uint32_t)rand_r(seed));
            continue;
        }
        put_head(&w, type, (uint32_t)rand_r(seed) & 0xfffff, (uint32_t)rand_r(seed));
        while (conts)
            put_cont(&w, --conts, (uint32_t)rand_r(seed));
    }
    for (int damage = rand_r(seed) % 6; damage > 0; damage--)
        words[(uint32_t)rand_r(seed) % (2 * w.slots)] ^= 1u << rand_r(seed) % 32;
    bytes[0] = (uint8_t)rand_r(seed);
    size_t size = 8 * w.slots < room - 1 ? 8 * w.slots : room - 1;
    memcpy(bytes + 1, words, size);
    return size + 1;
}

static void any_bytes_are_survived_and_pieces_give_what_the_whole_gives(void **state)
{
    uint32_t seed = 1;
    static uint8_t bytes[8000];
    for (int round = 0; round < 3000; round++)
        lane_check(bytes, make_bytes(&seed, bytes, sizeof bytes));
    for (int round = 0; round < 1000; round++) {
        size_t size = (size_t)rand_r(&seed) % 800;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(rand_r(&seed) | (i % 8 == 4 ? rand_r(&seed) & 0xf8 : 0));
        lane_check(bytes, size);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(short_zones_get_the_high_half_of_the_last_time_packet),
        T(every_packet_type_comes_out_as_it_was_written),
        T(each_row_of_the_table_goes_round),
        T(arguments_of_messages_come_back_for_every_count),
        T(a_message_without_arguments_is_complete_when_nothing_follows),
        T(text_comes_back_without_its_padding),
        T(packets_cut_at_any_slot_are_put_together),
        T(garbage_is_counted_and_the_decoder_finds_its_way_back),
        T(a_packet_that_never_ends_is_bad_at_the_end_of_the_lane),
        T(what_a_gap_cut_off_is_not_bad),
        T(packets_before_the_first_time_are_counted_and_not_handed_on),
        T(a_record_callback_stops_the_decoder),
        T(any_bytes_are_survived_and_pieces_give_what_the_whole_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
