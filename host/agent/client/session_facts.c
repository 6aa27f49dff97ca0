#include "host/agent/client/session_facts.h"
#include "host/agent/client/client_clock.h"

#include <stdio.h>

int td_session_describe(const struct td_session_facts *facts, struct td_trace *trace)
{
    const struct td_wire_welcome *w = &facts->welcome;
    struct td_trace_info *info = td_trace_edit_info(trace);
    char name[128], when[32];
    struct tm local;
    info->capture_time_s = (uint64_t)facts->when;
    info->sampling_period_ns = w->samplingPeriod;
    info->on_demand = (w->flags & TD_WIRE_FLAG_ON_DEMAND) != 0;
    info->frame_offset = facts->frame_offset;
    localtime_r(&facts->when, &local);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
    snprintf(name, sizeof name, "%.63s @ %s", w->programName, when);
    return td_client_describe(w, info) || td_trace_set_string(&info->capture_name, name) ||
                   td_trace_set_string(&info->program, w->programName)
               ? TD_E_NOMEM
               : 0;
}

const char *td_session_format(const struct td_wire_release *release)
{
    /* Protocol 66 is also the fork's before its first GPU context. Both releases open version 0.10.0. */
    if (release == &td_wire_66)
        return "0.10.0";
    return td_wire_is_fork(release) ? "tt" : release->tracy;
}
