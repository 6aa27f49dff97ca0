// A device and a command for it, for the OpenCL programs of this folder.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static const char *const source = "__kernel void scale(__global float *v, float by)\n"
                                  "{ for (int i = 0; i < 50; i++) v[get_global_id(0)] *= by; }\n";
enum { ITEMS = 1 << 14 };

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
