/* How zones look in the ways that the user can choose: the colour of each zone follows from the rules, for
 * single zones and for what threads make of many; the picture shows it. */
#include "host/viewer/timeline/zone_name.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <stdio.h>
#include <string.h>

static void put(struct td_trace *trace, struct td_event event)
{
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, &event, 1, NULL), 0);
}

/* Two threads, each with: outer (red, of the location) > middle > leaf, and a sibling `own` of middle that
 * has a colour of its own, with a leaf in it; then a leaf alone, and a zone that waits. */
static struct td_trace *colored_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    const char *const names[] = {"outer", "middle", "leaf", "own", "wait"};
    uint32_t at[5], function = td_dict_cstring(dict, "function"), file = td_dict_cstring(dict, "file.c");
    for (uint32_t i = 0; i < 5; i++) {
        struct td_srcloc s = {.name = td_dict_cstring(dict, names[i]),
                              .function = function,
                              .file = file,
                              .line = i < 2 ? 7 : 10 + i,
                              .color = i ? 0 : 0xd04040,
                              .flags = i == 4 ? TD_SRCLOC_WAIT : 0};
        at[i] = td_dict_srcloc(dict, &s);
    }
    for (uint32_t t = 0; t < 2; t++) {
        struct td_track track = {.thread = 100 + t};
        const uint32_t number = td_dict_track(dict, &track);
        static const struct {
            int8_t srcloc; /* -1: an end */
            int time;
        } marks[] = {{0, 0},    {1, 100},  {2, 200},  {-1, 300}, {-1, 400},  {3, 500},  {2, 600},
                     {-1, 700}, {-1, 800}, {-1, 900}, {2, 1000}, {-1, 1100}, {4, 1200}, {-1, 1300}};
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            struct td_event e = {.kind = marks[i].srcloc < 0 ? TD_EVENT_ZONE_END : TD_EVENT_ZONE_BEGIN,
                                 .track = number,
                                 .time_ns = marks[i].time};
            if (marks[i].srcloc >= 0)
                e.srcloc = at[marks[i].srcloc];
            put(trace, e);
            if (marks[i].srcloc == 3)
                put(trace,
                    (struct td_event){.kind = TD_EVENT_ZONE_COLOR, .track = number, .subject = 0x40c040});
        }
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static td_rgba color_at(const struct td_trace *trace, struct td_zone_coloring as, uint32_t track,
                        uint32_t row, size_t index)
{
    struct td_zone zone = td_trace_zone(trace, track, row, index);
    return td_zone_color(trace, as, track, row, &zone);
}

static void the_rules_give_each_zone_its_colour(void **state)
{
    struct td_trace *trace = colored_trace();
    struct td_zone_coloring as = {0};
    (void)state;
    assert_int_equal(color_at(trace, as, 0, 0, 0), 0xffd04040);
    assert_int_equal(color_at(trace, as, 0, 1, 0), td_color_of_name("middle"));
    assert_int_equal(color_at(trace, as, 0, 1, 1), 0xff40c040);
    assert_int_equal(color_at(trace, as, 0, 0, 2), TD_C(WAIT));

    as.by = TD_ZONE_COLOR_STATIC;
    assert_int_equal(color_at(trace, as, 0, 0, 0), 0xffd04040);
    assert_int_equal(color_at(trace, as, 0, 1, 0), TD_STATIC_ZONE);
    assert_int_equal(color_at(trace, as, 1, 2, 0), TD_STATIC_ZONE);
    assert_int_equal(color_at(trace, as, 0, 0, 2), TD_C(WAIT));
    as.ignore_own = true;
    assert_int_equal(color_at(trace, as, 0, 0, 0), TD_STATIC_ZONE);
    assert_int_equal(color_at(trace, as, 0, 1, 1), TD_STATIC_ZONE);

    as = (struct td_zone_coloring){.by = TD_ZONE_COLOR_TRACK};
    assert_int_equal(color_at(trace, as, 0, 2, 0), color_at(trace, as, 0, 2, 1));
    assert_int_not_equal(color_at(trace, as, 0, 1, 0), color_at(trace, as, 0, 2, 0)); /* deeper is darker */
    assert_int_not_equal(color_at(trace, as, 0, 2, 0), color_at(trace, as, 1, 2, 0));

    /* Two names of one place have one colour, but for their depth; two places have two. */
    as = (struct td_zone_coloring){.by = TD_ZONE_COLOR_LOCATION, .ignore_own = true};
    assert_int_equal(td_color_at_depth(color_at(trace, as, 0, 0, 0), 1), color_at(trace, as, 0, 1, 0));
    assert_int_equal(color_at(trace, as, 0, 2, 0), color_at(trace, as, 1, 2, 1));
    assert_int_equal(td_color_at_depth(color_at(trace, as, 0, 0, 1), 2), color_at(trace, as, 0, 2, 0));

    /* A darker red under `outer`, a darker green under `own`, its own name outside. */
    as = (struct td_zone_coloring){.inherit = true};
    const td_rgba red = td_color_mix(0xffd04040, 0xff000000, .2f),
                  green = td_color_mix(0xff40c040, 0xff000000, .2f);
    assert_int_equal(color_at(trace, as, 0, 1, 0), red);
    assert_int_equal(color_at(trace, as, 0, 2, 0), red);
    assert_int_equal(color_at(trace, as, 0, 2, 1), green);
    assert_int_equal(color_at(trace, as, 0, 0, 1), td_color_of_name("leaf"));
    td_trace_destroy(trace);
}

