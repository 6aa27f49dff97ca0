/* Reads the words of a record of a Fuchsia trace (proto/fuchsia.h): strings, threads and arguments. Bytes may be
 * hostile: a reader that would leave the record fails. */
#pragma once
#include "host/agent/import/timeline.h"
#include "host/event/map.h"

/* What a provider of the trace has told so far. All zero: nothing. */
struct td_fxt_tables {
    struct td_map strings; /* index to string */
    struct td_map names;   /* of kernel objects and pointers to strings */
    struct {
        uint64_t process, thread;
    } threads[256];
    uint64_t known_threads[4]; /* a bit for each of them */
    uint64_t ticks_a_second;   /* 0: 10^9 */
};
void td_fxt_tables_free(struct td_fxt_tables *tables);
/* False: out of the range that a trace can have. */
bool td_fxt_time(const struct td_fxt_tables *tables, uint64_t ticks, int64_t *ns);

struct td_fxt_reader {
    const uint64_t *words; /* in host order */
    size_t count, at;      /* words; the next one */
    struct td_fxt_tables *tables;
    struct td_dict *dict; /* of strings */
};
bool td_fxt_word(struct td_fxt_reader *reader, uint64_t *word);
/* A string of `bytes` bytes in the record. False: it is too long for the record, or no memory: UINT32_MAX. */
bool td_fxt_bytes(struct td_fxt_reader *reader, size_t bytes, uint32_t *string);
/* A reference. A string that was not told is TD_DICT_UNKNOWN. */
bool td_fxt_string(struct td_fxt_reader *reader, uint64_t reference, uint32_t *string);
bool td_fxt_thread(struct td_fxt_reader *reader, uint64_t reference, uint64_t *process, uint64_t *thread);

struct td_fxt_scheduling {
    uint64_t ticks, cpu, out, in, state; /* out, in: ids of threads; of a wakeup: `in`. 0: the idle thread */
    uint64_t type;
};
/* False: it is damaged, or of an unknown type: `type` is then more than TD_FXT_WAKEUP. */
bool td_fxt_read_scheduling(struct td_fxt_reader *reader, uint64_t header, struct td_fxt_scheduling *change);

struct td_fxt_value {
    uint32_t name, text; /* text: of TEXT */
    uint32_t type;       /* enum td_fxt_argument, or more: not known */
    union {
        uint64_t u64; /* of UINT32, UINT64, POINTER, KOID, BOOL; BYTES: how many */
        int64_t i64;  /* of INT32, INT64 */
        double f64;
    };
};
bool td_fxt_next_argument(struct td_fxt_reader *reader, struct td_fxt_value *value);
/* False: it is no number, or not finite. */
bool td_fxt_number(const struct td_fxt_value *value, double *number);
/* Writes the value as text, cut to `room` - 1 bytes; of objects with names with these. */
void td_fxt_value_text(const struct td_fxt_reader *reader, const struct td_fxt_value *value, char *text,
                       size_t room);
