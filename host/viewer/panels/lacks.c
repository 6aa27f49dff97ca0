#include "host/viewer/panels/lacks.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/view.h"

static bool has_rows(const struct td_view *view, enum td_table table)
{
    return td_trace_table_rows(view->model.trace, table) > 0;
}

const char *td_lacks_locks(const struct td_view *view)
{
    return has_rows(view, TD_TABLE_LOCK) ? NULL
                                         : "The trace has no locks. A program marks its mutexes with "
                                           "TracyLockable, or TracyCLockAnnounce in C.";
}

const char *td_lacks_memory(const struct td_view *view)
{
    return has_rows(view, TD_TABLE_MEMORY)
               ? NULL
               : "The trace has no allocations. A program marks them with TracyAlloc and TracyFree; "
                 "libtendril-malloc marks those of malloc() and free().";
}

const char *td_lacks_plots(const struct td_view *view)
{
    return td_dict_plot_count(view->model.dict)
               ? NULL
               : "The trace has no plots. A program makes them with TracyPlot, a kernel with TD_PLOT_INT.";
}

const char *td_lacks_messages(const struct td_view *view)
{
    return td_trace_messages(view->model.trace)
               ? NULL
               : "The trace has no messages. A program sends them with TracyMessage, a kernel with TD_LOG.";
}

const char *td_lacks_frames(const struct td_view *view)
{
    return td_dict_frame_set_count(view->model.dict)
               ? NULL
               : "The trace has no frames. A program marks the end of each with FrameMark.";
}

const char *td_lacks_images(const struct td_view *view)
{
    return has_rows(view, TD_TABLE_IMAGE)
               ? NULL
               : "The trace has no images of frames. A program sends small ones with FrameImage.";
}

const char *td_lacks_cpu_data(const struct td_view *view)
{
    return td_trace_table_rows(view->model.trace, TD_TABLE_CPU_SWITCH)
               ? NULL
               : "The trace does not say what the processors ran. A program records context switches when it "
                 "runs as "
                 "root; tendril capture --system records those of all programs.";
}

const char *td_lacks_waits(const struct td_view *view)
{
    return view->model.has_waits || view->model.flows.count || has_rows(view, TD_TABLE_CPU_SWITCH)
               ? NULL
               : "No zone waits, and there are no flows. A program marks waits with TD_WAIT zones; flows say "
                 "who gave what was waited for. Context switches say which thread woke which.";
}

const char *td_lacks_samples(const struct td_view *view)
{
    return has_rows(view, TD_TABLE_SAMPLE)
               ? NULL
               : "The trace has no samples of call stacks. tendril record --sample takes them of a program, "
                 "--sample-cores of the cores of a board.";
}

const char *td_lacks_flame(const struct td_view *view)
{
    return view->model.zones || has_rows(view, TD_TABLE_SAMPLE)
               ? NULL
               : "The trace has neither zones nor samples. A program marks zones with ZoneScoped, a kernel "
                 "with "
                 "TD_ZONE; tendril record --sample takes samples.";
}

const char *td_lacks_wait_stacks(const struct td_view *view)
{
    return has_rows(view, TD_TABLE_SWITCH_SAMPLE) ? NULL
                                                  : "The trace has no call stacks of threads that stop. They "
                                                    "need context switches, which a program "
                                                    "records when it runs as root.";
}

const char *td_lacks_stacks(const struct td_view *view)
{
    return has_rows(view, TD_TABLE_STACK) ? NULL
                                          : "The trace has no call stacks. Zones, messages and allocations "
                                            "have them with the macros that end in S, "
                                            "such as ZoneScopedS.";
}

const char *td_lacks_cores(const struct td_view *view)
{
    return view->model.cores ? NULL
                             : "The trace has no cores. tendril record adds the zones of a board's kernels "
                               "to those of the program.";
}

const char *td_lacks_zones(const struct td_view *view)
{
    return view->model.zones ? NULL : "The trace has no zones. A program marks them with ZoneScoped.";
}

const char *td_lacks_connection(const struct td_view *view)
{
    return view->model.live
               ? NULL
               : "No program is connected: this trace is complete. Ctrl+O connects to a program, "
                 "and so does tendril view HOST:PORT.";
}

const char *td_lacks_selection(const struct td_view *view)
{
    return td_ref_valid(view->selection.zone)
               ? NULL
               : "No zone is selected. Click on one in the timeline, or find one with /.";
}
