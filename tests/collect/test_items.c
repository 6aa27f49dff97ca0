/* Items that are in no recorded session become the model's rows. */
#include "host/trace/fill.h"
#include "host/trace/forget.h"
#include "host/wire/items.h"
#include "tests/collect/item_bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void put_bytes(struct bench *b, const void *bytes, uint16_t count)
{
    memcpy(b->at, &count, 2);
    memcpy(b->at + 2, bytes, count);
    b->at += 2 + count;
}

static void put_text(struct bench *b, const char *text)
{
    size_t n = strlen(text);
    b->at = td_wire_put_string_head(b->at, b->release, TD_ITEM_SingleStringData, n);
    memcpy(b->at, text, n);
    b->at += n;
}

static void put_answer(struct bench *b, uint64_t key, const char *text)
{
    PUT(b, StringData, key);
    put_bytes(b, text, (uint16_t)strlen(text));
}

static void put_stack(struct bench *b, const uint64_t *frames, uint16_t count)
{
    PUT(b, CallstackPayload, 0);
    put_bytes(b, frames, (uint16_t)(count * 8));
}

static int64_t value(const struct bench *b, enum td_table table, uint64_t parent, uint64_t row,
                     unsigned column)
{
    const struct td_series *list = td_trace_list(b->trace, table, parent);
    if (row >= td_series_count(list))
        fail_msg("%s has %d rows", td_table_get_shape(table)->name, (int)td_series_count(list));
    return td_series_get(list, row, column);
}

static uint64_t rows(const struct bench *b, enum td_table table, uint64_t parent)
{
    return td_series_count(td_trace_list(b->trace, table, parent));
}

static const char *text(const struct bench *b, int64_t string)
{
    return td_dict_text(td_trace_dict(b->trace), (uint32_t)string);
}

static void memory_that_is_discarded_or_odd_is_matched(void **state)
{
    struct bench b;
    begin(&b, &td_wire_74);
    const uint64_t frames[] = {0x1000, 0x2000};
    PUT(&b, MemAlloc, .time = 100, .thread = 7, .ptr = 16, .size = 5);
    PUT(&b, MemAlloc, .time = 10, .thread = 7, .ptr = 16, .size = 6); /* same address: its free is missing */
    PUT(&b, MemFree, .time = 10, .thread = 8, .ptr = 16);
    PUT(&b, MemFree, .time = 10, .thread = 8, .ptr = 16); /* a second time */
    PUT(&b, MemFree, .time = 10, .thread = 8, .ptr = 0);  /* NULL */
    for (uint64_t i = 0; i < 3; i++) {
        PUT(&b, MemNamePayload, 0xabc);
        PUT(&b, MemAllocNamed, .time = 10, .thread = 7, .ptr = i, .size = 100);
    }
    PUT(&b, MemNamePayload, 0xabc);
    PUT(&b, MemFreeNamed, .time = 10, .thread = 7, .ptr = 1);
    put_stack(&b, frames, 2);
    PUT_EMPTY(&b, CallstackSerial);
    PUT(&b, MemDiscardCallstack, .time = 10, .thread = 9, .name = 0xabc);
    put_answer(&b, 0xabc, "arena");
    finish(&b);
    assert_int_equal(td_client_stream_counts(b.stream)->odd_memory, 2);
    assert_int_equal(rows(&b, TD_TABLE_MEMORY, 0), 2);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 0, 0, TD_MEMORY_FREE_TIME), 110);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 0, 1, TD_MEMORY_FREE_TIME), 120);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 0, 1, TD_MEMORY_FREE_THREAD), 8);
    assert_int_equal(value(&b, TD_TABLE_POOL, 0, 0, TD_POOL_USAGE), 0);
    assert_int_equal(value(&b, TD_TABLE_POOL, 0, 0, TD_POOL_HIGH), 22);
    assert_string_equal(text(&b, value(&b, TD_TABLE_POOL, 0, 1, TD_POOL_NAME)), "arena");
    assert_int_equal(value(&b, TD_TABLE_POOL, 0, 1, TD_POOL_USAGE), 0);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 1, 1, TD_MEMORY_FREE_TIME), 180);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 1, 2, TD_MEMORY_FREE_TIME), 190);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 1, 2, TD_MEMORY_FREE_STACK), 1);
    assert_int_equal(value(&b, TD_TABLE_MEMORY, 1, 1, TD_MEMORY_FREE_STACK), 0);
    end(&b);
}

