/* answer.c. 0 answered, 1 the peer ends the session, 2 it asks for the end (Disconnect), -1 sending failed.
 */
#ifndef TD_HOST_CLIENT_ENCODE_ANSWER_H
#define TD_HOST_CLIENT_ENCODE_ANSWER_H
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

int td_answer(struct td_encoder *encoder, const uint8_t *query);

/* answer_code.c (symbols.h says what stands behind it). Frames and symbols are answered when they have been
 * looked up, by td_answer_found(), everything else at once. 0, or -1 when sending failed. */
int td_answer_frame(struct td_encoder *encoder, uint64_t address);
int td_answer_symbol(struct td_encoder *encoder, uint64_t address);
int td_answer_found(struct td_encoder *encoder, int hurry);
int td_answer_code(struct td_encoder *encoder, uint64_t address, uint32_t bytes);
void td_code_transfer_begins(struct td_encoder *encoder, uint64_t bytes);
void td_code_transfer_goes_on(struct td_encoder *encoder, uint64_t low, uint32_t high);
int td_answer_source_code(struct td_encoder *encoder, uint32_t id);
int td_answer_sends_code(void);
uint64_t td_answer_program_time(void); /* Unix seconds of the program's file; 0: no sources are sent */
#endif
