// Marks in threads for some time, the same source for stock clients of every release and for Tendril's.
// Usage: mixed_client THREADS TURNS PAUSE_US. Each turn of a thread has 5 zones, 2 messages and a point of a
// plot.
// Thread 0 also marks a frame. mixed.py knows these numbers.
#include "tracy/Tracy.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

static void deepest(int thread, long turn)
{
    ZoneScopedN("deepest");
    std::string text = "turn " + std::to_string(turn) + " of thread " + std::to_string(thread);
    TracyMessage(text.c_str(), text.size());
}

static void inner(int thread, long turn)
{
    ZoneScopedN("inner");
    deepest(thread, turn);
}

static void work(int thread, long turns, long pause_us)
{
    for (long turn = 0; turn < turns; turn++) {
        struct timespec rest = {pause_us / 1000000, pause_us % 1000000 * 1000};
        {
            ZoneScopedN("outer");
            inner(thread, turn);
            inner(thread, turn);
            TracyPlot("turns", double(turn));
        }
        if (thread == 0)
            FrameMarkNamed("turns of thread 0");
        nanosleep(&rest, nullptr);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    std::vector<std::thread> threads;
    for (int i = 0; i < atoi(argv[1]); i++)
        threads.emplace_back(work, i, atol(argv[2]), atol(argv[3]));
    for (auto &thread : threads)
        thread.join();
    return 0;
}
