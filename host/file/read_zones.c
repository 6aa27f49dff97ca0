/* Threads of a trace file with their zones, messages and samples (P21), and what few zones have (P20). */
#include "host/file/bytes.h"
#include "host/file/convention.h"
#include "host/file/read_tree.h"

#define HEAD_BYTES 18 /* of a zone: location, start, extra, number of children */
#define ZONE_BYTES 26 /* without children: the end, too */

/* Entry 0 is reserved, whatever the file has there. */
void td_reader_extras_(struct reader *r)
{
    struct td_series *extras = td_trace_fill_table(r->trace, TD_TABLE_EXTRA);
    uint64_t count = td_in_u64(&r->in);
    uint8_t room[12];
    int64_t row[TD_EXTRA_COLUMN_COUNT] = {0};
    int rc = extras ? 0 : -1;
    if (rc == 0 && !extras->count)
        rc = td_series_append(extras, row);
    for (uint64_t i = 0; i < count && rc == 0; i++) {
        const uint8_t *at = td_in_item(&r->in, sizeof room, room);
        if (r->in.failed)
            return;
        if (i == 0)
            continue;
        row[TD_EXTRA_STACK] = (uint32_t)td_bytes_get(at, 3);
        row[TD_EXTRA_TEXT] = td_reader_string_(r, (uint32_t)td_bytes_get(at + 3, 3));
        row[TD_EXTRA_NAME] = td_reader_string_(r, (uint32_t)td_bytes_get(at + 6, 3));
        row[TD_EXTRA_COLOR] = td_file_swap_color((uint32_t)td_bytes_get(at + 9, 3));
        rc = td_series_append(extras, row);
    }
    if (rc < 0)
        td_in_no_memory(&r->in);
    else
        r->extra_count = extras->count;
}

/* Where the columns of the next row are. */
struct columns {
    int64_t *start, *duration, *srcloc, *child_end, *extra;
};

static struct columns columns_of(const struct td_series *row)
{
    int64_t *first = row->tail + row->tail_rows;
    return (struct columns){first + ((size_t)TD_ZONE_START << row->tail_log2),
                            first + ((size_t)TD_ZONE_DURATION << row->tail_log2),
                            first + ((size_t)TD_ZONE_SRCLOC << row->tail_log2),
                            first + ((size_t)TD_ZONE_CHILD_END << row->tail_log2),
                            first + ((size_t)TD_ZONE_EXTRA << row->tail_log2)};
}

