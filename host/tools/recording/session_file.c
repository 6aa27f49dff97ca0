#include "host/tools/recording/session_file.h"
#include "host/agent/client/client_clock.h"
#include "host/agent/client/session_facts.h"
#include "host/base/plain_text.h"
#include "host/file/file.h"
#include "host/file/format.h"
#include "host/tools/recording/capture_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int copy_welcome(const struct session_file *session, struct td_trace *trace)
{
    const struct td_session_facts facts = {.welcome = *session->welcome,
                                           .release = session->release,
                                           .frame_offset = session->frame_offset,
                                           .when = session->when};
    return td_session_describe(&facts, trace);
}

/* By default, the file is for the program's own release, or the newest if that release has no file version.
 */
static int choose_version(const struct session_file *session, struct td_file_options *options,
                          struct td_err *err)
{
    if (session->format && strcmp(session->format, "same") != 0)
        return td_file_format(session->format, options, err);
    if (!session->welcome)
        return td_file_format("any", options, err);
    struct td_err none = {0};
    if (td_file_format(td_session_format(session->release), options, &none) != 0)
        options->version = TD_FILE_VERSION_NEWEST;
    return 0;
}

int session_file_check(const char *format, struct td_err *err)
{
    struct td_file_options unused = {0};
    return format && strcmp(format, "same") != 0 ? td_file_format(format, &unused, err) : 0;
}

static int set_program(const struct session_file *session, struct td_trace *trace)
{
    struct td_trace_info *info = td_trace_edit_info(trace);
    info->capture_time_s = (uint64_t)session->when;
    return td_trace_set_string(&info->capture_name, session->program) ||
           td_trace_set_string(&info->program, session->program);
}

int session_file_prepare(const struct session_file *session, struct td_trace *trace,
                         struct td_file_options *options, struct td_err *err)
{
    int rc = choose_version(session, options, err);
    if (rc == 0 && (session->welcome ? copy_welcome : set_program)(session, trace) != 0)
        rc = td_fail(err, TD_E_NOMEM, "no memory for the trace");
    return rc;
}

int session_file_save(const struct session_file *session, struct td_trace *trace, struct td_err *err)
{
    struct td_file_notice notice = {0};
    struct td_file_options options = {.notice = &notice, .threads = session->threads};
    int rc = session_file_prepare(session, trace, &options, err);
    if (rc == 0 && !td_trace_is_finished(trace))
        rc = td_trace_finish(trace, err);
    if (rc < 0)
        return rc;
    rc = output_write(session->output, trace, &options, err);
    if (session->output->saved[0] && notice.text[0])
        fprintf(stderr, "%s: %s\n", session->output->command, TD_PLAIN(notice.text));
    return rc;
}

void session_file_print(const struct session_file *session, const struct td_trace *trace)
{
    struct td_client_counts counts = *session->counts;
    const struct td_trace_info *info = td_trace_get_info(trace);
    printf("program      %s (Tracy %s)\n", TD_PLAIN(session->welcome->programName), session->release->tracy);
    printf("zones        %" PRIu64 ", %" PRIu64 " on GPUs\n", counts.zones, counts.gpu_zones);
    printf("messages     %" PRIu64 ", %" PRIu64 " frames, %" PRIu64 " plot points\n", counts.messages,
           counts.frames, counts.plot_points);
    printf("memory       %" PRIu64 " allocations, %" PRIu64 " lock events, %" PRIu64 " samples\n",
           counts.allocations, counts.lock_events, counts.samples);
    if (counts.ignored || counts.unnamed || counts.odd_memory || counts.time_bent)
        printf("odd          %" PRIu64 " unmatched items, %" PRIu64 " without a name, %" PRIu64
               " in memory, %" PRIu64 " times\n",
               counts.ignored, counts.unnamed, counts.odd_memory, counts.time_bent);
    char timer[100];
    td_client_timer_text(session->welcome, timer, sizeof timer);
    printf("clock        %s\n", timer);
    capture_print_parameters(trace);
    printf("time         %.3f s\n", (double)info->last_time_ns / 1e9);
    printf("trace        %s\n", TD_PLAIN(session->output->saved));
}
