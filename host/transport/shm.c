#include "host/transport/shm.h"

#include "host/base/clock.h"
#include "host/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    ALIVE_FRESH_NS = 5000000, /* an answer of alive() is good for so long */
    SPIN_NS = 5000,           /* how long to spin on an answer before offering the processor to others, */
    YIELD_NS = 200000,        /* and then, before sleeping between looks */
    MAX_COORDINATE = 256
};
/* A living process whose heartbeat stands still for so long is as good as gone. */
static const int64_t stuck_ns = INT64_C(10000000000);

struct shm {
    struct td_transport base;
    int fd;
    char *map;
    uint64_t bytes;
    struct td_bar_header *bar;
    const struct td_bar_tile *tiles;
    uint32_t *place; /* tile number + 1 by chip, y, x */
    uint32_t chips;
    uint64_t heartbeat;
    int64_t beat_ns, checked_ns; /* when the heartbeat last moved, when alive() last looked */
    char path[200];
};

static void nap(long ns)
{
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

static void futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static uint32_t ring_doorbell(struct shm *s)
{
    uint32_t bell = __atomic_add_fetch(&s->bar->doorbell, 1, __ATOMIC_SEQ_CST);
    futex_wake(&s->bar->doorbell);
    return bell;
}

/* Does a simulator hold its lock on the file? The kernel drops the lock however that process ends. */
static int is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int gone(const struct shm *s, struct td_err *err, const char *how)
{
    return td_fail(err, TD_E_GONE, "the simulated board (%s) %s; start it again", s->path, how);
}

static int shm_alive(struct td_transport *t, struct td_err *err)
{
    struct shm *s = (struct shm *)t;
    int64_t now = td_mono_ns();
    if (now - s->checked_ns < ALIVE_FRESH_NS)
        return TD_OK;
    uint64_t beat = __atomic_load_n(&s->bar->heartbeat, __ATOMIC_RELAXED);
    if (!is_locked(s->fd))
        return gone(s, err, "has ended");
    if (beat != s->heartbeat) {
        s->heartbeat = beat;
        s->beat_ns = now;
    } else if (now - s->beat_ns > stuck_ns) {
        return gone(s, err, "does not answer any more");
    }
    s->checked_ns = now;
    return TD_OK;
}

/* Waits for an answer of the simulator: spins, then gives the processor away, then looks whether anybody is
 * there. */
struct patience {
    int64_t start_ns;
    unsigned rounds;
};

static int be_patient(struct shm *s, struct patience *p, struct td_err *err)
{
    if (++p->rounds % 64) {
        td_cpu_relax();
        return TD_OK;
    }
    int64_t now = td_mono_ns();
    if (p->start_ns == 0)
        p->start_ns = now;
    if (now - p->start_ns < SPIN_NS)
        return TD_OK;
    if (now - p->start_ns < YIELD_NS) {
        sched_yield();
        return TD_OK;
    }
    int rc = shm_alive(&s->base, err);
    if (rc == 0 && now - p->start_ns > stuck_ns)
        rc = td_fail(err, TD_E_TIMEOUT, "the simulated board %s runs but does not answer", s->path);
    nap(20000);
    return rc;
}

static const struct td_bar_tile *find_tile(const struct shm *s, struct td_tile_at at)
{
    if (at.chip >= s->chips || at.x >= MAX_COORDINATE || at.y >= MAX_COORDINATE)
        return NULL;
    uint32_t n = s->place[((size_t)at.chip * MAX_COORDINATE + at.y) * MAX_COORDINATE + at.x];
    return n ? &s->tiles[n - 1] : NULL;
}

/* The place of `bytes` at a tile's address in the mapping, or NULL. *is_register: in the register page. */
static char *locate(const struct shm *s, struct td_tile_at at, uint64_t address, size_t bytes,
                    int *is_register, struct td_err *err)
{
    const struct td_bar_tile *tile = find_tile(s, at);
    *is_register = 0;
    if (!tile) {
        td_fail(err, TD_E_USAGE, "chip %u has no tile at NoC (%u,%u)", at.chip, at.x, at.y);
        return NULL;
    }
    uint64_t offset = address - tile->mem_base;
    if (address >= tile->mem_base && offset <= tile->mem_bytes && bytes <= tile->mem_bytes - offset)
        return s->map + tile->mem_offset + offset;
    uint64_t page = tile->regs_base;
    if (tile->regs_offset && address >= page && address - page < PAGE_BYTES &&
        bytes <= PAGE_BYTES - (address - page)) {
        *is_register = 1;
        return s->map + tile->regs_offset + (address - page);
    }
    td_fail(err, TD_E_USAGE, "tile (%u,%u) of chip %u has nothing at 0x%llx..0x%llx", at.x, at.y, at.chip,
            (unsigned long long)address, (unsigned long long)(address + bytes));
    return NULL;
}

/* memcpy that never tears an aligned word of the tile, wherever the other side lies. */
static void copy_words(void *to, const void *from, size_t bytes, const void *in_tile)
{
    typedef uint32_t __attribute__((may_alias, aligned(1))) word;
    size_t done = 0;
    if (((uintptr_t)in_tile & 3) == 0)
        for (; bytes - done >= 4; done += 4)
            *(volatile word *)((char *)to + done) = *(const volatile word *)((const char *)from + done);
    memcpy((char *)to + done, (const char *)from + done, bytes - done);
}

static int shm_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                    struct td_err *err)
{
    int is_register;
    const char *from = locate((struct shm *)t, at, address, bytes, &is_register, err);
    if (!from)
        return TD_E_USAGE;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    copy_words(to, from, bytes, from);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return TD_OK;
}

