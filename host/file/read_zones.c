/* Threads of a trace file with their zones, messages and samples (P21), and texts of zones (P20). */
#include "host/file/bytes.h"
#include "host/file/convention.h"
#include "host/file/read_tree.h"

/* Entry 0 is reserved; its content in the file is ignored. */
void td_reader_extras_(struct reader *r)
{
    struct td_series *extras = td_trace_fill_table(r->trace, TD_TABLE_EXTRA);
    uint64_t count = td_in_u64(&r->in);
    uint8_t room[12];
    int64_t row[TD_EXTRA_COLUMN_COUNT] = {0};
    int rc = extras ? 0 : TD_E_NOMEM;
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

/* Enters a zone. Returns its number of children, or a negative code: the reader has failed. */
static int64_t read_head(struct reader *r, struct read_tree *tree)
{
    uint8_t room[TD_TREE_HEAD_BYTES];
    const uint8_t *at = td_in_item(&r->in, TD_TREE_HEAD_BYTES, room);
    uint32_t srcloc = td_tree_location_(r, (uint16_t)td_bytes_get(at, 2)),
             extra = (uint32_t)td_bytes_get(at + 10, 4);
    r->in.reference_ns = (int64_t)((uint64_t)r->in.reference_ns + td_bytes_get(at + 2, 8));
    if (r->in.failed)
        return r->in.failed;
    if (srcloc == UINT32_MAX || extra >= r->extra_count) {
        td_in_damaged(&r->in, srcloc == UINT32_MAX ? "a zone without a source location"
                                                   : "a zone with a missing text");
        return r->in.failed;
    }
    int64_t start = td_tree_time_(tree, r->in.reference_ns);
    if (tree->open_end)
        tree->fill.clamped += td_tree_end_open_(tree, start);
    if (td_fill_enter(&tree->fill, start, -1, srcloc, extra) < 0) {
        td_in_no_memory(&r->in);
        return r->in.failed;
    }
    return (uint32_t)td_bytes_get(at + 14, 4);
}

/* Reads the end of the zone entered last or, with `up`, of the zone whose children were read. Such a zone may have
 * ended before the last of them. */
static void read_end(struct reader *r, struct read_tree *tree, int up)
{
    int64_t time = td_in_time(&r->in), duration = -1;
    if (r->in.failed)
        return;
    struct td_series *row = tree->fill.rows[tree->fill.depth - (up != 0)];
    if (time >= 0) {
        const int64_t start = td_series_get_last(row, TD_ZONE_START);
        if (!up || time < start || time > tree->low_ns)
            time = td_tree_time_(tree, time);
        if (tree->open_end)
            tree->fill.clamped += td_tree_end_open_(tree, time);
        duration = time - start;
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
        td_tree_run_(r, tree);
        if (r->in.failed)
            return;
        uint32_t depth = tree->fill.depth;
        if (!r->depth_left[depth]) {
            if (depth == 0)
                return;
            read_end(r, tree, 1);
            continue;
        }
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
