#include "host/agent/journal/journal_reader.h"
#include "host/base/checksum.h"

#include <lz4.h>
#include <stdlib.h>

enum phase { IN_HEAD, IN_BLOCKS, AFTER_DAMAGE };

/* A packed block is not larger than a raw one. */
#define WANT_MAX (td_journal_block_bytes + TD_JOURNAL_BLOCK_MAX)

struct td_journal_reader {
    td_journal_visit *visit;
    void *self;
    enum phase phase;
    int stopped; /* what visit() has returned */
    uint64_t fed, blocks;
    struct td_journal_state state;
    size_t have;          /* bytes in `in` */
    uint8_t in[WANT_MAX]; /* of the head, the block, or the search for a block's head */
    uint8_t raw[TD_JOURNAL_BLOCK_MAX];
};

struct td_journal_reader *td_journal_reader_create(td_journal_visit *visit, void *self)
{
    struct td_journal_reader *reader = malloc(sizeof *reader);
    if (!reader)
        return NULL;
    reader->visit = visit;
    reader->self = self;
    reader->phase = IN_HEAD;
    reader->stopped = 0;
    reader->fed = reader->blocks = 0;
    reader->have = 0;
    reader->state = (struct td_journal_state){0};
    return reader;
}

void td_journal_reader_destroy(struct td_journal_reader *reader)
{
    free(reader);
}

static int take_head(struct td_journal_reader *reader, struct td_err *err)
{
    struct td_journal_head head;
    td_journal_get_head(reader->in, &head);
    if (memcmp(reader->in, TD_JOURNAL_MAGIC, sizeof head.magic) != 0)
        return td_fail(err, TD_E_FORMAT, "this is not a journal of a recording");
    if (head.version != TD_JOURNAL_VERSION)
        return td_fail(
            err, TD_E_VERSION,
            "this journal has version %u, and this release of tendril reads version %d; recover it "
            "with the release that wrote it",
            head.version, TD_JOURNAL_VERSION);
    if (td_checksum(reader->in, td_journal_head_bytes - sizeof head.sum) != head.sum)
        return td_fail(err, TD_E_FORMAT, "the head of this journal is damaged");
    reader->state.begin_ns = reader->state.last_ns = head.wall_ns;
    reader->state.whole_bytes = td_journal_head_bytes;
    reader->phase = IN_BLOCKS;
    return 0;
}

/* The head of a block that can be the next one, or a later one. */
static bool is_block_head(const struct td_journal_reader *reader, const uint8_t *at,
                          struct td_journal_block *block)
{
    td_journal_get_block(at, block);
    return block->mark == TD_JOURNAL_MARK && block->raw <= TD_JOURNAL_BLOCK_MAX &&
           block->stored <= block->raw && block->number >= reader->blocks &&
           td_checksum(at, td_journal_block_bytes - sizeof block->head_sum) == block->head_sum;
}

static int visit_records(struct td_journal_reader *reader, const uint8_t *at, size_t left, struct td_err *err)
{
    struct td_journal_record record;
    while (left >= td_journal_record_bytes) {
        td_journal_get_record(at, &record);
        at += td_journal_record_bytes;
        left -= td_journal_record_bytes;
        if (record.bytes > left)
            return td_fail(err, TD_E_FORMAT, "the journal has a record that is longer than its block");
        reader->stopped = reader->visit(reader->self, (enum td_journal_kind)record.kind, record.source, at,
                                        record.bytes, err);
        if (reader->stopped)
            return reader->stopped;
        at += record.bytes;
        left -= record.bytes;
    }
    return left ? td_fail(err, TD_E_FORMAT, "the journal has a block that ends in a record") : 0;
}

