/* Answers a viewer's queries from the model.
 *
 * What the program has not sent yet is kept as an open query and answered when it is there, or at the end of the
 * trace. Bytes may be hostile: a viewer can ask only for what is in the trace, and has at most TD_ANSWERS_OPEN
 * open queries; further ones are answered at once with what is known. */
#pragma once
#include "host/serve/viewer.h"

#define TD_ANSWERS_OPEN 8192u
#define TD_ANSWERS_ROOM (TD_WIRE_FRAME_MAX / 2) /* needed in the open frame; larger answers need all of it */

enum td_answer_result {
    TD_ANSWER_GIVEN, /* or kept */
    TD_ANSWER_FULL,  /* the frame has no room: send it and ask again */
    TD_ANSWER_LEAVE, /* the viewer asks for the end of the stream */
    TD_ANSWER_CLOSE  /* the viewer is done, or does not speak the protocol */
};

/* One query of TD_WIRE_QUERY_BYTES. enum td_answer_result or TD_E_NOMEM. */
int td_answer_query(struct td_viewer *v, const uint8_t *bytes);
/* Answers open queries that the model can answer now, all of them if it is final. enum td_answer_result or TD_E_NOMEM. */
int td_answer_open(struct td_viewer *v);
