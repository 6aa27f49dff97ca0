#include "host/client/session/welcome.h"
#include "host/base/clock.h"
#include "host/client/encode/answer.h"
#include "host/client/platform/epoch.h"
#include "host/client/queue/names.h"

#include <stdio.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

uint64_t td_welcome_resolution(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t one = td_host_ticks(), two = td_host_ticks();
        if (two > one && two - one < best)
            best = two - one;
    }
    return best == UINT64_MAX ? 0 : best;
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
    welcome->cpuArch = TD_WIRE_ARCH_ARM64;
#endif
}
#endif

void td_welcome_fill(struct td_wire_welcome *welcome, double ns_per_tick, int64_t begin, int64_t end)
{
    memset(welcome, 0, sizeof *welcome);
    welcome->timerMul = ns_per_tick;
    welcome->initBegin = begin;
    welcome->initEnd = end;
    welcome->resolution = welcome->delay = td_welcome_resolution();
    welcome->epoch = td_client_epoch();
    welcome->pid = (uint64_t)getpid();
    welcome->exectime = td_answer_program_time();
    td_client_program_name(welcome->programName, sizeof welcome->programName);
    char brand[49] = "";
    processor(welcome, brand);
    struct utsname system = {0};
    uname(&system);
    struct sysinfo memory = {0};
    sysinfo(&memory);
    snprintf(welcome->hostInfo, sizeof welcome->hostInfo,
             "OS: %.64s %.64s\nCompiler: gcc-compatible %d.%d\nUser: @%.64s\nArch: %.32s\nCPU: %s\nCPU "
             "cores: %ld\n"
             "RAM: %llu MB\n" TD_WIRE_OWN_CLIENT,
             system.sysname, system.release, __GNUC__, __GNUC_MINOR__, system.nodename, system.machine, brand,
             sysconf(_SC_NPROCESSORS_ONLN),
             (unsigned long long)memory.totalram * memory.mem_unit / (1024 * 1024));
}
