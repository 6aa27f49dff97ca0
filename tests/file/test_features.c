/* The trace of a program that uses every feature of Tracy's client, recorded by stock programs of each
 * release, is compared with its known contents. */
#include "tests/file/corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int is(size_t version, const char *folder)
{
    return !strcmp(corpus_versions[version], folder);
}

/* ---- zones ---- */

static uint64_t extras_right;

static void check_inner(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    unsigned n, value;
    assert_int_equal(sscanf(text_of(trace, z.text), "iteration %u\n%u", &n, &value), 2);
    assert_int_equal(value, n * n);
    assert_int_equal(z.color, 0x102030 + n % 4);
    extras_right++;
}

static void check_renamed(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    assert_string_equal(text_of(trace, z.name), "after rename");
    assert_string_equal(text_of(trace, z.text), "first line\nsecond line");
    assert_int_equal(td_dict_get_srcloc(td_trace_dict(trace), z.srcloc)->color, 0x4080c0);
    assert_int_equal(z.color, 0);
    extras_right++;
}

static void check_c_inner(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    const char *text = text_of(trace, z.text);
    assert_true(!strcmp(text, "c text\n42") || !strcmp(text, "c text\n42 [0x2a]"));
    extras_right++;
}

static void check_location(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    const struct td_srcloc *s = td_dict_get_srcloc(td_trace_dict(trace), z.srcloc);
    assert_string_equal(text_of(trace, s->file), "features.cpp");
    assert_true(s->line > 0);
    if (!strcmp(td_dict_zone_name(td_trace_dict(trace), z.srcloc), "c zone"))
        assert_int_equal(s->color, 0xaa5500);
}

static void check_stack(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    assert_true(z.stack > 0 && z.stack < rows(trace, TD_TABLE_STACK));
    extras_right++;
}

static void check_zones(const struct td_trace *trace, size_t version)
{
    static const struct {
        const char *name;
        unsigned count;
    } zones[] = {{"worker", 300},     {"inner", 300},       {"sometimes", 75},  {"never", 0},
                 {"frame body", 60},  {"recurse", 12},      {"c zone", 10},     {"c inner", 10},
                 {"transient 0", 4},  {"transient 1", 3},   {"transient 2", 3}, {"", 1},
                 {"unnamed_zone", 1}, {"before rename", 1}, {"with stack", 3},  {"fiber work", 5}};
    unsigned fork = is(version, "ttfork"), parents = 0;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        assert_int_equal(zones_of(trace, 0, zones[i].name), zones[i].count);
    assert_int_equal(zones_of(trace, 0, NULL), 788 + fork);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++) {
        if (!td_dict_get_track(td_trace_dict(trace), t)->context)
            parents += (unsigned)td_trace_track_parents(trace, t);
    }
    assert_int_equal(parents, 321);
    extras_right = 0;
    each_zone(trace, 0, "inner", check_inner);
    each_zone(trace, 0, "before rename", check_renamed);
    each_zone(trace, 0, "c inner", check_c_inner);
    each_zone(trace, 0, "with stack", check_stack);
    assert_int_equal(extras_right, 300 + 1 + 10 + 3);
    if (!fork)
        each_zone(trace, 0, NULL, check_location);
    assert_int_equal(open_zones(trace), 0);
}

static uint32_t deepest;

static void look_how_deep(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    deepest = track;
}

