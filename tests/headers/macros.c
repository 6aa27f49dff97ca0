/* Every macro of tracy/TracyC.h, as programs use them; with TRACY_ENABLE and without. expected.py has what
 * it marks. */
#include "tracy/TracyC.h"

#include <stdint.h>

void functions(void);

static void zones(void)
{
    {
        TracyCZone(zone, 1);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneN(zone, "named", 1);
        TracyCZoneText(zone, "text", 4);
        TracyCZoneTextF(zone, "%s %d", "number", 7);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneC(zone, 0x111111, 1);
        TracyCZoneColor(zone, 0x00ff00);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneNC(zone, "colour", 0x222222, 1);
        TracyCZoneName(zone, "renamed", 7);
        TracyCZoneValue(zone, 42);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneN(zone, "off", 0);
        TracyCZoneText(zone, "text", 4);
        TracyCZoneEnd(zone);
    }
}

static void zones_with_stacks(void)
{
    {
        TracyCZoneS(zone, 8, 1);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneNS(zone, "stack", 8, 1);
        TracyCZoneNameF(zone, "name %d", 3);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneCS(zone, 0x333333, 8, 1);
        TracyCZoneEnd(zone);
    }
    {
        TracyCZoneNCS(zone, "stack and colour", 0x444444, 8, 1);
        TracyCZoneEnd(zone);
    }
}

static void frames(void)
{
    static uint8_t pixels[8 * 4 * 4];
    TracyCFrameImage(pixels, 8, 4, 0, 1);
    TracyCFrameMark;
    TracyCFrameMark;
    TracyCFrameMarkNamed("set");
    TracyCFrameMarkStart("part");
    TracyCFrameMarkEnd("part");
    (void)pixels;
}

static void memory(void)
{
    static char heap[16];
    TracyCAlloc(heap, 1);
    TracyCFree(heap);
    TracyCSecureAlloc(heap + 1, 2);
    TracyCSecureFree(heap + 1);
    TracyCAllocS(heap + 2, 4, 8);
    TracyCFreeS(heap + 2, 8);
    TracyCSecureAllocS(heap + 3, 8, 8);
    TracyCSecureFreeS(heap + 3, 8);
    TracyCAllocN(heap, 16, "pool");
    TracyCFreeN(heap, "pool");
    TracyCSecureAllocN(heap + 1, 32, "pool");
    TracyCSecureFreeN(heap + 1, "pool");
    TracyCAllocNS(heap + 2, 64, 8, "pool");
    TracyCFreeNS(heap + 2, 8, "pool");
    TracyCSecureAllocNS(heap + 3, 128, 8, "pool");
    TracyCSecureFreeNS(heap + 3, 8, "pool");
    TracyCAllocN(heap, 256, "discarded");
    TracyCAllocN(heap + 1, 512, "discarded");
    TracyCMemoryDiscard("discarded");
    TracyCAllocN(heap, 1024, "discarded");
    TracyCMemoryDiscardS("discarded", 8);
    TracyCSecureMemoryDiscard("not a pool");
    TracyCSecureMemoryDiscardS("not a pool", 8);
    TracyCAlloc(heap + 4, 2048); /* a leak */
    (void)heap;
}

static void texts(void)
{
    TracyCPlotConfig("integers", TracyPlotFormatMemory, 1, 0, 0x123456);
    TracyCPlotI("integers", -5);
    TracyCPlotI("integers", INT64_C(1) << 40);
    TracyCPlotF("floats", 0.5f);
    TracyCPlot("doubles", 0.1);
    TracyCMessage("message", 7);
    TracyCMessageL("literal");
    TracyCMessageC("colour", 6, 0xff0000);
    TracyCMessageLC("literal colour", 0x00ff00);
    TracyCMessageS("message S", 9, 8);
    TracyCMessageLS("literal S", 8);
    TracyCMessageCS("colour S", 8, 0x0000ff, 8);
    TracyCMessageLCS("literal colour S", 0xff00ff, 8);
    TracyCAppInfo("information", 11);
    if (TracyCIsConnected && TracyCIsStarted) {
        TracyCMessageL("connected");
    }
    if (TracyCBeginSamplingProfiling()) {
        TracyCMessageL("sampling");
    }
    TracyCEndSamplingProfiling();
}

static void lock(void)
{
#ifdef TRACY_ENABLE
    TracyCLockCtx lock;
#endif
    TracyCLockAnnounce(lock);
    TracyCLockCustomName(lock, "lock", 4);
    TracyCLockBeforeLock(lock);
    TracyCLockAfterLock(lock);
    {
        TracyCLockMark(lock);
    }
    TracyCLockAfterUnlock(lock);
    TracyCLockAfterTryLock(lock, 1);
    TracyCLockAfterUnlock(lock);
    TracyCLockAfterTryLock(lock, 0);
    TracyCLockTerminate(lock);
}

static void shared_lock(void)
{
#ifdef TRACY_ENABLE
    TracyCSharedLockCtx lock;
#else
    TracyCSharedLockAnnonce(lock);
    TracyCLockCtx(lock);
    TracyCSharedLockCtx(lock);
#endif
    TracyCSharedLockAnnounce(lock);
    TracyCSharedLockCustomName(lock, "shared", 6);
    TracyCSharedLockBeforeLock(lock);
    TracyCSharedLockAfterLock(lock);
    TracyCSharedLockAfterUnlock(lock);
    TracyCSharedLockAfterTryLock(lock, 1);
    TracyCSharedLockAfterUnlock(lock);
    TracyCSharedLockBeforeSharedLock(lock);
    TracyCSharedLockAfterSharedLock(lock);
    {
        TracyCSharedLockMark(lock);
    }
    TracyCSharedLockAfterSharedUnlock(lock);
    TracyCSharedLockAfterTrySharedLock(lock, 1);
    TracyCSharedLockAfterSharedUnlock(lock);
    TracyCSharedLockTerminate(lock);
}

static void fiber(void)
{
    TracyCFiberEnter("fiber");
    TracyCZoneN(zone, "in a fiber", 1);
    TracyCZoneEnd(zone);
    TracyCFiberLeave;
}

int main(void)
{
#ifdef TRACY_MANUAL_LIFETIME
    ___tracy_startup_profiler();
    td_client_wait_connected(10000);
#endif
    TracyCSetThreadName("ignored for the main thread");
    zones();
    zones_with_stacks();
    frames();
    memory();
    texts();
    lock();
    shared_lock();
    fiber();
#ifdef TRACY_ENABLE
    functions();
#endif
#ifdef TRACY_MANUAL_LIFETIME
    ___tracy_shutdown_profiler();
    TracyCMessageL("too late");
#endif
    return 0;
}
