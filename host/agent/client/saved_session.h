/* A session that was saved (TENDRIL_SAVE, TRACY_SAVE_NO_SEND) or recorded on its way, into the hub: both
 * sides of a connection as records, each u8 direction (0 from the client, 1 to it), u32 count, bytes,
 * wherever reads happened to cut them. Knows no I/O. Bytes may be hostile, as those of a client. One thread
 * at a time.
 *
 *   create; feed until all is fed; close; look at what is known; destroy
 */
#ifndef TD_HOST_AGENT_CLIENT_SAVED_SESSION_H
#define TD_HOST_AGENT_CLIENT_SAVED_SESSION_H
#include "host/agent/client/client_stream.h"

struct td_saved_session;
struct td_saved_session *td_saved_session_create(struct td_hub *hub); /* NULL: no memory */
void td_saved_session_destroy(struct td_saved_session *session);      /* NULL is allowed */
/* 1: bytes that begin so may be a recording. */
int td_saved_session_begins(const uint8_t *bytes, size_t count);
/* In any pieces. 0, TD_E_FORMAT: no recording of a session, or broken bytes; TD_E_VERSION: of an unknown
 * protocol; TD_E_NOMEM, or a sink's error. */
int td_saved_session_feed(struct td_saved_session *session, const uint8_t *bytes, size_t count,
                          struct td_err *err);
/* The end of the bytes: pushes what waits for names. TD_E_FORMAT: there was no session in it. */
int td_saved_session_close(struct td_saved_session *session, struct td_err *err);
/* 1: it has the end of the program, and all names; 0: it breaks off before. */
int td_saved_session_complete(const struct td_saved_session *session);
/* After td_saved_session_close(). */
const struct td_wire_welcome *td_saved_session_welcome(const struct td_saved_session *session);
const struct td_wire_release *td_saved_session_release(const struct td_saved_session *session);
const struct td_client_counts *td_saved_session_counts(const struct td_saved_session *session);
uint64_t td_saved_session_frame_offset(const struct td_saved_session *session);
#endif
