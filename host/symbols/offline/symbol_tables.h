/* What is known of a trace's frames, to be changed: the tables of frames, of their lines and of symbols. */
#ifndef TD_HOST_SYMBOLS_OFFLINE_SYMBOL_TABLES_H
#define TD_HOST_SYMBOLS_OFFLINE_SYMBOL_TABLES_H
#include "host/base/err.h"
#include "host/trace/trace.h"

#define TD_SYMBOL_UNRESOLVED                                                                                 \
    "[unresolved]" /* a function that clients leave to tools; its symbol is the place */
#define TD_SYMBOL_UNKNOWN "[unknown]"

struct td_stack_line {
    uint32_t function, file, line; /* strings */
    uint64_t symbol, bytes;        /* the function's address, 0: not known */
    uint32_t symbol_file, symbol_line;
};
struct td_stack_frame {
    uint64_t id, address; /* as in call stacks; as the program had it */
    uint32_t image;
    int changed, count, old_count;
    struct td_stack_line *lines; /* innermost first; what the trace has, or, if changed, the new ones */
    struct td_stack_line *old;   /* if changed, what the trace has */
};
struct td_stack_frames {
    struct td_stack_frame *at;
    size_t count;
};

/* 0 or TD_E_NOMEM; finish it in any case. */
int td_stack_frames_init(struct td_stack_frames *frames, const struct td_trace *trace, struct td_err *err);
void td_stack_frames_finish(struct td_stack_frames *frames);
/* New lines for the frame, to be filled by the caller; NULL: no memory. */
struct td_stack_line *td_stack_frame_change(struct td_stack_frame *frame, int count);
/* Writes what has changed into the trace, which nobody else may read meanwhile. */
int td_stack_frames_write(const struct td_stack_frames *frames, struct td_trace *trace, struct td_err *err);

/* The text begins with TD_SYMBOL_UNRESOLVED; tells nothing. */
int td_symbol_is_unresolved(const struct td_trace *trace, uint32_t function);
int td_symbol_is_nothing(const struct td_trace *trace, uint32_t text);
#endif
