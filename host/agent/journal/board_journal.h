/* A board's part of a journal: the tap that writes it, and the replay that makes its events again. */
#pragma once
#include "host/agent/board/board_source.h"
#include "host/agent/board/board_tap.h"
#include "host/agent/client/client_space.h"
#include "host/agent/journal/journal.h"
#include "host/agent/journal/journal_room.h"

/* Of a record TT_LAUNCH: control words at most, and bytes of the buffers. */
enum {
    TD_JOURNAL_TT_CONTROL_MAX = 64,
    TD_JOURNAL_TT_BUFFERS_BYTES = 4 * TD_TT_L1_CORES * TD_TT_L1_BUFFER_WORDS
};

/* ---- writing ---- */

struct td_board_journal {
    struct td_journal *journal;
    uint16_t source;
    struct td_board_tap tap; /* for struct td_board_source_options */
};

/* Begins the board's part. `text` is its whole description; `options` are those of its source. `to` must outlive the source. Returns the tap;
 * NULL if `journal` is NULL. */
const struct td_board_tap *td_board_journal_init(struct td_board_journal *to, struct td_journal *journal,
                                                 const struct td_board *board, const char *text,
                                                 const struct td_board_source_options *options);

/* Writes that a core has stopped by a fault. Does nothing without a journal. */
void td_board_journal_fault(const struct td_board_journal *to, uint32_t lane);

/* ---- replay: bytes may be hostile; an object belongs to one thread at a time ---- */

/* Of a journal or an agent. Each board that is replayed takes about 1 MB. */
#define TD_JOURNAL_BOARDS_MOST 256
/* The most boards within a memory limit (0: none). */
size_t td_journal_boards_within(uint64_t memory_bytes);
#define TD_ELF_ROOM "ELFs of kernels, whose zones then have no names," /* struct td_journal_room */
struct td_board_player;
struct td_board_player *td_board_player_create(void);         /* NULL: no memory */
void td_board_player_destroy(struct td_board_player *player); /* NULL is allowed */
/* First, all records of the source: writes its ELFs into `folder`, as far as there is room. 0, TD_E_IO,
 * TD_E_NOMEM. */
int td_board_player_prepare(struct td_board_player *player, const char *folder, struct td_journal_room *room,
                            enum td_journal_kind kind, const uint8_t *bytes, size_t count,
                            struct td_err *err);

struct td_board_player_config {
    struct td_hub *hub;
    struct td_client_spaces *spaces; /* of the trace */
    const char *elf_folder;
    uint64_t t0; /* the trace's clock */
    double ns_per_tick;
    int64_t began_ns; /* when the recording began */
    uint64_t memory_bytes;
};
/* Then all records again, in their order. TD_E_FORMAT, TD_E_LIMIT: they make no sense; what came before is
 * kept. */
int td_board_player_record(struct td_board_player *player, const struct td_board_player_config *config,
                           enum td_journal_kind kind, const uint8_t *bytes, size_t count, struct td_err *err);
/* Ends the lanes. */
int td_board_player_close(struct td_board_player *player, const struct td_board_player_config *config,
                          struct td_err *err);
/* NULL: there was no board. Valid until destroy. */
const struct td_board_source *td_board_player_source(const struct td_board_player *player);
const struct td_board *td_board_player_board(const struct td_board_player *player);
/* Writes the line about a core that stopped by a fault. False: there is no such core. */
bool td_board_player_put_fault(const struct td_board_player *player, uint32_t lane, char *line, size_t bytes);
bool td_board_player_is_virtual(const struct td_board_player *player);
