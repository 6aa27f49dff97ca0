// A program with every kind of marker that Tracy's C++ and C interfaces have, the same source for stock
// clients of every release and for Tendril's. Usage: features MODE. live_facts.py has the facts that each
// mode marks.
//
// It is compiled in its own folder, so that the file of its source locations is "features.cpp". Recorders do
// not find that file and ask the program for the text. Macros of newer releases are used where the headers
// have them; HINTS and COLORS are set for headers whose functions take group hints and colours.
#include "tracy/Tracy.hpp"
#include "tracy/TracyC.h"
#ifndef TENDRIL_CLIENT_H
#include "common/TracyAlloc.hpp"
#endif

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <time.h>
#include <vector>

#include "gpu.h"

static void nap_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, nullptr);
}

static void name_thread(const char *name)
{
#ifdef HINTS
    tracy::SetThreadNameWithHint(name, 7);
#else
    tracy::SetThreadName(name);
#endif
}

// ---- threads, zones, locks, messages ----

static TracyLockable(std::mutex, of_the_rounds);

static void message(int n, const char *who)
{
    static const uint32_t colors[] = {0, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00};
    std::string text = "message " + std::to_string(n) + " of " + who;
    if (n % 5)
        TracyMessageC(text.c_str(), text.size(), colors[n % 5]);
    else
        TracyMessage(text.c_str(), text.size());
}

static void use_locks(int index, int n, LockableBase(std::mutex) & mutex,
                      SharedLockableBase(std::shared_mutex) & shared)
{
    if (n < 40) {
        std::lock_guard<LockableBase(std::mutex)> guard(mutex);
        LockMark(mutex);
    }
    if (n < 10 && n % 3 == index) {
        std::lock_guard<SharedLockableBase(std::shared_mutex)> guard(shared);
    }
    if (n < 20 && n % 3 == index) {
        std::shared_lock<SharedLockableBase(std::shared_mutex)> guard(shared);
    }
}

static void worker(int index, LockableBase(std::mutex) * mutex,
                   SharedLockableBase(std::shared_mutex) * shared)
{
    std::string name = "worker " + std::to_string(index);
    name_thread(name.c_str());
    for (int n = 0; n < 100; n++) {
        ZoneScopedN("worker");
        {
            ZoneScopedN("inner");
            std::string text = "iteration " + std::to_string(n);
            ZoneText(text.c_str(), text.size());
            ZoneValue((uint64_t)n * n);
            ZoneColor(0x102030u + (uint32_t)n % 4);
        }
        {
            ZoneNamedN(sometimes, "sometimes", n % 4 == 0);
            ZoneNamedN(never, "never", false);
            ZoneTextV(never, "absent", 6);
        }
        use_locks(index, n, *mutex, *shared);
        if (n < 25)
            message(n, name.c_str());
    }
}

static void locks_and_threads()
{
    // On the heap, so that their ends are sent.
    struct Kept {
        TracyLockableN(std::mutex, mutex, "never terminated");
    };
    static Kept *const kept = new Kept;
    {
        std::lock_guard<LockableBase(std::mutex)> guard(kept->mutex);
    }
    struct Locks {
        TracyLockableN(std::mutex, mutex, "mutex");
        TracySharedLockableN(std::shared_mutex, shared, "shared mutex");
    };
    Locks *locks = new Locks;
    LockableName(locks->mutex, "custom mutex", 12);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(worker, i, &locks->mutex, &locks->shared);
    for (auto &thread : threads)
        thread.join();
    if (locks->mutex.try_lock())
        locks->mutex.unlock();
    delete locks;
}

static void recurse(int depth)
{
    ZoneScopedN("recurse");
    if (depth > 1)
        recurse(depth - 1);
}

static void unnamed_zone()
{
    ZoneScoped;
}

static void with_stack()
{
    ZoneScopedNS("with stack", 8);
}

static void c_zones()
{
    for (int i = 0; i < 10; i++) {
        TracyCZoneNC(zone, "c zone", 0xAA5500, true);
        TracyCZoneN(inner, "c inner", true);
        TracyCZoneText(inner, "c text", 6);
        TracyCZoneValue(inner, 42);
        TracyCZoneEnd(inner);
        TracyCZoneEnd(zone);
    }
}

static void zones()
{
    recurse(12);
    c_zones();
    for (int i = 0; i < 10; i++) {
        std::string name = "transient " + std::to_string(i % 3);
        ZoneTransientN(zone, name.c_str(), true);
    }
    {
        ZoneScopedN("");
    }
    unnamed_zone();
    {
        ZoneScopedN("before rename");
        ZoneName("after rename", 12);
        ZoneText("first line", 10);
        ZoneText("second line", 11);
        ZoneColor(0x4080C0);
    }
    for (int i = 0; i < 3; i++)
        with_stack();
}

