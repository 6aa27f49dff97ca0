/* Opens events. One ring for each processor: the first event that opens there maps it, and the others are
 * redirected into it. */
#include "host/perf/perf_internal.h"
#include "host/perf/proc.h"
#include "host/perf/tracefs.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_MOST        ((size_t)2 << 20)
#define RING_LEAST       ((size_t)512 << 10)
#define RINGS_BYTES      ((size_t)16 << 20) /* of all processors, if rings are larger than the least */
#define THREADS_MAX      32768              /* that may be there at the start */
#define HW_HZ            5000               /* as in Tracy's clients */
#define USER_STACK_BYTES 1024 /* of the program's stack in a sample: some frames of library functions */
#define SPARED           32   /* descriptors that are always left to the program */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* ---- messages ---- */

static const char *const kind_names[TD_PERF_KIND_COUNT] = {
#define TD_X(name, what) [TD_PERF_##name] = what,
    TD_PERF_KINDS(TD_X)
#undef TD_X
};

__attribute__((format(printf, 4, 5))) static void
report_missing(struct td_perf_report *report, uint32_t kinds, bool denied, const char *format, ...)
{
    if (report->count == sizeof report->missing / sizeof *report->missing)
        return;
    struct td_perf_missing *missing = &report->missing[report->count++];
    *missing = (struct td_perf_missing){.kinds = kinds, .denied = denied};
    va_list args;
    va_start(args, format);
    vsnprintf(missing->why, sizeof missing->why, format, args);
    va_end(args);
}

/* Why the kernel did not open an event. `least`: the value of perf_event_paranoid that would allow it. */
static void report_refused(struct td_perf_report *report, uint32_t kinds, const char *what, int error,
                           int least)
{
    int64_t paranoid;
    switch (error) {
    case EACCES:
    case EPERM:
        if (td_proc_number("/proc/sys/kernel/perf_event_paranoid", &paranoid) && paranoid > least)
            report_missing(
                report, kinds, true,
                "no %s: the kernel refuses them (kernel.perf_event_paranoid is %d); run as root, give "
                "CAP_PERFMON, or set it to %d with sysctl",
                what, (int)paranoid, least);
        else
            report_missing(
                report, kinds, true,
                "no %s: the system refuses perf_event_open(); a container must allow it (CAP_PERFMON, "
                "seccomp profile)",
                what);
        break;
    case ENOSYS:
        report_missing(
            report, kinds, true,
            "no %s: there is no perf_event_open() here; a container must allow it (seccomp profile), a "
            "kernel must have CONFIG_PERF_EVENTS",
            what);
        break;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        report_missing(
            report, kinds, false,
            "no %s: this machine's processor gives no such counters (a virtual machine needs a virtual PMU)",
            what);
        break;
    case EMFILE:
    case ENFILE:
        report_missing(report, kinds, true, "no %s: too few file descriptors; raise ulimit -n", what);
        break;
    default:
        report_missing(report, kinds, false, "no %s: %s", what, strerror(error));
        break;
    }
}

/* A kind that some threads or processors lack. of 0: how many is not known. */
static void report_partly(struct td_perf_report *report, enum td_perf_kind kind, const char *whose,
                          unsigned have, unsigned of, int error)
{
    const bool too_few = error == EMFILE || error == ENFILE;
    char part[40];
    snprintf(part, sizeof part, of ? "%u of %u" : "some", have, of);
    report_missing(report, 0, too_few, "%s of %s %s only: %s", kind_names[kind], part, whose,
                   too_few ? "too few file descriptors; raise ulimit -n" : strerror(error));
}

/* ---- events ---- */

static int open_event(struct td_perf *perf, struct perf_event_attr *attr, int pid, int cpu)
{
    if (!perf->descriptors)
        return -EMFILE;
    attr->read_format = perf->read_format;
    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && errno == EINVAL && attr->read_format) { /* it came with Linux 6.0 */
        attr->read_format = 0;
        fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd >= 0)
            perf->read_format = 0;
    }
    if (fd < 0)
        return -errno;
    perf->descriptors--;
    return (int)fd;
}

