#include "host/tools/export/export_flame.h"
#include "host/query/sums/zone_tree.h"

int export_flame_make(const struct export_work *work, struct td_flame *flame, struct td_err *err)
{
    static const struct td_samples_choice samples = {.kind = TD_SAMPLES_RUNNING};
    static const struct td_zone_tree_choice zones = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .by_track = true};
    struct td_call_tree tree;
    int rc = work->samples ? td_sample_tree_make(work->trace, &samples, true, work->progress, &tree)
                           : td_zone_tree_make(work->trace, &zones, work->progress, &tree, NULL);
    rc = rc ? rc : td_flame_take(flame, work->trace, &tree);
    td_call_tree_free(&tree);
    if (rc < 0)
        return rc == TD_E_STOPPED ? td_fail(err, rc, "stopped") : td_fail_no_memory(err, NULL);
    return 0;
}
