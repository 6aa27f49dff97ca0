// Items of Tracy's queue, written directly, as engines with their own instrumentation do.
#include <client/TracyThread.hpp>
#include <tracy/Tracy.hpp>

#include <string.h>

void items();

using tracy::MemWrite;
using tracy::Profiler;
using tracy::QueueType;

static const tracy::SourceLocationData place = {"by item", "writer", "items.x", 5, 0x334455};

static uint64_t address(const void *of)
{
    return uint64_t(reinterpret_cast<uintptr_t>(of));
}

// Memory that goes with an item.
static uint64_t text(const char *of)
{
    return address(memcpy(tracy::tracy_malloc(strlen(of)), of, strlen(of)));
}

static void begin(QueueType type, uint64_t srcloc)
{
    TracyQueuePrepareC(type);
    MemWrite(&item->zoneBegin.time, Profiler::GetTime());
    MemWrite(&item->zoneBegin.srcloc, srcloc);
    TracyQueueCommitC(zoneBeginThread);
}

static void end()
{
    TracyLfqPrepareC(QueueType::ZoneEnd);
    MemWrite(&item->zoneEnd.time, Profiler::GetTime());
    TracyLfqCommitC;
}

static void say(QueueType type, const char *what)
{
    TracyQueuePrepare(type);
    MemWrite(&item->zoneTextFat.text, text(what));
    MemWrite(&item->zoneTextFat.size, uint16_t(strlen(what)));
    TracyQueueCommit(zoneTextFatThread);
}

static void zones()
{
    begin(QueueType::ZoneBegin, address(&place));
    {
        TracyLfqPrepare(QueueType::ZoneValidation);
        MemWrite(&item->zoneValidation.id, tracy::GetProfiler().GetNextZoneId());
        TracyLfqCommit;
    }
    say(QueueType::ZoneText, "text");
    say(QueueType::ZoneName, "renamed");
    {
        TracyQueuePrepare(QueueType::ZoneColor);
        MemWrite(&item->zoneColor.r, uint8_t(1));
        MemWrite(&item->zoneColor.g, uint8_t(2));
        MemWrite(&item->zoneColor.b, uint8_t(3));
        TracyQueueCommit(zoneColorThread);
    }
    begin(QueueType::ZoneBeginCallstack, address(&place));
    tracy::GetProfiler().SendCallstack(8);
    {
        TracyQueuePrepare(QueueType::ZoneValue);
        MemWrite(&item->zoneValue.value, uint64_t(9));
        TracyQueueCommit(zoneValueThread);
    }
    begin(QueueType::ZoneBeginAllocSrcLoc, Profiler::AllocSourceLocation(6, "items.x", "made"));
    begin(QueueType::ZoneBeginAllocSrcLocCallstack, Profiler::AllocSourceLocation(7, "items.x", "made deep"));
    tracy::GetProfiler().SendCallstack(8);
    begin(QueueType::ZoneBeginCallstack, address(&place)); // the stack's item is missing
    for (int i = 0; i < 4; i++)
        end();
    // Ends a zone by its number, as bindings do.
    const TracyCZoneCtx context = {tracy::GetProfiler().GetNextZoneId(), 1};
    ___tracy_emit_zone_end(context);
}

static void lockEvent(QueueType type, uint32_t id)
{
    auto *item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, type);
    MemWrite(&item->lockWait.thread, tracy::GetThreadHandle());
    MemWrite(&item->lockWait.id, id);
    MemWrite(&item->lockWait.time, Profiler::GetTime());
    MemWrite(&item->lockMark.srcloc, address(&place));
    Profiler::QueueSerialFinish();
}

static void locks(tracy::LockType type, const char *name)
{
    const uint32_t id = tracy::GetLockCounter().fetch_add(1, std::memory_order_relaxed);
    auto *item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::LockAnnounce);
    MemWrite(&item->lockAnnounce.id, id);
    MemWrite(&item->lockAnnounce.time, Profiler::GetTime());
    MemWrite(&item->lockAnnounce.lckloc, address(&place));
    MemWrite(&item->lockAnnounce.type, type);
    tracy::GetProfiler().DeferItem(*item);
    Profiler::QueueSerialFinish();
    item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::LockName);
    MemWrite(&item->lockNameFat.id, id);
    MemWrite(&item->lockNameFat.name, text(name));
    MemWrite(&item->lockNameFat.size, uint16_t(strlen(name)));
    Profiler::QueueSerialFinish();
    lockEvent(QueueType::LockWait, id);
    lockEvent(QueueType::LockObtain, id);
    lockEvent(QueueType::LockMark, id);
    lockEvent(QueueType::LockRelease, id);
    if (type == tracy::LockType::SharedLockable) {
        lockEvent(QueueType::LockSharedWait, id);
        lockEvent(QueueType::LockSharedObtain, id);
        lockEvent(QueueType::LockSharedRelease, id);
    }
    lockEvent(QueueType::LockTerminate, id);
    lockEvent(QueueType::LockWait, 0x7fffffff); // never announced
}