/* Until the simulator has followed the reset registers as they are now. */
static int wait_until_seen(struct shm *s, uint32_t bell, struct td_err *err)
{
    struct patience p = {0};
    int rc = TD_OK;
    while (rc == 0 && (int32_t)(__atomic_load_n(&s->bar->doorbell_seen, __ATOMIC_SEQ_CST) - bell) < 0)
        rc = be_patient(s, &p, err);
    return rc;
}

static int shm_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                     size_t bytes, struct td_err *err)
{
    struct shm *s = (struct shm *)t;
    int is_register;
    char *to = locate(s, at, address, bytes, &is_register, err);
    if (!to)
        return TD_E_USAGE;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    copy_words(to, from, bytes, to);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return is_register ? wait_until_seen(s, ring_doorbell(s), err) : TD_OK;
}

static void *shm_map(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes)
{
    int is_register;
    char *place = locate((struct shm *)t, at, address, bytes, &is_register, NULL);
    return is_register ? NULL : place;
}

static int take_clock_lock(struct shm *s, struct td_err *err)
{
    struct patience p = {0};
    uint32_t me = (uint32_t)getpid(), holder = 0;
    while (!__atomic_compare_exchange_n(&s->bar->clock_lock, &holder, me, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        int rc = be_patient(s, &p, err);
        if (rc)
            return rc;
        /* One that died with the lock must not lock out everybody else: it is taken from the dead. */
        int long_waited = p.rounds % 64 == 0 && td_mono_ns() - p.start_ns > YIELD_NS;
        if (!long_waited || !td_process_gone(holder))
            holder = 0;
    }
    return TD_OK;
}

static int ask_clock(struct shm *s, uint32_t tile, struct td_clock_sample *sample, struct td_err *err)
{
    struct td_bar_header *bar = s->bar;
    __atomic_store_n(&bar->clock_tile, tile, __ATOMIC_RELAXED);
    __atomic_store_n(&bar->clock_cpu, (uint32_t)sched_getcpu(), __ATOMIC_RELAXED);
    uint64_t seq = __atomic_load_n(&bar->clock_request_seq, __ATOMIC_RELAXED) + 1;
    sample->host_before = td_host_ticks_ordered();
    __atomic_store_n(&bar->clock_request_seq, seq, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bar->clock_asleep, __ATOMIC_SEQ_CST))
        futex_wake((uint32_t *)&bar->clock_request_seq);
    struct patience p = {0};
    while (__atomic_load_n(&bar->clock_answer_seq, __ATOMIC_ACQUIRE) != seq) {
        int rc = be_patient(s, &p, err);
        if (rc)
            return rc;
    }
    sample->host_after = td_host_ticks_ordered();
    sample->ticks = bar->clock_ticks;
    return TD_OK;
}

