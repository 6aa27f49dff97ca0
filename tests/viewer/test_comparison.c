/* Two traces beside each other: the numbers equal those of `tendril compare` and of a naive count, and the panel
 * shows them. The panel is skipped where there is no OpenGL. */
#include "host/file/file.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/driver.h"
#include "host/file/load.h"
#include "host/viewer/app/viewer.h"
#include "host/trace/tables.h"
#include "host/viewer/panels/compare_state.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"
#include "host/viewer/timeline/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static struct td_trace *trace[2];

static int64_t frame_length(int frame, int64_t length)
{
    return length * (1 + frame % 7);
}

/* The start of the program, which does not count, and one frame for each zone; of these, the first `zones / 2` are
 * frames of the set "physics", too. */
static void add_frames(struct td_dict *dict, struct td_sink *sink, int zones, int64_t length)
{
    const uint32_t base = td_dict_frame_set(dict, 0, 1),
                   physics = td_dict_frame_set(dict, td_dict_cstring(dict, "physics"), 0);
    int64_t at = 500;
    struct td_event frame = {.kind = TD_EVENT_FRAME, .subject = base};
    assert_int_equal(sink->events(sink->self, &frame, 1, NULL), 0);
    for (int i = 0; i <= zones; at += frame_length(i++, length)) {
        const struct td_event frames[] = {
            {.kind = TD_EVENT_FRAME, .subject = base, .time_ns = at},
            {.kind = TD_EVENT_FRAME_START, .subject = physics, .time_ns = at},
            {.kind = TD_EVENT_FRAME_END, .subject = physics, .time_ns = at + frame_length(i, length)}};
        assert_int_equal(sink->events(sink->self, frames, i < zones / 2 ? 3 : 1, NULL), 0);
    }
}

static const char *const versions[] = {
    "int old(void)\n{\n    return 1;\n}\n\nint same;\n",
    "/* New. */\nint new(void)\n{\n    return 1;\n}\n\nint same;\nint more;\n"};

/* The section "steady" and a source file, of which both versions of the trace have their own. */
static void add_section_and_source(struct td_trace *t, bool is_new)
{
    struct td_dict *dict = td_trace_fill_dict(t);
    const char *text = versions[is_new];
    const int64_t section[TD_SECTION_COLUMN_COUNT] = {[TD_SECTION_START] = 1000000,
                                                      [TD_SECTION_END] = 3000000,
                                                      [TD_SECTION_TEXT] = td_dict_cstring(dict, "steady")},
                  source[] = {td_dict_cstring(dict, "kernel.c"),
                              td_trace_fill_blob(t, (const uint8_t *)text, strlen(text)),
                              (int64_t)strlen(text)};
    assert_int_equal(td_series_append(td_trace_fill_table(t, TD_TABLE_SECTION), section), 0);
    assert_int_equal(td_series_append(td_trace_fill_table(t, TD_TABLE_SOURCE), source), 0);
}

/* A trace of two tracks: `zones` zones "work" of `length` ns on "core 0", twice as long on "core 1", one of a name of
 * its own, and frames. */
static struct td_trace *make_trace(int zones, int64_t length, const char *third)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *t = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(t);
    uint32_t file = td_dict_cstring(dict, "kernel.c"), location[2], track[2];
    for (int i = 0; i < 2; i++) {
        location[i] = td_dict_srcloc(
            dict,
            &(struct td_srcloc){.name = td_dict_cstring(dict, i ? third : "work"), .file = file, .line = 9});
        track[i] =
            td_dict_track(dict, &(struct td_track){.thread = (uint64_t)(5 + i),
                                                   .name = td_dict_cstring(dict, i ? "core 1" : "core 0")});
    }
    for (int i = 0; i < zones * 2; i++) {
        int64_t at = (int64_t)i * 100000;
        struct td_event zone = {.kind = TD_EVENT_ZONE,
                                .srcloc = location[0],
                                .track = track[i % 2],
                                .time_ns = at,
                                .value.end_ns = at + length * (1 + i % 2) + i};
        assert_int_equal(sink.events(sink.self, &zone, 1, NULL), 0);
    }
    struct td_event last = {.kind = TD_EVENT_ZONE,
                            .srcloc = location[1],
                            .track = track[0],
                            .time_ns = zones * INT64_C(200000),
                            .value.end_ns = zones * INT64_C(200000) + 50};
    assert_int_equal(sink.events(sink.self, &last, 1, NULL), 0);
    add_frames(dict, &sink, zones, length);
    add_section_and_source(t, !strcmp(third, "new"));
    assert_int_equal(td_trace_finish(t, NULL), 0);
    return t;
}

