#include "boards/tensix_sim/perf_counters.h"
#include "boards/tensix_sim/compute.h"
#include "proto/device/perf_counters.h"

#include <stdlib.h>

/* In the order of the registers: offsets from that of PERIOD. */
enum { AT_PERIOD = 0, AT_MODE = 4, AT_CONTROL = 8, BANK_BYTES = 12 };

struct perf_bank {
    uint32_t period, mode, control;
    int runs;
    uint64_t start, cycles;                  /* ticks */
    uint64_t from[TD_PERF_COUNTER_COUNT];    /* counts at the start */
    uint64_t counted[TD_PERF_COUNTER_COUNT]; /* from start to stop */
};

struct perf_counters {
    struct perf_bank banks[TD_PERF_BANK_COUNT];
};

static const struct {
    uint32_t at, out;
} places[TD_PERF_BANK_COUNT] = {
#define TD_X(name, at, out, bit) {at, out},
    TD_PERF_BANKS(TD_X)
#undef TD_X
};

static const struct {
    uint8_t bank;
    uint32_t mode;
} counters[TD_PERF_COUNTER_COUNT] = {
#define TD_X(bank, select, name) {TD_PERF_BANK_##bank, TD_PERF_MODE(select)},
    TD_PERF_COUNTERS(TD_X)
#undef TD_X
};

/* The page is that of Wormhole and Blackhole if clock and reset are at their places in it. */
static bool has_page(const struct td_board *board)
{
    return board->clock_low % TD_PERF_PAGE_BYTES == TD_PERF_CLOCK_OFFSET &&
           (board->clock_low ^ board->soft_reset) / TD_PERF_PAGE_BYTES == 0;
}

/* NULL: there are none, or no memory is left. */
static struct perf_counters *perf_of(struct core *core)
{
    if (!core->tile->perf && has_page(&core->sim->board))
        core->tile->perf = calloc(1, sizeof *core->tile->perf);
    return core->tile->perf;
}

/* Cycles and counts of a bank as they are now. */
static void look(struct core *core, struct perf_bank *bank, uint64_t now)
{
    uint64_t counts[TD_PERF_COUNTER_COUNT];
    if (!bank->runs)
        return;
    compute_counts(core, now, counts);
    bank->cycles = now - bank->start;
    for (int i = 0; i < TD_PERF_COUNTER_COUNT; i++)
        bank->counted[i] = counts[i] - bank->from[i];
}

static void set_control(struct core *core, struct perf_bank *bank, uint64_t now, uint32_t value)
{
    const uint32_t rises = value & ~bank->control;
    look(core, bank, now);
    if (rises & TD_PERF_START) {
        *bank = (struct perf_bank){.period = bank->period, .mode = bank->mode, .runs = 1, .start = now};
        compute_counts(core, now, bank->from);
    }
    if (rises & TD_PERF_STOP)
        bank->runs = 0;
    bank->control = value;
}

static uint32_t count_shown(const struct perf_bank *bank, int number)
{
    for (int i = 0; i < TD_PERF_COUNTER_COUNT; i++)
        if (counters[i].bank == number && counters[i].mode == bank->mode)
            return (uint32_t)bank->counted[i];
    return 0; /* an event that nothing here causes */
}

int perf_register_read(struct core *core, uint32_t address, uint64_t now, uint32_t *value)
{
    const uint32_t offset = address % TD_PERF_PAGE_BYTES;
    struct perf_counters *perf = perf_of(core);
    if (!perf || (address ^ core->sim->board.clock_low) / TD_PERF_PAGE_BYTES)
        return TD_E_NOTFOUND;
    for (int i = 0; i < TD_PERF_BANK_COUNT; i++) {
        struct perf_bank *bank = &perf->banks[i];
        const uint32_t parameter = offset - places[i].at, out = offset - places[i].out;
        if (parameter < BANK_BYTES) {
            *value = parameter == AT_PERIOD ? bank->period
                     : parameter == AT_MODE ? bank->mode
                                            : bank->control;
            return 0;
        }
        if (out <= 4) {
            look(core, bank, now);
            *value = out ? count_shown(bank, i) : (uint32_t)bank->cycles;
            return 0;
        }
    }
    return TD_E_NOTFOUND;
}

int perf_register_write(struct core *core, uint32_t address, uint64_t now, uint32_t value)
{
    const uint32_t offset = address % TD_PERF_PAGE_BYTES;
    struct perf_counters *perf = perf_of(core);
    if (!perf || (address ^ core->sim->board.clock_low) / TD_PERF_PAGE_BYTES)
        return TD_E_NOTFOUND;
    if (offset == TD_PERF_ALL) {
        set_control(core, &perf->banks[TD_PERF_BANK_FPU], now, value);
        return 0;
    }
    for (int i = 0; i < TD_PERF_BANK_COUNT; i++) {
        const uint32_t parameter = offset - places[i].at;
        if (parameter >= BANK_BYTES)
            continue;
        if (parameter == AT_PERIOD)
            perf->banks[i].period = value;
        else if (parameter == AT_MODE)
            perf->banks[i].mode = value;
        else
            set_control(core, &perf->banks[i], now, value);
        return 0;
    }
    return TD_E_NOTFOUND;
}

void perf_finish(struct tile *tile)
{
    free(tile->perf);
}