static void check_threads(const struct td_trace *trace, size_t version)
{
    const struct td_dict *d = td_trace_dict(trace);
    for (int n = 0; n < 3; n++) {
        char name[16];
        snprintf(name, sizeof name, "worker %d", n);
        int64_t t = track_named(trace, name);
        assert_true(t >= 0);
        assert_int_equal(td_trace_track_zones(trace, (uint32_t)t), 225);
        assert_int_equal(td_trace_track_messages(trace, (uint32_t)t), 25);
        assert_int_equal(td_dict_get_track(d, (uint32_t)t)->group_hint,
                         corpus_before(version, "0.11.1") ? 0 : 7);
    }
    int64_t main = track_named(trace, "Main thread"), fiber = track_named(trace, "fiber");
    assert_true(main >= 0 && fiber >= 0);
    assert_int_equal(td_trace_track_zones(trace, (uint32_t)main), 108 + is(version, "ttfork"));
    each_zone(trace, 0, "recurse", look_how_deep);
    assert_int_equal(deepest, main);
    assert_int_equal(td_trace_rows(trace, (uint32_t)main), 12);
    assert_int_equal(td_trace_track_zones(trace, (uint32_t)fiber), 5);
    assert_int_equal(td_dict_get_track(d, (uint32_t)fiber)->fiber, 1);
    uint64_t switches = 0;
    for (uint64_t i = 0; i < rows(trace, TD_TABLE_SWITCH_THREAD); i++) {
        if ((uint64_t)at(trace, TD_TABLE_SWITCH_THREAD, i, TD_SWITCH_THREAD_THREAD) !=
            td_dict_get_track(d, (uint32_t)fiber)->thread)
            continue;
        switches = rows_in(trace, TD_TABLE_SWITCH, i);
        for (uint64_t k = 0; k < switches; k++)
            assert_int_equal(in(trace, TD_TABLE_SWITCH, i, k, TD_SWITCH_REASON), 99);
    }
    assert_int_equal(switches, 5);
    assert_int_equal(track_named(trace, "Tracy Symbol Worker") >= 0, is(version, "0.14.0"));
}

/* ---- frames, messages, plots ---- */

static void check_frames(const struct td_trace *trace, size_t version)
{
    int continuous;
    assert_int_equal(td_trace_frames(trace, 0), 62);
    assert_int_equal(td_dict_frame_set_count(td_trace_dict(trace)), 3);
    uint32_t physics = (uint32_t)frames_named(trace, "Physics"),
             audio = (uint32_t)frames_named(trace, "Audio");
    td_dict_get_frame_set(td_trace_dict(trace), physics, &continuous);
    assert_true(continuous && td_trace_frames(trace, physics) == 30);
    td_dict_get_frame_set(td_trace_dict(trace), audio, &continuous);
    assert_true(!continuous && td_trace_frames(trace, audio) == 60);
    unsigned with_image = 0;
    for (uint64_t i = 0; i < 62; i++)
        with_image += in(trace, TD_TABLE_FRAME, 0, i, TD_FRAME_IMAGE) >= 0;
    assert_int_equal(with_image, 6);
    assert_int_equal(rows(trace, TD_TABLE_IMAGE), 6);
    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(at(trace, TD_TABLE_IMAGE, i, TD_IMAGE_WIDTH), 32);
        assert_int_equal(at(trace, TD_TABLE_IMAGE, i, TD_IMAGE_HEIGHT), 32);
        assert_int_equal(at(trace, TD_TABLE_IMAGE, i, TD_IMAGE_FLIP), i == 0);
        assert_int_equal(at(trace, TD_TABLE_IMAGE, i, TD_IMAGE_BYTES), 512);
    }
}

static void check_messages(const struct td_trace *trace, size_t version)
{
    static const uint32_t colors[] = {0, 0xff0000, 0x00ff00, 0x0000ff, 0xffff00};
    int modern = is(version, "0.14.0");
    for (size_t i = 0; i < td_trace_messages(trace); i++) {
        struct td_message m = td_trace_message(trace, i);
        const char *text = text_of(trace, m.text);
        unsigned n;
        if (sscanf(text, "message %u of", &n) == 1)
            assert_int_equal(m.color, colors[n % 5]);
        if (!strcmp(text, "message with stack")) {
            assert_int_equal(m.color, 0xff00ff);
            assert_true(at(trace, TD_TABLE_MESSAGE, i, TD_MESSAGE_STACK) > 0);
        }
        if (!strncmp(text, "\nbig message", 12))
            assert_int_equal(strlen(text), 60000);
        int64_t severity = at(trace, TD_TABLE_MESSAGE, i, TD_MESSAGE_SEVERITY);
        int64_t source = at(trace, TD_TABLE_MESSAGE, i, TD_MESSAGE_SOURCE);
        assert_int_equal(severity, !strcmp(text, "severity error")   ? 4
                                   : !strcmp(text, "severity debug") ? 1
                                   : source == 0                     ? 2
                                                                     : severity);
    }
    assert_int_equal(messages_with(trace, "message "), 98 + 1);
    assert_int_equal(messages_with(trace, "\nbig message"), 1);
    assert_int_equal(messages_with(trace, "severity "), modern ? 2 : 0);
    assert_int_equal(td_trace_messages(trace), 100 + (modern ? 3 : 0));
}