static void threads_wake_run_and_stop(void **state)
{
    struct bench b;
    begin(&b, &td_wire_74);
    PUT(&b, TidToPid, 7, 50);
    PUT(&b, ThreadWakeup, .time = 1000, .thread = 7, .cpu = 3);
    PUT(&b, ContextSwitch, .time = 50, .newThread = 7, .cpu = 1);
    PUT(&b, ThreadWakeup, .time = 10, .thread = 7, .cpu = 2); /* while it runs: counts for the next time */
    PUT(&b, ContextSwitch, .time = 40, .oldThread = 7, .newThread = 9, .cpu = 1, .oldThreadWaitReason = 100,
        .oldThreadState = 104);
    PUT(&b, ContextSwitch, .time = 100, .oldThread = 9, .newThread = 7, .cpu = 1);
    PUT(&b, ExternalThreadName, 9);
    put_bytes(&b, "other", 5);
    PUT(&b, ExternalName, 9);
    put_bytes(&b, "program", 7);
    finish(&b);
    assert_int_equal(rows(&b, TD_TABLE_SWITCH_THREAD, 0), 1); /* the other thread is of another program */
    static const int64_t first[] = {1000, 1050, 1100, 1, 100, 104, 0, 3},
                         second[] = {1060, 1200, -1, 1, -1, -1, 0, 2};
    for (unsigned c = 0; c < TD_SWITCH_COLUMN_COUNT; c++) {
        assert_int_equal(value(&b, TD_TABLE_SWITCH, 0, 0, c), first[c]);
        assert_int_equal(value(&b, TD_TABLE_SWITCH, 0, 1, c), second[c]);
    }
    assert_int_equal(rows(&b, TD_TABLE_CPU_SWITCH, 1), 3);
    assert_int_equal(value(&b, TD_TABLE_CPU_SWITCH, 1, 1, TD_CPU_SWITCH_END), 1200);
    assert_int_equal(rows(&b, TD_TABLE_CPU_TOTAL, 0), 2);
    assert_int_equal(value(&b, TD_TABLE_CPU_TOTAL, 0, 0, TD_CPU_TOTAL_RUNNING_NS), 50);
    assert_int_equal(rows(&b, TD_TABLE_FOREIGN_THREAD, 0), 2);
    assert_string_equal(text(&b, value(&b, TD_TABLE_FOREIGN_THREAD, 0, 0, TD_FOREIGN_THREAD_NAME)), "???");
    assert_string_equal(text(&b, value(&b, TD_TABLE_FOREIGN_THREAD, 0, 1, TD_FOREIGN_THREAD_PROCESS)),
                        "program");
    end(&b);
}

