/* A library to preload: the time of day is wrong by STEPPED_S seconds as soon as the file STEPPED_FILE exists. Other
 * clocks are as they are. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t step_s(void)
{
    const char *file = getenv("STEPPED_FILE"), *seconds = getenv("STEPPED_S");
    return file && seconds && access(file, F_OK) == 0 ? (time_t)atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    static int (*next)(clockid_t, struct timespec *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    int rc = next(clock, at);
    if (rc == 0 && clock == CLOCK_REALTIME)
        at->tv_sec += step_s();
    return rc;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *at, void *zone)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
