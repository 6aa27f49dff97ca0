/* What the lists of the viewer contain: losses. Each is compared with a naive calculation. */
#include "host/viewer/analysis/losses.h"
#include "host/viewer/scan.h"
#include "tests/viewer/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

/* ---- losses ---- */

static void losses_list_gaps_and_stalls_in_order_of_time(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_scan scan = {0};
    struct td_losses losses;
    assert_int_equal(td_scan_run(&scan, trace, true, NULL), 0);
    assert_int_equal(td_losses_make(&losses, trace, &scan.lost, NULL), 0);
    const size_t corrected = td_trace_clamped(trace) > 0; /* comes first: it has no time */
    assert_int_equal(losses.count, corrected + 2);
    const struct td_loss *gap = &losses.list[corrected], *stall = gap + 1;
    assert_int_equal(gap->kind, TD_LOSS_DROPPED);
    assert_int_equal(gap->count, 128);
    assert_int_equal(gap->length_ns, 110000);
    assert_string_equal(gap->text, "128 zones and 0 other packets lost");
    assert_int_equal(td_trace_zone(trace, gap->zone.track, gap->zone.row, gap->zone.index).start_ns,
                     gap->start_ns);
    assert_int_equal(stall->kind, TD_LOSS_STALL);
    assert_int_equal(stall->length_ns, 40000);
    assert_true(gap->start_ns < stall->start_ns);
    td_losses_free(&losses);
    td_scan_free(&scan);
    td_trace_destroy(trace);
}

static void every_fact_about_damage_is_a_loss(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_track unsynced = {.thread = 77, .unsynced = 1};
    const uint32_t track = td_dict_track(dict, &unsynced);
    td_trace_note(trace, TD_NOTE_FAULT, "core 3 stopped");
    td_trace_note(trace, TD_NOTE_FAULT, "core 4 stopped");
    td_trace_note(trace, TD_NOTE_DAMAGE, "lane 5 was overwritten");
    td_trace_note(trace, TD_NOTE_INSTRUMENTATION, "a zone ended twice");
    td_trace_note(trace, TD_NOTE_BAD_BYTES, "%d", 24);
    td_trace_note(trace, TD_NOTE_LINK_LOST, "%d", 3);
    td_trace_note(trace, TD_NOTE_LINK_BAD, "%d", 2);
    td_trace_note(trace, TD_NOTE_LOST, "%d", 10);
    td_trace_note(trace, TD_NOTE_LOST_OTHER, "%d", 1);
    td_trace_note(trace, TD_NOTE_STALLS, "%d", 6);
    td_trace_set_crash(trace, &(struct td_crash){900, track, td_dict_cstring(dict, "Invalid memory"), 0});
    td_trace_set_string(&td_trace_edit_info(trace)->salvaged, "damaged at byte 5");
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    const struct td_marks none = {0};
    const struct td_loss_counts counts = td_losses_count(trace, &none);
    static const uint64_t expected[TD_LOSS_KINDS] = {
        [TD_LOSS_CRASH] = 1,  [TD_LOSS_SALVAGED] = 1, [TD_LOSS_DROPPED] = 11, [TD_LOSS_STALL] = 6,
        [TD_LOSS_DAMAGE] = 1, [TD_LOSS_FAULT] = 2,    [TD_LOSS_UNSYNCED] = 1, [TD_LOSS_MARKERS] = 1,
        [TD_LOSS_BYTES] = 24, [TD_LOSS_LINK] = 5};
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        assert_int_equal(counts.of[k], expected[k]);
    assert_true(counts.any);
    struct td_losses losses;
    assert_int_equal(td_losses_make(&losses, trace, &none, NULL), 0);
    int of[TD_LOSS_KINDS] = {0};
    for (size_t i = 0; i < losses.count; i++)
        of[losses.list[i].kind]++;
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        assert_int_equal(of[k] > 0, expected[k] > 0 && k != TD_LOSS_DROPPED && k != TD_LOSS_STALL);
    assert_int_equal(of[TD_LOSS_FAULT], 2);
    assert_int_equal(losses.list[losses.count - 1].kind, TD_LOSS_CRASH);
    assert_int_equal(losses.list[losses.count - 1].start_ns, 900);
    td_losses_free(&losses);
    td_trace_destroy(trace);
}

static void a_sound_trace_has_no_losses(void **state)
{
    struct td_trace *trace = dense_trace(100);
    const struct td_marks none = {0};
    struct td_losses losses;
    assert_false(td_losses_count(trace, &none).any);
    assert_int_equal(td_losses_make(&losses, trace, &none, NULL), 0);
    assert_int_equal(losses.count, 0);
    td_losses_free(&losses);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_list_gaps_and_stalls_in_order_of_time),
        cmocka_unit_test(every_fact_about_damage_is_a_loss),
        cmocka_unit_test(a_sound_trace_has_no_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
