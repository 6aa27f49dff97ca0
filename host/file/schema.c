/* The payload's layout, section by section. */
#include "host/file/schema.h"
#include "host/file/file.h"

#define V(a, b, c) TD_FILE_VERSION(a, b, c)
#define NEVER      UINT32_MAX

/* ---- values computed from tables ---- */

static uint64_t cpu_switches(const struct td_trace *trace, uint64_t parent)
{
    uint64_t count = 0;
    for (uint64_t cpu = 0; cpu < TD_FILE_CPU_LISTS; cpu++)
        count += td_series_count(td_trace_list(trace, TD_TABLE_CPU_SWITCH, cpu));
    return count;
}

static uint64_t memory_events(const struct td_trace *trace, uint64_t parent)
{
    uint64_t count = 0, pools = td_series_count(td_trace_table(trace, TD_TABLE_POOL));
    for (uint64_t pool = 0; pool < pools; pool++)
        count += td_series_count(td_trace_list(trace, TD_TABLE_MEMORY, pool));
    return count;
}

static uint64_t memory_freed(const struct td_trace *trace, uint64_t pool)
{
    const struct td_series *memory = td_trace_list(trace, TD_TABLE_MEMORY, pool);
    uint64_t freed = 0, count = td_series_count(memory);
    for (uint64_t i = 0; i < count; i++)
        freed += td_series_next(memory, i, TD_MEMORY_FREE_TIME) >= 0;
    return freed;
}

static uint64_t memory_active(const struct td_trace *trace, uint64_t pool)
{
    return td_series_count(td_trace_list(trace, TD_TABLE_MEMORY, pool)) - memory_freed(trace, pool);
}

static uint64_t inline_symbols(const struct td_trace *trace)
{
    const struct td_series *symbols = td_trace_table(trace, TD_TABLE_SYMBOL);
    uint64_t inlined = 0, count = td_series_count(symbols);
    for (uint64_t i = 0; i < count; i++)
        inlined += td_series_next(symbols, i, TD_SYMBOL_INLINED) != 0;
    return inlined;
}

static uint64_t ordinary_symbols(const struct td_trace *trace, uint64_t parent)
{
    return td_series_count(td_trace_table(trace, TD_TABLE_SYMBOL)) - inline_symbols(trace);
}

static uint64_t inline_symbols_and_one(const struct td_trace *trace, uint64_t parent)
{
    return inline_symbols(trace) + 1;
}

/* ---- lists ---- */

/* clang-format off */
#define COL(kind_, table, col, ...)   {.kind = TD_FIELD_##kind_, .column = TD_##table##_##col, .has_column = 1, __VA_ARGS__}
#define INFO(kind_, col, text, ...)   {.kind = TD_FIELD_##kind_, .column = TD_INFO_##col, .has_column = 1, .name = text, __VA_ARGS__}
#define RAW(kind_, text, ...)         {.kind = TD_FIELD_##kind_, .name = text, __VA_ARGS__}
#define SUB(of, text, ...)            {.kind = TD_FIELD_LIST, .list = &td_list_##of, .name = text, __VA_ARGS__}
#define FIELDS(name)                  .fields = fields_##name, .field_count = sizeof fields_##name / sizeof *fields_##name
#define ROWS(name, table_, count_, ...) \
    const struct td_schema_list td_list_##name = {.form = TD_LIST_ROWS, .table = TD_TABLE_##table_, .count = TD_COUNT_##count_, FIELDS(name), __VA_ARGS__}
#define GROUP(name, table_, ...) \
    static const struct td_schema_list td_list_##name = {.form = TD_LIST_GROUP, .table = TD_TABLE_##table_, FIELDS(name), __VA_ARGS__}
#define PARTS(name, count_) \
    static const struct td_schema_list td_list_##name = {.form = TD_LIST_PARTS, .count = TD_COUNT_##count_, .table = TD_TABLE_COUNT, FIELDS(name)}

#define PARTS_OF(name, table_, count_) \
    static const struct td_schema_list td_list_##name = {.form = TD_LIST_PARTS, .count = TD_COUNT_##count_, .table = TD_TABLE_##table_, FIELDS(name)}