static const struct td_compare_entry *entry_named(const struct td_comparison *c, const char *name)
{
    for (size_t i = 0; i < c->table.count; i++)
        if (!strcmp(c->table.entries[i].name, name))
            return &c->table.entries[i];
    return NULL;
}

static void a_name_is_compared_by_track_and_length(void **state)
{
    struct td_comparison c;
    struct td_err err = {0};
    struct td_track_change *tracks;
    struct td_length_bins bins;
    size_t count;
    assert_int_equal(td_comparison_make(&c, trace[0], trace[1], NULL, NULL, &err), 0);
    const struct td_compare_entry *work = entry_named(&c, "work");
    assert_true(work->side[0].count == 80 && work->side[1].count == 120);
    assert_true(entry_named(&c, "old")->side[1].count == 0 && entry_named(&c, "new")->side[0].count == 0);
    /* Lengths are length * (1 or 2) + i. */
    double before = 1000 * 1.5 + 79 / 2., now = 1300 * 1.5 + 119 / 2.;
    assert_true(fabs(work->side[0].mean_ns - before) < 1e-6 && fabs(work->side[1].mean_ns - now) < 1e-6);
    assert_true(fabs(td_comparison_slowdown_ns(work) - (now - before) * 120) < 1e-3);
    assert_true(td_comparison_slowdown_ns(entry_named(&c, "new")) == 0);
    assert_int_equal(td_comparison_tracks(&c, work, &tracks, &count), 0);
    assert_int_equal(count, 2);
    assert_string_equal(tracks[0].name, "core 1");
    assert_true(tracks[0].total_ns[0] == 40 * 2000 + 40 * 40 && tracks[1].total_ns[0] == 40 * 1000 + 39 * 40);
    assert_true(tracks[0].total_ns[1] == 60 * 2600 + 60 * 60 && tracks[1].total_ns[1] == 60 * 1300 + 59 * 60);
    free(tracks);
    assert_int_equal(td_comparison_lengths(&c, work, &bins, NULL), 0);
    assert_true(bins.all[0] == 80 && bins.all[1] == 120 && bins.low_ns == 1000 && bins.high_ns == 2600 + 119);
    uint64_t naive[2][TD_LENGTH_BINS] = {{0}};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < (s ? 120 : 80); i++) {
            double length = (s ? 1300 : 1000) * (1 + i % 2) + i;
            int bin = (int)(TD_LENGTH_BINS * log(length / bins.low_ns) / log(bins.high_ns / bins.low_ns));
            naive[s][bin < TD_LENGTH_BINS ? bin : TD_LENGTH_BINS - 1]++;
        }
    int apart = 0;
    for (int s = 0; s < 2; s++)
        for (int b = 0; b < TD_LENGTH_BINS; b++)
            apart += abs((int)naive[s][b] - (int)bins.count[s][b]);
    assert_true(apart <= 4); /* rounding at the edges of bins */
    td_comparison_free(&c);
}

