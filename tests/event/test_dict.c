/* The dictionary, its map and the hub. */
#include "host/event/event.h"
#include "host/event/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void string_0_is_empty_and_equal_text_is_one_number(void **state)
{
    struct td_dict *dict = td_dict_create();
    assert_int_equal(td_dict_cstring(dict, ""), 0);
    uint32_t a = td_dict_cstring(dict, "a zone");
    assert_int_not_equal(a, 0);
    assert_int_equal(td_dict_string(dict, "a zone and more", 6), a);
    assert_string_equal(td_dict_text(dict, a), "a zone");
    assert_int_equal(td_dict_text_bytes(dict, a), 6);
    assert_string_equal(td_dict_text(dict, 12345), "");
    td_dict_destroy(dict);
    td_dict_destroy(NULL);
}

static void texts_may_hold_zero_bytes(void **state)
{
    struct td_dict *dict = td_dict_create();
    uint32_t a = td_dict_string(dict, "x\0y", 3), b = td_dict_string(dict, "x\0z", 3);
    assert_int_not_equal(a, b);
    assert_memory_equal(td_dict_text(dict, b), "x\0z", 4);
    td_dict_destroy(dict);
}

static void addresses_stay_when_a_hundred_thousand_more_come(void **state)
{
    enum { COUNT = 100000 };
    struct td_dict *dict = td_dict_create();
    uint32_t first = td_dict_cstring(dict, "first");
    const char *text = td_dict_text(dict, first);
    struct td_srcloc loc = {.name = first, .line = 7};
    const struct td_srcloc *place = td_dict_get_srcloc(dict, td_dict_srcloc(dict, &loc));
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "string %u", i);
        loc.name = td_dict_cstring(dict, name);
        loc.line = i;
        assert_int_equal(td_dict_srcloc(dict, &loc), i + 2);
    }
    assert_int_equal(td_dict_srcloc_count(dict), COUNT + 2);
    assert_ptr_equal(td_dict_text(dict, first), text);
    assert_int_equal(place->line, 7);
    for (uint32_t i = 0; i < COUNT; i += 97) {
        char name[32];
        snprintf(name, sizeof name, "string %u", i);
        assert_string_equal(td_dict_zone_name(dict, i + 2), name);
    }
    td_dict_destroy(dict);
}

static void long_texts_are_kept_whole(void **state)
{
    struct td_dict *dict = td_dict_create();
    static char big[1 << 20];
    memset(big, 'x', sizeof big);
    uint32_t n = td_dict_string(dict, big, sizeof big);
    assert_int_equal(td_dict_text_bytes(dict, n), sizeof big);
    assert_memory_equal(td_dict_text(dict, n), big, sizeof big);
    td_dict_destroy(dict);
}

/* Names every tenth of the strings, as they were passed last. */
enum { PASSING = 5000 };
struct tenth {
    struct td_dict_holder holder;
    uint32_t strings[PASSING / 10];
};

static void hold_tenth(void *self, struct td_dict *dict)
{
    const struct tenth *tenth = self;
    for (size_t i = 0; i < PASSING / 10; i++)
        td_dict_hold(dict, tenth->strings[i]);
}

static size_t put_passing(char *text, size_t bytes, unsigned round, unsigned i)
{
    int n = snprintf(text, bytes, "text %u of round %u, which is as long as a message may well be", i, round);
    return (size_t)n;
}

static void pass_a_round(struct td_dict *dict, struct tenth *tenth, unsigned round)
{
    char text[100];
    for (unsigned i = 0; i < PASSING; i++) {
        uint32_t number = td_dict_passing_string(dict, text, put_passing(text, sizeof text, round, i));
        assert_int_not_equal(number, UINT32_MAX);
        if (i % 10 == 0)
            tenth->strings[i / 10] = number;
    }
}

static void check_tenth(const struct td_dict *dict, const struct tenth *tenth, unsigned round)
{
    char text[100];
    for (unsigned i = 0; i < PASSING; i += 10) {
        size_t bytes = put_passing(text, sizeof text, round, i);
        assert_string_equal(td_dict_text(dict, tenth->strings[i / 10]), text);
        assert_int_equal(td_dict_text_bytes(dict, tenth->strings[i / 10]), bytes);
    }
}