static void close_event(struct td_perf *perf, int fd)
{
    close(fd);
    perf->descriptors++;
}

static bool add_event(struct td_perf *perf, struct td_perf_cpu *cpu, const struct td_perf_event *event)
{
    if (cpu->count == cpu->room) {
        const unsigned room = cpu->room ? 2 * cpu->room : 16;
        struct td_perf_event *events = perf->host->take(room * sizeof *events);
        if (!events)
            return false;
        if (cpu->count)
            memcpy(events, cpu->events, cpu->count * sizeof *events);
        perf->host->give(cpu->events);
        cpu->events = events;
        cpu->room = room;
    }
    unsigned at = cpu->count++; /* numbers rise: usually the place is the last */
    for (; at && cpu->events[at - 1].id > event->id; at--)
        cpu->events[at] = cpu->events[at - 1];
    cpu->events[at] = *event;
    return true;
}

/* Samples have registers and a part of the stack. */
static bool has_user(const struct td_perf *perf)
{
    return perf->options.find_callers && perf->options.kinds & TD_PERF_BIT(SAMPLE) &&
           TD_PERF_USER_REGISTERS != 0;
}

/* On a busy machine the reader may not run for some tenths of a second. */
static size_t ring_bytes(const struct td_perf *perf)
{
    const unsigned larger = has_user(perf) ? 2 : 1; /* so are the samples */
    size_t bytes = RING_MOST * larger;
    while (bytes > RING_LEAST && bytes * perf->cpu_count > RINGS_BYTES * larger)
        bytes /= 2;
    return perf->options.ring_bytes ? perf->options.ring_bytes : bytes;
}

/* Lets the event write into the processor's ring. 0, or -errno; then the event is closed. */
static int connect_event(struct td_perf *perf, struct td_perf_cpu *cpu, int fd, enum td_perf_kind kind)
{
    struct td_perf_event event = {.fd = fd, .kind = kind};
    int failed = ioctl(fd, PERF_EVENT_IOC_ID, &event.id) == 0 ? 0 : -errno;
    if (!failed && cpu->ring.page)
        failed = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->ring_fd) == 0 ? 0 : -errno;
    else if (!failed)
        failed = td_perf_ring_map(&cpu->ring, fd, ring_bytes(perf));
    if (!failed && !add_event(perf, cpu, &event))
        failed = -ENOMEM;
    if (failed && cpu->ring_fd < 0)
        td_perf_ring_unmap(&cpu->ring);
    if (failed)
        close_event(perf, fd);
    else if (cpu->ring_fd < 0)
        cpu->ring_fd = fd;
    return failed;
}

static struct perf_event_attr plain_attr(enum td_perf_kind kind)
{
    return (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
                                    .sample_type = td_perf_sample_type(kind),
                                    .sample_max_stack = TD_PERF_STACK_MAX,
                                    .disabled = 1,
                                    .sample_id_all = 1,
                                    .use_clockid = 1,
                                    .clockid = CLOCK_MONOTONIC_RAW};
}

/* ---- events of threads ---- */

/* The threads to sample. `all`: one number -1, for the whole machine. */
struct thread_list {
    uint32_t *threads;
    int count;
};

/* A kernel that does not know inherit_thread refuses it: then forked processes are sampled, and left out later. */
static int probe_event(struct td_perf *perf, struct perf_event_attr *attr, int pid, int cpu)
{
    int fd = open_event(perf, attr, pid, cpu);
    if ((fd == -EINVAL || fd == -E2BIG) && attr->inherit_thread) {
        attr->inherit_thread = 0;
        fd = open_event(perf, attr, pid, cpu);
    }
    return fd;
}

/* Opens an event of each thread on each processor. Threads that end meanwhile are left out. Returns the events
 * that were opened, or -errno if there are none. */
