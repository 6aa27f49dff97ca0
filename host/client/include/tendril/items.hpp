// Items of Tracy's queue, for programs that write them directly: engines that pass on their own
// instrumentation, and recorders of other devices' work.
//
//     auto item = tracy::Profiler::QueueSerial();
//     tracy::MemWrite(&item->hdr.type, tracy::QueueType::LockWait);
//     tracy::MemWrite(&item->lockWait.id, id);
//     tracy::Profiler::QueueSerialFinish();
//
// or TracyQueuePrepare(type) and TracyQueueCommit(member). Fields have the names of Tracy 0.9 to 0.13. When
// an item is finished, it becomes the marker of the same meaning. The marker has the item's time if the item
// is of a zone, a plot or a GPU and has one; otherwise its time is now. The marker's thread is the calling
// one, except in GPU zones. Texts are memory of tracy_malloc(); the item owns them. Types of Tracy's that are
// missing here have no counterpart among the markers.
#ifndef TENDRIL_ITEMS_HPP
#define TENDRIL_ITEMS_HPP
#include "../common/TracyAlign.hpp"
#include "../common/TracyForceInline.hpp"
#include "../common/TracyQueue.hpp"
#include "../tracy/TracyC.h"

#ifdef TRACY_ENABLE
#include <atomic>

namespace tracy
{
struct QueueZone {
    int64_t time;
    uint64_t srcloc;
    uint32_t thread;
};
struct QueueZoneDetail {
    uint32_t id;
    uint8_t b, g, r;
    uint64_t value, text;
    uint16_t size;
    uint32_t thread;
};
struct QueueFrameMark {
    int64_t time;
    uint64_t name;
};
struct QueueMessage {
    int64_t time;
    uint8_t b, g, r;
    uint64_t text;
    uint16_t size;
    uint32_t thread;
};
template <class Value> struct QueuePlotData {
    uint64_t name;
    int64_t time;
    Value val;
};
struct QueuePlotConfig {
    uint64_t name;
    uint8_t type, step, fill;
    uint32_t color;
};
struct QueueParamSetup {
    uint32_t idx;
    uint64_t name;
    uint8_t type;
    int32_t val;
};
struct QueueFiber {
    int64_t time;
    uint64_t fiber;
    uint32_t thread;
    int32_t groupHint;
};
struct QueueLock {
    uint32_t thread, id;
    int64_t time;
    uint64_t lckloc, srcloc, name;
    uint16_t size;
    LockType type;
};
struct QueueMemory {
    int64_t time;
    uint32_t thread;
    uint64_t ptr, name;
    char size[6]; // little-endian
};
struct QueueGpuNewContext {
    int64_t cpuTime, gpuTime;
    uint32_t thread;
    float period;
    uint8_t context;
    GpuContextFlags flags;
    GpuContextType type;
};
struct QueueGpuZone {
    int64_t cpuTime;
    uint64_t srcloc;
    uint32_t thread;
    uint16_t queryId;
    uint8_t context;
};
struct QueueGpuTime {
    int64_t gpuTime, cpuTime, cpuDelta;
    uint16_t queryId;
    uint8_t context;
};
struct QueueGpuContextName {
    uint64_t ptr;
    uint16_t size;
    uint8_t context;
};

struct QueueItem {
    struct {
        QueueType type;
    } hdr;
    union {
        QueueZone zoneBegin, zoneBeginThread, zoneBeginLean, zoneEnd, zoneEndThread;
        QueueZoneDetail zoneValidation, zoneValidationThread, zoneColor, zoneColorThread, zoneValue,
            zoneValueThread, zoneTextFat, zoneTextFatThread;
        QueueFrameMark frameMark;
        QueueMessage message, messageFat, messageFatThread, messageColorFat, messageColorFatThread,
            messageLiteral, messageLiteralThread, messageColorLiteral, messageColorLiteralThread;
        QueuePlotData<int64_t> plotDataInt;
        QueuePlotData<float> plotDataFloat;
        QueuePlotData<double> plotDataDouble;
        QueuePlotConfig plotConfig;
        QueueParamSetup paramSetup;
        QueueFiber fiberEnter, fiberLeave;
        QueueLock lockAnnounce, lockTerminate, lockWait, lockObtain, lockRelease, lockReleaseShared, lockMark,
            lockName, lockNameFat;
        QueueMemory memAlloc, memFree, memName;
        QueueGpuNewContext gpuNewContext;
        QueueGpuZone gpuZoneBegin, gpuZoneBeginLean, gpuZoneEnd;
        QueueGpuTime gpuTime, gpuTimeSync, gpuCalibration;
        QueueGpuContextName gpuContextName, gpuContextNameFat;
    };
};

// The unfinished items of a thread.
struct TendrilItems {
    QueueItem item; // between QueueSerial() and QueueSerialFinish()
    QueueZone zone; // of ZoneBeginCallstack, which waits for its call stack
    bool waits, made;
    const char *pool; // name from MemNamePayload, for the next event of memory

