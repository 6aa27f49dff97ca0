/* Rows that a source passes to the model through the hub (td_hub_row()): rows of the model's tables, with the
 * table's number (enum td_table) and its columns, and zones of GPU contexts.
 *
 * Numbers of strings, locations and tracks are those of the hub's dictionary. Parents and rows are the
 * numbers that td_hub_row() returned; plots, frame sets and tracks have the dictionary's numbers.
 * td_hub_set() may change any row of a LOOSE table; in other tables only the last row of each list. Ends of
 * ranges (END) count rows of the other table as td_hub_row() numbered them. */
#pragma once
#include "host/trace/tables.h"

/* A complete zone of a GPU context. `parent` is a track whose `context` is not 0, the first line of a thread; the
 * model adds the others (gpu_lines.h). Zones come in the order in which the host began them. DEPTH is the number of
 * enclosing zones; START and END are as the GPU reported them, TD_UNKNOWN_NS: it did not; STACK is a row of the
 * table STACK; the others are the columns of the same names in fill.h, without the bits above the query's. */
#define TD_ROW_GPU_ZONE TD_TABLE_COUNT
enum td_gpu_zone_columns {
    TD_GPU_ZONE_DEPTH,
    TD_GPU_ZONE_START,
    TD_GPU_ZONE_END,
    TD_GPU_ZONE_SRCLOC,
    TD_GPU_ZONE_STACK,
    TD_GPU_ZONE_CPU_START,
    TD_GPU_ZONE_CPU_DURATION,
    TD_GPU_ZONE_THREAD,
    TD_GPU_ZONE_QUERY,
    TD_GPU_ZONE_COLUMN_COUNT
};
