/* Items of GPU contexts become zones on as many lines as it takes. */
#include "host/trace/fill.h"
#include "tests/collect/item_bench.h"

static void gpu_zones_come_out_whole_and_clocks_are_set_anew(void **state)
{
    struct bench b;
    begin(&b, &td_wire_66);
    PUT(&b, GpuNewContext, .cpuTime = 10000, .gpuTime = 500, .period = 2, .context = 5, .type = 1);
    for (uint16_t i = 0; i < 4; i += 2)
        PUT(&b, GpuZoneBeginSerial, .cpuTime = 11000, .thread = 7, .queryId = i, .context = 5, .srcloc = 0xa);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = 3, .context = 5);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = 1, .context = 5);
    PUT(&b, GpuTime, .gpuTime = 600, .queryId = 0, .context = 5);
    PUT(&b, GpuTimeSync, .gpuTime = 1000, .cpuTime = 12000, .context = 5);
    PUT(&b, GpuTime, .gpuTime = 500, .queryId = 2, .context = 5); /* raw 1100 */
    PUT(&b, GpuTime, .gpuTime = 10, .queryId = 3, .context = 5);
    PUT(&b, GpuTime, .gpuTime = 10, .queryId = 1, .context = 5);
    finish(&b);
    const struct td_series *outer = td_trace_row(b.trace, 0, 0), *inner = td_trace_row(b.trace, 0, 1);
    assert_true(outer && inner && td_series_count(outer) == 1 && td_series_count(inner) == 1);
    assert_int_equal(td_series_get(outer, 0, TD_ZONE_START), 10000 + 2 * 100);
    assert_int_equal(td_series_get(inner, 0, TD_ZONE_START), 12000 + 2 * 100);
    assert_int_equal(td_series_get(inner, 0, TD_ZONE_DURATION), 20);
    assert_int_equal(td_series_get(outer, 0, TD_ZONE_DURATION), 12240 - 10200);
    assert_int_equal(td_series_get(outer, 0, TD_ZONE_THREAD), 7);
    assert_int_equal(td_client_stream_counts(b.stream)->ignored, 0);
    assert_ptr_equal(td_client_stream_release(b.stream), &td_wire_66);
    end(&b);
}

static void a_context_may_begin_before_time_0_but_what_its_gpu_did_then_counts(void **state)
{
    struct bench b;
    begin(&b, &td_wire_69);
    PUT(&b, GpuNewContext, .cpuTime = -5000, .period = 1, .type = 2);
    PUT(&b, GpuNewContext, .cpuTime = -5000, .period = 1, .context = 1, .flags = 1, .type = 2);
    for (uint8_t i = 0; i < 2; i++) {
        PUT(&b, GpuZoneBeginSerial, .cpuTime = 1000, .thread = 7, .context = i, .srcloc = 0xa);
        PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = 1, .context = i);
        PUT(&b, GpuZoneBeginSerial, .cpuTime = 10, .thread = 7, .queryId = 2, .context = i, .srcloc = 0xa);
        PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = 3, .context = i);
    }
    PUT(&b, GpuTime, .gpuTime = 2000, .queryId = 0, .context = 0);
    PUT(&b, GpuTime, .gpuTime = 4000, .queryId = 1, .context = 0); /* at 6000 */
    PUT(&b, GpuTime, .gpuTime = 500, .queryId = 2, .context = 0);
    PUT(&b, GpuTime, .gpuTime = 20, .queryId = 3, .context = 0);
    PUT(&b, GpuTime, .gpuTime = -20, .queryId = 2, .context = 1);
    PUT(&b, GpuTime, .gpuTime = 30, .queryId = 3, .context = 1);
    PUT(&b, GpuTime, .gpuTime = -4000, .queryId = 0, .context = 1); /* at 2530 */
    PUT(&b, GpuTime, .gpuTime = 30, .queryId = 1, .context = 1);
    finish(&b);
    const struct td_series *zones = td_trace_row(b.trace, 0, 0), *calibrated = td_trace_row(b.trace, 1, 0);
    assert_true(zones && calibrated && td_series_count(zones) == 2 && td_series_count(calibrated) == 2);
    assert_int_equal(td_series_get(zones, 0, TD_ZONE_START), 0);
    assert_int_equal(td_series_get(zones, 0, TD_ZONE_DURATION), 1000);
    assert_int_equal(td_series_get(zones, 1, TD_ZONE_START), 1500);
    assert_int_equal(td_series_get(zones, 1, TD_ZONE_DURATION), 20);
    assert_int_equal(td_series_get(calibrated, 1, TD_ZONE_START), 1500);
    assert_int_equal(td_series_get(calibrated, 1, TD_ZONE_DURATION), 30);
    assert_int_equal(td_client_stream_counts(b.stream)->time_bent, 3);
    end(&b);
}

/* The zones of this end and its thread began in an earlier session. */
static void a_gpu_end_without_a_begin_ends_no_zone_of_another_thread(void **state)
{
    struct bench b;
    begin(&b, &td_wire_69);
    PUT(&b, GpuNewContext, .period = 1, .type = 2);
    PUT(&b, GpuZoneBeginSerial, .cpuTime = 1000, .thread = 7, .queryId = 0, .srcloc = 0xa);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 8, .queryId = 1);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = 2);
    for (uint16_t i = 0; i < 3; i++)
        PUT(&b, GpuTime, .gpuTime = 100, .queryId = i);
    finish(&b);
    const struct td_series *zones = td_trace_row(b.trace, 0, 0);
    assert_true(zones && td_series_count(zones) == 1);
    assert_int_equal(td_series_get(zones, 0, TD_ZONE_DURATION), 200);
    assert_int_equal(td_client_stream_counts(b.stream)->ignored, 2);
    end(&b);
}

