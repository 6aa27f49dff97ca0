/* Call stacks, and samples of them. Frames and stacks are numbered as they come; ids of frames are chosen at the end, when
 * all are known: an address that two images have in common belongs to the first of them, and the other image gets bits
 * 48 to 59 of its addresses for itself, as programs have that are recorded together (client_space.h). */
#include "host/base/code_address.h"
#include "host/agent/import/timeline_internal.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/trace/rows.h"

#include <stdlib.h>

#define IMAGE_SHIFT 48
#define IMAGES      2047u /* that may have addresses of their own */

static const char purpose[] = "for call stacks"; /* of td_fail_no_memory() */

/* Words of the record of a frame: address, symbol, image, and for each of its lines function, file and line. The
 * record of a stack has the numbers of its frames. The first word keeps the two kinds apart. */
enum { RECORD_KIND, ADDRESS, SYMBOL = 3, IMAGE = 5, LINES };
enum { STACK_RECORD, FRAME_RECORD };
enum { FUNCTION, FILE_NAME, LINE, LINE_WORDS };

static struct td_timeline_stacks *stacks_of(struct td_timeline *timeline)
{
    if (timeline->stacks)
        return timeline->stacks;
    struct td_timeline_stacks *stacks = calloc(1, sizeof *stacks);
    if (stacks && (stacks->known = td_dict_create()) == NULL) {
        free(stacks);
        stacks = NULL;
    }
    return timeline->stacks = stacks;
}

void td_timeline_free_stacks(struct td_timeline_stacks *stacks)
{
    if (!stacks)
        return;
    td_dict_destroy(stacks->known);
    td_map_finish(&stacks->numbers);
    void *arrays[] = {stacks->frames, stacks->stacks, stacks->scratch, stacks->ids, stacks->samples};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(stacks);
}

/* The number of the record in `scratch`, from 1; UINT32_MAX: no memory. */
static uint32_t number_of(struct td_timeline_stacks *stacks, size_t words, uint32_t **list, size_t *count,
                          size_t *room)
{
    const uint32_t record = td_dict_string(stacks->known, (const char *)stacks->scratch, 4 * words);
    const uint32_t known = record == UINT32_MAX ? UINT32_MAX : td_map_get(&stacks->numbers, record, 0);
    if (known)
        return known;
    if (td_grow(list, room, *count + 1, sizeof **list) < 0 ||
        td_map_add(&stacks->numbers, record, (uint32_t)*count + 1) < 0)
        return UINT32_MAX;
    (*list)[(*count)++] = record;
    return (uint32_t)*count;
}

/* Its words, which need not be where words can be read at once. */
static const char *record_at(const struct td_timeline_stacks *stacks, uint32_t record, size_t *words)
{
    *words = td_dict_text_bytes(stacks->known, record) / sizeof(uint32_t);
    return td_dict_text(stacks->known, record);
}

static uint32_t word_at(const char *record, size_t number)
{
    uint32_t word;
    memcpy(&word, record + number * sizeof word, sizeof word);
    return word;
}

static uint64_t long_at(const char *record, size_t number)
{
    return word_at(record, number) | (uint64_t)word_at(record, number + 1) << 32;
}

static void put_u64(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

/* A frame with `count` - 1 functions inlined in it. */
static uint32_t frame_of(struct td_timeline_stacks *stacks, const struct td_timeline_call *lines,
                         size_t count)
{
    const size_t words = LINES + count * LINE_WORDS;
    if (td_grow(&stacks->scratch, &stacks->scratch_room, words, sizeof *stacks->scratch) < 0)
        return UINT32_MAX;
    uint32_t *to = stacks->scratch;
    to[RECORD_KIND] = FRAME_RECORD;
    put_u64(to + ADDRESS, lines[count - 1].address);
    put_u64(to + SYMBOL, lines[count - 1].symbol);
    to[IMAGE] = lines[count - 1].image;
    for (size_t i = 0; i < count; i++) {
        uint32_t *line = to + LINES + i * LINE_WORDS;
        line[FUNCTION] = lines[i].function;
        line[FILE_NAME] = lines[i].file;
        line[LINE] = lines[i].line;
    }
    return number_of(stacks, words, &stacks->frames, &stacks->frame_count, &stacks->frame_room);
}

uint32_t td_timeline_stack(struct td_timeline *timeline, const struct td_timeline_call *frames, size_t count)
{
    struct td_timeline_stacks *stacks = stacks_of(timeline);
    size_t words = 1;
    if (!count)
        return 0;
    if (!stacks || td_grow(&stacks->ids, &stacks->ids_room, count + 1, sizeof *stacks->ids) < 0)
        return UINT32_MAX;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && frames[end - 1].inlined; end++)
            ;
        const uint32_t frame = frame_of(stacks, frames + first, end - first);
        if (frame == UINT32_MAX)
            return UINT32_MAX;
        stacks->ids[words++] = frame;
    }
    if (td_grow(&stacks->scratch, &stacks->scratch_room, words, sizeof *stacks->scratch) < 0)
        return UINT32_MAX;
    stacks->ids[0] = STACK_RECORD;
    memcpy(stacks->scratch, stacks->ids, words * sizeof *stacks->ids);
    return number_of(stacks, words, &stacks->stacks, &stacks->stack_count, &stacks->stack_room);
}

