/* tensix_sim: a board of simulated Tensix tiles, as a process of its own that is reached through a BAR-like
 * file.
 *
 * Threads: workers run the cores (sched.c), one answers clock reads (clock.c), the main one keeps the
 * heartbeat and notices when the agent, the parent or the user goes away. */
#include "boards/tensix_sim/sim.h"
#include "proto/sim/window.h"

#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/options.h"
#include "host/base/process.h"
#include "host/base/run_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { BEAT_NS = 5000000, LOOK_AROUND_BEATS = 10, DEFAULT_EPOCH = 20000, MAX_THREADS = 64 };

static int interrupted; /* atomic: signals come to any thread */

static void on_signal(int number)
{
    __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
}

struct settings {
    const char *bar, *board, *grid, *offset_ns, *drift_ppm, *check, *native;
    int clock, far, parent_death, version, noc_order;
    long epoch, threads, emulate, windows, tear, delay_ns, reorder, parent;
};

static bool parse_settings(struct settings *s, int argc, char **argv, struct td_command_args *args,
                           struct td_err *err)
{
    const struct td_option options[] = {
        {0, "bar", TD_OPT_STRING, &s->bar, "FILE",
         "the board's file, made and, at the end, removed (default: a new one in memory, or in $TMPDIR "
         "where it does not fit; its name is printed)",
         NULL, 0, 0},
        {'b', "board", TD_OPT_STRING, &s->board, "NAME|FILE", "description of the board (default tensix_sim)",
         NULL, 0, 0},
        {0, "grid", TD_OPT_STRING, &s->grid, "WxH", "tiles in use (default: the description's)", NULL, 0, 0},
        {0, "clock", TD_OPT_CHOICE, &s->clock, "MODE", "real time, or one tick an instruction", "host|insn",
         0, 0},
        {0, "offset-ns", TD_OPT_STRING, &s->offset_ns, "N[,N...]",
         "what the clock shows at first, one a chip", NULL, 0, 0},
        {0, "drift-ppm", TD_OPT_STRING, &s->drift_ppm, "X[,X...]", "how much too fast it runs, one a chip",
         NULL, 0, 0},
        {0, "epoch", TD_OPT_INT, &s->epoch, "TICKS", "insn clock: how often the agent drains (default 20000)",
         NULL, 1, 1000000000},
        {0, "threads", TD_OPT_INT, &s->threads, "N", "threads that run cores (default 2, insn clock: 1)",
         NULL, 1, MAX_THREADS},
        {0, "emulate", TD_OPT_INT, &s->emulate, "N",
         "only the first N tiles have emulators; the cores of the others run what --native names", NULL, 0,
         1000000},
        {0, "native", TD_OPT_STRING, &s->native, "ELF[,ELF...]",
         "fill.CORE.elf of each core that is used on tiles without emulators: that kernel, compiled "
         "natively, "
         "runs there",
         NULL, 0, 0},
        {0, "far", TD_OPT_FLAG, &s->far, NULL,
         "the file is a PCI device of another machine, which cannot wake this program, so it polls; "
         "the file's size is a power of two",
         NULL, 0, 0},
        {0, "windows", TD_OPT_INT, &s->windows, "N",
         "the host may look through N windows, as on a card (simnoc:FILE); the next three options are about "
         "these",
         NULL, 0, TD_SIM_MAX_WINDOWS},
        {0, "noc-order", TD_OPT_CHOICE, &s->noc_order, "ORDER",
         "relaxed: accesses overtake each other where windows allow it (default strict)", "strict|relaxed", 0,
         0},
        {0, "tear", TD_OPT_INT, &s->tear, "SEED", "accesses are done word by word, in any order", NULL, 1,
         INT32_MAX},
        {0, "delay-ns", TD_OPT_INT, &s->delay_ns, "N", "and take up to so much longer", NULL, 0, 100000000},
        {0, "reorder", TD_OPT_INT, &s->reorder, "SEED",
         "insn clock: what the vendor's pages do not keep in order is done in any order (stores of cores, "
         "requests "
         "over the NoC and their parts)",
         NULL, 1, INT32_MAX},
        {0, "parent-death", TD_OPT_FLAG, &s->parent_death, NULL,
         "end when the parent process ends, and not at a Ctrl-C meant for it", NULL, 0, 0},
        {0, "parent", TD_OPT_INT, &s->parent, "PID",
         "with --parent-death: the parent's process id; it may have ended before this program began", NULL, 1,
         INT32_MAX},
        {0, "check", TD_OPT_STRING, &s->check, "FILE",
         "only read a description, and say what is wrong with it", NULL, 0, 0},
        {0, "version", TD_OPT_FLAG, &s->version, NULL, "version and licence", NULL, 0, 0},
        TD_OPTION_DEBUG,
        {0, NULL, TD_OPT_FLAG, NULL, NULL, NULL, NULL, 0, 0},
    };
    const struct td_command_line line = {
        .name = strcmp(argv[0], "tendril sim") ? "tensix_sim" : "tendril sim",
        .usage = "[options]",
        .summary = "Simulates a board of Tensix tiles. This program links Unicorn and "
                   "is, as a whole, under the GPL-2.0.",
        .options = options,
        .min_args = 0,
        .max_args = 0,
    };
    return td_command_parse(&line, argc, argv, args, err);
}

