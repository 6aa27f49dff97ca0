#include "bench/viewer/first.h"
#include "host/base/clock.h"
#include "host/file/file.h"
#include "host/viewer/app/app.h"
#include "host/viewer/app/page.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW_SECONDS 0.2
#define FIRST_SECONDS  0.5
#define RUNS           5
#define RUNS_QUICK     1
#define LIMIT_NS       60000000000

/* Seconds since the start of the process. */
struct first {
    double window, picture;
};

/* ---- the process that shows the file ---- */

static double seconds_since(int64_t begin_ns)
{
    return (double)(td_mono_ns() - begin_ns) / 1e9;
}

int show_first(struct report *report, const char *where, const char *path, const char *begin_ns)
{
    const struct td_viewer_options options = {.offscreen = !strcmp(where, "offscreen")};
    const struct td_load_options load = {0};
    const int64_t begin = strtoll(begin_ns, NULL, 10);
    struct td_err err = {0};
    struct first first = {0};
    struct td_app *app = td_app_create(&options, &load, 0, &err);
    if (!app || td_app_open_file(app, path, &err) < 0 || td_app_begin(app, &err) < 0)
        return report_failure(report, "the viewer", err.text);
    const struct td_page *page = td_app_page(app);
    while (!page->has_view || !page->view.drawn.count) {
        if (!td_app_turn(app) || page->failed.code || td_mono_ns() - begin > LIMIT_NS)
            return report_failure(report, "the first picture",
                                  page->failed.code ? page->failed.text : "does not come");
        if (first.window == 0 && td_ui_triangles(td_app_ui(app)) > 0)
            first.window = seconds_since(begin);
    }
    first.picture = seconds_since(begin);
    printf("%.6f %.6f\n", first.window, first.picture);
    fflush(stdout);
    _exit(0); /* the time to stop reading is not measured */
}

/* ---- an X server ---- */

/* Starts one that chooses a free display number, and sets DISPLAY. -1: none can be had. */
static pid_t start_display(void)
{
    int ends[2];
    char number[32] = ":";
    if (pipe(ends) < 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        char end[16];
        snprintf(end, sizeof end, "%d", ends[1]);
        close(ends[0]);
        if (!freopen("/dev/null", "w", stderr))
            _exit(127);
        execlp("Xvfb", "Xvfb", "-displayfd", end, "-screen", "0", "1920x1080x24", "-nolisten", "tcp",
               (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *input = fdopen(ends[0], "r");
    const bool said = pid > 0 && input && fgets(number + 1, sizeof number - 1, input);
    if (input)
        fclose(input);
    if (said) {
        number[strcspn(number, "\n")] = 0;
        setenv("DISPLAY", number, 1);
        return pid;
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return -1;
}

static void stop_display(pid_t pid)
{
    if (pid < 0)
        return;
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

/* ---- the runs ---- */

struct run {
    char self[4000], folder[4000], path[4100];
    const char *where;
};

static bool run_once(const struct run *run, struct first *first)
{
    char command[17000], line[64] = "";
    /* What the viewer keeps about traces goes to the folder. */
    snprintf(command, sizeof command, "XDG_STATE_HOME='%s' XDG_CONFIG_HOME='%s' '%s' first %s '%s' %" PRId64,
             run->folder, run->folder, run->self, run->where, run->path, td_mono_ns());
    FILE *output = popen(command, "r");
    const bool said = output && fgets(line, sizeof line, output);
    return output && pclose(output) == 0 && said &&
           sscanf(line, "%lf %lf", &first->window, &first->picture) == 2;
}

static int report_runs(struct report *report, const struct run *run, int runs)
{
    struct first best = {INFINITY, INFINITY};
    for (int i = 0; i < runs; i++) {
        struct first first;
        if (!run_once(run, &first))
            return report_failure(report, "the first picture", "failed");
        best.window = fmin(best.window, first.window);
        best.picture = fmin(best.picture, first.picture);
    }
    if (strcmp(run->where, "window") != 0)
        report_note(report, "no Xvfb: the first window is laid out, and not drawn");
    report_most(report, "first_window_seconds", "s", best.window, NAN, WINDOW_SECONDS);
    report_most(report, "first_picture_seconds", "s", best.picture, NAN, FIRST_SECONDS);
    return 0;
}

int report_first(struct report *report, bool quick, const struct td_trace *trace)
{
    struct run run = {.where = "window"};
    char command[4100];
    const char *where = getenv("TMPDIR");
    struct td_err err = {0};
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    const ssize_t n = readlink("/proc/self/exe", run.self, sizeof run.self - 1);
    if (n <= 0)
        return report_failure(report, "this program", "does not find itself");
    snprintf(run.folder, sizeof run.folder, "%s/tendril-bench-XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(run.folder))
        return report_failure(report, run.folder, "cannot be made");
    snprintf(run.path, sizeof run.path, "%s/first.tracy", run.folder);
    int rc =
        td_file_write(trace, run.path, &options, &err) < 0 ? report_failure(report, run.path, err.text) : 0;
    const pid_t display = rc == 0 ? start_display() : -1;
    if (display < 0)
        run.where = "offscreen";
    if (rc == 0)
        rc = report_runs(report, &run, quick ? RUNS_QUICK : RUNS);
    stop_display(display);
    snprintf(command, sizeof command, "rm -r '%s'", run.folder);
    return system(command) == 0 ? rc : report_failure(report, run.folder, "cannot be removed");
}
