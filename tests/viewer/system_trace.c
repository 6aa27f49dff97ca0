#include "tests/viewer/system_trace.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_THREAD 5000
#define START_NS     1000000
#define KERNEL       0xffffffff81000000u
#define LIBRARY      0x7f0000001000
#define HOT          (SYSTEM_WORK_ADDRESS + 0x200000) /* what stands for the inlined function */

static const char source_text[] = "/* Adds the numbers from n down to 1. */\n"
                                  "static inline uint64_t hot_loop(uint64_t n)\n"
                                  "{\n"
                                  "    uint64_t sum = 0;\n"
                                  "    while (n)\n"
                                  "        sum += n--; // the hot line\n"
                                  "    return sum;\n"
                                  "}\n"
                                  "\n"
                                  "uint64_t work(uint64_t n)\n"
                                  "{\n"
                                  "    memcpy(buffer, \"text\", 5);\n"
                                  "    return hot_loop(n);\n"
                                  "}\n"
                                  "\n"
                                  "int main(void)\n"
                                  "{\n"
                                  "    return (int)work(1000);\n"
                                  "}\n";
/* push rbp; mov rbp,rsp; xor eax,eax; add rax,rdi; dec rdi; jne to the add; pop rbp; ret */
static const uint8_t work_code[SYSTEM_WORK_BYTES] = {0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x48, 0x01,
                                                     0xf8, 0x48, 0xff, 0xcf, 0x75, 0xf8, 0x5d, 0xc3};

struct system_maker {
    struct system_options as;
    struct td_trace *trace;
    struct td_dict *dict;
    uint64_t random;
    uint32_t stacks[5]; /* in hot_loop, work, memcpy, the kernel, waiting */
    int rc;
};

static uint32_t draw(struct system_maker *m, uint32_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((m->random >> 33) % below);
}

static int64_t text(struct system_maker *m, const char *string)
{
    return td_dict_cstring(m->dict, string);
}

static void add(struct system_maker *m, struct td_series *series, const int64_t *row)
{
    if (m->rc == 0)
        m->rc = series ? td_series_append(series, row) : TD_E_NOMEM;
}

static void add_table(struct system_maker *m, enum td_table table, const int64_t *row)
{
    add(m, td_trace_fill_table(m->trace, table), row);
}

/* A frame with up to two functions: an inlined one, then the real one. */
static void add_frame(struct system_maker *m, uint64_t address, const char *image, const char *inlined,
                      int64_t inlined_line, const char *function, const char *file, int64_t line,
                      int64_t symbol)
{
    struct td_series *lines = td_trace_fill_table(m->trace, TD_TABLE_STACK_LINE);
    const int64_t real[] = {text(m, function), text(m, file), line, symbol};
    if (inlined)
        add(m, lines, (const int64_t[]){text(m, inlined), text(m, file), inlined_line, HOT});
    add(m, lines, real);
    const uint64_t id = address & TD_FRAME_BITS;
    add_table(m, TD_TABLE_STACK_FRAME,
              (const int64_t[]){(int64_t)id, text(m, image), (int64_t)td_series_count(lines)});
    add_table(m, TD_TABLE_SYMBOL_OF, (const int64_t[]){(int64_t)address, inlined ? HOT : symbol});
}

static void add_symbol(struct system_maker *m, uint64_t address, const char *name, const char *file,
                       int64_t line, const char *image, bool inlined, int64_t bytes)
{
    const int64_t row[TD_SYMBOL_COLUMN_COUNT] = {[TD_SYMBOL_ADDRESS] = (int64_t)address,
                                                 [TD_SYMBOL_NAME] = text(m, name),
                                                 [TD_SYMBOL_FILE] = text(m, file),
                                                 [TD_SYMBOL_LINE] = line,
                                                 [TD_SYMBOL_IMAGE] = text(m, image),
                                                 [TD_SYMBOL_INLINED] = inlined,
                                                 [TD_SYMBOL_BYTES] = bytes};
    add_table(m, TD_TABLE_SYMBOL, row);
}

