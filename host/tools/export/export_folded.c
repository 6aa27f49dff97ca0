/* Folded stacks, as flamegraph.pl of Brendan Gregg reads them: a line "TRACK;OUTER;INNER NUMBER" for each stack. Of zones
 * the number is their own time in ns, of samples it counts them. */
#include "host/tools/export/export_flame.h"
#include "host/tools/files/text_output.h"

int export_folded(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    struct td_flame flame = {0};
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, false, err);
    rc = rc ? rc : export_flame_make(work, &flame, err);
    if (rc == 0 && td_flame_fold(&flame, 0, output.to) < 0)
        rc = td_fail_no_memory(err, NULL);
    td_flame_free(&flame);
    return text_output_close(&output, rc, err);
}
