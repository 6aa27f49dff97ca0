#include "host/tools/files/report_flame.h"
#include "host/query/sums/zone_tree.h"

#include <stdlib.h>

static int make_boxes(const struct td_flame *flame, bool is_samples, struct td_html_flame *page)
{
    const struct td_call_tree *tree = &flame->tree;
    struct td_html_box *boxes = calloc(tree->count + 1, sizeof *boxes);
    if (!boxes)
        return TD_E_NOMEM;
    *page = (struct td_html_flame){boxes, 0, is_samples};
    for (uint32_t at = 0; tree->count && at != TD_CALL_NONE; at = td_call_tree_next(tree, at, 0, true)) {
        const struct td_call_node *n = &tree->at[at];
        boxes[page->count++] =
            (struct td_html_box){td_flame_name(flame, at), n->total, n->self, n->zones, n->depth};
    }
    return 0;
}

int report_flames_make(struct report_flames *f, const struct td_trace *trace, struct td_err *err)
{
    static const struct td_zone_tree_choice zones = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .most_nodes = TD_ZONE_TREE_NODES};
    static const struct td_samples_choice samples = {.kind = TD_SAMPLES_RUNNING};
    struct td_call_tree tree = {0};
    int rc = td_zone_tree_make(trace, &zones, NULL, &tree, NULL);
    rc = rc ? rc : td_flame_take(&f->zones, trace, &tree);
    rc = rc ? rc : make_boxes(&f->zones, false, &f->page.zones);
    td_call_tree_free(&tree);
    rc = rc ? rc : td_sample_tree_make(trace, &samples, false, NULL, &tree);
    rc = rc ? rc : td_flame_take(&f->samples, trace, &tree);
    rc = rc ? rc : make_boxes(&f->samples, true, &f->page.samples);
    td_call_tree_free(&tree);
    return rc ? td_fail_no_memory(err, "for flame graphs") : 0;
}

void report_flames_free(struct report_flames *f)
{
    free((struct td_html_box *)f->page.zones.boxes);
    free((struct td_html_box *)f->page.samples.boxes);
    td_flame_free(&f->zones);
    td_flame_free(&f->samples);
    *f = (struct report_flames){0};
}
