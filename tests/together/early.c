/* early NAME LOG STOP: markers of all kinds, named NAME, one round of a few ms after the other until the file STOP exists.
 * LOG gets lines of times in ns of CLOCK_MONOTONIC: of a zone those before and after its begin, before and after its end;
 * of what has one time its kind, then those before and after. */
#include <tracy/TracyC.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONTEXT 7

static FILE *log_file;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#define MARK(kind, marker)                                                                                   \
    do {                                                                                                     \
        const int64_t before = now_ns();                                                                     \
        marker;                                                                                              \
        fprintf(log_file, "%s %" PRId64 " %" PRId64 "\n", kind, before, now_ns());                           \
    } while (0)

static TracyCZoneCtx begin_zone(const char *name)
{
    return ___tracy_emit_zone_begin_alloc(___tracy_alloc_srcloc_name(__LINE__, __FILE__, strlen(__FILE__),
                                                                     __func__, strlen(__func__), name,
                                                                     strlen(name), 0),
                                          1);
}

static void mark_zone(const char *name, unsigned ms)
{
    int64_t times[4];
    times[0] = now_ns();
    TracyCZoneCtx zone = begin_zone(name);
    times[1] = now_ns();
    usleep(1000 * ms);
    times[2] = now_ns();
    TracyCZoneEnd(zone);
    times[3] = now_ns();
    fprintf(log_file, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", times[0], times[1], times[2],
            times[3]);
}

static void mark_fiber(const char *name)
{
    TracyCFiberEnter(name);
    TracyCZoneCtx zone;
    MARK("fiber", zone = begin_zone("in a fiber"));
    TracyCZoneEnd(zone);
    TracyCFiberLeave;
}

static void make_context(const char *name)
{
    ___tracy_emit_gpu_new_context((struct ___tracy_gpu_new_context_data){
        .gpuTime = now_ns(), .period = 1, .context = CONTEXT, .type = 2});
    ___tracy_emit_gpu_context_name(
        (struct ___tracy_gpu_context_name_data){CONTEXT, name, (uint16_t)strlen(name)});
}

/* The GPU's clock is CLOCK_MONOTONIC. Its times are sent after the zone's end. */
static void mark_gpu(unsigned round)
{
    static const struct ___tracy_source_location_data place = {"on a GPU", "f", "early.c", 1, 0};
    const uint16_t query = (uint16_t)(2 * (round % 1000));
    const int64_t begin = now_ns();
    ___tracy_emit_gpu_zone_begin((struct ___tracy_gpu_zone_begin_data){(uintptr_t)&place, query, CONTEXT});
    ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){(uint16_t)(query + 1), CONTEXT});
    ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){begin, query, CONTEXT});
    ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){begin + 1000, (uint16_t)(query + 1), CONTEXT});
    fprintf(log_file, "gpu %" PRId64 " %" PRId64 "\n", begin, begin);
}

static void mark_lock(TracyCLockCtx lock)
{
    MARK("lock", ___tracy_before_lock_lockable_ctx(lock));
    MARK("lock", ___tracy_after_lock_lockable_ctx(lock));
    MARK("lock", ___tracy_after_unlock_lockable_ctx(lock));
}

int main(int argc, char **argv)
{
    static char names[4][64]; /* of the discontinuous frames, the pool, the fiber, the GPU context */
    static const char *const suffixes[] = {"part", "pool", "fiber", "gpu"};
    static const struct ___tracy_source_location_data place = {"lock", "f", "early.c", 2, 0};
    log_file = argc == 4 ? fopen(argv[2], "we") : NULL;
    if (!log_file)
        return 2;
    setvbuf(log_file, NULL, _IOLBF, 0);
    for (unsigned i = 0; i < 4; i++)
        snprintf(names[i], sizeof names[i], "%.40s %s", argv[1], suffixes[i]);
    TracyCLockCtx lock = ___tracy_announce_lockable_ctx(&place);
    ___tracy_custom_name_lockable_ctx(lock, argv[1], strlen(argv[1]));
    make_context(names[3]);
    for (unsigned i = 0; access(argv[3], F_OK) != 0; i++) {
        const void *block = names + i % 2;
        mark_zone(argv[1], 1 + i % 7);
        MARK("message", ___tracy_emit_message(argv[1], strlen(argv[1]), 0));
        MARK("plot", ___tracy_emit_plot(argv[1], i));
        MARK("frame", ___tracy_emit_frame_mark(argv[1]));
        MARK("part", ___tracy_emit_frame_mark_start(names[0]));
        MARK("alloc", TracyCAllocN(block, 64, names[1]));
        MARK("free", TracyCFreeN(block, names[1]));
        MARK("part end", ___tracy_emit_frame_mark_end(names[0]));
        mark_fiber(names[2]);
        mark_lock(lock);
        mark_gpu(i);
    }
    return fclose(log_file) ? 2 : 0;
}
