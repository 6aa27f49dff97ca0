#include "host/agent/journal/board_journal.h"

#define WORDS_PIECE_SLOTS 4096u /* of a record */

static void on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots)
{
    const struct td_board_journal *to = self;
    uint8_t head[td_journal_lane_words_bytes];
    struct td_journal_lane_words lane = {.lane = at->index,
                                         .gap = (uint8_t)at->gap,
                                         .overwritten = at->overwritten != 0,
                                         .missing = at->missing,
                                         .time_high = at->time_high,
                                         .given_zones = at->given_zones,
                                         .given_other = at->given_other};
    size_t done = 0;
    do { /* a gap ends a lane without slots */
        const size_t n = slots - done < WORDS_PIECE_SLOTS ? slots - done : WORDS_PIECE_SLOTS;
        td_journal_put_lane_words(head, &lane);
        td_journal_put(to->journal, TD_JOURNAL_WORDS, to->source, head, sizeof head, words + 2 * done, 8 * n);
        lane.gap = 0;
        done += n;
    } while (done < slots);
}

static void on_damaged(void *self, const struct td_lane_at *at, uint32_t address, uint32_t slots)
{
    const struct td_board_journal *to = self;
    uint8_t bytes[td_journal_lane_damage_bytes];
    const struct td_journal_lane_damage damage = {.lane = at->index,
                                                  .core = at->core,
                                                  .chip = at->tile.chip,
                                                  .x = at->logical_x,
                                                  .y = at->logical_y,
                                                  .address = address,
                                                  .slots = slots};
    td_journal_put_lane_damage(bytes, &damage);
    td_journal_put(to->journal, TD_JOURNAL_DAMAGE, to->source, bytes, sizeof bytes, NULL, 0);
}

static void on_clock(void *self, uint32_t chip, const struct td_clock_sample *sample)
{
    const struct td_board_journal *to = self;
    uint8_t bytes[td_journal_clock_sample_bytes];
    const struct td_journal_clock_sample clock = {
        .chip = chip, .before = sample->host_before, .ticks = sample->ticks, .after = sample->host_after};
    td_journal_put_clock_sample(bytes, &clock);
    td_journal_put(to->journal, TD_JOURNAL_CLOCK, to->source, bytes, sizeof bytes, NULL, 0);
}

static void on_opens(void *self, uint32_t lane, uint64_t before, uint64_t after, const uint32_t *words,
                     size_t count)
{
    const struct td_board_journal *to = self;
    uint8_t head[td_journal_open_read_bytes];
    const struct td_journal_open_read read = {.lane = lane, .before = before, .after = after};
    td_journal_put_open_read(head, &read);
    if (sizeof head + 4 * count <= TD_JOURNAL_RECORD_MAX)
        td_journal_put(to->journal, TD_JOURNAL_OPEN_WORDS, to->source, head, sizeof head, words, 4 * count);
}

static void on_sample(void *self, const struct td_core_sample *sample)
{
    const struct td_board_journal *to = self;
    uint8_t bytes[td_journal_core_sample_bytes];
    const struct td_journal_core_sample place = {
        .lane = sample->lane, .pc = sample->pc, .build_id = sample->build_id, .ticks = sample->ticks};
    td_journal_put_core_sample(bytes, &place);
    td_journal_put(to->journal, TD_JOURNAL_SAMPLE, to->source, bytes, sizeof bytes, NULL, 0);
}

static void on_image(void *self, uint64_t build_id, const void *bytes, size_t count)
{
    const struct td_board_journal *to = self;
    td_journal_put(to->journal, TD_JOURNAL_IMAGE, to->source, &build_id, sizeof build_id, NULL, 0);
    td_journal_put_bytes(to->journal, TD_JOURNAL_IMAGE_BYTES, to->source, bytes, count);
}

static void on_tt_layout(void *self, const char *name)
{
    const struct td_board_journal *to = self;
    td_journal_put(to->journal, TD_JOURNAL_TT_LAYOUT, to->source, NULL, 0, name, strlen(name));
}

static void on_tt_zone(void *self, const char *line, size_t bytes)
{
    const struct td_board_journal *to = self;
    if (bytes <= TD_JOURNAL_RECORD_MAX)
        td_journal_put(to->journal, TD_JOURNAL_TT_ZONE, to->source, NULL, 0, line, bytes);
}