/* P3 */
static const struct td_field fields_topology_cpus[] = {COL(U32, TOPOLOGY, CPU)};
static ROWS(topology_cpus, TOPOLOGY, U64);
static const struct td_field fields_topology_cores[] = {COL(U32, TOPOLOGY, CORE), SUB(topology_cpus, "hardware threads")};
GROUP(topology_cores, TOPOLOGY);
static const struct td_field fields_topology_dies[] = {COL(U32, TOPOLOGY, DIE), SUB(topology_cores, "cores")};
GROUP(topology_dies, TOPOLOGY, .since = V(0, 11, 2));
static const struct td_field fields_topology[] = {COL(U32, TOPOLOGY, PACKAGE), SUB(topology_dies, "dies")};
GROUP(topology, TOPOLOGY);

/* P5. A set's field `continuous` decides which of the two forms its frames have. */
static const struct td_field fields_frames[] = {COL(TIME, FRAME, START), COL(I32, FRAME, IMAGE), COL(OPEN, FRAME, END, .since = NEVER, .missing = -1)};
ROWS(frames, FRAME, U64);
static const struct td_field fields_frames_with_ends[] = {COL(TIME, FRAME, START), COL(OPEN, FRAME, END), COL(I32, FRAME, IMAGE)};
ROWS(frames_with_ends, FRAME, U64);
static const struct td_field fields_frame_sets[] = {
    RAW(POINTER, "name; 0: the base set; bit 63 set: number of a vertical sync"), RAW(U8, "continuous"),
    SUB(frames, "frames, if continuous"), SUB(frames_with_ends, "frames, if not")};
PARTS(frame_sets, U64);

/* P6 */
static const struct td_field fields_section_items[] = {COL(START48, SECTION, START), COL(END48, SECTION, END), COL(SIDX, SECTION, TEXT)};
static ROWS(section_items, SECTION, U64);
static const struct td_field fields_section_groups[] = {COL(U16, SECTION, CATEGORY), SUB(section_items, "items")};
GROUP(section_groups, SECTION, .since = V(0, 13, 5));
static const struct td_field fields_section_categories[] = {COL(U16, SECTION_CATEGORY, CATEGORY), COL(SIDX, SECTION_CATEGORY, TEXT)};
static ROWS(section_categories, SECTION_CATEGORY, U64);

/* P7 .. P15 */
static const struct td_field fields_strings[] = {RAW(U64, "token"), RAW(TEXT, "text")};
PARTS(strings, U64);
static const struct td_field fields_pointers[] = {RAW(U64, "key"), RAW(TOKEN, "string")};
PARTS(pointers, U64);
static const struct td_field fields_thread_names[] = {RAW(THREAD, "thread"), RAW(TOKEN, "name")};
PARTS(thread_names, U64);
static const struct td_field fields_foreign_threads[] = {
    COL(THREAD, FOREIGN_THREAD, THREAD), COL(TOKEN, FOREIGN_THREAD, PROCESS), COL(TOKEN, FOREIGN_THREAD, NAME)};
static ROWS(foreign_threads, FOREIGN_THREAD, U64);
static const struct td_field fields_threads[] = {RAW(THREAD, "thread")};
PARTS(threads, U64);
static const struct td_field fields_static_locations[] = {
    RAW(U64, "key"), RAW(SREF, "name; none: the function is shown"), RAW(SREF, "function"), RAW(SREF, "file"), RAW(U32, "line"), RAW(COLOR, "colour")};
PARTS(static_locations, U64);
static const struct td_field fields_static_numbers[] = {RAW(U64, "key in P13; 0 in entry 0")};
PARTS(static_numbers, U64);
static const struct td_field fields_dynamic_locations[] = {
    RAW(SREF, "name; none: the function is shown"), RAW(SREF, "function"), RAW(SREF, "file"), RAW(U32, "line"), RAW(COLOR, "colour")};
PARTS(dynamic_locations, U64);
static const struct td_field fields_zone_counts[] = {RAW(SRCLOC, "location"), RAW(U64, "finished zones")};
PARTS(zone_counts, U64);

