// The classes and functions behind the macros of tracy/Tracy.hpp, by the include paths that programs use.
#include <client/TracyCallstack.h>
#include <client/TracyCallstack.hpp>
#include <client/TracyLock.hpp>
#include <client/TracyProfiler.hpp>
#include <client/TracyScoped.hpp>
#include <client/TracyThread.hpp>
#include <common/TracyAlign.hpp>
#include <common/TracyAlloc.hpp>
#include <common/TracyApi.h>
#include <common/TracyColor.hpp>
#include <common/TracyForceInline.hpp>
#include <common/TracyFormat.h>
#include <common/TracyQueue.hpp>
#include <common/TracySystem.hpp>
#include <common/TracyVersion.hpp>
#include <common/TracyYield.hpp>
#include <tracy/../client/TracyProfiler.hpp>

#include "tests/headers/locks.hpp"
#include <string.h>

void classes();

using tracy::Profiler;

static const tracy::SourceLocationData *place()
{
    static constexpr tracy::SourceLocationData location{"by class", "caller", "classes.x", 12, 0x556677};
    return &location;
}

static void zones()
{
    {
        tracy::ScopedZone zone(place());
        zone.Text("one", 3);
        zone.TextFmt("%d", 2);
        zone.Name("first", 5);
        zone.NameFmt("%s", "last");
        zone.Color(0x010203);
    }
    {
        tracy::ScopedZone zone(place(), 8, true);
        zone.Value(9);
    }
    {
        tracy::ScopedZone zone(place(), true);
        tracy::ScopedZone off(place(), false);
        tracy::ScopedZone deepOff(place(), 8, false);
        if (off.IsActive() || deepOff.IsActive() || !zone.IsActive())
            zone.Color(0xffffff);
    }
    {
        tracy::ScopedZone zone(1, "made.x", 6, "made", 4, "plain", 5);
        tracy::ScopedZone deep(2, "made.x", 6, "made", 4, "deep", 4, 8, true);
        tracy::ScopedZone colour(3, "made.x", 6, "made", 4, "colour", 6, 0x0a0b0cu, true);
        tracy::ScopedZone both(4, "made.x", 6, "made", 4, "both", 4, 0x0d0e0fu, 8, true);
        tracy::ScopedZone never(5, "made.x", 6, "made", 4, "never", 5, false);
    }
    const uint64_t made[4] = {Profiler::AllocSourceLocation(6, "made.x", "made"),
                              Profiler::AllocSourceLocation(7, "made.x", "made", "named", 5),
                              Profiler::AllocSourceLocation(8, "made.x", 6, "made", 4),
                              Profiler::AllocSourceLocation(9, "made.x", 6, "made", 4, "sized", 5)};
    for (uint64_t location : made)
        ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(location, 1));
}

static void locks()
{
    tracy::LockableCtx context(place());
    context.CustomName("class lock", 10);
    if (context.BeforeLock())
        context.AfterLock();
    context.Mark(place());
    context.AfterUnlock();
    context.AfterTryLock(true);
    context.AfterUnlock();
    tracy::SharedLockableCtx shared(place());
    shared.CustomName("class shared", 12);
    if (shared.BeforeLock())
        shared.AfterLock();
    shared.AfterUnlock();
    shared.AfterTryLock(true);
    shared.AfterUnlock();
    if (shared.BeforeLockShared())
        shared.AfterLockShared();
    shared.Mark(place());
    shared.AfterUnlockShared();
    shared.AfterTryLockShared(true);
    shared.AfterUnlockShared();

    tracy::Lockable<PlainLock> lock(place());
    lock.CustomName("class lockable", 14);
    lock.lock();
    lock.Mark(place());
    const bool again = lock.try_lock();
    lock.unlock();
    if (!again && lock.m_lockable.try_lock())
        lock.m_lockable.unlock();
    tracy::SharedLockable<SharedLock> both(place());
    both.CustomName("class shared lockable", 21);
    both.lock();
    both.unlock();
    if (both.try_lock())
        both.unlock();
    both.lock_shared();
    both.Mark(place());
    both.unlock_shared();
    if (both.try_lock_shared())
        both.unlock_shared();
}

static void memory()
{
    static char heap[8];
    Profiler::MemAlloc(heap, 3);
    Profiler::MemFree(heap);
    Profiler::MemAlloc(heap, 3, true);
    Profiler::MemFree(heap, true);
    Profiler::MemAllocCallstack(heap + 1, 5, 8);
    Profiler::MemFreeCallstack(heap + 1, 8);
    Profiler::MemAllocCallstack(heap + 1, 5, 8, false);
    Profiler::MemFreeCallstack(heap + 1, 8, false);
    Profiler::MemAllocNamed(heap, 7, "class pool");
    Profiler::MemFreeNamed(heap, "class pool");
    Profiler::MemAllocNamed(heap, 7, true, "class pool");
    Profiler::MemFreeNamed(heap, true, "class pool");
    Profiler::MemAllocCallstackNamed(heap + 1, 9, 8, "class pool");
    Profiler::MemFreeCallstackNamed(heap + 1, 8, "class pool");
    Profiler::MemAllocCallstackNamed(heap + 1, 9, 8, false, "class pool");
    Profiler::MemFreeCallstackNamed(heap + 1, 8, false, "class pool");
    Profiler::MemAllocNamed(heap + 2, 11, "class pool");
    Profiler::MemDiscard("class pool");
    Profiler::MemDiscardCallstack("class pool", 8);
}