static void check_plots(const struct td_trace *trace, size_t version)
{
    /* The program asked for 0xff8000 and 0x00ff80; stock viewers show red and blue of plots interchanged. */
    static const struct {
        const char *name;
        unsigned format, step, fill, color;
    } plots[] = {
        {"plot int", 1, 1, 0, 0x0080ff}, {"plot double", 2, 0, 1, 0x80ff00}, {"plot float", 0, 0, 1, 0}};
    for (unsigned i = 0; i < 3; i++) {
        int64_t number = plot_named(trace, plots[i].name);
        assert_true(number >= 0);
        const struct td_plot *p = td_dict_get_plot(td_trace_dict(trace), (uint32_t)number);
        assert_int_equal(p->format, plots[i].format);
        assert_int_equal(p->step, plots[i].step);
        assert_int_equal(p->fill, plots[i].fill);
        assert_int_equal(p->color, plots[i].color);
        assert_int_equal(td_trace_plot_points(trace, (uint32_t)number), 80);
        for (unsigned n = 0; n < 80; n++) {
            double expected = i == 0 ? n * n : i == 1 ? n / 2. : n % 7 + 0.25;
            assert_true(td_trace_plot_point(trace, (uint32_t)number, n).value == expected);
        }
    }
}

/* ---- memory, locks ---- */

static uint64_t pool_named(const struct td_trace *trace, const char *name)
{
    for (uint64_t p = 0; p < rows(trace, TD_TABLE_POOL); p++) {
        if (!strcmp(text_at(trace, TD_TABLE_POOL, p, TD_POOL_NAME), name))
            return p;
    }
    fail_msg("no pool %s", name);
    return 0;
}

static void check_memory(const struct td_trace *trace, size_t version)
{
    uint64_t heap = pool_named(trace, ""), gpu = pool_named(trace, "GPU pool");
    assert_int_equal(rows(trace, TD_TABLE_POOL), 2);
    assert_int_equal(rows_in(trace, TD_TABLE_MEMORY, heap), 64);
    assert_int_equal(rows_in(trace, TD_TABLE_MEMORY, gpu), 64);
    for (uint64_t n = 0; n < 64; n++) {
        assert_int_equal(in(trace, TD_TABLE_MEMORY, heap, n, TD_MEMORY_ADDRESS), 0x10000000 + n * 0x1000);
        assert_int_equal(in(trace, TD_TABLE_MEMORY, heap, n, TD_MEMORY_SIZE), 64 + n);
        assert_int_equal(in(trace, TD_TABLE_MEMORY, heap, n, TD_MEMORY_FREE_TIME) < 0, n < 7);
        assert_int_equal(in(trace, TD_TABLE_MEMORY, heap, n, TD_MEMORY_STACK) > 0, n % 16 == 3);
        assert_int_equal(in(trace, TD_TABLE_MEMORY, gpu, n, TD_MEMORY_ADDRESS), 0x700000000000 + n * 0x10000);
        assert_int_equal(in(trace, TD_TABLE_MEMORY, gpu, n, TD_MEMORY_SIZE), 4096 * (n + 1));
        assert_int_equal(in(trace, TD_TABLE_MEMORY, gpu, n, TD_MEMORY_FREE_TIME) < 0, n >= 32);
    }
    assert_int_equal(at(trace, TD_TABLE_POOL, heap, TD_POOL_USAGE), 469);
    assert_int_equal(at(trace, TD_TABLE_POOL, gpu, TD_POOL_USAGE), 6356992);
}

