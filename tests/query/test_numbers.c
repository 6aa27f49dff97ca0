/* What the viewer's panels compute is what `tendril info --json` and `tendril csvexport` print.
 *
 *     test_numbers [FILE.tracy ...]      traces of the corpus if none is given
 *     test_numbers --random N FILE ...   N more, which are made here */
#include "host/file/file.h"
#include "host/trace/tables.h"
#include "host/query/flows/flow.h"
#include "host/query/facts/clock_curve.h"
#include "host/query/rows/frame_times.h"
#include "host/query/sums/instances.h"
#include "host/query/sums/lane_table.h"
#include "host/query/rows/lock_sums.h"
#include "host/query/rows/locks.h"
#include "host/query/facts/losses.h"
#include "host/query/rows/memory_pool.h"
#include "host/query/rows/message_filter.h"
#include "host/query/rows/plot_sums.h"
#include "host/query/facts/trace_facts.h"
#include "tests/query/random_trace.h"
#include "tests/query/tool_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELL '\x1f' /* between the columns of csvexport; in no name */

struct numbers {
    struct td_trace *trace;
    const struct td_dict *dict;
    cJSON *info;
    const char *path;
};

static void same(const struct numbers *n, const char *what, const char *name, double panel, double tool)
{
    if (fabs(panel - tool) > 1e-9 * fmax(fabs(panel), fabs(tool)) + 1e-9)
        fail_msg("%s: %s of '%s' is %.17g in the panel and %.17g in the tool", n->path, what, name, panel,
                 tool);
}

static bool is_gpu(const struct numbers *n, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(n->dict, track);
    return t->kind == TD_TRACK_GPU || t->context;
}

/* ---- Zones ---- */

/* The sums of all locations that the entry's name, file and line are of, on threads and cores or of GPU contexts. */
static struct td_sum sum_of(const struct numbers *n, const struct td_sums *sums, const cJSON *entry, bool gpu)
{
    struct td_sum all = {.longest = TD_NO_ZONE};
    bool any = false;
    for (size_t i = 0; i < sums->count; i++) {
        const struct td_srcloc *s = td_dict_get_srcloc(n->dict, sums->sum[i].srcloc);
        if (is_gpu(n, sums->sum[i].track) != gpu || s->line != (uint32_t)number_of(entry, "line") ||
            strcmp(td_dict_zone_name(n->dict, sums->sum[i].srcloc), text_of(entry, "name")) ||
            strcmp(td_dict_text(n->dict, s->file), text_of(entry, "file")) ||
            strcmp(td_dict_text(n->dict, s->function), text_of(entry, "function")))
            continue;
        if (!any)
            all = sums->sum[i];
        else
            td_sum_add(&all, &sums->sum[i]);
        any = true;
    }
    return all;
}

/* Entries of other locations that look the same. */
static bool is_ambiguous(const cJSON *list, const cJSON *entry)
{
    const cJSON *other;
    cJSON_ArrayForEach(other,
                       list) if (other != entry && number_of(other, "line") == number_of(entry, "line") &&
                                 !strcmp(text_of(other, "name"), text_of(entry, "name")) &&
                                 !strcmp(text_of(other, "file"), text_of(entry, "file")) &&
                                 !strcmp(text_of(other, "function"), text_of(entry, "function"))) return true;
    return false;
}

static void check_zones(const struct numbers *n, const struct td_sums *sums, const char *field)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(n->info, field), *entry;
    const bool gpu = field[0] == 'g';
    double count = 0;
    cJSON_ArrayForEach(entry, list)
    {
        const char *name = text_of(entry, "name");
        const struct td_sum sum = sum_of(n, sums, entry, gpu);
        count += number_of(entry, "count");
        if (is_ambiguous(list, entry))
            continue;
        same(n, "count", name, (double)sum.count, number_of(entry, "count"));
        same(n, "open", name, (double)sum.open, number_of(entry, "open"));
        same(n, "total", name, (double)sum.total_ns, number_of(entry, "total_ns"));
        same(n, "self", name, (double)sum.self_ns, number_of(entry, "self_ns"));
        if (!sum.timed)
            continue;
        same(n, "min", name, (double)sum.min_ns, number_of(entry, "min_ns"));
        same(n, "max", name, (double)sum.max_ns, number_of(entry, "max_ns"));
        same(n, "mean", name, td_sum_mean_ns(&sum), number_of(entry, "mean_ns"));
        if (sum.timed < 2)
            continue;
        /* As stock's tools, ours round the mean down in the deviation; the panel does not. */
        const double timed = (double)sum.timed, mean = td_sum_mean_ns(&sum), rounded = mean - floor(mean);
        const double panel = hypot(td_sum_deviation_ns(&sum), rounded * sqrt(timed / (timed - 1)));
        if (fabs(panel - number_of(entry, "std_ns")) > 1e-6 * panel + 1e-3)
            fail_msg("%s: the deviation of '%s' is %g, not %g", n->path, name, panel,
                     number_of(entry, "std_ns"));
    }
    for (size_t i = 0; i < sums->count; i++)
        count -= is_gpu(n, sums->sum[i].track) == gpu ? (double)sums->sum[i].count : 0;
    same(n, "zones", field, count, 0);
}