    static TendrilItems &OfThread()
    {
        static thread_local TendrilItems items = TendrilItems();
        return items;
    }
};

template <class T> T *TendrilAt(uint64_t address)
{
    return reinterpret_cast<T *>(static_cast<uintptr_t>(address));
}

inline TracyCZoneCtx TendrilOpenZone()
{
    const uint32_t live = td_client_is_live();
    const TracyCZoneCtx zone = {live ? TD_CLIENT_INNERMOST : TD_CLIENT_OFF, live != 0};
    return zone;
}

inline void TendrilZoneBegin(const QueueZone &zone, bool made)
{
    if (made) {
        ___tracy_emit_zone_begin_alloc(zone.srcloc, 1);
        return;
    }
    uint64_t *record = td_client_is_live() ? td_client_reserve(&td_client_producer, 2) : nullptr;
    if (!record)
        return;
    record[1] = zone.srcloc;
    td_client_producer.open = 0; // the item has no zone's number
    td_client_publish(record, TD_CLIENT_ZONE_BEGIN, static_cast<uint64_t>(zone.time));
}

inline void TendrilZoneEnd(const QueueZone &zone)
{
    td_client_producer.open = 0;
    uint64_t *record = td_client_is_live() ? td_client_reserve(&td_client_producer, 1) : nullptr;
    if (record)
        td_client_publish(record, TD_CLIENT_ZONE_END, static_cast<uint64_t>(zone.time));
}

// Begins the waiting zone, with its call stack.
TD_CLIENT_IN_PLACE void TendrilStack(int32_t depth)
{
    TendrilItems &items = TendrilItems::OfThread();
    if (!items.waits)
        return;
    items.waits = false;
    if (items.made)
        ___tracy_emit_zone_begin_alloc_callstack(items.zone.srcloc, depth, 1);
    else
        ___tracy_emit_zone_begin_callstack(TendrilAt<const ___tracy_source_location_data>(items.zone.srcloc),
                                           depth, 1);
}

inline bool TendrilPutZone(const QueueItem &item)
{
    const QueueZoneDetail &detail = item.zoneTextFat;
    switch (item.hdr.type) {
    case QueueType::ZoneBegin:
    case QueueType::ZoneBeginAllocSrcLoc:
        TendrilZoneBegin(item.zoneBegin, item.hdr.type == QueueType::ZoneBeginAllocSrcLoc);
        return true;
    case QueueType::ZoneBeginCallstack:
    case QueueType::ZoneBeginAllocSrcLocCallstack: {
        TendrilItems &items = TendrilItems::OfThread();
        items.zone = item.zoneBegin;
        items.made = item.hdr.type == QueueType::ZoneBeginAllocSrcLocCallstack;
        items.waits = true;
        return true;
    }
    case QueueType::ZoneEnd:
        TendrilZoneEnd(item.zoneEnd);
        return true;
    case QueueType::ZoneText:
        ___tracy_emit_zone_text(TendrilOpenZone(), TendrilAt<const char>(detail.text), detail.size);
        td_client_free(TendrilAt<void>(detail.text));
        return true;
    case QueueType::ZoneName:
        ___tracy_emit_zone_name(TendrilOpenZone(), TendrilAt<const char>(detail.text), detail.size);
        td_client_free(TendrilAt<void>(detail.text));
        return true;
    case QueueType::ZoneColor:
        ___tracy_emit_zone_color(TendrilOpenZone(),
                                 uint32_t(detail.r) << 16 | uint32_t(detail.g) << 8 | detail.b);
        return true;
    case QueueType::ZoneValue:
        ___tracy_emit_zone_value(TendrilOpenZone(), detail.value);
        return true;
    default:
        return item.hdr.type == QueueType::ZoneValidation; // zones are not numbered here
    }
}

inline bool TendrilPutMessage(const QueueItem &item)
{
    const QueueMessage &m = item.message;
    const char *text = TendrilAt<const char>(m.text);
    const uint32_t color = uint32_t(m.r) << 16 | uint32_t(m.g) << 8 | m.b;
    switch (item.hdr.type) {
    case QueueType::MessageLiteral:
        ___tracy_emit_messageL(text, 0);
        return true;
    case QueueType::MessageLiteralColor:
        ___tracy_emit_messageLC(text, color, 0);
        return true;
    case QueueType::Message:
        ___tracy_emit_message(text, m.size, 0);
        break;
    case QueueType::MessageColor:
        ___tracy_emit_messageC(text, m.size, color, 0);
        break;
    case QueueType::MessageAppInfo:
        ___tracy_emit_message_appinfo(text, m.size);
        break;
    default:
        return false;
    }
    td_client_free(TendrilAt<void>(m.text));
    return true;
}

inline bool TendrilPutPlot(const QueueItem &item)
{
    const QueuePlotConfig &config = item.plotConfig;
    switch (item.hdr.type) {
    case QueueType::PlotDataInt:
        td_client_plot(TD_CLIENT_PLOT_INT, TendrilAt<const char>(item.plotDataInt.name),
                       static_cast<uint64_t>(item.plotDataInt.val));
        return true;
    case QueueType::PlotDataFloat:
        td_client_plot_at(TendrilAt<const char>(item.plotDataFloat.name),
                          static_cast<double>(item.plotDataFloat.val), item.plotDataFloat.time);
        return true;
    case QueueType::PlotDataDouble:
        td_client_plot_at(TendrilAt<const char>(item.plotDataDouble.name), item.plotDataDouble.val,
                          item.plotDataDouble.time);
        return true;
    case QueueType::PlotConfig:
        ___tracy_emit_plot_config(TendrilAt<const char>(config.name), config.type, config.step, config.fill,
                                  config.color);
        return true;
    case QueueType::ParamSetup:
        td_client_parameter_setup(item.paramSetup.idx, TendrilAt<const char>(item.paramSetup.name),
                                  item.paramSetup.type, item.paramSetup.val);
        return true;
    default:
        return false;
    }
}

inline bool TendrilPutLock(const QueueItem &item)
{
    const QueueLock &lock = item.lockAnnounce;
    switch (item.hdr.type) {
    case QueueType::LockAnnounce:
        td_client_lock_announce(lock.id, TendrilAt<const void>(lock.lckloc),
                                lock.type == LockType::SharedLockable);
        return true;
    case QueueType::LockTerminate:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_TERMINATE);
        return true;
    case QueueType::LockWait:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_WAIT);
        return true;
    case QueueType::LockObtain:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_OBTAIN);
        return true;
    case QueueType::LockRelease:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_RELEASE);
        return true;
    case QueueType::LockSharedWait:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_SHARED_WAIT);
        return true;
    case QueueType::LockSharedObtain:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_SHARED_OBTAIN);
        return true;
    case QueueType::LockSharedRelease:
        td_client_lock_event(lock.id, TD_CLIENT_LOCK_SHARED_RELEASE);
        return true;
    case QueueType::LockMark:
        td_client_lock_mark(lock.id, TendrilAt<const void>(lock.srcloc));
        return true;
    case QueueType::LockName:
        td_client_lock_name(lock.id, TendrilAt<const char>(lock.name), lock.size);
        td_client_free(TendrilAt<void>(lock.name));
        return true;
    default:
        return false;
    }
}