static void messages()
{
    for (int n = 2; n < 25; n++)
        message(n, "main");
    std::string big;
    for (int i = 0; i < 600; i++) {
        char line[101];
        snprintf(line, sizeof line, "%s %04d %-86s", i ? "    line" : "big message", i, "of a long text");
        line[99] = '\n';
        big.append(line, 100);
    }
    TracyMessage(big.c_str(), big.size());
    TracyMessageCS("message with stack", 18, 0xFF00FF, 8);
#ifdef TracyLogString
    TracyLogString(tracy::MessageSeverity::Error, 0, 0, 14, "severity error");
    TracyLogString(tracy::MessageSeverity::Debug, 0, 0, 14, "severity debug");
#endif
}

// ---- frames, plots, memory ----

static void frames()
{
    static const char *const audio = "Audio";
    std::vector<unsigned char> picture(32 * 32 * 4, 0x80);
    for (int i = 0; i < 60; i++) {
        {
            ZoneScopedN("frame body");
        }
        if (i % 10 == 0)
            FrameImage(picture.data(), 32, 32, 0, i == 0);
        FrameMark;
        if (i % 2)
            FrameMarkNamed("Physics");
        FrameMarkStart(audio);
        FrameMarkEnd(audio);
        if (i % 10 == 9)
            nap_ms(20); // clients drop pictures that come too fast
    }
}

static void plots()
{
    TracyPlotConfig("plot int", tracy::PlotFormatType::Memory, true, false, 0xFF8000);
    TracyPlotConfig("plot double", tracy::PlotFormatType::Percentage, false, true, 0x00FF80);
    for (int64_t n = 0; n < 80; n++) {
        TracyPlot("plot int", n * n);
        TracyPlot("plot double", n / 2.);
        TracyPlot("plot float", (float)(n % 7) + .25f);
    }
}

static void memory()
{
    for (uintptr_t n = 0; n < 64; n++) {
        void *at = (void *)(0x10000000 + n * 0x1000);
        if (n % 16 == 3)
            TracyAllocS(at, 64 + n, 8);
        else
            TracyAlloc(at, 64 + n);
        TracyAllocN((void *)(0x700000000000 + n * 0x10000), 4096 * (n + 1), "GPU pool");
    }
    for (uintptr_t n = 7; n < 64; n++) {
        void *at = (void *)(0x10000000 + n * 0x1000);
        if (n % 16 == 3)
            TracyFreeS(at, 8);
        else
            TracyFree(at);
    }
    for (uintptr_t n = 0; n < 32; n++)
        TracyFreeN((void *)(0x700000000000 + n * 0x10000), "GPU pool");
#ifdef TracyMemoryDiscard
    static const char *const arena = "arena";
    for (uintptr_t n = 1; n <= 16; n++)
        TracyAllocN((void *)(n * 64), 64, arena);
    TracyMemoryDiscard(arena);
#endif
}

// ---- GPU ----

// A zone with both times.
static void gpu_zone(uint8_t context, uint16_t query, const char *name, int64_t from, int64_t to)
{
    begin_zone(context, query, name);
    end_zone(context, (uint16_t)(query + 1));
    gpu_time(context, query, from);
    gpu_time(context, (uint16_t)(query + 1), to);
}

static void two_devices()
{
    new_context(0, "Device 0", 2, 1, 0);
    for (uint16_t i = 0; i < 20; i++) {
        uint16_t query = (uint16_t)(10 * i);
        int64_t at = 10000 + 2000 * i;
        begin_zone(0, query, "gpu pass");
        for (uint16_t k = 0; k < 2; k++) {
            begin_zone(0, (uint16_t)(query + 2 + 2 * k), "gpu draw");
            end_zone(0, (uint16_t)(query + 3 + 2 * k));
        }
        end_zone(0, (uint16_t)(query + 1));
        gpu_time(0, query, at);
        for (uint16_t k = 0; k < 2; k++) {
            gpu_time(0, (uint16_t)(query + 2 + 2 * k), at + 100 + 300 * k);
            gpu_time(0, (uint16_t)(query + 3 + 2 * k), at + 350 + 300 * k);
        }
        gpu_time(0, (uint16_t)(query + 1), at + 1100);
    }
    new_context(1, "Device 1", 3, 1, 0);
    for (uint16_t i = 0; i < 8; i++)
        gpu_zone(1, (uint16_t)(2 * i), "kernel", 20000 + 1000 * i, 20500 + 1000 * i);
}

// Contexts whose clocks do not count ns.
static void odd_devices()
{
    {
        ZoneScopedN("submit");
    }
    new_context(0, "ticks", 1, 40, 0);
    for (uint16_t n = 0; n < 10; n++)
        gpu_zone(0, (uint16_t)(2 * n), "timed", 1000 + 100 * n, 1005 + 101 * n);
    for (uint16_t n = 10; n < 12; n++) {
        begin_zone(0, (uint16_t)(2 * n), "untimed");
        end_zone(0, (uint16_t)(2 * n + 1));
    }
    new_context(1, "", 4, 1, 0);
    gpu_zone(1, 0, "timed", 5000, 5500);
    begin_zone(1, 2, "open");
    gpu_time(1, 2, 6000);
    new_context(2, "wrapping", 5, 1, 0);
    const int64_t wrap = INT64_C(1) << 34;
    for (uint16_t n = 0; n < 8; n++) {
        int64_t at = wrap - 1600 + 400 * n;
        gpu_zone(2, (uint16_t)(2 * n), "wrap", at & (wrap - 1), (at + 100) & (wrap - 1));
    }
    new_context(3, "clocked", 3, 1, 1);
    calibrate(3, 101000, 100000);
    gpu_zone(3, 0, "calibrated", 200000, 202000);
    gpu_zone(3, 2, "calibrated", 300000, 303000);
}