/* ---- Lanes ---- */

static void check_lanes(const struct numbers *n, const struct td_sums *sums)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(n->info, "tracks"), *entry;
    uint32_t track = 0;
    double waits = 0;
    same(n, "tracks", "", sums->tracks, cJSON_GetArraySize(list));
    cJSON_ArrayForEach(entry, list)
    {
        const struct td_lane_sum *lane = &sums->lane[track++];
        const char *name = text_of(entry, "name");
        waits += (double)lane->wait_ns;
        same(n, "zones of the lane", name, (double)lane->zones, number_of(entry, "zones"));
        if (!lane->zones || number_of(entry, "open_zones") > 0)
            continue;
        same(n, "first start", name, (double)lane->first_ns, number_of(entry, "first_ns"));
        same(n, "last end", name, (double)lane->last_ns, number_of(entry, "last_ns"));
        if (!lane->lost)
            same(n, "busy", name, (double)lane->busy_ns, number_of(entry, "busy_ns"));
    }
    double expected = 0, open = 0;
    for (int gpu = 0; gpu < 2; gpu++)
        cJSON_ArrayForEach(
            entry,
            cJSON_GetObjectItemCaseSensitive(
                n->info, gpu ? "gpu_names"
                             : "names")) if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "wait")) &&
                                             !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "lost")))
        {
            expected += number_of(entry, "total_ns");
            open += number_of(entry, "open");
        }
    if (open == 0)
        same(n, "waiting", "all lanes", waits, expected);
}

/* ---- Instances ---- */

struct csv_sum {
    double count, total_ns;
};

/* What csvexport -u has of a name. A name may have a newline, but no separator. */
static struct csv_sum csv_zones(const char *csv, const char *name)
{
    struct csv_sum sum = {0};
    const char *line = strchr(csv, '\n'); /* after the head */
    for (line = line ? line + 1 : ""; *line;) {
        const char *cell[6] = {line}; /* name, file, line, start, length, thread */
        for (int i = 1; i < 6; i++) {
            cell[i] = strchr(cell[i - 1], CELL);
            assert_non_null(cell[i]++);
        }
        if ((size_t)(cell[1] - 1 - line) == strlen(name) && !strncmp(line, name, strlen(name))) {
            sum.count++;
            sum.total_ns += strtod(cell[4], NULL);
        }
        line = strchr(cell[5], '\n');
        line = line ? line + 1 : "";
    }
    return sum;
}

static void check_instances(const struct numbers *n, const char *csv)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(n->info, "names"))
    {
        const char *name = text_of(entry, "name");
        struct td_instances_wanted want = {n->trace, name, INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
        struct td_instances made;
        struct csv_sum here = {0};
        assert_int_equal(td_instances_make(&made, &want, NULL), 0);
        /* Those of GPU contexts, and those that have the name as their own, are elsewhere in the tool's output. */
        for (size_t i = 0; i < made.count; i++) {
            const struct td_zone_ref ref = td_instances_ref(&made, i);
            const struct td_zone zone = td_trace_zone(n->trace, ref.track, ref.row, ref.index);
            if (is_gpu(n, ref.track) || strcmp(td_dict_zone_name(n->dict, zone.srcloc), name))
                continue;
            here.count++;
            here.total_ns += (double)td_instances_length_of(&made, i);
        }
        const struct csv_sum tool = csv_zones(csv, name);
        same(n, "instances", name, here.count, tool.count);
        same(n, "length of the instances", name, here.total_ns, tool.total_ns);
        td_instances_free(&made);
    }
}

/* ---- Messages ---- */

static size_t passing(const struct numbers *n, const struct td_message_filter *filter)
{
    struct td_message_list list = {0};
    assert_int_equal(td_message_filter_run(n->trace, filter, 0, td_trace_messages(n->trace), &list, NULL), 0);
    free(list.at);
    return list.count;
}

