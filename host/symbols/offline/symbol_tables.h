/* The frames of a trace's call stacks, for changing them: reads and writes the tables of frames, of their
 * lines and of symbols. */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"

#include <stdbool.h>

#define TD_SYMBOL_UNRESOLVED                                                                                 \
    "[unresolved]" /* function that a client left to tools; its symbol is the place in the image */
#define TD_SYMBOL_UNKNOWN "[unknown]"

struct td_stack_line {
    uint32_t function, file, line; /* strings */
    uint64_t symbol, bytes;        /* the function's address and length; 0: not known */
    uint32_t symbol_file, symbol_line;
};
struct td_stack_frame {
    uint64_t id, address; /* id: as in call stacks; address: in the program */
    uint32_t image;
    int changed, count, old_count;
    struct td_stack_line *lines; /* innermost first; of the trace, or the new ones if `changed` */
    struct td_stack_line *old;   /* if `changed`: those of the trace */
};
struct td_stack_frames {
    struct td_stack_frame *at;
    size_t count;
};

/* 0 or TD_E_NOMEM. The caller frees *frames in any case. */
int td_stack_frames_init(struct td_stack_frames *frames, const struct td_trace *trace, struct td_err *err);
void td_stack_frames_free(struct td_stack_frames *frames);
/* Gives the frame new lines, which the caller fills. NULL: no memory. */
struct td_stack_line *td_stack_frame_change(struct td_stack_frame *frame, int count);
/* Writes the changed frames into the trace, which no other thread may read meanwhile. 0 or TD_E_NOMEM. */
int td_stack_frames_write(const struct td_stack_frames *frames, struct td_trace *trace, struct td_err *err);

/* The text begins with TD_SYMBOL_UNRESOLVED. */
bool td_symbol_is_unresolved(const struct td_trace *trace, uint32_t function);
/* The text names neither a function nor a file: empty, unknown or unresolved. */
bool td_symbol_is_nothing(const struct td_trace *trace, uint32_t text);