static int shm_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                     struct td_err *err)
{
    struct shm *s = (struct shm *)t;
    const struct td_bar_tile *tile = find_tile(s, at);
    if (!tile || tile->kind != TD_BAR_TENSIX)
        return td_fail(err, TD_E_USAGE, "chip %u has no clock at NoC (%u,%u)", at.chip, at.x, at.y);
    int rc = take_clock_lock(s, err);
    if (rc)
        return rc;
    /* The first read after a pause only wakes the simulator: it would measure the wake-up. */
    if (__atomic_load_n(&s->bar->clock_asleep, __ATOMIC_SEQ_CST))
        rc = ask_clock(s, (uint32_t)(tile - s->tiles), sample, err);
    if (rc == 0)
        rc = ask_clock(s, (uint32_t)(tile - s->tiles), sample, err);
    __atomic_store_n(&s->bar->clock_lock, 0, __ATOMIC_RELEASE);
    return rc;
}

static void shm_close(struct td_transport *t)
{
    struct shm *s = (struct shm *)t;
    if (s->map)
        munmap(s->map, s->bytes);
    if (s->fd >= 0)
        close(s->fd);
    free(s->place);
    free(s);
}

static const struct td_transport_ops shm_ops = {"shm",     shm_read,  shm_write, shm_map,
                                                shm_clock, shm_alive, shm_close};

