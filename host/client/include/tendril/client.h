/* Functions of Tendril's client that Tracy's interface lacks, and the inline code that writes an event, a few
 * instructions. Include tracy/TracyC.h or tracy/Tracy.hpp for the markers; docs/client.md has the settings
 * and environment variables. All functions are thread-safe. Without TRACY_ENABLE only a few remain, as macros
 * that do nothing.
 *
 * A marker writes one record into a queue of its thread: words of 8 bytes, the first of which holds its kind
 * (8 bits) and its time (the lower 56 bits of the clock) and is written last. Nothing locks, allocates or
 * calls the system, except every 61,440 bytes. Signal handlers may have markers, too: the place of a record
 * is taken by one instruction.
 */
#ifndef TENDRIL_CLIENT_H
#define TENDRIL_CLIENT_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef TRACY_ENABLE
#include "library.h"
#include "settings.h"
#pragma GCC visibility push(default) /* the library itself is compiled with hidden visibility */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C */
extern "C" {
#endif

/* Waits up to ms for a viewer or recorder. 1: connected. */
int td_client_wait_connected(int ms);
/* The port that the client listens on; 0 before it does or when there is none. */
int td_client_port(void);
/* Sets the name that viewers show instead of the executable's. Copied; later connections get it. */
void td_client_set_program_name(const char *name);
/* Names the calling thread; threads with a group hint other than 0 are sorted by it. Copied. */
void td_client_set_thread_name(const char *name, int32_t group_hint);
/* Copies a thread's name (NUL-terminated, cut to `room`) and returns its group hint. */
int32_t td_client_thread_name(uint32_t thread, char *name, size_t room);

/* Parameters that the viewer's user sets. The callback runs in the client's thread. `type`: 0 number, 1 yes
 * or no, 2 trigger. The name must live as long as the program. */
void td_client_parameter_register(void (*callback)(void *data, uint32_t idx, int32_t val), void *data);
void td_client_parameter_setup(uint32_t idx, const char *name, uint8_t type, int32_t val);
/* Contents of source files that viewers cannot find: returns memory from td_client_alloc() and its size, or
 * NULL. Runs in the client's thread. */
void td_client_source_register(char *(*callback)(void *data, const char *filename, size_t *size), void *data);
/* Memory that the client frees; never the program's malloc(). */
void *td_client_alloc(size_t size);
void *td_client_realloc(void *memory, size_t size); /* as realloc(); NULL: `memory` is as it was */
void td_client_free(void *memory);                  /* NULL is allowed */

/* Sections of the trace (shown by Tracy 0.14.0 and newer). Enter returns a number for leave; 0: not recorded,
 * leave(0) does nothing. Formats as printf. */
uint32_t td_client_section_enter(uint16_t category, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void td_client_section_leave(uint32_t id);
void td_client_section_setup(uint16_t category, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint32_t td_client_section_enter_args(uint16_t category, const char *format, va_list args);
void td_client_section_setup_args(uint16_t category, const char *format, va_list args);

/* Text or name of a zone, which need not be the innermost one; `zone` is what td_client_zone_begin() gave. */
void td_client_zone_text(uint32_t zone, const char *text, size_t size);
void td_client_zone_name(uint32_t zone, const char *text, size_t size);
void td_client_zone_text_args(uint32_t zone, const char *format, va_list args);
void td_client_zone_name_args(uint32_t zone, const char *format, va_list args);

/* Fibers: between enter and leave, what this thread marks belongs to the fiber. The name is its identity, and
 * must live as long as the program. */
void td_client_fiber_enter(const char *fiber, int32_t group_hint);
void td_client_fiber_leave(void);

/* Zones of a script that an interpreter runs: `srcloc` of ___tracy_alloc_srcloc(); `frames` is the script's
 * call stack, innermost first: a byte with their count (at most 64), for each its line (32 bits), function
 * and file (both with 16 bits of length before); numbers little-endian. After them come up to `depth` frames
 * of the program. Returns what td_client_zone_begin() does. */
uint32_t td_client_zone_begin_script(uint64_t srcloc, const void *frames, size_t bytes, int depth);

/* GPU contexts and zones for what the C interface cannot say: a context without a thread (thread 0: zones are
 * sorted by theirs), zones with a time of the CPU's clock (td_client_ticks()) that is not now, ends with a
 * thread. `cpu_time` 0: now. */
#define TD_CLIENT_GPU_TENSTORRENT 100 /* a type: to the fork's recorders 6, to others custom or Vulkan */
struct td_client_gpu_context {
    int64_t gpu_time;
    int64_t cpu_time;
    float period; /* ns a count; exactly 1: counts are ns */
    uint32_t thread;
    uint16_t context;
    uint8_t flags, type;
};
void td_client_gpu_new_context(const struct td_client_gpu_context *context);
/* srcloc: a static source location, or one of ___tracy_alloc_srcloc() if `made`. depth: of the call stack. */
void td_client_gpu_zone_begin(uint16_t context, uint16_t query, uint64_t srcloc, int made, int depth,
                              int64_t cpu_time, uint32_t thread);
void td_client_gpu_zone_end(uint16_t context, uint16_t query, int64_t cpu_time, uint32_t thread);
/* By name, time, clock: as the C interface's. */
void td_client_gpu_context_name(uint16_t context, const char *name, size_t size);
void td_client_gpu_time(uint16_t context, uint16_t query, int64_t gpu_time);
void td_client_gpu_calibration(uint16_t context, int64_t gpu_time, int64_t cpu_delta_ns, int64_t cpu_time);
void td_client_gpu_annotation_name(uint16_t context, int64_t note, const char *name, size_t size);
void td_client_gpu_annotation(uint16_t context, uint16_t query, int64_t note, double value);
uint16_t td_client_gpu_next_context(void); /* 0, 1, 2 ... */
uint32_t td_client_thread_id(void);        /* as events carry it */

/* The clock of these times: ns of a tick (the same in each call; the first may take 0.1 s), and when the
 * client began (0: it has not). */
double td_client_tick_ns(void);
int64_t td_client_begin_ticks(void);

/* Locks by number, instead of by the contexts of ___tracy_announce_lockable_ctx(), whose documentation
 * applies. Each lock is announced once, with a number from td_client_lock_next(). Events of locks that are
 * not announced are left out. srcloc: a struct ___tracy_source_location_data. */
enum td_client_lock_action {
    TD_CLIENT_LOCK_TERMINATE,
    TD_CLIENT_LOCK_WAIT,
    TD_CLIENT_LOCK_OBTAIN,
    TD_CLIENT_LOCK_RELEASE,
    TD_CLIENT_LOCK_SHARED_WAIT,
    TD_CLIENT_LOCK_SHARED_OBTAIN,
    TD_CLIENT_LOCK_SHARED_RELEASE
};
uint32_t td_client_lock_next(void);
void td_client_lock_announce(uint32_t id, const void *srcloc, int shared);
void td_client_lock_event(uint32_t id, enum td_client_lock_action event);
void td_client_lock_mark(uint32_t id, const void *srcloc);
void td_client_lock_name(uint32_t id, const char *name, size_t size);

/* Allocations, frees and points of plots with a time of the CPU's clock (td_client_ticks()) that is not now:
 * what a device did is often known later. `cpu_time` 0: now. A pool of memory is for these alone, and its
 * events come in the order of their times, each free after its allocation: recorders refuse frees of what is
 * not allocated and allocations of what is. Points may come in any order; values that are not finite are left
 * out. Names live as long as the program. thread 0: the calling one. */
void td_client_memory_alloc_at(const char *pool, uint64_t address, uint64_t bytes, int64_t cpu_time,
                               uint32_t thread);
void td_client_memory_free_at(const char *pool, uint64_t address, int64_t cpu_time, uint32_t thread);
void td_client_plot_at(const char *name, double value, int64_t cpu_time);

/* For functions between a marker's macro and the library: no call stack contains them, with or without
 * optimization. */
#define TD_CLIENT_IN_PLACE inline __attribute__((always_inline))

/* ---- Inline markers. */

/* The number of the connection that events are for (1 where all are kept from the start); 0: events are
 * dropped. */
extern uint32_t td_client_live;
#define TD_CLIENT_OFF UINT32_MAX /* of a zone that is not recorded */

/* The place for the thread's next record. Blocks are at multiples of their size, so the place alone shows
 * whether a record still fits. */
struct td_client_producer {
    uint64_t cur;
    uint64_t block;
    struct td_thread_queue *queue;
    uint32_t salt; /* makes a place the number of the zone that begins there */
    uint32_t
        open; /* the zone that this thread has begun last, if no other event of zones came after; else 0 */
};
extern __thread struct td_client_producer td_client_producer __attribute__((tls_model("initial-exec")));
#define TD_CLIENT_BLOCK_BYTES 0x10000u
#define TD_CLIENT_BLOCK_LIMIT 0xf000u /* records end here; the rest lets places run over */

/* Another block. NULL: nothing is kept. `place`: what reserving gave. */
uint64_t *td_client_refill(struct td_client_producer *producer, uint64_t place, unsigned words);
extern int td_client_clock_source_; /* 1: the processor's counter */
uint64_t td_client_ticks_slow(void);

static inline uint64_t td_client_ticks(void)
{
    uint64_t ticks;
    if (__builtin_expect(__atomic_load_n(&td_client_clock_source_, __ATOMIC_RELAXED) != 1, 0))
        return td_client_ticks_slow();
#if defined(__x86_64__)
    ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#elif defined(__riscv)
    __asm__ volatile("rdtime %0" : "=r"(ticks));
#else
    ticks = td_client_ticks_slow();
#endif
    return ticks;
}

/* The place for a record, whether it fits there or not. One instruction moves the place on, so that a signal
 * handler's records never land in it. */
static inline uint64_t td_client_move_on(struct td_client_producer *producer, unsigned words)
{
    uint64_t place = 8ull * words;
#if defined(__x86_64__)
    __asm__ volatile("xaddq %0, %1" : "+r"(place), "+m"(producer->cur) : : "memory");
#else
    place = __atomic_fetch_add(&producer->cur, place, __ATOMIC_RELAXED);
#endif
    return place;
}

/* Room for a record; words <= 130. */
static inline uint64_t *td_client_reserve(struct td_client_producer *producer, unsigned words)
{
    uint64_t place = td_client_move_on(producer, words);
    if (__builtin_expect((place & (TD_CLIENT_BLOCK_BYTES - 1)) > TD_CLIENT_BLOCK_LIMIT - 8 * words, 0))
        return td_client_refill(producer, place, words);
    /* The consumer's core has read the next cache lines: fetching one takes longer than writing a record. */
    __builtin_prefetch((const void *)(place + 320), 1);
    if (!place)
        __builtin_unreachable(); /* removes the NULL check from the fast path */
    return (uint64_t *)place;
}

static inline void td_client_publish(uint64_t *record, unsigned kind, uint64_t time)
{
    __atomic_store_n(record, time << 8 | kind, __ATOMIC_RELEASE);
}

static inline uint32_t td_client_is_live(void)
{
    return __atomic_load_n(&td_client_live, __ATOMIC_RELAXED);
}

/* Kinds of records that are written here. TD_CLIENT_CHECKED is added for markers whose misuse ends a stock
 * recorder's session with a report. */
#define TD_CLIENT_CHECKED 0x100u
enum {
    TD_CLIENT_ZONE_BEGIN = 1,
    TD_CLIENT_ZONE_END,
    TD_CLIENT_ZONE_VALUE,
    TD_CLIENT_ZONE_COLOR,
    TD_CLIENT_PLOT_INT,
    TD_CLIENT_PLOT_FLOAT,
    TD_CLIENT_PLOT_DOUBLE,
    TD_CLIENT_MESSAGE_LITERAL
};
#define TD_CLIENT_SEVERITY_INFO 2u

/* Zones that are not the one that the calling thread began last. */
void td_client_zone_end_of(uint32_t zone, unsigned checked);
void td_client_zone_word_of(uint32_t zone, unsigned kind, uint64_t word);

/* The number of the zone whose begin is written to that place. */
static inline uint32_t td_client_zone_at(const uint64_t *record)
{
    return td_client_producer.open = (uint32_t)(uintptr_t)record + td_client_producer.salt;
}

/* Begins a zone; what it returns goes to every other call for that zone: TD_CLIENT_OFF when the zone is not
 * recorded. TD_CLIENT_INNERMOST names the thread's innermost open zone. `srcloc`: a struct
 * ___tracy_source_location_data that lives as long as the program or library. */
#define TD_CLIENT_INNERMOST 0u
static inline uint32_t td_client_zone_begin(const void *srcloc)
{
    if (__builtin_expect(!td_client_is_live(), 0))
        return TD_CLIENT_OFF;
    uint64_t now = td_client_ticks();
    uint64_t *record = td_client_reserve(&td_client_producer, 2);
    if (__builtin_expect(!record, 0))
        return TD_CLIENT_OFF;
    record[1] = (uintptr_t)srcloc;
    td_client_publish(record, TD_CLIENT_ZONE_BEGIN, now);
    return td_client_zone_at(record);
}

/* Ends a zone. The short record ends the innermost zone, which a zone is that this thread began last. checked:
 * 0 or TD_CLIENT_CHECKED. */
static inline void td_client_zone_end_(uint32_t zone, unsigned checked)
{
    if (zone == TD_CLIENT_OFF)
        return;
    if (__builtin_expect(zone != td_client_producer.open, 0)) {
        td_client_zone_end_of(zone, checked);
        return;
    }
    td_client_producer.open = 0;
    uint64_t now = td_client_ticks();
    uint64_t *record = td_client_reserve(&td_client_producer, 1);
    if (__builtin_expect(record != NULL, 1))
        td_client_publish(record, TD_CLIENT_ZONE_END, now);
}
static inline void td_client_zone_end(uint32_t zone)
{
    td_client_zone_end_(zone, 0);
}

/* Records of one more word: a zone's value or colour. They have no time: it is never sent, and reading it
 * would be most of the cost. kind: with TD_CLIENT_CHECKED or without. */
static inline void td_client_zone_word(uint32_t zone, unsigned kind, uint64_t word)
{
    if (zone == TD_CLIENT_OFF)
        return;
    if (__builtin_expect(zone != td_client_producer.open, 0)) {
        td_client_zone_word_of(zone, kind, word);
        return;
    }
    uint64_t *record = td_client_reserve(&td_client_producer, 2);
    if (__builtin_expect(!record, 0))
        return;
    record[1] = kind == TD_CLIENT_ZONE_VALUE || kind == (TD_CLIENT_ZONE_VALUE | TD_CLIENT_CHECKED)
                    ? word
                    : word & 0xffffff;
    td_client_publish(record, kind & ~TD_CLIENT_CHECKED, 0);
}

/* Records of two more words. */
static inline void td_client_two_words_(unsigned kind, uint64_t first, uint64_t second)
{
    if (__builtin_expect(!td_client_is_live(), 0))
        return;
    uint64_t now = td_client_ticks();
    uint64_t *record = td_client_reserve(&td_client_producer, 3);
    if (__builtin_expect(!record, 0))
        return;
    record[1] = first;
    record[2] = second;
    td_client_publish(record, kind, now);
}

/* A point of a plot: `bits` is the int64_t, or the float's or double's bits, by the kind. */
static inline void td_client_plot(unsigned kind, const char *name, uint64_t bits)
{
    td_client_two_words_(kind, (uintptr_t)name, bits);
}

/* The same for a double and a float; values that are not finite are left out. */
static inline void td_client_plot_double(const char *name, double value)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof value);
    if (__builtin_expect(td_client_is_live(), 1) && __builtin_isfinite(value))
        td_client_plot(TD_CLIENT_PLOT_DOUBLE, name, bits);
}
static inline void td_client_plot_float(const char *name, float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof value);
    if (__builtin_expect(td_client_is_live(), 1) && __builtin_isfinite(value))
        td_client_plot(TD_CLIENT_PLOT_FLOAT, name, bits);
}

/* A message of the usual severity, without colour and call stack. The text must live as long as the program.
 */
static inline void td_client_message_literal(const char *text)
{
    td_client_two_words_(TD_CLIENT_MESSAGE_LITERAL, (uintptr_t)text, TD_CLIENT_SEVERITY_INFO << 16);
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#pragma GCC visibility pop
#else
#define td_client_wait_connected(ms)                0
#define td_client_port()                            0
#define td_client_set_program_name(name)            ((void)0)
#define td_client_set_thread_name(name, group_hint) ((void)0)
#endif
#endif