static void check_lock(const struct td_trace *trace, uint64_t lock, unsigned threads, const unsigned kinds[6],
                       int ended)
{
    unsigned found[6] = {0};
    for (uint64_t i = 0; i < rows_in(trace, TD_TABLE_LOCK_EVENT, lock); i++) {
        int64_t kind = in(trace, TD_TABLE_LOCK_EVENT, lock, i, TD_LOCK_EVENT_KIND);
        assert_in_range(kind, 0, 5);
        found[kind]++;
    }
    assert_memory_equal(found, kinds, sizeof found);
    assert_int_equal(rows_in(trace, TD_TABLE_LOCK_THREAD, lock), threads);
    assert_int_equal(at(trace, TD_TABLE_LOCK, lock, TD_LOCK_TERMINATED) != 0, ended);
    assert_int_equal(at(trace, TD_TABLE_LOCK, lock, TD_LOCK_TYPE), kinds[3] != 0);
}

static void check_locks(const struct td_trace *trace, size_t version)
{
    assert_int_equal(rows(trace, TD_TABLE_LOCK), 3);
    unsigned seen = 0;
    for (uint64_t l = 0; l < 3; l++) {
        const struct td_srcloc *s =
            td_dict_get_srcloc(td_trace_dict(trace), (uint32_t)at(trace, TD_TABLE_LOCK, l, TD_LOCK_SRCLOC));
        const char *name = text_of(trace, s->function), *own = text_at(trace, TD_TABLE_LOCK, l, TD_LOCK_NAME);
        if (!strcmp(own, "custom mutex")) {
            check_lock(trace, l, 4, (const unsigned[6]){120, 121, 121, 0, 0, 0}, 1);
            unsigned marks = 0;
            for (uint64_t i = 0; i < rows_in(trace, TD_TABLE_LOCK_EVENT, l); i++)
                marks += in(trace, TD_TABLE_LOCK_EVENT, l, i, TD_LOCK_EVENT_SRCLOC) != 0;
            assert_int_equal(marks, 120);
            seen |= 1;
        } else if (!strcmp(name, "shared mutex")) {
            check_lock(trace, l, 3, (const unsigned[6]){10, 10, 10, 20, 20, 20}, 1);
            seen |= 2;
        } else {
            check_lock(trace, l, 1, (const unsigned[6]){1, 1, 1, 0, 0, 0}, 0);
            seen |= 4;
        }
    }
    assert_int_equal(seen, 7);
}

/* ---- GPU contexts ---- */

static int64_t lasts;

static void check_duration(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    assert_int_equal(z.end_ns - z.start_ns, lasts);
}

