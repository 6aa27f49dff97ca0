/* How exact times are, as the timeline draws it, and the formats of times. */
#include "host/trace/fill.h"
#include "host/query/table/format.h"
#include "proto/track.h"
#include "tests/viewer/mouse.h"

#include <string.h>

#define BAR  0xffc9c2
#define FILL 0x50a0f0

/* A thread and a core, each with a zone from 100 to 300 ns and one long after; the core is within 40 ns, the thread's clock has
 * steps of 20 ns, and recording costs 8 ns. */
static struct td_trace *exact_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    struct td_trace_info *info = td_trace_edit_info(trace);
    const struct td_srcloc place = {.name = td_dict_cstring(dict, ""), .color = FILL};
    const uint32_t srcloc = td_dict_srcloc(dict, &place);
    info->resolution_ns = 20;
    info->delay_ns = 8;
    for (int core = 0; core < 2; core++) {
        struct td_track track = {.thread = core ? td_track_id(0, 1, 1, 0) : 5,
                                 .kind = core ? TD_TRACK_CORE : TD_TRACK_THREAD,
                                 .x = 1,
                                 .y = 1};
        const uint32_t number = td_dict_track(dict, &track);
        const struct td_event zone[4] = {
            {.kind = TD_EVENT_ZONE_BEGIN, .track = number, .time_ns = 100, .srcloc = srcloc},
            {.kind = TD_EVENT_ZONE_END, .track = number, .time_ns = 300},
            {.kind = TD_EVENT_ZONE_BEGIN, .track = number, .time_ns = 60000, .srcloc = srcloc},
            {.kind = TD_EVENT_ZONE_END, .track = number, .time_ns = 70000}};
        assert_int_equal(sink.events(sink.self, zone, 4, NULL), 0);
    }
    td_trace_note(trace, TD_NOTE_CLOCK_ERROR_NS, "%d", 40);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, exact_trace(), 900, 300);
}

/* The extent of the pixels in that colour in the rows from y0 to y1, in ns. */
static void find_extent(struct fixture *f, float y0, float y1, uint32_t rgb, double extent[2])
{
    int wide, high, first = -1, last = -1;
    unsigned char *pixels = take_picture(f, &wide, &high);
    for (int x = (int)f->view.area.left; x < wide; x++)
        for (int y = (int)y0; y < (int)y1; y++) {
            const unsigned char *c = pixels + 3 * (y * wide + x);
            if (((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) == rgb) {
                first = first < 0 ? x : first;
                last = x;
            }
        }
    stbi_image_free(pixels);
    extent[0] = first < 0 ? NAN : td_view_time(&f->view, (float)first);
    extent[1] = last < 0 ? NAN : td_view_time(&f->view, (float)last + 1);
}

static void bars_reach_as_far_as_times_may_be_wrong(void **state)
{
    struct fixture *f = *state;
    double extent[2];
    float y;
    if (!f)
        return;
    run(f, "zoom 0ns..400ns");
    static const double half_ns[] = {10, 40};
    for (uint32_t t = 0; t < 2; t++) {
        assert_true(td_view_zone_y(&f->view, (struct td_zone_ref){t, 0, 0}, &y));
        find_extent(f, y, y + f->view.metrics.row, BAR, extent);
        assert_true(fabs(extent[0] - (100 - half_ns[t])) < 2 && fabs(extent[1] - (300 + half_ns[t])) < 2);
    }
    /* What recording costs is within the zone at its start, after it at its end; not on cores. */
    assert_true(td_view_zone_y(&f->view, (struct td_zone_ref){0, 0, 0}, &y));
    find_extent(f, y + 3, y + 4, FILL, extent);
    assert_true(fabs(extent[0] - 108) < 2 && fabs(extent[1] - 300) < 2);
    assert_true(td_view_zone_y(&f->view, (struct td_zone_ref){1, 0, 0}, &y));
    find_extent(f, y + 3, y + 4, FILL, extent);
    assert_true(fabs(extent[0] - 100) < 2);
    /* From afar there are none. */
    run(f, "fit");
    assert_int_equal(count_color(f, BAR), 0);
}

static void times_have_the_format_that_is_chosen(void **state)
{
    static const struct {
        double ns;
        const char *text;
    } durations[] = {
        {59.5e9, "59.50 s"},    {60e9, "1:00.0"},      {83.44e9, "1:23.4"},         {119.96e9, "2:00.0"},
        {3599.99e9, "1:00:00"}, {45296e9, "12:34:56"}, {131696.4e9, "1d 12:34:56"}, {-83.44e9, "-1:23.4"},
    };
    static const struct {
        double ns, step;
        const char *text;
    } times[] = {
        {83456789012, 1, "1:23 456 789 012 ns"},
        {83456789012, .01, "1:23 456 789 012 ns"},
        {83456789012, 1e6, "1:23.457"},
        {83456789012, 5e7, "1:23.46"},
        {83456789012, 1e9, "1:23"},
        {83456789012, 6e10, "1:20"},
        {5e9, 1e9, "5 s"},
        {45296e9, 1e8, "12:34:56.0"},
    };
    char text[TD_FORMAT_BYTES];
    (void)state;
    td_format_times(TD_FORMAT_CLOCK);
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        assert_string_equal(td_format_ns(text, durations[i].ns), durations[i].text);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_string_equal(td_format_time(text, times[i].ns, times[i].step), times[i].text);
    td_format_times(TD_FORMAT_EXACT);
    assert_string_equal(td_format_ns(text, 83456789012), "83 456 789 012 ns");
    assert_string_equal(td_format_time(text, 83456789012, 1e6), "83 456 789 012 ns");
    assert_string_equal(td_format_time(text, -1200, 100), "-1 200 ns");
    assert_string_equal(td_format_time(text, 1.25, .05), "1.25 ns");
    td_format_times(TD_FORMAT_SHORT);
    assert_string_equal(td_format_ns(text, 83.44e9), "83.44 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_reach_as_far_as_times_may_be_wrong),
        cmocka_unit_test(times_have_the_format_that_is_chosen),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
