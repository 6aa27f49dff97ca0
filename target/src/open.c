#include "target/src/open.h"

static void write_open_zones(volatile uint32_t *from, uint32_t words, enum td_core_state how, uint64_t ticks)
{
    uint32_t room[TD_PACKET_WORDS_OPEN];
    struct td_packet_words p;
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t start = from[i];
        if (!start)
            continue;
        td_packet_begin(&p, room, TD_PACKET_OPEN, i, ticks);
        td_packet_add(&p, (uint64_t)how << 32 | start);
        td_packet_write(&p, td_keep());
    }
}

static void clear(volatile uint32_t *from, volatile uint32_t *to)
{
    while (from < to)
        *from++ = 0;
}

/* These packets belong to the image that ran before, so the IMAGE packet of this one comes after them. */
static void write_left(enum td_core_state left, uint64_t ticks)
{
    uint32_t room[TD_PACKET_WORDS_LEFT];
    struct td_packet_words p;
    td_state.image_written = true;
    td_state.written_op = td_state.op;
    write_open_zones(td_open_base, TD_OPEN_BYTES / 4, left, ticks);
    td_packet_begin(&p, room, TD_PACKET_LEFT, 0, ticks);
    td_packet_add(&p, left);
    td_packet_write(&p, td_keep());
    td_state.image_written = false;
    td_state.written_op = ~td_state.op;
}

void td_open_begin_launch(enum td_core_state left)
{
    uint64_t ticks = td_clock64();
    if (left == TD_CORE_FAULT)
        ticks = (uint64_t)TD_LANE(fault_time_high) << 32 | TD_LANE(fault_time);
    /* In `overwrite` a block begins with an IMAGE packet, wherever it begins. */
    if (left && td_state.policy != TD_POLICY_OVERWRITE)
        write_left(left, ticks);
    clear(td_open_base, td_open_base + TD_OPEN_BYTES / 4);
    clear(td_open_begin, td_open_end);
}

void td_open_end_launch(void)
{
    write_open_zones(td_open_begin, (uint32_t)(td_open_end - td_open_begin), TD_CORE_DONE, td_clock64());
}