inline bool TendrilPutMemory(const QueueItem &item)
{
    const QueueMemory &memory = item.memAlloc;
    const char *&pool = TendrilItems::OfThread().pool;
    const void *at = TendrilAt<const void>(memory.ptr);
    uint64_t size = 0;
    switch (item.hdr.type) {
    case QueueType::MemNamePayload:
        pool = TendrilAt<const char>(memory.name);
        return true;
    case QueueType::MemAlloc:
    case QueueType::MemAllocNamed:
        memcpy(&size, memory.size, sizeof memory.size);
        if (item.hdr.type == QueueType::MemAlloc) {
            TracyCAllocS(at, size, 0);
        } else {
            TracyCAllocNS(at, size, 0, pool);
        }
        break;
    case QueueType::MemFree:
        TracyCFreeS(at, 0);
        break;
    case QueueType::MemFreeNamed:
        TracyCFreeNS(at, 0, pool);
        break;
    default:
        return false;
    }
    pool = nullptr;
    return true;
}

inline bool TendrilPutGpu(const QueueItem &item)
{
    const QueueGpuZone &zone = item.gpuZoneBegin;
    const QueueGpuTime &time = item.gpuTime;
    switch (item.hdr.type) {
    case QueueType::GpuNewContext: {
        const QueueGpuNewContext &made = item.gpuNewContext;
        const td_client_gpu_context context = {made.gpuTime,
                                               made.cpuTime,
                                               made.period,
                                               made.thread,
                                               made.context,
                                               static_cast<uint8_t>(made.flags),
                                               static_cast<uint8_t>(made.type)};
        td_client_gpu_new_context(&context);
        return true;
    }
    case QueueType::GpuContextName:
        td_client_gpu_context_name(item.gpuContextName.context,
                                   TendrilAt<const char>(item.gpuContextName.ptr), item.gpuContextName.size);
        td_client_free(TendrilAt<void>(item.gpuContextName.ptr));
        return true;
    case QueueType::GpuZoneBegin:
    case QueueType::GpuZoneBeginSerial:
        td_client_gpu_zone_begin(zone.context, zone.queryId, zone.srcloc, 0, 0, zone.cpuTime, zone.thread);
        return true;
    case QueueType::GpuZoneBeginAllocSrcLoc:
    case QueueType::GpuZoneBeginAllocSrcLocSerial:
        td_client_gpu_zone_begin(zone.context, zone.queryId, zone.srcloc, 1, 0, zone.cpuTime, zone.thread);
        return true;
    case QueueType::GpuZoneEnd:
    case QueueType::GpuZoneEndSerial:
        td_client_gpu_zone_end(zone.context, zone.queryId, zone.cpuTime, zone.thread);
        return true;
    case QueueType::GpuTime:
        td_client_gpu_time(time.context, time.queryId, time.gpuTime);
        return true;
    case QueueType::GpuCalibration:
        td_client_gpu_calibration(time.context, time.gpuTime, time.cpuDelta, time.cpuTime);
        return true;
    case QueueType::GpuTimeSync: {
        const ___tracy_gpu_time_sync_data sync = {time.gpuTime, time.context};
        ___tracy_emit_gpu_time_sync(sync);
        return true;
    }
    default:
        return false;
    }
}

