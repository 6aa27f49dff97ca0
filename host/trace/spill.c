#include "host/trace/spill.h"
#include "host/base/clock.h"
#include "host/base/err.h"
#include "host/base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define SEGMENT_LEAST   ((size_t)256 << 10)
#define SEGMENT_MOST    ((size_t)64 << 20)
#define SEGMENT_GROWTH  64u /* a segment is about 1/64 of the file, which limits their number */
#define TOUCHES         16u /* reports of what was read between two looks at what is resident */
#define KEEPER_SHORTEST 2u  /* ms between two polls while many pages become resident */
#define KEEPER_LONGEST  20u /* ms between two polls while few do */

struct segment {
    struct segment *previous;
    void *at;
    size_t bytes;
};

struct td_spill {
    int file, statm;
    char folder[200];
    bool in_memory;
    uint64_t budget;
    long page;
    uint64_t resident_before;         /* the process's resident pages of mapped files before this one */
    struct segment *segments;         /* atomic; pushed under `grow`, never removed */
    pthread_mutex_t grow;             /* of the file and of `segments` */
    uint64_t bytes, touched, touches; /* atomic */
    pthread_t keeper;
    int has_keeper, stop;
    pthread_mutex_t lock; /* of `stop` */
    pthread_cond_t wake;
};

/* A file without a name. */
static int open_in(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    char path[240];
    if (file >= 0 || snprintf(path, sizeof path, "%s/tendril-XXXXXX", folder) >= (int)sizeof path)
        return file;
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static bool is_in_memory(int file)
{
    struct statfs about;
    return fstatfs(file, &about) == 0 && (about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC);
}

/* Takes a file in the folder if there is none, or unless `any` only one that is in memory, and this one is not. */
static void try_folder(struct td_spill *s, const char *folder, bool any)
{
    if (!folder || !*folder || strlen(folder) >= sizeof s->folder || (s->file >= 0 && (any || !s->in_memory)))
        return;
    const int file = open_in(folder);
    if (file < 0 || (s->file >= 0 && is_in_memory(file))) {
        if (s->file < 0)
            snprintf(s->folder, sizeof s->folder, "%s", folder);
        if (file >= 0)
            close(file);
        return;
    }
    if (s->file >= 0)
        close(s->file);
    s->file = file;
    s->in_memory = is_in_memory(file);
    snprintf(s->folder, sizeof s->folder, "%s", folder);
}

static int open_file(struct td_spill *s, const char *folder)
{
    s->file = -1;
    try_folder(s, folder, !folder);
    try_folder(s, getenv("TMPDIR"), !folder);
    try_folder(s, "/var/tmp", !folder);
    return s->file;
}

/* Pages of mapped files that are resident in this process. */
static uint64_t resident_pages(const struct td_spill *s)
{
    char text[120];
    ssize_t n = s->statm < 0 ? -1 : pread(s->statm, text, sizeof text - 1, 0);
    unsigned long long shared;
    text[n > 0 ? n : 0] = 0;
    return sscanf(text, "%*s %*s %llu", &shared) == 1 ? shared : UINT64_MAX / 2;
}

static bool is_over_budget(const struct td_spill *s)
{
    return resident_pages(s) > s->resident_before + s->budget / (uint64_t)s->page;
}

void td_spill_trim(struct td_spill *s)
{
    struct segment *segment = s ? __atomic_load_n(&s->segments, __ATOMIC_ACQUIRE) : NULL;
    for (; segment; segment = segment->previous)
        madvise(segment->at, segment->bytes, MADV_DONTNEED);
}

void td_spill_touch(struct td_spill *s, size_t bytes)
{
    if (__atomic_add_fetch(&s->touched, bytes, __ATOMIC_RELAXED) > s->budget / 2 &&
        __atomic_exchange_n(&s->touched, 0, __ATOMIC_RELAXED) > s->budget / 2)
        td_spill_trim(s);
    /* The system maps pages around those that are read, so more may be resident than was read. */
    else if (__atomic_add_fetch(&s->touches, 1, __ATOMIC_RELAXED) % TOUCHES == 0 && is_over_budget(s))
        td_spill_trim(s);
}

/* Returns true if the store is being destroyed. */
static bool wait_for_stop(struct td_spill *s, unsigned ms)
{
    struct timespec until = td_deadline(CLOCK_MONOTONIC, ms * INT64_C(1000000));
    pthread_mutex_lock(&s->lock);
    while (!s->stop && pthread_cond_timedwait(&s->wake, &s->lock, &until) != ETIMEDOUT)
        ;
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

/* The time until the next poll: about half of the budget should become resident until then. */
static unsigned next_look_ms(uint64_t came, unsigned ms, uint64_t budget)
{
    uint64_t next = budget * ms / 2 / (came + 1);
    return next < KEEPER_SHORTEST ? KEEPER_SHORTEST : next > KEEPER_LONGEST ? KEEPER_LONGEST : (unsigned)next;
}

static void *trim_on_demand(void *self)
{
    struct td_spill *s = self;
    uint64_t last = 0, budget = s->budget / (uint64_t)s->page;
    unsigned ms = KEEPER_SHORTEST;
    while (!wait_for_stop(s, ms)) {
        uint64_t now = resident_pages(s);
        ms = next_look_ms(now > last ? now - last : 0, ms, budget);
        if (now > s->resident_before + budget) {
            td_spill_trim(s);
            now = resident_pages(s);
        }
        last = now;
    }
    return NULL;
}

static void start_keeper(struct td_spill *s)
{
    pthread_mutex_init(&s->lock, NULL);
    td_condition_init(&s->wake);
    s->has_keeper = td_thread_create_small(&s->keeper, trim_on_demand, s) == 0;
}

struct td_spill *td_spill_create(uint64_t resident_bytes, const char *folder, char *problem,
                                 size_t problem_bytes)
{
    struct td_spill *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(problem, problem_bytes, "out of memory");
        return NULL;
    }
    if (open_file(s, folder) < 0) {
        snprintf(problem, problem_bytes,
                 "cannot make a temporary file in %s for data beyond the memory limit: %s", s->folder,
                 strerror(errno));
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->grow, NULL);
    s->budget = resident_bytes;
    s->page = sysconf(_SC_PAGESIZE);
    s->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    s->resident_before = resident_pages(s);
    start_keeper(s);
    return s;
}

void td_spill_destroy(struct td_spill *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = 1;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    if (s->has_keeper)
        pthread_join(s->keeper, NULL);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->grow);
    while (s->segments) {
        struct segment *segment = s->segments;
        s->segments = segment->previous;
        munmap(segment->at, segment->bytes);
        free(segment);
    }
    if (s->statm >= 0)
        close(s->statm);
    close(s->file);
    free(s);
}

