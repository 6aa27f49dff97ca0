/* tendril top: zones, waits, rates and losses of cores that run, again and again. */
#include "host/base/clock.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/tools/commands.h"
#include "host/tools/files/open_look.h"
#include "host/transport/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LOOKS_A_SECOND 20

/* Of one core, since the last picture. */
struct core_sums {
    uint32_t tail, lost, stalls; /* counters at the last picture */
    unsigned looks, waits, running;
};

/* A zone that was the innermost open one. Zones of one name and place are one, whatever image they are in. */
struct zone_sums {
    const struct td_site *site;
    unsigned looks;
};

struct top {
    struct td_open_look open;
    struct core_sums *cores;
    struct zone_sums *zones;
    size_t zone_count, zone_room;
    unsigned looks; /* of cores that ran, since the last picture */
    double period_s;
    long pictures; /* 0: until interrupted */
};

static uint32_t lost_of(const struct td_core_look *core)
{
    return core->words[TD_LANE_lost_zones / 4] + core->words[TD_LANE_lost_other / 4];
}

static int count_zone(struct top *top, const struct td_site *site, struct td_err *err)
{
    for (size_t i = 0; i < top->zone_count; i++) {
        const struct td_site *known = top->zones[i].site;
        if (known == site || (known->line == site->line && strcmp(known->name, site->name) == 0 &&
                              strcmp(known->file, site->file) == 0)) {
            top->zones[i].looks++;
            return 0;
        }
    }
    return TD_APPEND(top->zones, top->zone_count, top->zone_room, (struct zone_sums){site, 1}) < 0
               ? td_fail_no_memory(err, "for the zones of a board")
               : 0;
}

static int look_once(struct top *top, struct td_err *err)
{
    const struct td_board_look *look = &top->open.look;
    int rc = td_board_look_now(&top->open.look, err);
    for (size_t i = 0; rc == 0 && i < look->count; i++) {
        const struct td_core_look *core = &look->cores[i];
        struct core_sums *sums = &top->cores[i];
        const struct td_site *site = core->zone_count ? core->zones[core->zone_count - 1].site : NULL;
        sums->looks++;
        if (core->state != TD_LOOK_RUNNING && core->state != TD_LOOK_STUCK)
            continue;
        sums->running++;
        top->looks++;
        if (site && site->kind == TD_SITE_WAIT)
            sums->waits++;
        if (site)
            rc = count_zone(top, site, err);
    }
    return rc;
}

TD_COMPARE(by_looks, struct zone_sums, TD_DOWN(looks))

static unsigned rows_of_terminal(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 10)
        return size.ws_row;
    return 50;
}

struct ranked_core {
    size_t index;
    uint32_t slots;
};

TD_COMPARE(by_slots, struct ranked_core, TD_DOWN(slots) TD_UP(index))

static void print_core(const struct top *top, size_t index, double elapsed_s)
{
    const struct td_core_look *core = &top->open.look.cores[index];
    const struct core_sums *sums = &top->cores[index];
    const struct td_site *site = core->zone_count ? core->zones[core->zone_count - 1].site : NULL;
    printf("%4u %3u,%-3u %-7s %-8s %10.0f %8.1f %5.0f%% %8u  %s\n", core->tile.chip, core->x, core->y,
           top->open.board.cores[core->core].name, td_look_state_name(core->state),
           (core->words[TD_LANE_tail / 4] - sums->tail) / elapsed_s,
           (core->words[TD_LANE_stalls / 4] - sums->stalls) / elapsed_s,
           sums->running ? 100.0 * sums->waits / sums->running : 0, lost_of(core) - sums->lost,
           site ? TD_PLAIN(site->name) : "");
}

/* A line about cores that ran, but whose zones are not known. */
static void print_unknown(const struct top *top)
{
    const struct td_board_look *look = &top->open.look;
    uint64_t first = 0;
    size_t count = 0;
    for (size_t i = 0; i < look->count; i++) {
        if (!top->cores[i].running || look->cores[i].image || !look->cores[i].build_id)
            continue;
        first = first ? first : look->cores[i].build_id;
        count++;
    }
    if (!count)
        return;
    char id[17];
    td_build_id_text(first, id);
    printf("zones of %zu cores are not known: the ELF with build id %s is missing (--elf)\n", count, id);
}

