#include "host/agent/journal/board_journal.h"
#include "host/agent/board/board_replay.h"
#include "host/agent/board/fault_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BOARDS_LEAST 16

struct td_board_player {
    struct td_board board;
    struct td_journal_board_begin begin;
    struct td_board_source *source; /* NULL: there is no board, or it has ended by an error */
    const char *folder[2];          /* of ELFs, for the source */
    FILE *elf;                      /* that is being written */
    char elf_path[400];
    uint64_t elf_bytes; /* of it */
    unsigned elves;
    int failed;
    bool closed;
    uint32_t words[TD_JOURNAL_RECORD_MAX / 4]; /* of a record, aligned */
};

size_t td_journal_boards_within(uint64_t memory_bytes)
{
    const uint64_t most = memory_bytes >> 22;
    if (memory_bytes == 0 || most > TD_JOURNAL_BOARDS_MOST)
        return TD_JOURNAL_BOARDS_MOST;
    return most > BOARDS_LEAST ? (size_t)most : BOARDS_LEAST;
}

struct td_board_player *td_board_player_create(void)
{
    return calloc(1, sizeof(struct td_board_player));
}

void td_board_player_destroy(struct td_board_player *player)
{
    if (!player)
        return;
    if (player->elf)
        fclose(player->elf);
    td_board_source_destroy(player->source);
    free(player);
}

/* ---- ELFs ---- */

/* The folder is full, or there is no more room in it for ELFs. */
static void leave_out_elf(struct td_board_player *player)
{
    if (player->elf)
        fclose(player->elf);
    player->elf = NULL;
    unlink(player->elf_path);
}

/* By errno: a full folder leaves the ELF out, anything else is an error. */
static int fail_to_write(struct td_board_player *player, struct td_journal_room *room)
{
    if (errno != ENOSPC)
        return TD_E_IO;
    leave_out_elf(player);
    td_journal_room_leave_out(room, player->elf_bytes);
    return 0;
}

static int close_elf(struct td_board_player *player, struct td_journal_room *room)
{
    FILE *elf = player->elf;
    player->elf = NULL;
    if (!elf || fclose(elf) == 0)
        return 0;
    return fail_to_write(player, room);
}

/* The names are not from the journal. */
static int begin_elf(struct td_board_player *player, const char *folder, struct td_journal_room *room)
{
    if (close_elf(player, room))
        return TD_E_IO;
    player->elf_bytes = 0;
    if (!td_journal_room_begin(room))
        return 0;
    snprintf(player->elf_path, sizeof player->elf_path, "%.300s/%p_%u.elf", folder, (void *)player,
             player->elves++);
    player->elf = fopen(player->elf_path, "wbx");
    if (player->elf) /* each record is in the file at once: no other one may follow */
        setvbuf(player->elf, NULL, _IONBF, 0);
    return player->elf ? 0 : TD_E_IO;
}

static int add_to_elf(struct td_board_player *player, struct td_journal_room *room, const uint8_t *bytes,
                      size_t count)
{
    if (!player->elf)
        return 0;
    if (!td_journal_room_grow(room, player->elf_bytes, count)) {
        leave_out_elf(player);
        return 0;
    }
    player->elf_bytes += count;
    if (fwrite(bytes, 1, count, player->elf) == count)
        return 0;
    return fail_to_write(player, room);
}

int td_board_player_prepare(struct td_board_player *player, const char *folder, struct td_journal_room *room,
                            enum td_journal_kind kind, const uint8_t *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    if (kind == TD_JOURNAL_IMAGE)
        bad = begin_elf(player, folder, room);
    else if (kind == TD_JOURNAL_IMAGE_BYTES)
        bad = add_to_elf(player, room, bytes, count);
    else
        bad = close_elf(player, room);
    return bad ? td_fail_errno(err, "cannot write the journal's ELFs to '%s'", folder) : 0;
}

/* ---- events ---- */

static int begin_board(struct td_board_player *player, const struct td_board_player_config *config,
                       const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_journal_board_begin *begin = &player->begin;
    char grid[40];
    if (player->source || count < td_journal_board_begin_bytes)
        return td_fail(err, TD_E_FORMAT, "the journal's begin of a board makes no sense");
    td_journal_get_board_begin(bytes, begin);
    const size_t text_bytes = count - td_journal_board_begin_bytes;
    char *text = malloc(text_bytes + 1);
    if (!text)
        return td_fail_no_memory(err, "for a board's description");
    memcpy(text, bytes + td_journal_board_begin_bytes, text_bytes);
    text[text_bytes] = 0;
    snprintf(grid, sizeof grid, "%" PRIu32 "x%" PRIu32, begin->grid_width, begin->grid_height);
    int bad = td_board_parse(&player->board, text, "the journal's board", grid, err);
    free(text);
    if (bad)
        return bad == TD_E_NOMEM ? bad : TD_E_FORMAT;
    if (begin->frequency_hz > 1 && begin->frequency_hz < 1e12)
        player->board.frequency_hz = begin->frequency_hz;
    player->folder[0] = config->elf_folder;
    const struct td_board_source_options options = {
        .policy = begin->policy <= TD_POLICY_OVERWRITE ? (enum td_policy)begin->policy : TD_POLICY_BLOCK,
        .virtual_clock = begin->virtual_clock,
        .first_chip = (uint16_t)begin->first_chip,
        .first_lane = begin->first_lane,
        .unrelated_ns = begin->virtual_clock ? 0 : config->began_ns,
        .memory_bytes = config->memory_bytes,
        .spaces = config->spaces,
        .elf_dirs = player->folder,
        .elf_dir_count = 1};
    player->source = td_board_replay_create(&player->board, &options, td_hub_dict(config->hub), err);
    if (!player->source)
        return err && err->code ? err->code : TD_E_NOMEM;
    td_board_source_stream(player->source, config->hub, config->t0, config->ns_per_tick);
    return 0;
}

