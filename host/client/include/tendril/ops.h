/* Operations: what a host program launches on a device. A report then says what each operation was, how long
 * the host and the device took, and what was between them (docs/report.md).
 *
 * struct td_op_call op = td_op_begin(&(struct td_op_about){.name = "matmul", .attributes = "{\"transpose\":
 * false}"}); td_device_prepare(device, core, op.id, argument, &err); // for each core ...launch, and wait...
 * td_op_end(op);
 *
 * td_op_begin() begins a zone of the calling thread, which td_op_end() ends, and sends the messages that
 * tt-metal's programs send, so that tt-metal's scripts read them, too. An operation that was described
 * before is sent as a short message. Thread-safe, but not for signal handlers. Without TRACY_ENABLE ids
 * are 0, which is no operation. */
#ifndef TENDRIL_OPS_H
#define TENDRIL_OPS_H
#include <stdint.h>

/* What an operation is. All texts but the name are JSON and may be NULL; they are copied. The device must
 * be below 1024. Without characters that JSON forbids, scripts can read it: the JSON is not checked. */
struct td_op_about {
    const char *name;
    uint32_t device;
    const char *attributes; /* an object: {"axis": 1} */
    /* Lists of tensors: [{"shape": {"W": "1", "Z": "1", "Y": "32", "X": "32"}, "layout": "TILE", "dtype":
     * "BFLOAT16", "storage_type": "HOST"}]. `storage_type` may be an object: {"device_id": 0,
     * "memory_config": {"buffer_type": "L1", "memory_layout": "INTERLEAVED"}}. */
    const char *inputs, *outputs;
    const char *more; /* further members of the object: "kernel_info": {...}, "performance_model": {...} */
};

struct td_op_call {
    uint32_t id;   /* for the device: number << 10 | device */
    uint32_t zone; /* of the client */
};

/* Lists of commands that a device records and replays; traces to tt-metal. */
enum td_op_trace_step { TD_OP_TRACE_BEGIN, TD_OP_TRACE_END, TD_OP_TRACE_REPLAY };

#ifdef TRACY_ENABLE
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif
struct td_op_call td_op_begin(const struct td_op_about *about);
void td_op_end(struct td_op_call op);
/* Operations that begin between BEGIN and END are part of the trace; each REPLAY runs them again. */
void td_op_trace(enum td_op_trace_step step, uint32_t device, uint32_t trace);
/* A named point in time: a row of the report. `text` may be NULL. */
void td_op_signpost(const char *header, const char *text);
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#else
static inline struct td_op_call td_op_begin(const struct td_op_about *about)
{
    struct td_op_call none = {0, 0};
    (void)about;
    return none;
}
#define td_op_end(op)                    ((void)(op))
#define td_op_trace(step, device, trace) ((void)0)
#define td_op_signpost(header, text)     ((void)0)
#endif
#endif