static void passing_strings_that_nobody_holds_are_forgotten(void **state)
{
    enum { ROUNDS = 40 };
    struct td_dict *dict = td_dict_create();
    struct tenth tenth = {.holder = {.hold = hold_tenth, .self = &tenth}};
    td_dict_may_forget(dict);
    td_dict_add_holder(dict, &tenth.holder);
    uint32_t stays = td_dict_cstring(dict, "a name"), promise = td_dict_promise_string(dict);
    uint32_t most = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pass_a_round(dict, &tenth, round);
        td_dict_forget(dict, 0);
        td_dict_turn(dict);
        check_tenth(dict, &tenth, round);
        if (round == 5)
            most = td_dict_string_count(dict);
    }
    assert_int_equal(td_dict_string_count(dict), most);
    assert_true(most < 5 * PASSING);
    assert_int_equal(td_dict_cstring(dict, "a name"), stays);
    assert_int_equal(td_dict_keep_string(dict, promise, "kept", 4), 0);
    assert_string_equal(td_dict_text(dict, promise), "kept");
    td_dict_remove_holder(&tenth.holder);
    td_dict_destroy(dict);
}

static void a_forgotten_text_can_be_read_until_the_second_next_turn(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct tenth tenth = {.holder = {.hold = hold_tenth, .self = &tenth}};
    td_dict_may_forget(dict);
    uint32_t gone = td_dict_passing_string(dict, "gone", 4);
    pass_a_round(dict, &tenth, 0);
    td_dict_forget(dict, 0);
    uint32_t again = td_dict_passing_string(dict, "gone", 4), next = td_dict_string_count(dict);
    assert_int_not_equal(again, gone);
    td_dict_turn(dict);
    assert_string_equal(td_dict_text(dict, gone), "gone");
    assert_int_equal(td_dict_cstring(dict, "new"), next);
    td_dict_turn(dict);
    assert_string_equal(td_dict_text(dict, gone), "");
    assert_in_range(td_dict_cstring(dict, "newer"), 1, next - 1);
    assert_string_equal(td_dict_text(dict, again), "gone");
    td_dict_destroy(dict);
}

static void a_passing_string_that_becomes_a_name_stays(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct tenth tenth = {.holder = {.hold = hold_tenth, .self = &tenth}};
    td_dict_may_forget(dict);
    uint32_t number = td_dict_passing_string(dict, "both", 4);
    assert_int_equal(td_dict_cstring(dict, "both"), number);
    uint32_t name = td_dict_cstring(dict, "name");
    assert_int_equal(td_dict_passing_string(dict, "name", 4), name);
    for (unsigned round = 0; round < 4; round++) {
        pass_a_round(dict, &tenth, round);
        td_dict_forget(dict, 0);
        td_dict_turn(dict);
    }
    assert_int_equal(td_dict_cstring(dict, "both"), number);
    assert_int_equal(td_dict_cstring(dict, "name"), name);
    td_dict_destroy(dict);
}

static void a_dictionary_that_was_not_prepared_forgets_nothing(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct tenth tenth = {.holder = {.hold = hold_tenth, .self = &tenth}};
    char text[100];
    td_dict_add_holder(dict, &tenth.holder);
    pass_a_round(dict, &tenth, 0);
    uint32_t count = td_dict_string_count(dict);
    td_dict_forget(dict, 0);
    td_dict_turn(dict);
    td_dict_turn(dict);
    pass_a_round(dict, &tenth, 0);
    assert_int_equal(td_dict_string_count(dict), count);
    uint32_t last = td_dict_cstring(dict, (put_passing(text, sizeof text, 0, PASSING - 1), text));
    assert_int_equal(last, count - 1);
    td_dict_destroy(dict);
    td_dict_remove_holder(&tenth.holder); /* after the dictionary */
}