/* For when no process drains the lanes any more: no core may wait for room in its lane. */
static void disarm_lanes(struct sim *sim)
{
    const struct td_board *b = &sim->board;
    for (uint32_t i = 0; i < sim->tensix_count; i++) {
        uint8_t *l1 = sim->tiles[i].memory;
        for (uint32_t c = 0; c < b->core_count; c++)
            put_word(l1 + (td_board_lane_ctrl(b, c) - b->l1_base) + TD_LANE_policy, TD_POLICY_OFF);
        put_word(l1 + (b->lane_base - b->l1_base) + TD_TILE_agent, 0);
    }
}

static bool is_far(uint32_t pid)
{
    return (pid & TD_BAR_FAR_PROCESS) != 0;
}

static void look_for_agent(struct sim *sim)
{
    uint32_t pid = __atomic_load_n(&sim->bar->agent_pid, __ATOMIC_SEQ_CST);
    if (pid == 0 || is_far(pid) || !td_process_gone(pid))
        return;
    /* Unless the next agent has come already: the lanes are its own then. */
    if (!__atomic_compare_exchange_n(&sim->bar->agent_pid, &pid, TD_BAR_DISARMING, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return;
    td_debug(sim, "agent %u is gone: disarming all lanes", pid);
    disarm_lanes(sim);
    __atomic_store_n(&sim->bar->agent_pid, 0, __ATOMIC_SEQ_CST);
}

/* A process that died between freezing and unfreezing must not leave the board frozen. */
static void look_for_freezer(struct sim *sim)
{
    uint64_t freezing = __atomic_load_n(&sim->bar->freezing, __ATOMIC_SEQ_CST);
    const uint32_t pid = TD_BAR_FREEZER(freezing);
    if (TD_BAR_FREEZES(freezing) && pid && !is_far(pid) && td_process_gone(pid)) {
        td_debug(sim, "process %u is gone, which had stopped the cores: they go on", pid);
        __atomic_compare_exchange_n(&sim->bar->freezing, &freezing, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

static void watch(struct sim *sim)
{
    static const struct timespec beat = {0, BEAT_NS};
    for (unsigned n = 0; !__atomic_load_n(&interrupted, __ATOMIC_RELAXED) &&
                         !__atomic_load_n(&sim->bar->stop_request, __ATOMIC_RELAXED);
         n++) {
        __atomic_fetch_add(&sim->bar->heartbeat, 1, __ATOMIC_RELAXED);
        if (n % LOOK_AROUND_BEATS == 0) {
            look_for_agent(sim);
            look_for_freezer(sim);
        }
        nanosleep(&beat, NULL);
    }
}

/* announce: the path that is printed once the board can be opened, or NULL. */
static int run_simulation(struct sim *sim, const char *announce, struct td_err *err)
{
    pthread_t clock_thread, window_thread;
    int have_clock = 0, have_windows = 0, rc = TD_OK;
    unsigned started = 0;
    sim->moving = sim->threads;
    sim->workers = calloc(sim->threads, sizeof *sim->workers);
    if (!sim->workers)
        return td_fail_no_memory(err, NULL);
    for (; started < sim->threads; started++) {
        struct sim_worker *w = &sim->workers[started];
        w->sim = sim;
        w->number = started;
        if (pthread_create(&w->thread, NULL, sim->insn_mode ? insn_worker : host_worker, w))
            break;
    }
    have_clock = pthread_create(&clock_thread, NULL, clock_service, sim) == 0;
    if (sim->windows.count)
        have_windows = pthread_create(&window_thread, NULL, window_service, sim) == 0;
    if (started == sim->threads && have_clock && have_windows == (sim->windows.count > 0)) {
        bar_publish(sim);
        if (announce) {
            printf("%s\n", announce);
            fflush(stdout);
        }
        watch(sim);
    } else {
        rc = td_fail(err, TD_E_LIMIT, "cannot start %u threads", sim->threads + 1);
    }
    __atomic_store_n(&sim->stop, 1, __ATOMIC_SEQ_CST);
    while (started-- > 0)
        pthread_join(sim->workers[started].thread, NULL);
    if (have_clock)
        pthread_join(clock_thread, NULL);
    if (have_windows)
        pthread_join(window_thread, NULL);
    free(sim->workers);
    return rc;
}

/* The file is sparse: its file system may have no page left when one is touched first. */
static void on_no_room(int number)
{
    static const char text[] =
        "tensix_sim: no room left for the board's memory; free some, or choose a smaller grid or "
        "another place with --bar\n";
    ssize_t written = write(2, text, sizeof text - 1);
    _exit(written < 0 ? 2 : 1);
}

static void catch_signals(const struct settings *s)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    const struct sigaction no_room = {.sa_handler = on_no_room};
    sigaction(SIGBUS, &no_room, NULL);
    if (s->parent_death) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        action.sa_handler = SIG_IGN;
    }
    sigaction(SIGINT, &action, NULL);
}

/* Which tiles have emulators. */
static int share_out(struct sim *sim, const struct settings *s, struct td_err *err)
{
    sim->emulated = s->emulate < 0 ? UINT32_MAX : (uint32_t)s->emulate;
    if (s->emulate < 0 && !s->native)
        return TD_OK;
    if (s->emulate < 0 || !s->native)
        return td_fail(err, TD_E_USAGE, "--emulate and --native go together");
    if (sim->insn_mode)
        return td_fail(err, TD_E_USAGE, "--native counts no instructions: it goes with --clock host only");
    return native_init(sim, s->native, err);
}

static void say_shares(const struct sim *sim)
{
    const struct td_board *b = &sim->board;
    uint32_t tiles = b->chips * b->grid_width * b->grid_height, cores = b->core_count;
    uint32_t emulated = sim->emulated < tiles ? sim->emulated : tiles;
    if (sim->native_images)
        fprintf(stderr,
                "tensix_sim: %u cores (%u tiles) on emulators, %u cores (%u tiles) compiled natively\n",
                emulated * cores, emulated, (tiles - emulated) * cores, tiles - emulated);
}

/* Hosts see that this program plays the board, whichever one it describes. *text: the description. */
static int mark_as_simulated(struct td_board *board, char **text, struct td_err *err)
{
    static const char section[] = "[board]\n", key[] = "simulated=yes\n";
    char *at = strstr(*text, section);
    if (board->simulated || !at)
        return TD_OK;
    const size_t before = (size_t)(at - *text) + sizeof section - 1;
    char *marked = NULL;
    if (asprintf(&marked, "%.*s%s%s", (int)before, *text, key, *text + before) < 0)
        return td_fail_no_memory(err, NULL);
    free(*text);
    *text = marked;
    board->simulated = 1;
    return TD_OK;
}

static int simulate(const struct settings *s, struct td_err *err)
{
    struct sim sim = {.fd = -1,
                      .insn_mode = s->clock,
                      .far = s->far,
                      .epoch_ticks = (uint64_t)s->epoch,
                      .reorder = (uint64_t)s->reorder,
                      .noc_random = (uint64_t)s->reorder * UINT64_C(0x9e3779b97f4a7c15) + 1,
                      .windows = {.count = (uint32_t)s->windows,
                                  .relaxed = s->noc_order,
                                  .tear = s->tear != 0,
                                  .seed = (uint64_t)s->tear,
                                  .delay_ns = (uint64_t)s->delay_ns}};
    struct td_run_folder folder = {.path = ""};
    char *text = NULL, own_path[sizeof folder.path + 16];
    const char *path = s->bar;
    pthread_mutex_init(&sim.gate_lock, NULL);
    sched_getaffinity(0, sizeof sim.cpus, &sim.cpus);
    int rc = td_board_load(&sim.board, s->board, s->grid, &text, err);
    rc = rc ? rc : mark_as_simulated(&sim.board, &text, err);
    sim.threads = sim.insn_mode ? 1 : (unsigned)s->threads;
    if (sim.board.misaligned)
        engine_let_misaligned_work();
    sim.check_alignment = !sim.board.misaligned && !engine_traps_misaligned();
    if (rc == 0 && s->reorder && !sim.insn_mode)
        rc = td_fail(err, TD_E_USAGE, "--reorder goes with --clock insn only");
    rc = rc ? rc : share_out(&sim, s, err);
    if (rc == 0 && !path) {
        td_run_folder_sweep();
        rc = td_run_folder_make(&folder, bar_room(&sim), err);
        snprintf(own_path, sizeof own_path, "%s/board.bar", folder.path);
        path = own_path;
    }
    rc = rc ? rc : bar_create(&sim, path, text, err);
    int made = rc == 0;
    if (rc == 0)
        td_debug(sim, "%s: %u chips of %ux%u tiles, %s time, %u windows", path, sim.board.chips,
                 sim.board.grid_width, sim.board.grid_height, sim.insn_mode ? "virtual" : "real",
                 sim.windows.count);
    rc = rc ? rc : clock_init(&sim, s->offset_ns, s->drift_ppm, err);
    if (rc == 0)
        say_shares(&sim);
    if (rc == 0)
        rc = run_simulation(&sim, s->bar ? NULL : path, err);
    if (made)
        bar_remove(&sim, path);
    bar_destroy(&sim);
    td_run_folder_remove(&folder);
    native_finish(&sim);
    free(text);
    pthread_mutex_destroy(&sim.gate_lock);
    return rc;
}

int main(int argc, char **argv)
{
    struct settings s = {.board = "tensix_sim", .epoch = DEFAULT_EPOCH, .threads = 2, .emulate = -1};
    struct td_err err = {0};
    struct td_command_args args = {0};
    const int asked = td_debug_from_environment(&err);
    bool parsed = asked == 0 && parse_settings(&s, argc, argv, &args, &err);
    if (!parsed && asked >= 0 && args.rc == 0)
        return 0;
    if (parsed && s.version) {
        printf("tensix_sim %s (Unicorn %u.%u.%u; GPL-2.0 as a program)\n", TD_VERSION, UC_VERSION_MAJOR,
               UC_VERSION_MINOR, UC_VERSION_PATCH);
        return 0;
    }
    if (parsed && s.check) {
        struct td_board board;
        if (td_board_load(&board, s.check, s.grid, NULL, &err) == 0)
            return 0;
    } else if (parsed) {
        pid_t parent = s.parent ? (pid_t)s.parent : getppid();
        catch_signals(&s);
        /* The parent may have ended before the request for its death signal. */
        if (s.parent_death && getppid() != parent)
            return 1;
        prctl(PR_SET_TIMERSLACK, 1000);
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* an engine touches little of its huge code buffer */
        td_clock_init();
        if (simulate(&s, &err) == 0)
            return 0;
    }
    fprintf(stderr, "tensix_sim: %s\n", err.text);
    return err.code == TD_E_USAGE ? 2 : 1;
}
