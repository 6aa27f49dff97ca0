/* tendril doctor: what this machine can record and show, and what to change where it cannot. */
#include "host/agent/child.h"
#include "host/agent/program.h"
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/base/json.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/process.h"
#include "host/device/discover.h"
#include "host/perf/perf.h"
#include "host/tools/commands.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct doctor {
    struct td_json json;
    bool as_json;
    unsigned missing;
};

/* `text`: what was found; `cure`: what to do, NULL if the part works. */
static void say(struct doctor *d, const char *part, const char *text, const char *cure)
{
    d->missing += cure != NULL;
    if (!d->as_json) {
        printf("%-8s %-10s %s\n", cure ? "missing" : "ok", part, TD_PLAIN(text));
        if (cure)
            printf("%-8s %-10s -> %s\n", "", "", TD_PLAIN(cure));
        return;
    }
    td_json_object(&d->json, NULL);
    td_json_string(&d->json, "part", part);
    td_json_bool(&d->json, "works", !cure);
    td_json_string(&d->json, "text", text);
    td_json_string(&d->json, "cure", cure);
    td_json_end_object(&d->json);
}

static void works(struct doctor *d, const char *part, const char *text)
{
    say(d, part, text, NULL);
}

static bool is_in_path(const char *program)
{
    struct td_program found;
    return td_program_find(&found, program, NULL) == 0;
}

/* ---- boards ---- */

struct boards {
    struct td_board *all;
    size_t count, room;
    unsigned present;
    struct doctor *doctor;
};

static int add_board(void *self, const char *name, const char *path)
{
    struct boards *b = self;
    struct td_err err = {0};
    if (td_grow(&b->all, &b->room, b->count + 1, sizeof *b->all))
        return TD_E_NOMEM;
    if (td_board_load(&b->all[b->count], path, NULL, NULL, &err) == 0)
        b->count++;
    else
        say(b->doctor, "boards", err.text, "mend the description");
    return 0;
}

static int say_board(void *self, const struct td_discovered *present)
{
    struct boards *b = self;
    struct doctor *d = b->doctor;
    char text[300];
    b->present++;
    snprintf(text, sizeof text, "%.80s: %.150s", present->where, present->what);
    if (present->why_not[0])
        say(d, "board", text, present->why_not);
    else
        works(d, "board", text);
    return 0;
}

static void look_for_boards(struct doctor *d)
{
    struct boards boards = {.doctor = d};
    char path[4096], text[80];
    const int rc = td_board_each(add_board, &boards);
    snprintf(text, sizeof text, "%zu are described", boards.count);
    if (rc < 0)
        say(d, "boards", rc == TD_E_NOMEM ? "there is no memory for descriptions" : strerror(errno),
            "let this program have more memory and files");
    else if (boards.count)
        works(d, "boards", text);
    else
        say(d, "boards", text,
            "install Tendril as a whole, or name the folder of descriptions in TENDRIL_BOARDS");
    td_child_find("tensix_sim", path, sizeof path);
    if (strchr(path, '/') || is_in_path("tensix_sim"))
        works(d, "simulator", path);
    else
        say(d, "simulator", "tensix_sim is neither next to this program nor in PATH",
            "install Tendril as a whole");
    if (td_discover_each(&(struct td_discover_roots){0}, boards.all, boards.count, say_board, &boards) < 0)
        say(d, "board", "there are not enough files or memory to look for boards",
            "let this program have more");
    else if (!boards.present)
        works(d, "board", "no card, probe or running simulator; record -b tensix_sim starts one");
    free(boards.all);
}

/* ---- kernels ---- */

static void look_for_compiler(struct doctor *d)
{
    char path[4096];
    if (!td_process_find("../share/tendril/device/lib/crt0.o", F_OK, path, sizeof path))
        say(d, "kernels", "the runtime of the cores is not installed",
            "install the package tendril-device, or all of what cmake --install has");
    else if (!is_in_path("riscv64-unknown-elf-gcc"))
        say(d, "kernels", "riscv64-unknown-elf-gcc is not in PATH",
            "apt-get install gcc-riscv64-unknown-elf");
    else
        works(d, "kernels", "runtime and riscv64-unknown-elf-gcc");
}

/* ---- the host ---- */

