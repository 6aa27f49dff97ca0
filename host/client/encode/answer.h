/* Answers a peer's queries: names, source locations, call stacks, code, source files. Answers go into the
 * encoder's open frame. Used by the session's thread. */
#pragma once
#include "host/client/encode/encoder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Answers one query of TD_WIRE_QUERY_BYTES. 0: answered, 1: the peer ends the session, 2: the peer asks
 * for its end (Disconnect), negative: sending failed. */
int td_answer(struct td_encoder *encoder, const uint8_t *query);

/* Sends the name of a thread, as asked or because it has changed. 0, or negative: sending failed. */
int td_answer_thread(struct td_encoder *encoder, uint64_t thread);

/* answer_code.c: queries about code. td_answer_found() sends the answers about frames and symbols that the
 * resolver (resolver.h) has by then; all others are answered at once. 0, or negative: sending failed. */
int td_answer_frame(struct td_encoder *encoder, uint64_t address);
int td_answer_symbol(struct td_encoder *encoder, uint64_t address);
int td_answer_found(struct td_encoder *encoder, int hurry);
int td_answer_code(struct td_encoder *encoder, uint64_t address, uint32_t bytes);
void td_code_transfer_begins(struct td_encoder *encoder, uint64_t bytes);
void td_code_transfer_goes_on(struct td_encoder *encoder, uint64_t low, uint32_t high);
int td_answer_source_code(struct td_encoder *encoder, uint32_t id);
bool td_answer_sends_code(void);       /* whether machine code is sent */
uint64_t td_answer_program_time(void); /* Unix seconds of the program's file; 0: source files are not sent */