/* Zones 10 to 29 begin and end between 1 and 3 ms; frames are counted as add_frames() makes them. */
static void a_range_counts_what_lies_in_it(void **state)
{
    const struct td_compare_range ranges[2] = {{1000000, 3000000}, TD_COMPARE_ALL},
                                  early[2] = {{2000, 50000}, TD_COMPARE_ALL};
    struct td_comparison c;
    struct td_length_bins bins;
    struct td_compared_frames frames;
    struct td_track_change *tracks;
    size_t count;
    uint64_t naive = 0;
    assert_int_equal(td_comparison_make(&c, trace[0], trace[1], ranges, NULL, NULL), 0);
    const struct td_compare_entry *work = entry_named(&c, "work");
    assert_true(work->side[0].count == 20 && work->side[1].count == 120);
    assert_true(fabs(work->side[0].mean_ns - (1500 + 19.5)) < 1e-6);
    assert_true(work->side[0].min_ns == 1010 && work->side[0].max_ns == 2029);
    assert_null(entry_named(&c, "old"));
    assert_int_equal(td_comparison_lengths(&c, work, &bins, NULL), 0);
    assert_true(bins.all[0] == 20 && bins.all[1] == 120);
    assert_int_equal(td_comparison_tracks(&c, work, &tracks, &count), 0);
    assert_true(tracks[0].total_ns[0] + tracks[1].total_ns[0] == work->side[0].total_ns);
    free(tracks);
    td_comparison_free(&c);
    int64_t at = 0;
    for (int i = 0; i < 40; at += frame_length(i++, 1000))
        naive += at >= 2000 && at + frame_length(i, 1000) <= 50000;
    assert_int_equal(td_comparison_make(&c, trace[0], trace[1], early, NULL, NULL), 0);
    assert_int_equal(td_comparison_frames(&c, 0, &frames, NULL), 0);
    assert_true(naive > 5 && frames.times[0].count == naive && frames.bins.all[0] == naive);
    assert_int_equal(frames.times[1].count, 60);
    td_compared_frames_free(&frames);
    td_comparison_free(&c);
}

/* The length of the longest common subsequence, line by line. */
static size_t most_in_both(const struct td_source_text text[2])
{
    static size_t most[65][65];
    for (uint32_t i = 0; i <= text[0].line_count; i++)
        for (uint32_t k = 0; k <= text[1].line_count; k++) {
            const size_t up = i ? most[i - 1][k] : 0, left = k ? most[i][k - 1] : 0;
            most[i][k] = i && k && text[0].text[i * 2 - 2] == text[1].text[k * 2 - 2] ? most[i - 1][k - 1] + 1
                         : up > left                                                  ? up
                                                                                      : left;
        }
    return most[text[0].line_count][text[1].line_count];
}

static void two_texts_are_paired_with_as_few_differences_as_can_be(void **state)
{
    uint32_t random = 1;
    for (int n = 0; n < 300; n++) {
        char bytes[2][130];
        size_t lines[2][66], same = 0, seen[2] = {0};
        struct td_source_text text[2];
        struct td_line_pairs pairs;
        for (int s = 0; s < 2; s++) {
            text[s] = (struct td_source_text){.text = bytes[s], .lines = lines[s]};
            text[s].line_count = (random = random * 1103515245 + 12345) >> 16 & 63;
            for (uint32_t i = 0; i <= text[s].line_count; i++) {
                lines[s][i] = i * 2;
                bytes[s][i * 2] = (char)('a' + ((random = random * 1103515245 + 12345) >> 16) % (2 + n % 7));
                bytes[s][i * 2 + 1] = '\n';
            }
            text[s].bytes = text[s].line_count * 2;
        }
        assert_int_equal(td_line_pairs_make(&pairs, &text[0], &text[1]), 0);
        for (size_t i = 0; i < pairs.count; i++) {
            for (int s = 0; s < 2; s++)
                if (pairs.at[i].line[s])
                    assert_int_equal(pairs.at[i].line[s], ++seen[s]);
            same += !pairs.at[i].differs;
            if (!pairs.at[i].differs)
                assert_int_equal(bytes[0][pairs.at[i].line[0] * 2 - 2],
                                 bytes[1][pairs.at[i].line[1] * 2 - 2]);
        }
        assert_true(seen[0] == text[0].line_count && seen[1] == text[1].line_count);
        assert_int_equal(same, most_in_both(text));
        td_line_pairs_free(&pairs);
    }
}