static void add_program(struct system_maker *m)
{
    const uint64_t add_at = SYSTEM_WORK_ADDRESS + 6, call_at = SYSTEM_WORK_ADDRESS + 4,
                   main_at = SYSTEM_MAIN_ADDRESS + 8, copy_at = LIBRARY + 32, poll_at = KERNEL + 64;
    add_frame(m, add_at, "program", "hot_loop", 6, "work", "work.c", 13, SYSTEM_WORK_ADDRESS);
    add_frame(m, call_at, "program", NULL, 0, "work", "work.c", 12, SYSTEM_WORK_ADDRESS);
    add_frame(m, main_at, "program", NULL, 0, "main", "work.c", 18, SYSTEM_MAIN_ADDRESS);
    add_frame(m, copy_at, "/usr/lib/libc.so.6", NULL, 0, "memcpy", "", 0, LIBRARY);
    add_frame(m, poll_at, "[kernel]", NULL, 0, "do_sys_poll", "[kernel]", 0, (int64_t)KERNEL);
    add_symbol(m, SYSTEM_WORK_ADDRESS, "work", "work.c", 10, "program", false, SYSTEM_WORK_BYTES);
    add_symbol(m, HOT, "hot_loop", "work.c", 2, "program", true, 8);
    add_symbol(m, SYSTEM_MAIN_ADDRESS, "main", "work.c", 16, "program", false, 32);
    add_symbol(m, LIBRARY, "memcpy", "", 0, "/usr/lib/libc.so.6", false, 64);
    add_symbol(m, KERNEL, "do_sys_poll", "[kernel]", 0, "[kernel]", false, 128);
    const int64_t code = td_trace_fill_blob(m->trace, work_code, sizeof work_code),
                  source = td_trace_fill_blob(m->trace, source_text, sizeof source_text - 1);
    add_table(m, TD_TABLE_CODE, (const int64_t[]){SYSTEM_WORK_ADDRESS, code, sizeof work_code});
    add_table(m, TD_TABLE_SOURCE, (const int64_t[]){text(m, "work.c"), source, sizeof source_text - 1});
    const uint64_t f[][4] = {{add_at, main_at},
                             {call_at, main_at},
                             {copy_at, call_at, main_at},
                             {poll_at, copy_at, call_at, main_at},
                             {poll_at, call_at, main_at}};
    static const size_t counts[] = {2, 2, 3, 4, 3};
    for (int i = 0; i < 5; i++) {
        uint64_t ids[4];
        for (size_t k = 0; k < counts[i]; k++)
            ids[k] = f[i][k] & TD_FRAME_BITS;
        m->stacks[i] = td_trace_fill_stack(m->trace, ids, counts[i]);
    }
}

static void add_threads(struct system_maker *m)
{
    char name[40];
    add_table(m, TD_TABLE_THREAD_PROCESS, (const int64_t[]){SYSTEM_PID + m->as.threads, SYSTEM_PID});
    for (uint32_t t = 0; t < m->as.threads; t++) {
        snprintf(name, sizeof name, "worker %u", t);
        const struct td_track track = {.thread = SYSTEM_PID + t, .name = td_dict_cstring(m->dict, name)};
        td_dict_track(m->dict, &track);
        add_table(m, TD_TABLE_SWITCH_THREAD, (const int64_t[]){SYSTEM_PID + t});
        add_table(m, TD_TABLE_THREAD_PROCESS, (const int64_t[]){SYSTEM_PID + t, SYSTEM_PID});
    }
    for (uint32_t t = 0; t < m->as.others; t++) {
        snprintf(name, sizeof name, "other %u", t);
        add_table(m, TD_TABLE_FOREIGN_THREAD,
                  (const int64_t[]){OTHER_THREAD + t, text(m, "browser"), text(m, name)});
        add_table(m, TD_TABLE_THREAD_PROCESS, (const int64_t[]){OTHER_THREAD + t, 4999});
    }
    for (uint32_t c = 0; c < m->as.cpus; c++)
        add_table(m, TD_TABLE_TOPOLOGY, (const int64_t[]){0, 0, c / 2, c});
}

struct system_thread {
    int64_t free_ns; /* it does not run from then on */
    int64_t woken_ns;
    int64_t zone_ns;
};

/* A run of a thread of the program, with its samples, and the wait stack at its end. */
static void add_run(struct system_maker *m, uint32_t thread, uint32_t cpu, int64_t start, int64_t end,
                    int64_t woken)
{
    const bool preempted = draw(m, 4) == 0;
    const int64_t row[TD_SWITCH_COLUMN_COUNT] = {
        [TD_SWITCH_WAKEUP] = woken,  [TD_SWITCH_START] = start, [TD_SWITCH_END] = end,
        [TD_SWITCH_CPU] = cpu,       [TD_SWITCH_REASON] = 100,  [TD_SWITCH_STATE] = preempted ? 103 : 104,
        [TD_SWITCH_WAKEUP_CPU] = cpu};
    add(m, td_trace_fill_list(m->trace, TD_TABLE_SWITCH, thread), row);
    struct td_series *samples = td_trace_fill_list(m->trace, TD_TABLE_SAMPLE, thread);
    const int64_t first = (start / SYSTEM_PERIOD_NS + 1) * SYSTEM_PERIOD_NS;
    for (int64_t at = first; at < end; at += SYSTEM_PERIOD_NS) {
        const uint32_t kind = draw(m, 10);
        add(m, samples, (const int64_t[]){at, m->stacks[kind < 6 ? 0 : kind < 8 ? 1 : kind < 9 ? 2 : 3]});
    }
    if (preempted)
        return;
    add(m, samples, (const int64_t[]){end, m->stacks[4]});
    add(m, td_trace_fill_list(m->trace, TD_TABLE_SWITCH_SAMPLE, thread),
        (const int64_t[]){end, m->stacks[4]});
}

