/* Imports folded stacks, as the scripts around flamegraph.pl of Brendan Gregg and many profilers write them: a line
 * "OUTER;INNER;INNERMOST NUMBER" for each stack. They have no times: weights.h says which zones they become. */
#include "host/agent/import/importer.h"
#include "host/agent/import/json_text.h"
#include "host/agent/import/text_lines.h"
#include "host/agent/import/weights.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>

#define PARTS       1000u /* of a number are kept */
#define FIRST_LINES 20    /* that show the format */

struct td_folded {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_weights *weights;
    struct td_text_lines lines;
    uint32_t *srclocs; /* of a line */
    size_t srcloc_room;
    bool has_parts; /* a number is not whole */
};

static const char purpose[] = "for folded stacks";

/* Splits a line into its stack and its number, in thousandths. */
static bool read_line(struct td_tt_text line, struct td_tt_text *stack, uint64_t *number)
{
    size_t at = line.bytes;
    struct td_json_number value;
    while (at && line.at[at - 1] != ' ' && line.at[at - 1] != '\t')
        at--;
    *stack = td_tt_text_trim((struct td_tt_text){line.at, at});
    return stack->bytes && td_json_number_read((struct td_tt_text){line.at + at, line.bytes - at}, &value) &&
           value.whole >= 0 && !__builtin_mul_overflow((uint64_t)value.whole, PARTS, number) &&
           !__builtin_add_overflow(*number, (uint64_t)value.parts / (1000000000000 / PARTS), number);
}

static int take_stack(struct td_folded *folded, struct td_tt_text stack, uint64_t number)
{
    size_t count = 0;
    for (size_t at = 0, end; at <= stack.bytes; at = end + 1) {
        const char *semicolon = memchr(stack.at + at, ';', stack.bytes - at);
        end = semicolon ? (size_t)(semicolon - stack.at) : stack.bytes;
        if (end == at)
            continue;
        const struct td_srcloc srcloc = {.function = td_dict_string(folded->dict, stack.at + at, end - at)};
        const uint32_t place =
            srcloc.function == UINT32_MAX ? UINT32_MAX : td_dict_srcloc(folded->dict, &srcloc);
        if (place == UINT32_MAX || TD_APPEND(folded->srclocs, count, folded->srcloc_room, place) < 0)
            return TD_E_NOMEM;
    }
    return count ? td_weights_add(folded->weights, folded->srclocs, count, number) : TD_E_FORMAT;
}

static int take_line(void *self, struct td_tt_text line, struct td_err *err)
{
    struct td_folded *folded = self;
    struct td_tt_text stack;
    uint64_t number;
    line = td_tt_text_trim(line);
    if (!line.bytes || *line.at == '#')
        return 0;
    int bad = read_line(line, &stack, &number) ? take_stack(folded, stack, number) : TD_E_FORMAT;
    if (bad == TD_E_NOMEM)
        return td_fail_no_memory(err, purpose);
    if (bad)
        td_timeline_get_counts(folded->timeline)->lost[TD_LOSS_LINE_OF_TEXT]++;
    else
        folded->has_parts = folded->has_parts || number % PARTS;
    return 0;
}

/* ---- the interface */

static void destroy_folded(void *self)
{
    struct td_folded *folded = self;
    if (!folded)
        return;
    td_timeline_destroy(folded->timeline);
    td_weights_destroy(folded->weights);
    td_text_lines_free(&folded->lines);
    free(folded->srclocs);
    free(folded);
}

static void *create_folded(struct td_hub *hub)
{
    struct td_folded *folded = calloc(1, sizeof *folded);
    if (!folded)
        return NULL;
    folded->dict = td_hub_dict(hub);
    folded->timeline = td_timeline_create(hub);
    folded->weights = td_weights_create();
    folded->lines = (struct td_text_lines){.line = take_line, .self = folded};
    if (folded->timeline && folded->weights)
        return folded;
    destroy_folded(folded);
    return NULL;
}

/* Most of the first lines that are neither empty nor comments. */
static bool begins_folded(const uint8_t *bytes, size_t count)
{
    const struct td_tt_text text = {(const char *)bytes, count};
    struct td_tt_text line, stack;
    size_t at = 0, lines = 0, good = 0;
    uint64_t number;
    while (lines < FIRST_LINES && td_text_next_line(text, true, &at, &line)) {
        line = td_tt_text_trim(line);
        if (!line.bytes || *line.at == '#')
            continue;
        if (memchr(line.at, 0, line.bytes))
            return false;
        lines++;
        good += read_line(line, &stack, &number);
    }
    return good && 2 * good >= lines;
}

static int feed_folded(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_folded *folded = self;
    return td_text_lines_feed(&folded->lines, (const char *)bytes, count, err);
}

/* A fact: what a ns is. */
static int add_scale(struct td_folded *folded, uint64_t divisor)
{
    char text[80];
    const int bytes =
        divisor % PARTS
            ? snprintf(text, sizeof text, "1 ns is 0.%03u of the numbers in the file", (unsigned)divisor)
            : snprintf(text, sizeof text, "1 ns is %" PRIu64 " of the numbers in the file", divisor / PARTS);
    return td_timeline_fact(folded->timeline, (struct td_timeline_id){text, (size_t)bytes});
}

static int end_folded_file(void *self, bool *cut, struct td_err *err)
{
    struct td_folded *folded = self;
    struct td_timeline *timeline = folded->timeline;
    const struct td_timeline_id none = {"", 0}, stacks = {"folded stacks", 13};
    int64_t zero_ns;
    int bad = td_text_lines_end_stream(&folded->lines, err);
    if (bad)
        return bad;
    *cut = false;
    td_timeline_get_counts(timeline)->lost[TD_LOSS_LINE_OF_TEXT] += folded->lines.too_long;
    const uint64_t divisor = td_weights_divisor(folded->weights, folded->has_parts ? 1 : PARTS);
    const uint32_t thread = td_timeline_thread(timeline, td_timeline_process(timeline, none), stacks);
    if (thread == UINT32_MAX || add_scale(folded, divisor) < 0 ||
        td_weights_make_zones(folded->weights, divisor, timeline,
                              (struct td_timeline_place){.owner = thread}) < 0)
        return td_fail_no_memory(err, purpose);
    return td_timeline_finish(timeline, &zero_ns, err);
}

static const struct td_timeline_counts *counts_of_folded(const void *self)
{
    return td_timeline_get_counts(((const struct td_folded *)self)->timeline);
}

const struct td_importer td_import_folded = {
    .name = "folded stacks",
    .about =
        "They are the lines that flame graphs are made of. Each path of functions becomes a zone as wide as "
        "its numbers.",
    .begins = begins_folded,
    .create = create_folded,
    .destroy = destroy_folded,
    .feed = feed_folded,
    .end_file = end_folded_file,
    .counts = counts_of_folded,
};
