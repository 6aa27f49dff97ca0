/* ttsim_board: holds the vendor's simulator (libttsim_wh.so, libttsim_bh.so ...) for hosts, as a probe of its chips.
 *
 * The library ends its process at any error, and has large private memory, so a host does not load it itself. Either
 * a host starts this program, and it ends with that host, or `tendril sim --at ttsim:LIBRARY` does, and hosts connect
 * to a Unix socket. */
#include "boards/ttsim/library.h"
#include "boards/ttsim/pace.h"
#include "boards/ttsim/windows.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/options.h"
#include "host/device/board/attach.h"
#include "host/probe/board_server.h"
#include "host/transport/card/noc.h"
#include "host/transport/sim/socket_all.h"
#include "proto/sim/ttsim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_FDS = 40,
    LOOK_MS = 10, /* while time is held */
    LAST_TRIES = 20,
    NICE = 5 /* below the hosts that it serves */
};

struct ttsim_settings {
    const char *at, *board, *grid, *socket;
    int insn;
    long epoch, host;
};

static volatile sig_atomic_t stopping;
static struct td_board_server *serving; /* hosts, while the library runs */

static void stop(int signal)
{
    (void)signal;
    stopping = 1;
}

/* The host that has started this process knows the board's description, and sends what matters here of it. */
static int meet_host(const struct library *lib, struct td_transport *t, int fd, struct td_err *err)
{
    struct td_ttsim_chips chips = {lib->vendor, lib->device, lib->chips};
    struct td_ttsim_setup from;
    struct td_window_kind kinds[TD_WINDOWS_MAX_KINDS];
    if (td_send_all(fd, &chips, sizeof chips, 0) || td_receive_all(fd, &from, sizeof from))
        exit(0); /* the host has hung up */
    if (from.kind_bytes != sizeof *kinds || from.kind_count > TD_WINDOWS_MAX_KINDS)
        return td_fail(err, TD_E_VERSION, "this ttsim_board is of another build than its host");
    if (td_receive_all(fd, kinds, from.kind_count * sizeof *kinds))
        exit(0);
    const struct td_transport_setup setup = {.clock_low = from.clock_low,
                                             .clock_live_high = from.clock_live_high,
                                             .kinds = kinds,
                                             .kind_count = from.kind_count};
    return t->ops->setup(t, &setup, err);
}

/* The library calls it at any error, in the middle of its work. What was taken from lanes already goes to the hosts, and what
 * they still hold if the library can be asked for it: if not, it comes here again. */
