/* Compiled twice by test_off.sh, without TRACY_ENABLE: with every marker, and with none of them in the text
 * (PLAIN). The names in the arguments are declared nowhere: an argument that is looked at does not compile.
 */
#ifdef PLAIN
#define MARK(...)
#else
#include "tracy/TracyC.h"
#include "tendril/client.h"
#define MARK(...) __VA_ARGS__
#endif

int work(int n);

int work(int n)
{
    MARK(TracyCSetThreadName(nowhere()))
    MARK(TracyCZone(a, nowhere()))
    MARK(TracyCZoneN(b, nowhere(), nowhere()))
    MARK(TracyCZoneC(c, nowhere(), 1))
    MARK(TracyCZoneNC(d, nowhere(), nowhere(), 1))
    int sum = 0;
    for (int i = 0; i < n; i++) {
        MARK(TracyCZoneS(e, nowhere(), 1))
        MARK(TracyCZoneNS(f, nowhere(), 5, 1))
        MARK(TracyCZoneCS(g, nowhere(), 5, 1))
        MARK(TracyCZoneNCS(h, nowhere(), 1, 5, 1))
        sum += i * i;
        MARK(TracyCZoneText(e, nowhere(), nowhere()))
        MARK(TracyCZoneName(e, nowhere(), nowhere()))
        MARK(TracyCZoneColor(e, nowhere()))
        MARK(TracyCZoneValue(e, nowhere()))
        MARK(TracyCZoneEnd(e))
    }
    MARK(TracyCFrameMark)
    MARK(TracyCFrameMarkNamed(nowhere()))
    MARK(TracyCFrameMarkStart(nowhere()))
    MARK(TracyCFrameMarkEnd(nowhere()))
    MARK(TracyCPlot(nowhere(), nowhere()))
    MARK(TracyCPlotF(nowhere(), nowhere()))
    MARK(TracyCPlotI(nowhere(), nowhere()))
    MARK(TracyCPlotConfig(nowhere(), 0, 0, 0, nowhere()))
    MARK(TracyCMessage(nowhere(), nowhere()))
    MARK(TracyCMessageL(nowhere()))
    MARK(TracyCMessageC(nowhere(), 1, nowhere()))
    MARK(TracyCMessageLC(nowhere(), nowhere()))
    MARK(TracyCMessageS(nowhere(), nowhere(), 3))
    MARK(TracyCMessageLS(nowhere(), 3))
    MARK(TracyCMessageCS(nowhere(), 1, nowhere(), 3))
    MARK(TracyCMessageLCS(nowhere(), nowhere(), 3))
    MARK(TracyCAppInfo(nowhere(), nowhere()))
    MARK(td_client_set_program_name(nowhere());)
    MARK(td_client_set_thread_name(nowhere(), nowhere());)
    MARK(TracyCZoneEnd(a))
    return sum MARK(+TracyCIsConnected + td_client_port() + td_client_wait_connected(nowhere()));
}
