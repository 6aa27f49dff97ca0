/* Every kind of record in the queues, as one table from which the walk of a queue, the encoder and the tests
 * are made.
 *
 * A record consists of words of 8 bytes. Word 0 holds the kind in its lowest 8 bits and the time (the lower
 * 56 bits of the clock) above them.
 *
 * A zone's number is that of its begin's place (td_queue_zone_at()), or 0: the innermost open zone of the thread, or
 * of the fiber that the thread is in. A checked marker ends a stock recorder's session if the zone is not the
 * innermost one. A twin was also
 * put into the list of zone_acts.h: its record is for zones of the thread or fiber that the thread is in then, the entry
 * of the list is for all others.
 *
 * X(name, words, order, tail, named, meaning)
 *   words  number of words, with word 0 and without the tail
 *   order  FREE      records keep the order of their thread
 *          ORDERED   records of all threads are ordered by the number in the lower 32 bits of word 1
 *   tail   NONE
 *          TEXT      the lower 16 bits of the last fixed word are a count of bytes. That many bytes follow,
 *                    or, if the count is over TD_REC_TEXT_MAX, the address of a text that the record owns.
 *          OWNED     word 2 is an address that the record owns
 *          OWNED1    word 1 is an address that the record owns
 *   named  which word is an address of the program's own memory, and what is at that address (wire_keys.h):
 *          PLACE a source location, TEXT or FIBER a text
 *
 * A kind with TD_REC_STACK set ends with a call stack: a count, and that many addresses, the innermost first.
 */
#pragma once

