// Zones of CUDA, without markers in the program: CUPTI reports the GPU's work and the calls of CUDA's
// functions.
//
//     tracy::CUDACtx *tracy = TracyCUDAContext();
//     TracyCUDAStartProfiling(tracy);
//     ... kernels, copies ...
//     TracyCUDAStopProfiling(tracy);               // waits for the GPU and sends what is left
//     TracyCUDAContextDestroy(tracy);
//
// Link with -lcupti. A trace gets:
//   - calls of CUDA's runtime and driver, as zones of the threads that make them;
//   - kernels, copies, memsets and synchronisation, as GPU zones by CUDA context and stream;
//   - the same copies, memsets and synchronisation as memory pools, with the bytes that they move;
//   - allocations on devices, as a memory pool;
//   - the time from a kernel's call to its start, as a plot.
// A thread of its own sends complete zones every 160 ms; with -DTRACY_CUDA_ENABLE_COLLECTOR_THREAD=0
// TracyCUDACollect does. Any thread may call the macros. Stop profiling while no other thread is in a call of
// CUDA: the zone of such a call stays open. Where CUPTI fails (no driver, no permission), there is one
// warning and the program continues.
// docs/client-gpu.md
#ifndef TENDRIL_TRACY_CUDA_HPP
#define TENDRIL_TRACY_CUDA_HPP

#ifndef TRACY_ENABLE

#include <cstddef>

#define TracyCUDAContext() nullptr
#define TracyCUDAContextDestroy(ctx)
#define TracyCUDAContextName(ctx, name, size)
#define TracyCUDAStartProfiling(ctx)
#define TracyCUDAStopProfiling(ctx)
#define TracyCUDACollect(ctx)

namespace tracy
{
using CUDACtx = std::nullptr_t;
} // namespace tracy

#else

#if defined(__has_include)
#if !__has_include(<cupti.h>)
#error "tracy/TracyCUDA.hpp needs CUPTI's headers (cupti.h; part of NVIDIA's CUDA toolkit)"
#endif
#endif
#include <cuda.h>
#if CUDA_VERSION < 12040
#error "tracy/TracyCUDA.hpp needs CUDA 12.4 or newer"
#endif

#include "../tendril/cuda_calls.hpp"
#include "../tendril/cuda_clock.hpp"
#include "../tendril/cuda_memory.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef TRACY_CUDA_CALIBRATED_CONTEXT
#define TRACY_CUDA_CALIBRATED_CONTEXT (1)
#endif
#ifndef TRACY_CUDA_ENABLE_COLLECTOR_THREAD
#define TRACY_CUDA_ENABLE_COLLECTOR_THREAD (1)
#endif

namespace tendril
{
class CudaHold
{
  public:
    explicit CudaHold(pthread_mutex_t &mutex) : m_mutex(&mutex)
    {
        pthread_mutex_lock(m_mutex);
    }
    ~CudaHold()
    {
        pthread_mutex_unlock(m_mutex);
    }
    CudaHold(const CudaHold &) = delete;
    CudaHold &operator=(const CudaHold &) = delete;

  private:
    pthread_mutex_t *const m_mutex;
};
} // namespace tendril

