#include "host/tools/recording/card_check.h"
#include "host/base/clock.h"
#include "host/device/board/arc.h"
#include "host/device/board/coordinates.h"
#include "host/transport/card/noc.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATTERN_WORDS = 16, CLOCK_WAIT_MS = 50 };
#define CLOCK_TOLERANCE 0.05

struct check {
    struct td_transport *t;
    struct td_board *board;
    struct td_arc_report firmware;
    int firmware_rc;
    void (*step)(void *self, const struct td_card_step *step);
    void *self;
};

static void say(struct check *c, const char *name, enum td_step_result result, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(struct check *c, const char *name, enum td_step_result result, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->step(c->self, &(struct td_card_step){name, result, text});
}

static int failed(struct check *c, const char *name, const struct td_err *err)
{
    say(c, name, TD_STEP_FAILED, "%s", err->text);
    return err->code ? err->code : TD_E_IO;
}

static void tell_fact(void *self, const char *name, const char *text)
{
    say(self, name, TD_STEP_OK, "%s", text);
}

static int check_firmware(struct check *c)
{
    struct td_err err = {0};
    c->firmware_rc = td_arc_read(c->board, c->t, &c->firmware, &err);
    const struct td_arc_report *r = &c->firmware;
    if (c->firmware_rc == TD_E_NOTFOUND || c->firmware_rc == TD_E_IO) {
        say(c, "firmware", TD_STEP_UNKNOWN, "%s", err.text);
        return 0;
    }
    if (c->firmware_rc)
        return failed(c, "firmware", &err);
    const char *name = r->has_board ? td_arc_board_name(r->board) : NULL;
    char number[40] = "";
    if (r->has_board)
        snprintf(number, sizeof number, ", serial number %" PRIx64, r->board);
    say(c, "firmware", TD_STEP_OK, "bundle %u.%u.%u.%u, board %s%s", r->bundle >> 24, r->bundle >> 16 & 255,
        r->bundle >> 8 & 255, r->bundle & 255, name ? name : "of unknown type", number);
    return 0;
}

static void check_frequency(struct check *c, double described_hz)
{
    const double mhz = c->board->frequency_hz / 1e6, described = described_hz / 1e6;
    if (c->firmware_rc && mhz == described)
        say(c, "clock", TD_STEP_UNKNOWN, "the card does not report it; its description says %g MHz",
            described);
    else
        say(c, "clock", TD_STEP_OK, "%g MHz%s", mhz,
            mhz < described * (1 - CLOCK_TOLERANCE)
                ? ", which is below that of the description: idle, or limited"
                : "");
}

/* Lists the columns or rows that the firmware reports as harvested, and the key that says so. */
static void check_harvesting(struct check *c)
{
    const struct td_board *b = c->board;
    uint32_t fuses = 0;
    bool known = false;
    struct td_err err = {0};
    if (c->firmware_rc == 0 && c->firmware.has_columns) {
        fuses = ~c->firmware.columns & ((1u << b->all_columns) - 1);
        known = true;
    } else if (b->arc_messages && td_arc_send(b, c->t, 0x57 /* harvesting */, &fuses, &err) == 0) {
        known = true;
    }
    const uint32_t described = b->all_columns - b->chip[0].columns + b->all_rows - b->chip[0].rows;
    if (!known)
        say(c, "harvesting", TD_STEP_UNKNOWN,
            "the firmware does not report it; the description has %u harvested", described);
    else if ((uint32_t)__builtin_popcount(fuses) == described)
        say(c, "harvesting", TD_STEP_OK, "%u harvested, as the description says (harvest_fuses=0x%x)",
            described, fuses);
    else
        say(c, "harvesting", TD_STEP_OK,
            "%d harvested, but the description has %u: write harvest_fuses=0x%x below [chip 0] of a "
            "description "
            "of your own",
            __builtin_popcount(fuses), described, fuses);
    if (c->firmware_rc == 0 && c->firmware.has_dram && b->dram_ports)
        say(c, "DRAM", TD_STEP_OK, "%d banks work, the description has %u",
            __builtin_popcount(c->firmware.dram & 0xff), b->dram_banks);
}

/* The tile at the other end of a window says who it is. */
static int check_windows(struct check *c)
{
    const struct td_board *b = c->board;
    struct td_err err = {0};
    const uint32_t last_x = b->grid_width - 1, last_y = b->grid_height - 1;
    const uint32_t tiles[2][2] = {{0, 0}, {last_x, last_y}};
    char text[300] = "";
    if (!b->node_id) {
        say(c, "windows", TD_STEP_UNKNOWN, "this board's tiles do not say which they are");
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        const struct td_tile_at at = td_board_tile(b, 0, tiles[i][0], tiles[i][1]);
        uint32_t node, logical;
        int rc = c->t->ops->read(c->t, at, b->node_id, &node, 4, &err);
        rc = rc ? rc : c->t->ops->read(c->t, at, b->logical_id, &logical, 4, &err);
        if (rc)
            return failed(c, "windows", &err);
        const uint32_t x = logical & 63, y = logical >> 6 & 63;
        if (x != at.x || y != at.y) {
            say(c, "windows", TD_STEP_FAILED,
                "a window at tile %u,%u shows tile %u,%u (NoC 0: %u,%u); with [noc] addresses=noc0 in a "
                "description of your own, windows use the coordinates of NoC 0",
                at.x, at.y, x, y, node & 63, node >> 6 & 63);
            return TD_E_IO;
        }
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%stile %u,%u is %u,%u (NoC 0: %u,%u)", i ? "; " : "",
                 tiles[i][0], tiles[i][1], x, y, node & 63, node >> 6 & 63);
    }
    say(c, "windows", TD_STEP_OK, "%s", text);
    return 0;
}