// ---- the rest ----

static void fibers()
{
#ifdef TRACY_FIBERS
    static const char *const fiber = "fiber";
    for (int i = 0; i < 5; i++) {
        TracyFiberEnter(fiber);
        {
            ZoneScopedN("fiber work");
        }
        TracyFiberLeave;
    }
#endif
}

static void sections()
{
#ifdef TracySectionEnter
    TracySectionSetup(1, "category %s", "one");
    auto run = TracySectionEnter("whole run");
    auto part = TracySectionEnterCategory(1, "part %d", 1);
    TracySectionLeave(part);
    TracySectionLeave(run);
    (void)TracySectionEnterCategory(1, "open %d", 2);
#endif
}

static const char text_of_source[] = "// the text that the program tells\n";

static char *tell_source(void *, const char *name, size_t &size)
{
    if (strcmp(name, "features.cpp"))
        return nullptr;
    size = sizeof text_of_source - 1;
#ifdef TENDRIL_CLIENT_H
    char *text = (char *)td_client_alloc(size);
#else
    char *text = (char *)tracy::tracy_malloc(size);
#endif
    memcpy(text, text_of_source, size);
    return text;
}

// Prints the setting on standard output.
static void set_parameter(void *, uint32_t index, int32_t value)
{
    printf("parameter %u is %d\n", index, value);
    fflush(stdout);
}

static void features()
{
    TracySourceCallbackRegister(tell_source, nullptr);
    TracyParameterRegister(set_parameter, nullptr);
    TracyParameterSetup(0, "parameter", 0, 42);
    TracyAppInfo("info line one", 13);
    TracyAppInfo("info line two", 13);
    locks_and_threads();
    zones();
    messages();
    frames();
    plots();
    memory();
    two_devices();
    fibers();
    sections();
}

static void many_in(const char *name, int thread)
{
    tracy::SetThreadName(name);
    for (int n = 0; n < 5000; n++) {
        ZoneScopedN("outer");
        ZoneNamedN(leaf, "leaf", true);
        if (n % 100 == 0)
            ZoneValueV(leaf, (uint64_t)n);
        if (n < 1500) {
            std::string text = "text " + std::to_string(n) + " of " + std::to_string(thread);
            TracyMessage(text.c_str(), text.size());
        }
    }
}

static void images()
{
    std::vector<unsigned char> picture(64 * 64 * 4);
    for (int i = 0; i < 64; i++) {
        memset(picture.data(), i * 4, picture.size());
        {
            ZoneScopedN("render");
        }
        FrameImage(picture.data(), 64, 64, 0, false);
        FrameMark;
        nap_ms(10);
    }
}

// Repeats `rounds` times: markers before a peer connects, which are not recorded, then recorded ones.
static void ondemand(int rounds)
{
    TracyAppInfo("said before", 11);
    TracyPlotConfig("plot", tracy::PlotFormatType::Memory, true, true, 0);
    for (int round = 0; round < rounds; round++) {
        while (!TracyIsConnected) {
            {
                ZoneScopedN("before");
            }
            FrameMark;
            nap_ms(2);
        }
        nap_ms(100); // the connection is complete
        for (int i = 0; i < 20; i++) {
            ZoneScopedN("after");
            std::lock_guard<LockableBase(std::mutex)> guard(of_the_rounds);
            FrameMark;
            TracyPlot("plot", (int64_t)i);
            TracyMessageL("literal");
        }
        while (TracyIsConnected && round + 1 < rounds)
            nap_ms(2);
    }
}

static void unfinished(bool crash)
{
    ZoneScopedN("outer unfinished");
    for (int i = 0; i < 10; i++) {
        ZoneScopedN("done");
        TracyMessageL("alive");
        FrameMark;
    }
    ZoneNamedN(inner, "inner unfinished", true);
    nap_ms(300);
    if (!crash)
        raise(SIGKILL);
    volatile int *volatile nowhere = nullptr;
    *nowhere = 1;
}

int main(int argc, char **argv)
{
    std::string mode = argc > 1 ? argv[1] : "features";
    if (mode == "features") {
        features();
    } else if (mode == "many") {
        std::thread first(many_in, "first", 0), second(many_in, "second", 1);
        first.join();
        second.join();
    } else if (mode == "images") {
        images();
    } else if (mode == "gpu") {
        odd_devices();
    } else if (mode == "ondemand") {
        ondemand(argc > 2 ? atoi(argv[2]) : 1);
    } else if (mode == "killed" || mode == "crash") {
        while (!TracyIsConnected)
            nap_ms(1);
        unfinished(mode == "crash");
    } else {
        return 2;
    }
    nap_ms(200); // captures of 0.9.0 do not notice sessions that are shorter
    return 0;
}
