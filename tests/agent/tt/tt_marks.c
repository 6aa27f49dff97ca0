/* A firmware and kernel in one, whose markers go into buffers as those of tt-metal's device profiler do
 * (proto/tt/l1_profiler.h), on all five cores of a tile. BRISC is the one that begins and ends a launch.
 *
 *   argument 0: host id of the launch; 1: zones of each core, "inner" in "outer"; 2: values
 *
 * LAYOUT: number of the layout. The host has set the tile's coordinates in the control words. */
#include "proto/tt/device_log.h"
#include "tests/agent/tt/tt_place.h"

#include <tendril/tendril.h>

#include <stdint.h>

enum { GO = TT_SHARED, FINISHED = TT_SHARED + 4, CLOCK_LOW = -0x4EDE10, CLOCK_HIGH = -0x4EDE0C };

static volatile uint32_t *word(uint32_t address)
{
    return (volatile uint32_t *)(uintptr_t)address;
}

static volatile uint32_t *control(uint32_t index)
{
    return word(TT_CONTROL + 4 * index);
}

static volatile uint32_t *buffer(uint32_t core)
{
    return word(TT_BUFFERS + 4 * TD_TT_L1_BUFFER_WORDS * core);
}

static uint32_t next;

/* As the compiler's message, whose hash is the zone's id. */
static uint32_t id_of(const char *text)
{
    uint32_t hash = TD_TT_HASH_BASIS;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * TD_TT_HASH_PRIME;
    return TD_TT_HASH_FOLD(hash);
}

static void mark_at(uint32_t index, uint32_t kind, uint32_t id)
{
    volatile uint32_t *b = buffer(TT_CORE);
    const uint32_t high = *word((uint32_t)CLOCK_HIGH);
    b[index] = TD_TT_L1_VALID | kind << 28 | id << 12 | (high & 0xfff);
    b[index + 1] = *word((uint32_t)CLOCK_LOW);
}

static void mark(uint32_t kind, uint32_t id)
{
    mark_at(next, kind, id);
    next += 2;
}

static uint32_t left_open;

/* There must be room for the ends of what is open. */
static int begin(uint32_t id)
{
    if (next >= TD_TT_L1_BUFFER_WORDS - left_open)
        return 0;
    left_open += 2;
    mark(TD_TT_ZONE_START, id);
    return 1;
}

static void end(uint32_t id)
{
    mark(TD_TT_ZONE_END, id);
    left_open -= 2;
}

static void begin_launch(uint32_t run)
{
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++) {
        for (uint32_t i = 0; i < 4 && run == 0; i++)
            buffer(core)[i] = 0;
        for (uint32_t i = TD_TT_L1_FW_START; i < TD_TT_L1_OTHERS; i++)
            buffer(core)[i] = TD_TT_L1_VALID;
        buffer(core)[TD_TT_L1_ID_LL] = td_arg_at(0) << TT_ID_BIT | (TT_ID_BIT ? run & 0xffff : 0);
    }
    *control(TT_DONE) = 0;
}

/* Pushing into DRAM is left out: nothing of it is looked at. */
static void end_launch(uint32_t run)
{
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++) {
        buffer(core)[TD_TT_L1_ID_LH] = 3 << TT_CORE_BITS | core;
        *control(core) += *control(TT_DEVICE_END + core);
        if (TT_CLEARS)
            *control(TT_DEVICE_END + core) = 0;
    }
    *control(TT_RUN) = run + 1;
    *control(TT_DONE) = 1;
}

static void kernel(void)
{
    const uint32_t outer = id_of("outer,tt_marks.c,10,KERNEL_PROFILER"),
                   inner = id_of("inner,tt_marks.c,11,KERNEL_PROFILER"),
                   value = id_of("value,tt_marks.c,12,KERNEL_PROFILER");
    for (uint32_t i = 0; i + 1 < td_arg_at(1); i += 2) {
        const int is_open = begin(outer), is_open_inner = begin(inner);
        if (is_open_inner)
            end(inner);
        if (is_open)
            end(outer);
    }
    for (uint32_t i = 0; i < td_arg_at(2) && next + 4 <= TD_TT_L1_BUFFER_WORDS; i++) {
        mark(TD_TT_TS_DATA, value);
        buffer(TT_CORE)[next++] = 0x80000001; /* looks like a marker, and is none */
        buffer(TT_CORE)[next++] = i;
    }
}

int main(void)
{
    const uint32_t run = *control(TT_RUN);
    const uint32_t fw = id_of(TT_NAME "-FW,tt_marks.c,1,KERNEL_PROFILER"),
                   main_zone = id_of(TT_NAME "-KERNEL,tt_marks.c,2,KERNEL_PROFILER");
    next = TD_TT_L1_OTHERS;
    left_open = 0;
    if (TT_CORE == 0) {
        begin_launch(run);
        *word(GO) = run + 1;
    }
    while (*word(GO) != run + 1)
        ;
    mark_at(TD_TT_L1_FW_START, TD_TT_ZONE_START, fw);
    mark_at(TD_TT_L1_KERNEL_START, TD_TT_ZONE_START, main_zone);
    kernel();
    mark_at(TD_TT_L1_KERNEL_END, TD_TT_ZONE_END, main_zone);
    for (uint32_t core = 1; TT_CORE == 0 && core < TD_TT_L1_CORES; core++)
        while (*word(FINISHED + 4 * core) != run + 1)
            ;
    mark_at(TD_TT_L1_FW_END, TD_TT_ZONE_END, fw);
    if (next % 4 && next < TD_TT_L1_BUFFER_WORDS) {
        buffer(TT_CORE)[next++] = TD_TT_L1_VALID;
        buffer(TT_CORE)[next++] = 0;
    }
    *control(TT_DEVICE_END + TT_CORE) = next;
    if (TT_CORE == 0)
        end_launch(run);
    else
        *word(FINISHED + 4 * TT_CORE) = run + 1;
    return 0;
}