/* 1: a finished board is there; 0: not yet; negative: never. */
static int try_open(struct shm *s, const char *path, const char **why, struct td_err *err)
{
    struct stat st;
    struct td_bar_header head;
    *why = "does not exist; start it with `tendril sim` or `tendril record`";
    if (s->fd < 0 && (s->fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return errno == ENOENT ? 0 : td_fail_errno(err, "cannot open board %s", path);
    *why = "is not ready";
    if (fstat(s->fd, &st))
        return td_fail_errno(err, "cannot open board %s", path);
    if (!S_ISREG(st.st_mode))
        return td_fail(err, TD_E_FORMAT, "%s is not a simulated board", path);
    ssize_t got = pread(s->fd, &head, sizeof head, 0);
    if (got < (ssize_t)sizeof head || head.magic == 0)
        return 0;
    if (head.magic != TD_BAR_MAGIC)
        return td_fail(err, TD_E_FORMAT, "%s is not a simulated board", path);
    if (head.version != TD_BAR_VERSION)
        return td_fail(err, TD_E_VERSION, "%s is of board version %u, this program knows %u", path,
                       head.version, TD_BAR_VERSION);
    if (!is_locked(s->fd)) {
        /* Left over from an earlier run, perhaps to be replaced by a new file of that name. */
        *why = "has no simulator any more";
        close(s->fd);
        s->fd = -1;
        return 0;
    }
    s->bytes = (uint64_t)st.st_size;
    if (head.file_bytes != s->bytes)
        return td_fail(err, TD_E_FORMAT, "%s is cut off", path);
    return 1;
}

static int inside(const struct shm *s, uint64_t offset, uint64_t bytes)
{
    return offset <= s->bytes && bytes <= s->bytes - offset;
}

static int check_tiles(struct shm *s)
{
    const struct td_bar_header *bar = s->bar;
    if (!inside(s, bar->description_offset, 1) || bar->tiles_offset % 8 ||
        !inside(s, bar->tiles_offset, (uint64_t)bar->tile_count * sizeof(struct td_bar_tile)) ||
        !memchr(s->map + bar->description_offset, 0, s->bytes - bar->description_offset))
        return TD_E_FORMAT;
    s->tiles = (const void *)(s->map + bar->tiles_offset);
    for (uint32_t i = 0; i < bar->tile_count; i++) {
        const struct td_bar_tile *t = &s->tiles[i];
        if (!inside(s, t->mem_offset, t->mem_bytes) || t->mem_offset % PAGE_BYTES ||
            !inside(s, t->regs_offset, PAGE_BYTES) || t->regs_offset % PAGE_BYTES || t->x >= MAX_COORDINATE ||
            t->y >= MAX_COORDINATE || t->chip >= MAX_COORDINATE)
            return TD_E_FORMAT;
        if (t->chip >= s->chips)
            s->chips = t->chip + 1u;
    }
    return TD_OK;
}

static int index_tiles(struct shm *s, struct td_err *err)
{
    s->place = calloc((size_t)s->chips * MAX_COORDINATE * MAX_COORDINATE + 1, sizeof *s->place);
    if (!s->place)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < s->bar->tile_count; i++) {
        const struct td_bar_tile *t = &s->tiles[i];
        s->place[((size_t)t->chip * MAX_COORDINATE + t->y) * MAX_COORDINATE + t->x] = i + 1;
    }
    return TD_OK;
}

struct td_transport *td_shm_open(const char *path, int wait_ms, struct td_err *err)
{
    struct shm *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail(err, TD_E_NOMEM, "out of memory");
        return NULL;
    }
    s->base.ops = &shm_ops;
    s->fd = -1;
    strncpy(s->path, path, sizeof s->path - 1);
    int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    const char *why;
    int rc;
    while ((rc = try_open(s, path, &why, err)) == 0) {
        if (td_mono_ns() >= until) {
            rc = td_fail(err, TD_E_NOTFOUND, "the simulated board %s %s", path, why);
            break;
        }
        nap(1000000);
    }
    if (rc < 0)
        goto fail;
    void *map = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (map == MAP_FAILED) {
        td_fail_errno(err, "cannot map board %s", path);
        goto fail;
    }
    s->map = map;
    s->bar = map;
    if (check_tiles(s)) {
        td_fail(err, TD_E_FORMAT, "the tables of board %s do not make sense", path);
        goto fail;
    }
    if (index_tiles(s, err))
        goto fail;
    s->beat_ns = td_mono_ns();
    return &s->base;
fail:
    shm_close(&s->base);
    return NULL;
}

struct td_bar_header *td_shm_header(struct td_transport *t)
{
    return ((struct shm *)t)->bar;
}

const char *td_shm_description(struct td_transport *t)
{
    const struct shm *s = (struct shm *)t;
    return s->map + s->bar->description_offset;
}

int td_shm_freeze(struct td_transport *t, int delta, struct td_err *err)
{
    struct shm *s = (struct shm *)t;
    if (delta > 0)
        __atomic_store_n(&s->bar->freeze_pid, (uint32_t)getpid(), __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&s->bar->freeze, (uint32_t)delta, __ATOMIC_SEQ_CST);
    ring_doorbell(s);
    struct patience p = {0};
    int rc = TD_OK;
    while (rc == 0 && delta > 0 && !__atomic_load_n(&s->bar->frozen, __ATOMIC_SEQ_CST))
        rc = be_patient(s, &p, err);
    return rc;
}

void td_shm_stop(struct td_transport *t)
{
    struct shm *s = (struct shm *)t;
    __atomic_store_n(&s->bar->stop_request, 1, __ATOMIC_SEQ_CST);
    ring_doorbell(s);
}