static int open_for_threads(struct td_perf *perf, struct perf_event_attr *attr, enum td_perf_kind kind,
                            const struct thread_list *list, struct td_perf_report *report)
{
    int opened = 0, error = -ESRCH;
    for (int t = 0; t < list->count; t++)
        for (unsigned i = 0; i < perf->cpu_count; i++) {
            int fd = probe_event(perf, attr, (int)list->threads[t], (int)perf->cpus[i].number);
            if (fd >= 0 && (fd = connect_event(perf, &perf->cpus[i], fd, kind)) == 0) {
                opened++;
                continue;
            }
            if (fd == -ESRCH)
                break;
            error = fd;
            if (!opened || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) {
                t = list->count;
                break;
            }
        }
    if (opened && error != -ESRCH)
        report_partly(report, kind, "threads", 0, 0, -error);
    return opened ? opened : error;
}

static void ask_for_news(struct perf_event_attr *attr)
{
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
}

/* The events of samples also report what the processes do, if that is wanted: others would be as many. */
static void open_samples(struct td_perf *perf, const struct thread_list *list, struct td_perf_report *report)
{
    struct perf_event_attr attr = plain_attr(TD_PERF_SAMPLE);
    const uint32_t kinds = perf->options.kinds & (TD_PERF_BIT(SAMPLE) | TD_PERF_BIT(PROCESS));
    attr.type = PERF_TYPE_SOFTWARE; /* machines without counters have it, too */
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = 1000000000 / perf->options.hz;
    if (has_user(perf)) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = TD_PERF_USER_REGISTERS;
        attr.sample_stack_user = USER_STACK_BYTES;
    }
    attr.inherit = attr.inherit_thread = perf->options.pid >= 0;
    if (perf->options.children)
        attr.inherit_thread = 0;
    if (kinds & TD_PERF_BIT(PROCESS))
        ask_for_news(&attr);
    perf->has_kernel = true;
    int opened = open_for_threads(perf, &attr, TD_PERF_SAMPLE, list, report);
    if (opened == -EACCES || opened == -EPERM) {
        attr.exclude_kernel = attr.exclude_callchain_kernel = 1;
        perf->has_kernel = false;
        opened = open_for_threads(perf, &attr, TD_PERF_SAMPLE, list, report);
    }
    if (opened > 0)
        perf->kinds |= kinds;
    else
        report_refused(report, TD_PERF_BIT(SAMPLE), kind_names[TD_PERF_SAMPLE], -opened,
                       perf->options.pid < 0 ? 0 : 2);
    if (opened > 0 && !perf->has_kernel)
        report_missing(
            report, 0, true,
            "call stack samples have no addresses of the kernel: run as root, give CAP_PERFMON, or set "
            "kernel.perf_event_paranoid to 1");
}

/* Records of new processes, their names and the code that they map, without samples. */
static void open_news(struct td_perf *perf, const struct thread_list *list, struct td_perf_report *report)
{
    struct perf_event_attr attr = plain_attr(TD_PERF_PROCESS);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    ask_for_news(&attr);
    attr.exclude_kernel = attr.exclude_hv = 1;
    attr.inherit = perf->options.pid >= 0;
    attr.inherit_thread = attr.inherit && !perf->options.children;
    const int opened = open_for_threads(perf, &attr, TD_PERF_PROCESS, list, report);
    if (opened > 0)
        perf->kinds |= TD_PERF_BIT(PROCESS);
    else
        report_refused(report, TD_PERF_BIT(PROCESS), kind_names[TD_PERF_PROCESS], -opened,
                       perf->options.pid < 0 ? 0 : 2);
}