/* A thread that does not run until `now`; the last one is that without a track. */
static uint32_t choose_thread(struct system_maker *m, const struct system_thread *threads, uint32_t count,
                              int64_t now)
{
    uint32_t at = draw(m, count);
    for (uint32_t i = 0; i < count; i++, at = (at + 1) % count)
        if (threads[at].free_ns <= now)
            return at;
    return UINT32_MAX;
}

static void add_switches(struct system_maker *m)
{
    const uint32_t count = m->as.threads + m->as.others + 1;
    struct system_thread *threads = calloc(count, sizeof *threads);
    int64_t *cpus = calloc(m->as.cpus, sizeof *cpus);
    for (uint32_t c = 0; cpus && c < m->as.cpus; c++)
        cpus[c] = START_NS;
    for (uint64_t i = 0; threads && cpus && m->rc == 0 && i < m->as.switches; i++) {
        uint32_t cpu = 0;
        for (uint32_t c = 1; c < m->as.cpus; c++)
            cpu = cpus[c] < cpus[cpu] ? c : cpu;
        const int64_t start = cpus[cpu];
        const uint32_t thread = choose_thread(m, threads, count, start);
        const int64_t end = start + 1 + draw(m, (uint32_t)m->as.mean_ns * 2);
        cpus[cpu] = end + draw(m, 3) * (m->as.mean_ns / 8 + 1);
        if (thread == UINT32_MAX)
            continue;
        const int64_t id = thread < m->as.threads ? SYSTEM_PID + thread
                           : thread + 1 == count  ? SYSTEM_PID + m->as.threads
                                                  : OTHER_THREAD + thread - m->as.threads;
        add(m, td_trace_fill_list(m->trace, TD_TABLE_CPU_SWITCH, cpu), (const int64_t[]){start, end, id});
        const int64_t since = threads[thread].free_ns, wait = start - since;
        if (thread < m->as.threads)
            add_run(m, thread, cpu, start, end, since ? start - draw(m, (uint32_t)(wait / 4) + 1) : start);
        threads[thread].free_ns = end;
    }
    m->rc = threads && cpus ? m->rc : TD_E_NOMEM;
    free(threads);
    free(cpus);
}

/* Zones on the threads of even numbers. */
static void add_zones(struct system_maker *m)
{
    const struct td_srcloc place = {.name = td_dict_cstring(m->dict, "step"),
                                    .function = td_dict_cstring(m->dict, "work"),
                                    .file = td_dict_cstring(m->dict, "work.c"),
                                    .line = 10};
    const uint32_t srcloc = td_dict_srcloc(m->dict, &place);
    for (uint32_t t = 0; m->rc == 0 && t < m->as.threads; t += 2) {
        struct td_fill fill;
        const struct td_series *runs = td_trace_list(m->trace, TD_TABLE_SWITCH, t);
        m->rc = td_fill_begin(&fill, m->trace, t, NULL);
        for (uint64_t i = 0; m->rc == 0 && i + 2 < td_series_count(runs); i += 3) {
            const int64_t start = td_series_get(runs, i, TD_SWITCH_START),
                          end = td_series_get(runs, i + 2, TD_SWITCH_END);
            m->rc = td_fill_enter(&fill, start, end - start, srcloc, 0) < 0 ? TD_E_NOMEM : 0;
        }
        td_fill_end(&fill);
    }
}

struct td_trace *system_trace(const struct system_options *options)
{
    struct system_maker m = {.as = *options, .trace = td_trace_create(td_dict_create()), .random = 7};
    if (!m.trace)
        return NULL;
    m.dict = td_trace_fill_dict(m.trace);
    struct td_trace_info *info = td_trace_edit_info(m.trace);
    info->pid = SYSTEM_PID;
    info->sampling_period_ns = SYSTEM_PERIOD_NS;
    info->cpu_arch = 2; /* x86-64 */
    td_trace_set_string(&info->program, "program");
    add_program(&m);
    add_threads(&m);
    add_switches(&m);
    add_zones(&m);
    if (m.rc == 0 && td_trace_finish(m.trace, NULL) == 0)
        return m.trace;
    td_trace_destroy(m.trace);
    return NULL;
}

struct td_busy_times system_time_until(const struct td_busy *b, int64_t at)
{
    struct td_busy_times sum = {0};
    for (uint64_t i = 0; i < td_series_count(b->rows); i++) {
        const int64_t start = td_series_get(b->rows, i, b->start), end = td_series_get(b->rows, i, b->end);
        const int64_t until = end < at ? end : at, length = until > start ? until - start : 0;
        if (b->is_other && b->is_other(b->self, (uint64_t)td_series_get(b->rows, i, b->thread)))
            sum.other_ns += length;
        else
            sum.own_ns += length;
    }
    return sum;
}
