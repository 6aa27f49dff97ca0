/* tendril serve: lets viewers and recorders of any release of Tracy connect to a trace file. */
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/load.h"
#include "host/serve/serve.h"
#include "host/tools/commands.h"
#include "host/wire/releases.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#define STEP_MS 50 /* between checks of signals and of viewers that have gone */

static const char details[] =
    "Viewers and recorders of every release of Tracy from " TD_WIRE_OLDEST_TRACY " to " TD_WIRE_NEWEST_TRACY
    ", and of Tenstorrent's fork, connect to it as to a program, several at once. Each gets the whole trace, "
    "in "
    "its own protocol, and then the session ends. So an old viewer can show a newer file. What a release has "
    "no "
    "item for is left out; --debug serve says what.\n"
    "\n"
    "Ctrl-C ends the command, and --once does so when the first viewer has gone.\n"
    "\n"
    "  tendril serve trace.tracy\n"
    "  tendril serve trace.tracy -p 8087 -a any --once";

struct trace_server {
    struct td_load_options load;
    const char *address;
    long port;
    int once;
};

static void print_place(const struct td_serve *serve, const char *file)
{
    printf("%s: viewers may connect to %s\n", TD_PLAIN(file), td_serve_where(serve));
    fflush(stdout);
}

/* Returns when the command is to end. */
static void wait_for_end(const struct trace_server *s, struct td_serve *serve)
{
    const volatile int *interrupts = td_interrupt_count();
    for (;;) {
        struct td_serve_counts counts = td_serve_get_counts(serve);
        if (*interrupts || (s->once && counts.served && !counts.now))
            return;
        poll(NULL, 0, STEP_MS);
    }
}

static int serve_trace(const struct trace_server *s, const struct td_trace *trace, const char *file,
                       struct td_err *err)
{
    char where[300];
    snprintf(where, sizeof where, "%s:%ld", s->address, s->port);
    struct td_serve_options options = {.where = where, .end_ms = 1};
    struct td_serve *serve = td_serve_create(trace, &options, err);
    if (!serve)
        return err->code;
    struct td_serve_description description = td_serve_description_of(trace);
    td_serve_describe(serve, &description);
    print_place(serve, file);
    wait_for_end(s, serve);
    td_serve_end(serve);
    struct td_serve_counts counts = td_serve_get_counts(serve);
    printf("%" PRIu64 " served, %" PRIu64 " refused, %" PRIu64 " cut off\n", counts.served, counts.refused,
           counts.cut);
    td_serve_destroy(serve);
    return counts.cut ? 1 : 0;
}

const char td_summary_serve[] = "Lets viewers of any release of Tracy connect to a trace file.";

int td_cmd_serve(int argc, char **argv, struct td_err *err)
{
    struct trace_server s = {.address = "127.0.0.1", .port = TD_WIRE_PORT};
    const struct td_option options[] = {
        {'a', "address", TD_OPT_STRING, &s.address, "ADDRESS",
         "address of this machine to listen on, or any (default 127.0.0.1)", NULL, 0, 0},
        {'p', "port", TD_OPT_INT, &s.port, "PORT", "port (default 8086); 0: a free one", NULL, 0, 65535},
        {0, "once", TD_OPT_FLAG, &s.once, NULL, "end when the first viewer has gone", NULL, 0, 0},
        TD_LOAD_OPTIONS(&s.load),
        TD_OPTION_DEBUG,
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril serve",
        .usage = "[options] FILE",
        .summary = td_summary_serve,
        .options = options,
        .details = details,
        .min_args = 1,
        .max_args = 1,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    struct td_trace *trace;
    if (td_load(argv[1], &s.load, "tendril serve", &trace, err) < 0)
        return err->code;
    td_interrupt_catch();
    int code = serve_trace(&s, trace, argv[1], err);
    td_trace_destroy(trace);
    return code;
}
