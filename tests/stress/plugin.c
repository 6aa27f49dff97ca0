/* A library with markers. Built twice: with the client of the program that loads it, and with its own copy of
 * the client. */
#include "tests/stress/plugin.h"
#include "tracy/TracyC.h"

void plugin_mark(int count, int depth)
{
    for (int i = 0; i < count; i++) {
        TracyCZoneN(zone, "in a library", 1);
        TracyCMessageS("from a library", 14, depth);
        TracyCMessageL("literal of a library");
        TracyCZoneEnd(zone);
    }
}

int plugin_wait_connected(int ms)
{
    return td_client_wait_connected(ms);
}