/* P18 */
static const struct td_field fields_lock_threads[] = {COL(THREAD, LOCK_THREAD, THREAD)};
static ROWS(lock_threads, LOCK_THREAD, U64, .most = TD_FILE_LOCK_THREADS);
static const struct td_field fields_lock_events[] = {
    COL(TIME, LOCK_EVENT, TIME), COL(SRCLOC, LOCK_EVENT, SRCLOC), COL(U8, LOCK_EVENT, THREAD, .name = "index of the thread in the list above"),
    COL(U8, LOCK_EVENT, KIND, .name = "0 wait, 1 obtain, 2 release; 3, 4, 5: the same, shared")};
static ROWS(lock_events, LOCK_EVENT, U64);
static const struct td_field fields_locks[] = {
    COL(U32, LOCK, ID), COL(SIDX, LOCK, NAME), COL(SRCLOC, LOCK, SRCLOC), COL(U8, LOCK, TYPE, .name = "type: 0 plain, 1 shared"), COL(U8, LOCK, VALID),
    COL(ORIGIN, LOCK, ANNOUNCED), COL(TIME_AT, LOCK, TERMINATED, .name = "terminated; 0: not"), SUB(lock_threads, "threads, at most 64"),
    SUB(lock_events, "events")};
static ROWS(locks, LOCK, U64);

/* P19 */
static const struct td_field fields_messages[] = {
    RAW(MESSAGE, "token"), COL(TIME, MESSAGE, TIME), COL(SREF, MESSAGE, TEXT), COL(MESSAGE_COLOR, MESSAGE, COLOR), COL(STACK, MESSAGE, STACK),
    COL(U8, MESSAGE, SOURCE, .since = V(0, 13, 2), .name = "source: 0 user, 1 profiler"),
    COL(U8, MESSAGE, SEVERITY, .since = V(0, 13, 2), .missing = 2, .name = "severity, 0 to 5: trace, debug, info, warn, error, fatal")};
static ROWS(messages, MESSAGE, U64);

/* P20 .. P22 */
static const struct td_field fields_extras[] = {COL(STACK, EXTRA, STACK), COL(SIDX, EXTRA, TEXT), COL(SIDX, EXTRA, NAME), COL(COLOR24, EXTRA, COLOR)};
static ROWS(extras, EXTRA, U64);
static const struct td_schema_list td_list_zones, td_list_gpu_zones;
static const struct td_field fields_zones[] = {
    RAW(SRCLOC, "location"), RAW(TIME, "start"), RAW(U32, "extra: index in P20"), SUB(zones, "children: zones"), RAW(OPEN, "end")};
PARTS(zones, U32);
static const struct td_field fields_message_tokens[] = {RAW(MESSAGE, "token")};
PARTS(message_tokens, U64);
static const struct td_field fields_switch_samples[] = {COL(TIME, SWITCH_SAMPLE, TIME), COL(STACK, SWITCH_SAMPLE, STACK)};
static ROWS(switch_samples, SWITCH_SAMPLE, U64);
static const struct td_field fields_samples[] = {COL(TIME, SAMPLE, TIME), COL(STACK, SAMPLE, STACK)};
static ROWS(samples, SAMPLE, U64);
static const struct td_field fields_tracks[] = {
    RAW(THREAD, "thread"), RAW(U64, "zones at all depths"), RAW(U64, "kernel samples"), RAW(U8, "1: it is a fiber"),
    RAW(I32, "group hint", .since = V(0, 11, 1)), SUB(zones, "zones: times are differences across all depths, in file order"), SUB(message_tokens, "messages"),
    SUB(switch_samples, "samples at context switches"), SUB(samples, "samples")};
PARTS(tracks, BEFORE);
static const struct td_field fields_gpu_zones[] = {
    RAW(TIME, "start on the CPU"), RAW(OPEN, "start on the GPU: GPU times are differences among themselves"), RAW(SRCLOC, "location"), RAW(STACK, "call stack"),
    RAW(THREAD16, "thread"), SUB(gpu_zones, "children: zones"), RAW(OPEN, "end on the CPU"), RAW(OPEN, "end on the GPU"),
    RAW(U16, "query id", .since = V(0, 12, 4))};