static void events()
{
    static unsigned char pixels[4 * 4 * 4];
    Profiler::SendFrameImage(pixels, 4, 4, 0, true);
    Profiler::SendFrameMark(nullptr);
    Profiler::SendFrameMark("class set");
    Profiler::SendFrameMark("class set", tracy::QueueType::FrameMarkMsg);
    Profiler::SendFrameMark("class part", tracy::QueueType::FrameMarkMsgStart);
    Profiler::SendFrameMark("class part", tracy::QueueType::FrameMarkMsgEnd);
    Profiler::ConfigurePlot("class plot", tracy::PlotFormatType::Percentage, false, true, 0x0000ff);
    Profiler::PlotData("class plot", 1.5);
    Profiler::PlotData("class plot", 2.5f);
    Profiler::PlotData("class plot", int64_t(3));
    Profiler::LogString(tracy::MessageSourceType::User, tracy::MessageSeverity::Error, 0x3, 8, 3, "log");
    Profiler::LogString(tracy::MessageSourceType::User, tracy::MessageSeverity::Trace, 0, 0, "logL");
    Profiler::Message("m", 1, 0);
    Profiler::Message("mL", 8);
    Profiler::MessageColor("mC", 2, 0x1, 8);
    Profiler::MessageColor("mLC", 0x2, 0);
    Profiler::MessageAppInfo("by class", 8);
    Profiler::EnterFiber("class fiber", 2);
    {
        tracy::ScopedZone zone(place());
    }
    Profiler::LeaveFiber();
    Profiler::SectionSetup(9, "class %s", "category");
    const uint32_t section = Profiler::SectionEnter(9, "%s", "class section");
    Profiler::SectionLeave(section);
    Profiler::ParameterSetup(7, "class parameter", 0, 1);
}

static void sourceAndParameter()
{
    struct Callbacks {
        static void Parameter(void *, uint32_t, int32_t)
        {
        }
        static char *Source(void *, const char *, size_t &)
        {
            return nullptr;
        }
    };
    Profiler::ParameterRegister(Callbacks::Parameter, nullptr);
    Profiler::SourceCallbackRegister(nullptr, nullptr);
    Profiler::SourceCallbackRegister(Callbacks::Source, nullptr);
}

static bool allocates()
{
    tracy::InitAllocator();
    char *a = static_cast<char *>(tracy::tracy_malloc(8));
    memcpy(a, "content", 8);
    a = static_cast<char *>(tracy::tracy_realloc(a, 12));
    a = static_cast<char *>(tracy::tracy_realloc(a, 400000));
    const bool kept = memcmp(a, "content", 8) == 0;
    memset(a, 1, 400000);
    tracy::tracy_free(a);
    a = static_cast<char *>(tracy::tracy_realloc(nullptr, 100));
    memset(a, 1, 100);
    tracy::tracy_free_fast(a);
    tracy::tracy_free(nullptr);
    tracy::tracy_free_fast(tracy::tracy_malloc_fast(1));
    return kept;
}

// One message for each condition that holds.
static void state()
{
    tracy::Profiler &profiler = tracy::GetProfiler();
    if (profiler.IsConnected() && profiler.ConnectionId() != 0 && !profiler.HasShutdownFinished())
        Profiler::Message("connected by class", 0);
    if (tracy::ProfilerAvailable() && tracy::IsProfilerStarted() && tracy::ProfilerAllocatorAvailable())
        Profiler::Message("available", 0);
    if (!tracy::BeginSamplingProfiling() && !profiler.BeginSamplingProfiling())
        Profiler::Message("no sampling", 0);
    profiler.EndSamplingProfiling();
    tracy::EndSamplingProfiling();
    if (Profiler::GetTime() > 0 && tracy::GetThreadHandle() != 0)
        Profiler::Message("time and thread", 0);
    if (strcmp(tracy::GetThreadName(tracy::GetThreadHandle()), "Main thread") == 0)
        Profiler::Message("thread's name", 0);
    if (tracy::GetEnvVar("PATH") && !tracy::GetEnvVar("NO_SUCH_VARIABLE"))
        Profiler::Message("environment", 0);
    if (allocates())
        Profiler::Message("memory", 0);
    if (tracy::HardwareSupportsInvariantTSC() || !tracy::HardwareSupportsInvariantTSC())
        tracy::YieldThread();
    uint32_t word = 0;
    tracy::MemWrite(&word, 7u);
    char bytes[8] = {};
    void *const memory = bytes + 5;
    tracy::MemWrite(bytes + 1, 0x01020304u);
    tracy::MemWrite(memory, uint16_t(0x0506));
    const bool read = tracy::MemRead<uint32_t>(bytes + 1) == 0x01020304 &&
                      tracy::MemRead<uint16_t>(static_cast<const void *>(memory)) == 0x0506 && !bytes[7];
    static_assert(sizeof(tracy::TracyMutex) != 0, "there for programs that use it");
    if (read && tracy::MemRead(&word) == 7 && tracy::Version::Minor == 14 && tracy::Color::Red4 == 0x8b0000)
        Profiler::Message("constants", 0);
    profiler.SetProgramName("program by class");
}

static void run(void *argument)
{
    tracy::SetThreadName("class thread");
    tracy::ScopedZone zone(static_cast<const tracy::SourceLocationData *>(argument));
}

void classes()
{
    zones();
    locks();
    memory();
    events();
    sourceAndParameter();
    state();
    tracy::Thread thread(run, const_cast<tracy::SourceLocationData *>(place()));
    (void)thread.Handle();
}

// Ends a session, for programs that cannot wait for the end of the process.
void shutDown();
void shutDown()
{
    tracy::StartupProfiler();
    tracy::GetProfiler().RequestShutdown();
    tracy::ShutdownProfiler();
}