static void power_vsync_and_counters_are_kept(void **state)
{
    struct bench b;
    begin(&b, &td_wire_76);
    PUT(&b, SysPowerReport, .time = 1000, .delta = 99, .name = 0xd0);
    PUT(&b, SysPowerReport, .time = 1000000, .delta = 999, .name = 0xd0);
    put_answer(&b, 0xd0, "package-0");
    PUT(&b, FrameVsync, .time = 5, .id = 2);
    PUT(&b, FrameVsync, .time = 6, .id = 2);
    PUT(&b, HwSampleCacheMiss, .ip = 0x100, .time = 70);
    PUT(&b, HwSampleBranchMiss, .ip = 0x200, .time = 80);
    PUT(&b, HwSampleBranchMiss, .ip = 0x200, .time = 0);
    finish(&b);
    const struct td_plot *plot = td_dict_get_plot(b.dict, 0);
    assert_int_equal(plot->kind, TD_PLOT_POWER);
    assert_string_equal(td_dict_text(b.dict, plot->name), "package-0");
    assert_int_equal(rows(&b, TD_TABLE_POINT, 0), 1);
    assert_true(td_trace_plot_point(b.trace, 0, 0).value == 1000. * 999 / 999000);
    assert_string_equal(td_dict_text(b.dict, td_dict_get_frame_set(b.dict, 1, NULL)), "vertical sync 2");
    assert_int_equal(td_trace_frames(b.trace, 1), 2);
    assert_int_equal(rows(&b, TD_TABLE_HW_ADDRESS, 0), 2);
    assert_int_equal(value(&b, TD_TABLE_HW_CACHE_MISSES, 0, 0, 0), 70);
    assert_int_equal(rows(&b, TD_TABLE_HW_BRANCH_MISSES, 1), 2);
    assert_int_equal(value(&b, TD_TABLE_HW_BRANCH_MISSES, 1, 0, 0), 0);
    end(&b);
}

static void sections_may_end_before_they_begin(void **state)
{
    struct bench b;
    begin(&b, &td_wire_82);
    PUT(&b, ThreadContext, 7);
    PUT(&b, SectionLeave, .time = 500, .id = 1);
    PUT(&b, ThreadContext, 8);
    put_text(&b, "late");
    PUT(&b, SectionEnter, .time = 400, .id = 1, .category = 3);
    put_text(&b, "open");
    PUT(&b, SectionEnter, .time = 50, .id = 2, .category = 3);
    PUT(&b, SectionSetup, 3); /* without its text, as some clients send it */
    put_text(&b, "described");
    PUT(&b, SectionSetup, 4);
    finish(&b);
    assert_int_equal(value(&b, TD_TABLE_SECTION, 0, 0, TD_SECTION_START), 400);
    assert_int_equal(value(&b, TD_TABLE_SECTION, 0, 0, TD_SECTION_END), 500);
    assert_string_equal(text(&b, value(&b, TD_TABLE_SECTION, 0, 0, TD_SECTION_TEXT)), "late");
    assert_int_equal(value(&b, TD_TABLE_SECTION, 0, 1, TD_SECTION_END), -2);
    assert_int_equal(rows(&b, TD_TABLE_SECTION_CATEGORY, 0), 2);
    assert_string_equal(text(&b, value(&b, TD_TABLE_SECTION_CATEGORY, 0, 1, TD_SECTION_CATEGORY_TEXT)),
                        "described");
    end(&b);
}

/* Frames of a scripting language are before those of the program and need no look-up. */
static void scripted_frames_stand_before_native_ones(void **state)
{
    struct bench b;
    begin(&b, &td_wire_69);
    static const uint8_t scripted[] = {1, 42, 0, 0, 0, 3, 0, 'r', 'u', 'n', 5, 0, 'a', '.', 'l', 'u', 'a'};
    const uint64_t native[] = {0x1000};
    PUT(&b, ThreadContext, 7);
    for (int i = 0; i < 2; i++) {
        put_stack(&b, native, 1);
        PUT(&b, CallstackAllocPayload, 0);
        put_bytes(&b, scripted, sizeof scripted);
        PUT_EMPTY(&b, CallstackAlloc);
        put_text(&b, "hello");
        PUT(&b, MessageCallstack, .time = 100);
    }
    finish(&b);
    struct td_message message = td_trace_message(b.trace, 1);
    uint64_t first, count;
    td_trace_stack(b.trace, message.stack, &first, &count);
    assert_int_equal(count, 2);
    assert_int_equal(value(&b, TD_TABLE_STACK_ENTRY, 0, first, 0), INT64_C(1) << 62);
    assert_int_equal(value(&b, TD_TABLE_STACK_ENTRY, 0, first + 1, 0), 0x1000);
    assert_int_equal(td_trace_message(b.trace, 0).stack, message.stack);
    assert_int_equal(rows(&b, TD_TABLE_STACK_FRAME, 0), 1);
    assert_string_equal(text(&b, value(&b, TD_TABLE_STACK_LINE, 0, 0, TD_STACK_LINE_FILE)), "a.lua");
    assert_int_equal(value(&b, TD_TABLE_STACK_LINE, 0, 0, TD_STACK_LINE_LINE), 42);
    end(&b);
}

