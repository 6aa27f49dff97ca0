/* A session that was saved (TENDRIL_SAVE, TRACY_SAVE_NO_SEND) or recorded on its way, into the hub: both
 * sides of a connection as records, each u8 direction (0 from the client, 1 to it), u32 count, bytes,
 * wherever reads happened to cut them. Knows no I/O. Bytes may be hostile, as those of a client. One thread
 * at a time.
 *
 *   create; feed until all is fed; close; look at what is known; destroy
 */
#ifndef TD_HOST_AGENT_RECORDING_H
#define TD_HOST_AGENT_RECORDING_H
#include "host/agent/client_stream.h"

struct td_recording;
struct td_recording *td_recording_create(struct td_hub *hub); /* NULL: no memory */
void td_recording_destroy(struct td_recording *recording);    /* NULL is allowed */
/* 1: bytes that begin so may be a recording. */
int td_recording_begins(const uint8_t *bytes, size_t count);
/* In any pieces. 0, TD_E_FORMAT: no recording of a session, or broken bytes; TD_E_VERSION: of an unknown
 * protocol; TD_E_NOMEM, or a sink's error. */
int td_recording_feed(struct td_recording *recording, const uint8_t *bytes, size_t count, struct td_err *err);
/* The end of the bytes: pushes what waits for names. TD_E_FORMAT: there was no session in it. */
int td_recording_close(struct td_recording *recording, struct td_err *err);
/* 1: it has the end of the program, and all names; 0: it breaks off before. */
int td_recording_complete(const struct td_recording *recording);
/* After td_recording_close(). */
const struct td_wire_welcome *td_recording_welcome(const struct td_recording *recording);
const struct td_wire_release *td_recording_release(const struct td_recording *recording);
const struct td_client_counts *td_recording_counts(const struct td_recording *recording);
uint64_t td_recording_frame_offset(const struct td_recording *recording);
#endif