/* Nothing but the owner of a running program uses the words at data_base: with cores in reset nobody does. */
static int check_memory(struct check *c, struct td_tile_at at)
{
    uint32_t old[PATTERN_WORDS], out[PATTERN_WORDS], in[PATTERN_WORDS];
    struct td_err err = {0};
    const uint64_t place = c->board->data_base;
    int rc = c->t->ops->read(c->t, at, place, old, sizeof old, &err);
    for (uint32_t i = 0; i < PATTERN_WORDS; i++)
        out[i] = 0x5EED0000u + i * 0x01010101u;
    rc = rc ? rc : c->t->ops->write(c->t, at, place, out, sizeof out, &err);
    rc = rc ? rc : c->t->ops->read(c->t, at, place, in, sizeof in, &err);
    rc = rc ? rc : c->t->ops->write(c->t, at, place, old, sizeof old, &err);
    if (rc)
        return failed(c, "memory", &err);
    if (memcmp(in, out, sizeof in) != 0) {
        say(c, "memory", TD_STEP_FAILED,
            "tile %u,%u does not keep what is written to 0x%x: 0x%x in place of 0x%x", at.x, at.y,
            c->board->data_base, in[0], out[0]);
        return TD_E_IO;
    }
    say(c, "memory", TD_STEP_OK, "tile 0,0 keeps %zu bytes at 0x%x", sizeof in, c->board->data_base);
    return 0;
}

/* With all cores in reset, the bits are written again as they are. */
static int check_reset(struct check *c, struct td_tile_at at, bool *idle)
{
    const struct td_board *b = c->board;
    uint32_t word, again, all = 0;
    struct td_err err = {0};
    for (uint32_t i = 0; i < b->core_count; i++)
        all |= 1u << b->cores[i].reset_bit;
    int rc = c->t->ops->read(c->t, at, b->soft_reset, &word, 4, &err);
    if (rc)
        return failed(c, "reset", &err);
    *idle = (word & all) == all;
    if (!*idle) {
        say(c, "reset", TD_STEP_UNKNOWN,
            "cores of tile 0,0 run (0x%x): they are left alone, and so is memory", word);
        return 0;
    }
    rc = c->t->ops->write(c->t, at, b->soft_reset, &word, 4, &err);
    rc = rc ? rc : c->t->ops->read(c->t, at, b->soft_reset, &again, 4, &err);
    if (rc)
        return failed(c, "reset", &err);
    if ((again & all) != all) {
        say(c, "reset", TD_STEP_FAILED, "the reset register of tile 0,0 does not keep 0x%x: 0x%x", word,
            again);
        return TD_E_IO;
    }
    say(c, "reset", TD_STEP_OK, "all cores of tile 0,0 are held (0x%x), and stay so", word);
    return 0;
}

static int check_ticks(struct check *c, struct td_tile_at at)
{
    struct td_clock_sample first, second;
    struct td_err err = {0};
    int rc = c->t->ops->clock(c->t, at, &first, &err);
    const int64_t from = td_mono_ns();
    nanosleep(&(struct timespec){0, CLOCK_WAIT_MS * 1000000L}, NULL);
    rc = rc ? rc : c->t->ops->clock(c->t, at, &second, &err);
    if (rc)
        return failed(c, "ticks", &err);
    const double mhz = (double)(second.ticks - first.ticks) * 1e3 / (double)(td_mono_ns() - from);
    if (second.ticks <= first.ticks) {
        say(c, "ticks", TD_STEP_FAILED,
            "the clock of tile 0,0 does not run: %" PRIu64 " and %" PRIu64 " ticks", first.ticks,
            second.ticks);
        return TD_E_IO;
    }
    const bool is_near = fabs(mhz * 1e6 / c->board->frequency_hz - 1) < 4 * CLOCK_TOLERANCE;
    say(c, "ticks", TD_STEP_OK, "the clock of tile 0,0 runs at %.4g MHz%s", mhz,
        is_near || c->board->simulated ? ""
                                       : ", which is not the frequency above (a simulator, or a busy host)");
    return 0;
}

static int check_all(struct check *c, double described_hz)
{
    bool idle = false;
    struct td_tile_at at;
    td_noc_facts(c->t, tell_fact, c);
    int rc = check_firmware(c);
    if (rc)
        return rc;
    check_frequency(c, described_hz);
    check_harvesting(c);
    at = td_board_tile(c->board, 0, 0, 0);
    rc = check_windows(c);
    rc = rc ? rc : check_reset(c, at, &idle);
    if (rc == 0 && idle)
        rc = check_memory(c, at);
    return rc ? rc : check_ticks(c, at);
}

int td_card_check(const struct td_attach *attach, void (*step)(void *self, const struct td_card_step *step),
                  void *self, struct td_err *err)
{
    struct check c = {.step = step, .self = self, .board = malloc(sizeof *c.board)};
    struct td_board *described = malloc(sizeof *described);
    double hz = 0;
    int rc;
    if (!c.board || !described) {
        rc = td_fail_no_memory(err, NULL);
    } else {
        if (attach->board && td_board_load(described, attach->board, attach->grid, NULL, NULL) == 0)
            hz = described->frequency_hz;
        rc = td_attach_open(attach, &c.t, c.board, NULL, err);
        if (rc) {
            failed(&c, "open", err);
        } else {
            say(&c, "open", TD_STEP_OK, "%s over %s", c.board->name, c.t->ops->name);
            rc = check_all(&c, hz > 0 ? hz : c.board->frequency_hz);
            td_transport_close(c.t);
        }
    }
    free(described);
    free(c.board);
    return rc;
}