/* Each zone of the rows, as a band of its finest scale has it. */
static void check_items(const struct td_trace *trace, struct td_bands *bands, struct td_zone_coloring as)
{
    struct td_band_state state = {.settled_ns = 1e18, .last_ns = 7e6, .coloring = as};
    size_t seen = 0;
    td_bands_begin_frame(bands, &state);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            for (size_t z = 0; z < td_trace_row_zones(trace, t, r) && z < 40; z++) {
                const struct td_zone zone = td_trace_zone(trace, t, r, z);
                struct td_band_key key = {.track = t, .row = r, .level = 0};
                key.index = td_band_index_at(0, (double)zone.start_ns);
                const struct td_band *band = td_bands_get(bands, &key, NULL);
                assert_non_null(band);
                for (uint32_t i = 0; i < band->data.count; i++)
                    if (band->data.items[i].first == z && band->data.items[i].count == 1 &&
                        band->data.items[i].flags & TD_ITEM_ZONE) {
                        assert_int_equal(band->data.items[i].color,
                                         td_zone_color(trace, as, t, r, &zone) & 0xffffff);
                        assert_int_equal(band->data.items[i].srcloc, zone.srcloc);
                        seen++;
                    }
            }
    td_bands_end_frame(bands);
    assert_true(seen > 8);
}

static void bands_have_the_colours_of_their_zones_after_each_change(void **state)
{
    (void)state;
    for (int demo = 0; demo < 2; demo++) {
        struct td_trace *trace = demo ? demo_trace(1) : colored_trace();
        struct td_bands *bands = td_bands_create(trace, 0);
        for (int i = 0; i < 16; i++)
            check_items(
                trace, bands,
                (struct td_zone_coloring){.by = (uint8_t)(i % 4), .ignore_own = i & 4, .inherit = i & 8});
        td_bands_destroy(bands);
        td_trace_destroy(trace);
    }
}

