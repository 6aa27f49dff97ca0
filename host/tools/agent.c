/* tendril agent: drains the boards of this machine for a recorder on another one. */
#include "host/agent/remote/agent_door.h"
#include "host/agent/remote/remote_layout.h"
#include "host/base/interrupt.h"
#include "host/base/plain_text.h"
#include "host/tools/commands.h"
#include "host/tools/recording/source_options.h"

#include <stdio.h>
#include <string.h>

struct agent {
    struct td_recorder_options recorder;
    struct td_agent_door *door;
    int once, quiet;
};

static void print_line(void *self, const char *line)
{
    (void)self;
    fprintf(stderr, "tendril agent: %s\n", TD_PLAIN(line));
}

/* What the user of this machine should know after a session. */
static void report_session(const struct agent *agent, const char *peer,
                           const struct td_recorder_result *result)
{
    if (!agent->quiet)
        printf("ended: %s, %llu zones, %s%llu lost\n", TD_PLAIN(peer),
               (unsigned long long)result->board.zones, result->board.unknown_lanes ? "at least " : "",
               (unsigned long long)(result->board.lost_zones + result->board.lost_other));
    fflush(stdout);
    if (result->trouble[0])
        print_line(NULL, result->trouble);
}

/* Serves one recorder. 0; or negative: the boards cannot be drained. */
static int serve_recorder(struct agent *agent, int fd, const char *peer, struct td_err *err)
{
    struct td_recorder_options options = agent->recorder;
    struct td_recorder_result result;
    struct td_trace *trace = NULL;
    options.collection.journal = td_journal_create_stream(fd, peer, err);
    if (!options.collection.journal)
        return err->code;
    options.interrupted = td_agent_door_wanted_end(agent->door);
    int rc = td_recorder_run(&options, &trace, &result, err);
    td_trace_destroy(trace);
    const uint32_t code = rc < 0 || *options.interrupted ? 0 : (uint32_t)result.program_code;
    td_journal_put(options.collection.journal, TD_JOURNAL_COLLECTED, 0, NULL, 0, &code, sizeof code);
    td_journal_flush(options.collection.journal);
    td_journal_destroy(options.collection.journal, false);
    td_agent_door_hang_up(agent->door);
    if (rc == 0)
        report_session(agent, peer, &result);
    return rc;
}

static int serve_recorders(struct agent *agent, const volatile int *interrupts, struct td_err *err)
{
    do {
        char peer[80];
        int fd = td_agent_door_accept(agent->door, peer, sizeof peer, err);
        if (fd < 0)
            break;
        if (!agent->quiet)
            printf("draining for %s\n", TD_PLAIN(peer));
        fflush(stdout);
        struct td_err why = {0};
        if (serve_recorder(agent, fd, peer, &why) < 0)
            return td_fail(err, why.code, "%s", why.text);
    } while (!agent->once && !*interrupts);
    if (err)
        *err = (struct td_err){0}; /* Ctrl-C is the usual end */
    return 0;
}

static const char details[] =
    "Waits for a recorder, 'tendril record --agent HOST:PORT' on another machine. For each one, it drains "
    "the "
    "boards of this machine, runs PROGRAM if there is one, and sends what the cores wrote, with samples of "
    "their "
    "clocks and the kernels' ELFs. When the network is slower than the cores, the lanes fill up, and the "
    "policy "
    "decides whether cores wait or packets are dropped and counted; nothing is lost on the way.\n"
    "\n"
    "Without PROGRAM, programs of this machine open the board as usual, and the recorder decides when the "
    "recording ends. PROGRAM's own zones are recorded with 'tendril record -a HOST:PORT'.\n"
    "\n"
    "Anyone who reaches the address can record the boards: listen only in a network that you trust.\n"
    "\n"
    "  tendril agent --at tenstorrent:0 --listen 0.0.0.0:8100\n"
    "  tendril agent -b tensix_sim -- ./matmul";

const char td_summary_agent[] = "Drains the boards of this machine for a recorder on another one.";

int td_cmd_agent(int argc, char **argv, struct td_err *err)
{
    struct agent agent = {0};
    struct source_options sources = {0};
    const char *elf = NULL, *listen = NULL;
    const struct td_option options[] = {
        BOARD_OPTIONS(sources),
        {'l', "listen", TD_OPT_STRING, &listen, "[HOST:]PORT",
         "where recorders connect (default 8100, from this machine only; 0: any free port)", 0, 0, 0},
        {0, "once", TD_OPT_FLAG, &agent.once, NULL, "end after one recorder", 0, 0, 0},
        {0, "elf", TD_OPT_STRING, &elf, "DIR",
         "folder with kernels' ELFs, also in folders below it, if the program does not announce them", 0, 0,
         0},
        {'q', "quiet", TD_OPT_FLAG, &agent.quiet, NULL, "print only the port and errors", 0, 0, 0},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril agent",
        .usage = "[options] [-- PROGRAM [ARGS]]",
        .summary = td_summary_agent,
        .options = options,
        .max_args = -1,
        .details = details,
        .stop_at_operand = true,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    argv[1 + args.count] = NULL;
    char where[40];
    snprintf(where, sizeof where, "%d", TD_REMOTE_PORT);
    const volatile int *interrupts = td_interrupt_count();
    agent.recorder = (struct td_recorder_options){.elf_dirs = &elf,
                                                  .elf_dir_count = elf != NULL,
                                                  .boards_only = true,
                                                  .no_sources = 1,
                                                  .program = args.count ? argv + 1 : NULL,
                                                  .collection = {.journal_only = true, .tell = print_line}};
    if (source_options_parse(&sources, &agent.recorder, err) < 0)
        return err->code;
    int port = 0;
    td_interrupt_catch();
    agent.door = td_agent_door_open(listen ? listen : where, &port, interrupts, err);
    if (!agent.door)
        return 1;
    printf("agent at port %d\n", port);
    fflush(stdout);
    int rc = serve_recorders(&agent, interrupts, err);
    td_agent_door_close(agent.door);
    return rc < 0 ? 1 : 0;
}
