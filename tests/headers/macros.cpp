// Every macro of tracy/Tracy.hpp, as programs use them; with TRACY_ENABLE and without. expected.py has what
// it marks. Compiles from C++11 on and needs no C++ runtime.
#include "tracy/Tracy.hpp"

#include <common/TracyAlloc.hpp>

#include "tests/headers/locks.hpp"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

void classes();
void items();
void places(int a);

static void scoped(int on)
{
    {
        ZoneScoped;
        ZoneText("text", 4);
        ZoneTextF("%s %d", "number", 7);
        ZoneTextF("plain");
        {
            ZoneScopedN("inner");
            ZoneName("renamed", 7);
            if (ZoneIsActive) {
                ZoneColor(tracy::Color::Lime);
            }
        }
    }
    {
        ZoneScopedC(0x111111);
        ZoneValue(42);
    }
    {
        ZoneScopedNC("colour", 0x222222);
        ZoneNameF("%d of %d", 1, 2);
    }
    {
        ZoneNamed(zone, on == 1);
        ZoneTextV(zone, "text", 4);
        ZoneTextVF(zone, "%d", on);
    }
    {
        ZoneNamedN(zone, "named", true);
        ZoneNameV(zone, "renamed", 7);
        ZoneNamedN(never, "never", on == 2);
        ZoneTextV(never, "nowhere", 7);
        if (ZoneIsActiveV(never) || !ZoneIsActiveV(zone)) {
            ZoneColorV(zone, 0xffffff);
        }
    }
    {
        ZoneNamedC(zone, 0x333333, true);
        ZoneNameVF(zone, "%s", "formatted");
        ZoneColorV(zone, 0x00ff00);
    }
    {
        ZoneNamedNC(zone, "named colour", 0x444444, true);
        ZoneValueV(zone, 7);
    }
    (void)on;
}

static void stacks()
{
    {
        ZoneScopedS(8);
    }
    {
        ZoneScopedNS("stack", 8);
    }
    {
        ZoneScopedCS(0x555555, 8);
    }
    {
        ZoneScopedNCS("stack colour", 0x666666, 8);
    }
    {
        ZoneNamedS(zone, 8, true);
    }
    {
        ZoneNamedNS(zone, "named stack", 8, true);
    }
    {
        ZoneNamedCS(zone, 0x777777, 8, true);
    }
    {
        ZoneNamedNCS(zone, "named stack colour", 0x888888, 8, true);
    }
}

static void transient()
{
    char name[16] = "made 1";
    {
        ZoneTransient(zone, true);
    }
    {
        ZoneTransientN(zone, name, true);
        ZoneTextV(zone, "text", 4);
        memset(name, 'x', sizeof name - 1); // the client has copied it
    }
    strcpy(name, "made 2");
    {
        ZoneTransientNC(zone, name, 0x999999, true);
        ZoneTransientN(never, "never", false);
        ZoneTextV(never, "nowhere", 7);
    }
    {
        ZoneTransientS(zone, 8, true);
    }
    {
        ZoneTransientNS(zone, name, 8, true);
    }
    (void)name;
}

static void frames()
{
    static unsigned char pixels[8 * 4 * 4];
    FrameImage(pixels, 8, 4, 0, false);
    FrameMark;
    FrameMark;
    FrameMarkNamed("set");
    FrameMarkStart("part");
    FrameMarkEnd("part");
    (void)pixels;
}

struct WithLocks {
    TracyLockable(PlainLock, member);
    TracySharedLockable(SharedLock, shared);
};
static TracyLockableN(PlainLock, global, "described");
static TracySharedLockableN(SharedLock, globalShared, "described shared");

static void locks()
{
    WithLocks with;
    LockableName(with.member, "own name", 8);
    {
        Guard<LockableBase(PlainLock)> guard(with.member);
        LockMark(with.member);
    }
    if (with.member.try_lock())
        with.member.unlock();
    Guard<LockableBase(PlainLock)> guard(global);
    LockMark(global);
    {
        Guard<SharedLockableBase(SharedLock)> writer(with.shared);
    }
    {
        ReadGuard<SharedLockableBase(SharedLock)> reader(with.shared);
        LockMark(with.shared);
    }
    if (with.shared.try_lock_shared())
        with.shared.unlock_shared();
    ReadGuard<SharedLockableBase(SharedLock)> reader(globalShared);
    LockableName(globalShared, "named shared", 12);
}

static void memory()
{
    static char heap[16];
    TracyAlloc(heap, 1);
    TracyFree(heap);
    TracySecureAlloc(heap + 1, 2);
    TracySecureFree(heap + 1);
    TracyAllocS(heap + 2, 4, 8);
    TracyFreeS(heap + 2, 8);
    TracySecureAllocS(heap + 3, 8, 8);
    TracySecureFreeS(heap + 3, 8);
    TracyAllocN(heap, 16, "pool");
    TracyFreeN(heap, "pool");
    TracySecureAllocN(heap + 1, 32, "pool");
    TracySecureFreeN(heap + 1, "pool");
    TracyAllocNS(heap + 2, 64, 8, "pool");
    TracyFreeNS(heap + 2, 8, "pool");
    TracySecureAllocNS(heap + 3, 128, 8, "pool");
    TracySecureFreeNS(heap + 3, 8, "pool");
    TracyAllocN(heap, 256, "discarded");
    TracyAllocN(heap + 1, 512, "discarded");
    TracyMemoryDiscard("discarded");
    TracyAllocN(heap, 1024, "discarded");
    TracyMemoryDiscardS("discarded", 8);
    TracySecureMemoryDiscard("not a pool");
    TracySecureMemoryDiscardS("not a pool", 8);
    TracyAlloc(heap + 4, 2048); // a leak
    (void)heap;
}

