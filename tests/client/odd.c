/* A program whose markers are wrong in every way that a program can have them wrong without breaking its own
 * memory: what tests/client/test_odd.py counts. Usage: client_odd [memory | alone |
 * colours]. */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS(number) ((const void *)(uintptr_t)(number))
#define COUNT(array)    (sizeof(array) / sizeof *(array))
enum { BIG = 200000 };
static char *big; /* longer than any text of the protocol */

static void depths(void)
{
    const int some[] = {-1, 0, 1, 62, 63, 64, 1000, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT(some); i++) {
        TracyCZoneNS(zone, "depths", some[i], 1);
        TracyCMessageS("depth", 5, some[i]);
        TracyCMessageLS("depth", some[i]);
        TracyCAllocS(ADDRESS(8 + i), 1, some[i]);
        TracyCFreeS(ADDRESS(8 + i), some[i]);
        uint64_t made = ___tracy_alloc_srcloc(1, "file", 4, "made", 4, 0);
        ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc_callstack(made, some[i], 1));
        TracyCZoneEnd(zone);
    }
}

static void all_texts(const char *text, size_t bytes)
{
    TracyCZoneN(zone, "texts", 1);
    TracyCZoneText(zone, text, bytes);
    TracyCZoneName(zone, text, bytes);
    TracyCZoneTextF(zone, "%.*s", (int)bytes, text ? text : "");
    TracyCZoneColor(zone, 0);
    TracyCZoneColor(zone, UINT32_MAX);
    TracyCZoneValue(zone, 0);
    TracyCZoneValue(zone, UINT64_MAX);
    TracyCMessage(text, bytes);
    TracyCMessageC(text, bytes, 0);
    TracyCMessageS(text, bytes, 3);
    ___tracy_emit_logString(-1, -1, 0, bytes, text);
    ___tracy_emit_logString(127, 0x123456, 2, bytes, text);
    TracyCAppInfo(text, bytes);
    uint64_t made = ___tracy_alloc_srcloc_name(1, text, bytes, text, bytes, text, bytes, 0);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 1));
    made = ___tracy_alloc_srcloc(1, text, bytes, text, bytes, 0);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 0));
    td_client_section_leave(td_client_section_enter(3, "%.*s", (int)bytes, text ? text : ""));
    td_client_section_setup(3, "%.*s", (int)bytes, text ? text : "");
    TracyCZoneEnd(zone);
}

static void texts(void)
{
    const size_t lengths[] = {480, 481, 65534, 65535, 65536, 131077};
    all_texts(NULL, 0);
    all_texts("", 0);
    all_texts("a\0b", 3);
    all_texts("\xff\xfe\x80", 3);
    all_texts("line\nline\r\t", 11);
    for (size_t i = 0; i < COUNT(lengths); i++)
        all_texts(big, lengths[i]);
    TracyCMessageL(NULL);
    TracyCMessageL("");
    TracyCMessageL(big);
}

static void locations(void)
{
    static const struct ___tracy_source_location_data empty;
    static struct ___tracy_source_location_data huge = {NULL, NULL, NULL, UINT32_MAX, UINT32_MAX};
    huge.name = huge.function = huge.file = big;
    ___tracy_emit_zone_end(___tracy_emit_zone_begin(&empty, 1));
    ___tracy_emit_zone_end(___tracy_emit_zone_begin(&huge, 1));
    ___tracy_emit_zone_end(___tracy_emit_zone_begin(NULL, 1));
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_callstack(NULL, 5, 1));
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(0, 1));
}

static void plots(void)
{
    TracyCPlot(NULL, 1.0);
    TracyCPlotConfig(NULL, 0, 0, 0, 0);
    TracyCPlot("double", (double)NAN);
    TracyCPlot("double", (double)INFINITY);
    TracyCPlot("double", 1e308);
    TracyCPlotF("float", NAN);
    TracyCPlotI("int", INT64_MIN);
    TracyCPlotI("int", INT64_MAX);
    TracyCPlotConfig("int", 200, 7, 7, UINT32_MAX);
    TracyCPlotConfig("float", -1, -1, -1, 0);
}