/* Copies to where words are aligned. Returns the number of whole words. */
static size_t align_words(struct td_board_player *player, const uint8_t *bytes, size_t count)
{
    const size_t room = sizeof player->words;
    memcpy(player->words, bytes, count < room ? count : room);
    return (count < room ? count : room) / 4;
}

static int take_words(struct td_board_player *player, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_journal_lane_words lane;
    td_journal_get_lane_words(bytes, &lane);
    const struct td_lane_at at = {.index = lane.lane,
                                  .gap = lane.gap,
                                  .overwritten = lane.overwritten,
                                  .missing = lane.missing,
                                  .time_high = lane.time_high,
                                  .given_zones = lane.given_zones,
                                  .given_other = lane.given_other};
    const size_t words =
        align_words(player, bytes + td_journal_lane_words_bytes, count - td_journal_lane_words_bytes);
    return td_board_replay_words(player->source, &at, player->words, words / 2, err);
}

static int take_clock(struct td_board_player *player, const uint8_t *bytes, struct td_err *err)
{
    struct td_journal_clock_sample clock;
    td_journal_get_clock_sample(bytes, &clock);
    const struct td_clock_sample sample = {
        .host_before = clock.before, .ticks = clock.ticks, .host_after = clock.after};
    return td_board_replay_clock(player->source, clock.chip, &sample, err);
}

static int take_opens(struct td_board_player *player, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_journal_open_read read;
    td_journal_get_open_read(bytes, &read);
    const size_t words =
        align_words(player, bytes + td_journal_open_read_bytes, count - td_journal_open_read_bytes);
    return td_board_replay_opens(player->source, read.lane, read.before, read.after, player->words, words,
                                 err);
}

static int take_sample(struct td_board_player *player, const uint8_t *bytes, struct td_err *err)
{
    struct td_journal_core_sample place;
    td_journal_get_core_sample(bytes, &place);
    const struct td_core_sample sample = {
        .lane = place.lane, .pc = place.pc, .build_id = place.build_id, .ticks = place.ticks};
    return td_board_replay_sample(player->source, &sample, err);
}

static int take_control(struct td_board_player *player, const uint8_t *bytes, size_t count,
                        struct td_err *err)
{
    struct td_journal_lane_control control;
    td_journal_get_lane_control(bytes, &control);
    if (align_words(player, bytes + td_journal_lane_control_bytes, count - td_journal_lane_control_bytes) <
        32)
        return td_fail(err, TD_E_FORMAT, "the journal's control words are not complete");
    return td_board_replay_control(player->source, control.lane, control.joined, player->words, err);
}

static int take_tt_layout(struct td_board_player *player, const uint8_t *bytes, size_t count,
                          struct td_err *err)
{
    char name[16];
    if (count >= sizeof name)
        return td_fail(err, TD_E_FORMAT, "the journal's layout of tt-metal's buffers makes no sense");
    memcpy(name, bytes, count);
    name[count] = 0;
    return td_board_replay_tt_layout(player->source, name, err);
}

static int take_tt_launch(struct td_board_player *player, const uint8_t *bytes, size_t count,
                          struct td_err *err)
{
    struct td_journal_tt_launch_read read;
    td_journal_get_tt_launch_read(bytes, &read);
    const size_t words =
        align_words(player, bytes + td_journal_tt_launch_read_bytes, count - td_journal_tt_launch_read_bytes);
    if (words < TD_JOURNAL_TT_BUFFERS_BYTES / 4)
        return td_fail(err, TD_E_FORMAT, "a launch in the journal is not complete");
    const size_t control_words = words - TD_JOURNAL_TT_BUFFERS_BYTES / 4;
    const struct td_tt_launch launch = {.tile = read.tile,
                                        .now = read.now,
                                        .run = read.run,
                                        .id_bit = read.id_bit < -1 || read.id_bit > 31 ? INT32_MAX
                                                                                       : (int32_t)read.id_bit,
                                        .host_end = {read.end0, read.end1, read.end2, read.end3, read.end4},
                                        .control = player->words,
                                        .control_words = control_words,
                                        .buffers = player->words + control_words};
    return td_board_replay_tt_launch(player->source, &launch, err);
}