void _Exit(int status)
{
    struct td_board_server *server = serving;
    serving = NULL;
    for (int i = 0; server && i < LAST_TRIES && td_board_server_is_gathering(server); i++) {
        td_board_server_pump(server); /* there may be no request to answer yet */
        td_board_server_idle(server);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

static void serve(struct pace *pace, struct td_board_server *server, bool has_host)
{
    bool moves = true;
    serving = server;
    while (!stopping && (!has_host || td_board_server_count(server))) {
        struct pollfd fds[MOST_FDS];
        const size_t n = td_board_server_fds(server, fds, MOST_FDS);
        const bool left = td_board_server_has_left(server);
        if (poll(fds, n, moves || left ? 0 : LOOK_MS) > 0 || left)
            pace_answer(pace, server);
        moves = pace_step(pace, server);
        if (!moves)
            pace_serve_lanes(pace, server);
    }
    serving = NULL;
}

static int serve_host(const struct ttsim_settings *s, const struct library *lib, struct pace *pace,
                      struct td_transport *t, struct td_err *err)
{
    const int fd = (int)s->host;
    struct td_board_server *server = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the host drains what is left, then hangs up */
    int rc = meet_host(lib, t, fd, err);
    if (rc == 0) {
        server = td_board_server_create(
            t, &(struct td_board_server_options){.name = "ttsim", .gathers = true}, err);
        rc = server ? td_board_server_adopt(server, fd, err) : TD_E_NOMEM;
    }
    if (rc == 0)
        serve(pace, server, true);
    td_board_server_destroy(server);
    return rc;
}

static int serve_all(const struct ttsim_settings *s, struct pace *pace, struct td_transport *t,
                     struct td_err *err)
{
    static struct td_board board;
    char *text = NULL, grid[32];
    struct td_board_server *server = NULL;
    const struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    int rc = td_board_load_for(&board, t, s->board, s->grid, &text, err);
    rc = rc ? rc : td_board_attach(&board, t, err);
    if (rc == 0) {
        snprintf(grid, sizeof grid, "%ux%u", board.grid_width, board.grid_height);
        server = td_board_server_create(
            t,
            &(struct td_board_server_options){
                .path = s->socket, .name = "ttsim", .description = text, .grid = grid, .gathers = true},
            err);
        rc = server ? 0 : TD_E_IO;
    }
    if (rc == 0) {
        printf("%s: %u chip%s of %s tiles at unix:%s\n", board.name, board.chips, board.chips > 1 ? "s" : "",
               grid, s->socket);
        serve(pace, server, false);
        printf("%llu clocks in %.3f s of processor time, of which %.3f s for hosts\n",
               (unsigned long long)pace->clocks, (double)clock() / CLOCKS_PER_SEC,
               (double)pace->hosts_ns / 1e9);
    }
    td_board_server_destroy(server);
    free(text);
    return rc;
}

static bool parse(struct ttsim_settings *s, int argc, char **argv, struct td_command_args *args,
                  struct td_err *err)
{
    const struct td_option options[] = {
        {0, "at", TD_OPT_STRING, &s->at, "ttsim:LIBRARY",
         "the vendor's simulator: libttsim_wh.so, libttsim_bh.so ...", NULL, 0, 0},
        {'b', "board", TD_OPT_STRING, &s->board, "BOARD",
         "its description (default: by the library's PCI ids)", NULL, 0, 0},
        {0, "grid", TD_OPT_STRING, &s->grid, "WxH",
         "tiles of a chip that are used (default: the description's)", NULL, 0, 0},
        {0, "socket", TD_OPT_STRING, &s->socket, "PATH",
         "where hosts reach it, as unix:PATH (default ttsim.sock)", NULL, 0, 0},
        {0, "clock", TD_OPT_CHOICE, &s->insn, "C", "virtual time, held while lanes are drained, or real time",
         "insn|host", 0, 0},
        {0, "epoch", TD_OPT_INT, &s->epoch, "CLOCKS",
         "virtual time: how often lanes are drained (default 2048)", NULL, 16, 100000000},
        {0, "host", TD_OPT_INT, &s->host, "FD", "the socket of the host that started this", NULL, 3, 1000},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril sim",
        .usage = "--at ttsim:LIBRARY [options]",
        .summary = "Runs the vendor's simulator, until Ctrl-C.",
        .options = options,
        .details = "tendril record, hang, top and boards reach it with --at unix:PATH, programs with "
                   "TENDRIL_BOARD=unix:PATH.",
    };
    return td_command_parse(&line, argc, argv, args, err);
}

static int run(const struct ttsim_settings *s, struct td_err *err)
{
    static struct library lib;
    static struct pace pace;
    const char *path = s->at && strncmp(s->at, "ttsim:", 6) == 0 ? s->at + 6 : "";
    if (!*path)
        return td_fail(err, TD_E_USAGE, "the vendor's simulator is named with --at ttsim:LIBRARY");
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    td_clock_init();
    int rc = library_open(&lib, path, err);
    if (rc)
        return rc;
    setpriority(PRIO_PROCESS, 0, NICE);
    pace_init(&pace, &lib, s->insn == 0, (uint32_t)s->epoch);
    struct td_windows *windows = ttsim_windows(&lib, path, err);
    struct td_noc_config config = {
        .windows = windows, .name = "ttsim", .under = &pace.base, .cleans_up = 1, .max_windows = 512};
    struct td_transport *t = windows ? td_noc_open(&config, err) : NULL;
    if (!t)
        return TD_E_NOMEM;
    rc = s->host ? serve_host(s, &lib, &pace, t, err) : serve_all(s, &pace, t, err);
    td_transport_close(t);
    return rc;
}

int main(int argc, char **argv)
{
    struct ttsim_settings s = {.socket = "ttsim.sock"};
    struct td_err err = {0};
    struct td_command_args args = {0};
    if (td_debug_from_environment(&err) < 0 || !parse(&s, argc, argv, &args, &err)) {
        if (err.code == 0 && args.rc == 0)
            return 0;
    } else if (run(&s, &err) == 0) {
        return 0;
    }
    fprintf(stderr, "%s%s\n", s.host ? "" : "tendril sim: ", err.text);
    return err.code == TD_E_USAGE ? 2 : 1;
}
