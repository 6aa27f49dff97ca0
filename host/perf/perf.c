/* The life of a td_perf: from rings to records. */
#include "host/base/clock.h"
#include "host/base/err.h"
#include "host/base/sorted.h"
#include "host/perf/perf_internal.h"
#include "host/perf/proc.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HOLD_NS      3000000 /* another processor's record may come this late */
#define MOST_BYTES   ((size_t)256 << 20)
#define MOST_CALLERS 32 /* that are found by tables */

/* The numbers of processors in a list like "0-3,8". */
static unsigned parse_cpu_list(const char *text, uint32_t *cpus, unsigned most)
{
    unsigned count = 0;
    while (*text >= '0' && *text <= '9') {
        unsigned long first = 0, last;
        for (; *text >= '0' && *text <= '9'; text++)
            first = first * 10 + (unsigned long)(*text - '0');
        last = first;
        if (*text == '-')
            for (last = 0, text++; *text >= '0' && *text <= '9'; text++)
                last = last * 10 + (unsigned long)(*text - '0');
        for (; first <= last && first < TD_PERF_CPU_MAX && count < most; first++)
            cpus[count++] = (uint32_t)first;
        text += *text == ',';
    }
    return count;
}

static unsigned online_cpus(uint32_t *cpus)
{
    char text[1024];
    unsigned count = td_proc_text("/sys/devices/system/cpu/online", text, sizeof text)
                         ? parse_cpu_list(text, cpus, TD_PERF_CPU_MAX)
                         : 0;
    if (count)
        return count;
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    for (; count < all && count < TD_PERF_CPU_MAX; count++)
        cpus[count] = count;
    return count;
}

static void *take_zeroed(const struct td_perf_host *host, size_t bytes)
{
    void *piece = host->take(bytes);
    return piece ? memset(piece, 0, bytes) : NULL;
}

static bool make_cpus(struct td_perf *perf)
{
    uint32_t numbers[TD_PERF_CPU_MAX];
    perf->cpu_count = online_cpus(numbers);
    perf->cpus = take_zeroed(perf->host, perf->cpu_count * sizeof *perf->cpus);
    perf->lines = take_zeroed(perf->host, perf->cpu_count * sizeof *perf->lines);
    perf->scratch = take_zeroed(perf->host, TD_PERF_RECORD_MAX);
    perf->parsed = take_zeroed(perf->host, sizeof *perf->parsed);
    for (unsigned i = 0; perf->cpus && perf->lines && i < perf->cpu_count; i++) {
        perf->cpus[i].number = perf->lines[i].cpu = numbers[i];
        perf->cpus[i].ring_fd = -1;
    }
    return perf->cpus && perf->lines && perf->scratch && perf->parsed;
}

/* One descriptor for all rings. Edges only: an event whose thread has ended would be ready for ever. */
static void watch_rings(struct td_perf *perf)
{
    perf->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned i = 0; perf->epoll_fd >= 0 && i < perf->cpu_count; i++) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLET};
        if (perf->cpus[i].ring_fd >= 0)
            epoll_ctl(perf->epoll_fd, EPOLL_CTL_ADD, perf->cpus[i].ring_fd, &event);
    }
}

struct td_perf *td_perf_open(const struct td_perf_options *options, struct td_perf_report *report)
{
    struct td_perf *perf = take_zeroed(options->host, sizeof *perf);
    report->count = 0;
    if (!perf)
        return NULL;
    perf->host = options->host;
    perf->options = *options;
    perf->epoll_fd = -1;
    perf->own_pid = options->pid > 0 ? (uint32_t)options->pid : options->pid == 0 ? (uint32_t)getpid() : 0;
    if (perf->options.except_count > TD_PERF_EXCEPT_MAX)
        perf->options.except_count = TD_PERF_EXCEPT_MAX;
    for (unsigned i = 0; i < perf->options.except_count; i++)
        perf->except[i] = options->except[i];
    td_perf_clock_look(&perf->clock);
    if (make_cpus(perf)) {
        td_perf_order_init(&perf->order, perf->host, perf->lines, perf->cpu_count,
                           options->most_bytes ? options->most_bytes : MOST_BYTES);
        td_perf_open_events(perf, report);
    }
    if (!perf->kinds) {
        td_perf_close(perf);
        return NULL;
    }
    watch_rings(perf);
    return perf;
}

void td_perf_close(struct td_perf *perf)
{
    if (!perf)
        return;
    if (perf->epoll_fd >= 0)
        close(perf->epoll_fd);
    for (unsigned i = 0; perf->cpus && i < perf->cpu_count; i++) {
        struct td_perf_cpu *cpu = &perf->cpus[i];
        td_perf_ring_unmap(&cpu->ring);
        for (unsigned e = 0; e < cpu->count; e++)
            close(cpu->events[e].fd);
        perf->host->give(cpu->events);
    }
    if (perf->order.host)
        td_perf_order_free(&perf->order);
    perf->host->give(perf->cpus);
    perf->host->give(perf->lines);
    perf->host->give(perf->scratch);
    perf->host->give(perf->parsed);
    perf->host->give(perf);
}

