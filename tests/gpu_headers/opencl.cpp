// A program with every marker of tracy/TracyOpenCL.hpp. It does the same work without TRACY_ENABLE, and
// compiles against Tracy's own header, too. Leaves with 77 where no OpenCL device is.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#include "linger.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyOpenCL.hpp"

static const char *const source = "__kernel void scale(__global float *v, float by)\n"
                                  "{ for (int i = 0; i < 50; i++) v[get_global_id(0)] *= by; }\n";
enum { ITEMS = 1 << 14, ROUNDS = 5 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffer;

static int open_device()
{
    cl_platform_id platform;
    cl_uint count = 0;
    cl_int err;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_SUCCESS || count == 0)
        return 77;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &err);
    if (err != CL_SUCCESS)
        return 1;
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
    if (err != CL_SUCCESS)
        return 1;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &err);
    if (err != CL_SUCCESS || clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS)
        return 1;
    kernel = clCreateKernel(program, "scale", &err);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(float), nullptr, nullptr);
    clReleaseProgram(program);
    const float by = 1.01f;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof by, &by);
    return err == CL_SUCCESS ? 0 : 1;
}

static void close_device()
{
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static cl_event scale()
{
    const size_t items = ITEMS;
    cl_event event = nullptr;
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event);
    return event;
}

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
