/* The thread, or the process, whose runs on the processors the timeline shows brighter than others. */
#pragma once
#include "host/viewer/timeline/view.h"

static inline bool td_view_follows(const struct td_view *view)
{
    return view->selection.followed.thread || view->selection.followed.process;
}

static inline bool td_view_is_followed(const struct td_view *view, uint64_t thread)
{
    const struct td_followed *of = &view->selection.followed;
    return of->process ? td_switches_process(&view->model.switches, thread) == of->process
                       : of->thread == thread;
}
