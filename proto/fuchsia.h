/* Fuchsia's trace format (.fxt): records of 64-bit words, least significant byte first. The first word of a record
 * is its header. Bits that a table does not name are reserved.
 *
 * References to strings have 16 bits: 0 is the empty string; with the highest bit set, that many bytes (the other
 * bits) are in the record, padded to words; all else is an index that a string record has filled. References to
 * threads have 8 bits: 0: the ids of process and thread are in the record; all else is an index. */
#pragma once
#include <stdint.h>

#define TD_FXT_MAGIC UINT64_C(0x0016547846040010) /* the first record */

/* X(NAME, number): types of records, bits 0 to 3. Bits 4 to 15 are the words of the record. */
#define TD_FXT_RECORDS(X)                                                                                    \
    X(METADATA, 0)       /* bits 16 to 19: type; 20 to 51: provider */                                       \
    X(INITIALIZATION, 1) /* word 1: ticks a second */                                                        \
    X(STRING, 2)         /* bits 16 to 30: index; 32 to 46: bytes; then the string */                        \
    X(THREAD, 3)         /* bits 16 to 23: index; words 1 and 2: process, thread */                          \
    X(EVENT, 4)                                                                                              \
    X(BLOB, 5)                                                                                               \
    X(USER_OBJECT,                                                                                           \
      6) /* bits 16 to 23: process (thread); 24 to 39: name; 40 to 43: arguments; word 1: pointer */         \
    X(KERNEL_OBJECT, 7) /* bits 16 to 23: type; 24 to 39: name; 40 to 43: arguments; word 1: id */           \
    X(SCHEDULING, 8)    /* bits 60 to 63: type; word 1: ticks */                                             \
    X(LOG, 9)           /* bits 16 to 30: bytes; 32 to 39: thread; word 1: ticks; then the ids, the text */  \
    X(LARGE, 15)        /* bits 4 to 35: the words of the record */
enum td_fxt_record {
#define TD_X(name, number) TD_FXT_##name = number,
    TD_FXT_RECORDS(TD_X)
#undef TD_X
};

/* Types of metadata. Information about a provider: bits 52 to 59: bytes of its name, which follows. An event of a
 * provider: bits 52 to 55: 0: a buffer was full. */
enum { TD_FXT_PROVIDER_INFO = 1, TD_FXT_PROVIDER_SECTION, TD_FXT_PROVIDER_EVENT, TD_FXT_TRACE_INFO };

/* X(NAME, number): types of events, bits 16 to 19. Bits 20 to 23: arguments; 24 to 31: thread; 32 to 47: category;
 * 48 to 63: name. Word 1: ticks. Then what is inline of thread, category and name; the arguments; a word for all
 * types from COUNTER on but DURATION_BEGIN and DURATION_END: an id, or the ticks at the end. */
#define TD_FXT_EVENTS(X)                                                                                     \
    X(INSTANT, 0)                                                                                            \
    X(COUNTER, 1)                                                                                            \
    X(DURATION_BEGIN, 2)                                                                                     \
    X(DURATION_END, 3)                                                                                       \
    X(DURATION_COMPLETE, 4)                                                                                  \
    X(ASYNC_BEGIN, 5)                                                                                        \
    X(ASYNC_INSTANT, 6)                                                                                      \
    X(ASYNC_END, 7)                                                                                          \
    X(FLOW_BEGIN, 8)                                                                                         \
    X(FLOW_STEP, 9)                                                                                          \
    X(FLOW_END, 10)
enum td_fxt_event {
#define TD_X(name, number) TD_FXT_##name = number,
    TD_FXT_EVENTS(TD_X)
#undef TD_X
};

/* X(NAME, number): types of arguments, bits 0 to 3. Bits 4 to 15: words; 16 to 31: name. Values of 32 bits and
 * references are in bits 32 to 63; after the inline name come values of 64 bits, strings and binary data. */
#define TD_FXT_ARGUMENTS(X)                                                                                  \
    X(NULL, 0)                                                                                               \
    X(INT32, 1)                                                                                              \
    X(UINT32, 2)                                                                                             \
    X(INT64, 3)                                                                                              \
    X(UINT64, 4)                                                                                             \
    X(DOUBLE, 5)                                                                                             \
    X(TEXT, 6)                                                                                               \
    X(POINTER, 7)                                                                                            \
    X(KOID, 8)                                                                                               \
    X(BOOL, 9)                                                                                               \
    X(BYTES, 10)
enum td_fxt_argument {
#define TD_X(name, number) TD_FXT_ARG_##name = number,
    TD_FXT_ARGUMENTS(TD_X)
#undef TD_X
};

/* Types of scheduling records. Switches: bits 36 to 39 of the second type and 24 to 27 of the first one: the state of the
 * thread that stops; word 2 and word 3 are the threads that stop and start. The first type has its processor in bits 16 to
 * 23, and references to threads in bits 28 to 35 and 36 to 43; the others have the processor in bits 20 to 35. Of a wakeup,
 * word 2 is the thread. */
enum { TD_FXT_OLD_SWITCH = 0, TD_FXT_SWITCH = 1, TD_FXT_WAKEUP = 2 };
/* States of threads that stop. */
enum { TD_FXT_NEW, TD_FXT_RUNNING, TD_FXT_SUSPENDED, TD_FXT_BLOCKED, TD_FXT_DYING, TD_FXT_DEAD };

/* Types of kernel objects that have names which matter here. */
enum { TD_FXT_OBJECT_PROCESS = 1, TD_FXT_OBJECT_THREAD = 2 };

static inline uint64_t td_fxt_bits(uint64_t word, unsigned first, unsigned count)
{
    return word >> first & ((UINT64_C(1) << count) - 1);
}