static int print_picture(struct top *top, double elapsed_s, struct td_err *err)
{
    const struct td_board_look *look = &top->open.look;
    const bool is_screen = isatty(STDOUT_FILENO);
    struct ranked_core *ranked = malloc((look->count + 1) * sizeof *ranked);
    size_t running = 0, shown = 0, zones = top->zone_count < 10 ? top->zone_count : 10;
    if (!ranked)
        return td_fail_no_memory(err, "for the cores of a board");
    for (size_t i = 0; i < look->count; i++) {
        ranked[i] = (struct ranked_core){i, look->cores[i].words[TD_LANE_tail / 4] - top->cores[i].tail};
        running += top->cores[i].running > 0;
    }
    qsort(ranked, look->count, sizeof *ranked, by_slots);
    qsort(top->zones, top->zone_count, sizeof *top->zones, by_looks);
    if (is_screen)
        printf("\033[H\033[J");
    printf("%s at %s: %zu of %zu cores ran in the last %.2g s\n", look->board->name, top->open.where, running,
           look->count, elapsed_s);
    print_unknown(top);
    printf("\n%7s  innermost zone of cores that ran\n", "share");
    for (size_t i = 0; i < zones; i++)
        printf("%6.1f%%  %s%s (%s:%u)\n", top->looks ? 100.0 * top->zones[i].looks / top->looks : 0,
               top->zones[i].site->kind == TD_SITE_WAIT ? "wait: " : "", TD_PLAIN(top->zones[i].site->name),
               TD_PLAIN(top->zones[i].site->file), top->zones[i].site->line);
    printf("\n%4s %7s %-7s %-8s %10s %8s %6s %8s  %s\n", "chip", "tile", "core", "state", "slots/s",
           "stalls/s", "waits", "lost", "innermost zone");
    const size_t rows = rows_of_terminal(), above = zones + 7;
    const size_t most = !is_screen ? look->count : rows > above ? rows - above : 1;
    for (size_t i = 0; i < look->count && shown < most; i++) {
        const struct core_sums *sums = &top->cores[ranked[i].index];
        if (!sums->running && !ranked[i].slots)
            continue;
        print_core(top, ranked[i].index, elapsed_s);
        shown++;
    }
    free(ranked);
    fflush(stdout);
    return ferror(stdout) ? td_fail_errno(err, "cannot write to standard output") : 0;
}

/* Counters begin anew for the next picture. */
static void begin_period(struct top *top)
{
    for (size_t i = 0; i < top->open.look.count; i++) {
        const struct td_core_look *core = &top->open.look.cores[i];
        top->cores[i] = (struct core_sums){.tail = core->words[TD_LANE_tail / 4],
                                           .lost = lost_of(core),
                                           .stalls = core->words[TD_LANE_stalls / 4]};
    }
    top->zone_count = 0;
    top->looks = 0;
}

static int watch(struct top *top, struct td_err *err)
{
    const volatile int *stop = td_interrupt_count();
    int rc = look_once(top, err);
    begin_period(top);
    for (long n = 0; rc == 0 && !*stop && (top->pictures == 0 || n < top->pictures); n++) {
        const int64_t began = td_mono_ns();
        do {
            nanosleep(&(struct timespec){0, 1000000000 / LOOKS_A_SECOND}, NULL);
            rc = *stop ? 0 : look_once(top, err);
        } while (rc == 0 && !*stop && (double)(td_mono_ns() - began) * 1e-9 < top->period_s);
        if (rc == 0 && !*stop)
            rc = print_picture(top, (double)(td_mono_ns() - began) * 1e-9, err);
        begin_period(top);
        rc = rc ? rc : top->open.transport->ops->alive(top->open.transport, err);
    }
    return rc;
}

const char td_summary_top[] =
    "Shows what the cores of a board do while they run: zones, waits, rates, losses.";

int td_cmd_top(int argc, char **argv, struct td_err *err)
{
    struct top top = {.period_s = 1};
    const struct td_option options[] = {TD_OPEN_LOOK_OPTIONS(top.open),
                                        {0, "period", TD_OPT_DOUBLE | TD_OPT_LOOKS, &top.period_s, "SECONDS",
                                         "time of one picture (1)", NULL, 0, 0},
                                        {'n', "count", TD_OPT_INT, &top.pictures, "N",
                                         "end after N pictures; 0, the default: when interrupted", NULL, 0,
                                         1000000000},
                                        TD_OPTION_DEBUG,
                                        {0}};
    const struct td_command_line line = {
        .name = "tendril top",
        .usage = "[options]",
        .summary = td_summary_top,
        .options = options,
        .details = "The command looks at the cores 20 times a second, from outside: it changes nothing, and "
                   "works next to "
                   "a recorder. Shares are of these looks. Slots are counted where cores publish them, each "
                   "64 slots.",
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    td_interrupt_catch();
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ); /* a picture appears at once */
    int rc = td_look_check_seconds("--period", top.period_s, err);
    rc = rc ? rc : td_look_open(&top.open, err);
    if (rc == 0) {
        top.cores = calloc(top.open.look.count, sizeof *top.cores);
        rc = top.cores ? watch(&top, err) : td_fail_no_memory(err, "for the cores of a board");
    }
    td_look_close(&top.open);
    free(top.cores);
    free(top.zones);
    return rc;
}
