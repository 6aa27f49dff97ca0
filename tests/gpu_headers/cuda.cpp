// A program with every name of tracy/TracyCUDA.hpp. With the stand-in for CUPTI the program says what the GPU
// does; with NVIDIA's library and no GPU it has only its own zones. Usage: cuda WHAT
//   zones              one of each kind, not in order, and what is no zone
//   memory             allocations, frees, copies and what else has a pool, not in order, some of it odd
//   clock PPM SET_NS   the clocks differ by rate, or one is set, while it runs
//   many               several threads, more than a few buffers hold, some of it dropped
//   late PPM           (on demand) until its input ends; prints a line first
//   collector          until the thread that collects has done its work
//   exit               ends without TracyCUDAStopProfiling
//   fail NAME RESULT   that function of CUPTI gives that
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cupti_stand_in.h"
#include "linger.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyCUDA.hpp"

#ifdef TRACY_ENABLE
enum : int64_t { US = 1000, MS = 1000000 };
enum { THREADS = 4, EACH = 3000, DROPPED = 20 };

// The newest forms of records that the toolkit has.
#if CUDA_VERSION >= 13000
typedef CUpti_ActivityKernel10 Kernel;
typedef CUpti_ActivityMemcpy6 Memcpy;
typedef CUpti_ActivitySynchronization2 Synchronization;
typedef CUpti_ActivityMemory4 Memory;
#else
typedef CUpti_ActivityKernel9 Kernel;
typedef CUpti_ActivityMemcpy5 Memcpy;
typedef CUpti_ActivitySynchronization Synchronization;
typedef CUpti_ActivityMemory3 Memory;
#endif

static const struct stand_in *gpu;

static const struct stand_in_call launch = {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                            CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cudaLaunchKernel",
                                            "cuLaunchKernel"};
static const struct stand_in_call copy = {CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, 0,
                                          "cudaMemcpyAsync", nullptr};
static const struct stand_in_call set = {CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, 0, "cudaMemsetAsync",
                                         nullptr};
static const struct stand_in_call synchronize = {CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 0,
                                                 "cudaStreamSynchronize", nullptr};
static const struct stand_in_call allocate = {CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, 0, "cudaMalloc",
                                              nullptr};
static const struct stand_in_call newer = {1000000, 0, "cudaOfTheFuture", nullptr};

// What all records have; `line` is the CUDA context times 100 and the stream.
template <class Record>
static Record done(CUpti_ActivityKind kind, uint32_t line, uint64_t start, uint64_t end, uint32_t correlation)
{
    Record record;
    memset(&record, 0, sizeof record);
    record.kind = kind;
    record.start = start;
    record.end = end;
    record.contextId = line / 100;
    record.streamId = line % 100;
    record.correlationId = correlation;
    return record;
}
static void kernel(const char *name, uint32_t line, uint64_t start, uint64_t end, uint32_t correlation)
{
    Kernel record = done<Kernel>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, line, start, end, correlation);
    record.name = name;
    gpu->record(&record, sizeof record);
}
static uint32_t issue(const struct stand_in_call *call)
{
    ZoneScopedN("issue");
    return gpu->call(call);
}
static void run(const char *name, uint32_t line, uint64_t start, uint64_t end)
{
    kernel(name, line, start, end, issue(&launch));
}
static void moved(uint8_t kind, uint32_t line, uint64_t start, uint64_t end, uint64_t bytes,
                  uint32_t correlation)
{
    Memcpy record = done<Memcpy>(CUPTI_ACTIVITY_KIND_MEMCPY, line, start, end, correlation);
    record.copyKind = kind;
    record.bytes = bytes;
    gpu->record(&record, sizeof record);
}
static void move(uint8_t kind, uint32_t line, uint64_t start, uint64_t end)
{
    moved(kind, line, start, end, 4096, issue(&copy));
}
static void set_to(uint32_t line, uint64_t start, uint64_t end, uint64_t bytes)
{
    CUpti_ActivityMemset4 record =
        done<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, line, start, end, issue(&set));
    record.bytes = bytes;
    gpu->record(&record, sizeof record);
}
// bytes 0: it is freed.
static void memory(uint64_t address, uint64_t bytes, uint64_t at)
{
    Memory record;
    memset(&record, 0, sizeof record);
    record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    record.memoryOperationType = bytes ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
                                       : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
    record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    record.correlationId = issue(&allocate);
    record.address = address;
    record.bytes = bytes;
    record.timestamp = at;
    gpu->record(&record, sizeof record);
}
static void wait(CUpti_ActivitySynchronizationType type, uint32_t stream, uint32_t event, uint64_t start,
                 uint64_t end)
{
    Synchronization record =
        done<Synchronization>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, 100, start, end, issue(&synchronize));
    record.type = type;
    record.streamId = stream;
    record.cudaEventId = event;
    gpu->record(&record, sizeof record);
}

