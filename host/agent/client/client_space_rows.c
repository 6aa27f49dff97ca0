#include "host/base/code_address.h"
#include "host/agent/client/client_space_internal.h"
#include "host/trace/rows.h"

#define ADDRESS_SHIFT   48
#define ADDRESS_BITS    ((UINT64_C(1) << ADDRESS_SHIFT) - 1)
#define KERNEL_FRAME    (UINT64_C(1) << 61) /* in a frame's id: an address of the kernel */
#define PARAMETER_SHIFT 20
#define SECTION_SHIFT   20
#define CPUS            256u /* lists of CPU_SWITCH */
#define CPU_STEP        64u  /* processors of another machine begin at a multiple */

/* ---- numbers ---- */

/* The kernel's address space is that of all processes of a machine, but each program has its own names. */
static uint64_t move_place(const struct td_client_space *space, uint64_t address)
{
    if (!space->number)
        return address;
    const uint64_t in_kernel = td_is_kernel_address(address), number = space->number % TD_SPACE_NUMBERS;
    const uint64_t top = in_kernel ? UINT64_C(0xf000) | (TD_SPACE_NUMBERS - 1 - number) : number;
    return (address & ADDRESS_BITS) | top << ADDRESS_SHIFT;
}

/* 0 is no address. */
static uint64_t move_address(const struct td_client_space *space, uint64_t address)
{
    return address ? move_place(space, address) : 0;
}

/* A frame's id is an address without its two highest bits, or a serial number of all processes. */
static uint64_t move_frame(const struct td_client_space *space, uint64_t frame)
{
    if (frame & TD_FRAME_SCRIPTED)
        return frame;
    const uint64_t high = frame & KERNEL_FRAME ? UINT64_C(3) << 62 : 0;
    return move_place(space, frame | high) & TD_FRAME_BITS;
}

static int64_t move_lock(struct td_client_space *space, int64_t lock)
{
    struct td_client_spaces *spaces = space->spaces;
    uint32_t id = (uint32_t)lock;
    if (td_map_get(&spaces->locks, id, 0))
        id = spaces->next_lock;
    td_map_add(&spaces->locks, id, 1); /* without memory, the lock has the same number as another one */
    if (id >= spaces->next_lock)
        spaces->next_lock = id + 1;
    return id;
}

static int64_t move_category(struct td_client_space *space, int64_t category)
{
    struct td_client_spaces *spaces = space->spaces;
    uint32_t number = td_map_get(&space->categories, (uint64_t)category, UINT32_MAX);
    if (number != UINT32_MAX)
        return number;
    number = space->number ? spaces->next_category : (uint32_t)category;
    td_map_add(&space->categories, (uint64_t)category, number);
    if (number >= spaces->next_category)
        spaces->next_category = number + 1;
    return number;
}

/* Processors of the machine that reports first keep their numbers. */
static int64_t move_cpu(struct td_client_space *space, int64_t cpu)
{
    struct td_client_machine *machine = space->machine;
    struct td_client_spaces *spaces = space->spaces;
    if (!machine->has_base) {
        machine->has_base = true;
        machine->cpu_base = (spaces->cpu_end + CPU_STEP - 1) / CPU_STEP * CPU_STEP;
    }
    uint32_t number = machine->cpu_base + (uint32_t)cpu;
    if (number >= spaces->cpu_end)
        spaces->cpu_end = number + 1;
    return number;
}

/* ---- rows ---- */

/* Names that are unique in one process. Without memory, the name has no label. */
static int64_t move_name(struct td_client_space *space, unsigned table, unsigned column, int64_t value)
{
    struct td_dict *dict = space->spaces->dict;
    const uint32_t string = (uint32_t)value;
    uint32_t labelled = string;
    if (table == TD_TABLE_THREAD_NAME || (table == TD_TABLE_GPU_CONTEXT && space->number && string))
        labelled = td_client_space_label_before(space, dict, string);
    if (table == TD_TABLE_POOL && space->number && string)
        labelled =
            td_client_space_name(space, dict, td_dict_text(dict, string), td_dict_text_bytes(dict, string));
    return labelled == UINT32_MAX ? value : labelled;
}

/* The report that the table belongs to; TD_CLIENT_REPORTS: none. */
static unsigned report_of(unsigned table)
{
    switch (table) {
    case TD_TABLE_CPU_SWITCH:
    case TD_TABLE_CPU_TOTAL:
    case TD_TABLE_THREAD_PROCESS:
    case TD_TABLE_FOREIGN_THREAD:
        return TD_CLIENT_REPORT_SWITCHES;
    case TD_TABLE_TOPOLOGY:
        return TD_CLIENT_REPORT_TOPOLOGY;
    default:
        return TD_CLIENT_REPORTS;
    }
}

/* Threads of any program of the machine: those that are no threads of the process keep their ids on this
 * machine, where another process of the trace may be theirs. */
static int64_t move_foreign(struct td_client_space *space, int64_t thread)
{
    const bool is_own = td_map_get(&space->threads, (uint64_t)thread, UINT32_MAX) != UINT32_MAX;
    if (!is_own && space->machine == space->spaces->machines[0])
        return thread;
    return (int64_t)td_client_space_thread(space, (uint64_t)thread);
}