static size_t segment_size(const struct td_spill *s, size_t least)
{
    uint64_t size = s->budget / 4 > s->bytes / SEGMENT_GROWTH ? s->budget / 4 : s->bytes / SEGMENT_GROWTH;
    size = size < SEGMENT_MOST ? size : SEGMENT_MOST;
    size = size > SEGMENT_LEAST ? size : SEGMENT_LEAST;
    size = size > least ? size : least;
    return (size + SEGMENT_LEAST - 1) & ~(SEGMENT_LEAST - 1);
}

/* Reserves disk space now: writing to a mapping without disk space would raise SIGBUS. */
static size_t take_room(struct td_spill *s, size_t least, size_t wanted, int *why)
{
    for (size_t size = wanted;; size = size / 2 > least ? size / 2 : least) {
        size = (size + SEGMENT_LEAST - 1) & ~(SEGMENT_LEAST - 1);
        *why = posix_fallocate(s->file, (off_t)s->bytes, (off_t)size);
        if (*why == 0)
            return size;
        if (*why == EINTR)
            continue;
        if (size < least + SEGMENT_LEAST)
            return 0;
    }
}

static void add_segment(struct td_spill *s, struct segment *segment)
{
    segment->previous = s->segments;
    __atomic_store_n(&s->segments, segment, __ATOMIC_RELEASE);
}

static void no_room(const struct td_spill *s, int why, char *problem, size_t problem_bytes)
{
    snprintf(problem, problem_bytes, "no room in %s for data beyond the memory limit: %s", s->folder,
             strerror(why));
}

