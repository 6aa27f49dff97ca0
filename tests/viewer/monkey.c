/* Random input to the viewer, as a browser gives it: mouse, keys, text, sizes, dropped files and commands, from a seed. Each
 * trace gets a process of its own; if it does not survive, a line names the seed and the event, which replay it:
 *
 *   monkey [-s SEED] [-n EVENTS] [-t SECONDS] TRACE...
 *
 * What threads compute comes at other times in each run, so a replay may need some tries. monkey.py runs it in a folder
 * of its own. */
#include "host/base/clock.h"
#include "host/viewer/app/app.h"
#include "host/viewer/app/page.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/ui/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct monkey {
    uint64_t random;
    struct td_app *app;
    struct td_ui *ui;
    const char *trace;
    double width, height, x, y;
    unsigned down; /* mouse buttons */
};

static uint64_t *done; /* events, of the child and its parent */

static const struct td_load_options load;
static struct td_viewer_options options = {.width = 1280, .height = 800, .scale = 1, .web = {.port = "0"}};

static unsigned below(struct monkey *m, unsigned count)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (unsigned)((m->random >> 20) % count);
}

/* ---- the viewer ---- */

static void open_app(struct monkey *m)
{
    struct td_err err = {0};
    m->app = td_app_create(&options, &load, 0, &err);
    if (!m->app || td_app_open_file(m->app, m->trace, &err) < 0 || td_app_begin(m->app, &err) < 0) {
        fprintf(stderr, "monkey: %s\n", err.text);
        exit(2);
    }
    m->ui = td_app_ui(m->app);
    m->down = 0;
}

static const struct td_view *view_of(struct monkey *m)
{
    struct td_page *page = td_app_page(m->app);
    return page && page->has_view ? &page->view : NULL;
}

/* Until the trace is shown, so that the first events do not all meet an empty window. */
static void wait_loaded(struct monkey *m)
{
    const int64_t until = td_mono_ms() + 60000;
    while (td_app_page(m->app) && td_page_is_busy(td_app_page(m->app)) && td_mono_ms() < until) {
        td_ui_remote_wake(m->ui);
        td_app_turn_now(m->app);
    }
}

static void take_turn(struct monkey *m)
{
    struct td_remote_frame frame;
    td_ui_remote_wake(m->ui);
    const bool open = td_app_turn_now(m->app);
    td_ui_remote_frame(m->ui, &frame);
    td_ui_remote_copied(m->ui);
    if (open)
        return;
    td_app_destroy(m->app);
    open_app(m);
}

/* ---- events ---- */

static void move(struct monkey *m)
{
    const bool near = below(m, 2);
    m->x = near ? m->x + (double)below(m, 81) - 40 : (double)below(m, (unsigned)m->width + 20) - 10;
    m->y = near ? m->y + (double)below(m, 41) - 20 : (double)below(m, (unsigned)m->height + 20) - 10;
    td_ui_remote_move(m->ui, (float)m->x, (float)m->y);
}

static void press_button(struct monkey *m)
{
    static const int often[] = {TD_MOUSE_LEFT, TD_MOUSE_LEFT, TD_MOUSE_LEFT, TD_MOUSE_RIGHT, TD_MOUSE_MIDDLE};
    const int button = often[below(m, 5)];
    const bool down = !(m->down & 1u << button);
    m->down ^= 1u << button;
    td_ui_remote_button(m->ui, button, down, 1 + (int)below(m, 2));
}

static void click(struct monkey *m)
{
    const int button = below(m, 4) ? TD_MOUSE_LEFT : TD_MOUSE_RIGHT;
    td_ui_remote_button(m->ui, button, true, 1 + !below(m, 5));
    take_turn(m);
    td_ui_remote_button(m->ui, button, false, 1);
    m->down &= ~(1u << button);
}

static void press_key(struct monkey *m)
{
    const int key =
        below(m, 2) ? TD_KEY_LEFT + (int)below(m, TD_KEY_MENU - TD_KEY_LEFT + 1) : ' ' + (int)below(m, 95);
    struct td_key_press press = {.key = key >= 'A' && key <= 'Z' ? key + 32 : key,
                                 .shift = !below(m, 3),
                                 .ctrl = !below(m, 5),
                                 .alt = !below(m, 20)};
    const char text[2] = {(char)key};
    td_ui_remote_key(m->ui, &press, true);
    if (key < TD_KEY_LEFT && !press.ctrl && !press.alt)
        td_ui_remote_text(m->ui, text);
    if (below(m, 30)) /* else it hangs, as keys do whose end another window gets */
        td_ui_remote_key(m->ui, &press, false);
}