static void zones()
{
    const uint32_t none = uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
    uint64_t at = 0;
    {
        ZoneScopedN("base");
        at = gpu->now();
    }
    run("kernel_of_c", 107, at, at + 100 * US);
    run("_ZN3app5scaleIfEEvPT_i", 107, at + 300 * US, at + 350 * US);
    run("_ZN3app5scaleIfEEvPT_i", 107, at + 150 * US, at + 250 * US); // was begun before the one above
    run("_ZN3app5scaleIdEEvPT_i", 207, at + 1, at + 2);
    move(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 113, at + 100 * US, at + 200 * US);
    move(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 113, at + 250 * US, at + 300 * US);
    move(99, 113, at + 400 * US, at + 401 * US); // of a kind that is newer than the header
    set_to(114, at + 10 * US, at + 20 * US, 4096);
    wait(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, 7, none, at + 50 * US, at + 350 * US);
    wait(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, none, none, at, at + 400 * US);
    wait(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, none, 3, at + 20 * US, at + 30 * US);
    kernel("of nobody", 107, at + 500 * US, at + 600 * US, 0xfffffff0);
    kernel("without times", 107, 0, 0, issue(&newer));
    kernel(nullptr, 107, at + 700 * US, at + 700 * US, 0);
}

static void rest(int64_t ns)
{
    const struct timespec while_it_works = {time_t(ns / 1000000000), long(ns % 1000000000)};
    nanosleep(&while_it_works, nullptr);
}

// What has pools; tests/gpu_headers/test_cuda.py knows it, too.
static void pools(tracy::CUDACtx *ctx)
{
    const uint64_t first = 0x7f0000000000, second = 0x7f0000100000, unknown = 0x7f0000900000;
    uint64_t at = 0;
    {
        ZoneScopedN("base");
        at = gpu->now();
    }
    run("base", 107, at, at + US);
    memory(first, 0, at + 30 * US);
    memory(first, 1 << 20, at + 5 * US);
    memory(second, 4096, at + 10 * US);
    memory(unknown, 0, at + 50 * US);
    memory(second, 0, at + 70 * US);
    memory(first, 2 << 20, at + 40 * US); // never freed
    memory(second, 8192, at + 60 * US);   // without a record of the free before it
    memory(0, 4096, at + 60 * US);        // is nowhere
    memory(first, 1, 0);                  // has no time
    const uint32_t both = issue(&copy);
    moved(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 113, at + 150 * US, at + 200 * US, 500, both);
    moved(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 114, at + 100 * US, at + 300 * US, 1000, both);
    set_to(113, at + 400 * US, at + 440 * US, 0);
    set_to(113, at + 320 * US, at + 340 * US, 4096);
    wait(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, 7,
         uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE), at + 50 * US, at + 350 * US);
    for (int i = 0; i < 3; i++)
        run("delayed", 107, at + uint64_t(10 + i) * 10 * MS, at + uint64_t(11 + i) * 10 * MS);
    kernel("of nobody", 107, at + 500 * MS, at + 600 * MS, 0);
    TracyCUDACollect(ctx);
    rest(700 * MS);
    TracyCUDACollect(ctx); // all of it is sent now
    moved(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 113, at + 280 * US, at + 310 * US, 70, issue(&copy));
}

// A kernel of a second, which is over now.
static void measured(int64_t ppm)
{
    ZoneScopedN("measured");
    const uint64_t at = gpu->now();
    kernel("measured", 107, at - uint64_t(1000 * MS + 1000 * ppm), at, 0);
}

static void step()
{
    const uint64_t at = gpu->now();
    run("step", 107, at, at + 1000);
}

static void clocks(tracy::CUDACtx *ctx, int64_t ppm, int64_t set_ns)
{
    for (int i = 0; i < 20; i++) {
        rest(50 * MS);
        step();
        if (i == 10 && set_ns)
            gpu->set_clock(ppm, set_ns);
        TracyCUDACollect(ctx);
        ctx->Recalibrate();
    }
    rest(50 * MS);
    if (TRACY_CUDA_CALIBRATED_CONTEXT)
        measured(ppm);
}