static void frames(void)
{
    static const char *const never = "never started", *const twice = "twice", *const mixed = "mixed";
    TracyCFrameMarkEnd(never);
    TracyCFrameMarkStart(twice);
    TracyCFrameMarkStart(twice);
    TracyCFrameMarkEnd(twice);
    TracyCFrameMarkEnd(twice);
    TracyCFrameMarkNamed(mixed);
    TracyCFrameMarkStart(mixed);
    TracyCFrameMarkEnd(mixed);
    TracyCFrameMarkStart(NULL);
    TracyCFrameMarkEnd(NULL);
    TracyCFrameMark;
    TracyCFrameImage(NULL, 0, 0, 0, 0);
    TracyCFrameImage(big, 5, 5, 0, 0);
    TracyCFrameImage(big, 65532, 65532, 0, 0);
    TracyCFrameImage(NULL, 4, 4, 0, 0);
    TracyCFrameImage(big, 4, 4, 255, 1);
    TracyCFrameImage(big, 4, 4, 0, 77);
    TracyCFrameImage(big, 4, 4, 0, 0); /* the second one of this frame */
}

static void pools(void)
{
    TracyCAlloc(NULL, 5);
    TracyCFree(NULL);
    TracyCAlloc(ADDRESS(0x1000), 0);
    TracyCFree(ADDRESS(0x1000));
    TracyCAlloc(ADDRESS(0x2000), SIZE_MAX);
    TracyCFree(ADDRESS(0x2000));
    TracyCAlloc(ADDRESS(UINT64_MAX), 5);
    TracyCFree(ADDRESS(UINT64_MAX));
    TracyCMemoryDiscard("unknown");
    TracyCMemoryDiscard(NULL);
}

/* Recorders of Tracy end the session at these. */
static void memory_faults(void)
{
    TracyCAlloc(ADDRESS(0x3000), 1);
    TracyCAlloc(ADDRESS(0x3000), 2);
    TracyCFree(ADDRESS(0x3000));
    TracyCFree(ADDRESS(0x3000));
    TracyCFree(ADDRESS(0x4000));
    TracyCFreeN(ADDRESS(0x4000), "no pool");
}

static void locks(void)
{
    TracyCLockCtx lock = NULL;
    TracyCSharedLockCtx shared = NULL;
    for (int there = 0; there < 2; there++) {
        if (there) {
            TracyCLockAnnounce(lock);
        }
        TracyCLockAfterUnlock(lock);
        TracyCLockBeforeLock(lock);
        TracyCLockAfterLock(lock);
        TracyCLockAfterLock(lock);
        {
            TracyCLockMark(lock);
        }
        TracyCLockAfterUnlock(lock);
        TracyCLockAfterUnlock(lock);
        TracyCLockAfterUnlock(lock);
        TracyCLockAfterTryLock(lock, 1);
        TracyCLockCustomName(lock, NULL, 0);
        TracyCLockCustomName(lock, big, 70000);
        TracyCLockTerminate(lock);
        if (there) {
            TracyCSharedLockAnnounce(shared);
        }
        TracyCSharedLockAfterSharedUnlock(shared);
        TracyCSharedLockAfterSharedLock(shared);
        TracyCSharedLockAfterUnlock(shared);
        TracyCSharedLockTerminate(shared);
    }
}

static void gpu_context(uint8_t context, int64_t time, float period, uint8_t flags, uint8_t type)
{
    ___tracy_emit_gpu_new_context((struct ___tracy_gpu_new_context_data){time, period, context, flags, type});
}

static void gpu_zones(uint8_t context)
{
    static const struct ___tracy_source_location_data place = {"on a GPU", "f", "file", 1, 0};
    const struct ___tracy_gpu_zone_begin_data begin = {(uintptr_t)&place, 1, context};
    ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){1, context});
    ___tracy_emit_gpu_zone_begin(begin);
    ___tracy_emit_gpu_zone_begin(begin); /* the same query */
    ___tracy_emit_gpu_zone_begin((struct ___tracy_gpu_zone_begin_data){0, 1, context});
    ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){1, context});
    ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){2, context});
    ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){3, context});
    ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){INT64_MAX, 1, context});
    ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){INT64_MIN, 2, context});
    ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){5, 77, context});
    ___tracy_emit_gpu_calibration((struct ___tracy_gpu_calibration_data){5, 0, context});
    ___tracy_emit_gpu_calibration((struct ___tracy_gpu_calibration_data){5, -1, context});
    ___tracy_emit_gpu_time_sync((struct ___tracy_gpu_time_sync_data){5, context});
    ___tracy_emit_gpu_context_name((struct ___tracy_gpu_context_name_data){context, NULL, 0});
    ___tracy_emit_gpu_context_name((struct ___tracy_gpu_context_name_data){context, big, 65535});
    uint64_t made = ___tracy_alloc_srcloc(1, "file", 4, "made", 4, 0);
    ___tracy_emit_gpu_zone_begin_alloc_callstack(
        (struct ___tracy_gpu_zone_begin_callstack_data){made, 1000, 3, context});
}