static const uint64_t counters[TD_PERF_KIND_COUNT] = {
    [TD_PERF_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
    [TD_PERF_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
    [TD_PERF_CACHE_REFERENCES] = PERF_COUNT_HW_CACHE_REFERENCES,
    [TD_PERF_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
    [TD_PERF_BRANCHES] = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
    [TD_PERF_BRANCH_MISSES] = PERF_COUNT_HW_BRANCH_MISSES,
};

/* The most precise form of an event that the processor has: 3, its exact instruction, to 0, one nearby. */
static void choose_precision(struct td_perf *perf, struct perf_event_attr *attr, int pid, int cpu)
{
    for (attr->precise_ip = 3; attr->precise_ip; attr->precise_ip--) {
        const int fd = probe_event(perf, attr, pid, cpu);
        if (fd < 0)
            continue;
        close_event(perf, fd);
        return;
    }
}

static void open_counters(struct td_perf *perf, const struct thread_list *list, struct td_perf_report *report)
{
    uint32_t refused = 0;
    int error = 0;
    for (int kind = TD_PERF_CYCLES; kind <= TD_PERF_BRANCH_MISSES; kind++) {
        if (!(perf->options.kinds >> kind & 1))
            continue;
        struct perf_event_attr attr = plain_attr((enum td_perf_kind)kind);
        attr.type = PERF_TYPE_HARDWARE;
        attr.config = counters[kind];
        attr.freq = 1;
        attr.sample_freq = HW_HZ < perf->options.hz ? HW_HZ : perf->options.hz;
        attr.exclude_kernel = attr.exclude_hv = attr.exclude_guest = 1;
        attr.inherit = attr.inherit_thread = perf->options.pid >= 0;
        if (perf->options.children)
            attr.inherit_thread = 0;
        choose_precision(perf, &attr, (int)list->threads[0], (int)perf->cpus[0].number);
        const int opened = open_for_threads(perf, &attr, (enum td_perf_kind)kind, list, report);
        if (opened > 0)
            perf->kinds |= 1u << kind;
        else
            refused |= 1u << kind;
        error = opened > 0 ? error : -opened;
    }
    if (refused)
        report_refused(report, refused, "samples of the processor's counters", error,
                       perf->options.pid < 0 ? 0 : 2);
}

/* ---- events of processors ---- */

/* Opens an event on each processor, for all processes. Returns the number that were opened, or -errno if there are
 * none; *error is the last failure. */
static int open_for_processors(struct td_perf *perf, struct perf_event_attr *attr, enum td_perf_kind kind,
                               int *error)
{
    int opened = 0;
    *error = 0;
    for (unsigned i = 0; i < perf->cpu_count; i++) {
        int fd = open_event(perf, attr, -1, (int)perf->cpus[i].number);
        if (fd >= 0)
            fd = connect_event(perf, &perf->cpus[i], fd, kind);
        opened += fd == 0;
        if (fd < 0)
            *error = fd;
    }
    return opened ? opened : *error;
}

/* 0, or -errno: it is on no processor. */
static int open_tracepoint(struct td_perf *perf, enum td_perf_kind kind, int number,
                           struct td_perf_report *report)
{
    int error;
    struct perf_event_attr attr = plain_attr(kind);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = (uint64_t)number;
    attr.sample_period = 1;
    const int opened = open_for_processors(perf, &attr, kind, &error);
    if (opened < 0)
        return opened;
    if (error)
        report_partly(report, kind, "processors", (unsigned)opened, perf->cpu_count, -error);
    perf->kinds |= 1u << kind;
    return 0;
}

/* Records of switches that do not come from the tracepoint. Kernels before 4.3 have none. */
static void open_spare_switches(struct td_perf *perf, struct td_perf_report *report)
{
    int error;
    struct perf_event_attr attr = plain_attr(TD_PERF_SWITCH);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_type = TD_PERF_SAMPLE_TYPE;
    attr.context_switch = 1;
    (void)open_for_processors(perf, &attr, TD_PERF_SWITCH, &error);
    if (error == -EMFILE || error == -ENFILE)
        report_missing(report, 0, true,
                       "a few context switches may be missing: too few file descriptors for their second "
                       "records; raise ulimit -n");
}

/* Names are welcome, but switches do without. */
static bool find_names(const char *format, size_t bytes, struct td_perf_fields *fields)
{
    if (!td_trace_text_find(format, bytes, "prev_comm", &fields->old_name) ||
        !td_trace_text_find(format, bytes, "next_comm", &fields->new_name))
        fields->old_name.bytes = fields->new_name.bytes = 0;
    return true;
}

static bool find_fields(enum td_perf_kind kind, const char *format, struct td_perf_fields *fields)
{
    const size_t bytes = strlen(format);
    switch (kind) {
    case TD_PERF_SWITCH:
        return td_trace_field_find(format, bytes, "prev_pid", &fields->old_thread) &&
               td_trace_field_find(format, bytes, "prev_prio", &fields->old_priority) &&
               td_trace_field_find(format, bytes, "prev_state", &fields->old_state) &&
               td_trace_field_find(format, bytes, "next_pid", &fields->new_thread) &&
               td_trace_field_find(format, bytes, "next_prio", &fields->new_priority) &&
               find_names(format, bytes, fields);
    case TD_PERF_WAKEUP:
        return td_trace_field_find(format, bytes, "pid", &fields->woken);
    default:
        return td_trace_field_find(format, bytes, "crtc", &fields->display);
    }
}

static void open_tracepoints(struct td_perf *perf, struct td_perf_report *report)
{
    static const struct {
        enum td_perf_kind kind;
        const char *name;
    } points[] = {{TD_PERF_SWITCH, "sched/sched_switch"},
                  {TD_PERF_WAKEUP, "sched/sched_waking"},
                  {TD_PERF_VSYNC, "drm/drm_vblank_event"}};
    const uint32_t sched = perf->options.kinds & (TD_PERF_BIT(SWITCH) | TD_PERF_BIT(WAKEUP));
    char path[256], format[TD_TRACE_FORMAT_BYTES];
    const bool mounted = td_tracefs_path(path, sizeof path);
    if (!mounted && sched)
        report_missing(
            report, sched, true,
            "no context switches and wakeups: tracefs is not mounted; as root: mount -t tracefs tracefs "
            "/sys/kernel/tracing");
    for (size_t i = 0; mounted && i < sizeof points / sizeof *points; i++) {
        const enum td_perf_kind kind = points[i].kind;
        if (!(perf->options.kinds >> kind & 1))
            continue;
        const int number = td_trace_point_read(path, points[i].name, format, sizeof format);
        int failed = number < 0 ? number : find_fields(kind, format, &perf->fields) ? 0 : -EPROTO;
        if (!failed)
            failed = open_tracepoint(perf, kind, number, report);
        if (!failed && kind == TD_PERF_SWITCH)
            open_spare_switches(perf, report);
        if (failed == -ENOENT && kind == TD_PERF_VSYNC)
            report_missing(report, 1u << kind, false,
                           "no vertical blanks: this machine's kernel has no DRM displays");
        else if (failed == -EACCES && number < 0)
            report_missing(report, 1u << kind, true,
                           "no %s: this user may not read tracefs (%s); run as root", kind_names[kind], path);
        else if (failed)
            report_refused(report, 1u << kind, kind_names[kind], -failed, -1);
    }
}

/* ---- all ---- */

static void limit_hz(struct td_perf *perf)
{
    int64_t most;
    uint32_t *hz = &perf->options.hz;
    *hz = *hz < 1 ? 1 : *hz > TD_PERF_HZ_MAX ? TD_PERF_HZ_MAX : *hz;
    if (td_proc_number("/proc/sys/kernel/perf_event_max_sample_rate", &most) && most > 0 && most < *hz)
        *hz = (uint32_t)most;
}

/* Half of the descriptors that the process may have and that are not spared; three quarters if it is there to observe
 * others. */
static unsigned long most_descriptors(const struct td_perf *perf)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return ULONG_MAX;
    const unsigned long most = limit.rlim_cur > SPARED ? limit.rlim_cur - SPARED : 0;
    return perf->options.pid ? most / 4 * 3 : most / 2;
}

static unsigned long events_of_thread(const struct td_perf *perf, uint32_t kinds)
{
    return (unsigned long)perf->cpu_count * (unsigned)__builtin_popcount(kinds);
}

/* Leaves as many threads in the list as these descriptors suffice for, with events of these kinds. The first stays:
 * its event fails with the system's reason. */
static void fit_descriptors(const struct td_perf *perf, struct thread_list *list, uint32_t kinds,
                            unsigned long descriptors)
{
    const unsigned long each = events_of_thread(perf, kinds), most = each ? descriptors / each : ULONG_MAX;
    if (perf->options.pid >= 0 && most < (unsigned long)list->count)
        list->count = most ? (int)most : 1;
}

/* Adds the threads of the processes that the process has started. One that it starts while this runs may be missing. */
static void add_children(const struct td_perf *perf, struct thread_list *list)
{
    uint32_t *children = perf->host->take(2 * THREADS_MAX * sizeof *children);
    const int count = children ? td_proc_descendants((uint32_t)perf->options.pid, children,
                                                     children + THREADS_MAX, THREADS_MAX)
                               : 0;
    for (int i = 0; i < count && list->count < THREADS_MAX; i++) {
        const int room = THREADS_MAX - list->count;
        const int threads = td_proc_threads(children[i], list->threads + list->count, (unsigned)room);
        list->count += threads < 0 ? 0 : threads > room ? room : threads;
    }
    perf->host->give(children);
}

static void open_thread_kinds(struct td_perf *perf, struct td_perf_report *report)
{
    uint32_t everything = UINT32_MAX; /* as a pid: -1 */
    struct thread_list list = {&everything, 1};
    const uint32_t of_programs = perf->options.kinds & (TD_PERF_BIT(SAMPLE) | TD_PERF_BIT(PROCESS));
    const uint32_t of_counters = perf->options.kinds & (TD_PERF_BIT(SWITCH) - 1) & ~TD_PERF_BIT(SAMPLE);
    const uint32_t kinds = of_programs | of_counters;
    if (perf->options.pid >= 0) {
        list.threads = perf->host->take(THREADS_MAX * sizeof *list.threads);
        list.count =
            list.threads ? td_proc_threads((uint32_t)perf->options.pid, list.threads, THREADS_MAX) : -ENOMEM;
        if (list.count > 0 && perf->options.children)
            add_children(perf, &list);
        if (list.count <= 0) {
            report_missing(report, kinds, false, "no call stack samples: process %d: %s", perf->options.pid,
                           strerror(list.count ? -list.count : ESRCH));
            perf->host->give(list.threads);
            return;
        }
        int kept = 0;
        for (int i = 0; i < list.count && i < THREADS_MAX; i++) {
            bool left_out = false;
            for (unsigned e = 0; e < perf->options.except_count; e++)
                left_out |= perf->except[e] == list.threads[i];
            if (!left_out)
                list.threads[kept++] = list.threads[i];
        }
        list.count = kept;
        /* The first thread's counters have theirs, if they are few; the other threads' come after all samples. */
        const unsigned long first = events_of_thread(perf, of_counters), all = perf->descriptors;
        const uint32_t once = of_programs & TD_PERF_BIT(SAMPLE) ? TD_PERF_BIT(SAMPLE) : of_programs;
        fit_descriptors(perf, &list, once, first <= all / 2 ? all - first : all);
        if (of_programs && list.count < kept)
            report_missing(
                report, 0, true,
                "call stack samples of %d of %d threads only: too few file descriptors; raise ulimit -n, "
                "or begin before there are threads",
                list.count, kept);
        perf->threads = (unsigned)kept;
    }
    if (list.count && of_programs & TD_PERF_BIT(SAMPLE))
        open_samples(perf, &list, report);
    if (list.count && of_programs & ~perf->kinds & TD_PERF_BIT(PROCESS))
        open_news(perf, &list, report);
    fit_descriptors(perf, &list, of_counters, perf->descriptors);
    if (list.count && of_counters)
        open_counters(perf, &list, report);
    if (list.threads != &everything)
        perf->host->give(list.threads);
}

void td_perf_open_events(struct td_perf *perf, struct td_perf_report *report)
{
    limit_hz(perf);
    perf->descriptors = most_descriptors(perf);
    perf->read_format = PERF_FORMAT_LOST;
    open_tracepoints(perf, report); /* first: an event of the machine never ends, so the ring is its own */
    open_thread_kinds(perf, report);
}