static void plots()
{
    TracyPlotConfig("integers", tracy::PlotFormatType::Memory, true, false, 0x123456);
    TracyPlot("integers", int64_t(-5));
    TracyPlot("integers", int64_t(1) << 40);
    TracyPlot("integers", 3);
    TracyPlot("integers", 4u);
    TracyPlot("integers", size_t(5));
    TracyPlot("integers", 6ll);
    TracyPlot("integers", 7ull);
    TracyPlot("integers", short(8));
    TracyPlot("floats", 0.5f);
    TracyPlot("doubles", 0.1);
}

static void texts()
{
    TracyMessage("message", 7);
    TracyMessageL("literal");
    TracyMessageC("colour", 6, 0xff0000);
    TracyMessageLC("literal colour", 0x00ff00);
    TracyMessageS("message S", 9, 8);
    TracyMessageLS("literal S", 8);
    TracyMessageCS("colour S", 8, 0x0000ff, 8);
    TracyMessageLCS("literal colour S", 0xff00ff, 8);
    TracyLogString(tracy::MessageSeverity::Trace, 0, 0, "trace");
    TracyLogString(tracy::MessageSeverity::Debug, 0x1, 8, "debug");
    TracyLogString(tracy::MessageSeverity::Info, 0, 0, 4, "info");
    TracyLogString(tracy::MessageSeverity::Warning, 0x2, 0, 7, "warning");
    TracyLogString(tracy::MessageSeverity::Error, 0, 8, 5, "error");
    TracyLogString(tracy::MessageSeverity::Fatal, 0, 0, "fatal");
    TracyAppInfo("information", 11);
    TracySetProgramName("program by macro");
    if (TracyIsConnected && TracyIsStarted) {
        TracyMessageL("connected");
    }
    TracyNoop;
}

static void parameter(void *data, uint32_t idx, int32_t value)
{
    *static_cast<int *>(data) = int(idx) + value;
}

static char *contents(void *data, const char *filename, size_t &size)
{
    if (strcmp(filename, "file.x") != 0)
        return nullptr;
    const char *text = static_cast<const char *>(data);
    size = strlen(text);
    char *copy = static_cast<char *>(tracy::tracy_malloc_fast(size));
    memcpy(copy, text, size);
    return copy;
}

static void callbacks()
{
    static int value;
    static char script[] = "print(1)\n";
    TracyParameterRegister(parameter, &value);
    TracyParameterSetup(0, "number", TracyParamTypeInt, 5);
    TracyParameterSetup(1, "yes or no", TracyParamTypeBool, 1);
    TracyParameterSetup(2, "push", TracyParamTypeTrigger, 0);
    TracySourceCallbackRegister(contents, script);
    (void)value, (void)script, (void)parameter, (void)contents;
}

static void sections()
{
    TracySectionSetup(3, "category %d", 3);
    const uint32_t outer = TracySectionEnter("outer");
    const uint32_t inner = TracySectionEnterCategory(3, "inner %s", "one");
    TracySectionLeave(inner);
    TracySectionLeave(outer);
    (void)outer, (void)inner;
}

static void fibers()
{
    TracyFiberEnter("fiber");
    {
        ZoneScopedN("in a fiber");
    }
    TracyFiberEnterHint("hinted fiber", 4);
    {
        ZoneScopedN("in a fiber");
    }
    TracyFiberLeave;
}

static void *thread(void *hint)
{
    if (hint)
        tracy::SetThreadNameWithHint("hinted thread", 7);
    else
        tracy::SetThreadName("named thread");
    ZoneScopedN("in a thread");
    return nullptr;
}

static void threads()
{
    static int one;
    for (int i = 0; i < 2; i++) {
        pthread_t id;
        if (pthread_create(&id, nullptr, thread, i ? &one : nullptr) == 0)
            pthread_join(id, nullptr);
    }
}

int main()
{
#ifdef TRACY_MANUAL_LIFETIME
    tracy::StartupProfiler();
    td_client_wait_connected(10000);
#endif
    scoped(1);
    stacks();
    transient();
    frames();
    locks();
    memory();
    plots();
    texts();
    sections();
    fibers();
    threads();
#ifdef TRACY_ENABLE
    classes();
    items();
#endif
    callbacks();
#ifdef TRACY_ENABLE
    places(1); // in file.x
#endif
#ifdef TRACY_MANUAL_LIFETIME
    tracy::ShutdownProfiler();
    TracyMessageL("too late");
#endif
    return 0;
}