PARTS(gpu_zones, U64);
static const struct td_field fields_gpu_threads[] = {RAW(THREAD, "thread; 0 if the context has one"), SUB(gpu_zones, "zones")};
PARTS(gpu_threads, U64);
static const struct td_field fields_gpu_note_names[] = {COL(I64, GPU_NOTE_NAME, NOTE), COL(SIDX, GPU_NOTE_NAME, NAME)};
static ROWS(gpu_note_names, GPU_NOTE_NAME, U64);
static const struct td_field fields_gpu_note_values[] = {COL(I64, GPU_NOTE, NOTE), COL(F64, GPU_NOTE, VALUE)};
static ROWS(gpu_note_values, GPU_NOTE, U64);
static const struct td_field fields_gpu_notes[] = {COL(U16, GPU_NOTE, QUERY), SUB(gpu_note_values, "values")};
PARTS_OF(gpu_notes, GPU_NOTE, U64);
static const struct td_field fields_contexts[] = {
    COL(THREAD, GPU_CONTEXT, THREAD), COL(U8, GPU_CONTEXT, CALIBRATED), RAW(U64, "zones with a start on the GPU"), COL(F32, GPU_CONTEXT, PERIOD),
    COL(U8, GPU_CONTEXT, TYPE), COL(SIDX, GPU_CONTEXT, NAME), COL(U64, GPU_CONTEXT, OVERFLOW),
    SUB(gpu_note_names, "names of notes", .since = V(0, 12, 4)), SUB(gpu_threads, "threads"), SUB(gpu_notes, "notes", .since = V(0, 12, 4))};
PARTS_OF(contexts, GPU_CONTEXT, BEFORE);

/* P23 */
static const struct td_field fields_points[] = {COL(TIME, POINT, TIME), COL(F64, POINT, VALUE)};
ROWS(points, POINT, U64);
static const struct td_field fields_plots[] = {
    RAW(U8, "type: 0 user, 2 CPU usage, 3 power (from 0.10 on)"), RAW(U8, "format: 0 number, 1 memory size, 2 percentage, 3 watt"),
    RAW(U8, "steps"), RAW(U8, "fill"), RAW(COLOR, "colour"), RAW(POINTER, "name"), RAW(F64, "least value"), RAW(F64, "greatest value"),
    RAW(F64, "sum"), SUB(points, "points")};
PARTS(plots, U64);

/* P24 */
static const struct td_field fields_memory[] = {
    COL(U64, MEMORY, ADDRESS), COL(U64, MEMORY, SIZE), COL(STACK, MEMORY, STACK), COL(STACK, MEMORY, FREE_STACK), COL(TIME, MEMORY, TIME),
    COL(AFTER, MEMORY, FREE_TIME), COL(THREAD16, MEMORY, THREAD), COL(THREAD16, MEMORY, FREE_THREAD)};
static ROWS(memory, MEMORY, BEFORE);
static const struct td_field fields_pools[] = {
    COL(POINTER, POOL, NAME, .name = "name; 0: the default pool"), RAW(COUNT, "events"), RAW(MADE, "events that are not freed", .made = memory_active),
    RAW(MADE, "freed events", .made = memory_freed), SUB(memory, "events"), COL(U64, POOL, HIGH), COL(U64, POOL, LOW),
    COL(U64, POOL, USAGE), COL(POINTER, POOL, NAME, .name = "name, again")};
ROWS(pools, POOL, BEFORE);

/* P25 .. P28 */
static const struct td_field fields_stack_entries[] = {COL(U64, STACK_ENTRY, FRAME)};
static ROWS(stack_entries, STACK_ENTRY, U16, .end = TD_STACK_END + 1, .parent = TD_TABLE_STACK, .least = 1, .most = UINT16_MAX);
static const struct td_field fields_stacks[] = {SUB(stack_entries, "frames, the innermost first")};
static ROWS(stacks, STACK, U64, .reserved = 1);
static const struct td_field fields_stack_lines[] = {
    COL(SIDX, STACK_LINE, FUNCTION), COL(SIDX, STACK_LINE, FILE), COL(U32, STACK_LINE, LINE), COL(U64, STACK_LINE, SYMBOL)};
static ROWS(stack_lines, STACK_LINE, BEFORE, .end = TD_STACK_FRAME_END + 1, .parent = TD_TABLE_STACK_FRAME, .least = 1, .most = UINT8_MAX);
static const struct td_field fields_stack_frames[] = {
    COL(U64, STACK_FRAME, FRAME), RAW(COUNT, "n", .fixed = 1), COL(SIDX, STACK_FRAME, IMAGE), SUB(stack_lines, "n functions, inlined ones first")};
