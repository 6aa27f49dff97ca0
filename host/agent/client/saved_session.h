/* Imports a session that was saved (TENDRIL_SAVE, TRACY_SAVE_NO_SEND) or recorded from a connection, into the
 * hub.
 *
 * A saved session is a list of records, each u8 direction (0 from the client, 1 to it), u32 count, bytes. A
 * record may begin and end anywhere in a message.
 *
 *   create; feed all bytes, in any pieces; close; read welcome and counts; destroy
 *
 * Does no I/O. Bytes may be hostile. An object belongs to one thread at a time.
 */
#pragma once
#include "host/agent/client/client_stream.h"

struct td_saved_session;
struct td_saved_session *td_saved_session_create(struct td_hub *hub); /* NULL: no memory */
void td_saved_session_destroy(struct td_saved_session *session);      /* NULL is allowed */
/* A file that begins with these bytes may be a saved session. */
bool td_saved_session_begins(const uint8_t *bytes, size_t count);
/* 0; TD_E_FORMAT: not a saved session, or damaged; TD_E_VERSION: of an unknown protocol; TD_E_NOMEM; or a
 * sink's error. */
int td_saved_session_feed(struct td_saved_session *session, const uint8_t *bytes, size_t count,
                          struct td_err *err);
/* Ends the stream of bytes: pushes events that still wait for names. TD_E_FORMAT: there was no session in
 * it. */
int td_saved_session_close(struct td_saved_session *session, struct td_err *err);
/* The session has the end of the program and all names. False: it breaks off before. */
bool td_saved_session_complete(const struct td_saved_session *session);
/* Valid after td_saved_session_close(). */
const struct td_wire_welcome *td_saved_session_welcome(const struct td_saved_session *session);
const struct td_wire_release *td_saved_session_release(const struct td_saved_session *session);
const struct td_client_counts *td_saved_session_counts(const struct td_saved_session *session);
uint64_t td_saved_session_frame_offset(const struct td_saved_session *session);
