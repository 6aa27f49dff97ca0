// A program with every marker of tracy/TracyVulkan.hpp. It does the same work without TRACY_ENABLE, and
// compiles against Tracy's own header, too. CALIBRATED and HOST_CALIBRATED choose the context. Leaves with 77
// where no Vulkan device can do this.
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "linger.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyVulkan.hpp"

#if defined TRACY_ENABLE && !defined TRACY_VK_USE_SYMBOL_TABLE
#define STAMP(call) VK_FUNCTION_WRAPPER(CONTEXT_VK_FUNCTION_WRAPPER(call))
#else
#define STAMP(call) call
#endif

enum { ROUNDS = 5, BYTES = 1 << 16 };

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandBuffer setup, commands;
    VkCommandPool pool;
    VkBuffer buffer;
    VkDeviceMemory memory;
} vulkan;

static int open_device()
{
    VkApplicationInfo app = {};
    app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    app.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo instance = {};
    instance.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    instance.pApplicationInfo = &app;
    uint32_t count = 1;
    if (vkCreateInstance(&instance, nullptr, &vulkan.instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(vulkan.instance, &count, &vulkan.physical) < 0 || count == 0)
        return 77;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceHostQueryResetFeatures reset = {};
    reset.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES;
    reset.hostQueryReset = VK_TRUE;
    const char *const extension = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
    VkDeviceCreateInfo device = {};
    device.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device.pNext = &reset;
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    device.enabledExtensionCount = 1;
    device.ppEnabledExtensionNames = &extension;
    if (vkCreateDevice(vulkan.physical, &device, nullptr, &vulkan.device) != VK_SUCCESS)
        return 77;
    vkGetDeviceQueue(vulkan.device, 0, 0, &vulkan.queue);
    return 0;
}

static void make_commands()
{
    VkCommandPoolCreateInfo pool = {};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    vkCreateCommandPool(vulkan.device, &pool, nullptr, &vulkan.pool);
    VkCommandBufferAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = vulkan.pool;
    allocate.commandBufferCount = 1;
    vkAllocateCommandBuffers(vulkan.device, &allocate, &vulkan.setup);
    vkAllocateCommandBuffers(vulkan.device, &allocate, &vulkan.commands);
}

static int make_buffer()
{
    VkBufferCreateInfo buffer = {};
    buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    buffer.size = BYTES;
    buffer.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (vkCreateBuffer(vulkan.device, &buffer, nullptr, &vulkan.buffer) != VK_SUCCESS)
        return 1;
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vulkan.device, vulkan.buffer, &needs);
    VkMemoryAllocateInfo memory = {};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    memory.allocationSize = needs.size;
    while (!(needs.memoryTypeBits & 1u << memory.memoryTypeIndex))
        memory.memoryTypeIndex++;
    return vkAllocateMemory(vulkan.device, &memory, nullptr, &vulkan.memory) != VK_SUCCESS ||
           vkBindBufferMemory(vulkan.device, vulkan.buffer, vulkan.memory, 0) != VK_SUCCESS;
}

static void close_device()
{
    vkDestroyBuffer(vulkan.device, vulkan.buffer, nullptr);
    vkFreeMemory(vulkan.device, vulkan.memory, nullptr);
    vkDestroyCommandPool(vulkan.device, vulkan.pool, nullptr);
    vkDestroyDevice(vulkan.device, nullptr);
    vkDestroyInstance(vulkan.instance, nullptr);
}

static void begin()
{
    VkCommandBufferBeginInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    vkBeginCommandBuffer(vulkan.commands, &info);
}

static void end()
{
    VkSubmitInfo submit = {};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &vulkan.commands;
    vkEndCommandBuffer(vulkan.commands);
    vkQueueSubmit(vulkan.queue, 1, &submit, VK_NULL_HANDLE);
    vkQueueWaitIdle(vulkan.queue);
}

static void draw()
{
    static uint32_t value;
    vkCmdFillBuffer(vulkan.commands, vulkan.buffer, 0, BYTES, value++);
}

