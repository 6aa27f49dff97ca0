/* tendril clients: lists programs that announce themselves. */
#include "host/agent/client/announced_clients.h"
#include "host/base/clock.h"
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/tools/commands.h"
#include "host/base/json.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define WAIT_MS                                                                                              \
    (TD_ANNOUNCED_PERIOD_MS + 500) /* each program that waits announces itself once in this time */
#define REDRAW_MS 1000

struct clients {
    struct td_announced_list *announced;
    int watch, json, on_terminal;
    int lines; /* of the table on the terminal */
};

/* The seconds since the program's start, now. */
static int64_t uptime_s(const struct td_announced_client *client)
{
    return client->active_s + (td_mono_ms() - client->heard_ms) / 1000;
}

static void format_uptime(int64_t s, char *to, size_t bytes)
{
    if (s < 60)
        snprintf(to, bytes, "%d s", (int)s);
    else if (s < 3600)
        snprintf(to, bytes, "%d min %d s", (int)(s / 60), (int)(s % 60));
    else
        snprintf(to, bytes, "%lld h %d min", (long long)(s / 3600), (int)(s / 60 % 60));
}

/* ---- JSON lines ---- */

static void print_json(const struct td_announced_client *client, const char *event)
{
    struct td_json j = {.to = stdout, .one_line = 1};
    const struct td_wire_release *release = td_wire_release_for(client->protocol);
    td_json_object(&j, NULL);
    if (event)
        td_json_string(&j, "event", event);
    td_json_string(&j, "program", client->program);
    td_json_string(&j, "address", client->host);
    td_json_uint(&j, "port", client->port);
    td_json_uint(&j, "protocol", client->protocol);
    td_json_string(&j, "releases", release ? td_announced_releases(client->protocol) : NULL);
    if (client->pid)
        td_json_uint(&j, "pid", client->pid);
    else
        td_json_null(&j, "pid");
    td_json_int(&j, "uptime_s", uptime_s(client));
    td_json_end_object(&j);
}

/* ---- the table ---- */

#define COLUMNS "%-24s %-15s %5s  %-18s %8s %8s  %s\n"

static void print_head(void)
{
    printf(COLUMNS, "program", "address", "port", "Tracy", "protocol", "process", "up for");
}

static void print_row(const struct td_announced_client *client)
{
    char port[8], protocol[12], pid[24] = "-", up[40];
    snprintf(port, sizeof port, "%u", client->port);
    snprintf(protocol, sizeof protocol, "%u", client->protocol);
    if (client->pid)
        snprintf(pid, sizeof pid, "%llu", (unsigned long long)client->pid);
    format_uptime(uptime_s(client), up, sizeof up);
    printf(COLUMNS, TD_PLAIN(client->program), client->host, port, td_announced_releases(client->protocol),
           protocol, pid, up);
}

static void print_all(struct clients *c)
{
    size_t count = td_announced_count(c->announced);
    if (!c->json && count)
        print_head();
    for (size_t i = 0; i < count; i++) {
        if (c->json)
            print_json(td_announced_at(c->announced, i), NULL);
        else
            print_row(td_announced_at(c->announced, i));
    }
}

/* Writes the table over the one before. */
static void redraw(struct clients *c)
{
    size_t count = td_announced_count(c->announced);
    if (c->lines)
        printf("\033[%dA\033[J", c->lines);
    print_head();
    for (size_t i = 0; i < count; i++)
        print_row(td_announced_at(c->announced, i));
    c->lines = (int)count + 1;
    fflush(stdout);
}

/* ---- the command ---- */

static void on_change(void *self, enum td_announced_change change, const struct td_announced_client *client)
{
    static const char *const words[] = {"new", "changed", "gone"};
    struct clients *c = self;
    if (!c->watch || (c->on_terminal && !c->json))
        return;
    if (c->json) {
        print_json(client, words[change]);
    } else {
        printf("%-8s ", words[change]);
        print_row(client);
    }
    fflush(stdout);
}

static int list_once(struct clients *c, struct td_err *err)
{
    const volatile int *interrupts = td_interrupt_count();
    int64_t end_ms = td_mono_ms() + WAIT_MS, now_ms;
    while ((now_ms = td_mono_ms()) < end_ms && !*interrupts) {
        struct pollfd fd = {td_announced_fd(c->announced), POLLIN, 0};
        poll(&fd, 1, (int)(end_ms - now_ms));
        if (td_announced_take(c->announced, td_mono_ms(), err) < 0)
            return err->code;
    }
    if (*interrupts)
        return td_fail(err, TD_E_STOPPED, "stopped");
    if (!td_announced_count(c->announced) && !c->json)
        fputs("tendril clients: no program announces itself\n", stderr);
    print_all(c);
    return 0;
}

static int watch_all(struct clients *c, struct td_err *err)
{
    const volatile int *interrupts = td_interrupt_count();
    while (!*interrupts && !ferror(stdout)) {
        int wait_ms = td_announced_wait_ms(c->announced, td_mono_ms());
        if (wait_ms < 0 || wait_ms > REDRAW_MS)
            wait_ms = REDRAW_MS;
        if (c->on_terminal && !c->json)
            redraw(c);
        struct pollfd fd = {td_announced_fd(c->announced), POLLIN, 0};
        poll(&fd, 1, wait_ms);
        if (td_announced_take(c->announced, td_mono_ms(), err) < 0)
            return err->code;
    }
    return 0;
}

static const char details[] =
    "Lists the programs with Tracy's or Tendril's client that wait for a recorder, on this machine and in "
    "the "
    "local network: they announce themselves every 3 s by a UDP datagram. A program that serves a recorder "
    "does not, nor does one that was built or started without announcements (TRACY_NO_BROADCAST). Tendril's "
    "own client speaks several protocols, and announces one of them.\n"
    "\n"
    "With --watch, the table is kept up to date until Ctrl-C; where the output is no terminal, each program "
    "that appears, changes or goes is a line. --json prints an object a line: program, address, port, "
    "protocol, releases, pid, uptime_s, and with --watch event (new, changed, gone).\n"
    "\n"
    "Anyone in the network can send announcements. Names are shown without control characters.\n"
    "\n"
    "  tendril clients\n"
    "  tendril clients --watch --json";

const char td_summary_clients[] = "Lists programs that wait for a recorder and announce themselves.";

int td_cmd_clients(int argc, char **argv, struct td_err *err)
{
    struct clients c = {.on_terminal = isatty(STDOUT_FILENO)};
    long port = TD_WIRE_PORT;
    const struct td_option options[] = {
        {'w', "watch", TD_OPT_FLAG, &c.watch, NULL, "continue, and show changes", NULL, 0, 0},
        {0, "json", TD_OPT_FLAG | TD_OPT_LOOKS, &c.json, NULL, "one JSON object a line", NULL, 0, 0},
        {0, "udp-port", TD_OPT_INT, &port, "PORT", "where announcements are sent to (default 8086)", NULL, 1,
         65535},
        TD_OPTION_DEBUG,
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril clients",
        .usage = "[options]",
        .summary = td_summary_clients,
        .options = options,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    td_interrupt_catch();
    c.announced = td_announced_open((int)port, on_change, &c, err);
    if (!c.announced)
        return 1;
    int rc = c.watch ? watch_all(&c, err) : list_once(&c, err);
    td_announced_close(c.announced);
    return rc < 0 ? 1 : 0;
}
