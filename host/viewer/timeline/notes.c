#include "host/viewer/timeline/notes.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

int td_view_add_note(struct td_view *view, double from_ns, double to_ns, const char *text, struct td_err *err)
{
    if (from_ns == to_ns && view->selection.measured) {
        from_ns = fmin(view->selection.measure_from_ns, view->selection.measure_to_ns);
        to_ns = fmax(view->selection.measure_from_ns, view->selection.measure_to_ns);
    } else if (from_ns == to_ns) {
        from_ns = view->camera.to_start_ns;
        to_ns = view->camera.to_end_ns;
    }
    struct td_annotation note = {.from_ns = td_lod_time(from_ns),
                                 .to_ns = td_lod_time(to_ns),
                                 .color = td_annotation_color(view->notes.count)};
    snprintf(note.text, sizeof note.text, "%s", text);
    int at = td_annotations_add(&view->notes, &note);
    if (at < 0)
        return td_fail(err, at, "%s", at == TD_E_LIMIT ? "there are too many notes" : "out of memory");
    view->selection.note = at + 1;
    return 0;
}

void td_view_say(struct td_view *view, const char *text)
{
    snprintf(view->panels.notice, sizeof view->panels.notice, "%s", text);
}