static void a_trace_equals_itself(void **state)
{
    struct td_trace *demo = demo_trace(2);
    struct td_comparison c;
    struct td_err err = {0};
    assert_int_equal(td_comparison_make(&c, demo, demo, NULL, NULL, &err), 0);
    assert_true(c.table.count > 5);
    for (size_t i = 0; i < c.table.count; i++) {
        struct td_track_change *tracks;
        size_t count;
        assert_true(td_compare_impact_ns(&c.table.entries[i]) == 0);
        assert_true(td_comparison_slowdown_ns(&c.table.entries[i]) == 0);
        assert_int_equal(td_comparison_tracks(&c, &c.table.entries[i], &tracks, &count), 0);
        assert_true(count > 0);
        for (size_t t = 0; t < count; t++)
            assert_true(tracks[t].total_ns[0] == tracks[t].total_ns[1]);
        free(tracks);
    }
    struct td_compared_frames frames;
    assert_int_equal(td_comparison_frames(&c, 0, &frames, NULL), 0);
    assert_true(frames.times[0].count > 0 && frames.times[0].count == frames.times[1].count);
    assert_memory_equal(frames.bins.count[0], frames.bins.count[1], sizeof frames.bins.count[0]);
    td_compared_frames_free(&frames);
    td_comparison_free(&c);
    td_trace_destroy(demo);
}

/* What add_frames() makes, counted plainly. */
static void same_frames(const struct td_compared_frames *frames, const int counts[2])
{
    static const int64_t lengths[2] = {1000, 1300};
    for (int s = 0; s < 2; s++) {
        const struct td_frame_times *times = &frames->times[s];
        int64_t total = 0;
        int apart = 0, naive[TD_LENGTH_BINS] = {0};
        for (int i = 0; i < counts[s]; i++) {
            const double length = (double)frame_length(i, lengths[s]);
            int bin = (int)(TD_LENGTH_BINS * log(length / 1000) / log(9100. / 1000));
            naive[bin < TD_LENGTH_BINS ? bin : TD_LENGTH_BINS - 1]++;
            total += frame_length(i, lengths[s]);
        }
        assert_int_equal(times->count, counts[s]);
        assert_int_equal(times->total_ns, total);
        assert_true(fabs(times->mean_ns - (double)total / counts[s]) < 1e-6);
        assert_true(times->min_ns == lengths[s] && times->max_ns == 7 * lengths[s]);
        assert_int_equal(frames->bins.all[s], counts[s]);
        for (int b = 0; b < TD_LENGTH_BINS; b++)
            apart += abs(naive[b] - (int)frames->bins.count[s][b]);
        assert_int_equal(apart, 0);
    }
    assert_true(frames->bins.low_ns == 1000 && frames->bins.high_ns == 9100);
}

static void the_frames_of_the_chosen_set_are_compared(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    struct td_key_press press = {.key = 'v'};
    if (!f)
        return;
    char line[100];
    snprintf(line, sizeof line, "compare %s", path);
    assert_int_equal(td_driver_script(&f->view, line, &err), 0);
    td_driver_settle(&f->view);
    assert_int_equal(f->view.selection.frame_set, 0);
    same_frames(td_compare_frames_shown(&f->view), (const int[]){40, 60});
    td_panels_key(&f->view, &press);
    td_driver_settle(&f->view);
    assert_string_equal(td_view_frame_set_name(&f->view), "physics");
    same_frames(td_compare_frames_shown(&f->view), (const int[]){20, 30});
    td_panels_key(&f->view, &press);
    assert_int_equal(f->view.selection.frame_set, 0);
}

