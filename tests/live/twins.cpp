// Source locations of equal content: those of a template's instances, which differ by address, and locations
// that are sent by content.
#include "tracy/Tracy.hpp"
#include "tracy/TracyC.h"

#include <thread>
#include <chrono>
#include <utility>

static const int CALLS = 5;

static void spend()
{
    std::this_thread::sleep_for(std::chrono::microseconds(1)); // tables leave out zones without length
}

template <int N> static void instance()
{
    ZoneScoped;
    spend();
}

static void made()
{
    static const char file[] = "made.cpp", function[] = "made";
    uint64_t location = ___tracy_alloc_srcloc(7, file, sizeof file - 1, function, sizeof function - 1, 0);
    TracyCZoneCtx zone = ___tracy_emit_zone_begin_alloc(location, 1);
    spend();
    ___tracy_emit_zone_end(zone);
}

template <int... N> static void all(std::integer_sequence<int, N...>)
{
    void (*const instances[])() = {instance<N>...};
    for (int i = 0; i < CALLS; i++) {
        for (void (*each)() : instances)
            each();
        made();
    }
}

int main()
{
    all(std::make_integer_sequence<int, 28>());
    return 0;
}