/* Another thread of the parent may have been in the middle of changing the records: they are left. */
void td_perf_forked(struct td_perf *perf)
{
    if (!perf)
        return;
    if (perf->epoll_fd >= 0)
        close(perf->epoll_fd);
    for (unsigned i = 0; i < perf->cpu_count; i++)
        for (unsigned e = 0; e < perf->cpus[i].count; e++)
            close(perf->cpus[i].events[e].fd);
}

uint32_t td_perf_kinds(const struct td_perf *perf)
{
    return perf->kinds;
}

uint32_t td_perf_hz(const struct td_perf *perf)
{
    return perf->options.hz;
}

bool td_perf_has_kernel(const struct td_perf *perf)
{
    return perf->has_kernel;
}

unsigned td_perf_threads(const struct td_perf *perf)
{
    return perf->threads;
}

int td_perf_fd(const struct td_perf *perf)
{
    return perf->epoll_fd;
}

struct td_perf_losses td_perf_lost(const struct td_perf *perf)
{
    return perf->losses;
}

static void switch_events(struct td_perf *perf, unsigned long request)
{
    for (unsigned i = 0; i < perf->cpu_count; i++)
        for (unsigned e = 0; e < perf->cpus[i].count; e++)
            ioctl(perf->cpus[i].events[e].fd, request, 0);
}

void td_perf_start(struct td_perf *perf)
{
    td_perf_clock_look(&perf->clock);
    switch_events(perf, PERF_EVENT_IOC_ENABLE);
}

void td_perf_stop(struct td_perf *perf)
{
    switch_events(perf, PERF_EVENT_IOC_DISABLE);
}

/* ---- from rings to memory ---- */

static int kind_of_event(const void *self, uint64_t id)
{
    struct td_perf_cpu *cpu = (struct td_perf_cpu *)self;
    if (cpu->last < cpu->count && cpu->events[cpu->last].id == id)
        return (int)cpu->events[cpu->last].kind;
    unsigned low = 0, high = cpu->count;
    TD_BISECT(low, high, middle, cpu->events[middle].id < id);
    if (low == cpu->count || cpu->events[low].id != id)
        return TD_E_NOTFOUND;
    cpu->last = low;
    return (int)cpu->events[low].kind;
}

/* Whether the record is of a process that is asked for. */
static bool is_wanted(const struct td_perf *perf, const struct td_perf_record *record)
{
    if (perf->own_pid && record->pid != perf->own_pid && !perf->options.children)
        return false;
    for (unsigned i = 0; i < perf->options.except_count; i++)
        if (record->tid == perf->except[i])
            return false;
    return true;
}

/* The record is of the thread that stops, so its process is known. */
static void note_names(const struct td_perf *perf, const struct td_perf_parsed *parsed)
{
    const struct td_perf_record *record = &parsed->record;
    if (!perf->options.names || record->kind != TD_PERF_SWITCH)
        return;
    const bool is_alive = record->tid == record->change.old_thread;
    if (parsed->old_name[0])
        td_thread_names_note(perf->options.names, record->change.old_thread, is_alive ? record->pid : 0,
                             parsed->old_name);
    if (parsed->new_name[0])
        td_thread_names_note(perf->options.names, record->change.new_thread, 0, parsed->new_name);
}

static void take_event(struct td_perf *perf, struct td_perf_record *record)
{
    const bool is_of_machine = record->kind >= TD_PERF_SWITCH && record->kind != TD_PERF_PROCESS;
    const bool wanted = is_wanted(perf, record);
    if (!is_of_machine && !wanted)
        return;
    if (record->kind == TD_PERF_SAMPLE && !record->count)
        return;
    if (record->kind == TD_PERF_SWITCH && (!wanted || !record->change.old_thread))
        record->count = 0; /* stacks of processes that were not asked for */
    if (record->kind == TD_PERF_SWITCH) {
        struct td_perf_cpu *cpu = &perf->cpus[perf->now];
        cpu->change.from = record->change.old_thread;
        cpu->change.to = record->change.new_thread;
        cpu->change.seen = true;
    }
    if (!td_perf_order_add(&perf->order, perf->now, record))
        perf->losses.records++;
}