static void check_messages(const struct numbers *n)
{
    static const char *const names[] = {"trace", "debug", "info", "warning", "error", "fatal"};
    const cJSON *severities = cJSON_GetObjectItemCaseSensitive(n->info, "severities"), *entry;
    struct td_message_filter filter = {.track = TD_NO_TRACK};
    same(n, "messages", "", (double)passing(n, &filter), number_of(n->info, "messages"));
    double above = 0;
    for (int s = 5; s >= 0; s--) {
        above += number_of(severities, names[s]);
        filter.severity = (uint8_t)s;
        same(n, "messages", names[s], (double)passing(n, &filter), above);
    }
    filter.source = TD_FROM_PROFILER;
    same(n, "messages", "of the profiler", (double)passing(n, &filter),
         number_of(severities, "of_the_profiler"));
    filter.source = TD_FROM_ALL;
    uint32_t track = 0;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(n->info, "tracks"))
    {
        filter.track = track++;
        same(n, "messages", text_of(entry, "name"), (double)passing(n, &filter),
             number_of(entry, "messages"));
    }
    /* A record of csvexport ends with the message's time. */
    char *csv = output_of(n->path, "csvexport -m --style 0.14.0 -s '\x1f'");
    size_t found = 0;
    const char *at = strchr(csv, '\n');
    while (at && (at = strchr(at, CELL))) {
        char *end;
        const int64_t time = strtoll(at + 1, &end, 10);
        if (*end == '\n' || !*end) {
            assert_true(found < td_trace_messages(n->trace));
            assert_int_equal(td_trace_message(n->trace, found++).time_ns, time);
        }
        at = end;
    }
    same(n, "messages", "csvexport", (double)found, (double)td_trace_messages(n->trace));
    free(csv);
}

/* ---- Frames, Plots, Locks ---- */

static void check_frames(const struct numbers *n)
{
    const cJSON *entry;
    uint32_t set = 0;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(n->info, "frame_sets"))
    {
        const char *name = text_of(entry, "name");
        struct td_frame_times times;
        while (set < td_dict_frame_set_count(n->dict) && !td_trace_frames(n->trace, set) &&
               number_of(entry, "frames") > 0)
            set++;
        assert_int_equal(td_frame_times_make(&times, n->trace, set, INT64_MAX, NULL), 0);
        same(n, "frames", name, (double)times.frames, number_of(entry, "frames"));
        same(n, "finished frames", name, (double)times.count, number_of(entry, "timed"));
        if (times.count) {
            same(n, "shortest frame", name, (double)times.min_ns, number_of(entry, "min_ns"));
            same(n, "longest frame", name, (double)times.max_ns, number_of(entry, "max_ns"));
            same(n, "mean frame", name, times.mean_ns, number_of(entry, "mean_ns"));
        }
        td_frame_times_free(&times);
        set++;
    }
}

static void check_plots(const struct numbers *n)
{
    const cJSON *entry;
    struct td_plot_sums sums;
    uint32_t plot = 0;
    assert_int_equal(td_plot_sums_make(&sums, n->trace, INT64_MIN, INT64_MAX, NULL), 0);
    same(n, "plots", "", sums.plots, cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(n->info, "plots")));
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(n->info, "plots"))
    {
        const struct td_plot_sum *sum = &sums.of[plot++];
        const char *name = text_of(entry, "name");
        same(n, "points", name, (double)sum->points, number_of(entry, "points"));
        if (!sum->finite || sum->finite < sum->points)
            continue;
        same(n, "least value", name, sum->min, number_of(entry, "min"));
        same(n, "greatest value", name, sum->max, number_of(entry, "max"));
        same(n, "sum", name, sum->sum, number_of(entry, "sum"));
    }
    td_plot_sums_free(&sums);
}

static void check_locks(const struct numbers *n)
{
    const cJSON *entry, *list = cJSON_GetObjectItemCaseSensitive(n->info, "locks");
    struct td_locks locks = {0};
    uint64_t lock = 0;
    assert_int_equal(td_locks_build(&locks, n->trace, NULL), 0);
    same(n, "locks", "", (double)locks.count, cJSON_GetArraySize(list));
    cJSON_ArrayForEach(entry, list)
    {
        struct td_lock_segment segment;
        double events = 0;
        const uint64_t at = lock++;
        const bool any = td_lock_at(&locks, n->trace, at, INT64_MAX - 1, &segment);
        assert_true(any == (number_of(entry, "events") > 0));
        static const char *const kinds[] = {"waits",        "obtains",        "releases",
                                            "shared_waits", "shared_obtains", "shared_releases"};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            events += number_of(entry, kinds[k]);
        same(n, "events of the lock", text_of(entry, "name"), events, number_of(entry, "events"));
        if (!any)
            continue;
        /* Whoever obtained it and did not release it holds it at the end. */
        const double held = number_of(entry, "obtains") - number_of(entry, "releases") +
                            number_of(entry, "shared_obtains") - number_of(entry, "shared_releases");
        if (number_of(entry, "threads") <= 64)
            same(n, "holders at the end", text_of(entry, "name"), __builtin_popcountll(segment.state.holders),
                 held);
        const struct td_lock_times times = td_lock_times_until(&locks, n->trace, at, segment.start_ns);
        assert_true(times.contended <= times.held && times.held >= 0 && times.waited >= times.contended);
    }
    td_locks_free(&locks);
}