static int64_t move_value(struct td_client_space *space, unsigned table, unsigned column, int64_t value)
{
    if (table == TD_ROW_GPU_ZONE)
        return column == TD_GPU_ZONE_THREAD ? (int64_t)td_client_space_thread(space, (uint64_t)value) : value;
    const enum td_column_type type = td_table_get_shape((enum td_table)table)->column[column].type;
    if (type == TD_TYPE_THREAD && report_of(table) == TD_CLIENT_REPORT_SWITCHES)
        return move_foreign(space, value);
    if (type == TD_TYPE_THREAD)
        return (int64_t)td_client_space_thread(space, (uint64_t)value);
    if (type == TD_TYPE_STRING)
        return move_name(space, table, column, value);
    if (table == TD_TABLE_SECTION && column == TD_SECTION_END && value < 0 && space->number)
        return value - ((int64_t)space->number << SECTION_SHIFT);
    /* 0, too, is an address that was asked for. */
    if (table == TD_TABLE_SYMBOL_OF && column == TD_SYMBOL_OF_ADDRESS)
        return (int64_t)move_place(space, (uint64_t)value);
    switch (type) {
    case TD_TYPE_FRAME:
        return (int64_t)move_frame(space, (uint64_t)value);
    case TD_TYPE_ADDRESS:
        return (int64_t)move_address(space, (uint64_t)value);
    case TD_TYPE_CPU:
        return move_cpu(space, value);
    case TD_TYPE_CATEGORY:
        return move_category(space, value);
    case TD_TYPE_LOCK:
        return move_lock(space, value);
    case TD_TYPE_PARAMETER:
        return value + ((int64_t)space->number << PARAMETER_SHIFT);
    default:
        return value;
    }
}

static bool takes_table(struct td_client_space *space, unsigned table)
{
    const unsigned report = report_of(table);
    return report == TD_CLIENT_REPORTS || td_client_space_reports(space, (enum td_client_report)report);
}

/* Process 0 has numbers of its own that the spaces must know of, even if none is changed. */
static bool is_unchanged(const struct td_client_space *space, unsigned table)
{
    return !space->is_apart && table != TD_TABLE_LOCK && table != TD_TABLE_SECTION_CATEGORY &&
           table != TD_TABLE_SECTION && table != TD_TABLE_CPU_SWITCH && table != TD_TABLE_TOPOLOGY &&
           table != TD_TABLE_THREAD_NAME;
}

/* The default pool has no name in its process. */
static int name_default_pool(struct td_client_space *space, int64_t *values)
{
    uint32_t name = td_client_space_name(space, space->spaces->dict, "memory", 6);
    if (name == UINT32_MAX)
        return TD_E_NOMEM;
    values[TD_POOL_NAME] = name;
    return 0;
}

/* The observer's name for a thread without events that another process of the trace has. */
static bool is_named_by_process(struct td_client_space *space, unsigned table, const int64_t *values)
{
    return space->observes && table == TD_TABLE_THREAD_NAME &&
           !td_client_space_owns(space,
                                 td_client_space_thread(space, (uint64_t)values[TD_THREAD_NAME_THREAD]));
}

int64_t td_client_space_row(struct td_client_space *space, struct td_hub *hub, unsigned table,
                            uint64_t parent, const int64_t *values, struct td_err *err)
{
    int64_t
        moved[TD_SERIES_COLUMNS > TD_GPU_ZONE_COLUMN_COUNT ? TD_SERIES_COLUMNS : TD_GPU_ZONE_COLUMN_COUNT];
    if (!space || (is_unchanged(space, table) && takes_table(space, table)))
        return td_hub_row(hub, table, parent, values, err);
    if (!takes_table(space, table) || is_named_by_process(space, table, values))
        return 0;
    const unsigned columns = table == TD_ROW_GPU_ZONE ? (unsigned)TD_GPU_ZONE_COLUMN_COUNT
                                                      : td_table_get_shape((enum td_table)table)->columns;
    for (unsigned c = 0; c < columns; c++)
        moved[c] = move_value(space, table, c, values[c]);
    if (table == TD_TABLE_CPU_SWITCH)
        parent = (uint64_t)move_cpu(space, (int64_t)parent);
    if (table == TD_TABLE_CPU_SWITCH && parent >= CPUS)
        return 0;
    if (table == TD_TABLE_POOL && !values[TD_POOL_NAME] && !space->is_first &&
        name_default_pool(space, moved) != 0)
        return td_fail_no_memory(err, NULL);
    return td_hub_row(hub, table, parent, moved, err);
}

int td_client_space_set(struct td_client_space *space, struct td_hub *hub, unsigned table, uint64_t parent,
                        uint64_t row, unsigned column, int64_t value, struct td_err *err)
{
    if (!space)
        return td_hub_set(hub, table, parent, row, column, value, err);
    if (!takes_table(space, table))
        return 0;
    if (table == TD_TABLE_CPU_SWITCH)
        parent = (uint64_t)move_cpu(space, (int64_t)parent);
    if (table == TD_TABLE_CPU_SWITCH && parent >= CPUS)
        return 0;
    if (!is_unchanged(space, table))
        value = move_value(space, table, column, value);
    return td_hub_set(hub, table, parent, row, column, value, err);
}