static void check_gpu(const struct td_trace *trace, size_t version)
{
    assert_int_equal(rows(trace, TD_TABLE_GPU_CONTEXT), 2);
    uint32_t one = (uint32_t)context_named(trace, "Device 0"),
             two = (uint32_t)context_named(trace, "Device 1");
    int fork = is(version, "ttfork");
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, one - 1, TD_GPU_CONTEXT_TYPE), 2);
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, two - 1, TD_GPU_CONTEXT_TYPE), fork ? 100 : 2);
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, two - 1, TD_GPU_CONTEXT_CALIBRATED), fork);
    assert_true(at(trace, TD_TABLE_GPU_CONTEXT, one - 1, TD_GPU_CONTEXT_THREAD) != 0);
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, two - 1, TD_GPU_CONTEXT_THREAD), 0);
    assert_int_equal(zones_of(trace, one, NULL), 60);
    assert_int_equal(zones_of(trace, one, "gpu pass"), 20);
    lasts = 250;
    each_zone(trace, one, "gpu draw", check_duration);
    assert_int_equal(zones_of(trace, one, "gpu draw"), 40);
    assert_int_equal(zones_of(trace, two, NULL), 48);
    assert_int_equal(zones_of(trace, two, "kernel"), 24);
    lasts = 500;
    each_zone(trace, two, "kernel", check_duration);
    lasts = 200;
    each_zone(trace, two, "wait", check_duration);
    for (uint32_t t = 0, threads = 136; t < td_dict_track_count(td_trace_dict(trace)); t++) {
        const struct td_track *track = td_dict_get_track(td_trace_dict(trace), t);
        if (track->context != two)
            continue;
        assert_in_range(track->thread, threads, 138);
        assert_int_equal(td_trace_track_zones(trace, t), 16);
    }
    int notes = !corpus_before(version, "0.13.1");
    assert_int_equal(rows_in(trace, TD_TABLE_GPU_NOTE, two - 1), notes ? 4 : 0);
    assert_int_equal(rows_in(trace, TD_TABLE_GPU_NOTE_NAME, two - 1), notes);
    if (!notes)
        return;
    assert_int_equal(in(trace, TD_TABLE_GPU_NOTE_NAME, two - 1, 0, TD_GPU_NOTE_NAME_NOTE), 5);
    unsigned queries = 0;
    for (uint64_t i = 0; i < 4; i++) {
        double value;
        int64_t bits = in(trace, TD_TABLE_GPU_NOTE, two - 1, i, TD_GPU_NOTE_VALUE),
                query = in(trace, TD_TABLE_GPU_NOTE, two - 1, i, TD_GPU_NOTE_QUERY);
        memcpy(&value, &bits, sizeof value);
        assert_true(value == (double)query / 16);
        queries |= 1u << query;
    }
    assert_int_equal(queries, 0x1111);
}

/* ---- all ---- */

static void check_sections(const struct td_trace *trace, size_t version)
{
    assert_int_equal(rows(trace, TD_TABLE_SECTION), is(version, "0.14.0") ? 3 : 0);
    for (uint64_t i = 0; i < rows(trace, TD_TABLE_SECTION); i++) {
        const char *text = text_at(trace, TD_TABLE_SECTION, i, TD_SECTION_TEXT);
        assert_int_equal(at(trace, TD_TABLE_SECTION, i, TD_SECTION_CATEGORY), strcmp(text, "whole run") != 0);
        assert_int_equal(at(trace, TD_TABLE_SECTION, i, TD_SECTION_END) < 0, !strcmp(text, "open 2"));
    }
    assert_int_equal(td_trace_app_infos(trace), 2);
    assert_string_equal(text_of(trace, td_trace_app_info(trace, 0)), "info line one");
    assert_string_equal(text_of(trace, td_trace_app_info(trace, 1)), "info line two");
    assert_string_equal(td_trace_get_info(trace)->program, "features");
    assert_null(td_trace_crash(trace));
}

static void zones_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_zones);
}

static void threads_and_fibers_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_threads);
}

static void frames_and_images_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_frames);
}

static void messages_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_messages);
}

static void plots_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_plots);
}

static void memory_is_exactly_that_of_the_program(void **state)
{
    corpus_each("features", check_memory);
}

static void locks_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_locks);
}

static void gpu_contexts_are_exactly_those_of_the_program(void **state)
{
    corpus_each("features", check_gpu);
}

static void the_rest_is_exactly_that_of_the_program(void **state)
{
    corpus_each("features", check_sections);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_exactly_those_of_the_program),
        cmocka_unit_test(threads_and_fibers_are_exactly_those_of_the_program),
        cmocka_unit_test(frames_and_images_are_exactly_those_of_the_program),
        cmocka_unit_test(messages_are_exactly_those_of_the_program),
        cmocka_unit_test(plots_are_exactly_those_of_the_program),
        cmocka_unit_test(memory_is_exactly_that_of_the_program),
        cmocka_unit_test(locks_are_exactly_those_of_the_program),
        cmocka_unit_test(gpu_contexts_are_exactly_those_of_the_program),
        cmocka_unit_test(the_rest_is_exactly_that_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