static void look_at_clock(struct doctor *d)
{
    if (td_host_has_counter())
        works(d, "clock", "a counter of the processor with a constant rate");
    else
        say(d, "clock", "no invariant time stamp counter: a zone of a host program costs a system call",
            "use a machine, or a setting of its hypervisor, that has one");
}

static void look_at_samples(struct doctor *d)
{
    static const struct td_perf_host host = {malloc, free};
    const struct td_perf_options options = {
        .kinds = TD_PERF_BIT(SAMPLE) | TD_PERF_BIT(SWITCH) | TD_PERF_BIT(WAKEUP), .hz = 100, .host = &host};
    struct td_perf_report report = {0};
    struct td_perf *perf = td_perf_open(&options, &report);
    for (unsigned i = 0; i < report.count; i++) {
        char *why = report.missing[i].why, *cure = strstr(why, "; ");
        if (cure)
            *cure = 0;
        say(d, "samples", why, cure ? cure + 2 : "markers need none of it");
    }
    if (perf && !report.count)
        works(d, "samples", "call stacks, context switches and wakeups");
    td_perf_close(perf);
}

/* Whether a program could listen there. */
static bool is_free(uint16_t port)
{
    const struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool free_port = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0)
        close(fd);
    return free_port;
}

static void look_at_ports(struct doctor *d)
{
    const char *given = getenv("TRACY_PORT");
    const int first = given && atoi(given) > 0 ? atoi(given) : 8086, last = given ? first : 8105;
    char text[100];
    unsigned count = 0;
    for (int port = first; port <= last && port <= 65535; port++)
        count += is_free((uint16_t)port);
    if (given)
        snprintf(text, sizeof text, "%d of TRACY_PORT is %s", first, count ? "free" : "taken");
    else
        snprintf(text, sizeof text, "%u of 8086 to 8105 are free", count);
    if (count)
        works(d, "ports", text);
    else
        say(d, "ports", text, "end a program that listens there (tendril clients), or set TRACY_PORT");
}

static void look_for_display(struct doctor *d)
{
#ifdef TD_HAVE_VIEWER
    const char *display = getenv("WAYLAND_DISPLAY") ? getenv("WAYLAND_DISPLAY") : getenv("DISPLAY");
    char text[100];
    snprintf(text, sizeof text, "the viewer opens on %.60s", display ? display : "");
    if (display)
        works(d, "display", text);
    else
        say(d, "display", "no display: the viewer writes pictures only",
            "set DISPLAY, or use tendril serve here and the viewer elsewhere");
#else
    say(d, "display", "this build has no viewer", "build it without --no-viewer, or use any viewer of Tracy");
#endif
}

static void look_at_room(struct doctor *d)
{
    struct statvfs files;
    char text[100];
    if (statvfs(".", &files) != 0)
        return;
    const double gib = (double)files.f_bavail * (double)files.f_frsize / (1 << 30);
    snprintf(text, sizeof text, "%.1f GiB are free in the working folder", gib);
    if (gib >= 1)
        works(d, "room", text);
    else
        say(d, "room", text, "a recording and its journal need room: record to another folder with -o");
}

const char td_summary_doctor[] = "Lists what this machine can record and show, and what to change.";

int td_cmd_doctor(int argc, char **argv, struct td_err *err)
{
    int as_json = 0;
    const struct td_option options[] = {
        {0, "json", TD_OPT_FLAG | TD_OPT_LOOKS, &as_json, NULL, "as a JSON object", NULL, 0, 0}, {0}};
    const struct td_command_line line = {.name = "tendril doctor",
                                         .usage = "[options]",
                                         .summary = td_summary_doctor,
                                         .options = options,
                                         .details = "Exit code: 0 nothing is missing, 1 something is."};
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    struct doctor d = {.json = {.to = stdout}, .as_json = as_json};
    if (as_json) {
        td_json_object(&d.json, NULL);
        td_json_int(&d.json, "schema", 1);
        td_json_string(&d.json, "version", TD_VERSION);
        td_json_array(&d.json, "parts");
    }
    look_for_boards(&d);
    look_for_compiler(&d);
    look_at_clock(&d);
    look_at_samples(&d);
    look_at_ports(&d);
    look_for_display(&d);
    look_at_room(&d);
    if (as_json) {
        td_json_end_array(&d.json);
        td_json_end_object(&d.json);
        printf("\n");
    }
    return d.missing ? 1 : 0;
}
