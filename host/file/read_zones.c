/* Threads of a trace file with their zones and messages (P20, P21), and GPU contexts, which are passed over
 * (P22). */
#include "host/base/grow.h"
#include "host/file/convention.h"
#include "host/file/reader.h"
#include "proto/track.h"

/* Deeper nesting is taken for damage: each level costs memory here, and stock readers recurse. */
#define DEPTH_LIMIT (1u << 20)

void td_reader_extras_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct read_extra extra;
        td_in_skip(&r->in, 3); /* call stack */
        extra.text = td_reader_string_(r, td_in_u24(&r->in));
        extra.name = td_reader_string_(r, td_in_u24(&r->in));
        extra.color = td_file_swap_color(td_in_u24(&r->in));
        if (r->in.failed || READER_GROW(r, extras, extra_capacity, extra_count) < 0)
            return;
        r->extras[r->extra_count++] = extra;
    }
}

static uint32_t location(struct reader *r, int16_t number)
{
    size_t place = number < 0 ? (size_t)(-(int32_t)number - 1) : (size_t)number;
    if (number == 0 || place >= (number < 0 ? r->dynamic_count : r->static_number_count)) {
        td_in_damaged(&r->in, "a zone without source location");
        return 0;
    }
    return number < 0 ? r->dynamic_numbers[place] : r->static_numbers[place];
}

static void push_end(struct reader *r, uint32_t track, int64_t time_ns)
{
    td_reader_push_(r, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = time_ns});
}

static void push_begin(struct reader *r, uint32_t track, uint32_t srcloc, int64_t time_ns, uint32_t extra)
{
    td_reader_push_(
        r,
        (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = srcloc, .time_ns = time_ns});
    if (!extra)
        return;
    if (extra >= r->extra_count) {
        td_in_damaged(&r->in, "a zone's text is not there");
        return;
    }
    const struct read_extra *e = &r->extras[extra];
    if (e->text)
        td_reader_push_(r, (struct td_event){.kind = TD_EVENT_ZONE_TEXT, .track = track, .a = e->text});
    if (e->name)
        td_reader_push_(r, (struct td_event){.kind = TD_EVENT_ZONE_NAME, .track = track, .a = e->name});
    if (e->color)
        td_reader_push_(r, (struct td_event){.kind = TD_EVENT_ZONE_COLOR, .track = track, .a = e->color});
}

/* One level deeper with so many zones; 0, or -1 and the reader has failed. */
static int descend(struct reader *r, size_t depth, uint32_t zones)
{
    if (depth >= DEPTH_LIMIT) {
        td_in_damaged(&r->in, "zones nest too deeply");
        return -1;
    }
    if (td_grow(&r->depth_left, &r->depth_capacity, depth + 1, sizeof *r->depth_left) < 0) {
        td_in_no_memory(&r->in);
        return -1;
    }
    r->depth_left[depth] = zones;
    return 0;
}

/* Unfinished zones stay open where nothing follows them (`open` of them, innermost first); where something
 * does, they end there. */
struct tree {
    uint32_t track, open;
};

static void tree_begin(struct reader *r, struct tree *tree, uint32_t srcloc, int64_t start_ns, uint32_t extra)
{
    for (; tree->open; tree->open--)
        push_end(r, tree->track, start_ns);
    push_begin(r, tree->track, srcloc, start_ns, extra);
}

static void tree_end(struct reader *r, struct tree *tree, int64_t end_ns)
{
    if (end_ns < 0) {
        tree->open++;
        return;
    }
    end_ns = td_reader_bounded_(end_ns);
    for (; tree->open; tree->open--)
        push_end(r, tree->track, end_ns);
    push_end(r, tree->track, end_ns);
}

/* Depth first. */
static void read_zones(struct reader *r, uint32_t track, uint32_t roots)
{
    struct tree tree = {track, 0};
    size_t depth = 0;
    r->in.reference_ns = 0;
    if (descend(r, 0, roots) < 0)
        return;
    while (!r->in.failed) {
        if (r->depth_left[depth]) {
            r->depth_left[depth]--;
            uint32_t srcloc = location(r, (int16_t)td_in_u16(&r->in));
            int64_t start = td_reader_bounded_(td_in_time(&r->in));
            uint32_t extra = td_in_u32(&r->in), children = td_in_u32(&r->in);
            tree_begin(r, &tree, srcloc, start, extra);
            if (children) {
                if (descend(r, ++depth, children) < 0)
                    return;
                continue;
            }
        } else if (depth-- == 0) { /* else the zone ends whose list this was */
            return;
        }
        tree_end(r, &tree, td_in_time(&r->in));
    }
}

