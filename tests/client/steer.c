/* Names that steer a terminal, in every place of a session that has one. */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <stdint.h>
#include <string.h>

/* Escape sequences as C0, C1 and a bare byte; text from right to left; no UTF-8; a second line. */
#define STEERS                                                                                               \
    "\x1b[31m\x1b]0;owned\x07\xc2\x9b"                                                                       \
    "2J\x9b"                                                                                                 \
    "1m\xe2\x80\xae\xe2\x81\xa6\xff\xc0\x80\nline\x7f"
#define NAME(text) "<" text STEERS ">"

static void set(void *data, uint32_t index, int32_t value)
{
    (void)data, (void)index, (void)value;
}

static void zones(void)
{
    static const struct ___tracy_source_location_data place = {NAME("zone"), NAME("function"), NAME("file"),
                                                               7, 0};
    for (int i = 0; i < 10; i++) {
        TracyCZoneCtx zone = ___tracy_emit_zone_begin_callstack(&place, 8, 1);
        TracyCZoneText(zone, NAME("text"), strlen(NAME("text")));
        TracyCZoneName(zone, NAME("name"), strlen(NAME("name")));
        TracyCZoneEnd(zone);
        TracyCZoneCtx other = ___tracy_emit_zone_begin(&place, 1);
        TracyCZoneEnd(other);
    }
}

int main(void)
{
    static TracyCLockCtx lock;
    td_client_set_program_name(NAME("program"));
    td_client_parameter_register(set, NULL);
    td_client_parameter_setup(0, NAME("parameter"), 0, 42);
    TracyCAppInfo(NAME("info"), strlen(NAME("info")));
    TracyCSetThreadName(NAME("thread"));
    {
        TracyCLockAnnounce(lock);
    }
    TracyCLockCustomName(lock, NAME("lock"), strlen(NAME("lock")));
    zones();
    TracyCPlot(NAME("plot"), 1);
    TracyCFrameMarkNamed(NAME("frame"));
    TracyCMessageL(NAME("literal"));
    TracyCMessage(NAME("message"), strlen(NAME("message")));
    TracyCFiberEnter(NAME("fiber"));
    zones();
    TracyCFiberLeave;
    return 0;
}