static void names_are_shortened_by_the_rules(void **state)
{
    static const char *const names[][2] = {
        {"bool ns::container<float>::add(const float&) const", "ns::container<>::add()"},
        {"void run()", "run()"},
        {"static unsigned int count(int (*)(char))", "count()"},
        {"std::vector<std::pair<int, int>> list(int)", "std::vector<> list()"},
        {"ns::f<(ns::e)1>(int)::{lambda()#1}::operator()() const", "ns::f<>()::{lambda()#1}::operator()()"},
        {"a::operator<<(std::ostream&, int)", "a::operator<<()"},
        {"bool b::operator<(const b&) const noexcept", "b::operator<()"},
        {"auto f(int) -> decltype(1)", "f() -> decltype()"},
        {"(anonymous namespace)::f(int)", "(anonymous namespace)::f()"},
        {"load image (cached)", "load image (cached)"},
        {"a < b", "a < b"},
        {"f(int", "f(int"},
        {"<lambda>(int)", "<lambda>(int)"},
        {"int", "int"},
        {"", ""},
    };
    char out[TD_ZONE_NAME_BYTES], text[3 * TD_ZONE_NAME_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        td_zone_name_normalize(out, names[i][0]);
        assert_string_equal(out, names[i][1]);
    }
    /* Names of any length and bytes stay within the buffer, and characters whole. */
    for (size_t n = 0; n < 3 * TD_ZONE_NAME_BYTES - 1; n++) {
        memset(text, "<(a::\xc3"[n % 6], n);
        for (size_t i = 0; i + 1 < n; i += 2)
            memcpy(text + i, "\xc3\xa4", 2);
        text[n] = 0;
        td_zone_name_normalize(out, text);
        assert_true(strlen(out) < TD_ZONE_NAME_BYTES);
    }
}

static float width_of_letters(void *self, const char *name)
{
    (void)self;
    return (float)strlen(name);
}

static void names_fit_as_the_mode_says(void **state)
{
    static const struct {
        enum td_zone_names how;
        float room;
        const char *name;
    } cases[] = {
        {TD_ZONE_NAMES_FULL, 3, "bool ns::box<float>::add(int)"},
        {TD_ZONE_NAMES_NEEDED, 40, "bool ns::box<float>::add(int)"},
        {TD_ZONE_NAMES_NEEDED, 20, "ns::box<>::add()"},
        {TD_ZONE_NAMES_NEEDED, 14, "box<>::add()"},
        {TD_ZONE_NAMES_NEEDED, 3, "add()"},
        {TD_ZONE_NAMES_NORMAL, 3, "ns::box<>::add()"},
        {TD_ZONE_NAMES_NORMAL, 40, "ns::box<>::add()"},
        {TD_ZONE_NAMES_SHORT, 40, "ns::box<>::add()"},
        {TD_ZONE_NAMES_SHORT, 10, "add()"},
        {TD_ZONE_NAMES_SHORTEST, 40, "add()"},
    };
    char out[TD_ZONE_NAME_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(td_zone_name_fit(out, "bool ns::box<float>::add(int)", cases[i].how,
                                             cases[i].room, width_of_letters, NULL),
                            cases[i].name);
}

static int setup(void **state)
{
    static struct fixture f;
    return open_offscreen(state, &f, demo_trace(2), 900, 500);
}

static void commands_change_the_colours_of_the_picture(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    assert_true(count_color(f, td_color_of_name("main")) > 3000);
    assert_int_equal(count_color(f, TD_STATIC_ZONE), 0);
    run(f, "set zones static");
    assert_true(count_color(f, TD_STATIC_ZONE) > 3000);
    assert_int_equal(count_color(f, td_color_of_name("main")), 0);
    assert_true(count_color(f, 0x6fae5a) > 50); /* "verify": a colour of the program */
    run(f, "set own ignored");
    assert_int_equal(count_color(f, 0x6fae5a), 0);
    run(f, "set own used; set zones name");
    assert_true(count_color(f, td_color_of_name("main")) > 3000);
    assert_true(td_driver_script(&f->view, "set zones blue", &err) < 0);
    assert_string_equal(err.text, "'blue' is not a value of zones; there are name, static, track, location");
    err = (struct td_err){0};
    assert_true(td_driver_script(&f->view, "set paint blue", &err) < 0);
    assert_non_null(strstr(err.text, "there is no setting 'paint'; there are times, "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rules_give_each_zone_its_colour),
        cmocka_unit_test(bands_have_the_colours_of_their_zones_after_each_change),
        cmocka_unit_test(names_are_shortened_by_the_rules),
        cmocka_unit_test(names_fit_as_the_mode_says),
        cmocka_unit_test_setup_teardown(commands_change_the_colours_of_the_picture, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
