#include "host/base/progress_bar.h"
#include "host/base/clock.h"
#include "host/base/plain_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FIRST_NS  INT64_C(1000000000) /* from the begin to the first drawing */
#define REDRAW_NS INT64_C(100000000)
#define WIDTH_MAX 100

/* Set by the signal handler, which can reach only globals. */
static volatile sig_atomic_t stopped;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNALS (sizeof signals / sizeof *signals)

static void on_signal(int number)
{
    stopped = 1;
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return 80;
    return size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
}

/* "123 MB/s" */
static void format_speed(char *to, size_t bytes, double per_second)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s"};
    size_t unit = 0;
    for (; per_second >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        per_second /= 1000;
    snprintf(to, bytes, "  %.*f %s", per_second < 10 ? 1 : 0, per_second, units[unit]);
}

static void format_time_left(char *to, size_t bytes, double seconds)
{
    if (seconds < 60)
        snprintf(to, bytes, "  %.0f s left", seconds);
    else if (seconds < 3600)
        snprintf(to, bytes, "  %.0f:%02d min left", (double)(int)(seconds / 60), (int)seconds % 60);
    else
        snprintf(to, bytes, "  %.1f h left", seconds / 3600);
}

static void draw_bar(const struct td_progress_bar *bar, uint64_t done, uint64_t total, int64_t now_ns)
{
    double elapsed = (double)(now_ns - bar->begin_ns) / 1e9;
    double part = total ? (double)done / (double)total : 0;
    char speed[40] = "", left[40] = "", line[600];
    part = part > 1 ? 1 : part;
    if (bar->bytes)
        format_speed(speed, sizeof speed, (double)done / elapsed);
    if (part > 0)
        format_time_left(left, sizeof left, elapsed * (1 - part) / part);
    int width = terminal_width() - 1, name = (int)strlen(bar->name);
    int fixed = (int)(strlen(speed) + strlen(left)) + 10, room = width - fixed - name;
    if (room < 10) { /* shorten the name for the bar; without room for a bar, print the name only */
        name = name + room - 10 > 0 ? name + room - 10 : 0;
        room = width - fixed - name;
    }
    if (!total || room < 3) {
        snprintf(line, sizeof line, "%.*s ...%s", name, bar->name, speed);
    } else {
        char filled[WIDTH_MAX + 1];
        int full = (int)(part * room);
        memset(filled, '#', (size_t)full);
        memset(filled + full, '.', (size_t)(room - full));
        filled[room] = 0;
        snprintf(line, sizeof line, "%.*s %3.0f%% [%s]%s%s", name, bar->name, part * 100, filled, speed,
                 left);
    }
    line[width] = 0;
    fprintf(stderr, "\r%s\033[K", td_plain(line));
    fflush(stderr);
}

static int step_bar(void *self, uint64_t done, uint64_t total)
{
    struct td_progress_bar *bar = self;
    if (bar->stops && stopped)
        return 1;
    if (!bar->on_terminal)
        return 0;
    int64_t now_ns = td_mono_ns();
    if (now_ns - bar->begin_ns < FIRST_NS || now_ns - bar->drawn_ns < REDRAW_NS)
        return 0;
    bar->visible = 1;
    bar->drawn_ns = now_ns;
    draw_bar(bar, done, total, now_ns);
    return 0;
}

struct td_progress td_progress_bar_show(struct td_progress_bar *bar, const char *name, int bytes)
{
    *bar = (struct td_progress_bar){
        .name = name, .bytes = bytes, .on_terminal = isatty(STDERR_FILENO), .begin_ns = td_mono_ns()};
    return (struct td_progress){.step = step_bar, .self = bar};
}

struct td_progress td_progress_bar_begin(struct td_progress_bar *bar, const char *name, int bytes)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct td_progress progress = td_progress_bar_show(bar, name, bytes);
    bar->stops = 1;
    stopped = 0;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], &action, &bar->old[i]);
        if (bar->old[i].sa_handler == SIG_IGN &&
            signals[i] != SIGTERM) /* ignored since nohup or a shell's & */
            sigaction(signals[i], &bar->old[i], NULL);
    }
    return progress;
}

void td_progress_bar_end(struct td_progress_bar *bar)
{
    if (bar->visible) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    for (size_t i = 0; bar->stops && i < SIGNALS; i++)
        sigaction(signals[i], &bar->old[i], NULL);
}