/* Stock's recorders leave them out, too. */
static void plot_values_that_are_no_numbers_are_counted(void **state)
{
    struct bench b;
    begin(&b, &td_wire_69);
    PUT(&b, ThreadContext, 7);
    PUT(&b, PlotDataDouble, .name = 0x50, .time = 100, .val = 1);
    PUT(&b, PlotDataDouble, .name = 0x50, .time = 10, .val = NAN);
    PUT(&b, PlotDataFloat, .name = 0x50, .time = 10, .val = INFINITY);
    PUT(&b, PlotDataDouble, .name = 0x50, .time = 10, .val = 2);
    put_answer(&b, 0x50, "plot");
    finish(&b);
    assert_int_equal(td_trace_plot_points(b.trace, 0), 2);
    assert_int_equal(td_trace_plot_point(b.trace, 0, 1).time_ns, 130);
    const char *note = td_trace_get_note(b.trace, TD_NOTE_INSTRUMENTATION, 0);
    assert_non_null(note);
    assert_string_equal(note,
                        "value of a plot that is not a finite number at 0.000000110 s in thread 7; 2 in all; "
                        "stock's capture leaves it out, too");
    end(&b);
}

/* A file holds 64 of them; its writer reports what it leaves out. */
static void a_lock_may_have_any_number_of_threads(void **state)
{
    enum { THREADS = 100 };
    struct bench b;
    begin(&b, &td_wire_69);
    PUT(&b, LockAnnounce, .id = 3, .time = 1000, .lckloc = 0xa);
    for (uint32_t thread = 1; thread <= THREADS; thread++) {
        PUT(&b, LockWait, .thread = thread, .id = 3, .time = 10);
        PUT(&b, LockObtain, .thread = thread, .id = 3, .time = 10);
        PUT(&b, LockMark, .thread = thread, .id = 3, .srcloc = 0xa);
        PUT(&b, LockRelease, .id = 3, .time = 10);
        if (thread % 20 == 0)
            send_frame(&b);
    }
    finish(&b);
    assert_int_equal(td_client_stream_counts(b.stream)->ignored, 0);
    assert_int_equal(rows(&b, TD_TABLE_LOCK_THREAD, 0), THREADS);
    assert_int_equal(rows(&b, TD_TABLE_LOCK_EVENT, 0), 3 * THREADS);
    for (uint32_t i = 0; i < 3 * THREADS; i++) {
        assert_int_equal(value(&b, TD_TABLE_LOCK_EVENT, 0, i, TD_LOCK_EVENT_THREAD), i / 3);
        assert_int_equal(value(&b, TD_TABLE_LOCK_EVENT, 0, i, TD_LOCK_EVENT_KIND), i % 3);
        assert_int_equal(value(&b, TD_TABLE_LOCK_EVENT, 0, i, TD_LOCK_EVENT_SRCLOC) != 0, i % 3 == 1);
    }
    end(&b);
}

