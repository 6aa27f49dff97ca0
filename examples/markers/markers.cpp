// Markers of a C++ program: threads that fill a picture in tiles, frame by frame. Start it and record it:
//
//   TENDRIL_WAIT_CONNECT_MS=10000 build/examples/markers/markers &
//   build/bin/tendril capture -o markers.tracy
//
// or open it in any Tracy. Without TRACY_ENABLE it is the same program without markers.
#include <tracy/Tracy.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

static const int size = 256, tile = 32, frames = 30, workers = 2;
static const int tiles = (size / tile) * (size / tile);

// The lock's waiting and holding is in the trace; so are the conditions' waits, since they release it.
struct Work {
    TracyLockable(std::mutex, lock);
    std::condition_variable_any changed;
    int frame = -1, next = tiles, done = 0;
    bool over = false;
};

static std::vector<uint8_t> picture(4 * size * size);

static int iterations_at(double x, double y)
{
    double a = 0, b = 0;
    int n = 0;
    for (; n < 80 && a * a + b * b < 4; n++) {
        const double t = a * a - b * b + x;
        b = 2 * a * b + y;
        a = t;
    }
    return n;
}

static void fill(int frame, int number)
{
    ZoneScopedC(0x4080c0);
    ZoneTextF("frame %d, tile %d", frame, number);
    const int left = number % (size / tile) * tile, top = number / (size / tile) * tile;
    const double scale = 3. / size / (1 + frame * .2);
    uint64_t sum = 0;
    for (int y = top; y < top + tile; y++)
        for (int x = left; x < left + tile; x++) {
            const int n = iterations_at((x - size / 2) * scale - .7, (y - size / 2) * scale);
            memset(&picture[4 * (size_t(y) * size + x)], n, 4);
            sum += uint64_t(n);
        }
    ZoneValue(sum);
    (void)sum; // without markers
}

static void worker(Work &work, int index)
{
    char name[32];
    snprintf(name, sizeof name, "worker %d", index);
    tracy::SetThreadName(name);
    std::unique_lock<LockableBase(std::mutex)> lock(work.lock);
    for (;;) {
        while (!work.over && work.next == tiles)
            work.changed.wait(lock);
        if (work.over)
            return;
        const int frame = work.frame, number = work.next++;
        lock.unlock();
        fill(frame, number);
        lock.lock();
        LockMark(work.lock);
        if (++work.done == tiles)
            work.changed.notify_all();
    }
}

static void draw(Work &work, int frame)
{
    ZoneScopedN("frame");
    std::unique_lock<LockableBase(std::mutex)> lock(work.lock);
    work.frame = frame;
    work.next = work.done = 0;
    work.changed.notify_all();
    while (work.done < tiles)
        work.changed.wait(lock);
}

int main()
{
    Work work;
    TracyPlotConfig("time of a frame", tracy::PlotFormatType::Number, true, true, 0x80c040);
    TracyAppInfo("a picture in tiles", 18);
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; i++)
        threads.emplace_back(worker, std::ref(work), i);
    for (int frame = 0; frame < frames; frame++) {
        const auto before = std::chrono::steady_clock::now();
        draw(work, frame);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
        TracyPlot("time of a frame", took.count());
        (void)took;
        if (frame % 10 == 0) {
            FrameImage(picture.data(), size, size, 0, false);
            TracyMessageL("ten frames");
        }
        FrameMark;
    }
    {
        std::lock_guard<LockableBase(std::mutex)> lock(work.lock);
        work.over = true;
        work.changed.notify_all();
    }
    for (auto &thread : threads)
        thread.join();
    return 0;
}