static void memory()
{
    static char heap[8];
    const char *const pool = "item pool";
    const QueueType types[] = {QueueType::MemAllocNamed, QueueType::MemFreeNamed, QueueType::MemAlloc,
                               QueueType::MemFree};
    for (int i = 0; i < 4; i++) {
        auto *item = Profiler::QueueSerial();
        if (i < 2) {
            MemWrite(&item->hdr.type, QueueType::MemNamePayload);
            MemWrite(&item->memName.name, address(pool));
            Profiler::QueueSerialFinish();
            item = Profiler::QueueSerial();
        }
        const uint64_t size = 0x1234567;
        MemWrite(&item->hdr.type, types[i]);
        MemWrite(&item->memAlloc.time, Profiler::GetTime());
        MemWrite(&item->memAlloc.thread, tracy::GetThreadHandle());
        MemWrite(&item->memAlloc.ptr, address(heap));
        memcpy(&item->memAlloc.size, &size, sizeof item->memAlloc.size);
        Profiler::QueueSerialFinish();
    }
}

static void gpuZone(QueueType type, uint8_t context, uint16_t query, uint64_t srcloc)
{
    auto *item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, type);
    MemWrite(&item->gpuZoneBegin.cpuTime, Profiler::GetTime());
    MemWrite(&item->gpuZoneBegin.srcloc, srcloc);
    MemWrite(&item->gpuZoneBegin.thread, tracy::GetThreadHandle());
    MemWrite(&item->gpuZoneBegin.queryId, query);
    MemWrite(&item->gpuZoneBegin.context, context);
    Profiler::QueueSerialFinish();
}

static void gpuTime(QueueType type, uint8_t context, uint16_t query, int64_t time)
{
    auto *item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, type);
    MemWrite(&item->gpuTime.gpuTime, time);
    MemWrite(&item->gpuTime.queryId, query);
    MemWrite(&item->gpuTime.context, context);
    if (type == QueueType::GpuCalibration) {
        MemWrite(&item->gpuCalibration.cpuTime, Profiler::GetTime());
        MemWrite(&item->gpuCalibration.cpuDelta, int64_t(1000));
    }
    Profiler::QueueSerialFinish();
}

static void gpu()
{
    const uint8_t id = uint8_t(tracy::GetGpuCtxCounter().fetch_add(1));
    auto *item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuNewContext);
    MemWrite(&item->gpuNewContext.cpuTime, Profiler::GetTime() - tracy::GetFrequencyQpc());
    MemWrite(&item->gpuNewContext.gpuTime, int64_t(100));
    MemWrite(&item->gpuNewContext.thread, uint32_t(0));
    MemWrite(&item->gpuNewContext.period, 1.f);
    MemWrite(&item->gpuNewContext.context, id);
    MemWrite(&item->gpuNewContext.flags, uint8_t(1)); // as some programs do: a number
    MemWrite(&item->gpuNewContext.type, tracy::GpuContextType::Vulkan);
    Profiler::QueueSerialFinish();
    item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuContextName);
    MemWrite(&item->gpuContextNameFat.context, id);
    MemWrite(&item->gpuContextNameFat.ptr, text("item context"));
    MemWrite(&item->gpuContextNameFat.size, uint16_t(12));
    Profiler::QueueSerialFinish();
    gpuZone(QueueType::GpuZoneBeginSerial, id, 0, address(&place));
    gpuZone(QueueType::GpuZoneBeginAllocSrcLocSerial, id, 1,
            Profiler::AllocSourceLocation(8, "items.x", "made for a GPU"));
    gpuZone(QueueType::GpuZoneEndSerial, id, 2, 0);
    gpuZone(QueueType::GpuZoneEndSerial, id, 3, 0);
    gpuZone(QueueType::GpuZoneBegin, id, 4, address(&place));
    gpuZone(QueueType::GpuZoneEnd, id, 5, 0);
    gpuZone(QueueType::GpuZoneBeginAllocSrcLoc, id, 6, Profiler::AllocSourceLocation(9, "items.x", "last"));
    gpuZone(QueueType::GpuZoneEnd, id, 7, 0);
    for (uint16_t query = 0; query < 8; query++)
        gpuTime(QueueType::GpuTime, id, query, 200 + query);
    gpuTime(QueueType::GpuCalibration, id, 0, 300);
    gpuTime(QueueType::GpuTimeSync, id, 0, 400);
}