static void on_tt_launch(void *self, const struct td_tt_launch *launch)
{
    const struct td_board_journal *to = self;
    uint8_t bytes[td_journal_tt_launch_read_bytes + 4 * TD_JOURNAL_TT_CONTROL_MAX];
    const struct td_journal_tt_launch_read read = {.tile = launch->tile,
                                                   .now = launch->now,
                                                   .run = launch->run,
                                                   .id_bit = launch->id_bit,
                                                   .end0 = launch->host_end[0],
                                                   .end1 = launch->host_end[1],
                                                   .end2 = launch->host_end[2],
                                                   .end3 = launch->host_end[3],
                                                   .end4 = launch->host_end[4]};
    if (launch->control_words > TD_JOURNAL_TT_CONTROL_MAX)
        return;
    td_journal_put_tt_launch_read(bytes, &read);
    memcpy(bytes + td_journal_tt_launch_read_bytes, launch->control, 4 * launch->control_words);
    td_journal_put(to->journal, TD_JOURNAL_TT_LAUNCH, to->source, bytes,
                   td_journal_tt_launch_read_bytes + 4 * launch->control_words, launch->buffers,
                   TD_JOURNAL_TT_BUFFERS_BYTES);
}

static void on_tt_words(void *self, const struct td_tt_ring_words *words)
{
    const struct td_board_journal *to = self;
    uint8_t bytes[td_journal_tt_ring_read_bytes];
    const struct td_journal_tt_ring_read read = {.lane = words->lane, .now = words->now, .lost = words->lost};
    td_journal_put_tt_ring_read(bytes, &read);
    td_journal_put(to->journal, TD_JOURNAL_TT_WORDS, to->source, bytes, sizeof bytes, words->words,
                   4 * words->count);
}

static void on_control(void *self, uint32_t lane, bool joined, const uint32_t ctrl[32])
{
    const struct td_board_journal *to = self;
    uint8_t head[td_journal_lane_control_bytes];
    const struct td_journal_lane_control control = {.lane = lane, .joined = joined};
    td_journal_put_lane_control(head, &control);
    td_journal_put(to->journal, TD_JOURNAL_CONTROL, to->source, head, sizeof head, ctrl, 32 * sizeof *ctrl);
}

static void on_finished(void *self, const struct td_drain_stats *stats)
{
    const struct td_board_journal *to = self;
    uint8_t bytes[td_journal_board_end_bytes];
    const struct td_journal_board_end end = {.lost_slots = stats->lost_slots,
                                             .bad_frames = stats->bad_frames};
    td_journal_put_board_end(bytes, &end);
    td_journal_put(to->journal, TD_JOURNAL_BOARD_END, to->source, bytes, sizeof bytes, NULL, 0);
}

void td_board_journal_fault(const struct td_board_journal *to, uint32_t lane)
{
    if (to->journal)
        td_journal_put(to->journal, TD_JOURNAL_FAULT, to->source, NULL, 0, &lane, sizeof lane);
}

const struct td_board_tap *td_board_journal_init(struct td_board_journal *to, struct td_journal *journal,
                                                 const struct td_board *board, const char *text,
                                                 const struct td_board_source_options *options)
{
    uint8_t head[td_journal_board_begin_bytes];
    const size_t text_bytes = text ? strlen(text) : 0;
    if (!journal || !text || sizeof head + text_bytes > TD_JOURNAL_RECORD_MAX)
        return NULL;
    *to = (struct td_board_journal){.journal = journal,
                                    .source = td_journal_new_source(journal),
                                    .tap = {.self = to,
                                            .words = on_words,
                                            .damaged = on_damaged,
                                            .clock = on_clock,
                                            .opens = on_opens,
                                            .sample = on_sample,
                                            .image = on_image,
                                            .tt_layout = on_tt_layout,
                                            .tt_zone = on_tt_zone,
                                            .tt_launch = on_tt_launch,
                                            .tt_words = on_tt_words,
                                            .control = on_control,
                                            .finished = on_finished}};
    const struct td_journal_board_begin begin = {.policy = (uint32_t)options->policy,
                                                 .virtual_clock = options->virtual_clock != 0,
                                                 .frequency_hz = board->frequency_hz,
                                                 .grid_width = board->grid_width,
                                                 .grid_height = board->grid_height,
                                                 .first_chip = options->first_chip,
                                                 .first_lane = options->first_lane};
    td_journal_put_board_begin(head, &begin);
    td_journal_put(journal, TD_JOURNAL_BOARD, to->source, head, sizeof head, text, text_bytes);
    return &to->tap;
}
