// As off.c, for the C++ macros.
#ifdef PLAIN
#define MARK(...)
#else
#include "tracy/Tracy.hpp"
#define MARK(...) __VA_ARGS__
#endif

int work(int n)
{
    MARK(ZoneScoped;)
    MARK(TracySetProgramName(nowhere());)
    int sum = 0;
    for (int i = 0; i < n; i++) {
        MARK(ZoneScopedN(nowhere());)
        MARK(ZoneNamedNC(zone, nowhere(), nowhere(), nowhere());)
        MARK(ZoneTransientN(other, nowhere(), nowhere());)
        sum += i * i;
        MARK(ZoneText(nowhere(), nowhere());)
        MARK(ZoneTextF(nowhere(), nowhere());)
        MARK(ZoneName(nowhere(), nowhere());)
        MARK(ZoneColor(nowhere());)
        MARK(ZoneValue(nowhere());)
        MARK(if (ZoneIsActive) sum = 0;)
    }
    {
        MARK(ZoneScopedC(nowhere());)
    }
    {
        MARK(ZoneScopedNC(nowhere(), nowhere());)
    }
    MARK(FrameMark;)
    MARK(FrameMarkNamed(nowhere());)
    MARK(FrameMarkStart(nowhere());)
    MARK(FrameMarkEnd(nowhere());)
    MARK(TracyPlot(nowhere(), nowhere());)
    MARK(TracyPlotConfig(nowhere(), 0, 0, 0, nowhere());)
    MARK(TracyMessage(nowhere(), nowhere());)
    MARK(TracyMessageL(nowhere());)
    MARK(TracyMessageC(nowhere(), 1, nowhere());)
    MARK(TracyMessageLC(nowhere(), nowhere());)
    MARK(TracyAppInfo(nowhere(), nowhere());)
    return sum MARK(+TracyIsConnected);
}
