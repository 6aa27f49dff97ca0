#include "host/viewer/panels/sampled.h"
#include "host/base/grow.h"
#include "host/query/code/ghosts.h"
#include "host/query/code/stack_lines.h"
#include "host/viewer/timeline/limits.h"

#include <stdlib.h>

bool td_sampled_ask(struct td_view *view, struct td_query_request *of)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    struct td_samples_wanted *wanted = calloc(1, sizeof *wanted);
    of->with = wanted;
    if (!wanted || !td_lanes_key(view))
        return wanted != NULL;
    wanted->tracks = malloc(((size_t)tracks + 1) * sizeof *wanted->tracks);
    for (uint32_t t = 0; wanted->tracks && t < tracks; t++)
        if (td_lanes_passes(view, t))
            wanted->tracks[wanted->track_count++] = t;
    if (wanted->tracks)
        return true;
    free(wanted);
    return false;
}

bool td_sampled_choose(struct td_sampled *s, struct td_view *view)
{
    struct td_query_request of = {0};
    td_view_limits(view, &of.from_ns, &of.to_ns);
    if (!td_sampled_ask(view, &of))
        return false;
    *s = (struct td_sampled){view->model.trace, td_samples_of(&of), of.with};
    return true;
}

void td_sampled_free(struct td_sampled *s)
{
    td_samples_wanted_free(s->wanted);
    *s = (struct td_sampled){0};
}

uint64_t td_sampled_key(const struct td_view *view)
{
    return td_mix64(td_view_limits_key(view) ^ td_mix64(td_lanes_key(view) + 1));
}

bool td_sampled_dims(const struct td_view *view, uint32_t file, uint32_t image, uint64_t address)
{
    const struct td_dict *dict = view->model.dict;
    return td_view_choice(view, TD_CHOICE_OUTSIDE) == 0 &&
           td_is_outside_program(td_dict_text(dict, file), td_dict_text(dict, image), address);
}

double td_sampled_ns(const struct td_trace *trace, uint64_t samples)
{
    return (double)samples * (double)td_sample_period_ns(trace);
}
