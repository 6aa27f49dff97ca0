// A program with markers of Tracy's C++ interface that every release since 0.9.1 has. It is built against a
// stock client; what it marks is what test_live.py counts.
#include "tracy/Tracy.hpp"
#include "tracy/TracyC.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#ifdef SRCLOC_HAS_COLOR
#define ALLOCATE(...) ___tracy_alloc_srcloc_name(__VA_ARGS__, 0)
#else
#define ALLOCATE(...) ___tracy_alloc_srcloc_name(__VA_ARGS__)
#endif

static TracyLockableN(std::mutex, mutex, "a mutex");
static TracySharedLockable(std::shared_mutex, shared);

static void leaf(int n)
{
    ZoneScopedNC("leaf", 0x112233);
    ZoneValue(n);
    if (n % 5 == 0)
        ZoneText("fifth", 5);
    std::lock_guard<LockableBase(std::mutex)> guard(mutex);
    LockMark(mutex);
}

static void work(int thread)
{
    char name[32];
    snprintf(name, sizeof name, "worker %d", thread);
    tracy::SetThreadName(name);
    for (int i = 0; i < 100; i++) {
        ZoneScopedN("outer");
        leaf(i);
        TracyMessageL("literal");
        std::shared_lock<SharedLockableBase(std::shared_mutex)> guard(shared);
    }
}

static void gpu()
{
    ___tracy_gpu_new_context_data context = {};
    context.gpuTime = 1000;
    context.period = 1.f;
    context.context = 0;
    context.type = 2;
    ___tracy_emit_gpu_new_context_serial(context);
    ___tracy_gpu_context_name_data name = {};
    name.context = 0;
    name.name = "device";
    name.len = 6;
    ___tracy_emit_gpu_context_name_serial(name);
    for (unsigned short i = 0; i < 10; i++) {
        ___tracy_gpu_zone_begin_data begin = {};
        begin.srcloc = ALLOCATE(7, "gpu.cpp", 7, "gpu", 3, "pass", 4);
        begin.queryId = (unsigned short)(2 * i);
        begin.context = 0;
        ___tracy_emit_gpu_zone_begin_alloc_serial(begin);
        ___tracy_gpu_zone_end_data end = {};
        end.queryId = (unsigned short)(2 * i + 1);
        ___tracy_emit_gpu_zone_end_serial(end);
        for (int k = 0; k < 2; k++) {
            ___tracy_gpu_time_data time = {};
            time.gpuTime = 2000 + 1000 * i + 250 * k;
            time.queryId = (unsigned short)(2 * i + k);
            ___tracy_emit_gpu_time_serial(time);
        }
    }
}

static void memory()
{
    static char bytes[64];
    for (int i = 0; i < 32; i++)
        TracyAlloc(bytes + i, 16 + i);
    for (int i = 0; i < 30; i++)
        TracyFree(bytes + i);
    for (int i = 0; i < 8; i++)
        TracyAllocN(bytes + i, 8, "pool");
    for (int i = 0; i < 8; i++)
        TracyFreeN(bytes + i, "pool");
    TracyAllocS(bytes, 5, 3);
    TracyFreeS(bytes, 3);
}

static void frames()
{
    std::vector<unsigned char> picture(16 * 16 * 4, 0x80);
    for (int i = 0; i < 20; i++) {
        if (i % 10 == 0)
            FrameImage(picture.data(), 16, 16, 0, false);
        FrameMark;
        FrameMarkNamed("ticks");
        FrameMarkStart("load");
        FrameMarkEnd("load");
        TracyPlot("curve", (int64_t)i * i);
        TracyPlot("half", i * .5);
    }
}

int main()
{
    TracyAppInfo("about", 5);
    {
        ZoneScopedS(4);
        ZoneName("with stack", 10);
        TracyMessageS("message with stack", 18, 4);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
    for (int i = 0; i < 12; i++) {
        char name[8];
        int n = snprintf(name, sizeof name, "made %d", i % 3);
        ZoneTransientN(zone, name, true);
        TracyMessageC(name, n, 0xff8000);
    }
    gpu();
    memory();
    frames();
    return 0;
}