static int add_sample(struct td_timeline *timeline, struct td_timeline_place at, uint32_t stack, bool waits)
{
    struct td_timeline_stacks *stacks = stacks_of(timeline);
    if (!stacks || timeline->order == UINT32_MAX)
        return TD_E_NOMEM;
    return TD_APPEND(stacks->samples, stacks->sample_count, stacks->sample_room,
                     (struct td_stack_sample){at.time_ns, timeline->order++, at.owner, stack, waits});
}

int td_timeline_sample(struct td_timeline *timeline, struct td_timeline_place at, uint32_t stack)
{
    return add_sample(timeline, at, stack, false);
}

int td_timeline_wait_sample(struct td_timeline *timeline, struct td_timeline_place at, uint32_t stack)
{
    return add_sample(timeline, at, stack, true);
}

int td_timeline_own_stack(struct td_timeline *timeline, uint32_t stack)
{
    return td_map_set(&timeline->zone_stacks, timeline->items[timeline->count - 1].order, stack);
}

/* ---- ids */

struct frame_ids {
    struct td_map images; /* those that have addresses of their own: bits 48 to 59 */
    struct td_map taken;
    uint64_t *of; /* by frame */
};

static int find_images(const struct td_timeline_stacks *stacks, struct frame_ids *ids)
{
    struct td_map image_of = {0};
    size_t words;
    int bad = 0;
    for (size_t i = 0; i < stacks->frame_count && !bad; i++) {
        const char *frame = record_at(stacks, stacks->frames[i], &words);
        const uint64_t address = long_at(frame, ADDRESS);
        if (!address || td_is_kernel_address(address))
            continue;
        bad = td_map_add(&image_of, address, word_at(frame, IMAGE)) < 0;
        if (!bad && td_map_get(&image_of, address, 0) != word_at(frame, IMAGE) && ids->images.count < IMAGES)
            bad = td_map_add(&ids->images, word_at(frame, IMAGE), (uint32_t)ids->images.count + 1) < 0;
    }
    td_map_finish(&image_of);
    return bad ? TD_E_NOMEM : 0;
}

/* Without an address, or with one that another frame has, the frame is known by its number. *symbol: where its function
 * begins. */
static int choose_id(struct frame_ids *ids, const char *frame, uint32_t number, uint64_t *symbol)
{
    const uint64_t address = long_at(frame, ADDRESS);
    const uint64_t apart = td_is_kernel_address(address)
                               ? 0
                               : (uint64_t)td_map_get(&ids->images, word_at(frame, IMAGE), 0) << IMAGE_SHIFT;
    ids->of[number] = (address | apart) & TD_FRAME_BITS;
    *symbol = long_at(frame, SYMBOL) ? long_at(frame, SYMBOL) | apart : 0;
    const int fresh = address ? td_map_add(&ids->taken, ids->of[number], 1) : 0;
    if (fresh)
        return fresh < 0 ? fresh : 0;
    ids->of[number] = TD_FRAME_SCRIPTED | number;
    *symbol = 0;
    return 0;
}

/* ---- rows */

static int add_row(struct td_timeline *timeline, unsigned table, uint64_t parent, const int64_t *values,
                   struct td_err *err)
{
    const int64_t row = td_hub_row(timeline->hub, table, parent, values, err);
    return row < 0 ? (int)row : 0;
}

