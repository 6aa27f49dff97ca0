#include "host/agent/journal/journal_replay.h"
#include "host/agent/journal/journal_files.h"
#include "host/base/grow.h"
#include "host/trace/rows.h"

#include <stdio.h>

#define SETTINGS_MAX 64
#define WAITING_PART 1 / 8 /* of the memory, for boards' events that wait */

struct setting {
    char *name; /* name, 0, value, 0 */
    const char *value;
};

/* What replays one source; both NULL: it has no records. */
struct player {
    struct td_client_replay *client;
    struct td_board_player *board;
    bool ended;
};

struct td_journal_replay {
    struct td_board_player_config config;
    struct td_client_spaces *spaces;
    struct setting settings[SETTINGS_MAX];
    size_t setting_count;
    struct player *players; /* by source */
    size_t count, capacity, board_count, boards_most;
    uint16_t *ended; /* clients whose sessions have ended, in that order */
    size_t ended_count, ended_capacity;
    struct td_journal_files files; /* that the recorder has added to the trace */
    struct td_journal_room elf_room, source_room;
    bool collected, has_data, boards_left_out;
    char trouble[400];
};

struct td_journal_replay *td_journal_replay_create(struct td_hub *hub, const char *folder,
                                                   uint64_t memory_bytes)
{
    struct td_journal_replay *replay = calloc(1, sizeof *replay);
    if (replay)
        replay->spaces = td_client_spaces_create(td_hub_dict(hub));
    if (replay && !replay->spaces) {
        free(replay);
        return NULL;
    }
    if (replay) {
        replay->elf_room = td_journal_room_within(TD_ELF_ROOM, memory_bytes);
        replay->source_room = td_journal_room_within("source files", memory_bytes);
        replay->files.room = &replay->source_room;
        replay->boards_most = td_journal_boards_within(memory_bytes);
    }
    if (replay)
        replay->config = (struct td_board_player_config){.hub = hub,
                                                         .spaces = replay->spaces,
                                                         .elf_folder = folder,
                                                         .ns_per_tick = 1,
                                                         .memory_bytes = memory_bytes * WAITING_PART};
    return replay;
}

void td_journal_replay_destroy(struct td_journal_replay *replay)
{
    if (!replay)
        return;
    for (size_t i = 0; i < replay->count; i++) {
        td_client_replay_destroy(replay->players[i].client);
        td_board_player_destroy(replay->players[i].board);
    }
    for (size_t i = 0; i < replay->setting_count; i++)
        free(replay->settings[i].name);
    td_client_spaces_destroy(replay->spaces);
    td_journal_files_free(&replay->files);
    free(replay->ended);
    free(replay->players);
    free(replay);
}

/* ---- settings ---- */

/* A later setting replaces an earlier one of its name. */
static int add_setting(struct td_journal_replay *replay, const uint8_t *bytes, size_t count)
{
    const size_t name_bytes = strnlen((const char *)bytes, count);
    size_t i = 0;
    if (name_bytes == count)
        return 0;
    while (i < replay->setting_count && strcmp(replay->settings[i].name, (const char *)bytes) != 0)
        i++;
    if (i == SETTINGS_MAX)
        return 0;
    char *copy = malloc(count + 1);
    if (!copy)
        return TD_E_NOMEM;
    memcpy(copy, bytes, count);
    copy[count] = 0;
    if (i == replay->setting_count)
        replay->setting_count++;
    free(replay->settings[i].name);
    replay->settings[i] = (struct setting){copy, copy + name_bytes + 1};
    return 0;
}

const char *td_journal_replay_setting(const struct td_journal_replay *replay, const char *name)
{
    for (size_t i = 0; i < replay->setting_count; i++)
        if (!strcmp(replay->settings[i].name, name))
            return replay->settings[i].value;
    return NULL;
}

int64_t td_journal_replay_began_ns(const struct td_journal_replay *replay)
{
    const char *began = td_journal_replay_setting(replay, "began_ns");
    const int64_t ns = began ? strtoll(began, NULL, 10) : 0;
    return ns < 0 ? 0 : ns < INT64_MAX / 4 ? ns : INT64_MAX / 4;
}

