#include "host/device/board/arc.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "proto/pcie/arc.h"

#include <time.h>

enum { MOST_ENTRIES = 256, LOOK_NS = 100000 };
#define ANSWER_WAIT_NS INT64_C(1000000000)

static struct td_tile_at arc_tile(const struct td_board *b)
{
    return (struct td_tile_at){0, b->arc.at.x[0], b->arc.at.y[0]};
}

static int read_words(const struct td_board *b, struct td_transport *t, uint64_t at, uint32_t *words,
                      size_t count, struct td_err *err)
{
    return t->ops->read(t, arc_tile(b), at, words, count * sizeof *words, err);
}

static void take(struct td_arc_report *r, uint32_t tag, uint32_t value)
{
    switch (tag) {
    case TD_ARC_TAG_BOARD_HIGH:
        r->board |= (uint64_t)value << 32;
        break;
    case TD_ARC_TAG_BOARD_LOW:
        r->board |= value;
        r->has_board = true;
        break;
    case TD_ARC_TAG_CLOCK:
        r->clock_mhz = value;
        r->has_clock = value > 0 && value < 100000;
        break;
    case TD_ARC_TAG_BUNDLE:
        r->bundle = value;
        break;
    case TD_ARC_TAG_COLUMNS:
        r->columns = value;
        r->has_columns = true;
        break;
    case TD_ARC_TAG_DRAM:
        r->dram = value;
        r->has_dram = true;
        break;
    default:
        break;
    }
}

int td_arc_read(const struct td_board *b, struct td_transport *t, struct td_arc_report *report,
                struct td_err *err)
{
    uint32_t table = 0, values = 0, head[2], entries[MOST_ENTRIES];
    *report = (struct td_arc_report){0};
    if (!b->telemetry_table || b->arc.at.count == 0)
        return td_fail(err, TD_E_NOTFOUND, "board %s: it is not known where its firmware reports", b->name);
    int rc = read_words(b, t, b->telemetry_table, &table, 1, err);
    rc = rc ? rc : read_words(b, t, b->telemetry_values, &values, 1, err);
    if (rc == 0 && (!table || table == UINT32_MAX || !values || values == UINT32_MAX))
        rc = td_fail(err, TD_E_IO, "the firmware has no telemetry (table 0x%x, values 0x%x): old, or not up",
                     table, values);
    rc = rc ? rc : read_words(b, t, b->telemetry_base + table, head, 2, err);
    if (rc == 0 && head[1] > MOST_ENTRIES)
        rc = td_fail(err, TD_E_FORMAT, "the firmware's telemetry has %u entries, which makes no sense",
                     head[1]);
    rc = rc ? rc : read_words(b, t, b->telemetry_base + table + sizeof head, entries, head[1], err);
    for (uint32_t i = 0; rc == 0 && i < head[1]; i++) {
        uint32_t value;
        rc = read_words(b, t, b->telemetry_base + values + (entries[i] >> 16) * UINT64_C(4), &value, 1, err);
        if (rc == 0)
            take(report, entries[i] & 0xffff, value);
    }
    td_debug(board, "%s: telemetry: clock %u MHz, columns 0x%x, DRAM 0x%x (0: not reported)%s%s", b->name,
             report->clock_mhz, report->columns, report->dram, rc && err ? "; failed: " : "",
             rc && err ? err->text : "");
    return rc;
}

const char *td_arc_board_name(uint64_t serial_number)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } boards[] = {
#define TD_X(kind, name) {kind, name},
        TD_ARC_BOARDS(TD_X)
#undef TD_X
    };
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++)
        if (boards[i].kind == (serial_number >> 36 & 0xfffff))
            return boards[i].name;
    return NULL;
}

static int write_word(const struct td_board *b, struct td_transport *t, uint32_t offset, uint32_t word,
                      struct td_err *err)
{
    return t->ops->write(t, arc_tile(b), b->arc_messages + offset, &word, 4, err);
}

/* Until the bits of a word in `mask` are `wanted`. */
static int await(const struct td_board *b, struct td_transport *t, uint32_t offset, uint32_t mask,
                 uint32_t wanted, uint32_t *word, struct td_err *err)
{
    const int64_t until = td_mono_ns() + ANSWER_WAIT_NS;
    for (;;) {
        int rc = read_words(b, t, b->arc_messages + offset, word, 1, err);
        if (rc || (*word & mask) == wanted || *word == UINT32_MAX)
            return rc;
        if (td_mono_ns() > until)
            return td_fail(err, TD_E_TIMEOUT, "the card's firmware does not answer (0x%x at 0x%x)", *word,
                           offset);
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
}

int td_arc_send(const struct td_board *b, struct td_transport *t, uint32_t message, uint32_t *result,
                struct td_err *err)
{
    uint32_t word;
    if (!b->arc_messages || b->arc.at.count == 0)
        return td_fail(err, TD_E_NOTFOUND, "board %s takes no messages", b->name);
    int rc = await(b, t, TD_ARC_CONTROL, TD_ARC_CONTROL_LOOK, 0, &word, err);
    const uint32_t control = word;
    rc = rc ? rc : write_word(b, t, TD_ARC_ARGUMENT, 0, err);
    rc = rc ? rc : write_word(b, t, TD_ARC_MESSAGE, TD_ARC_MESSAGE_PREFIX | message, err);
    rc = rc ? rc : write_word(b, t, TD_ARC_CONTROL, control | TD_ARC_CONTROL_LOOK, err);
    rc = rc ? rc : await(b, t, TD_ARC_MESSAGE, 0xffff, message, &word, err);
    if (rc == 0 && word == UINT32_MAX)
        rc = td_fail(err, TD_E_USAGE, "the card's firmware does not know message 0x%x", message);
    if (rc == 0 && result)
        rc = read_words(b, t, b->arc_messages + TD_ARC_ARGUMENT, result, 1, err);
    td_debug(board, "%s: message 0x%x to the firmware: %s", b->name, message, rc && err ? err->text : "done");
    return rc;
}

int td_arc_wake_cores(const struct td_board *b, struct td_transport *t, struct td_err *err)
{
    return b->arc_messages ? td_arc_send(b, t, TD_ARC_DEASSERT_RISCV_RESET, NULL, err) : 0;
}
