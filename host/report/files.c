#include "host/report/files.h"
#include "host/base/path.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 18)

void td_report_date(char date[TD_REPORT_DATE], int64_t unix_seconds)
{
    const time_t at = (time_t)unix_seconds;
    struct tm tm;
    if (!localtime_r(&at, &tm) || !strftime(date, TD_REPORT_DATE, "%Y_%m_%d_%H_%M_%S", &tm))
        snprintf(date, TD_REPORT_DATE, "%lld", (long long)unix_seconds);
}

static int make_folders(const char *path, struct td_err *err)
{
    const int rc = td_folders_make(path, 0777, err);
    return rc ? rc : td_folder_make(path, err);
}

#define IN_REPORTS (TD_REPORT_BIT(OPS) | TD_REPORT_BIT(OP_TO_OP))

int td_report_folders_make(const struct td_report_options *o, struct td_report_result *result,
                           struct td_err *err)
{
    const size_t room = TD_REPORT_FOLDER;
    const int logs = snprintf(result->logs, room, "%s/.logs", o->out);
    const int reports = snprintf(result->reports, room, "%s/reports/%s%s%s", o->out, o->name ? o->name : "",
                                 o->name ? "/" : "", o->date);
    if (logs < 0 || reports < 0 || (size_t)logs >= room || (size_t)reports >= room)
        return td_fail(err, TD_E_USAGE, "the path of the folder is too long: %.60s...", o->out);
    int rc = o->files & ~IN_REPORTS ? make_folders(result->logs, err) : 0;
    if (rc == 0 && o->files & IN_REPORTS)
        rc = make_folders(result->reports, err);
    return rc;
}

void td_report_path(char path[TD_REPORT_PATH], const struct td_report_options *o,
                    const struct td_report_result *result, enum td_report_file file)
{
    static const char *const names[TD_REPORT_FILE_COUNT] = {
        [TD_REPORT_OPS] = "ops_perf_results",
        [TD_REPORT_OP_TO_OP] = "per_core_op_to_op_times",
        [TD_REPORT_PERF] = "cpp_device_perf_report.csv",
        [TD_REPORT_LOG] = "profile_log_device.csv",
        [TD_REPORT_ZONES] = "zone_src_locations.log",
        [TD_REPORT_NOC] = "",
        [TD_REPORT_SYNC] = "sync_device_info.csv",
    };
    if (1u << file & IN_REPORTS)
        snprintf(path, TD_REPORT_PATH, "%s/%s_%.100s%s%s.csv", result->reports, names[file],
                 o->name ? o->name : "", o->name ? "_" : "", o->date);
    else
        snprintf(path, TD_REPORT_PATH, "%s/%s", result->logs, names[file]);
}

int td_report_stream_open(struct td_report_stream *stream, const char *path, struct td_err *err)
{
    snprintf(stream->path, sizeof stream->path, "%s", path);
    const int n = snprintf(stream->unfinished, sizeof stream->unfinished, "%s.unfinished", path);
    if (n < 0 || (size_t)n >= sizeof stream->unfinished)
        return td_fail(err, TD_E_USAGE, "the path is too long: %.60s...", path);
    stream->to = fopen(stream->unfinished, "we");
    if (!stream->to)
        return td_fail_errno(err, "cannot write %s", path);
    setvbuf(stream->to, NULL, _IOFBF, BUFFER_BYTES);
    return 0;
}

int td_report_stream_close(struct td_report_stream *stream, bool keep, struct td_err *err)
{
    if (!stream->to)
        return 0;
    int rc = 0;
    errno = 0;
    const bool bad = fflush(stream->to) != 0 || ferror(stream->to);
    if (bad && keep)
        rc = td_fail_errno(err, "cannot write %s", stream->path);
    fclose(stream->to);
    stream->to = NULL;
    if (keep && rc == 0 && rename(stream->unfinished, stream->path) < 0)
        rc = td_fail_errno(err, "cannot write %s", stream->path);
    if (!keep || rc < 0)
        unlink(stream->unfinished);
    return rc;
}
