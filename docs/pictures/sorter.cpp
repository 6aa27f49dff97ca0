// A program for pictures of the viewer's panels on samples: three threads sort numbers, and take turns at a lock to
// add what they have sorted to a sum. One of them has no zones.
#include <tracy/Tracy.hpp>

#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

static std::mutex sum_lock;
static uint64_t sum;

static inline void swap_two(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

// Puts the numbers that are less than the last one before it, and returns its place.
__attribute__((noinline)) static uint32_t partition(uint32_t *numbers, uint32_t count)
{
    const uint32_t pivot = numbers[count - 1];
    uint32_t place = 0;
    for (uint32_t i = 0; i + 1 < count; i++)
        if (numbers[i] < pivot)
            swap_two(&numbers[i], &numbers[place++]);
    swap_two(&numbers[count - 1], &numbers[place]);
    return place;
}

__attribute__((noinline)) static void quicksort(uint32_t *numbers, uint32_t count)
{
    while (count > 1) {
        const uint32_t place = partition(numbers, count);
        quicksort(numbers, place);
        numbers += place + 1;
        count -= place + 1;
    }
}

__attribute__((noinline)) static void add_up(const std::vector<uint32_t> &numbers)
{
    std::lock_guard<std::mutex> guard(sum_lock);
    for (uint32_t round = 0; round < 8; round++)
        for (uint32_t number : numbers)
            sum = sum * 31 + number;
}

__attribute__((noinline)) static void work(const char *name, uint32_t seed, bool has_zones)
{
    tracy::SetThreadName(name);
    std::vector<uint32_t> numbers(60000);
    for (int round = 0; round < 12; round++) {
        for (uint32_t &number : numbers)
            number = seed = seed * 1664525u + 1013904223u;
        {
            ZoneNamedNC(zone, "sort", 0x4080c0, has_zones);
            quicksort(numbers.data(), (uint32_t)numbers.size());
        }
        ZoneNamedNC(zone, "add up", 0xc09040, has_zones);
        add_up(numbers);
    }
}

int main()
{
    std::thread one(work, "sorter 1", 1, true), two(work, "sorter 2", 2, false);
    work("sorter 0", 3, true);
    one.join();
    two.join();
    return sum == 0;
}
