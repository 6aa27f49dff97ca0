/* Writes items with texts and call stacks, and those that change the stream's state. */
#pragma once
#include "host/serve/keys.h"

/* The bytes of a text that an item can carry. */
size_t td_put_text_bytes(const struct td_viewer *v, uint32_t string);
/* SingleStringData or SecondStringData, for a text of td_put_text_bytes(). Returns its end. */
uint8_t *td_put_text(const struct td_viewer *v, uint8_t *p, uint32_t string);
uint8_t *td_put_second_text(const struct td_viewer *v, uint8_t *p, uint32_t string);
uint8_t *td_put_bytes(const struct td_viewer *v, uint8_t *p, const char *text, size_t bytes);
/* Ends an item of a key, whose fields are before `p`, with a count of 16 bits and the text. */
uint8_t *td_put_counted(uint8_t *p, const char *text, size_t bytes);

/* ThreadContext, if the thread is not the current one; at most TD_ITEM_MAX bytes. */
uint8_t *td_put_thread(struct td_viewer *v, uint8_t *p, uint32_t thread);
/* The difference to the clock's last time, which becomes `ns`. */
static inline int64_t td_put_delta(int64_t *clock, int64_t ns)
{
    int64_t delta = (int64_t)((uint64_t)ns - (uint64_t)*clock);
    *clock = ns;
    return delta;
}

/* Room for td_put_stack(). */
size_t td_put_stack_room(struct td_viewer *v, uint32_t stack);
enum td_stack_use { TD_STACK_THREAD, TD_STACK_SERIAL, TD_STACK_SAMPLE };
/* A call stack for the next item that uses one: on the current thread, on the serial clock, or of a sample.
 * Moves *p to its end; false: the stack is empty, and the item must do without. */
bool td_put_stack(struct td_viewer *v, uint8_t **p, uint32_t stack, enum td_stack_use use);
/* The id of the frame with an address. */
uint64_t td_put_frame_id(uint64_t address);
/* SourceLocationPayload, for td_key_srcloc_is_sent(). */
size_t td_put_srcloc_room(const struct td_viewer *v, uint32_t srcloc);
uint8_t *td_put_srcloc(const struct td_viewer *v, uint8_t *p, uint32_t srcloc);
