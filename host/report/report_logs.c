/* A report of a folder of tt-metal's logs. */
#include "host/report/tt/log_source.h"
#include "host/report/report_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct log_report {
    struct report_work report; /* first: callbacks get its address */
    struct td_log_device device;
    struct td_text_arena texts;
};

static struct td_op_clock clock_of(void *self, uint32_t device)
{
    return td_log_clock(&((struct log_report *)self)->device);
}

/* All devices of a log have one line of facts. */
static struct td_chip_clock chip_of(void *self, uint32_t device)
{
    const struct log_report *l = self;
    struct td_chip_clock chip = {.chip = device,
                                 .mhz = l->device.head.frequency_mhz,
                                 .worker_cores = l->device.head.max_compute_cores};
    snprintf(chip.arch, sizeof chip.arch, "%s", l->device.head.arch);
    return chip;
}

/* Sets the folder of the logs and the path of the device log. */
static int find_logs(const char *path, char folder[TD_REPORT_PATH], char log[TD_REPORT_PATH],
                     struct td_err *err)
{
    const size_t room = TD_REPORT_PATH - 300;
    struct stat st;
    if (strlen(path) >= room)
        return td_fail(err, TD_E_USAGE, "the path is too long: %.60s...", path);
    if (stat(path, &st) < 0)
        return td_fail_errno(err, "cannot open %s", path);
    snprintf(folder, TD_REPORT_PATH, "%s", path);
    if (!S_ISDIR(st.st_mode)) {
        char *slash = strrchr(folder, '/');
        snprintf(log, TD_REPORT_PATH, "%s", path);
        if (slash)
            *slash = 0;
        else
            snprintf(folder, TD_REPORT_PATH, ".");
        return 0;
    }
    for (int in_logs = 1; in_logs >= 0; in_logs--) {
        snprintf(folder, TD_REPORT_PATH, "%.*s%s", (int)room, path, in_logs ? "/.logs" : "");
        snprintf(log, TD_REPORT_PATH, "%.*s%s/" TD_TT_DEVICE_LOG, (int)room, path, in_logs ? "/.logs" : "");
        if (access(log, F_OK) == 0)
            return 0;
    }
    return td_fail(err, TD_E_NOTFOUND, "there is no " TD_TT_DEVICE_LOG " in %s or its .logs", path);
}

static int read_logs(struct log_report *l, const char *folder, const char *log, struct td_err *err)
{
    struct report_work *r = &l->report;
    int rc = td_log_read_host(folder, &r->host, &l->texts, err);
    rc = rc ? rc : td_log_read_device(log, r->sums, &l->device, err);
    r->cores = l->device.cores;
    r->core_count = l->device.core_count;
    r->result->log_rows = l->device.rows;
    r->result->no_op_rows = l->device.no_op_rows;
    r->result->log_cut = l->device.cut;
    rc = rc ? rc : td_op_sums_end(r->sums, err);
    return rc ? rc : td_report_write_(r, err);
}

int td_report_logs(const char *path, const struct td_report_options *options, struct td_report_result *result,
                   struct td_err *err)
{
    char folder[TD_REPORT_PATH], log[TD_REPORT_PATH];
    struct log_report l = {.report = {.options = options, .result = result}};
    *result = (struct td_report_result){0};
    int rc = find_logs(path, folder, log, err);
    if (rc < 0)
        return rc;
    rc = td_report_begin_(&l.report, clock_of, chip_of, err);
    rc = rc ? rc : read_logs(&l, folder, log, err);
    rc = td_report_end_(&l.report, rc, err);
    td_text_arena_free(&l.texts);
    free(l.device.cores);
    return rc;
}