static ROWS(stack_frames, STACK_FRAME, U64);
static const struct td_field fields_app_infos[] = {COL(SREF, APP_INFO, TEXT)};
static ROWS(app_infos, APP_INFO, U64);
static const struct td_field fields_image_dictionary[] = {COL(BYTES32, IMAGE_DICTIONARY, DATA)};
static ROWS(image_dictionary, IMAGE_DICTIONARY, ONE);
static const struct td_field fields_images[] = {COL(U16, IMAGE, WIDTH), COL(U16, IMAGE, HEIGHT), COL(U8, IMAGE, FLIP), COL(DXT1, IMAGE, DATA)};
static ROWS(images, IMAGE, U64);

/* P29 .. P32 */
static const struct td_field fields_switches[] = {
    COL(EARLY, SWITCH, WAKEUP), COL(EARLY, SWITCH, START), COL(EARLY, SWITCH, END), COL(U8, SWITCH, CPU), COL(I8, SWITCH, REASON),
    COL(I8, SWITCH, STATE), COL(THREAD, SWITCH, FIBER_THREAD),
    COL(U8, SWITCH, WAKEUP_CPU, .since = V(0, 11, 3), .like = TD_SWITCH_CPU + 1)};
static ROWS(switches, SWITCH, U64);
static const struct td_field fields_switch_threads[] = {COL(THREAD, SWITCH_THREAD, THREAD), SUB(switches, "switches")};
static ROWS(switch_threads, SWITCH_THREAD, U64);
static const struct td_field fields_cpu_switches[] = {COL(EARLY, CPU_SWITCH, START), COL(EARLY, CPU_SWITCH, END), COL(FOREIGN16, CPU_SWITCH, THREAD)};
static ROWS(cpu_switches, CPU_SWITCH, U64);
static const struct td_field fields_cpus[] = {SUB(cpu_switches, "switches")};
PARTS(cpus, 256);
static const struct td_field fields_thread_processes[] = {COL(THREAD, THREAD_PROCESS, THREAD), COL(U64, THREAD_PROCESS, PROCESS)};
static ROWS(thread_processes, THREAD_PROCESS, U64);
static const struct td_field fields_cpu_totals[] = {
    COL(THREAD, CPU_TOTAL, THREAD), COL(I64, CPU_TOTAL, RUNNING_NS), COL(U32, CPU_TOTAL, REGIONS), COL(U32, CPU_TOTAL, MIGRATIONS)};
static ROWS(cpu_totals, CPU_TOTAL, U64);

/* P33 .. P38 */
static const struct td_field fields_symbols[] = {
    COL(U64, SYMBOL, ADDRESS), COL(SIDX, SYMBOL, NAME), COL(SIDX, SYMBOL, FILE), COL(U32, SYMBOL, LINE), COL(SIDX, SYMBOL, IMAGE),
    COL(SIDX, SYMBOL, CALL_FILE), COL(U32, SYMBOL, CALL_LINE), COL(U8, SYMBOL, INLINED), COL(U24, SYMBOL, BYTES)};
