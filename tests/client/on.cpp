// The C++ macros with TRACY_ENABLE: what test_off.sh links without a C++ runtime, runs and has collected.
#include "tracy/Tracy.hpp"

#include <stdint.h>

static void step(int i)
{
    ZoneScopedN("step");
    ZoneTextF("step %d of %s", i, "ten");
    ZoneText("plain", 5);
    ZoneValue((uint64_t)i);
    {
        ZoneNamedNC(inner, "inner", 0x102030, true);
        ZoneNameV(inner, "renamed", 7);
        ZoneNamedN(never, "never", false);
    }
    ZoneTransientN(made, "made", true);
    TracyPlot("int", i);
    TracyPlot("float", 0.5f);
    TracyPlot("double", 0.25);
    TracyPlot("int64", (int64_t)i);
    FrameMark;
}

int main()
{
    tracy::SetThreadName("ignored for the main thread");
    TracyPlotConfig("int", tracy::PlotFormatType::Memory, true, false, 0xff);
    ZoneScoped;
    ZoneColor(0x334455);
    for (int i = 0; i < 10; i++)
        step(i);
    FrameMarkNamed("set");
    TracyMessageL("literal");
    TracyMessageC("copy", 4, 0xff0000);
    TracyAppInfo("cpp", 3);
    return ZoneIsActive ? 0 : 1;
}
