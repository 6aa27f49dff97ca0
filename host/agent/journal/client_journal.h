/* A client's part of a journal: the tap that writes it, and the replay that makes its events again.
 *
 * The replay decodes the stream with the same code and parameters as the client source did. It asks the same
 * questions, which are not sent: the stream has the answers. Files of this machine come from the journal, so
 * a journal of another user makes nothing be read. */
#pragma once
#include "host/agent/client/client_space.h"
#include "host/agent/client/client_tap.h"
#include "host/agent/journal/journal.h"
#include "host/agent/journal/journal_room.h"
#include "host/event/event.h"
#include "host/wire/hello.h"

/* ---- writing ---- */

struct td_client_journal {
    struct td_journal *journal;
    uint16_t source;
    struct td_client_tap tap; /* for struct td_client_source_config */
};

/* Fills `to`, which must outlive the source. Returns the tap; NULL if `journal` is NULL. */
const struct td_client_tap *td_client_journal_init(struct td_client_journal *to, struct td_journal *journal);
/* When the session has ended: the line about its process for the trace's notes. */
void td_client_journal_put_process(const struct td_client_journal *to, double clock_error_ns,
                                   const char *line);

/* ---- replay: bytes may be hostile; an object belongs to one thread at a time ---- */

struct td_client_replay;
/* spaces: for processes of a trace with others; may be NULL. source_room: for the journal's source files. NULL: no
 * memory. */
struct td_client_replay *td_client_replay_create(struct td_client_spaces *spaces,
                                                 struct td_journal_room *source_room);
void td_client_replay_destroy(struct td_client_replay *replay); /* NULL is allowed */
/* First, all records of the source, for the files in them, and for the line about the process. 0 or TD_E_NOMEM. */
int td_client_replay_prepare(struct td_client_replay *replay, enum td_journal_kind kind, const uint8_t *bytes,
                             size_t count, struct td_err *err);
/* Then all records again, in their order, for the events. TD_E_FORMAT: the stream makes no sense; what came
 * before is in the hub. TD_E_NOMEM, or an error of the hub's sinks. */
int td_client_replay_record(struct td_client_replay *replay, struct td_hub *hub, enum td_journal_kind kind,
                            const uint8_t *bytes, size_t count, struct td_err *err);
/* Ends the stream: events that wait for names go to the hub without them. */
int td_client_replay_close(struct td_client_replay *replay, struct td_err *err);
/* There was a client: the following have values. */
bool td_client_replay_began(const struct td_client_replay *replay);
const struct td_wire_welcome *td_client_replay_welcome(const struct td_client_replay *replay);
const struct td_wire_release *td_client_replay_release(const struct td_client_replay *replay);
const struct td_client_counts *td_client_replay_counts(const struct td_client_replay *replay);
int64_t td_client_replay_begin_ns(const struct td_client_replay *replay); /* td_client_stream_begin_ns() */
uint64_t td_client_replay_frame_offset(const struct td_client_replay *replay);
/* The recorder's line about the process; NULL: there is none, as the session had not ended. */
const char *td_client_replay_process(const struct td_client_replay *replay);
/* The process's name in a trace of several; "" without spaces. */
const char *td_client_replay_label(const struct td_client_replay *replay);
/* Bound on the error of its times; 0: it is not known, or its clock is the trace's. */
double td_client_replay_clock_error_ns(const struct td_client_replay *replay);