static ROWS(symbols, SYMBOL, U64);
static const struct td_field fields_code[] = {COL(U64, CODE, ADDRESS), COL(BYTES32, CODE, DATA)};
static ROWS(code, CODE, U64);
static const struct td_field fields_symbols_of[] = {COL(U64, SYMBOL_OF, ADDRESS), COL(U64, SYMBOL_OF, SYMBOL)};
static ROWS(symbols_of, SYMBOL_OF, U64);
static const struct td_field fields_hw_cycles[] = {COL(TIME, HW_CYCLES, TIME)};
static ROWS(hw_cycles, HW_CYCLES, U64);
static const struct td_field fields_hw_retired[] = {COL(TIME, HW_RETIRED, TIME)};
static ROWS(hw_retired, HW_RETIRED, U64);
static const struct td_field fields_hw_cache_references[] = {COL(TIME, HW_CACHE_REFERENCES, TIME)};
static ROWS(hw_cache_references, HW_CACHE_REFERENCES, U64);
static const struct td_field fields_hw_cache_misses[] = {COL(TIME, HW_CACHE_MISSES, TIME)};
static ROWS(hw_cache_misses, HW_CACHE_MISSES, U64);
static const struct td_field fields_hw_branches[] = {COL(TIME, HW_BRANCHES, TIME)};
static ROWS(hw_branches, HW_BRANCHES, U64);
static const struct td_field fields_hw_branch_misses[] = {COL(TIME, HW_BRANCH_MISSES, TIME)};
static ROWS(hw_branch_misses, HW_BRANCH_MISSES, U64);
static const struct td_field fields_hw_addresses[] = {
    COL(U64, HW_ADDRESS, ADDRESS), SUB(hw_cycles, "cycles"), SUB(hw_retired, "retired instructions"), SUB(hw_cache_references, "cache references"),
    SUB(hw_cache_misses, "cache misses"), SUB(hw_branches, "retired branches"), SUB(hw_branch_misses, "branch misses")};
static ROWS(hw_addresses, HW_ADDRESS, U64);
static const struct td_field fields_sources[] = {COL(TEXT32, SOURCE, NAME), COL(BYTES32, SOURCE, TEXT)};
static ROWS(sources, SOURCE, U64);

/* ---- sections ---- */

static const struct td_field p0[] = {RAW(FIXED, "\"tracy\"", .fixed = 5), RAW(U8, "version, major"), RAW(U8, "minor"), RAW(U8, "patch")};
static const struct td_field p1[] = {
    INFO(I64, DELAY, "delay of the client's queue, ns", .before = V(0, 12, 3)), INFO(I64, RESOLUTION, "timer resolution, ns"),
    INFO(F64, TIMER_MUL, "ns per tick of the client's timer"), INFO(TIME_AT, LAST_TIME, "latest time of the trace"),
    INFO(U64, FRAME_OFFSET, "frames before the connection"), INFO(U64, PID, "process"), INFO(I64, SAMPLING_PERIOD, "sampling period, ns"),
    INFO(U8, CPU_ARCH, "CPU: 0 unknown, 1 x86, 2 x64, 3 arm32, 4 arm64"), INFO(U32, CPU_ID, "CPUID signature"),
    INFO(U64, VENDOR, "vendor, first 8 bytes"), INFO(U32, VENDOR_END, "last 4 bytes of the vendor"),
    INFO(U8, ON_DEMAND, "on demand; before: 1 if there are frames before the connection", .since = V(0, 9, 2))};
static const struct td_field p2[] = {
    RAW(TEXT, "capture name"), RAW(TEXT, "program name"), RAW(U64, "time of the capture, s since 1970"), RAW(U64, "time of the executable, s since 1970"),
    RAW(TEXT, "description of the host")};