/* The panel Locks. */
static void check_lock_sums(const struct numbers *n)
{
    static const char *const kinds[TD_LOCK_KINDS] = {"waits",        "obtains",        "releases",
                                                     "shared_waits", "shared_obtains", "shared_releases"};
    const cJSON *entry, *list = cJSON_GetObjectItemCaseSensitive(n->info, "locks");
    struct td_lock_sums sums;
    size_t at = 0;
    assert_int_equal(td_lock_sums_make(&sums, n->trace, INT64_MIN, INT64_MAX,
                                       (int64_t)number_of(n->info, "last_time_ns"), NULL),
                     0);
    cJSON_ArrayForEach(entry, list)
    {
        const char *name = text_of(entry, "location");
        const struct td_lock_sum *sum = &sums.of[at++];
        for (int k = 0; k < TD_LOCK_KINDS; k++)
            same(n, kinds[k], name, (double)sum->events[k], number_of(entry, kinds[k]));
        same(n, "lock events", name, (double)td_lock_sum_events(sum), number_of(entry, "events"));
    }
    td_lock_sums_free(&sums);
}

/* ---- Memory ---- */

static void check_memory(const struct numbers *n)
{
    const cJSON *entry, *list = cJSON_GetObjectItemCaseSensitive(n->info, "memory_pools");
    uint32_t pool = 0;
    cJSON_ArrayForEach(entry, list)
    {
        const char *name = text_of(entry, "name");
        const struct td_memory_range range = {n->trace, pool++, INT64_MIN, INT64_MAX};
        struct td_memory_sums sums;
        assert_int_equal(td_memory_sums_make(&sums, &range, NULL), 0);
        same(n, "allocations", name, (double)sums.count, number_of(entry, "events"));
        same(n, "active", name, (double)sums.active, number_of(entry, "active"));
        same(n, "active bytes", name, (double)sums.active_bytes, number_of(entry, "active_bytes"));
        same(n, "peak bytes", name, (double)sums.peak_bytes, number_of(entry, "peak_bytes"));
        if (sums.count) {
            same(n, "low", name, (double)sums.low, number_of(entry, "low"));
            same(n, "high", name, (double)sums.high, number_of(entry, "high"));
        }
        td_memory_sums_free(&sums);
    }
}

/* ---- Losses, Trace ---- */

static bool marks_loss(void *dict, uint32_t srcloc)
{
    return (td_dict_get_srcloc(dict, srcloc)->flags & TD_SRCLOC_LOST) != 0;
}

static void check_losses(const struct numbers *n)
{
    struct td_marks marks = {0};
    struct td_losses losses;
    const cJSON *entry;
    double gaps = 0, of[TD_LOSS_KINDS] = {0}, unsynced = 0;
    assert_int_equal(td_marks_collect(&marks, n->trace, marks_loss, (void *)n->dict, 2000000, NULL), 0);
    assert_int_equal(td_losses_make(&losses, n->trace, &marks, NULL), 0);
    const struct td_loss_counts counts = td_losses_count(n->trace, &marks);
    for (size_t i = 0; i < losses.count; i++)
        of[losses.list[i].kind]++;
    cJSON_ArrayForEach(
        entry, cJSON_GetObjectItemCaseSensitive(
                   n->info, "names")) if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "lost")))
        gaps += number_of(entry, "count") + number_of(entry, "open");
    same(n, "gaps and stalls", "", of[TD_LOSS_DROPPED] + of[TD_LOSS_STALL], gaps);
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(n->info, "tracks")) unsynced +=
        cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(entry, "synced"));
    same(n, "lanes without a clock", "", (double)counts.of[TD_LOSS_UNSYNCED], unsynced);
    same(n, "crashes", "", (double)counts.of[TD_LOSS_CRASH],
         cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(n->info, "crash")));
    same(n, "crashes in the list", "", of[TD_LOSS_CRASH], (double)counts.of[TD_LOSS_CRASH]);
    same(n, "faults in the list", "", of[TD_LOSS_FAULT],
         cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(n->info, "faults")));
    same(n, "damages in the list", "", of[TD_LOSS_DAMAGE],
         cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(n->info, "damages")));
    same(n, "wrong markers in the list", "", of[TD_LOSS_MARKERS],
         cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(n->info, "instrumentation")));
    td_losses_free(&losses);
    td_marks_free(&marks);
}