static void a_promise_has_its_number_before_its_content(void **state)
{
    enum { COUNT = 1000 };
    struct td_dict *dict = td_dict_create();
    uint32_t same = td_dict_cstring(dict, "kept"), string = td_dict_promise_string(dict);
    uint32_t srcloc = td_dict_promise_srcloc(dict), next = td_dict_string_count(dict);
    assert_string_equal(td_dict_text(dict, string), TD_DICT_UNKNOWN);
    assert_string_equal(td_dict_zone_name(dict, srcloc), TD_DICT_UNKNOWN);
    for (uint32_t i = 0; i < COUNT; i++) { /* the tables of both grow */
        struct td_srcloc other = {.line = i};
        assert_int_equal(td_dict_promise_string(dict), next + 2 * i);
        assert_int_equal(td_dict_srcloc(dict, &other), srcloc + 1 + i);
        assert_int_equal(td_dict_string(dict, (char *)&i, sizeof i), next + 1 + 2 * i);
    }
    struct td_srcloc loc = {.name = same, .line = 7};
    assert_int_equal(td_dict_keep_string(dict, string, "kept", 4), 0);
    assert_int_equal(td_dict_keep_srcloc(dict, srcloc, &loc), 0);
    assert_string_equal(td_dict_text(dict, string), "kept");
    assert_int_equal(td_dict_text_bytes(dict, string), 4);
    assert_string_equal(td_dict_zone_name(dict, srcloc), "kept");
    assert_int_equal(td_dict_cstring(dict, "kept"), same);
    assert_int_not_equal(td_dict_srcloc(dict, &loc), srcloc);
    assert_int_equal(td_dict_keep_string(dict, same, "no promise", 10), TD_E_USAGE);
    assert_int_equal(td_dict_keep_srcloc(dict, 0, &loc), TD_E_USAGE);
    assert_int_equal(td_dict_keep_string(dict, 1u << 30, "x", 1), TD_E_USAGE);
    td_dict_destroy(dict);
}

static void a_zone_without_name_shows_its_function(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_srcloc loc = {.function = td_dict_cstring(dict, "f()")};
    assert_string_equal(td_dict_zone_name(dict, td_dict_srcloc(dict, &loc)), "f()");
    loc.flags = TD_SRCLOC_EMPTY_NAME;
    assert_string_equal(td_dict_zone_name(dict, td_dict_srcloc(dict, &loc)), "");
    td_dict_destroy(dict);
}

static void locations_of_their_own_stay_apart_from_equal_ones(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_srcloc loc = {.name = td_dict_cstring(dict, "f"), .line = 3, .flags = TD_SRCLOC_WAIT};
    uint32_t own = td_dict_own_srcloc(dict, &loc), content = td_dict_srcloc(dict, &loc);
    uint32_t other = td_dict_own_srcloc(dict, &loc);
    assert_true(own != content && own != other && content != other);
    assert_int_equal(td_dict_srcloc(dict, &loc), content);
    for (uint32_t i = 0; i < 10000; i++)
        assert_true(td_dict_own_srcloc(dict, &loc) > other);
    assert_string_equal(td_dict_zone_name(dict, other), "f");
    assert_int_equal(td_dict_get_srcloc(dict, own)->flags & TD_SRCLOC_WAIT, TD_SRCLOC_WAIT);
    assert_int_equal(td_dict_get_srcloc(dict, content)->flags >> TD_SRCLOC_OWN_SHIFT, 0);
    td_dict_destroy(dict);
}

static void later_name_and_hint_of_a_track_win(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_track track = {.thread = 42, .name = td_dict_cstring(dict, "one"), .group_hint = 3};
    uint32_t n = td_dict_track(dict, &track);
    track.name = td_dict_cstring(dict, "two");
    track.group_hint = 0;
    assert_int_equal(td_dict_track(dict, &track), n);
    assert_string_equal(td_dict_text(dict, td_dict_get_track(dict, n)->name), "two");
    assert_int_equal(td_dict_get_track(dict, n)->group_hint, 3);
    assert_int_equal(td_dict_track_count(dict), 1);
    td_dict_destroy(dict);
}

static void the_base_frame_set_is_always_there(void **state)
{
    struct td_dict *dict = td_dict_create();
    int continuous = 0;
    assert_int_equal(td_dict_frame_set_count(dict), 1);
    assert_int_equal(td_dict_get_frame_set(dict, 0, &continuous), 0);
    assert_int_equal(continuous, 1);
    uint32_t name = td_dict_cstring(dict, "Audio");
    uint32_t set = td_dict_frame_set(dict, name, 0);
    assert_int_equal(td_dict_frame_set(dict, name, 1), set);
    assert_int_equal(td_dict_get_frame_set(dict, set, &continuous), name);
    assert_int_equal(continuous, 0);
    td_dict_destroy(dict);
}