/* Adds a switch that the tracepoint did not record. */
static void take_spare(struct td_perf *perf, struct td_perf_record *record)
{
    struct td_perf_cpu *cpu = &perf->cpus[perf->now];
    if (record->change.old_thread == UINT32_MAX) /* it has ended and lost its number */
        record->change.old_thread = cpu->change.seen ? cpu->change.from : cpu->change.to;
    if (record->change.new_thread == UINT32_MAX) /* so has this one, which was displaced at its end */
        record->change.new_thread = cpu->change.seen ? cpu->change.to : 0;
    const bool is_known = cpu->change.seen && cpu->change.from == record->change.old_thread &&
                          cpu->change.to == record->change.new_thread;
    if (!is_known)
        take_event(perf, record);
    cpu->change.seen = false;
}

/* Puts the callers that the kernel has missed between those that it has found. */
static void add_callers(const struct td_perf *perf, struct td_perf_parsed *parsed)
{
    uint64_t callers[MOST_CALLERS];
    struct td_perf_record *record = &parsed->record;
    const uint32_t at = parsed->user_at + 1; /* of the program's second address */
    unsigned replaced = 0;
    if (at > record->count || parsed->addresses[at - 1] != parsed->user.ip)
        return;
    const unsigned found = perf->options.find_callers(&parsed->user, callers, MOST_CALLERS, &replaced),
                   room = TD_PERF_STACK_MAX - at, count = found < room ? found : room;
    const uint32_t had = record->count - at, dropped = replaced < had ? replaced : had,
                   rest = had - dropped < room - count ? had - dropped : room - count;
    memmove(parsed->addresses + at + count, parsed->addresses + at + dropped, rest * sizeof *callers);
    memcpy(parsed->addresses + at, callers, count * sizeof *callers);
    record->count = at + count + rest;
}

static void take_record(void *self, const uint8_t *bytes, size_t count)
{
    struct td_perf *perf = self;
    struct td_perf_parsed *parsed = perf->parsed;
    switch (td_perf_parse(bytes, count, &perf->fields, kind_of_event, &perf->cpus[perf->now], parsed)) {
    case TD_PERF_EVENT:
        note_names(perf, parsed);
        if (parsed->record.kind == TD_PERF_SAMPLE && parsed->user.bytes)
            add_callers(perf, parsed);
        take_event(perf, &parsed->record);
        break;
    case TD_PERF_SPARE:
        take_spare(perf, &parsed->record);
        break;
    case TD_PERF_LOST:
        perf->losses.records += parsed->lost;
        perf->reported_lost += parsed->lost;
        td_perf_order_gap(&perf->order, perf->now);
        break;
    case TD_PERF_PAUSE:
        perf->losses.pauses++;
        break;
    case TD_PERF_DAMAGED:
        perf->losses.damaged++;
        break;
    case TD_PERF_NOTHING:
        break;
    }
}

unsigned td_perf_gather(struct td_perf *perf)
{
    struct epoll_event ready[16];
    unsigned taken = 0;
    const int64_t now = td_mono_ns();
    if (perf->epoll_fd >= 0)
        (void)epoll_wait(perf->epoll_fd, ready, 16, 0);
    perf->filled = 0;
    for (unsigned i = 0; i < perf->cpu_count; i++) {
        if (!perf->cpus[i].ring.page)
            continue;
        perf->now = i;
        const int count = td_perf_ring_drain(&perf->cpus[i].ring, perf->scratch, take_record, perf);
        taken += count > 0 ? (unsigned)count : 0;
        const unsigned filled = (unsigned)(perf->cpus[i].ring.drained * 100 / perf->cpus[i].ring.bytes);
        perf->filled = filled > perf->filled ? filled : perf->filled;
        if (count < 0) {
            perf->losses.damaged++;
            td_perf_order_gap(&perf->order, i);
        }
    }
    td_perf_clock_look(&perf->clock);
    perf->gathered_ns = now;
    return taken;
}

unsigned td_perf_filled(const struct td_perf *perf)
{
    return perf->filled;
}

void td_perf_count_lost(struct td_perf *perf)
{
    uint64_t lost = 0;
    for (unsigned i = 0; perf->read_format && i < perf->cpu_count; i++)
        for (unsigned e = 0; e < perf->cpus[i].count; e++) {
            struct {
                uint64_t value, lost;
            } counted;
            if (read(perf->cpus[i].events[e].fd, &counted, sizeof counted) == sizeof counted)
                lost += counted.lost;
        }
    if (lost <= perf->reported_lost)
        return;
    perf->losses.records += lost - perf->reported_lost;
    perf->reported_lost = lost;
}

int td_perf_next(struct td_perf *perf, struct td_perf_record *record, int all)
{
    const int64_t until = all ? INT64_MAX : perf->gathered_ns - HOLD_NS;
    if (!td_perf_order_next(&perf->order, until, record))
        return 0;
    record->time = td_perf_clock_ticks(&perf->clock, record->time);
    if (record->time < perf->last_ticks)
        record->time = perf->last_ticks;
    perf->last_ticks = record->time;
    return 1;
}