static void check_facts(const struct numbers *n)
{
    static const struct {
        const char *label, *field;
    } facts[] = {{"threads", "threads"},     {"cores", "cores"},
                 {"zones", "zones"},         {"zones without end", "open_zones"},
                 {"GPU zones", "gpu_zones"}, {"messages", "messages"}};
    struct td_trace_facts made;
    assert_int_equal(td_trace_facts_make(&made, n->trace, n->path, 0), 0);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *value = td_trace_facts_get(&made, facts[i].label);
        char digits[40] = "0";
        for (size_t k = 0; value && *value && k + 1 < sizeof digits; value++)
            if (*value >= '0' && *value <= '9') {
                digits[k++] = *value;
                digits[k] = 0;
            }
        same(n, "the fact", facts[i].label, strtod(digits, NULL), number_of(n->info, facts[i].field));
    }
    td_trace_facts_free(&made);
}

static void check_clock_bounds(const struct numbers *n)
{
    struct td_clock_curve curve;
    double greatest = 0, drawn = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(n->info, "clock_bounds")) greatest =
        fmax(greatest, number_of(entry, "bound_ns"));
    td_clock_curve_make(&curve, n->trace);
    for (int c = 0; c < TD_CLOCK_CURVE_COLUMNS; c++)
        drawn = fmax(drawn, (double)curve.column[c].bound_ns);
    same(n, "the clock bound", "greatest", (double)curve.greatest_ns, greatest);
    same(n, "the clock bound", "drawn", drawn, greatest);
}

/* ---- traces ---- */

static void check_file(const char *path)
{
    struct td_err err = {0};
    struct td_sums sums;
    struct numbers n = {.path = path};
    char *text = output_of(path, "info --json");
    n.info = cJSON_Parse(text);
    free(text);
    assert_non_null(n.info);
    if (td_file_read(path, &n.trace, &err) < 0)
        fail_msg("%s", err.text);
    n.dict = td_trace_dict(n.trace);
    assert_int_equal(td_sums_make(&sums, n.trace, INT64_MIN, INT64_MAX,
                                  (int64_t)number_of(n.info, "last_time_ns"), NULL, NULL),
                     0);
    check_zones(&n, &sums, "names");
    check_zones(&n, &sums, "gpu_names");
    check_lanes(&n, &sums);
    text = output_of(path, "csvexport -u --style 0.11.1 -s '\x1f'");
    check_instances(&n, text);
    free(text);
    check_messages(&n);
    check_frames(&n);
    check_plots(&n);
    check_locks(&n);
    check_lock_sums(&n);
    check_memory(&n);
    check_losses(&n);
    check_facts(&n);
    check_clock_bounds(&n);
    td_sums_free(&sums);
    td_trace_destroy(n.trace);
    cJSON_Delete(n.info);
}

static uint32_t random_traces = 2;
static char *const *given;

static void panels_of_random_traces_agree_with_the_tools(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= random_traces; seed++) {
        char path[] = "/tmp/test_numbers.XXXXXX";
        struct td_trace *trace = random_trace(seed);
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
        td_trace_destroy(trace);
        check_file(path);
        unlink(path);
    }
}

static void panels_of_the_corpus_agree_with_the_tools(void **state)
{
    static const char *const some[] = {"0.14.0/features", "0.9.1/features", "ttfork/features",
                                       "0.11.1/sampling", "0.13.1/gpu",     "0.10/killed",
                                       "0.12.2/crash",    "0.11.1/chrome",  "0.14.0/synthetic"};
    int checked = 0;
    (void)state;
    for (char *const *path = given; *path; path++, checked++)
        check_file(*path);
    for (size_t i = 0; !*given && i < sizeof some / sizeof *some; i++) {
        char path[1200];
        if (!find_trace(path, sizeof path, some[i]))
            continue;
        check_file(path);
        checked++;
    }
    print_message("%d traces compared\n", checked);
}

int main(int argc, char **argv)
{
    (void)argc;
    given = argv + 1;
    if (*given && !strcmp(*given, "--random") && given[1]) {
        random_traces = (uint32_t)strtoul(given[1], NULL, 10);
        given += 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_of_random_traces_agree_with_the_tools),
        cmocka_unit_test(panels_of_the_corpus_agree_with_the_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