static void the_panel_loads_a_file_and_finds_the_worst(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    char line[100];
    snprintf(line, sizeof line, "compare %s", path);
    assert_int_equal(td_driver_script(&f->view, line, &err), 0);
    td_driver_settle(&f->view);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_COMPARE));
    const struct td_comparison *c = td_compare_shown(&f->view);
    assert_non_null(c);
    assert_int_equal(c->table.count, 3);
    struct td_key_press press = {.key = 'w'};
    td_panels_key(&f->view, &press);
    td_driver_settle(&f->view);
    assert_string_equal(f->view.find.text, "work");
    assert_int_equal(td_matches_count(f->view.find.matches), 120);
    /* A file that is no trace leaves a line, and nothing else. */
    FILE *broken = fopen(path, "w");
    fputs("no trace", broken);
    fclose(broken);
    assert_true(td_driver_script(&f->view, line, &err) < 0);
    assert_non_null(strstr(err.text, "not a trace"));
    assert_null(td_compare_shown(&f->view));
    assert_string_equal(td_compare_error(&f->view), err.text);
    err = (struct td_err){0};
    assert_true(td_driver_script(&f->view, "compare /nothing", &err) < 0);
    assert_string_equal(err.text, "cannot read /nothing: No such file or directory");
}

static void the_counts_of_work_are(struct fixture *f, uint64_t before, uint64_t now)
{
    const struct td_compare_entry *work = entry_named(td_compare_shown(&f->view), "work");
    assert_int_equal(work->side[0].count, before);
    assert_int_equal(work->side[1].count, now);
}

static void script(struct fixture *f, const char *line)
{
    struct td_err err = {0};
    if (td_driver_script(&f->view, line, &err) < 0)
        fail_msg("%s: %s", line, err.text);
    td_driver_settle(&f->view);
}

static void sections_and_notes_limit_a_comparison(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    char line[100];
    if (!f)
        return;
    snprintf(line, sizeof line, "note 1ms..2ms begin; compare %s", path);
    script(f, line);
    the_counts_of_work_are(f, 80, 120);
    script(f, "between all begin");
    the_counts_of_work_are(f, 80, 10);
    script(f, "between steady begin"); /* the section of the other trace, the note of this one */
    the_counts_of_work_are(f, 20, 10);
    assert_int_equal(td_driver_script(&f->view, "between begin", &err), TD_E_FORMAT);
    assert_string_equal(err.text, "the other trace has no section and no note 'begin'");
    the_counts_of_work_are(f, 20, 10); /* what was shown stays */
    script(f, "between 1ms..1.5ms stea");
    the_counts_of_work_are(f, 5, 20);
    script(f, "between");
    the_counts_of_work_are(f, 80, 120);
    script(f, "compare this; between begin all"); /* two ranges of one trace */
    the_counts_of_work_are(f, 10, 120);
    script(f, "between steady");
    the_counts_of_work_are(f, 20, 20);
}

static void a_source_file_is_beside_its_other_version(void **state)
{
    struct fixture *f = *state;
    char line[100];
    if (!f)
        return;
    const struct compare_state *s = td_compare_state_of(&f->view);
    snprintf(line, sizeof line, "compare %s; beside kernel.c", path);
    script(f, line);
    char *text = td_panel_compare.copy(&f->view, TD_COPY_LINES);
    assert_string_equal(text, "-     1 int old(void)\n"
                              "+     1 /* New. */\n"
                              "+     2 int new(void)\n"
                              "      3 {\n"
                              "      4     return 1;\n"
                              "      5 }\n"
                              "      6 \n"
                              "      7 int same;\n"
                              "+     8 int more;\n");
    free(text);
    assert_int_equal(s->source.list.selected, 1);
    td_panels_key(&f->view, &(struct td_key_press){.key = '.'});
    assert_int_equal(s->source.list.selected, 8);
    td_panels_key(&f->view, &(struct td_key_press){.key = ','});
    assert_int_equal(s->source.list.selected, 1);
    script(f, "beside");
    assert_false(s->source.on);
    td_panels_key(&f->view, &(struct td_key_press){.key = 'w'});
    td_driver_settle(&f->view);
    td_panels_key(&f->view, &(struct td_key_press){.key = 'q'}); /* of the chosen name, at its line */
    td_driver_settle(&f->view);
    assert_true(s->source.on);
    assert_int_equal(strncmp(s->source.shown.text[1].text, versions[1], strlen(versions[1])), 0);
    script(f, "beside");
}

