/* Measures the clock and markers; reads the machine's description from the system. */
#include "host/client/session/welcome.h"
#include "host/base/clock.h"
#include "host/client/collect/collect.h"
#include "host/client/encode/answer.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/epoch.h"
#include "host/client/platform/observed.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/session_state.h"
#include "host/client/platform/settings.h"
#include "host/client/platform/text_file.h"
#include "host/client/queue/names.h"
#include "host/client/queue/queue.h"
#include "host/client/session/host_info.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define READS    1000      /* of the clock, in pairs */
#define ZONES    2400      /* as many as fit into a block */
#define ROUNDS   4         /* the first one finds the block's memory cold */
#define START_NS 100000000 /* since the begin of the start until the first greeting */

static uint64_t resolution, delay; /* in ticks; 0: not measured */

static uint64_t measure_resolution(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < READS; i++) {
        uint64_t one = td_host_ticks(), two = td_host_ticks();
        if (two > one && two - one < best)
            best = two - one;
    }
    return best == UINT64_MAX ? 0 : best;
}

/* The ticks that a zone's begin or end costs a thread. Writes zones as markers do, into a block of no queue;
 * all of them fit into it. */
static uint64_t measure_delay(void)
{
    struct td_queue_block *block = td_pool_alloc_block();
    uint64_t best = UINT64_MAX;
    for (int round = 0; block && round < ROUNDS; round++) {
        struct td_client_producer producer = {.cur = (uintptr_t)block->words};
        uint64_t begin = td_client_ticks();
        for (int i = 0; i < ZONES; i++) {
            uint64_t now = td_client_ticks();
            uint64_t *record = (uint64_t *)(uintptr_t)td_client_move_on(&producer, 2);
            record[1] = (uintptr_t)block;
            td_client_publish(record, TD_CLIENT_ZONE_BEGIN, now);
            now = td_client_ticks();
            record = (uint64_t *)(uintptr_t)td_client_move_on(&producer, 1);
            td_client_publish(record, TD_CLIENT_ZONE_END, now);
        }
        uint64_t each = (td_client_ticks() - begin) / (2 * ZONES);
        if (each < best)
            best = each;
    }
    if (!block)
        return 0;
    memset(block->words, 0, ZONES * 24);
    td_pool_free_block(block);
    return best;
}
_Static_assert(TD_BLOCK_HEAD + ZONES * 24 <= TD_CLIENT_BLOCK_LIMIT, "they fit into a block");

void td_welcome_measure(void)
{
    if (resolution)
        return;
    delay = measure_delay();
    resolution = measure_resolution();
}

#if defined(__x86_64__)
static void processor(struct td_wire_welcome *welcome, char brand[49])
{
    uint32_t a, b, c, d;
    welcome->cpuArch = TD_WIRE_ARCH_X64;
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(welcome->cpuManufacturer, &b, 4);
        memcpy(welcome->cpuManufacturer + 4, &d, 4);
        memcpy(welcome->cpuManufacturer + 8, &c, 4);
    }
    if (__get_cpuid(1, &a, &b, &c, &d))
        welcome->cpuId = (a & 0xfff) | (a & 0xfff0000) >> 4;
    for (uint32_t leaf = 0; leaf < 3; leaf++) {
        uint32_t part[4];
        if (!__get_cpuid(0x80000002 + leaf, &part[0], &part[1], &part[2], &part[3]))
            return;
        memcpy(brand + 16 * leaf, part, 16);
    }
}
#else
static void processor(struct td_wire_welcome *welcome, char brand[49])
{
#if defined(__aarch64__)
    char text[2048];
    welcome->cpuArch = TD_WIRE_ARCH_ARM64;
    if (td_client_read_text("/proc/cpuinfo", text, sizeof text))
        td_host_info_arm_processor(text, brand, 49);
#endif
}
#endif

/* The session's time 0. Markers that run while the client starts, such as the one that starts it, may have read the
 * clock before it began. They are in the queues a little later. */
static int64_t begin_of_session(double ns_per_tick)
{
    const uint64_t began = (uint64_t)td_client_begin_ticks();
    while ((double)(td_client_ticks() - began) * ns_per_tick < START_NS)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    td_epoch_include(td_queue_earliest());
    return td_client_begin_ticks();
}

void td_welcome_fill(struct td_wire_welcome *welcome, int64_t end)
{
    memset(welcome, 0, sizeof *welcome);
    welcome->timerMul = td_host_ns_per_tick(START_NS / 1000000);
    welcome->initBegin = begin_of_session(welcome->timerMul);
    welcome->initEnd = end;
    welcome->resolution = resolution;
    welcome->delay = delay;
    welcome->samplingPeriod = td_collect_period_ns();
    welcome->epoch = td_client_epoch();
    const struct td_observed *others = td_client_observed();
    welcome->pid = others && others->pid > 0 ? (uint64_t)others->pid : (uint64_t)getpid();
    welcome->exectime = td_answer_program_time();
    td_client_program_name(welcome->programName, sizeof welcome->programName);
    char brand[49] = "", login[64];
    td_host_info_login("/etc/passwd", getuid(), login, sizeof login);
    processor(welcome, brand);
    struct utsname system = {0};
    uname(&system);
    struct sysinfo memory = {0};
    sysinfo(&memory);
    snprintf(welcome->hostInfo, sizeof welcome->hostInfo,
             "OS: %.64s %.64s\nCompiler: gcc-compatible %d.%d\nUser: %s@%.64s\nArch: %.32s\nCPU: %s\nCPU "
             "cores: %ld\n"
             "RAM: %llu MB\n" TD_WIRE_OWN_CLIENT "%s",
             system.sysname, system.release, __GNUC__, __GNUC_MINOR__, login, system.nodename, system.machine,
             brand[0] ? brand : "unknown", sysconf(_SC_NPROCESSORS_ONLN),
             (unsigned long long)memory.totalram * memory.mem_unit / (1024 * 1024),
             others ? TD_WIRE_OBSERVER : "");
}

const struct td_wire_release *td_welcome_release(uint32_t protocol)
{
    if (protocol == td_wire_66tt.protocol && td_setting_value(TD_SETTING_PEER))
        return &td_wire_66tt;
    return td_wire_release_for(protocol);
}

uint8_t td_welcome_flags(const struct td_wire_release *release)
{
    uint8_t flags = td_setting_value(TD_SETTING_ON_DEMAND) ? TD_WIRE_FLAG_ON_DEMAND : 0;
    if (td_setting_value(TD_SETTING_IGNORE_MEMORY_FAULTS) && release->ignore_memory_flag)
        flags |= TD_WIRE_FLAG_IGNORE_MEMORY;
    if (td_client_began_late()) /* what is freed now may have been taken before; older ones bear that, too */
        flags |= TD_WIRE_FLAG_IGNORE_MEMORY;
    if (td_answer_sends_code())
        flags |= TD_WIRE_FLAG_CODE_TRANSFER;
    return flags;
}
