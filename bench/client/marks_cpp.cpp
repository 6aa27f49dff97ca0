// Markers with the C++ macros.
#include "bench/client/marks.h"

#include <stdint.h>
#include <tracy/Tracy.hpp>

extern "C" void marks_cpp_zone(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        ZoneScopedN("zone");
    }
}

extern "C" void marks_cpp_zone_format(unsigned count)
{
    ZoneScopedN("with texts");
    for (unsigned i = 0; i < count; i++) {
        ZoneTextF("tile %u of %s", i, "all");
    }
}
