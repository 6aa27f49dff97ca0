/* The fast path for zones of threads: copies zones that are inside one block and need no correction, with few
 * branches that depend on the shape of the tree. All others are left to the caller. */
#include "host/base/grow.h"
#include "host/file/bytes.h"
#include "host/file/read_tree.h"

#define AHEAD  768 /* bytes to prefetch: another processor may have them in its cache */
#define LEVELS 16u /* depths that a run can visit, half of them above the one where it begins */

/* A row of the model while zones are put into it. */
struct level {
    int64_t *tail; /* of the row: column c at c << log2 */
    unsigned log2;
    uint32_t rows, room; /* in the tail */
    uint32_t left;       /* zones still to read in the present list */
    uint64_t count;      /* rows in the series, with those not published yet */
};

struct read_run {
    struct level level[LEVELS];
    uint32_t base, levels; /* depth of the first level; number of levels */
    uint32_t at_level;
    const uint8_t *at, *end; /* the unread part of the block */
    int64_t reference_ns, low_ns;
    uint64_t zones, parents;
};

static void load_level(struct level *level, const struct td_series *row)
{
    level->tail = row->tail;
    level->log2 = row->tail_log2;
    level->rows = row->tail_rows;
    level->room = row->tail ? 1u << row->tail_log2 : row->tail_rows;
    level->count = row->count;
}

/* false: no zone can be read in a run. */
static bool begin_run(struct read_run *run, struct reader *r, const struct read_tree *tree)
{
    const struct td_fill *fill = &tree->fill;
    run->at = r->in.block + r->in.at;
    run->end = r->in.block + r->in.bytes;
    if (tree->open_end || r->in.bytes - r->in.at < TD_TREE_ZONE_BYTES || fill->depth + 1 >= fill->row_count)
        return false;
    run->base = fill->depth < LEVELS / 2 ? 0 : fill->depth - LEVELS / 2;
    uint32_t below = fill->row_count - run->base;
    run->levels = below < LEVELS ? below : LEVELS;
    if (td_grow(&r->depth_left, &r->depth_capacity, run->base + run->levels, sizeof *r->depth_left) < 0) {
        td_in_no_memory(&r->in);
        return false;
    }
    run->at_level = fill->depth - run->base;
    for (uint32_t i = 0; i < run->levels; i++) {
        load_level(&run->level[i], fill->rows[run->base + i]);
        run->level[i].left = i <= run->at_level ? r->depth_left[run->base + i] : 0;
    }
    run->reference_ns = r->in.reference_ns;
    run->low_ns = tree->low_ns;
    run->zones = run->parents = 0;
    return true;
}

static void publish(const struct level *level, struct td_series *row)
{
    if (level->rows != row->tail_rows)
        td_series_publish_many_(row, level->rows - row->tail_rows);
}

/* Publishes children first, so that readers never see a zone without its children. */
static void end_run(const struct read_run *run, struct reader *r, struct read_tree *tree)
{
    struct td_fill *fill = &tree->fill;
    for (uint32_t i = run->levels; i-- > 0;)
        publish(&run->level[i], fill->rows[run->base + i]);
    for (uint32_t i = 0; i <= run->at_level; i++)
        r->depth_left[run->base + i] = run->level[i].left;
    fill->depth = run->base + run->at_level;
    fill->zones += run->zones;
    fill->parents += run->parents;
    tree->low_ns = run->low_ns;
    r->in.reference_ns = run->reference_ns;
    if (!r->in.failed)
        r->in.at = (size_t)(run->at - r->in.block);
}

static inline void set_column(const struct level *level, unsigned column, int64_t *row, int64_t value)
{
    __atomic_store_n(row + ((size_t)column << level->log2), value, __ATOMIC_RELAXED);
}

