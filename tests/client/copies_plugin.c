/* The library of copies.c. */
#include "tracy/TracyC.h"

void plugin_mark(void);
int plugin_port(void);

void plugin_mark(void)
{
    static char block[10];
    TracyCZoneN(zone, "of the library", 1);
    TracyCZoneText(zone, "text", 4);
    TracyCAllocN(block, sizeof block, "pool of the library");
    TracyCFreeN(block, "pool of the library");
    TracyCFrameMarkNamed("frame of the library");
    TracyCMessage("message of the library", 22);
    TracyCZoneEnd(zone);
}

int plugin_port(void)
{
    return td_client_port();
}