static void read_thread_messages(struct reader *r, uint32_t track)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint32_t message = td_map_get(&r->message_tokens, td_in_u64(&r->in), UINT32_MAX);
        if (message != UINT32_MAX)
            r->messages[message].track = track;
    }
}

/* A message that no thread lists belongs to the first one. */
static void push_messages(struct reader *r)
{
    for (size_t i = 0; i < r->message_count && !r->in.failed; i++) {
        const struct read_message *m = &r->messages[i];
        uint32_t track = m->track;
        if (track == UINT32_MAX)
            track = td_dict_track_count(r->dict) ? 0 : td_reader_track_(r, 0, 0);
        td_reader_push_(r, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                             .track = track,
                                             .time_ns = m->time_ns,
                                             .a = m->text,
                                             .srcloc = m->color});
    }
}

void td_reader_threads_(struct reader *r)
{
    td_in_skip(&r->in, 16); /* numbers of zones and of zones with children */
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t thread = td_in_u64(&r->in);
        td_in_skip(&r->in, 8 + 8 + 1); /* zones, kernel samples, is it a fiber */
        int32_t group_hint = r->in.version >= TD_FILE_VERSION(0, 11, 1) ? (int32_t)td_in_u32(&r->in) : 0;
        uint32_t roots = td_in_u32(&r->in);
        if (r->in.failed)
            return;
        uint32_t track = td_reader_track_(r, thread, group_hint);
        read_zones(r, track, roots);
        read_thread_messages(r, track);
        for (int k = 0; k < 2; k++)
            td_in_skip_items(&r->in, td_in_u64(&r->in), 11); /* samples */
    }
    push_messages(r);
}

/* The track of a row in a context, UINT32_MAX: not one of a device core. */
static uint32_t core_track(struct reader *r, uint64_t thread)
{
    return td_track_is_device(thread) ? td_reader_track_(r, thread, 0) : UINT32_MAX;
}

/* Depth first, as above, with 64-bit counts of children and two references. */
static void read_gpu_zones(struct reader *r, uint64_t thread, uint64_t roots)
{
    int query_ids = r->in.version >= TD_FILE_VERSION(0, 12, 4);
    struct tree tree = {r->in.failed ? UINT32_MAX : core_track(r, thread), 0};
    size_t depth = 0;
    uint64_t children = roots;
    r->in.reference_ns = 0;
    for (int down = 1; !r->in.failed;) {
        if (down) {
            if (children > UINT32_MAX) {
                td_in_damaged(&r->in, "an impossible number of GPU zones");
                return;
            }
            if (descend(r, depth, (uint32_t)children) < 0)
                return;
        }
        down = 0;
        if (r->depth_left[depth]) {
            r->depth_left[depth]--;
            td_in_skip(&r->in, 8); /* CPU start */
            int64_t start = td_in_time(&r->in);
            int16_t number = (int16_t)td_in_u16(&r->in);
            td_in_skip(&r->in, 3 + 2); /* call stack, thread */
            children = td_in_u64(&r->in);
            if (tree.track != UINT32_MAX)
                tree_begin(r, &tree, location(r, number), td_reader_bounded_(start), 0);
            if (children) {
                depth++;
                down = 1;
                continue;
            }
        } else if (depth-- == 0) {
            return;
        }
        td_in_skip(&r->in, 8); /* CPU end */
        int64_t end = td_in_time(&r->in);
        td_in_skip(&r->in, query_ids ? 2 : 0);
        if (tree.track != UINT32_MAX)
            tree_end(r, &tree, end);
    }
}

void td_reader_gpu_(struct reader *r)
{
    int notes = r->in.version >= TD_FILE_VERSION(0, 12, 4);
    td_in_skip(&r->in, 16);
    uint64_t contexts = td_in_u64(&r->in);
    for (uint64_t i = 0; i < contexts && !r->in.failed; i++) {
        td_in_skip(&r->in, 8 + 1 + 8 + 4 + 1 + 3 + 8);
        if (notes)
            td_in_skip_items(&r->in, td_in_u64(&r->in), 11);
        uint64_t threads = td_in_u64(&r->in);
        for (uint64_t t = 0; t < threads && !r->in.failed; t++) {
            uint64_t thread = td_in_u64(&r->in);
            read_gpu_zones(r, thread, td_in_u64(&r->in));
        }
        uint64_t noted = notes ? td_in_u64(&r->in) : 0;
        for (uint64_t n = 0; n < noted && !r->in.failed; n++) {
            td_in_skip(&r->in, 2);
            td_in_skip_items(&r->in, td_in_u64(&r->in), 16);
        }
    }
}