/* Sets the end of the zone that was entered last in a level. */
static inline void leave_zone(const struct level *level, int64_t end_ns)
{
    int64_t *row = level->tail + level->rows - 1;
    set_column(level, TD_ZONE_DURATION, row, end_ns - row[(size_t)TD_ZONE_START << level->log2]);
    set_column(level, TD_ZONE_CHILD_END, row, (int64_t)level[1].count);
}

/* Copies zones until the block ends, a row is full, or a zone needs checks. The end of a zone without
 * children is read with it, that of other zones later; a mask instead of a branch distinguishes them. */
static void copy_zones(struct read_run *run, const struct reader *r)
{
    const uint32_t *locations = r->locations;
    const uint64_t extras = r->extra_count;
    const struct level *last = run->level + run->levels - 1;
    struct level *level = run->level + run->at_level;
    const uint8_t *at = run->at, *end = run->end;
    int64_t reference = run->reference_ns, low = run->low_ns;
    uint64_t zones = 0, parents = 0;
    for (;;) {
        if (!level->left) {
            if (level == run->level || end - at < 8)
                break;
            int64_t time = (int64_t)((uint64_t)reference + td_bytes_get(at, 8));
            if ((time < low) | (time >= TD_FILE_TIME_LIMIT))
                break;
            leave_zone(--level, time);
            parents++;
            reference = low = time;
            at += 8;
            continue;
        }
        if ((end - at < TD_TREE_ZONE_BYTES) | (level == last) | (level->rows == level->room))
            break;
        __builtin_prefetch(at + AHEAD);
        uint32_t children = (uint32_t)td_bytes_get(at + 14, 4);
        uint32_t srcloc = locations[(uint16_t)td_bytes_get(at, 2)],
                 extra = (uint32_t)td_bytes_get(at + 10, 4);
        uint64_t leaf = children ? 0 : UINT64_MAX;
        int64_t start = (int64_t)((uint64_t)reference + td_bytes_get(at + 2, 8));
        int64_t time = (int64_t)((uint64_t)start + (td_bytes_get(at + TD_TREE_HEAD_BYTES, 8) & leaf));
        if ((srcloc == UINT32_MAX) | (extra >= extras) | (start < low) | (time < start) |
            (time >= TD_FILE_TIME_LIMIT))
            break;
        int64_t *row = level->tail + level->rows;
        set_column(level, TD_ZONE_START, row, start);
        set_column(level, TD_ZONE_DURATION, row, (int64_t)((uint64_t)(time - start) | ~leaf));
        set_column(level, TD_ZONE_SRCLOC, row, srcloc);
        set_column(level, TD_ZONE_CHILD_END, row, (int64_t)level[1].count);
        set_column(level, TD_ZONE_EXTRA, row, extra);
        level->rows++;
        level->count++;
        level->left--;
        level[1].left = children;
        level += 1 - (leaf & 1);
        at += TD_TREE_HEAD_BYTES + (leaf & 8);
        reference = low = time;
        zones++;
    }
    run->at_level = (uint32_t)(level - run->level);
    run->at = at;
    run->reference_ns = reference;
    run->low_ns = low;
    run->zones += zones;
    run->parents += parents;
}

/* If the run stopped because a row was full, makes room in it; false: it stopped for another reason. */
static bool make_room_in_row(struct read_run *run, struct reader *r, const struct read_tree *tree)
{
    struct level *level = &run->level[run->at_level];
    if (!level->left || level->rows < level->room || run->at_level + 1 == run->levels)
        return false;
    struct td_series *row = tree->fill.rows[run->base + run->at_level];
    publish(level, row);
    if (td_series_reserve(row) < 0) {
        td_in_no_memory(&r->in);
        return false;
    }
    load_level(level, row);
    return true;
}

void td_tree_run_(struct reader *r, struct read_tree *tree)
{
    struct read_run run;
    if (r->in.failed || !begin_run(&run, r, tree))
        return;
    do
        copy_zones(&run, r);
    while (make_room_in_row(&run, r, tree));
    end_run(&run, r, tree);
}
