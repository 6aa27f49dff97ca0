/* Collects what the Linux kernel observes of programs: call stack samples, context switches, wakeups, counts of
 * the processor's counters, vertical blanks of displays. Of the calling process, of another one, or of the whole
 * machine.
 *
 *   struct td_perf_options options = {.pid = 0, .kinds = TD_PERF_ALL, .hz = 10000, .host = &host};
 *   struct td_perf *perf = td_perf_open(&options);
 *   td_perf_start(perf);
 *   while (...) {                              // every 20 ms, or when td_perf_fd() is readable
 *       td_perf_gather(perf);                  // kernel's rings -> memory
 *       while (td_perf_next(perf, &record, 0)) // memory -> records, in the order of their times
 *           use(&record);
 *   }
 *   td_perf_stop(perf);
 *   td_perf_gather(perf);
 *   while (td_perf_next(perf, &record, 1)) ...
 *   td_perf_close(perf);
 *
 * The kernel writes records into one ring for each processor. td_perf_gather() copies them, so a reader that is
 * slow elsewhere keeps calling it and loses nothing. What the kernel dropped because a ring was full is counted
 * (td_perf_lost()). td_perf_next() merges the processors, and holds back the last milliseconds because another
 * processor may still write an earlier record.
 *
 * What cannot be had is a td_perf_missing: one line that says why and what to change. The rest works.
 *
 * A td_perf belongs to one thread at a time. It allocates with the caller's functions only (programs that are
 * being profiled have markers in malloc()), and blocks no signal. In the child of fork() the only valid call is
 * td_perf_forked(). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, what its absence is called in messages) */
#define TD_PERF_KINDS(X)                                                                                     \
    X(SAMPLE, "call stack samples")                                                                          \
    X(CYCLES, "samples of cycles")                                                                           \
    X(INSTRUCTIONS, "samples of instructions")                                                               \
    X(CACHE_REFERENCES, "samples of cache references")                                                       \
    X(CACHE_MISSES, "samples of cache misses")                                                               \
    X(BRANCHES, "samples of branches")                                                                       \
    X(BRANCH_MISSES, "samples of branch misses")                                                             \
    X(SWITCH, "context switches")                                                                            \
    X(WAKEUP, "wakeups")                                                                                     \
    X(VSYNC, "vertical blanks")                                                                              \
    X(PROCESS, "names and mappings of processes")

enum td_perf_kind {
#define TD_X(name, what) TD_PERF_##name,
    TD_PERF_KINDS(TD_X)
#undef TD_X
        TD_PERF_KIND_COUNT
};
#define TD_PERF_BIT(name) (1u << TD_PERF_##name)
#define TD_PERF_ALL       ((1u << TD_PERF_KIND_COUNT) - 1)

#define TD_PERF_STACK_MAX 127     /* addresses of a call stack, the kernel's and the program's together */
#define TD_PERF_HZ_MAX    1000000 /* the kernel's own limit is lower: perf_event_max_sample_rate */
#define TD_PERF_CPU_MAX   256     /* processors with a higher number are left out */

struct td_perf_host {
    void *(*take)(size_t bytes); /* NULL: no memory */
    void (*give)(void *piece);   /* must accept NULL */
};

/* Where the program was when a sample was taken: registers, and its stack from sp on, as far as it was copied. */
struct td_perf_user {
    uint64_t ip, sp, fp;
    const uint8_t *stack;
    size_t bytes;
};
/* Finds the return addresses from the innermost frame outwards, as far as it can, at most `room`. Of the addresses that
 * the kernel found after the innermost one, the first *replaced are among them; UINT32_MAX: those mean nothing. */
typedef unsigned td_perf_find_callers(const struct td_perf_user *user, uint64_t *callers, unsigned room,
                                      unsigned *replaced);

struct td_thread_names;
struct td_perf_options {
    int pid;           /* 0: the calling process, > 0: that one, negative: all processes. PROCESS: of these */
    uint32_t kinds;    /* TD_PERF_BIT()s. SWITCH, WAKEUP, VSYNC are of the whole machine always */
    uint32_t hz;       /* call stack samples a second of a processor's time */
    bool children;     /* also processes that `pid` has started, or starts from now on */
    size_t ring_bytes; /* of each processor; 0: 512 KiB to 2 MiB. Halved where the system allows no more */
    size_t most_bytes; /* memory for records that wait for td_perf_next(); 0: 256 MiB */
    const uint32_t *except; /* threads that are not sampled; at most 16 */
    unsigned except_count;
    td_perf_find_callers
        *find_callers; /* for stacks of samples, in td_perf_gather(); NULL: as the kernel sees them */
    const struct td_perf_host *host;
    struct td_thread_names
        *names; /* gets the names that switches have, in td_perf_gather(); NULL: not wanted */
};

