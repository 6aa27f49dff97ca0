/* A library that comes and goes. Every name in it ends in _000; the test makes others of it by writing
 * another number there, so that all have one size and come to lie at one address. VARIANT: colours and lines,
 * too. */
#include "tracy/TracyC.h"

#ifndef VARIANT
#define VARIANT 0
#endif

void plugin_mark(int count);

static char built[32]; /* a name that is made at run time, in memory that can be written */
static TracyCLockCtx lock;

#if VARIANT
#define FIRST_LINE 2000
#else
#define FIRST_LINE 1000
#endif
#line FIRST_LINE "plugin_000.c"
static __attribute__((noinline)) void work_000(void) /* @begin */
{
    TracyCZoneNC(zone, "zone_000", 0x100000 + VARIANT, 1); /* @zone */
    TracyCZone(unnamed, 1);                                /* @unnamed */
    TracyCZoneNS(deep, "deep_000", 4, 1);                  /* @deep */
    TracyCZoneEnd(deep);
    TracyCZoneEnd(unnamed);
    TracyCZoneEnd(zone);
}

static void gpu_000(int query)
{
    static const struct ___tracy_source_location_data place = {"gpu_zone_000", "gpu_000", "plugin_000.c", 7,
                                                               0};
    struct ___tracy_gpu_zone_begin_data begin = {(uintptr_t)&place, (uint16_t)query, 9};
    struct ___tracy_gpu_zone_end_data end = {(uint16_t)(query + 1), 9};
    ___tracy_emit_gpu_zone_begin_serial(begin);
    ___tracy_emit_gpu_zone_end_serial(end);
    ___tracy_emit_gpu_time_serial((struct ___tracy_gpu_time_data){10, (uint16_t)query, 9});
    ___tracy_emit_gpu_time_serial((struct ___tracy_gpu_time_data){20, (uint16_t)(query + 1), 9});
}

static void others_000(int i)
{
    static char block;
    TracyCMessageL("literal_000");
    TracyCMessageLC("colored_000", 0xff00ff);
    TracyCPlotI("plot_000", i);
    TracyCPlotConfig("plot_000", TracyPlotFormatMemory, 1, 0, 0x00ff00);
    TracyCPlotF(built, (float)i);
    TracyCFrameMarkNamed("frames_000");
    TracyCFrameMarkStart("spans_000");
    TracyCFrameMarkEnd("spans_000");
    TracyCAllocN(&block, 1, "pool_000");
    TracyCFreeN(&block, "pool_000");
    TracyCLockBeforeLock(lock);
    TracyCLockAfterLock(lock);
    TracyCLockMark(lock);
    TracyCLockAfterUnlock(lock);
    TracyCFiberEnter("fiber_000");
    TracyCZoneN(inside, "in_fiber_000", 1); /* @in_fiber */
    TracyCZoneEnd(inside);
    TracyCFiberLeave;
}

__attribute__((constructor)) static void begin_000(void)
{
    const char *volatile text = "built_000"; /* the number must stay a text */
    const char *from = text;
    for (int i = 0; from[i]; i++)
        built[i] = from[i];
    TracyCLockAnnounce(lock);
    td_client_parameter_setup(0, "parameter_000", 0, 0);
}

/* Runs before what the headers leave in a library. */
__attribute__((destructor)) static void end_000(void)
{
    TracyCZoneN(last, "last_000", 1); /* @last */
    TracyCZoneEnd(last);
    TracyCLockTerminate(lock);
}

void plugin_mark(int count)
{
    for (int i = 0; i < count; i++) {
        work_000();
        gpu_000(2 * i);
        others_000(i);
    }
}