static void the_fork_is_told_from_the_release_of_its_number(void **state)
{
    struct bench b;
    begin(&b, &td_wire_66);
    b.release = &td_wire_66tt;
    PUT(&b, ThreadContext, 7);
    PUT(&b, GpuNewContext, .cpuTime = 10000, .gpuTime = 500, .period = 1, .context = 300, .flags = 1,
        .type = 6);
    put_text(&b, "device");
    PUT(&b, GpuContextName, 300);
    finish(&b);
    assert_ptr_equal(td_client_stream_release(b.stream), &td_wire_66tt);
    assert_int_equal(value(&b, TD_TABLE_GPU_CONTEXT, 0, 0, TD_GPU_CONTEXT_TYPE), TD_GPU_TENSTORRENT);
    assert_string_equal(text(&b, value(&b, TD_TABLE_GPU_CONTEXT, 0, 0, TD_GPU_CONTEXT_NAME)), "device");
    end(&b);
}

/* Tracy's release would take these items for application information, whose time ends in the text, then for
 * CallstackSerial ("\t") and so on. */
static void a_device_of_the_fork_is_told_by_what_would_lack_its_text(void **state)
{
    struct bench b;
    begin(&b, &td_wire_66);
    b.release = &td_wire_66tt;
    PUT(&b, ThreadContext, 7);
    PUT(&b, GpuNewContext, .cpuTime = 10000, .gpuTime = 500, .period = 1, .context = 3, .flags = 1,
        .type = 6);
    put_text(&b, "chip \t");
    PUT(&b, GpuContextName, 3);
    finish(&b);
    assert_ptr_equal(td_client_stream_release(b.stream), &td_wire_66tt);
    assert_int_equal(value(&b, TD_TABLE_GPU_CONTEXT, 0, 0, TD_GPU_CONTEXT_TYPE), TD_GPU_TENSTORRENT);
    end(&b);
}

/* Each wrong item of a program becomes a count and, with its first place, a note. */
static void wrong_markers_are_noted(void **state)
{
    struct bench b;
    static const char *const says[] = {
        "zone ended out of order at 0.000000130 s in thread worker (7), after zone inner began (inner.c:5); "
        "1 in "
        "all; stock's capture ends the session there",
        "zone ended twice, or ended without a begin at 0.000000150 s in thread worker (7), after zone inner "
        "began "
        "(inner.c:5); 1 in all; stock's capture ends the session there",
        "text for a zone that is not open at 0.000000150 s in thread worker (7), after zone inner began "
        "(inner.c:5); "
        "2 in all; stock's capture ends the session there",
        "free of memory that is not allocated at 0.000000200 s in thread 8; 3 in all; stock's capture ends "
        "the session "
        "there",
        "allocation of memory that is not free at 0.000000220 s in thread 8; 1 in all; stock's capture ends "
        "the session "
        "there",
        "frame that ends without a start, or starts twice at 0.000000300 s; 1 in all; stock's capture ends "
        "the session "
        "there",
        "release of a lock that no thread has at 0.000000240 s; 1 in all; stock's capture tolerates it too",
    };
    begin(&b, &td_wire_69);
    PUT(&b, ThreadContext, 7);
    PUT(&b, ZoneValidation, 1);
    PUT(&b, ZoneBegin, .time = 110, .srcloc = 0x50);
    PUT(&b, ZoneValidation, 2);
    PUT(&b, ZoneBegin, .time = 10, .srcloc = 0x60);
    PUT(&b, ZoneValidation, 1);
    PUT(&b, ZoneEnd, .time = 10);
    PUT(&b, ZoneValidation, 1);
    PUT(&b, ZoneEnd, .time = 10);
    PUT(&b, ZoneValidation, 1);
    PUT(&b, ZoneEnd, .time = 10);
    put_text(&b, "late");
    PUT_EMPTY(&b, ZoneText);
    put_text(&b, "later");
    PUT_EMPTY(&b, ZoneText);
    for (int i = 0; i < 3; i++)
        PUT(&b, MemFree, .time = i ? 0 : 200, .thread = 8, .ptr = 16);
    PUT(&b, MemAlloc, .time = 10, .thread = 8, .ptr = 16, .size = 1);
    PUT(&b, MemAlloc, .time = 10, .thread = 8, .ptr = 16, .size = 1);
    PUT(&b, LockRelease, .time = 20, .id = 1);
    PUT(&b, FrameMarkMsgEnd, .time = 300, .name = 0x70);
    put_answer(&b, 0x70, "frames");
    PUT(&b, ThreadName, 7);
    put_bytes(&b, "worker", 6);
    send_frame(&b);
    uint8_t queries[4096];
    td_client_stream_queries(b.stream, queries, sizeof queries);
    PUT(&b, SourceLocation, .name = 0x51, .function = 0x51, .file = 0x52, .line = 4);
    PUT(&b, SourceLocation, .name = 0x61, .function = 0x61, .file = 0x62, .line = 5);
    put_answer(&b, 0x51, "outer");
    put_answer(&b, 0x52, "outer.c");
    put_answer(&b, 0x61, "inner");
    put_answer(&b, 0x62, "inner.c");
    finish(&b);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        assert_non_null(td_trace_get_note(b.trace, TD_NOTE_INSTRUMENTATION, i));
        assert_string_equal(td_trace_get_note(b.trace, TD_NOTE_INSTRUMENTATION, i), says[i]);
    }
    assert_null(td_trace_get_note(b.trace, TD_NOTE_INSTRUMENTATION, sizeof says / sizeof *says));
    end(&b);
}

