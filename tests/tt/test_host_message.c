/* Messages of programs, and the ids of zones. */
#include "host/tt/host_message.h"
#include "host/tt/zone_hash.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

/* Reads a message; it is written again as it was. */
static struct td_tt_message read_message(const char *text)
{
    struct td_tt_message message;
    char *again;
    size_t bytes;
    assert_true(td_tt_message_read(td_tt_text_of(text), &message));
    FILE *to = open_memstream(&again, &bytes);
    assert_true(td_tt_message_write(to, &message));
    fclose(to);
    assert_string_equal(again, text);
    free(again);
    return message;
}

static void operations_have_a_name_a_device_and_an_id(void **state)
{
    (void)state;
    struct td_tt_message m = read_message(
        "`TT_DNN_DEVICE_OP: \"Matmul<a, \\\"b\\\">\", 12500952198488252350, 3, false, 13319 ->\n{\"a\": 1}`");
    assert_int_equal(m.kind, TD_TT_MESSAGE_DEVICE_OP);
    assert_true(td_tt_text_is(m.name, "Matmul<a, \\\"b\\\">"));
    assert_true(m.hash == UINT64_C(12500952198488252350));
    assert_int_equal(m.device, 3);
    assert_int_equal(m.id, 13319);
    assert_int_equal(m.cache_hit, TD_TT_CACHE_MISS);
    assert_true(td_tt_text_is(m.json, "{\"a\": 1}"));
    m = read_message("`TT_DNN_DEVICE_OP: \"Op\", 1, 0, true, 2048`");
    assert_int_equal(m.cache_hit, TD_TT_CACHE_HIT);
    assert_int_equal(m.json.bytes, 0);
    m = read_message("`TT_DNN_DEVICE_OP: \"Op\", 1, 0, 7`");
    assert_int_equal(m.cache_hit, TD_TT_CACHE_NOT_SAID);
    assert_int_equal(m.id, 7);
    assert_true(td_tt_message_read(td_tt_text_of("`TT_DNN_DEVICE_OP: \"Op\", 5, 2, 1, 7`"), &m));
    assert_int_equal(m.cache_hit, TD_TT_CACHE_HIT);
    assert_true(m.hash == 5 && m.device == 2 && m.id == 7);
    m = read_message("`TT_DNN_FALL_BACK_OP: \"torch.add\" ->\n{}`");
    assert_int_equal(m.kind, TD_TT_MESSAGE_FALL_BACK_OP);
    assert_true(td_tt_text_is(m.name, "torch.add"));
}

static void traces_and_signposts_are_read(void **state)
{
    (void)state;
    struct td_tt_message m = read_message("`TT_METAL_TRACE_BEGIN: 1, 9`");
    assert_int_equal(m.kind, TD_TT_MESSAGE_TRACE_BEGIN);
    assert_int_equal(m.device, 1);
    assert_int_equal(m.trace, 9);
    assert_int_equal(read_message("`TT_METAL_TRACE_END: 1, 9`").kind, TD_TT_MESSAGE_TRACE_END);
    assert_int_equal(read_message("`TT_METAL_TRACE_REPLAY: 1, 9`").kind, TD_TT_MESSAGE_TRACE_REPLAY);
    m = read_message("`TT_METAL_TRACE_ENQUEUE_PROGRAM: 1, 9, 1024`");
    assert_int_equal(m.kind, TD_TT_MESSAGE_TRACE_ENQUEUE);
    assert_int_equal(m.id, 1024);
    m = read_message("`TT_SIGNPOST: start\nof all\nlayers`");
    assert_true(td_tt_text_is(m.name, "start"));
    assert_true(td_tt_text_is(m.text, "of all\nlayers"));
    assert_true(td_tt_text_is(read_message("`TT_SIGNPOST: end`").name, "end"));
}

static void other_and_cut_messages_are_known_as_such(void **state)
{
    (void)state;
    struct td_tt_message m;
    assert_false(td_tt_message_read(td_tt_text_of("hello"), &m));
    assert_false(td_tt_message_read(td_tt_text_of(""), &m));
    assert_false(td_tt_message_read(td_tt_text_of("`"), &m));
    assert_false(td_tt_message_read(td_tt_text_of("`TT_DNN_DEVICE_OP: \"Op\", 1, 7`"), &m));
    assert_false(td_tt_message_read(td_tt_text_of("`TT_DNN_DEVICE_OP: \"Op\", x, 0, 7`"), &m));
    assert_false(td_tt_message_read(td_tt_text_of("`TT_DNN_DEVICE_OP: \"Op\", 1, 2, 3, 4, 5`"), &m));
    assert_false(td_tt_message_read(td_tt_text_of("`TT_METAL_TRACE_BEGIN: 1`"), &m));
    assert_false(td_tt_message_read(td_tt_text_of("`TT_METAL_TRACE_BEGIN: 1, 2, 3`"), &m));
    assert_true(td_tt_message_read(td_tt_text_of("`TT_DNN_DEVICE_OP: \"Op\", 1, 0, 7 ->\n{\"a\": "), &m));
    assert_true(m.cut);
    assert_true(td_tt_message_read(td_tt_text_of("TT_SIGNPOST: bare"), &m));
    assert_false(m.cut);
}

/* The ids of the zones in tests/data/tt/profile_log_device.wh_13col.csv. */
static void ids_of_zones_are_those_of_tt_metal(void **state)
{
    (void)state;
#define FOLDER "/localdev/bgrady/tt-metal/tt_metal/hw/firmware/src/"
    struct td_tt_zone_source zone = {td_tt_text_of("BRISC-FW"), td_tt_text_of(FOLDER "brisc.cc"), 396};
    assert_int_equal(td_tt_zone_hash(&zone), 22845);
    zone = (struct td_tt_zone_source){td_tt_text_of("BRISC-KERNEL"), td_tt_text_of(FOLDER "brisck.cc"), 49};
    assert_int_equal(td_tt_zone_hash(&zone), 21766);
    char text[400];
    td_tt_zone_source_text(text, sizeof text, &zone);
    struct td_tt_zone_source again;
    assert_true(td_tt_zone_source_read(td_tt_text_of(text), &again));
    assert_int_equal(td_tt_zone_hash(&again), 21766);
    assert_true(td_tt_zone_source_read(td_tt_text_of("a, b,c.cpp,12,KERNEL_PROFILER"), &again));
    assert_true(td_tt_text_is(again.name, "a, b") && td_tt_text_is(again.file, "c.cpp") && again.line == 12);
    assert_false(td_tt_zone_source_read(td_tt_text_of("c.cpp,12,KERNEL_PROFILER"), &again));
    assert_false(td_tt_zone_source_read(td_tt_text_of("a,c.cpp,x,KERNEL_PROFILER"), &again));
    assert_false(td_tt_zone_source_read(td_tt_text_of("12 | DeviceZoneScopedN"), &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_have_a_name_a_device_and_an_id),
        cmocka_unit_test(traces_and_signposts_are_read),
        cmocka_unit_test(other_and_cut_messages_are_known_as_such),
        cmocka_unit_test(ids_of_zones_are_those_of_tt_metal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