/* The trace's clock. */
static void read_clock(struct td_journal_replay *replay)
{
    const char *t0 = td_journal_replay_setting(replay, "t0_ticks");
    const char *rate = td_journal_replay_setting(replay, "ns_per_tick");
    const double ns = rate ? strtod(rate, NULL) : 0;
    replay->config.t0 = t0 ? strtoull(t0, NULL, 10) : 0;
    replay->config.ns_per_tick = ns > 1e-6 && ns < 1e9 ? ns : 1;
    replay->config.began_ns = td_journal_replay_began_ns(replay);
}

/* ---- sources ---- */

static bool is_of_client(enum td_journal_kind kind)
{
    return kind >= TD_JOURNAL_CLIENT && kind <= TD_JOURNAL_PROCESS;
}

static bool is_of_board(enum td_journal_kind kind)
{
    return td_journal_is_boards(kind);
}

static bool has_board(const struct td_journal_replay *replay, uint16_t source)
{
    return source < replay->count && replay->players[source].board;
}

/* The player of a source, added if it is new. NULL: no memory. */
static struct player *player_of(struct td_journal_replay *replay, enum td_journal_kind kind, uint16_t source)
{
    if (td_grow(&replay->players, &replay->capacity, (size_t)source + 1, sizeof *replay->players))
        return NULL;
    while (replay->count <= source)
        replay->players[replay->count++] = (struct player){.client = NULL};
    struct player *player = &replay->players[source];
    if (is_of_client(kind) && !player->client)
        player->client = td_client_replay_create(replay->spaces, &replay->source_room);
    if (is_of_board(kind) && !player->board) {
        player->board = td_board_player_create();
        replay->board_count += player->board != NULL;
    }
    return (is_of_client(kind) ? player->client != NULL : player->board != NULL) ? player : NULL;
}

static int add_ended(struct td_journal_replay *replay, uint16_t source)
{
    if (replay->players[source].ended)
        return 0;
    if (td_grow(&replay->ended, &replay->ended_capacity, replay->ended_count + 1, sizeof *replay->ended))
        return TD_E_NOMEM;
    replay->players[source].ended = true;
    replay->ended[replay->ended_count++] = source;
    return 0;
}

/* Of the whole recording. */
static int prepare_whole(struct td_journal_replay *replay, enum td_journal_kind kind, const uint8_t *bytes,
                         size_t count)
{
    int bad = 0;
    if (kind == TD_JOURNAL_SETTING)
        bad = add_setting(replay, bytes, count);
    else if (kind == TD_JOURNAL_FILE)
        bad = td_journal_files_add(&replay->files, bytes, count);
    else if (kind == TD_JOURNAL_FILE_TEXT)
        bad = td_journal_files_add_text(&replay->files, bytes, count);
    else if (kind == TD_JOURNAL_COLLECTED)
        replay->collected = true;
    if (kind == TD_JOURNAL_SETTING && !bad)
        read_clock(replay);
    return bad;
}

int td_journal_replay_prepare(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                              size_t count, struct td_err *err)
{
    struct td_journal_replay *replay = self;
    if (prepare_whole(replay, kind, bytes, count))
        return td_fail_no_memory(err, "for the journal's settings");
    if (kind == TD_JOURNAL_CLIENT || td_journal_is_written(kind))
        replay->has_data = true;
    if (!is_of_client(kind) && !is_of_board(kind))
        return 0;
    if (is_of_board(kind) && replay->board_count == replay->boards_most && !has_board(replay, source)) {
        replay->boards_left_out = true;
        return 0;
    }
    struct player *player = player_of(replay, kind, source);
    if (!player || (kind == TD_JOURNAL_PROCESS && add_ended(replay, source)))
        return td_fail_no_memory(err, "for the journal's sources");
    return is_of_client(kind) ? td_client_replay_prepare(player->client, kind, bytes, count, err)
                              : td_board_player_prepare(player->board, replay->config.elf_folder,
                                                        &replay->elf_room, kind, bytes, count, err);
}