static int take_tt_words(struct td_board_player *player, const uint8_t *bytes, size_t count,
                         struct td_err *err)
{
    struct td_journal_tt_ring_read read;
    td_journal_get_tt_ring_read(bytes, &read);
    const size_t words =
        align_words(player, bytes + td_journal_tt_ring_read_bytes, count - td_journal_tt_ring_read_bytes);
    const struct td_tt_ring_words taken = {
        .lane = read.lane, .now = read.now, .lost = read.lost, .words = player->words, .count = words};
    return td_board_replay_tt_words(player->source, &taken, err);
}

static int take_damage(struct td_board_player *player, const uint8_t *bytes, struct td_err *err)
{
    struct td_journal_lane_damage damage;
    td_journal_get_lane_damage(bytes, &damage);
    struct td_lane_at at = {.index = damage.lane,
                            .core = (uint16_t)damage.core,
                            .logical_x = (uint16_t)damage.x,
                            .logical_y = (uint16_t)damage.y};
    at.tile.chip = (uint16_t)damage.chip;
    return td_board_replay_damaged(player->source, &at, damage.address, damage.slots, err);
}

static size_t head_bytes(enum td_journal_kind kind)
{
    switch (kind) {
    case TD_JOURNAL_WORDS:
        return td_journal_lane_words_bytes;
    case TD_JOURNAL_CLOCK:
        return td_journal_clock_sample_bytes;
    case TD_JOURNAL_OPEN_WORDS:
        return td_journal_open_read_bytes;
    case TD_JOURNAL_SAMPLE:
        return td_journal_core_sample_bytes;
    case TD_JOURNAL_CONTROL:
        return td_journal_lane_control_bytes;
    case TD_JOURNAL_DAMAGE:
        return td_journal_lane_damage_bytes;
    case TD_JOURNAL_TT_LAUNCH:
        return td_journal_tt_launch_read_bytes;
    case TD_JOURNAL_TT_WORDS:
        return td_journal_tt_ring_read_bytes;
    case TD_JOURNAL_BOARD_END:
        return td_journal_board_end_bytes;
    default:
        return 0;
    }
}

static int take_record(struct td_board_player *player, enum td_journal_kind kind, const uint8_t *bytes,
                       size_t count, struct td_err *err)
{
    struct td_journal_board_end end;
    if (count < head_bytes(kind))
        return td_fail(err, TD_E_FORMAT, "the journal has a record that is too short");
    switch (kind) {
    case TD_JOURNAL_WORDS:
        return take_words(player, bytes, count, err);
    case TD_JOURNAL_CLOCK:
        return take_clock(player, bytes, err);
    case TD_JOURNAL_OPEN_WORDS:
        return take_opens(player, bytes, count, err);
    case TD_JOURNAL_SAMPLE:
        return take_sample(player, bytes, err);
    case TD_JOURNAL_CONTROL:
        return take_control(player, bytes, count, err);
    case TD_JOURNAL_DAMAGE:
        return take_damage(player, bytes, err);
    case TD_JOURNAL_TT_LAYOUT:
        return take_tt_layout(player, bytes, count, err);
    case TD_JOURNAL_TT_ZONE:
        return td_board_replay_tt_zone(player->source, (const char *)bytes, count, err);
    case TD_JOURNAL_TT_LAUNCH:
        return take_tt_launch(player, bytes, count, err);
    case TD_JOURNAL_TT_WORDS:
        return take_tt_words(player, bytes, count, err);
    case TD_JOURNAL_BOARD_END:
        td_journal_get_board_end(bytes, &end);
        td_board_replay_finished(player->source, end.lost_slots, end.bad_frames);
        return 0;
    default:
        return 0;
    }
}

int td_board_player_record(struct td_board_player *player, const struct td_board_player_config *config,
                           enum td_journal_kind kind, const uint8_t *bytes, size_t count, struct td_err *err)
{
    if (player->failed || (kind != TD_JOURNAL_BOARD && !player->source))
        return 0;
    player->failed = kind == TD_JOURNAL_BOARD ? begin_board(player, config, bytes, count, err)
                                              : take_record(player, kind, bytes, count, err);
    return player->failed;
}

int td_board_player_close(struct td_board_player *player, const struct td_board_player_config *config,
                          struct td_err *err)
{
    if (!player->source)
        return 0;
    player->closed = true;
    return td_board_source_finish(player->source, 0, config->hub, config->t0, config->ns_per_tick, err);
}

const struct td_board_source *td_board_player_source(const struct td_board_player *player)
{
    return player->closed ? player->source : NULL;
}

const struct td_board *td_board_player_board(const struct td_board_player *player)
{
    return &player->board;
}

bool td_board_player_put_fault(const struct td_board_player *player, uint32_t lane, char *line, size_t bytes)
{
    return player->source && td_fault_watch_put(player->source, lane, line, bytes);
}

bool td_board_player_is_virtual(const struct td_board_player *player)
{
    return player->begin.virtual_clock;
}
