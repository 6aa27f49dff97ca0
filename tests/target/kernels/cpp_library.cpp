/* Headers of libstdc++ that need no library, and what the compiler calls for atomic objects. */
#include "tendril/tendril.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

static std::atomic<int> counter{3};
static std::atomic<std::uint64_t> wide{1};
static std::atomic_flag flag = ATOMIC_FLAG_INIT;

struct base {
    virtual int get() const = 0;
    virtual ~base() = default;
};
struct derived : base {
    int get() const override
    {
        return 5;
    }
};

template <typename T> static std::optional<T> largest(std::span<const T> all)
{
    ZoneScoped;
    if (all.empty())
        return std::nullopt;
    return *std::max_element(all.begin(), all.end());
}

int main()
{
    std::array<int, 5> numbers{4, 1, 5, 2, 3};
    std::sort(numbers.begin(), numbers.end());
    TD_LOG("sorted %d %d %d %d %d", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    TD_LOG("largest %d sum %d", *largest<int>(numbers), std::accumulate(numbers.begin(), numbers.end(), 0));
    auto [a, b] = std::make_tuple(std::uint8_t{7}, std::numeric_limits<std::uint16_t>::max());
    TD_LOG("tuple %d %d ones %d", a, b, std::popcount(0xf0u));
    int expected = 4;
    counter += 1;
    const bool swapped = counter.compare_exchange_strong(expected, 40);
    wide.fetch_add(std::uint64_t{1} << 40);
    TD_LOG("atomic %d %d %x %d", swapped, counter.exchange(9), static_cast<std::uint32_t>(wide.load() >> 32),
           flag.test_and_set());
    alignas(derived) std::byte room[sizeof(derived)];
    const base *object = new (room) derived;
    std::variant<int, float> either = 2.5f;
    TD_LOG("virtual %d variant %f view %d", object->get(), std::get<float>(either),
           static_cast<int>(std::string_view("four").size()));
    static_assert(std::is_trivially_copyable_v<std::pair<int, int>> || sizeof(std::pair<int, int>) == 8);
    return numbers.at(td_arg() + 2); /* out of range: says so and ends with the code of abort() */
}