// Kernels of 40 ms, allocations and frees, until standard input has a line or ends.
static void late(tracy::CUDACtx *ctx, int64_t ppm)
{
    struct pollfd input = {0, POLLIN, 0};
    for (int i = 0; poll(&input, 1, 0) == 0; i++) {
        memory(0x7f0000000000, i % 2 ? 0 : 4096, gpu->now());
        const uint32_t correlation = gpu->call(&launch);
        const uint64_t at = gpu->now();
        rest(45 * MS);
        kernel("measured", 107, at, at + uint64_t(40 * MS + 40 * ppm), correlation);
        TracyCUDACollect(ctx);
    }
}

static int running;

static void *use(void *number)
{
    const uint32_t line = 100 + uint32_t(uintptr_t(number));
    for (int i = 0; i < EACH; i++) {
        const uint32_t correlation = gpu->call(&launch);
        const uint64_t at = gpu->now();
        kernel("many", line, at, at + 10, correlation);
        memory(uint64_t(line) << 32, 64, at);
        memory(uint64_t(line) << 32, 0, gpu->now());
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return nullptr;
}

static int many(tracy::CUDACtx *ctx)
{
    pthread_t threads[THREADS];
    running = THREADS;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], nullptr, use, reinterpret_cast<void *>(uintptr_t(i + 1))) != 0)
            return 1;
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
        rest(5 * MS);
        TracyCUDACollect(ctx);
    }
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    gpu->drop(DROPPED);
    step();
    return 0;
}

// Only the context's own thread collects.
static int collector()
{
    zones();
    unsigned asked = 0, lent = 1;
    for (int i = 0; i < 200 && lent; i++) {
        rest(50 * MS);
        gpu->buffers(&asked, &lent);
    }
    return TRACY_CUDA_ENABLE_COLLECTOR_THREAD && lent;
}

static int work(tracy::CUDACtx *ctx, int argc, char **argv)
{
    const char *const what = argv[1];
    const int64_t ppm = argc > 2 ? atoll(argv[2]) : 0;
    if (strcmp(what, "collector") == 0)
        return collector();
    if (strcmp(what, "many") == 0)
        return many(ctx);
    if (strcmp(what, "clock") == 0)
        clocks(ctx, ppm, argc > 3 ? atoll(argv[3]) : 0);
    else if (strcmp(what, "late") == 0)
        late(ctx, ppm);
    else if (strcmp(what, "memory") == 0)
        pools(ctx);
    else {
        if (strcmp(what, "zones") == 0) { // once more
            ctx->StopProfiling();
            ctx->StartProfiling();
        }
        zones();
    }
    return 0;
}

// Two users of the one context, and what is no macro.
static int use_names(tracy::CUDACtx *ctx)
{
    tracy::CUDACtx *const other = tracy::CUDACtx::Create();
    int64_t cpu = 0;
    uint64_t cupti = 0;
    tracy::CUDACtx::QueryTimestamps(cpu, cupti);
    if (TRACY_CUDA_ENABLE_CUDA_CALL_STATS)
        ctx->printStats();
    tracy::CUDACtx::Destroy(other);
    other->StartProfiling(); // it is
    return other == ctx ? 0 : 1;
}
#endif

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    int bad = 0;
#ifdef TRACY_ENABLE
    gpu = static_cast<const struct stand_in *>(dlsym(RTLD_DEFAULT, STAND_IN));
    if (gpu && strcmp(argv[1], "fail") == 0)
        gpu->fail(argv[2], atoi(argv[3]));
    if (gpu && argc == 3)
        gpu->set_clock(atoll(argv[2]), 0);
#endif
    tracy::CUDACtx *ctx = TracyCUDAContext();
    (void)ctx;
    TracyCUDAContextName(ctx, "the GPU", strlen("the GPU"));
    TracyCUDAStartProfiling(ctx);
    if (strcmp(argv[1], "late") == 0) {
        printf("ready\n");
        fflush(stdout);
    }
    {
        ZoneScopedN("window");
#ifdef TRACY_ENABLE
        bad = use_names(ctx);
        if (gpu)
            bad += work(ctx, argc, argv);
#endif
        if (strcmp(argv[1], "exit") != 0) {
            TracyCUDACollect(ctx);
        }
    }
    if (strcmp(argv[1], "exit") == 0)
        return bad;
    TracyCUDAStopProfiling(ctx);
    TracyCUDAContextDestroy(ctx);
#ifdef TRACY_ENABLE
    unsigned asked = 0, lent = 0;
    if (gpu)
        gpu->buffers(&asked, &lent);
    if (lent && strcmp(argv[1], "fail") != 0 && ++bad)
        printf("%u buffers of %u are not given back\n", lent, asked);
#endif
    linger();
    return bad;
}