/* The block is whole in reader->in. */
static int take_block(struct td_journal_reader *reader, const struct td_journal_block *block,
                      struct td_err *err)
{
    const uint8_t *stored = reader->in + td_journal_block_bytes;
    if (block->number != reader->blocks || td_checksum(stored, block->stored) != block->sum) {
        reader->phase = AFTER_DAMAGE;
        return 0;
    }
    const uint8_t *raw = stored;
    if (block->stored < block->raw) {
        raw = reader->raw;
        if (LZ4_decompress_safe((const char *)stored, (char *)reader->raw, (int)block->stored,
                                (int)block->raw) != (int)block->raw) {
            reader->phase = AFTER_DAMAGE;
            return 0;
        }
    }
    int bad = visit_records(reader, raw, block->raw, err);
    if (bad)
        return bad;
    reader->blocks++;
    reader->state.last_ns = block->wall_ns;
    reader->state.whole_bytes += td_journal_block_bytes + block->stored;
    return 0;
}

/* Drops the first bytes of reader->in. */
static void drop_bytes(struct td_journal_reader *reader, size_t count)
{
    reader->have -= count;
    memmove(reader->in, reader->in + count, reader->have);
}

/* Searches for the head of a block. What may be the begin of one stays in reader->in. */
static void search_head(struct td_journal_reader *reader)
{
    struct td_journal_block block;
    size_t at = 0;
    for (; at + td_journal_block_bytes <= reader->have && !reader->state.damaged; at++)
        reader->state.damaged = is_block_head(reader, reader->in + at, &block);
    drop_bytes(reader, reader->state.damaged ? reader->have : at);
}

/* The bytes that are needed for the next step. */
static size_t wanted_bytes(const struct td_journal_reader *reader, struct td_journal_block *block)
{
    if (reader->phase == IN_HEAD)
        return td_journal_head_bytes;
    if (reader->phase == AFTER_DAMAGE)
        return WANT_MAX;
    if (reader->have < td_journal_block_bytes)
        return td_journal_block_bytes;
    return td_journal_block_bytes + (is_block_head(reader, reader->in, block) ? block->stored : 0);
}

static int step(struct td_journal_reader *reader, struct td_journal_block *block, struct td_err *err)
{
    size_t taken = td_journal_head_bytes;
    int bad = 0;
    if (reader->phase == IN_HEAD) {
        bad = take_head(reader, err);
    } else if (is_block_head(reader, reader->in, block)) {
        taken = td_journal_block_bytes + block->stored;
        bad = take_block(reader, block, err);
        if (reader->phase == AFTER_DAMAGE)
            taken = 1;
    } else {
        reader->phase = AFTER_DAMAGE;
        taken = 1;
    }
    if (!bad)
        drop_bytes(reader, taken);
    return bad;
}

int td_journal_reader_feed(struct td_journal_reader *reader, const uint8_t *bytes, size_t count,
                           struct td_err *err)
{
    struct td_journal_block block;
    int bad = reader->stopped;
    reader->fed += bad ? 0 : count;
    while (!bad && (count || reader->have >= wanted_bytes(reader, &block))) {
        const size_t want = wanted_bytes(reader, &block);
        size_t n = reader->have < want ? want - reader->have : 0;
        n = n < count ? n : count;
        memcpy(reader->in + reader->have, bytes, n);
        reader->have += n;
        bytes += n;
        count -= n;
        if (reader->phase == AFTER_DAMAGE)
            search_head(reader);
        else if (reader->have >= wanted_bytes(reader, &block))
            bad = step(reader, &block, err);
    }
    reader->stopped = bad;
    return bad;
}

int td_journal_reader_close(struct td_journal_reader *reader, struct td_err *err)
{
    /* A block that was cut may be followed by others: it was counted as one that is not complete yet. */
    if (reader->phase == IN_BLOCKS && reader->have) {
        reader->phase = AFTER_DAMAGE;
        drop_bytes(reader, 1);
        search_head(reader);
    }
    reader->state.torn_bytes = reader->fed - reader->state.whole_bytes;
    if (reader->phase != IN_HEAD)
        return 0;
    return td_fail(err, TD_E_FORMAT,
                   reader->fed ? "this is not a journal of a recording" : "the journal is empty");
}

const struct td_journal_state *td_journal_reader_state(const struct td_journal_reader *reader)
{
    return &reader->state;
}