static void texts_of_events_that_wait_for_a_name_are_not_forgotten(void **state)
{
    enum { MESSAGES = 3500 };
    struct bench b;
    char message[100];
    begin(&b, &td_wire_76);
    assert_int_equal(td_trace_may_forget(b.trace), 0);
    PUT(&b, ThreadContext, 7);
    PUT(&b, ZoneBegin, .time = 100, .srcloc = 0x50); /* all others wait for its name */
    for (int i = 0; i < MESSAGES; i++) {
        snprintf(message, sizeof message, "message %d, which is as long as a message may well be", i);
        put_text(&b, message);
        PUT(&b, Message, .time = 10);
        if (i % 50 == 49)
            send_frame(&b);
    }
    assert_int_equal(rows(&b, TD_TABLE_MESSAGE, 0), 0);
    for (int i = 0; i < 5; i++) {
        td_trace_forget(b.trace, 0);
        for (int k = 0; k < 1000; k++) { /* takes the numbers of forgotten strings */
            int n = snprintf(message, sizeof message, "another text %d %d", i, k);
            assert_int_not_equal(td_dict_passing_string(b.dict, message, (size_t)n), UINT32_MAX);
        }
    }
    uint8_t queries[4096];
    td_client_stream_queries(b.stream, queries, sizeof queries);
    PUT(&b, SourceLocation, .name = 0x51, .function = 0x51, .file = 0x52, .line = 4);
    put_answer(&b, 0x51, "outer");
    put_answer(&b, 0x52, "outer.c");
    finish(&b);
    assert_int_equal(rows(&b, TD_TABLE_MESSAGE, 0), MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
        snprintf(message, sizeof message, "message %d, which is as long as a message may well be", i);
        assert_string_equal(text(&b, value(&b, TD_TABLE_MESSAGE, 0, (uint64_t)i, TD_MESSAGE_TEXT)), message);
    }
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_markers_are_noted),
        cmocka_unit_test(texts_of_events_that_wait_for_a_name_are_not_forgotten),
        cmocka_unit_test(memory_that_is_discarded_or_odd_is_matched),
        cmocka_unit_test(threads_wake_run_and_stop),
        cmocka_unit_test(power_vsync_and_counters_are_kept),
        cmocka_unit_test(sections_may_end_before_they_begin),
        cmocka_unit_test(scripted_frames_stand_before_native_ones),
        cmocka_unit_test(plot_values_that_are_no_numbers_are_counted),
        cmocka_unit_test(a_lock_may_have_any_number_of_threads),
        cmocka_unit_test(the_fork_is_told_from_the_release_of_its_number),
        cmocka_unit_test(a_device_of_the_fork_is_told_by_what_would_lack_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
