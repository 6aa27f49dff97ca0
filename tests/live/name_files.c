/* Marks zones whose source files are the arguments. */
#include "tracy/TracyC.h"

#include <string.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        TracyCZoneCtx zone =
            ___tracy_emit_zone_begin_alloc(___tracy_alloc_srcloc(1, argv[i], strlen(argv[i]), "f", 1, 0), 1);
        TracyCZoneEnd(zone);
    }
    return 0;
}