static void every_kind(TracyVkCtx ctx, const char *title)
{
    (void)ctx, (void)title;
    {
        TracyVkZoneC(ctx, vulkan.commands, "colour", 0xff8000);
        draw();
    }
    {
        TracyVkZoneS(ctx, vulkan.commands, "stack", 8);
        draw();
    }
    {
        TracyVkZoneCS(ctx, vulkan.commands, "colour and stack", 0x00ff00, 8);
        draw();
    }
    {
        TracyVkZoneTransient(ctx, made, vulkan.commands, title, true);
        draw();
    }
    {
        TracyVkZoneTransientS(ctx, made, vulkan.commands, title, 4, true);
        draw();
    }
    {
        TracyVkNamedZone(ctx, first, vulkan.commands, "first", true);
        draw();
        TracyVkNamedZoneC(ctx, second, vulkan.commands, "second", 0x0000ff, true);
        draw();
        TracyVkNamedZoneS(ctx, third, vulkan.commands, "third", 4, true);
        draw();
        TracyVkNamedZoneCS(ctx, fourth, vulkan.commands, "fourth", 0xff00ff, 4, true);
        draw();
        TracyVkNamedZone(ctx, never, vulkan.commands, "never", false);
    }
#ifdef TRACY_ENABLE
    {
        static const tracy::SourceLocationData here = {"by class", "every_kind", __FILE__, __LINE__, 0};
        tracy::VkCtxScope zone(ctx, &here, vulkan.commands, true);
        draw();
    }
#endif
#ifdef TENDRIL_GPU_HPP
    // A query without markers: its time goes nowhere.
    const unsigned query = ctx->NextQueryId();
    if (ctx->GetId() < 255)
        STAMP(vkCmdWriteTimestamp(vulkan.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, ctx->GetQueryPool(),
                                  query));
#endif
}

static TracyVkCtx make_context()
{
#if defined HOST_CALIBRATED || (defined CALIBRATED && !defined TRACY_VK_USE_SYMBOL_TABLE)
    const auto domains = (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)vkGetInstanceProcAddr(
        vulkan.instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
    const auto timestamps =
        (PFN_vkGetCalibratedTimestampsEXT)vkGetDeviceProcAddr(vulkan.device, "vkGetCalibratedTimestampsEXT");
    (void)domains, (void)timestamps;
#endif
#if defined HOST_CALIBRATED && defined TRACY_VK_USE_SYMBOL_TABLE
    return TracyVkContextHostCalibrated(vulkan.instance, vulkan.physical, vulkan.device,
                                        vkGetInstanceProcAddr, vkGetDeviceProcAddr);
#elif defined HOST_CALIBRATED
    const auto reset = (PFN_vkResetQueryPoolEXT)vkGetDeviceProcAddr(vulkan.device, "vkResetQueryPool");
    (void)reset;
    return TracyVkContextHostCalibrated(vulkan.physical, vulkan.device, reset, domains, timestamps);
#elif defined CALIBRATED && defined TRACY_VK_USE_SYMBOL_TABLE
    return TracyVkContextCalibrated(vulkan.instance, vulkan.physical, vulkan.device, vulkan.queue,
                                    vulkan.setup, vkGetInstanceProcAddr, vkGetDeviceProcAddr);
#elif defined CALIBRATED
    return TracyVkContextCalibrated(vulkan.physical, vulkan.device, vulkan.queue, vulkan.setup, domains,
                                    timestamps);
#elif defined TRACY_VK_USE_SYMBOL_TABLE
    return TracyVkContext(vulkan.instance, vulkan.physical, vulkan.device, vulkan.queue, vulkan.setup,
                          vkGetInstanceProcAddr, vkGetDeviceProcAddr);
#else
    return TracyVkContext(vulkan.physical, vulkan.device, vulkan.queue, vulkan.setup);
#endif
}

// Another context of the queue, without the macros.
static void by_classes()
{
#ifdef TRACY_ENABLE
#ifdef TRACY_VK_USE_SYMBOL_TABLE
    tracy::VkCtx *const other =
        tracy::CreateVkContext(vulkan.instance, vulkan.physical, vulkan.device, vulkan.queue, vulkan.setup,
                               vkGetInstanceProcAddr, vkGetDeviceProcAddr);
#else
    tracy::VkCtx *const other =
        tracy::CreateVkContext(vulkan.physical, vulkan.device, vulkan.queue, vulkan.setup, nullptr, nullptr);
#endif
    other->Name("another", 7);
    other->Collect(VK_NULL_HANDLE); // nothing is there
    tracy::DestroyVkContext(other);
#endif
}

static void collect(TracyVkCtx ctx)
{
    (void)ctx;
#ifdef HOST_CALIBRATED
    TracyVkCollectHost(ctx);
#else
    TracyVkCollect(ctx, vulkan.commands);
#endif
}

int main()
{
    const int failed = open_device();
    if (failed || make_buffer()) {
        printf(failed == 77 ? "no Vulkan 1.2 device\n" : "Vulkan does not work\n");
        return failed ? failed : 1;
    }
    make_commands();
    TracyVkCtx ctx = make_context();
    TracyVkContextName(ctx, "the queue", strlen("the queue"));
    by_classes();
    {
        ZoneScopedN("window");
        for (int i = 0; i < ROUNDS; i++) {
            begin();
            {
                TracyVkZone(ctx, vulkan.commands, "draw");
                draw();
            }
            collect(ctx); // those of the round before
            end();
        }
        char title[] = "made here";
        begin();
        every_kind(ctx, title);
        end();
        memset(title, 'x', sizeof title - 1);
        begin();
        collect(ctx);
        end();
    }
    TracyVkDestroy(ctx);
    close_device();
    linger();
    return 0;
}
