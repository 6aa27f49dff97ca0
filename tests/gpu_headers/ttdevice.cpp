// A program with every marker of tracy/TracyTTDevice.hpp: what the cores of two chips marked, with times that
// are foretold. It does the same without TRACY_ENABLE, and the first part compiles against Tenstorrent's
// fork, too.
#include <stdio.h>
#include <string.h>
#include <unordered_set>

#include "linger.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyTTDevice.hpp"

#ifdef TRACY_ENABLE
#define GHZ 1.25

static tracy::TTDeviceEvent event(uint64_t x, uint64_t risc, uint64_t time, const char *name, uint64_t run)
{
    return tracy::TTDeviceEvent(run, 1, x, 2, risc, 77, time, 12, "kernel.cpp", name,
                                tracy::TTDeviceEventPhase::begin, tracy::Color::ColorType(0x102030));
}

// Zones of 1000 ticks (800 ns) in one of 5000, on two cores.
static void events(TracyTTCtx ctx)
{
    for (uint64_t x = 1; x <= 2; x++)
        for (uint64_t risc = 0; risc < 5; risc++) {
            const uint64_t from = 1000000 + 10000 * x;
            TracyTTPushStartZone(ctx, event(x, risc, from, "FW", x == 1 ? 9 : 0));
            TracyTTPushStartZone(ctx, event(x, risc, from + 1000, "kernel", 0));
            TracyTTPushEndZone(ctx, event(x, risc, from + 2000, "kernel", 0));
            TracyTTPushEndZone(ctx, event(x, risc, from + 5000, "FW", 0));
        }
    TracyTTPushStartZone(ctx, event(3, 6, 1000000, "together", 9));
    TracyTTPushEndZone(ctx, event(3, 6, 1000500, "together", 9));
}

// Events are the same by time and place; a row is a place and back.
static int sets()
{
    std::unordered_set<tracy::TTDeviceEvent> known;
    tracy::TTDeviceEvent one = event(1, 2, 100, "a", 1), other = event(1, 2, 100, "b", 2),
                         later = event(0, 0, 101, "a", 1);
    known.insert(one);
    known.insert(other);
    known.insert(later);
    const tracy::TTDeviceEvent row(one.get_thread_id());
    if (known.size() != 2 || !(one == other) || !(one < later) || later < one || row.core_x != 1 ||
        row.core_y != 2 || row.risc != 2 || row.chip_id != 1 || tracy::riscName[row.risc] != "TRISC_0") {
        printf("events do not compare by time and place\n");
        return 1;
    }
#ifdef TENDRIL_TT_HAS_JSON
    using Marker = tracy::TTDeviceMarker;
    const Marker whole(1, 2, 3, 4, 5, 6, tracy::RiscType::ERISC, 8, 9, 10, "op", 11, "f", "n",
                       tracy::TTDeviceMarkerType::TS_EVENT, {}, {{"k", 1.5}});
    const Marker place(whole.get_thread_id());
    if (std::hash<Marker>()(whole) != std::hash<Marker>()(Marker(whole)) || whole == place ||
        place.chip_id != 4 || place.core_x != 5 || place.core_y != 6 || place.risc != whole.risc ||
        whole.to_string() != "Op name: op\nOp ID: 1\nTrace ID: 2\nTrace run: 3\nData: 10\nk: 1.5") {
        printf("a marker says something else: %s\n", whole.to_string().c_str());
        return 1;
    }
#endif
    return 0;
}

#ifdef TENDRIL_GPU_HPP
static tracy::TTDeviceMarker marker(tracy::RiscType risc, uint64_t time, const char *name)
{
    const tracy::MarkerDetails details(name, "kernel.cpp", 30);
    tracy::TTDeviceMarker made;
    made.chip_id = 3;
    made.core_x = 100; // as programs do it that have a row for a whole chip
    made.core_y = 100;
    made.risc = risc;
    made.timestamp = time;
    made.runtime_host_id = 41;
    made.marker_name = details.marker_name;
    made.file = details.source_file;
    made.line = details.source_line_num;
    made.marker_name_keyword_flags = details.marker_name_keyword_flags;
    return made;
}

static void markers(TracyTTCtx ctx)
{
    TracyTTPushStartMarker(ctx, marker(tracy::RiscType::BRISC, 5000, "BRISC-FW"));
    TracyTTPushStartMarker(ctx, marker(tracy::RiscType::BRISC, 6000, "BRISC-KERNEL"));
    tracy::TTDeviceMarker moment = marker(tracy::RiscType::BRISC, 6500, "moment");
    moment.data = 12345;
    moment.marker_type = tracy::TTDeviceMarkerType::TS_DATA;
#ifdef TENDRIL_TT_HAS_JSON
    moment.meta_data["stage"] = "write";
    moment.meta_data["bytes"] = 64;
#endif
    TracyTTPushMarker(ctx, moment);
    TracyTTPushEndMarker(ctx, marker(tracy::RiscType::BRISC, 7000, "BRISC-KERNEL"));
    TracyTTPushEndMarker(ctx, marker(tracy::RiscType::BRISC, 8000, "BRISC-FW"));
    tracy::TTDeviceMarker coloured = marker(tracy::RiscType::ERISC, 9000, "coloured");
    coloured.color = 0x998877;
    TracyTTPushStartMarker(ctx, coloured);
    coloured.timestamp = 9999;
    TracyTTPushEndMarker(ctx, coloured);
}

// More contexts than traces but the fork's have numbers for.
static void many()
{
    for (int i = 0; i < 300; i++) {
        TracyTTCtx ctx = TracyTTContext();
        TracyTTContextPopulate(ctx, TracyGetCpuTime(), 0, 1);
        TracyTTPushStartMarker(ctx, marker(tracy::RiscType::NCRISC, 1000, "many"));
        TracyTTPushEndMarker(ctx, marker(tracy::RiscType::NCRISC, 2000, "many"));
        TracyTTDestroy(ctx);
    }
}
#endif
#endif

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
    int bad = 0;
#ifdef TRACY_ENABLE
    ZoneScopedN("window");
    TracyTTCtx ctx = TracyTTContext();
    TracyTTContextPopulate(ctx, TracyGetCpuTime(), 1000000.0, GHZ);
    TracyTTContextName(ctx, "chip 1", 6);
    events(ctx);
    const int64_t later = TracyGetCpuTime() + int64_t(1e6 / TracyGetTimerMul()); // in 1 ms, by the CPU
    TracyTTContextCalibrate(ctx, later, 1000000.0 + 1e6 * GHZ, GHZ);
    bad += sets();
    if (later <= TracyGetBaseTime() || TracyGetTimerMul() <= 0)
        bad += printf("the clock is not told\n");
#ifdef TENDRIL_GPU_HPP
    TracySetCpuTime(TracyGetCpuTime());
    TracyTTCtx calibrated = TracyTTContext();
    TracyTTContextPopulateCalibrated(calibrated, 0, 0, 1);
    TracyTTContextName(calibrated, "chip 3", 6);
    markers(calibrated);
    TracyTTDestroy(calibrated);
    if (argc > 1)
        many();
#endif
    TracyTTDestroy(ctx);
    linger();
#else
    TracyTTCtx ctx = TracyTTContext();
    TracyTTContextPopulate(ctx, 0, 0, 1);
    TracyTTContextName(ctx, "n", 1);
    TracyTTDestroy(ctx);
    (void)ctx;
#endif
    return bad != 0;
}
