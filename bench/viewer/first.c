#include "bench/viewer/first.h"
#include "host/base/clock.h"
#include "host/file/file.h"
#include "host/viewer/app/app.h"
#include "host/viewer/app/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_SECONDS 0.5
#define RUNS          3
#define LIMIT_NS      60000000000

int show_first_picture(struct report *report, const char *path, const char *begin_ns)
{
    const struct td_viewer_options options = {.offscreen = 1};
    const struct td_load_options load = {0};
    const int64_t begin = strtoll(begin_ns, NULL, 10);
    struct td_err err = {0};
    struct td_app *app = td_app_create(&options, &load, 0, &err);
    if (!app || td_app_open_file(app, path, &err) < 0 || td_app_begin(app, &err) < 0)
        return report_failure(report, "the viewer", err.text);
    const struct td_page *page = td_app_page(app);
    while (!page->has_view || !page->view.drawn)
        if (!td_app_turn(app) || page->failed.code || td_mono_ns() - begin > LIMIT_NS)
            return report_failure(report, "the first picture",
                                  page->failed.code ? page->failed.text : "does not come");
    printf("%.6f\n", (double)(td_mono_ns() - begin) / 1e9);
    fflush(stdout);
    _exit(0); /* the time to stop reading is not measured */
}

/* The seconds of a run; NAN: it failed. */
static double run_once(const char *self, const char *folder, const char *path)
{
    char command[17000], line[64] = "";
    /* What the viewer keeps about traces goes to the folder. */
    snprintf(command, sizeof command, "XDG_STATE_HOME='%s' XDG_CONFIG_HOME='%s' '%s' first '%s' %" PRId64,
             folder, folder, self, path, td_mono_ns());
    FILE *run = popen(command, "r");
    const bool said = run && fgets(line, sizeof line, run);
    return run && pclose(run) == 0 && said ? strtod(line, NULL) : NAN;
}

int report_first_picture(struct report *report, const struct td_trace *trace)
{
    char self[4000], folder[4000], path[4100], command[4100];
    const char *where = getenv("TMPDIR");
    struct td_err err = {0};
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return report_failure(report, "this program", "does not find itself");
    self[n] = 0;
    snprintf(folder, sizeof folder, "%s/tendril-bench-XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(folder))
        return report_failure(report, folder, "cannot be made");
    snprintf(path, sizeof path, "%s/first.tracy", folder);
    int rc = td_file_write(trace, path, &options, &err) < 0 ? report_failure(report, path, err.text) : 0;
    double best = INFINITY;
    for (int i = 0; i < RUNS && rc == 0; i++) {
        const double seconds = run_once(self, folder, path);
        rc = isnan(seconds) ? report_failure(report, "the first picture", "failed") : 0;
        best = fmin(best, seconds);
    }
    if (rc == 0)
        report_most(report, "first_picture_seconds", "s", best, NAN, FIRST_SECONDS);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? rc : report_failure(report, folder, "cannot be removed");
}