static const struct td_field p3[] = {SUB(topology, "packages")};
static const struct td_field p4[] = {RAW(THREAD, "thread; 0: no crash"), RAW(TIME_AT, "time"), RAW(POINTER, "message"), RAW(STACK32, "call stack")};
static const struct td_field p5[] = {SUB(frame_sets, "frame sets")};
static const struct td_field p6[] = {SUB(section_groups, "categories"), SUB(section_categories, "descriptions of categories", .since = V(0, 13, 5))};
static const struct td_field p7[] = {SUB(strings, "strings")};
static const struct td_field p8[] = {SUB(pointers, "names by address")};
static const struct td_field p9[] = {SUB(thread_names, "threads")};
static const struct td_field p10[] = {SUB(foreign_threads, "threads")};
static const struct td_field p11[] = {SUB(threads, "threads")};
static const struct td_field p12[] = {SUB(threads, "threads")};
static const struct td_field p13[] = {SUB(static_locations, "locations")};
static const struct td_field p14[] = {SUB(static_numbers, "entries")};
static const struct td_field p15[] = {SUB(dynamic_locations, "locations")};
static const struct td_field p16[] = {SUB(zone_counts, "locations")};
static const struct td_field p17[] = {SUB(zone_counts, "locations")};
static const struct td_field p18[] = {SUB(locks, "locks")};
static const struct td_field p19[] = {SUB(messages, "messages")};
static const struct td_field p20[] = {SUB(extras, "entries")};
static const struct td_field p21[] = {RAW(MADE, "zones of all threads"), RAW(MADE, "zones with children"), RAW(COUNT, "threads"), SUB(tracks, "threads")};
static const struct td_field p22[] = {RAW(MADE, "zones of all contexts"), RAW(MADE, "zones with children"), RAW(COUNT, "contexts"), SUB(contexts, "contexts")};
static const struct td_field p23[] = {SUB(plots, "plots")};
static const struct td_field p24[] = {RAW(COUNT, "pools"), RAW(MADE, "events in all pools", .made = memory_events), SUB(pools, "pools")};
static const struct td_field p25[] = {SUB(stacks, "call stacks")};
static const struct td_field p26[] = {SUB(stack_frames, "frames")};
static const struct td_field p27[] = {SUB(app_infos, "lines")};
static const struct td_field p28[] = {SUB(image_dictionary, "dictionary"), SUB(images, "images")};
static const struct td_field p29[] = {SUB(switch_threads, "threads")};
static const struct td_field p30[] = {RAW(MADE, "switches of all CPUs", .made = cpu_switches), SUB(cpus, "CPUs")};
static const struct td_field p31[] = {SUB(thread_processes, "threads")};
static const struct td_field p32[] = {SUB(cpu_totals, "threads")};
static const struct td_field p33[] = {RAW(MADE, "ordinary symbols", .made = ordinary_symbols), RAW(MADE, "inline symbols, plus 1", .made = inline_symbols_and_one), SUB(symbols, "symbols")};
static const struct td_field p34[] = {SUB(code, "symbols")};
static const struct td_field p36[] = {SUB(symbols_of, "addresses")};
static const struct td_field p37[] = {SUB(hw_addresses, "addresses")};
static const struct td_field p38[] = {SUB(sources, "files")};

#define SECTION(number, text, ...) \
    [TD_P##number] = {.id = "P" #number, .what = text, .body = {.form = TD_LIST_PARTS, .count = TD_COUNT_ONE, .table = TD_TABLE_COUNT, \
                      .fields = p##number, .field_count = sizeof p##number / sizeof *p##number}, __VA_ARGS__}

const struct td_section td_sections[TD_SECTION_COUNT] = {
    SECTION(0, "header"),
    SECTION(1, "clock, process, CPU"),
    SECTION(2, "names"),
    SECTION(3, "CPU topology"),
    SECTION(4, "crash"),
    SECTION(5, "frames"),
    SECTION(6, "trace sections", .since = V(0, 13, 4)),
    SECTION(7, "strings"),
    SECTION(8, "strings by address"),
    SECTION(9, "thread names"),
    SECTION(10, "threads of other programs"),
    SECTION(11, "thread numbers"),
    SECTION(12, "numbers of other programs' threads"),
    SECTION(13, "source locations"),
    SECTION(14, "numbers of source locations"),
    SECTION(15, "dynamic source locations"),
    SECTION(16, "zone counts"),
    SECTION(17, "GPU zone counts"),
    SECTION(18, "locks", .strip = TD_STRIP_LOCKS),
    SECTION(19, "messages", .strip = TD_STRIP_MESSAGES),
    SECTION(20, "texts of zones"),
    SECTION(21, "threads and zones"),
    SECTION(22, "GPU contexts"),
    SECTION(23, "plots", .strip = TD_STRIP_PLOTS),
    SECTION(24, "memory", .strip = TD_STRIP_MEMORY),
    SECTION(25, "call stacks"),
    SECTION(26, "call stack frames"),
    SECTION(27, "application info"),
    SECTION(28, "frame images", .strip = TD_STRIP_IMAGES),
    SECTION(29, "context switches", .strip = TD_STRIP_SWITCHES),
    SECTION(30, "context switches a CPU", .strip = TD_STRIP_SWITCHES),
    SECTION(31, "processes of threads"),
    SECTION(32, "CPU totals"),
    SECTION(33, "symbols"),
    SECTION(34, "symbol code", .strip = TD_STRIP_CODE),
    SECTION(36, "addresses of symbols"),
    SECTION(37, "hardware samples"),
    SECTION(38, "source files", .strip = TD_STRIP_SOURCES),
};
/* clang-format on */