/* clang-format off */
#define TD_RECORDS(X)                                                                                            \
    X(ZONE_BEGIN,      2, FREE,    NONE,   PLACE1, "1: source location")                                         \
    X(ZONE_END,        1, FREE,    NONE,   NONE,   "")                                                           \
    X(ZONE_VALUE,      2, FREE,    NONE,   NONE,   "1: value")                                                   \
    X(ZONE_COLOR,      2, FREE,    NONE,   NONE,   "1: colour")                                                  \
    X(PLOT_INT,        3, FREE,    NONE,   TEXT1,  "1: name, 2: value")                                          \
    X(PLOT_FLOAT,      3, FREE,    NONE,   TEXT1,  "1: name, 2: bits of the float")                              \
    X(PLOT_DOUBLE,     3, FREE,    NONE,   TEXT1,  "1: name, 2: bits of the double")                             \
    X(MESSAGE_LITERAL, 3, FREE,    NONE,   TEXT1,  "1: text, 2: as word 1 of MESSAGE")                           \
    X(PAD,             1, FREE,    NONE,   NONE,   "nothing more in this block")                                 \
    X(THREAD,          2, FREE,    NONE,   NONE,   "1: id of the thread that wrote the records after it")        \
    X(VOID,            2, FREE,    NONE,   NONE,   "1: words of a record that was taken from here before its turn") \
    X(ZONE_BEGIN_ALLOC, 2, FREE,   OWNED1, NONE,   "1: struct td_srcloc_block")                                  \
    X(ZONE_BEGIN_SCRIPT, 2, FREE,  OWNED1, NONE,   "1: struct td_srcloc_block of two parts, each after its u16 size: location, frames of a script") \
    X(ZONE_END_OF,     2, FREE,    NONE,   NONE,   "1: zone, checked at bit 32, twin at 33")                     \
    X(ZONE_VALUE_OF,   3, FREE,    NONE,   NONE,   "1: value, 2: zone, checked at bit 32, twin at 33")           \
    X(ZONE_COLOR_OF,   2, FREE,    NONE,   NONE,   "1: zone, colour at bit 32, checked at bit 56, twin at 57")   \
    X(ZONE_TEXT,       2, FREE,    TEXT,   NONE,   "1: bytes, checked at bit 16, twin at 17, zone at bit 32")    \
    X(ZONE_NAME,       2, FREE,    TEXT,   NONE,   "1: bytes, checked at bit 16, twin at 17, zone at bit 32")    \
    X(MESSAGE,         2, FREE,    TEXT,   NONE,   "1: bytes, severity at bit 16, has colour at bit 24, colour at 32") \
    X(APP_INFO,        2, FREE,    TEXT,   NONE,   "1: bytes")                                                   \
    X(PLOT_CONFIG,     3, FREE,    NONE,   TEXT1,  "1: name, 2: colour, type at bit 32, step at 40, fill at 48") \
    X(PARAMETER,       3, FREE,    NONE,   TEXT1,  "1: name, 2: idx 28 bits, type 4 bits at 28, value at 32")    \
    X(SECTION_ENTER,   2, FREE,    TEXT,   NONE,   "1: bytes, category at bit 16, id at 32")                     \
    X(SECTION_LEAVE,   2, FREE,    NONE,   NONE,   "1: id")                                                      \
    X(SECTION_SETUP,   2, FREE,    TEXT,   NONE,   "1: bytes, category at bit 16")                               \
    X(FIBER_ENTER,     3, ORDERED, NONE,   FIBER2, "1: order, group hint at bit 32, 2: name")                    \
    X(FIBER_LEAVE,     2, ORDERED, NONE,   NONE,   "1: order")                                                   \
    X(FRAME,           3, ORDERED, NONE,   TEXT2,  "1: order, 2: name")                                          \
    X(FRAME_START,     3, ORDERED, NONE,   TEXT2,  "1: order, 2: name")                                          \
    X(FRAME_END,       3, ORDERED, NONE,   TEXT2,  "1: order, 2: name")                                          \
    X(FRAME_IMAGE,     3, ORDERED, OWNED,  NONE,   "1: order, 2: struct td_frame_image")                               \
    X(LOCK_ANNOUNCE,   3, ORDERED, NONE,   PLACE2, "1: order, id at bit 32, 2: source location")                 \
    X(LOCK_ANNOUNCE_SHARED, 3, ORDERED, NONE, PLACE2, "1: order, id at bit 32, 2: source location")              \
    X(LOCK_TERMINATE,  2, ORDERED, NONE,   NONE,   "1: order, id at bit 32")                                     \
    X(LOCK_WAIT,       2, ORDERED, NONE,   NONE,   "1: order, id at bit 32")                                     \
    X(LOCK_OBTAIN,     2, ORDERED, NONE,   NONE,   "1: order, id at bit 32")                                     \
    X(LOCK_RELEASE,    2, ORDERED, NONE,   NONE,   "1: order, id at bit 32")                                     \
    X(LOCK_SHARED_WAIT, 2, ORDERED, NONE,  NONE,   "1: order, id at bit 32")                                     \
    X(LOCK_SHARED_OBTAIN, 2, ORDERED, NONE, NONE,   "1: order, id at bit 32")                                    \
    X(LOCK_SHARED_RELEASE, 2, ORDERED, NONE, NONE,   "1: order, id at bit 32")                                   \
    X(LOCK_MARK,       3, ORDERED, NONE,   PLACE2, "1: order, id at bit 32, 2: source location")                 \
    X(LOCK_NAME,       3, ORDERED, TEXT,   NONE,   "1: order, id at bit 32, 2: bytes")                           \
    X(MEM_ALLOC,       4, ORDERED, NONE,   NONE,   "1: order, 2: address, 3: size")                              \
    X(MEM_ALLOC_NAMED, 5, ORDERED, NONE,   TEXT4,  "1: order, 2: address, 3: size, 4: pool's name")              \
    X(MEM_FREE,        3, ORDERED, NONE,   NONE,   "1: order, 2: address")                                       \
    X(MEM_FREE_NAMED,  4, ORDERED, NONE,   TEXT3,  "1: order, 2: address, 3: pool's name")                       \
    X(MEM_DISCARD,     3, ORDERED, NONE,   TEXT2,  "1: order, 2: pool's name")                                   \
    X(GPU_CONTEXT,     5, ORDERED, NONE,   NONE,   "1: order, context at bit 48, 2: GPU time, 3: period (float), flags at 32, type at 40, 4: thread") \
    X(GPU_CONTEXT_NAME, 3, ORDERED, TEXT,  NONE,   "1: order, context at bit 48, 2: bytes")                      \
    X(GPU_ZONE_BEGIN,  4, ORDERED, NONE,   PLACE2, "1: order, query at bit 32, context at 48, 2: source location, 3: thread") \
    X(GPU_ZONE_BEGIN_ALLOC, 4, ORDERED, OWNED, NONE,   "1: order, query at bit 32, context at 48, 2: struct td_srcloc_block, 3: thread") \
    X(GPU_ZONE_END,    3, ORDERED, NONE,   NONE,   "1: order, query at bit 32, context at 48, 2: thread")        \
    X(GPU_TIME,        3, ORDERED, NONE,   NONE,   "1: order, query at bit 32, context at 48, 2: GPU time")      \
    X(GPU_CALIBRATION, 4, ORDERED, NONE,   NONE,   "1: order, context at bit 48, 2: GPU time, 3: ns of the CPU's clock") \
    X(GPU_TIME_SYNC,   3, ORDERED, NONE,   NONE,   "1: order, context at bit 48, 2: GPU time")                   \
    X(GPU_NOTE_NAME,   4, ORDERED, TEXT,   NONE,   "1: order, context at bit 48, 2: note, 3: bytes")             \
    X(GPU_NOTE,        4, ORDERED, NONE,   NONE,   "1: order, query at bit 32, context at 48, 2: note, 3: bits of the double") \
    X(MEM_ALLOC_AT,    5, ORDERED, NONE,   TEXT4,  "1: order, thread at bit 32, 2: address, 3: size, 4: pool's name; its time is the program's") \
    X(MEM_FREE_AT,     4, ORDERED, NONE,   TEXT3,  "1: order, thread at bit 32, 2: address, 3: pool's name; its time is the program's") \
    X(PLOT_AT,         3, FREE,    NONE,   TEXT1,  "1: name, 2: bits of the double; its time is the program's")
/* clang-format on */

enum td_record_kind {
    TD_REC_NOTHING, /* not written yet */
#define TD_X(name, words, order, tail, named, meaning) TD_REC_##name,
    TD_RECORDS(TD_X)
#undef TD_X
        TD_REC_COUNT
};
#define TD_REC_STACK     0x80u
#define TD_REC_TEXT_MAX  480u
#define TD_REC_STACK_MAX 63u
