// Zones of OpenCL in numbers. Usage: opencl_many flood|threads|late
//   flood    more zones than a context has queries for, then some that fit again
//   threads  several threads mark zones of one context while another collects
//   late     (on demand) zones before and after a recorder connects; prints a line in between
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "linger.h"
#include "opencl_device.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyOpenCL.hpp"

enum { FLOOD = 40000, AFTER = 10, THREADS = 4, EACH = 2500 };

static TracyCLCtx ctx;
static cl_event done; // of a command that is complete

static void flood()
{
    for (int i = 0; i < FLOOD; i++) {
        TracyCLZone(ctx, "flood");
        TracyCLZoneSetEvent(done);
    }
    TracyCLCollect(ctx);
    for (int i = 0; i < AFTER; i++) {
        TracyCLZone(ctx, "after");
        TracyCLZoneSetEvent(done);
    }
    TracyCLCollect(ctx);
}

static int finished; // threads

static void *mark(void *name)
{
    for (int i = 0; i < EACH; i++) {
        TracyCLZoneTransient(ctx, outer, static_cast<const char *>(name), true);
        TracyCLZone(ctx, "inner");
        TracyCLNamedZoneSetEvent(outer, done);
        TracyCLZoneSetEvent(done);
    }
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    return nullptr;
}

static void threads()
{
    static char names[THREADS][16];
    pthread_t running[THREADS];
    for (int i = 0; i < THREADS; i++) {
        snprintf(names[i], sizeof names[i], "thread %d", i);
        pthread_create(&running[i], nullptr, mark, names[i]);
    }
    do {
        TracyCLCollect(ctx);
        linger();
    } while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < THREADS);
    for (pthread_t thread : running)
        pthread_join(thread, nullptr);
    TracyCLCollect(ctx);
}

static void late()
{
    for (int i = 0; i < FLOOD; i++) {
        TracyCLZone(ctx, "before");
        TracyCLZoneSetEvent(done);
    }
    {
        TracyCLZone(ctx, "across");
        TracyCLZoneSetEvent(done);
        printf("ready\n");
        fflush(stdout);
        td_client_wait_connected(60000);
    }
    for (int i = 0; i < AFTER; i++) {
        TracyCLZone(ctx, "after");
        TracyCLZoneSetEvent(done);
    }
    TracyCLCollect(ctx);
}

int main(int argc, char **argv)
{
    const int failed = open_device();
    if (failed || argc != 2)
        return failed ? failed : 2;
    ctx = TracyCLContext(context, device);
    TracyCLContextName(ctx, "the device", strlen("the device"));
    done = scale();
    clFinish(queue);
    if (strcmp(argv[1], "flood") == 0)
        flood();
    else if (strcmp(argv[1], "threads") == 0)
        threads();
    else
        late();
    clReleaseEvent(done);
    TracyCLDestroy(ctx);
    close_device();
    linger();
    return 0;
}
