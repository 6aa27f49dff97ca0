/* A library with a client of its own, and a zone. */
#include <tracy/TracyC.h>

void work_in_library(void);

void work_in_library(void)
{
    TracyCZoneN(zone, "in the library", 1);
    TracyCZoneEnd(zone);
}