/* The trace without its end. */
static void damage_file(void)
{
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    struct stat st;
    struct td_trace *large = make_trace(40000, 1000, "old");
    assert_int_equal(td_file_write(large, path, &options, NULL), 0);
    td_trace_destroy(large);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size * 3 / 4), 0);
}

static void the_other_trace_is_read_with_the_options_of_this_one(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    char line[100];
    if (!f)
        return;
    const struct td_load_options salvage = {.salvage = 1}, wrong = {.memory = "much"};
    snprintf(line, sizeof line, "compare %s", path);
    damage_file();
    assert_true(td_driver_script(&f->view, line, &err) < 0);
    assert_non_null(strstr(err.text, "damaged"));
    f->view.model.load = &salvage;
    err = (struct td_err){0};
    assert_int_equal(td_driver_script(&f->view, line, &err), 0);
    const struct td_comparison *c = td_compare_shown(&f->view);
    assert_non_null(c);
    const struct td_compare_entry *work = entry_named(c, "work");
    assert_true(work->side[0].count > 100 && work->side[0].count < 80000);
    f->view.model.load = &wrong;
    assert_true(td_driver_script(&f->view, line, &err) < 0);
    assert_non_null(strstr(err.text, "--memory"));
    f->view.model.load = NULL;
}

/* The window goes on while the other trace is read: it comes in a later frame. */
static void a_window_does_not_wait_for_the_other_trace(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    const struct td_viewer_options window = {.first[TD_FIRST_compare].text = path},
                                   picture = {.first[TD_FIRST_compare].text = path, .screenshot = "x"};
    if (!f)
        return;
    assert_int_equal(td_file_write(trace[0], path, &(struct td_file_options){0}, NULL), 0);
    assert_int_equal(td_compare_open(&f->view, "/dev/null", &err), 0);
    td_driver_settle(&f->view);
    assert_null(td_compare_shown(&f->view));
    assert_int_equal(td_view_run_script(&f->view, &window, &err), 0);
    assert_null(td_compare_shown(&f->view));
    td_driver_settle(&f->view);
    assert_non_null(td_compare_shown(&f->view));
    assert_int_equal(td_view_run_script(&f->view, &picture, &err), 0);
    assert_non_null(td_compare_shown(&f->view));
}

static int setup(void **state)
{
    static struct fixture f;
    trace[0] = make_trace(40, 1000, "old");
    trace[1] = make_trace(60, 1300, "new");
    snprintf(path, sizeof path, "/tmp/test_comparison.%d.tracy", (int)getpid());
    const struct td_file_options options = {.version = TD_FILE_VERSION_NEWEST}; /* that has sections */
    assert_int_equal(td_file_write(trace[0], path, &options, NULL), 0);
    return open_offscreen(state, &f, make_trace(60, 1300, "new"), 900, 400);
}

static int end(void **state)
{
    unlink(path);
    td_trace_destroy(trace[0]);
    td_trace_destroy(trace[1]);
    return teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_compared_by_track_and_length),
        cmocka_unit_test(a_range_counts_what_lies_in_it),
        cmocka_unit_test(two_texts_are_paired_with_as_few_differences_as_can_be),
        cmocka_unit_test(a_trace_equals_itself),
        cmocka_unit_test(the_frames_of_the_chosen_set_are_compared),
        cmocka_unit_test(sections_and_notes_limit_a_comparison),
        cmocka_unit_test(a_source_file_is_beside_its_other_version),
        cmocka_unit_test(the_panel_loads_a_file_and_finds_the_worst),
        cmocka_unit_test(the_other_trace_is_read_with_the_options_of_this_one),
        cmocka_unit_test(a_window_does_not_wait_for_the_other_trace),
    };
    return cmocka_run_group_tests(tests, setup, end);
}
