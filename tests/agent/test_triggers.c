/* Triggers: which events are hits, and which conditions are refused. */
#include "host/agent/limits/trigger_text.h"
#include "host/agent/limits/triggers.h"
#include "host/trace/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct td_dict *dict;
    struct td_triggers *triggers;
    struct td_sink sink;
};

static struct bench new_bench(size_t count, const char **words)
{
    struct bench b = {.dict = td_dict_create()};
    struct td_err err = {0};
    static struct td_words given;
    given = (struct td_words){.count = count};
    memcpy(given.words, words, count * sizeof *words);
    td_dict_track(b.dict, &(struct td_track){.thread = 1});
    b.triggers = td_triggers_create(&given, b.dict, &err);
    assert_non_null(b.triggers);
    b.sink = td_triggers_sink(b.triggers);
    return b;
}

static void free_bench(struct bench *b)
{
    td_triggers_destroy(b->triggers);
    td_dict_destroy(b->dict);
}

static void push(struct bench *b, struct td_event e)
{
    assert_int_equal(b->sink.events(b->sink.self, &e, 1, NULL), 0);
}

static void expect_hit(struct bench *b, int64_t time_ns, const char *word)
{
    struct td_trigger_hit hit;
    assert_true(td_triggers_take(b->triggers, &hit));
    assert_true(hit.time_ns == time_ns);
    assert_non_null(strstr(hit.what, word));
}

static void expect_none(struct bench *b)
{
    struct td_trigger_hit hit;
    assert_false(td_triggers_take(b->triggers, &hit));
}

static uint32_t location(struct bench *b, const char *name)
{
    return td_dict_srcloc(b->dict, &(struct td_srcloc){.name = td_dict_cstring(b->dict, name)});
}

static void zone(struct bench *b, int64_t start, int64_t end, uint32_t srcloc, uint32_t name)
{
    push(b, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = start, .srcloc = srcloc});
    if (name)
        push(b, (struct td_event){.kind = TD_EVENT_ZONE_NAME, .subject = name});
    push(b, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = end});
}

static void long_zones_are_hits(void **state)
{
    struct bench b = new_bench(2, (const char *[]){"zone:st*>5us", "zone:>>>1us"});
    uint32_t step = location(&b, "step"), other = location(&b, "other"), arrow = location(&b, ">>");
    zone(&b, 0, 5000, step, 0);
    zone(&b, 10000, 15001, other, 0);
    expect_none(&b);
    push(&b, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = 20000, .srcloc = step});
    zone(&b, 21000, 22001, arrow, 0);
    push(&b, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = 25001});
    expect_hit(&b, 22001, "'>>' took 1.00 us (zone:>>>1us)");
    expect_hit(&b, 25001, "'step' took 5.00 us (zone:st*>5us)");
    zone(&b, 30000, 40000, other, td_dict_cstring(b.dict, "steps by another name"));
    expect_hit(&b, 40000, "steps by");
    push(&b,
         (struct td_event){.kind = TD_EVENT_ZONE, .time_ns = 50000, .value.end_ns = 60000, .srcloc = step});
    expect_hit(&b, 60000, "10.00 us");
    int64_t gpu[TD_GPU_ZONE_COLUMN_COUNT] = {
        [TD_GPU_ZONE_START] = 70000, [TD_GPU_ZONE_END] = 79000, [TD_GPU_ZONE_SRCLOC] = step};
    assert_int_equal(b.sink.row(b.sink.self, TD_ROW_GPU_ZONE, 0, gpu, NULL), 0);
    expect_hit(&b, 79000, "9.00 us");
    struct td_zone_mark marks[] = {
        {80000, step}, {81000, step}, {82000, TD_ZONE_MARK_END}, {89000, TD_ZONE_MARK_END}};
    assert_int_equal(b.sink.zones(b.sink.self, 0, marks, 4, NULL), 0);
    expect_hit(&b, 89000, "9.00 us");
    push(&b, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = 99000}); /* without a begin */
    expect_none(&b);
    free_bench(&b);
}

static void promised_names_are_looked_up_later(void **state)
{
    struct bench b = new_bench(2, (const char *[]){"zone:step>5us", "message:look*"});
    uint32_t srcloc = td_dict_promise_srcloc(b.dict), string = td_dict_promise_string(b.dict);
    uint32_t no = td_dict_promise_string(b.dict);
    zone(&b, 0, 9000, srcloc, 0);
    push(&b, (struct td_event){.kind = TD_EVENT_MESSAGE, .time_ns = 100, .subject = string});
    push(&b, (struct td_event){.kind = TD_EVENT_MESSAGE, .time_ns = 200, .subject = no});
    expect_none(&b);
    struct td_srcloc known = {.name = td_dict_cstring(b.dict, "step")};
    assert_int_equal(td_dict_keep_srcloc(b.dict, srcloc, &known), 0);
    assert_int_equal(td_dict_keep_string(b.dict, string, "look here", 9), 0);
    assert_int_equal(td_dict_keep_string(b.dict, no, "nothing", 7), 0);
    expect_hit(&b, 9000, "step");
    expect_hit(&b, 100, "look here");
    expect_none(&b);
    zone(&b, 10000, 19000, srcloc, 0);
    expect_hit(&b, 19000, "step");
    free_bench(&b);
}

