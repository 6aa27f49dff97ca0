/* early NAME LOG STOP: zones NAME of a few ms, one after the other, until the file STOP exists. LOG gets a line for
 * each: CLOCK_MONOTONIC in ns before and after its begin, before and after its end. */
#include <tracy/TracyC.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    FILE *log = argc == 4 ? fopen(argv[2], "we") : NULL;
    if (!log)
        return 2;
    setvbuf(log, NULL, _IOLBF, 0);
    for (unsigned i = 0; access(argv[3], F_OK) != 0; i++) {
        int64_t times[4];
        times[0] = now_ns();
        TracyCZoneCtx zone = ___tracy_emit_zone_begin_alloc(
            ___tracy_alloc_srcloc_name(__LINE__, __FILE__, strlen(__FILE__), __func__, strlen(__func__),
                                       argv[1], strlen(argv[1]), 0),
            1);
        times[1] = now_ns();
        usleep(1000 * (1 + i % 7));
        times[2] = now_ns();
        TracyCZoneEnd(zone);
        times[3] = now_ns();
        fprintf(log, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", times[0], times[1], times[2],
                times[3]);
    }
    return fclose(log) ? 2 : 0;
}