void *td_spill_segment(struct td_spill *s, size_t least, size_t *bytes, char *problem, size_t problem_bytes)
{
    int why = ENOMEM;
    struct segment *segment = malloc(sizeof *segment);
    void *at = MAP_FAILED;
    pthread_mutex_lock(&s->grow);
    size_t size = segment ? take_room(s, least, *bytes ? least : segment_size(s, least), &why) : 0;
    if (size) {
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, (off_t)s->bytes);
        why = errno;
    }
    if (at != MAP_FAILED) {
        *segment = (struct segment){.at = at, .bytes = size};
        add_segment(s, segment);
        __atomic_store_n(&s->bytes, s->bytes + size, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&s->grow);
    if (at == MAP_FAILED) {
        no_room(s, why, problem, problem_bytes);
        free(segment);
        return NULL;
    }
    td_spill_trim(s); /* the older segments are full, so rarely written again */
    *bytes = size;
    return at;
}

/* Reserves disk space first: where it is given out later, a write that succeeded might be lost. */
static int write_all(const struct td_spill *s, const char *from, size_t bytes, off_t to)
{
    int why = posix_fallocate(s->file, to, (off_t)bytes);
    while (why == EINTR)
        why = posix_fallocate(s->file, to, (off_t)bytes);
    while (!why && bytes) {
        ssize_t n = pwrite(s->file, from, bytes, to);
        if (n < 0 && errno == EINTR)
            continue;
        why = n < 0 ? errno : n == 0 ? ENOSPC : 0;
        if (n > 0) {
            from += n;
            to += n;
            bytes -= (size_t)n;
        }
    }
    return why;
}

/* The range is used again if no other one came after it. */
static void give_up_end(struct td_spill *s, uint64_t from, size_t bytes)
{
    pthread_mutex_lock(&s->grow);
    if (s->bytes == from + bytes)
        __atomic_store_n(&s->bytes, from, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&s->grow);
}

/* The pages have the same bytes before and after. ThreadSanitizer takes a call of mmap() for a write to them. */
static void *map_over(void *at, size_t bytes, int file, off_t from)
{
    const int access = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_FIXED;
#ifdef __SANITIZE_THREAD__
    return (void *)syscall(SYS_mmap, at, bytes, access, kind, file, from);
#else
    return mmap(at, bytes, access, kind, file, from);
#endif
}

int td_spill_replace(struct td_spill *s, void *at, size_t bytes, char *problem, size_t problem_bytes)
{
    struct segment *segment = malloc(sizeof *segment);
    pthread_mutex_lock(&s->grow);
    const uint64_t to = s->bytes;
    __atomic_store_n(&s->bytes, to + bytes, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&s->grow);
    int why = segment ? write_all(s, at, bytes, (off_t)to) : ENOMEM;
    /* Takes the place of the memory at once: a reader finds the old pages, or waits for the new ones. */
    if (!why && map_over(at, bytes, s->file, (off_t)to) == MAP_FAILED)
        why = errno;
    if (why) {
        fallocate(s->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)to, (off_t)bytes);
        give_up_end(s, to, bytes);
        no_room(s, why, problem, problem_bytes);
        free(segment);
        return TD_E_IO;
    }
    *segment = (struct segment){.at = at, .bytes = bytes};
    pthread_mutex_lock(&s->grow);
    add_segment(s, segment);
    pthread_mutex_unlock(&s->grow);
    return 0;
}

uint64_t td_spill_bytes(const struct td_spill *s)
{
    return s ? __atomic_load_n(&s->bytes, __ATOMIC_RELAXED) : 0;
}

bool td_spill_is_in_memory(const struct td_spill *s)
{
    return s->in_memory;
}

uint64_t td_spill_free_bytes(const struct td_spill *s)
{
    struct statvfs about;
    return fstatvfs(s->file, &about) == 0 ? (uint64_t)about.f_bavail * about.f_frsize : UINT64_MAX;
}

const char *td_spill_folder(const struct td_spill *s)
{
    return s->folder;
}