/* What a PROCESS record reports. */
enum td_perf_news {
    TD_PERF_NEWS_NAME, /* the thread has a new name; its process has begun a new program if `began` */
    TD_PERF_NEWS_FORK, /* process and thread began, as copies of those of `parent` */
    TD_PERF_NEWS_EXIT,
    TD_PERF_NEWS_MAP /* the process mapped code: td_perf_mapping */
};
struct td_perf_mapping {
    uint64_t start, bytes, offset, device, inode; /* offset: in the file; device: makedev() */
    char path[];                                  /* of the file, or "[vdso]", "//anon" ... */
};
#define TD_PERF_TEXT_BYTES 800 /* of a path, with the NUL; longer ones are left out */

/* States of a thread that stops running. */
enum td_perf_state {
    TD_PERF_RUNNABLE, /* it was only displaced */
    TD_PERF_SLEEPING,
    TD_PERF_UNINTERRUPTIBLE,
    TD_PERF_STOPPED,
    TD_PERF_TRACED,
    TD_PERF_DEAD,
    TD_PERF_ZOMBIE,
    TD_PERF_PARKED,
    TD_PERF_IDLE
};

struct td_perf_record {
    enum td_perf_kind kind;
    uint32_t cpu;
    uint32_t pid, tid; /* who ran; SWITCH: who stopped. 0: no process (the idle thread) */
    int64_t time;      /* td_host_ticks() */
    union {
        uint64_t ip; /* counters' samples */
        struct {
            uint32_t old_thread, new_thread; /* 0: idle */
            int8_t old_priority, new_priority;
            uint8_t state; /* enum td_perf_state, of old_thread */
            bool mended;   /* not a record of the kernel: in place of lost ones */
        } change;          /* SWITCH */
        uint32_t woken;    /* WAKEUP: the thread */
        uint32_t display;  /* VSYNC */
        struct {
            uint32_t parent;
            uint8_t what; /* enum td_perf_news */
            bool began;
        } news; /* PROCESS */
    };
    /* SAMPLE, and SWITCH of a process that is sampled: the addresses, innermost first. Those after the first
     * are return addresses. PROCESS: the words of the name, which ends with a NUL, or of a td_perf_mapping. Valid
     * until the next call. */
    uint32_t count;
    const uint64_t *stack;
};

struct td_perf_missing {
    uint32_t kinds; /* the bits of what is missing */
    bool denied;    /* rights would help */
    char why[240];  /* one line: what is missing, why, what to change */
};

struct td_perf;
struct td_perf_report {
    struct td_perf_missing missing[8];
    unsigned count;
};
/* Opens what `options` asks for, stopped. NULL: no memory, or no kind could be had. *report has the reasons for
 * each kind that is missing. */
struct td_perf *td_perf_open(const struct td_perf_options *options, struct td_perf_report *report);
void td_perf_close(struct td_perf *perf); /* NULL is allowed */
/* In the child of fork(): closes its copies of the descriptors. The kernel does not copy the rings; the memory is
 * not freed. */
void td_perf_forked(struct td_perf *perf);

uint32_t td_perf_kinds(const struct td_perf *perf);   /* the kinds that are collected */
uint32_t td_perf_hz(const struct td_perf *perf);      /* call stack samples a second, as the kernel allowed */
bool td_perf_has_kernel(const struct td_perf *perf);  /* call stacks have the kernel's addresses */
unsigned td_perf_threads(const struct td_perf *perf); /* threads that were there at td_perf_open() */
/* A descriptor that polls readable when a ring is half full; negative: there is none. */
int td_perf_fd(const struct td_perf *perf);

void td_perf_start(struct td_perf *perf);
void td_perf_stop(struct td_perf *perf);
/* Copies what the rings have. Returns the number of records. */
unsigned td_perf_gather(struct td_perf *perf);
/* How full the fullest ring was at the last td_perf_gather(), in percent. */
unsigned td_perf_filled(const struct td_perf *perf);
/* Counts, after td_perf_stop() and the last td_perf_gather(), what the kernel dropped at the end: it says so only with
 * the next record. */
void td_perf_count_lost(struct td_perf *perf);
/* 1: *record is the next one. 0: there is none yet. `all`: also the last milliseconds. */
int td_perf_next(struct td_perf *perf, struct td_perf_record *record, int all);

struct td_perf_losses {
    uint64_t records; /* dropped by the kernel because a ring was full, or here for want of memory */
    uint64_t pauses;  /* times that the kernel paused sampling because it took too long */
    uint64_t damaged; /* records that made no sense */
};
struct td_perf_losses td_perf_lost(const struct td_perf *perf); /* since td_perf_open() */