static const char *word(struct monkey *m)
{
    static const char *const words[] = {"draw",
                                        "main",
                                        "o",
                                        "1ms..2ms",
                                        "2us",
                                        "-5",
                                        "0",
                                        "99999999999",
                                        "busy > 10 %",
                                        "kernel x",
                                        "tile 1,2",
                                        "not (",
                                        "\"",
                                        "\\",
                                        ";",
                                        "#1",
                                        "#4000000000",
                                        "all",
                                        "next",
                                        "auto",
                                        "[a-z",
                                        "^.;x",
                                        "statistics,memory",
                                        "%s%n",
                                        "\xc3\xa4",
                                        "\xd7\x90\xd7\x91",
                                        "a, -b",
                                        "nan",
                                        "1e308s..2s",
                                        "-1s..1s",
                                        "0ns..0ns",
                                        "5 10",
                                        "",
                                        "csv",
                                        "left",
                                        "name"};
    return words[below(m, sizeof words / sizeof *words)];
}

/* Not those that write files where they are told to, or that end the viewer. */
static bool is_harmless(const char *command)
{
    return strcmp(command, "screenshot") != 0 && strcmp(command, "export") != 0 &&
           strcmp(command, "listing") != 0 && strcmp(command, "quit") != 0;
}

static void run_command(struct monkey *m)
{
    char line[400];
    struct td_err err = {0};
    unsigned count = 0, values = 0;
    const struct td_view *view = view_of(m);
    while (td_view_command_at(count))
        count++;
    const struct td_view_command *command = td_view_command_at(below(m, count));
    if (!view || !is_harmless(command->name))
        return;
    while (values < 200 && td_view_command_value(view, command->name, values))
        values++;
    const char *first =
        values && below(m, 4) ? td_view_command_value(view, command->name, below(m, values)) : word(m);
    const unsigned words = below(m, 3);
    snprintf(line, sizeof line, "%s %.150s %s", command->name, words ? first : "", words > 1 ? word(m) : "");
    td_view_command_line(&td_app_page(m->app)->view, line, &err);
}

static void resize(struct monkey *m)
{
    static const double scales[] = {1, 1, 1, .5, 1.25, 2, 3, 8};
    const bool tiny = !below(m, 4);
    m->width = 1 + below(m, tiny ? 200 : 2000);
    m->height = 1 + below(m, tiny ? 200 : 1200);
    td_ui_remote_resize(m->ui, (int)m->width, (int)m->height, scales[below(m, 8)]);
}

static void do_event(struct monkey *m)
{
    const unsigned kind = below(m, 1000);
    if (kind < 300)
        move(m);
    else if (kind < 400)
        press_button(m);
    else if (kind < 550)
        click(m);
    else if (kind < 620)
        td_ui_remote_wheel(m->ui, (float)below(m, 3) - 1, (float)below(m, 9) - 4);
    else if (kind < 850)
        press_key(m);
    else if (kind < 890)
        td_ui_remote_text(m->ui, word(m));
    else if (kind < 960)
        run_command(m);
    else if (kind < 975)
        resize(m);
    else if (kind < 980)
        td_ui_remote_paste(m->ui, word(m));
    else if (kind < 985)
        td_ui_remote_leave(m->ui);
    else if (kind < 990)
        td_ui_remote_blur(m->ui);
    else if (kind < 993)
        td_ui_remote_drop(m->ui, below(m, 2) ? m->trace : "/nonexistent/x.tracy");
    else if (kind < 997)
        wait_loaded(m);
    else if (td_app_page_count(m->app) > 3) {
        td_app_destroy(m->app);
        open_app(m);
    }
}

static void play(const char *trace, uint64_t seed, uint64_t events, double seconds)
{
    struct monkey m = {
        .random = seed * 0x9e3779b97f4a7c15u | 1, .trace = trace, .width = 1280, .height = 800};
    const int64_t until = td_mono_ms() + (int64_t)(seconds * 1e3);
    open_app(&m);
    wait_loaded(&m);
    for (; *done < events && td_mono_ms() < until; ++*done) {
        do_event(&m);
        if (below(&m, 4)) /* some come together */
            take_turn(&m);
    }
    td_app_destroy(m.app);
}

/* 0, or 1: it did not survive. */
static int watch(const char *trace, uint64_t seed, uint64_t events, double seconds)
{
    int status = 0;
    *done = 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        play(trace, seed, events, seconds);
        exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("%s: %" PRIu64 " events of seed %" PRIu64 "%s\n", trace, *done, seed,
           good ? "" : ", then it ended");
    if (!good)
        printf("to do it again: monkey -s %" PRIu64 " -n %" PRIu64 " %s\n", seed, *done + 1, trace);
    return !good;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, events = UINT64_MAX;
    double seconds = 1e9;
    int failed = 0, c;
    while ((c = getopt(argc, argv, "s:n:t:")) != -1) {
        if (c == '?')
            return 2;
        if (c == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (c == 'n')
            events = strtoull(optarg, NULL, 10);
        else
            seconds = strtod(optarg, NULL);
    }
    done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (done == MAP_FAILED || optind == argc || (events == UINT64_MAX && seconds >= 1e9)) {
        fprintf(stderr, "usage: monkey -s SEED [-n EVENTS] [-t SECONDS] TRACE...\n");
        return 2;
    }
    for (int i = optind; i < argc; i++)
        failed |= watch(argv[i], seed, events, seconds / (argc - optind));
    return failed;
}