static int push_frame(struct td_timeline *timeline, struct frame_ids *ids, uint32_t number, int64_t *lines,
                      struct td_err *err)
{
    size_t words;
    uint64_t symbol;
    const char *frame = record_at(timeline->stacks, timeline->stacks->frames[number - 1], &words);
    int bad = choose_id(ids, frame, number, &symbol) < 0 ? td_fail_no_memory(err, purpose) : 0;
    for (size_t at = LINES; at < words && !bad; at += LINE_WORDS, ++*lines) {
        const bool inlined = at + LINE_WORDS < words;
        const int64_t line[TD_STACK_LINE_COLUMN_COUNT] = {
            [TD_STACK_LINE_FUNCTION] = word_at(frame, at + FUNCTION),
            [TD_STACK_LINE_FILE] = word_at(frame, at + FILE_NAME),
            [TD_STACK_LINE_LINE] = word_at(frame, at + LINE),
            [TD_STACK_LINE_SYMBOL] = inlined ? 0 : (int64_t)symbol};
        bad = add_row(timeline, TD_TABLE_STACK_LINE, 0, line, err);
    }
    const int64_t values[TD_STACK_FRAME_COLUMN_COUNT] = {[TD_STACK_FRAME_FRAME] = (int64_t)ids->of[number],
                                                         [TD_STACK_FRAME_IMAGE] = word_at(frame, IMAGE),
                                                         [TD_STACK_FRAME_END] = *lines};
    return bad ? bad : add_row(timeline, TD_TABLE_STACK_FRAME, 0, values, err);
}

static int push_stack(struct td_timeline *timeline, const struct frame_ids *ids, size_t number,
                      int64_t *entries, struct td_err *err)
{
    size_t words;
    const char *stack = record_at(timeline->stacks, timeline->stacks->stacks[number], &words);
    int bad = 0;
    for (size_t i = 1; i < words && !bad; i++, ++*entries) {
        const int64_t entry[] = {(int64_t)ids->of[word_at(stack, i)]};
        bad = add_row(timeline, TD_TABLE_STACK_ENTRY, 0, entry, err);
    }
    return bad ? bad : add_row(timeline, TD_TABLE_STACK, 0, entries, err);
}

TD_COMPARE(compare_samples, struct td_stack_sample, TD_UP(owner) TD_UP(time_ns) TD_UP(order))

static int push_samples(struct td_timeline *timeline, int64_t zero_ns, struct td_err *err)
{
    const struct td_timeline_stacks *stacks = timeline->stacks;
    int bad = 0;
    if (stacks->sample_count > 1)
        qsort(stacks->samples, stacks->sample_count, sizeof *stacks->samples, compare_samples);
    for (size_t i = 0; i < stacks->sample_count && !bad; i++) {
        const struct td_stack_sample *sample = &stacks->samples[i];
        const int64_t values[] = {sample->time_ns - zero_ns, sample->stack};
        const uint32_t track = timeline->tracks[timeline->owners[sample->owner].tracks];
        bad = add_row(timeline, TD_TABLE_SAMPLE, track, values, err);
        if (!bad && sample->waits)
            bad = add_row(timeline, TD_TABLE_SWITCH_SAMPLE, track, values, err);
    }
    timeline->counts.samples = stacks->sample_count;
    timeline->counts.stacks = stacks->stack_count;
    return bad;
}

int td_timeline_push_stacks(struct td_timeline *timeline, int64_t zero_ns, struct td_err *err)
{
    const struct td_timeline_stacks *stacks = timeline->stacks;
    struct frame_ids ids = {0};
    int64_t lines = 0, entries = 0;
    if (!stacks)
        return 0;
    ids.of = calloc(stacks->frame_count + 1, sizeof *ids.of);
    int bad = ids.of && find_images(stacks, &ids) == 0 ? 0 : td_fail_no_memory(err, purpose);
    for (uint32_t i = 1; i <= stacks->frame_count && !bad; i++)
        bad = push_frame(timeline, &ids, i, &lines, err);
    bad = bad ? bad : add_row(timeline, TD_TABLE_STACK, 0, &entries, err); /* no stack */
    for (size_t i = 0; i < stacks->stack_count && !bad; i++)
        bad = push_stack(timeline, &ids, i, &entries, err);
    bad = bad ? bad : push_samples(timeline, zero_ns, err);
    td_map_finish(&ids.images);
    td_map_finish(&ids.taken);
    free(ids.of);
    return bad;
}