static void gpus(void)
{
    gpu_zones(8); /* of no context */
    gpu_context(9, 100, 1.0f, 0, 2);
    gpu_context(9, 100, 1.0f, 0, 2);
    gpu_context(10, INT64_MAX, NAN, 255, 255);
    gpu_context(11, INT64_MIN, 0, 1, 0);
    gpu_context(12, 0, -5, 1, 1);
    for (uint8_t context = 9; context <= 12; context++)
        gpu_zones(context);
}

static void fibers(void)
{
    static const char *const names[] = {"fiber", NULL, ""};
    TracyCFiberLeave;
    for (size_t i = 0; i < COUNT(names); i++) {
        TracyCFiberEnter(names[i]);
        TracyCFiberEnter(names[i]);
        TracyCZoneN(zone, "in a fiber", 1);
        TracyCZoneEnd(zone);
        TracyCFiberLeave;
        TracyCFiberLeave;
    }
}

static TracyCZoneCtx crossing;

static void *end_it_here(void *nothing)
{
    TracyCZoneText(crossing, "elsewhere", 9);
    TracyCZoneEnd(crossing);
    TracyCZoneN(mine, "mine", 1);
    TracyCZoneEnd(mine);
    return nothing;
}

static void *name_it_late(void *name)
{
    TracyCZoneN(mine, "mine", 1);
    TracyCZoneEnd(mine);
    TracyCSetThreadName("early");
    TracyCSetThreadName(name);
    return NULL;
}

static void in_thread(void *(*body)(void *argument), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) == 0)
        pthread_join(thread, NULL);
}

static void threads(void)
{
    static char late[] = "late", none[] = "", bytes[] = "\xff\xfe";
    TracyCZoneN(begun_here, "crossing", 1);
    crossing = begun_here;
    in_thread(end_it_here, NULL);
    TracyCZoneEnd(begun_here);
    TracyCZoneN(twice, "twice", 1);
    TracyCZoneEnd(twice);
    TracyCZoneEnd(twice);
    TracyCZoneValue(twice, 1);
    in_thread(name_it_late, late);
    in_thread(name_it_late, none);
    in_thread(name_it_late, bytes);
    in_thread(name_it_late, big);
    in_thread(name_it_late, NULL);
    TracyCSetThreadName("not the main thread");
    td_client_set_program_name(NULL);
    td_client_parameter_setup(UINT32_MAX, NULL, 255, INT_MIN);
    td_client_parameter_setup(1, big, 0, INT_MAX);
}

/* alone: threads that say nothing but one thing. */
static void *only_says(void *nothing)
{
    pthread_setname_np(pthread_self(), "only says");
    TracyCMessageL("only said");
    return nothing;
}

static void *only_takes(void *nothing)
{
    TracyCSetThreadName("only takes");
    TracyCAlloc((void *)0x1000, 8);
    TracyCFree((void *)0x1000);
    return nothing;
}

static void *only_plots(void *nothing)
{
    TracyCSetThreadName("only plots");
    TracyCPlotI("only plotted", 1);
    return nothing;
}

/* colours: one place, as of a program compiled against headers before 0.11, which pass no colour: it is what the
 * register had. */
static void colours(void)
{
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t made =
            ___tracy_alloc_srcloc(7, "old.odin", 8, "uncoloured", 10, 0x1000000 + 12345 * (i / 2));
        ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 1));
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "colours")) {
        colours();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "alone")) {
        in_thread(only_says, NULL);
        in_thread(only_takes, NULL);
        in_thread(only_plots, NULL);
        return 0;
    }
    big = malloc(BIG);
    if (!big)
        return 1;
    memset(big, 'x', BIG - 1);
    big[BIG - 1] = 0;
    depths();
    texts();
    locations();
    plots();
    frames();
    pools();
    locks();
    gpus();
    fibers();
    threads();
    if (argc > 1 && !strcmp(argv[1], "memory"))
        memory_faults();
    TracyCMessageL("the last");
    return 0; /* `big` holds names: it is not freed */
}
