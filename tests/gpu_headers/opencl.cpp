// A program with every marker of tracy/TracyOpenCL.hpp. It does the same work without TRACY_ENABLE, and
// compiles against Tracy's own header, too. Leaves with 77 where no OpenCL device is.
#include <stdio.h>
#include <string.h>

#include "linger.h"
#include "opencl_device.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyOpenCL.hpp"

enum { ROUNDS = 5 };

// A command for the zone `var`, and its event for it.
#define SCALE_FOR(SET_EVENT)                                                                                 \
    do {                                                                                                     \
        cl_event event = scale();                                                                            \
        SET_EVENT;                                                                                           \
        clReleaseEvent(event);                                                                               \
    } while (0)

static void every_kind(TracyCLCtx ctx, const char *title)
{
    (void)ctx, (void)title;
    {
        TracyCLZoneC(ctx, "colour", 0xff8000);
        SCALE_FOR(TracyCLZoneSetEvent(event));
    }
    {
        TracyCLZoneS(ctx, "stack", 8);
        SCALE_FOR(TracyCLZoneSetEvent(event));
    }
    {
        TracyCLZoneCS(ctx, "colour and stack", 0x00ff00, 8);
        SCALE_FOR(TracyCLZoneSetEvent(event));
    }
    {
        TracyCLZoneTransient(ctx, made, title, true);
        SCALE_FOR(TracyCLNamedZoneSetEvent(made, event));
    }
    {
        TracyCLZoneTransientS(ctx, made, title, 4, true);
        SCALE_FOR(TracyCLNamedZoneSetEvent(made, event));
    }
    {
        // Several in one scope, of the same command.
        TracyCLNamedZone(ctx, first, "first", true);
        TracyCLNamedZoneC(ctx, second, "second", 0x0000ff, true);
        TracyCLNamedZoneS(ctx, third, "third", 4, true);
        TracyCLNamedZoneCS(ctx, fourth, "fourth", 0xff00ff, 4, true);
        TracyCLNamedZone(ctx, never, "never", false);
        cl_event event = scale();
        TracyCLNamedZoneSetEvent(first, event);
        TracyCLNamedZoneSetEvent(second, event);
        TracyCLNamedZoneSetEvent(third, event);
        TracyCLNamedZoneSetEvent(fourth, event);
        TracyCLNamedZoneSetEvent(never, event);
        clReleaseEvent(event);
    }
#ifdef TENDRIL_GPU_HPP
    {
        TracyCLZone(ctx, "no event");
    }
#endif
}

// Without the macros.
static void by_classes(TracyCLCtx ctx)
{
    (void)ctx;
#ifdef TRACY_ENABLE
    static const tracy::SourceLocationData here = {"by class", "by_classes", __FILE__, __LINE__, 0};
    tracy::OpenCLCtx *const other = tracy::CreateCLContext(context, device);
    if (other->GetId() == ctx->GetId())
        printf("two contexts with one number\n");
    other->Name("another", 7);
    {
        tracy::OpenCLCtxScope zone(other, &here, true);
        cl_event event = scale();
        zone.SetEvent(event);
        clReleaseEvent(event);
    }
    clFinish(queue);
    other->Collect();
    tracy::DestroyCLContext(other);
#endif
}

int main()
{
    const int failed = open_device();
    if (failed) {
        printf(failed == 77 ? "no OpenCL device\n" : "OpenCL does not work\n");
        return failed;
    }
    TracyCLCtx ctx = TracyCLContext(context, device);
    (void)ctx;
    TracyCLContextName(ctx, "the device", strlen("the device"));
    {
        ZoneScopedN("window");
        for (int i = 0; i < ROUNDS; i++) {
            cl_event event;
            {
                TracyCLZone(ctx, "scale");
                event = scale();
                TracyCLZoneSetEvent(event);
            }
            clReleaseEvent(event);
            TracyCLCollect(ctx); // may find none yet
        }
        char title[] = "made here";
        every_kind(ctx, title);
        memset(title, 'x', sizeof title - 1);
        clFinish(queue);
        TracyCLCollect(ctx);
        by_classes(ctx);
    }
    TracyCLDestroy(ctx);
    close_device();
    linger();
    return 0;
}