/* The number of a forgotten text may become that of another one. */
static void a_number_with_another_text_is_compared_again(void **state)
{
    enum { TEXTS = 5000 };
    struct bench b = new_bench(2, (const char *[]){"message:*8?8*", "zone:*8?8*>5us"});
    td_dict_may_forget(b.dict);
    push(&b, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = 0, .srcloc = location(&b, "zone")});
    push(&b, (struct td_event){.kind = TD_EVENT_ZONE_NAME,
                               .subject = td_dict_passing_string(b.dict, "it is 898", 9)});
    for (unsigned i = 0, first = td_dict_string_count(b.dict); i < 10 * TEXTS; i++) {
        char text[100];
        int n = snprintf(text, sizeof text, "text %u, which is as long as a message may well be", i);
        uint32_t number = td_dict_passing_string(b.dict, text, (size_t)n);
        assert_true(number < first + 3 * TEXTS);
        push(&b, (struct td_event){.kind = TD_EVENT_MESSAGE, .time_ns = i, .subject = number});
        unsigned seen = i;
        while (seen >= 100 && (seen % 10 != 8 || seen / 100 % 10 != 8))
            seen /= 10;
        if (seen >= 100)
            expect_hit(&b, i, "message");
        else
            expect_none(&b);
        if (i % TEXTS)
            continue;
        td_dict_forget(b.dict, 0);
        td_dict_turn(b.dict);
        td_dict_turn(b.dict);
    }
    push(&b, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = 900000});
    expect_hit(&b, 900000, "it is 898");
    free_bench(&b);
}

static void long_frames_are_hits(void **state)
{
    struct bench b = new_bench(2, (const char *[]){"frame>1ms", "frame:load*>1ms"});
    uint32_t set = td_dict_frame_set(b.dict, td_dict_cstring(b.dict, "loading"), 0);
    const int64_t base[] = {0, 9000000, 19000000, 20000000, 22000000};
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        push(&b, (struct td_event){.kind = TD_EVENT_FRAME, .time_ns = base[i]});
    expect_hit(&b, 22000000, "took 2.00 ms (frame>1ms)"); /* not those before the first mark */
    push(&b, (struct td_event){.kind = TD_EVENT_FRAME_START, .time_ns = 30000000, .subject = set});
    push(&b, (struct td_event){.kind = TD_EVENT_FRAME_END, .time_ns = 33000000, .subject = set});
    push(&b, (struct td_event){.kind = TD_EVENT_FRAME_START, .time_ns = 50000000, .subject = set});
    expect_hit(&b, 33000000, "'loading'");
    expect_none(&b); /* the pause between two frames is none */
    free_bench(&b);
}

static void more_hits_than_fit_are_counted(void **state)
{
    struct bench b = new_bench(1, (const char *[]){"message:*"});
    uint32_t text = td_dict_cstring(b.dict, "again");
    for (int i = 0; i < 100; i++)
        push(&b, (struct td_event){.kind = TD_EVENT_MESSAGE, .time_ns = i, .subject = text});
    for (int i = 0; i < 64; i++)
        expect_hit(&b, i, "again");
    expect_none(&b);
    assert_int_equal(td_triggers_skipped(b.triggers), 36);
    free_bench(&b);
}

static void wrong_conditions_are_refused(void **state)
{
    static const char *const wrong[] = {
        "",          "message:",     "zone:>5ms",   "zone:x",      "zone:x>5",
        "zone:x>5m", "frame",        "frame>",      "frame:>5s",   "frame>-1s",
        "faults",    "zone:x>1e30s", "zone:x>nans", "frame>0x5s ", "signal "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct td_trigger_text text;
        struct td_err err = {0};
        assert_int_equal(td_trigger_text_parse(wrong[i], &text, &err), TD_E_USAGE);
        assert_non_null(strstr(err.text, "--trigger"));
    }
    struct td_trigger_text text;
    assert_int_equal(td_trigger_text_parse("frame:a>b>0.5ms", &text, NULL), 0);
    assert_string_equal(text.pattern, "a>b");
    assert_true(text.limit_ns == 500000);
    free(text.pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_zones_are_hits),
        cmocka_unit_test(promised_names_are_looked_up_later),
        cmocka_unit_test(long_frames_are_hits),
        cmocka_unit_test(more_hits_than_fit_are_counted),
        cmocka_unit_test(wrong_conditions_are_refused),
        cmocka_unit_test(a_number_with_another_text_is_compared_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