namespace tracy
{
// The trace's context for all of CUDA; a program has one.
class CUDACtx : public tendril::GpuMarks
{
  public:
    static CUDACtx *Create()
    {
        static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
        tendril::CudaHold hold(making);
        CUDACtx *&made = Made();
        if (!made) {
            alignas(CUDACtx) static unsigned char memory[sizeof(CUDACtx)]; // CUPTI may call at any time
            made = new (memory) CUDACtx;
        }
        made->m_users++;
        return made;
    }
    static void Destroy(CUDACtx *ctx)
    {
        if (ctx && --ctx->m_users == 0)
            ctx->StopProfiling();
    }
    void Name(const char *name, uint16_t size)
    {
        SetName(name, size);
    }
    void StartProfiling()
    {
        tendril::CudaHold hold(m_control);
        if (m_process || !IsKnown())
            return;
        if (!Works(cuptiSubscribe(&m_subscriber, tendril::CudaCalls::OnCall, this), "cuptiSubscribe"))
            return;
        Works(cuptiActivityRegisterCallbacks(OnBufferWanted, OnBufferDone), "cuptiActivityRegisterCallbacks");
        for (size_t i = 0; i < KindCount; i++)
            Works(cuptiActivityEnable(Kind(i)), "cuptiActivityEnable");
        EnableCalls(1);
        m_process = getpid();
        static bool atEnd;
        if (!atEnd)
            atEnd = atexit(AtExit) == 0;
        StartCollector();
    }
    // Waits until the GPU has completed all work of the current CUDA context.
    void StopProfiling()
    {
        if (m_process != getpid()) // not started, or only in the parent process
            return;
        tendril::CudaHold hold(m_control);
        if (!m_process)
            return;
        EnableCalls(0);
        StopCollector();
        Synchronize();
        {
            tendril::CudaHold flush(m_flush);
            Works(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
        }
        for (size_t i = 0; i < KindCount; i++)
            cuptiActivityDisable(Kind(i));
        cuptiUnsubscribe(m_subscriber);
        {
            tendril::CudaHold hold(m_sending);
            m_memory.Finish();
        }
        m_process = 0;
        m_warned = false;
        printStats();
    }
    // Prints how often each function of CUDA was called to standard output. Does nothing without
    // -DTRACY_CUDA_ENABLE_CUDA_CALL_STATS=1.
    static void printStats()
    {
        tendril::CudaCalls::PrintCounts();
    }
    // Sends the zones that are complete.
    void Collect()
    {
        ZoneScopedC(tendril::GpuCollectColor);
        Flush();
    }
    // The same moment in the host's ticks and in CUPTI's nanoseconds. The clocks are read several times; the
    // fastest reading is used.
    static void QueryTimestamps(int64_t &cpu, uint64_t &gpu)
    {
        const tendril::CudaClock::Moment now = tendril::CudaClock::ReadClocks();
        cpu = now.cpu;
        gpu = now.gpu;
    }
    // Calibrates the clocks again. Sending zones does so, too.
    void Recalibrate()
    {
        tendril::CudaHold hold(m_sending);
        CalibrateNow();
    }

  private:
    enum : size_t { BufferBytes = 1024 * 1024, KindCount = 5, Buckets = 512, LaneCount = 42 };
    enum : int64_t { CalibrationNs = 10000000, CollectNs = 160000000, HoldNs = 500000000, BlipTicks = 3 };
    enum : uint8_t { Kernel = tendril::CudaMemory::PoolCount };

    struct Work { // of the GPU
        int64_t start, end;
        uint32_t correlation, context, stream, lane; // lane: the first one that the zone may be on
        const SourceLocationData *site;
        uint64_t bytes;
        uint8_t pool; // CudaMemory::Pool, or Kernel
    };
    struct Line {
        int64_t end; // of its last zone
        Line *next;
        uint32_t number;
    };

    CUDACtx()
        : GpuMarks(0), m_users(0), m_process(0), m_warned(false), m_subscriber(nullptr), m_control(),
          m_flush(), m_sending(), m_wake(), m_collector(), m_collecting(false), m_query(0), m_lines(),
          m_spare(nullptr)
    {
        for (pthread_mutex_t *mutex : {&m_control, &m_flush, &m_sending})
            pthread_mutex_init(mutex, nullptr);
        IsKnown();
    }
    // Announces the context, if that was not done yet. false: CUPTI has no clock, so there is no context.
    bool IsKnown()
    {
        uint64_t now = 0;
        if (IsAlive())
            return true;
        if (!Works(cuptiGetTimestamp(&now), "cuptiGetTimestamp"))
            return false;
        const tendril::CudaClock::Moment &first = m_clock.Start();
        Announce(tendril::GpuCuda, 0, first.cpu, int64_t(first.gpu), 1.0f,
                 TRACY_CUDA_CALIBRATED_CONTEXT ? tendril::GpuCalibrated : 0, first.host);
        SetName("CUDA", 4);
        return true;
    }
    static CUDACtx *&Made()
    {
        static CUDACtx *made;
        return made;
    }
    // Whether the call succeeded. The first failure since profiling began is a warning.
    bool Works(CUptiResult result, const char *what)
    {
        if (result == CUPTI_SUCCESS)
            return true;
        const char *name = "?", *hint = "";
        cuptiGetResultString(result, &name);
        if (result == CUPTI_ERROR_UNKNOWN || result == CUPTI_ERROR_NOT_INITIALIZED)
            hint = " (is NVIDIA's driver there?)";
        else if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
            hint = " (profiling is for administrators here: NVreg_RestrictProfilingToAdminUsers)";
        else if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
            hint = " (another profiler is there)";
        if (!m_warned.exchange(true))
            tendril::GpuWarn("CUDA: %s: %s%s: zones of CUDA are not recorded, or not all", what, name, hint);
        return false;
    }

    // ---- Calls of CUPTI.

    static CUpti_ActivityKind Kind(size_t i)
    {
        static const CUpti_ActivityKind kinds[KindCount] = {
            CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
            CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_MEMORY2};
        return kinds[i];
    }
    void EnableCalls(uint32_t on)
    {
        Works(cuptiEnableDomain(on, m_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API), "cuptiEnableDomain");
        Works(cuptiEnableDomain(on, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API), "cuptiEnableDomain");
    }
    // Calls the driver, if the program has loaded it: programs that use the driver's interface are not linked
    // with the runtime.
    static void Synchronize()
    {
        void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (!driver)
            return;
        CUresult (*synchronize)(void);
        void *const symbol = dlsym(driver, "cuCtxSynchronize");
        memcpy(&synchronize, &symbol, sizeof symbol);
        if (symbol)
            synchronize();
        dlclose(driver);
    }
    void Flush()
    {
        // If another thread is flushing, there is no need to wait for it.
        if (m_process != getpid() || pthread_mutex_trylock(&m_flush) != 0)
            return;
        Works(cuptiActivityFlushAll(0), "cuptiActivityFlushAll");
        {
            tendril::CudaHold hold(m_sending);
            m_memory.Send(m_clock.Now() - HoldNs);
        }
        pthread_mutex_unlock(&m_flush);
    }
    static void AtExit()
    {
        Made()->StopProfiling();
    }

    // ---- The thread that collects. It waits on CLOCK_MONOTONIC, because other clocks may be set.

    void StartCollector()
    {
        if (!TRACY_CUDA_ENABLE_COLLECTOR_THREAD)
            return;
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&m_wake, &monotonic);
        pthread_condattr_destroy(&monotonic);
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); // the program's threads handle signals
        m_collecting = true;
        if (pthread_create(&m_collector, nullptr, CollectNowAndThen, this) != 0) {
            m_collecting = false;
            tendril::GpuWarn("CUDA: no thread that collects: zones come with TracyCUDACollect");
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    void StopCollector()
    {
        if (!m_collecting)
            return;
        {
            tendril::CudaHold hold(m_sending);
            m_collecting = false;
            pthread_cond_signal(&m_wake);
        }
        pthread_join(m_collector, nullptr);
        pthread_cond_destroy(&m_wake);
    }
    static void *CollectNowAndThen(void *data)
    {
        CUDACtx *const ctx = static_cast<CUDACtx *>(data);
        td_client_set_thread_name("CUDA collector", 0);
        for (bool on = true; on;) {
            {
                tendril::CudaHold hold(ctx->m_sending);
                const int64_t until = tendril::GpuHostNs() + CollectNs;
                const struct timespec at = {time_t(until / 1000000000), long(until % 1000000000)};
                while (ctx->m_collecting && pthread_cond_timedwait(&ctx->m_wake, &ctx->m_sending, &at) == 0)
                    ;
                on = ctx->m_collecting;
            }
            if (on)
                ctx->Flush();
        }
        return nullptr;
    }

    // ---- Clocks.

    void CalibrateNow()
    {
        tendril::CudaClock::Moment now;
        if (!m_clock.Read(&now) || !TRACY_CUDA_CALIBRATED_CONTEXT ||
            now.host - CalibratedNs() < CalibrationNs)
            return;
        Calibrate(m_clock.Unset(now.gpu), now.host, now.cpu);
    }
    tendril::CudaMemory::Moment MomentOf(int64_t gpu) const
    {
        return tendril::CudaMemory::Moment{gpu, m_clock.TicksOf(gpu)};
    }

    // ---- Records of the GPU's work. CUPTI borrows buffers, fills them and returns them.

    static void CUPTIAPI OnBufferWanted(uint8_t **buffer, size_t *size, size_t *most)
    {
        uint8_t *memory = Made()->m_spare.exchange(nullptr);
        if (!memory)
            memory = static_cast<uint8_t *>(td_client_alloc(BufferBytes));
        *buffer = memory; // NULL: CUPTI drops records, and counts them
        *size = memory ? size_t(BufferBytes) : 0;
        *most = 0; // as many records as fit
    }
    static void CUPTIAPI OnBufferDone(CUcontext context, uint32_t stream, uint8_t *buffer, size_t,
                                      size_t valid)
    {
        CUDACtx *const ctx = Made();
        if (buffer && valid && td_client_is_live()) {
            tendril::CudaHold hold(ctx->m_sending);
            ctx->CalibrateNow();
            ctx->Send(buffer, valid);
            ctx->m_memory.Send(ctx->m_clock.Now() - HoldNs);
        }
        size_t dropped = 0;
        if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped)
            tendril::GpuWarn("CUDA: CUPTI had no room for %zu records: what they tell is missing", dropped);
        td_client_free(ctx->m_spare.exchange(buffer));
    }
    // Sends the zones sorted by their starts: CUPTI returns records in the order of completion.
    void Send(uint8_t *buffer, size_t valid)
    {
        CUpti_Activity *record = nullptr;
        size_t count = 0, used = 0, untimed = 0;
        CUptiResult result;
        while ((result = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS)
            count++;
        if (result != CUPTI_ERROR_MAX_LIMIT_REACHED &&
            result != CUPTI_ERROR_INVALID_KIND) // the last record is incomplete
            Works(result, "cuptiActivityGetNextRecord");
        Work *const all = count ? static_cast<Work *>(td_client_alloc(count * sizeof(Work))) : nullptr;
        if (!all) {
            if (count)
                tendril::GpuWarn("CUDA: no memory for %zu GPU zones: they are missing", count);
            return;
        }
        record = nullptr;
        while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS && used < count) {
            if (record->kind == CUPTI_ACTIVITY_KIND_MEMORY2) {
                untimed += !TakeMemory(reinterpret_cast<const CUpti_ActivityMemory3 *>(record));
                continue;
            }
            if (!Read(record, &all[used]))
                continue;
            Work &work = all[used];
            if (work.start <= 0 || work.end < work.start) {
                untimed++;
                continue;
            }
            work.end -= work.start;
            work.start = m_clock.Unset(uint64_t(work.start));
            work.end += work.start;
            used++;
        }
        qsort(all, used, sizeof *all, ByStart);
        for (size_t i = 0; i < used; i++)
            Emit(all[i]);
        td_client_free(all);
        if (untimed)
            tendril::GpuWarn("CUDA: %zu records have no times: what they tell is missing", untimed);
    }
    static int ByStart(const void *a, const void *b)
    {
        const Work *const first = static_cast<const Work *>(a), *const second = static_cast<const Work *>(b);
        if (first->start != second->start)
            return first->start < second->start ? -1 : 1;
        return (first->end < second->end) - (first->end > second->end);
    }
    // Newer versions of these structures begin with the same fields. false: a record of another kind.
    bool Read(const CUpti_Activity *record, Work *work)
    {
        switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_KERNEL:
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
            const CUpti_ActivityKernel9 *const kernel =
                reinterpret_cast<const CUpti_ActivityKernel9 *>(record);
            return Take(kernel, work, m_kernels.Site(kernel->name), Kernel, 0);
        }
        case CUPTI_ACTIVITY_KIND_MEMCPY: {
            const CUpti_ActivityMemcpy5 *const copy = reinterpret_cast<const CUpti_ActivityMemcpy5 *>(record);
            return Take(copy, work, tendril::CudaCopySite(copy->copyKind), tendril::CudaMemory::Copy,
                        copy->bytes);
        }
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            static const SourceLocationData site = {"CUDA::memset", "memset", TracyFile, TracyLine,
                                                    Color::Blue};
            const CUpti_ActivityMemset4 *const set = reinterpret_cast<const CUpti_ActivityMemset4 *>(record);
            return Take(set, work, &site, tendril::CudaMemory::Set, set->bytes);
        }
        case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
            return TakeSynchronization(reinterpret_cast<const CUpti_ActivitySynchronization *>(record), work);
        default:
            return false;
        }
    }
    template <class Record>
    static bool Take(const Record *record, Work *work, const SourceLocationData *site, uint8_t pool,
                     uint64_t bytes)
    {
        *work = Work{int64_t(record->start),
                     int64_t(record->end),
                     record->correlationId,
                     record->contextId,
                     record->streamId,
                     0,
                     site,
                     bytes,
                     pool};
        return true;
    }
    // false: the record has no time.
    bool TakeMemory(const CUpti_ActivityMemory3 *record)
    {
        if (!record->timestamp || !record->address)
            return record->timestamp != 0;
        const int64_t gpu = m_clock.Unset(record->timestamp);
        const uint32_t thread = tendril::CudaCalls::Find(record->correlationId).thread;
        if (record->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION)
            m_memory.Allocate(record->address, record->bytes, MomentOf(gpu), thread);
        else if (record->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE)
            m_memory.Free(record->address, MomentOf(gpu), thread);
        return true;
    }
    // Synchronization with a context is on the line of its stream 0, with an event on the line of the highest
    // stream number, with a stream on another line than the work that it waits for.
    static bool TakeSynchronization(const CUpti_ActivitySynchronization *record, Work *work)
    {
        static const SourceLocationData sites[] = {
            {"CUDA::Context::sync", "synchronization", TracyFile, TracyLine, Color::Magenta},
            {"CUDA::Stream::sync", "synchronization", TracyFile, TracyLine, Color::Magenta3},
            {"CUDA::Event::sync", "synchronization", TracyFile, TracyLine, Color::Magenta4}};
        const bool ofStream = record->streamId != uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
        const bool ofEvent = record->cudaEventId != uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
        Take(record, work, &sites[ofEvent ? 2 : ofStream], tendril::CudaMemory::Synchronization, 1);
        work->lane = !ofEvent && ofStream;
        if (!work->lane)
            work->stream = ofEvent ? 0xffff : 0;
        return true;
    }
    // The number of the line that shows this work. Zones on a line must not overlap. The first line of CUDA
    // context 1 and stream 7 has the number 1 00007; zones that overlap go to the next one, 1 001 00007, and
    // so on.
    uint32_t LineOf(const Work &work)
    {
        uint32_t number = 0;
        for (uint32_t lane = work.lane; lane < LaneCount; lane++) {
            number = lane * 100000000 + work.context % 1000 * 100000 + (work.stream & 0xffff);
            Line **const bucket = &m_lines[number % Buckets];
            Line *line = *bucket;
            while (line && line->number != number)
                line = line->next;
            if (!line) {
                line = static_cast<Line *>(td_client_alloc(sizeof *line));
                if (!line)
                    break;
                *line = Line{INT64_MIN, *bucket, number};
                *bucket = line;
            }
            if (work.start < line->end)
                continue;
            line->end = work.end;
            break;
        }
        return number;
    }
    void Emit(const Work &work)
    {
        const tendril::CudaMemory::Moment start = MomentOf(work.start), end = MomentOf(work.end);
        const tendril::CudaCall call = tendril::CudaCalls::Find(work.correlation);
        if (!call.current)
            return;
        if (work.pool == Kernel && call.known)
            Latency(start.ticks, start.ticks - call.begin);
        else if (work.pool != Kernel)
            m_memory.Work(tendril::CudaMemory::Pool(work.pool), work.bytes, start, end, call.thread);
        const uint32_t line = LineOf(work);
        const uint16_t query = m_query;
        m_query = uint16_t(m_query + 2);
        td_client_gpu_zone_begin(Id(), query, uint64_t(uintptr_t(work.site)), 0, 0,
                                 call.known ? call.begin : start.ticks, line);
        td_client_gpu_zone_end(Id(), uint16_t(query + 1), call.known ? call.end : end.ticks, line);
        Time(query, work.start);
        Time(uint16_t(query + 1), work.end);
    }

    // A point of the plot: the time from a kernel's call to its start, between two points of 0.
    void Latency(int64_t at, int64_t ticks)
    {
        static const char name[] = "Kernel Latency (ms)";
        td_client_plot_at(name, 0, at - BlipTicks);
        td_client_plot_at(name, ticks > 0 ? m_clock.NsOf(ticks) * 1e-6 : 0, at);
        td_client_plot_at(name, 0, at + BlipTicks);
    }

    std::atomic<int> m_users;
    std::atomic<pid_t> m_process; // the process that profiles; 0: none
    std::atomic<bool> m_warned;
    CUpti_SubscriberHandle m_subscriber;
    // Locked in this order: for starting and stopping; for flushing CUPTI's buffers; for sending their
    // records.
    pthread_mutex_t m_control, m_flush, m_sending;
    pthread_cond_t m_wake;
    pthread_t m_collector;
    bool m_collecting;
    uint16_t m_query;
    tendril::CudaClock m_clock;
    tendril::CudaMemory m_memory;
    tendril::CudaKernels m_kernels;
    Line *m_lines[Buckets];
    std::atomic<uint8_t *> m_spare; // a buffer that CUPTI does not have
};
} // namespace tracy

#define TracyCUDAContext()                    tracy::CUDACtx::Create()
#define TracyCUDAContextDestroy(ctx)          tracy::CUDACtx::Destroy(ctx)
#define TracyCUDAContextName(ctx, name, size) ctx->Name(name, size)
#define TracyCUDAStartProfiling(ctx)          ctx->StartProfiling()
#define TracyCUDAStopProfiling(ctx)           ctx->StopProfiling()
#define TracyCUDACollect(ctx)                 ctx->Collect()

#endif
#endif