static void put(int64_t *to, int64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/* Copies zones as long as they have no children and nothing is odd about them: the number of those. */
static unsigned copy_leaves(const struct reader *r, struct read_tree *tree, const uint8_t *at, unsigned zones,
                            struct columns to, int64_t child_end)
{
    const uint32_t *locations = r->locations;
    const uint64_t extras = r->extra_count;
    int64_t time = r->in.reference_ns;
    unsigned i = 0;
    for (int64_t low = tree->low_ns; i < zones; i++, at += ZONE_BYTES) {
        uint32_t srcloc = locations[(uint16_t)td_bytes_get(at, 2)],
                 extra = (uint32_t)td_bytes_get(at + 10, 4);
        int64_t start = (int64_t)((uint64_t)time + td_bytes_get(at + 2, 8));
        int64_t end = (int64_t)((uint64_t)start + td_bytes_get(at + HEAD_BYTES, 8));
        if ((uint32_t)td_bytes_get(at + 14, 4) | (srcloc == UINT32_MAX) | (extra >= extras) | (start < low) |
            (end < start) | (end >= TD_FILE_TIME_LIMIT))
            break;
        put(to.start + i, start);
        put(to.duration + i, end - start);
        put(to.srcloc + i, srcloc);
        put(to.child_end + i, child_end);
        put(to.extra + i, extra);
        time = low = end;
    }
    if (i)
        tree->low_ns = time;
    return i;
}

/* Most zones have no children: these in one go, as far as the block and the row's room reach. What is odd is
 * left to the caller. */
static void read_leaves(struct reader *r, struct read_tree *tree)
{
    struct td_fill *fill = &tree->fill;
    struct td_in *in = &r->in;
    uint32_t *left = &r->depth_left[fill->depth];
    for (;;) {
        size_t whole = (in->bytes - in->at) / ZONE_BYTES;
        const uint8_t *at = in->block + in->at;
        if (!whole || (uint32_t)td_bytes_get(at + 14, 4) || tree->open_end)
            return;
        if (fill->depth + 1 >= fill->row_count && td_fill_deeper_(fill) < 0)
            return td_in_no_memory(in);
        struct td_series *row = fill->rows[fill->depth];
        if (td_series_reserve(row) < 0)
            return td_in_no_memory(in);
        unsigned room = td_series_room_(row), zones = room < whole ? room : (unsigned)whole;
        zones = zones < *left ? zones : *left;
        unsigned copied =
            copy_leaves(r, tree, at, zones, columns_of(row), (int64_t)fill->rows[fill->depth + 1]->count);
        td_series_publish_many_(row, copied);
        in->at += (size_t)copied * ZONE_BYTES;
        if (copied)
            in->reference_ns = tree->low_ns;
        fill->zones += copied;
        *left -= copied;
        if (copied < room || !*left)
            return;
    }
}

/* What stands before the children. Their number, or -1: the reader has failed. */
static int64_t read_head(struct reader *r, struct read_tree *tree)
{
    uint8_t room[HEAD_BYTES];
    const uint8_t *at = td_in_item(&r->in, HEAD_BYTES, room);
    uint32_t srcloc = td_tree_location_(r, (uint16_t)td_bytes_get(at, 2)),
             extra = (uint32_t)td_bytes_get(at + 10, 4);
    r->in.reference_ns = (int64_t)((uint64_t)r->in.reference_ns + td_bytes_get(at + 2, 8));
    if (r->in.failed)
        return -1;
    if (srcloc == UINT32_MAX || extra >= r->extra_count) {
        td_in_damaged(&r->in,
                      srcloc == UINT32_MAX ? "a zone without source location" : "a zone's text is not there");
        return -1;
    }
    int64_t start = td_tree_time_(tree, r->in.reference_ns);
    if (tree->open_end)
        tree->fill.clamped += td_tree_end_open_(tree, start);
    if (td_fill_enter(&tree->fill, start, -1, srcloc, extra) < 0) {
        td_in_no_memory(&r->in);
        return -1;
    }
    return (uint32_t)td_bytes_get(at + 14, 4);
}

/* The end of the zone that was entered last, or (up) of that whose children were read. */
static void read_end(struct reader *r, struct read_tree *tree, int up)
{
    int64_t time = td_in_time(&r->in), duration = -1;
    if (r->in.failed)
        return;
    struct td_series *row = tree->fill.rows[tree->fill.depth - (up != 0)];
    if (time >= 0) {
        time = td_tree_time_(tree, time);
        if (tree->open_end)
            tree->fill.clamped += td_tree_end_open_(tree, time);
        duration = time - td_series_get_last(row, TD_ZONE_START);
    }
    if (up)
        td_fill_leave(&tree->fill, duration);
    else
        td_series_set_last(row, TD_ZONE_DURATION, duration);
    if (time < 0)
        td_tree_opened_(tree);
}

static void read_list(struct reader *r, struct read_tree *tree)
{
    while (!r->in.failed) {
        uint32_t depth = tree->fill.depth;
        if (!r->depth_left[depth]) {
            if (depth == 0)
                return;
            read_end(r, tree, 1);
            continue;
        }
        read_leaves(r, tree);
        if (!r->depth_left[depth] || r->in.failed)
            continue;
        int64_t children = read_head(r, tree);
        r->depth_left[depth]--;
        if (children > 0)
            td_tree_down_(r, tree, (uint64_t)children);
        else if (children == 0)
            read_end(r, tree, 0);
    }
}

static void read_zones(struct reader *r, uint32_t track, uint32_t zones)
{
    struct read_tree tree;
    if (td_tree_begin_(r, &tree, track, zones) < 0)
        return;
    r->in.reference_ns = 0;
    read_list(r, &tree);
    td_tree_end_(&tree);
}

static void read_thread_messages(struct reader *r, uint32_t track)
{
    struct td_series *messages = td_trace_fill_table(r->trace, TD_TABLE_MESSAGE);
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t row = td_reader_message_(r, td_in_u64(&r->in));
        if (row != UINT64_MAX && !r->in.failed)
            td_series_set(messages, row, TD_MESSAGE_TRACK, track);
    }
}

static void read_samples(struct reader *r, enum td_table table, uint32_t track)
{
    uint64_t count = td_in_u64(&r->in);
    uint8_t room[11];
    if (!count || r->in.failed)
        return;
    struct td_series *samples = td_trace_fill_list(r->trace, table, track);
    r->in.reference_ns = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = td_in_item(&r->in, sizeof room, room);
        if (r->in.failed)
            return;
        r->in.reference_ns = (int64_t)((uint64_t)r->in.reference_ns + td_bytes_get(at, 8));
        int64_t row[] = {[TD_SAMPLE_TIME] = td_reader_bounded_(r->in.reference_ns),
                         [TD_SAMPLE_STACK] = (uint32_t)td_bytes_get(at + 8, 3)};
        if (!samples || td_series_append(samples, row) < 0)
            return td_in_no_memory(&r->in);
    }
}

static void read_thread(struct reader *r)
{
    struct td_track facts = {.thread = td_in_u64(&r->in)};
    td_in_skip(&r->in, 8); /* zones: they are counted */
    facts.kernel_samples = td_in_u64(&r->in);
    facts.fiber = td_in_u8(&r->in) != 0;
    facts.group_hint = r->in.version >= TD_FILE_VERSION(0, 11, 1) ? (int32_t)td_in_u32(&r->in) : 0;
    uint32_t roots = td_in_u32(&r->in);
    if (r->in.failed)
        return;
    uint32_t track = td_reader_track_(r, &facts);
    read_zones(r, track, roots);
    read_thread_messages(r, track);
    read_samples(r, TD_TABLE_SWITCH_SAMPLE, track);
    read_samples(r, TD_TABLE_SAMPLE, track);
}

void td_reader_threads_(struct reader *r)
{
    td_in_skip(&r->in, 16); /* numbers of zones and of zones with children */
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++)
        read_thread(r);
}
