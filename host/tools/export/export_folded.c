/* Folded stacks, as flamegraph.pl of Brendan Gregg reads them: a line "TRACK;OUTER;INNER NUMBER" for each stack. Of zones
 * the number is their own time in ns, of samples it counts them: the sums of the viewer's flame graph. */
#include "host/query/sums/flame.h"
#include "host/query/sums/zone_tree.h"
#include "host/tools/export/export.h"
#include "host/tools/files/text_output.h"

static int make_flame(const struct export_work *work, struct td_flame *flame)
{
    static const struct td_samples_choice samples = {.kind = TD_SAMPLES_RUNNING};
    static const struct td_zone_tree_choice zones = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .by_track = true};
    struct td_call_tree tree;
    int rc = work->samples ? td_sample_tree_make(work->trace, &samples, true, work->progress, &tree)
                           : td_zone_tree_make(work->trace, &zones, work->progress, &tree, NULL);
    rc = rc ? rc : td_flame_take(flame, work->trace, &tree);
    td_call_tree_free(&tree);
    return rc;
}

int export_folded(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    struct td_flame flame = {0};
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, false, err);
    if (rc == 0) {
        rc = make_flame(work, &flame);
        rc = rc ? rc : td_flame_fold(&flame, 0, output.to);
        if (rc < 0)
            rc == TD_E_STOPPED ? td_fail(err, rc, "stopped") : td_fail_no_memory(err, NULL);
    }
    td_flame_free(&flame);
    return text_output_close(&output, rc, err);
}