/* An error of one source is kept; others are returned. */
static int judge_error(struct td_journal_replay *replay, int bad, const struct td_err *why,
                       struct td_err *err)
{
    if (bad != TD_E_FORMAT && bad != TD_E_VERSION && bad != TD_E_LIMIT && bad != TD_E_USAGE)
        return bad ? td_fail(err, bad, "%s", why->text) : 0;
    if (!replay->trouble[0])
        snprintf(replay->trouble, sizeof replay->trouble, "%s", why->text);
    return 0;
}

int td_journal_replay_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                             size_t count, struct td_err *err)
{
    struct td_journal_replay *replay = self;
    struct td_err why = {0};
    if (source >= replay->count)
        return 0;
    const struct player *player = &replay->players[source];
    int bad = 0;
    if (is_of_client(kind) && player->client)
        bad = td_client_replay_record(player->client, replay->config.hub, kind, bytes, count, &why);
    else if (is_of_board(kind) && player->board)
        bad = td_board_player_record(player->board, &replay->config, kind, bytes, count, &why);
    return judge_error(replay, bad, &why, err);
}

/* As the recorder adds them: after all events. */
static int add_files(struct td_journal_replay *replay, struct td_err *err)
{
    for (size_t i = 0; i < replay->files.count; i++) {
        const struct td_journal_source *file = &replay->files.all[i];
        const uint32_t name = td_dict_string(td_hub_dict(replay->config.hub), file->name, file->name_bytes);
        const int64_t row[] = {name, (int64_t)(uintptr_t)(file->text ? (const void *)file->text : ""),
                               (int64_t)file->bytes};
        if (name == UINT32_MAX)
            return td_fail_no_memory(err, "for source files");
        if (file->found && td_hub_row(replay->config.hub, TD_TABLE_SOURCE, 0, row, err) < 0)
            return err->code;
    }
    return 0;
}

int td_journal_replay_close(struct td_journal_replay *replay, struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; !bad && i < replay->count; i++) {
        struct td_err why = {0};
        if (replay->players[i].client)
            bad = judge_error(replay, td_client_replay_close(replay->players[i].client, &why), &why, err);
        if (!bad && replay->players[i].board)
            bad = judge_error(replay, td_board_player_close(replay->players[i].board, &replay->config, &why),
                              &why, err);
    }
    return bad ? bad : add_files(replay, err);
}

/* ---- results ---- */

bool td_journal_replay_is_collected(const struct td_journal_replay *replay)
{
    return replay->collected;
}

const struct td_client_replay *td_journal_replay_client(const struct td_journal_replay *replay, size_t index)
{
    for (size_t i = 0; i < replay->ended_count + replay->count; i++) {
        const bool is_ended = i < replay->ended_count;
        const struct player *player = &replay->players[is_ended ? replay->ended[i] : i - replay->ended_count];
        if (player->client && player->ended == is_ended && td_client_replay_began(player->client) && !index--)
            return player->client;
    }
    return NULL;
}

const struct td_board_player *td_journal_replay_board(const struct td_journal_replay *replay, size_t index)
{
    for (size_t i = 0; i < replay->count; i++)
        if (replay->players[i].board && td_board_player_source(replay->players[i].board) && !index--)
            return replay->players[i].board;
    return NULL;
}

bool td_journal_replay_has_data(const struct td_journal_replay *replay)
{
    return replay->has_data;
}

uint64_t td_journal_replay_elf_bytes(const struct td_journal_replay *replay)
{
    return replay->elf_room.used;
}

bool td_journal_replay_tell_left_out(const struct td_journal_replay *replay, unsigned index, char *line,
                                     size_t bytes)
{
    line[0] = 0;
    if (index < 2)
        td_journal_room_tell(index ? &replay->source_room : &replay->elf_room, line, bytes);
    else if (replay->boards_left_out)
        snprintf(line, bytes, "the boards after the first %zu are left out, because of the memory limit (-m)",
                 replay->boards_most);
    return index < 3;
}

const char *td_journal_replay_trouble(const struct td_journal_replay *replay)
{
    return replay->trouble;
}