/* The thread's queue is ahead of the one that announces its context. OpenGL's ends name no thread. */
static void gpu_zones_may_begin_before_their_context_is_announced(void **state)
{
    struct bench b;
    begin(&b, &td_wire_69);
    PUT(&b, GpuZoneBeginSerial, .cpuTime = 1000, .thread = 7, .queryId = 0, .srcloc = 0xa);
    PUT(&b, GpuZoneBeginSerial, .cpuTime = 10, .thread = 7, .queryId = 1, .srcloc = 0xa);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .queryId = 2);
    PUT(&b, GpuNewContext, .thread = 7, .period = 1, .type = 1);
    PUT(&b, GpuZoneBeginSerial, .cpuTime = 10, .thread = 7, .queryId = 3, .srcloc = 0xa);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .queryId = 4);
    PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .queryId = 5);
    for (uint16_t i = 0; i < 6; i++)
        PUT(&b, GpuTime, .gpuTime = 100, .queryId = i);
    finish(&b);
    assert_int_equal(td_client_stream_counts(b.stream)->ignored, 0);
    assert_int_equal(td_client_stream_counts(b.stream)->gpu_zones, 3);
    const struct td_series *outer = td_trace_row(b.trace, 0, 0), *inner = td_trace_row(b.trace, 0, 1);
    assert_true(outer && inner && td_series_count(outer) == 1 && td_series_count(inner) == 1);
    assert_int_equal(td_series_get(outer, 0, TD_ZONE_DURATION), 500);
    assert_int_equal(td_series_get(inner, 0, TD_ZONE_DURATION), 100);
    end(&b);
}

/* Their times are as the GPU reported them, on as many lines as it takes. */
static void gpu_zones_that_overlap_keep_their_times(void **state)
{
    struct bench b;
    static const int64_t times[] = {1000, 9000, 2000, 3000, 4000, 20000, 5000, 4500};
    begin(&b, &td_wire_69);
    PUT(&b, GpuNewContext, .period = 1, .type = 2);
    for (uint16_t i = 0; i < 8; i += 2) {
        PUT(&b, GpuZoneBeginSerial, .cpuTime = 10, .thread = 7, .queryId = i, .srcloc = 0xa);
        PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = (uint16_t)(i + 1));
    }
    int64_t before = 0;
    for (uint16_t i = 0; i < 8; before = times[i++])
        PUT(&b, GpuTime, .gpuTime = times[i] - before, .queryId = i);
    finish(&b);
    const struct td_series *first = td_trace_row(b.trace, 0, 0), *second = td_trace_row(b.trace, 1, 0);
    assert_true(first && second && td_series_count(first) == 1 && td_series_count(second) == 2);
    assert_int_equal(td_series_get(first, 0, TD_ZONE_DURATION), 8000);
    assert_int_equal(td_series_get(second, 0, TD_ZONE_START), 2000);
    assert_int_equal(td_series_get(second, 0, TD_ZONE_DURATION), 1000);
    assert_int_equal(td_series_get(second, 1, TD_ZONE_START), 4000);
    assert_int_equal(td_series_get(second, 1, TD_ZONE_DURATION), 16000);
    const struct td_series *third = td_trace_row(b.trace, 2, 0); /* it ends 500 ns before it starts */
    assert_true(third && td_series_count(third) == 1);
    assert_int_equal(td_series_get(third, 0, TD_ZONE_START), 5000);
    assert_int_equal(td_series_get(third, 0, TD_ZONE_QUERY) >> TD_ZONE_BACK_SHIFT, 500);
    assert_int_equal(td_dict_get_track(b.dict, 2)->line, 2);
    assert_int_equal(td_trace_clamped(b.trace), 0);
    end(&b);
}

/* A time belongs to the begin or end that has its query, in whatever order the times come. */
static void gpu_times_may_come_in_any_order(void **state)
{
    struct bench b;
    static const int64_t times[] = {1000, 9000, 2000, 3000};
    begin(&b, &td_wire_69);
    PUT(&b, GpuNewContext, .period = 1, .type = 2);
    for (uint16_t i = 0; i < 4; i += 2) {
        PUT(&b, GpuZoneBeginSerial, .cpuTime = 10, .thread = 7, .queryId = i, .srcloc = 0xa);
        PUT(&b, GpuZoneEndSerial, .cpuTime = 10, .thread = 7, .queryId = (uint16_t)(i + 1));
    }
    int64_t before = 0;
    for (int i = 3; i >= 0; before = times[i--])
        PUT(&b, GpuTime, .gpuTime = times[i] - before, .queryId = (uint16_t)i);
    finish(&b);
    const struct td_series *first = td_trace_row(b.trace, 0, 0), *second = td_trace_row(b.trace, 1, 0);
    assert_true(first && second && td_series_count(first) == 1 && td_series_count(second) == 1);
    assert_int_equal(td_series_get(first, 0, TD_ZONE_START), 1000);
    assert_int_equal(td_series_get(first, 0, TD_ZONE_DURATION), 8000);
    assert_int_equal(td_series_get(second, 0, TD_ZONE_START), 2000);
    assert_int_equal(td_series_get(second, 0, TD_ZONE_DURATION), 1000);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_zones_come_out_whole_and_clocks_are_set_anew),
        cmocka_unit_test(a_context_may_begin_before_time_0_but_what_its_gpu_did_then_counts),
        cmocka_unit_test(a_gpu_end_without_a_begin_ends_no_zone_of_another_thread),
        cmocka_unit_test(gpu_zones_may_begin_before_their_context_is_announced),
        cmocka_unit_test(gpu_zones_that_overlap_keep_their_times),
        cmocka_unit_test(gpu_times_may_come_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
