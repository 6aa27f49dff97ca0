/* What the viewer's panels compute is what `tendril info --json` and `tendril csvexport` print.
 *
 *     test_numbers [FILE.tracy ...]      traces of the corpus if none is given
 *     test_numbers --random N FILE ...   N more, which are made here */
#include "host/file/file.h"
#include "host/trace/tables.h"
#include "host/query/sums/instances.h"
#include "host/query/sums/lane_table.h"
#include "host/query/sums/location_figures.h"
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
        const struct td_figures figures = {
            .timed = sum.timed, .total_ns = sum.total_ns, .squares = sum.squares};
        same(n, "mean", name, td_figures_mean_ns(&figures), number_of(entry, "mean_ns"));
        if (sum.timed < 2)
            continue;
        /* As stock's tools, ours round the mean down in the deviation; the panel does not. */
        const double timed = (double)sum.timed, mean = td_figures_mean_ns(&figures),
                     rounded = mean - floor(mean);
        const double panel = hypot(td_figures_deviation_ns(&figures), rounded * sqrt(timed / (timed - 1)));
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

/* ---- Trace ---- */

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
    check_facts(&n);
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