static void a_map_keeps_the_first_value_of_a_key(void **state)
{
    struct td_map map = {0};
    assert_int_equal(td_map_get(&map, 1, 99), 99);
    for (uint64_t k = 0; k < 10000; k++)
        assert_int_equal(td_map_add(&map, k << 40, (uint32_t)k), 1);
    assert_int_equal(td_map_add(&map, UINT64_C(5) << 40, 77), 0);
    for (uint64_t k = 0; k < 10000; k++)
        assert_int_equal(td_map_get(&map, k << 40, 0), k);
    td_map_finish(&map);
}

static void a_map_has_exactly_the_keys_that_were_not_removed(void **state)
{
    enum { KEYS = 700, TURNS = 200000 };
    struct td_map map = {0};
    uint32_t wanted[KEYS] = {0}; /* 0: removed */
    size_t count = 0, most = 0;
    uint64_t random = 1;
    assert_int_equal(td_map_remove(&map, 1), 0);
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        random = td_mix64(random + turn);
        uint32_t key = (uint32_t)(random % KEYS);
        bool is_there = wanted[key] != 0, remove = random >> 40 & 1;
        if (remove)
            assert_int_equal(td_map_remove(&map, key * UINT64_C(16)), is_there);
        else
            assert_int_equal(td_map_set(&map, key * UINT64_C(16), turn), 0);
        count = count + (!remove && !is_there) - (remove && is_there);
        wanted[key] = remove ? 0 : turn;
        assert_int_equal(map.count, count);
        most = count > most ? count : most;
        if (turn % 1000)
            continue;
        for (uint32_t k = 0; k < KEYS; k++)
            assert_int_equal(td_map_get(&map, k * UINT64_C(16), 0), wanted[k]);
    }
    assert_true(most > KEYS / 3 && map.mask < 4 * KEYS);
    td_map_finish(&map);
}

struct counter {
    size_t events;
    int answer;
};

static int count_events(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct counter *c = self;
    c->events += count;
    return c->answer ? td_fail(err, c->answer, "sink says no") : 0;
}

static void every_sink_gets_the_batch_and_the_first_error_is_returned(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_hub *hub = td_hub_create(dict);
    struct counter a = {0}, b = {0, TD_E_IO}, c = {0, TD_E_GONE};
    assert_int_equal(td_hub_add_sink(hub, (struct td_sink){.events = count_events, .self = &a}), 0);
    assert_int_equal(td_hub_add_sink(hub, (struct td_sink){.events = count_events, .self = &b}), 0);
    assert_int_equal(td_hub_add_sink(hub, (struct td_sink){.events = count_events, .self = &c}), 0);
    struct td_event events[3] = {{0}};
    struct td_err err = {0};
    assert_int_equal(td_hub_push(hub, events, 3, &err), TD_E_IO);
    assert_int_equal(err.code, TD_E_IO);
    assert_int_equal(a.events + b.events + c.events, 9);
    assert_ptr_equal(td_hub_dict(hub), dict);
    td_hub_destroy(hub);
    td_hub_destroy(NULL);
    td_dict_destroy(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(string_0_is_empty_and_equal_text_is_one_number),
        cmocka_unit_test(texts_may_hold_zero_bytes),
        cmocka_unit_test(addresses_stay_when_a_hundred_thousand_more_come),
        cmocka_unit_test(long_texts_are_kept_whole),
        cmocka_unit_test(passing_strings_that_nobody_holds_are_forgotten),
        cmocka_unit_test(a_forgotten_text_can_be_read_until_the_second_next_turn),
        cmocka_unit_test(a_passing_string_that_becomes_a_name_stays),
        cmocka_unit_test(a_dictionary_that_was_not_prepared_forgets_nothing),
        cmocka_unit_test(a_promise_has_its_number_before_its_content),
        cmocka_unit_test(a_zone_without_name_shows_its_function),
        cmocka_unit_test(locations_of_their_own_stay_apart_from_equal_ones),
        cmocka_unit_test(later_name_and_hint_of_a_track_win),
        cmocka_unit_test(the_base_frame_set_is_always_there),
        cmocka_unit_test(a_map_keeps_the_first_value_of_a_key),
        cmocka_unit_test(a_map_has_exactly_the_keys_that_were_not_removed),
        cmocka_unit_test(every_sink_gets_the_batch_and_the_first_error_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