// Writes the item's marker.
inline void TendrilPut(const QueueItem &item)
{
    TendrilItems &items = TendrilItems::OfThread();
    if (items.waits) { // the zone's call stack is missing
        items.waits = false;
        TendrilZoneBegin(items.zone, items.made);
    }
    if (TendrilPutZone(item) || TendrilPutLock(item) || TendrilPutGpu(item) || TendrilPutMemory(item) ||
        TendrilPutPlot(item) || TendrilPutMessage(item))
        return;
    const char *name = TendrilAt<const char>(item.frameMark.name);
    if (item.hdr.type == QueueType::FiberEnter)
        td_client_fiber_enter(TendrilAt<const char>(item.fiberEnter.fiber), item.fiberEnter.groupHint);
    else if (item.hdr.type == QueueType::FiberLeave)
        td_client_fiber_leave();
    else if (item.hdr.type == QueueType::FrameMarkMsgStart)
        ___tracy_emit_frame_mark_start(name);
    else if (item.hdr.type == QueueType::FrameMarkMsgEnd)
        ___tracy_emit_frame_mark_end(name);
    else if (item.hdr.type == QueueType::FrameMarkMsg)
        ___tracy_emit_frame_mark(name);
}

// Counters for the numbers of locks and of GPU contexts, with the part of Tracy's interface that programs
// use: fetch_add(1).
template <class Number, Number (*next)()> struct TendrilCounter {
    Number fetch_add(unsigned, std::memory_order = std::memory_order_seq_cst) const
    {
        return next();
    }
};
inline TendrilCounter<uint32_t, td_client_lock_next> GetLockCounter()
{
    return TendrilCounter<uint32_t, td_client_lock_next>();
}
inline TendrilCounter<uint16_t, td_client_gpu_next_context> GetGpuCtxCounter()
{
    return TendrilCounter<uint16_t, td_client_gpu_next_context>();
}
} // namespace tracy

// clang-format off
#define TracyQueuePrepare(kind)                                                                               \
    tracy::QueueItem tendril_item_ = tracy::QueueItem();                                                      \
    auto *item = &tendril_item_;                                                                              \
    item->hdr.type = kind;
#define TracyQueueCommit(member)  tracy::TendrilPut(*item);
#define TracyQueuePrepareC(kind)  TracyQueuePrepare(kind)
#define TracyQueueCommitC(member) TracyQueueCommit(member)
#define TracyLfqPrepare(kind)     TracyQueuePrepare(kind)
#define TracyLfqPrepareC(kind)    TracyQueuePrepare(kind)
#define TracyLfqCommit            tracy::TendrilPut(*item);
#define TracyLfqCommitC           TracyLfqCommit
// clang-format on
#endif
#endif
