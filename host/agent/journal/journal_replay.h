/* Replays a journal: its records make the events that the recording made.
 *
 *   create; prepare with all records; record with all records again; close; read results; destroy
 *
 * The records come from two passes of a td_journal_reader over the same bytes. They may be hostile. Errors
 * that concern one source (a stream that makes no sense) end that source, and are kept as its trouble. An
 * object belongs to one thread at a time. */
#pragma once
#include "host/agent/journal/board_journal.h"
#include "host/agent/journal/client_journal.h"
#include "host/agent/journal/journal_reader.h"

struct td_journal_replay;
/* folder: an empty one for the kernels' ELFs, which must outlive the replay. memory_bytes: the memory limit, of
 * which boards' events that wait and ELFs take parts; 0: no limit. NULL: no memory. */
struct td_journal_replay *td_journal_replay_create(struct td_hub *hub, const char *folder,
                                                   uint64_t memory_bytes);
void td_journal_replay_destroy(struct td_journal_replay *replay); /* NULL is allowed */
/* Two td_journal_visit functions for the reader; `self` is the replay. 0, TD_E_NOMEM, TD_E_IO (ELFs), or an error of
 * the hub's sinks. */
int td_journal_replay_prepare(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                              size_t count, struct td_err *err);
int td_journal_replay_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                             size_t count, struct td_err *err);
/* Ends all sources. */
int td_journal_replay_close(struct td_journal_replay *replay, struct td_err *err);
/* The value of a setting; NULL: it is not in the journal. From td_journal_replay_prepare() on. */
const char *td_journal_replay_setting(const struct td_journal_replay *replay, const char *name);
/* When the recording began, in the trace's time before it is finished; 0: its times begin at 0. */
int64_t td_journal_replay_began_ns(const struct td_journal_replay *replay);
/* The recording had ended when its process did. */
bool td_journal_replay_is_collected(const struct td_journal_replay *replay);
/* Clients: those with a line about their process, in the order of these lines; then the others, in the order
 * of their sources. NULL: there are no more. */
const struct td_client_replay *td_journal_replay_client(const struct td_journal_replay *replay, size_t index);
/* Boards, likewise; after td_journal_replay_close(). */
const struct td_board_player *td_journal_replay_board(const struct td_journal_replay *replay, size_t index);
/* There is a client, or a core has written. */
bool td_journal_replay_has_data(const struct td_journal_replay *replay);
/* The bytes of the ELFs in the folder. */
uint64_t td_journal_replay_elf_bytes(const struct td_journal_replay *replay);
/* Fills a line about the ELFs (0), source files (1) or boards (2) that had no room; "": all had. False: there is no such
 * line. */
bool td_journal_replay_tell_left_out(const struct td_journal_replay *replay, unsigned index, char *line,
                                     size_t bytes);
/* A line: why a source ended early; "": none did. */
const char *td_journal_replay_trouble(const struct td_journal_replay *replay);
