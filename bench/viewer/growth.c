#include "bench/viewer/growth.h"
#include "host/base/clock.h"
#include "host/base/free_port.h"
#include "host/base/process.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS       1000000 /* of each of the program's 4 threads: 17 million zones */
#define TURNS_QUICK 20000
#define FRAME_MS    33
#define TURN_FRAMES 40 /* between two commands */
#define LIMIT_MS    600000
#define LIMIT_BYTES 100e6

static const char *const commands[] = {
    "open messages", "open statistics", "open frames", "fit",  "open lanes",   "find inner",
    "open plots",    "open instances",  "open waits",  "find", "open messages"};

/* ---- a process ---- */

struct watch {
    struct td_live *live;
    struct td_ui *ui; /* NULL: it only records */
    struct td_view view;
    unsigned frames;
};

static uint64_t resident_bytes(void)
{
    uint64_t resident = 0;
    malloc_trim(0);
    td_process_memory(&resident, NULL);
    return resident;
}

static void draw_frame(struct watch *w)
{
    td_ui_poll(w->ui, 0);
    td_view_refresh(&w->view);
    td_ui_begin(w->ui);
    td_view_frame(&w->view);
    td_ui_end(w->ui);
    if (++w->frames % TURN_FRAMES == 0)
        td_view_command_line(&w->view,
                             commands[w->frames / TURN_FRAMES % (sizeof commands / sizeof *commands)], NULL);
}

static int open_view(struct watch *w, struct td_err *err)
{
    const struct td_ui_options options = {.title = "bench", .width = 1600, .height = 900, .offscreen = true};
    w->ui = td_ui_open(&options, err);
    if (!w->ui)
        return TD_E_NOTFOUND;
    int rc = td_view_init(&w->view, w->ui, td_live_trace(w->live), w->live, "bench", err);
    return rc < 0 ? rc : td_view_use_threads(&w->view, err);
}

/* Until all events have come. The bytes since the first frames; or a negative enum td_e. */
static int64_t follow_session(struct watch *w, struct td_err *err)
{
    const int64_t until_ms = td_mono_ms() + LIMIT_MS;
    uint64_t before = 0;
    for (int turn = 0; td_live_get_state(w->live) < TD_LIVE_ENDED; turn++) {
        if (td_mono_ms() > until_ms)
            return td_fail(err, TD_E_TIMEOUT, "the session does not end");
        if (w->ui)
            draw_frame(w);
        if (!before && td_live_get_state(w->live) == TD_LIVE_RUNNING)
            before = resident_bytes();
        if (!before || w->ui || turn % 3 == 0)
            nanosleep(&(struct timespec){0, FRAME_MS * 1000000 / (before ? 1 : 30)}, NULL);
    }
    return (int64_t)(resident_bytes() - before);
}

int watch_growth(struct report *report, const char *port, const char *as)
{
    static struct watch w;
    struct td_err err = {0};
    w.live = td_live_open("127.0.0.1", atoi(port), &err);
    int rc = w.live ? 0 : err.code;
    if (rc == 0 && !strcmp(as, "viewer"))
        rc = open_view(&w, &err);
    const int64_t bytes = rc < 0 ? rc : follow_session(&w, &err);
    if (bytes < 0)
        return report_failure(report, as, err.text);
    printf("%" PRId64 "\n", bytes);
    fflush(stdout);
    _exit(0); /* the model is not finished */
}

/* ---- both ---- */

static pid_t start_program(int port, unsigned long turns)
{
    char number[32], count[32];
    snprintf(number, sizeof number, "%d", port);
    snprintf(count, sizeof count, "%lu", turns);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("TRACY_PORT", number, 1);
        setenv("TRACY_NO_EXIT", "1", 1);
        setenv("TRACY_NO_SYS_TRACE", "1", 1);
        execl(TD_GROWTH_PROGRAM, "growth_program", count, (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* The bytes of a run; NAN: it failed. */
static double run_once(const char *as, unsigned long turns)
{
    char command[4200], self[4000], line[64] = "";
    int kept = -1;
    const int port = td_free_port(&kept);
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!port || n <= 0)
        return NAN;
    self[n] = 0;
    close(kept);
    const pid_t program = start_program(port, turns);
    snprintf(command, sizeof command, "'%s' growth %d %s", self, port, as);
    FILE *run = popen(command, "r");
    const bool said = run && fgets(line, sizeof line, run);
    const bool good = run && pclose(run) == 0 && said;
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    return good ? strtod(line, NULL) : NAN;
}

int report_growth(struct report *report, bool quick)
{
    const unsigned long turns = quick ? TURNS_QUICK : TURNS;
    const double recorder = run_once("recorder", turns), viewer = run_once("viewer", turns);
    if (isnan(recorder) || isnan(viewer))
        return report_failure(report, "a live session", "cannot be watched");
    report_note(report, "a live session: recorder %.0f MB, viewer %.0f MB", recorder / 1e6, viewer / 1e6);
    report_most(report, "live_bytes_beside_recorder", "bytes", fmax(viewer - recorder, 1), recorder,
                LIMIT_BYTES);
    return 0;
}
