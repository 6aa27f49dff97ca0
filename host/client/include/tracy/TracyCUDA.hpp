// Zones of CUDA, without markers in the program: CUPTI tells what the GPU did and which functions were
// called.
//
//     tracy::CUDACtx *tracy = TracyCUDAContext();
//     TracyCUDAStartProfiling(tracy);
//     ... kernels, copies ...
//     TracyCUDAStopProfiling(tracy);               // waits for the GPU and sends what is left
//     TracyCUDAContextDestroy(tracy);
//
// Link with -lcupti. Calls of CUDA's runtime and driver become zones of the threads that make them; kernels,
// copies, memsets and synchronisation become GPU zones of their CUDA context and stream. A thread sends what
// is complete every 160 ms, or TracyCUDACollect does (-DTRACY_CUDA_ENABLE_COLLECTOR_THREAD=0). All of it may
// be called by any thread. Stop while no other thread is in a call of CUDA: such a call's zone stays open.
// Where CUPTI fails (no driver, no permission), there is one warning and the program goes on.
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
    // Waits until the GPU has done what the current CUDA context was asked for.
    void StopProfiling()
    {
        if (m_process != getpid()) // not, or the parent did
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
        m_process = 0;
        m_warned = false;
    }
    // Sends the zones that are complete.
    void Collect()
    {
        ZoneScopedC(tendril::GpuCollectColor);
        Flush();
    }
    // A moment on both clocks, the host's ticks and CUPTI's nanoseconds: of a few readings the one that took
    // least.
    static void QueryTimestamps(int64_t &cpu, uint64_t &gpu)
    {
        const Moment now = ReadClocks();
        cpu = now.cpu;
        gpu = now.gpu;
    }
    // Sets the clocks against each other once more; sending zones does it, too.
    void Recalibrate()
    {
        tendril::CudaHold hold(m_sending);
        CalibrateNow();
    }

  private:
    enum : size_t { BufferBytes = 1024 * 1024, KindCount = 4, Buckets = 512, LaneCount = 42 };
    enum : int64_t { CalibrationNs = 10000000, MostAhead = 1000000, CollectNs = 160000000 };

    struct Moment { // on three clocks
        uint64_t gpu;
        int64_t cpu, host;
    };
    struct Work { // of the GPU
        int64_t start, end;
        uint32_t correlation, context, stream, lane; // the first that it may be on
        const SourceLocationData *site;
    };
    struct Line {
        int64_t end; // of its last zone
        Line *next;
        uint32_t number;
    };

    CUDACtx()
        : GpuMarks(0), m_users(0), m_process(0), m_warned(false), m_subscriber(nullptr), m_control(),
          m_flush(), m_sending(), m_wake(), m_collector(), m_collecting(false), m_query(0), m_first(),
          m_read(), m_set(0), m_setBefore(0), m_kernels(), m_lines(), m_spare(nullptr)
    {
        for (pthread_mutex_t *mutex : {&m_control, &m_flush, &m_sending})
            pthread_mutex_init(mutex, nullptr);
        IsKnown();
    }
    // Whether the trace has the context, which it needs the clock for.
    bool IsKnown()
    {
        uint64_t now = 0;
        if (IsAlive())
            return true;
        if (!Works(cuptiGetTimestamp(&now), "cuptiGetTimestamp"))
            return false;
        m_first = m_read = ReadClocks();
        Announce(tendril::GpuCuda, 0, m_first.cpu, int64_t(m_first.gpu), 1.0f,
                 TRACY_CUDA_CALIBRATED_CONTEXT ? tendril::GpuCalibrated : 0, m_first.host);
        SetName("CUDA", 4);
        return true;
    }
    static CUDACtx *&Made()
    {
        static CUDACtx *made;
        return made;
    }
    // One line for the first failure since profiling began.
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

    // ---- What is asked of CUPTI.

    static CUpti_ActivityKind Kind(size_t i)
    {
        static const CUpti_ActivityKind kinds[KindCount] = {
            CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
            CUPTI_ACTIVITY_KIND_SYNCHRONIZATION};
        return kinds[i];
    }
    void EnableCalls(uint32_t on)
    {
        Works(cuptiEnableDomain(on, m_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API), "cuptiEnableDomain");
        Works(cuptiEnableDomain(on, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API), "cuptiEnableDomain");
    }
    // By the driver, if the program has it: programs of the driver's interface are not linked with the
    // runtime.
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
        // One thread is enough; others need not wait.
        if (m_process != getpid() || pthread_mutex_trylock(&m_flush) != 0)
            return;
        Works(cuptiActivityFlushAll(0), "cuptiActivityFlushAll");
        pthread_mutex_unlock(&m_flush);
    }
    static void AtExit()
    {
        Made()->StopProfiling();
    }

    // ---- The thread that collects. Its wait is on a clock that nobody sets.

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
        pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the program's threads
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

    // ---- Clocks. CUPTI's counts nanoseconds, but may be set; the host's ticks are never.

    static Moment ReadClocks()
    {
        Moment best = {0, 0, 0};
        int64_t least = INT64_MAX;
        for (int i = 0; i < 8; i++) {
            uint64_t gpu = 0;
            const int64_t before = int64_t(td_client_ticks());
            if (cuptiGetTimestamp(&gpu) != CUPTI_SUCCESS)
                break;
            const int64_t host = tendril::GpuHostNs(), took = int64_t(td_client_ticks()) - before;
            if (took >= least)
                continue;
            least = took;
            best = Moment{gpu, before + took / 2, host};
        }
        return best;
    }
    // Traces have a clock that is not set: viewers take one that falls back for one that wrapped. Records
    // from before it was last set may come behind that: of both times the later one that is not to come yet.
    int64_t Unset(uint64_t gpu) const
    {
        const int64_t now = int64_t(m_read.gpu) - m_set + MostAhead;
        const int64_t time = int64_t(gpu) - m_set, before = int64_t(gpu) - m_setBefore;
        return before <= now && (before > time || time > now) ? before : time;
    }
    void CalibrateNow()
    {
        const Moment now = ReadClocks();
        if (!now.gpu)
            return;
        const int64_t host = now.host - m_read.host, set = int64_t(now.gpu - m_read.gpu) - host;
        const int64_t most = host / 64 + MostAhead; // that clocks may differ by
        if (set < -most || set > most) {
            m_setBefore = m_set;
            m_set += set;
        }
        m_read = now;
        if (!TRACY_CUDA_CALIBRATED_CONTEXT || now.host - CalibratedNs() < CalibrationNs)
            return;
        Calibrate(Unset(now.gpu), now.host, now.cpu);
    }
    int64_t TicksOf(int64_t gpu) const
    {
        const int64_t passed = m_read.host - m_first.host;
        const double rate = passed > 0 ? double(m_read.cpu - m_first.cpu) / double(passed) : 1.0;
        return m_read.cpu + int64_t(double(gpu - (int64_t(m_read.gpu) - m_set)) * rate);
    }

    // ---- What the GPU did. Buffers are lent to CUPTI, which fills them and gives them back.

    static void CUPTIAPI OnBufferWanted(uint8_t **buffer, size_t *size, size_t *most)
    {
        uint8_t *memory = Made()->m_spare.exchange(nullptr);
        if (!memory)
            memory = static_cast<uint8_t *>(td_client_alloc(BufferBytes));
        *buffer = memory; // none: CUPTI drops records, and counts them
        *size = memory ? size_t(BufferBytes) : 0;
        *most = 0; // as many as there is room for
    }
    static void CUPTIAPI OnBufferDone(CUcontext context, uint32_t stream, uint8_t *buffer, size_t,
                                      size_t valid)
    {
        CUDACtx *const ctx = Made();
        if (buffer && valid && td_client_is_live()) {
            tendril::CudaHold hold(ctx->m_sending);
            ctx->CalibrateNow();
            ctx->Send(buffer, valid);
        }
        size_t dropped = 0;
        if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped)
            tendril::GpuWarn("CUDA: CUPTI had no room for %zu records: as many GPU zones are missing",
                             dropped);
        td_client_free(ctx->m_spare.exchange(buffer));
    }
    // Zones in the order of their starts: records come in the order in which they were complete.
    void Send(uint8_t *buffer, size_t valid)
    {
        CUpti_Activity *record = nullptr;
        size_t count = 0, used = 0, untimed = 0;
        CUptiResult result;
        while ((result = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS)
            count++;
        if (result != CUPTI_ERROR_MAX_LIMIT_REACHED &&
            result != CUPTI_ERROR_INVALID_KIND) // an incomplete one
            Works(result, "cuptiActivityGetNextRecord");
        Work *const all = count ? static_cast<Work *>(td_client_alloc(count * sizeof(Work))) : nullptr;
        if (!all) {
            if (count)
                tendril::GpuWarn("CUDA: no memory for %zu GPU zones: they are missing", count);
            return;
        }
        record = nullptr;
        while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS && used < count) {
            if (!Read(record, &all[used]))
                continue;
            Work &work = all[used];
            if (work.start <= 0 || work.end < work.start) {
                untimed++;
                continue;
            }
            work.end -= work.start;
            work.start = Unset(uint64_t(work.start));
            work.end += work.start;
            used++;
        }
        qsort(all, used, sizeof *all, ByStart);
        for (size_t i = 0; i < used; i++)
            Emit(all[i]);
        td_client_free(all);
        if (untimed)
            tendril::GpuWarn("CUDA: %zu records have no times: as many GPU zones are missing", untimed);
    }
    static int ByStart(const void *a, const void *b)
    {
        const Work *const first = static_cast<const Work *>(a), *const second = static_cast<const Work *>(b);
        if (first->start != second->start)
            return first->start < second->start ? -1 : 1;
        return (first->end < second->end) - (first->end > second->end);
    }
    // Every later form of a record begins as these do. false: not of interest.
    bool Read(const CUpti_Activity *record, Work *work)
    {
        switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_KERNEL:
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            return Take(reinterpret_cast<const CUpti_ActivityKernel9 *>(record), work,
                        KernelSite(reinterpret_cast<const CUpti_ActivityKernel9 *>(record)->name));
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            return Take(reinterpret_cast<const CUpti_ActivityMemcpy5 *>(record), work,
                        CopySite(reinterpret_cast<const CUpti_ActivityMemcpy5 *>(record)->copyKind));
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            static const SourceLocationData set = {"CUDA::memset", "memset", TracyFile, TracyLine,
                                                   Color::Blue};
            return Take(reinterpret_cast<const CUpti_ActivityMemset4 *>(record), work, &set);
        }
        case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
            return TakeSynchronization(reinterpret_cast<const CUpti_ActivitySynchronization *>(record), work);
        default:
            return false;
        }
    }
    template <class Record> static bool Take(const Record *record, Work *work, const SourceLocationData *site)
    {
        *work = Work{int64_t(record->start),
                     int64_t(record->end),
                     record->correlationId,
                     record->contextId,
                     record->streamId,
                     0,
                     site};
        return true;
    }
    // Of a context at its stream 0, of an event at the last one, of a stream beside what it waits for.
    static bool TakeSynchronization(const CUpti_ActivitySynchronization *record, Work *work)
    {
        static const SourceLocationData sites[] = {
            {"CUDA::Context::sync", "synchronization", TracyFile, TracyLine, Color::Magenta},
            {"CUDA::Stream::sync", "synchronization", TracyFile, TracyLine, Color::Magenta3},
            {"CUDA::Event::sync", "synchronization", TracyFile, TracyLine, Color::Magenta4}};
        const bool ofStream = record->streamId != uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
        const bool ofEvent = record->cudaEventId != uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
        Take(record, work, &sites[ofEvent ? 2 : ofStream]);
        work->lane = !ofEvent && ofStream;
        if (!work->lane)
            work->stream = ofEvent ? 0xffff : 0;
        return true;
    }
    static const SourceLocationData *CopySite(uint8_t kind)
    {
        // clang-format off
#define TENDRIL_CUDA_COPY_(what) {"CUDA::memcpy", what, TracyFile, TracyLine, Color::Blue}
        static const SourceLocationData sites[] = {
            TENDRIL_CUDA_COPY_("copy"), TENDRIL_CUDA_COPY_("host to device"),
            TENDRIL_CUDA_COPY_("device to host"), TENDRIL_CUDA_COPY_("host to array"),
            TENDRIL_CUDA_COPY_("array to host"), TENDRIL_CUDA_COPY_("array to array"),
            TENDRIL_CUDA_COPY_("array to device"), TENDRIL_CUDA_COPY_("device to array"),
            TENDRIL_CUDA_COPY_("device to device"), TENDRIL_CUDA_COPY_("host to host"),
            TENDRIL_CUDA_COPY_("device to other device")};
#undef TENDRIL_CUDA_COPY_
        // clang-format on
        return &sites[kind < sizeof sites / sizeof *sites ? kind : 0];
    }
    const SourceLocationData *KernelSite(const char *name)
    {
        if (!name)
            name = "a kernel";
        uint32_t hash = 2166136261u;
        for (const char *c = name; *c; c++)
            hash = (hash ^ uint8_t(*c)) * 16777619u;
        tendril::CudaSite **const bucket = &m_kernels[hash % Buckets];
        for (tendril::CudaSite *site = *bucket; site; site = site->next)
            if (strcmp(site->location.function, name) == 0)
                return &site->location;
        tendril::CudaSite *const site = tendril::MakeCudaSite(name, true);
        static const SourceLocationData none = {"a kernel", "", TracyFile, TracyLine, 0}; // no memory
        if (!site)
            return &none;
        site->next = *bucket;
        *bucket = site;
        return &site->location;
    }
    // A line of the trace's context shows a CUDA context and stream, and is numbered as people read it:
    // 1 00007. What overlaps goes to another line of them, 1 001 00007 and so on: on a line zones follow each
    // other.
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
        int64_t begin = TicksOf(work.start), end = TicksOf(work.end); // unless the call is known
        if (!tendril::CudaCalls::Times(work.correlation, &begin, &end))
            return;
        const uint32_t line = LineOf(work);
        const uint16_t query = m_query;
        m_query = uint16_t(m_query + 2);
        td_client_gpu_zone_begin(Id(), query, uint64_t(uintptr_t(work.site)), 0, 0, begin, line);
        td_client_gpu_zone_end(Id(), uint16_t(query + 1), end, line);
        Time(query, work.start);
        Time(uint16_t(query + 1), work.end);
    }

    std::atomic<int> m_users;
    std::atomic<pid_t> m_process; // that profiles; 0: none
    std::atomic<bool> m_warned;
    CUpti_SubscriberHandle m_subscriber;
    // Taken in this order: starting and stopping; asking CUPTI for buffers; sending what is in them.
    pthread_mutex_t m_control, m_flush, m_sending;
    pthread_cond_t m_wake;
    pthread_t m_collector;
    bool m_collecting;
    uint16_t m_query;
    Moment m_first, m_read;     // when the context was made, and the last one
    int64_t m_set, m_setBefore; // ns that CUPTI's clock has been set by since
    tendril::CudaSite *m_kernels[Buckets];
    Line *m_lines[Buckets];
    std::atomic<uint8_t *> m_spare; // a buffer that is not lent
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