template <class Member, class Value> static void point(QueueType type, Member member, Value value)
{
    TracyQueuePrepareC(type);
    MemWrite(&(item->*member).name, address("item plot"));
    MemWrite(&(item->*member).time, Profiler::GetTime());
    MemWrite(&(item->*member).val, value);
    TracyQueueCommitC(plotData);
}

static void plots()
{
    {
        TracyQueuePrepareC(QueueType::PlotConfig);
        MemWrite(&item->plotConfig.name, address("item plot"));
        MemWrite(&item->plotConfig.type, uint8_t(tracy::PlotFormatType::Memory));
        MemWrite(&item->plotConfig.step, uint8_t(1));
        MemWrite(&item->plotConfig.fill, uint8_t(0));
        MemWrite(&item->plotConfig.color, uint32_t(0x000102));
        TracyQueueCommitC(plotConfig);
    }
    point(QueueType::PlotDataInt, &tracy::QueueItem::plotDataInt, int64_t(-7));
    point(QueueType::PlotDataFloat, &tracy::QueueItem::plotDataFloat, 1.5f);
    point(QueueType::PlotDataDouble, &tracy::QueueItem::plotDataDouble, 2.5);
    TracyQueuePrepareC(QueueType::ParamSetup);
    MemWrite(&item->paramSetup.idx, uint32_t(8));
    MemWrite(&item->paramSetup.name, address("item parameter"));
    MemWrite(&item->paramSetup.type, uint8_t(0));
    MemWrite(&item->paramSetup.val, int32_t(1));
    TracyQueueCommitC(paramSetup);
}

static void message(QueueType type, const char *what, bool literal)
{
    TracyQueuePrepareC(type);
    MemWrite(&item->messageColorFat.time, Profiler::GetTime());
    MemWrite(&item->messageColorFat.text, literal ? address(what) : text(what));
    MemWrite(&item->messageColorFat.size, uint16_t(strlen(what)));
    MemWrite(&item->messageColorFat.r, uint8_t(4));
    MemWrite(&item->messageColorFat.g, uint8_t(5));
    MemWrite(&item->messageColorFat.b, uint8_t(6));
    TracyQueueCommitC(messageColorFatThread);
}

static void frame(QueueType type, const char *name)
{
    TracyQueuePrepareC(type);
    MemWrite(&item->frameMark.time, Profiler::GetTime());
    MemWrite(&item->frameMark.name, address(name));
    TracyQueueCommitC(frameMark);
}

static void fiber(QueueType type)
{
    TracyQueuePrepareC(type);
    MemWrite(&item->fiberEnter.time, Profiler::GetTime());
    MemWrite(&item->fiberEnter.fiber, address("item fiber"));
    MemWrite(&item->fiberEnter.groupHint, int32_t(6));
    TracyQueueCommitC(fiberEnter);
}

static void run(void *)
{
    tracy::SetThreadName("item thread");
    zones();
    locks(tracy::LockType::Lockable, "item lock");
    locks(tracy::LockType::SharedLockable, "item shared");
    memory();
    gpu();
    plots();
    message(QueueType::Message, "item m", false);
    message(QueueType::MessageColor, "item mC", false);
    message(QueueType::MessageLiteral, "item mL", true);
    message(QueueType::MessageLiteralColor, "item mLC", true);
    message(QueueType::MessageAppInfo, "by item", false);
    frame(QueueType::FrameMarkMsg, "item set");
    frame(QueueType::FrameMarkMsgStart, "item part");
    frame(QueueType::FrameMarkMsgEnd, "item part");
    fiber(QueueType::FiberEnter);
    begin(QueueType::ZoneBegin, address(&place));
    end();
    fiber(QueueType::FiberLeave);
}

void items()
{
    tracy::Thread thread(run, nullptr);
}
