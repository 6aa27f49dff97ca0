/* Rows that sources hand to the hub (td_hub_row()) and the model takes: those of its tables, by their numbers
 * in enum td_table, with their columns, and zones of GPU contexts.
 *
 * Numbers of strings, locations and tracks are those of the hub's dictionary; parents and rows are the
 * numbers that td_hub_row() gave (of a plot, frame set or track: the dictionary's). A row may be changed with
 * td_hub_set() where its table is LOOSE, otherwise only as long as it is the last of its list. Ends of ranges
 * (END) count rows of the other table as td_hub_row() numbered them. */
#ifndef TD_HOST_TRACE_ROWS_H
#define TD_HOST_TRACE_ROWS_H
#include "host/trace/tables.h"

/* A zone of a GPU context, complete, in the track `parent`, whose `context` is not 0: parents before their
 * children, in order. DEPTH counts the zones it is in, DURATION -1 means unfinished, STACK is a row of the
 * table STACK, the rest are the columns of the same names of fill.h. */
#define TD_ROW_GPU_ZONE TD_TABLE_COUNT
enum td_gpu_zone_columns {
    TD_GPU_ZONE_DEPTH,
    TD_GPU_ZONE_START,
    TD_GPU_ZONE_DURATION,
    TD_GPU_ZONE_SRCLOC,
    TD_GPU_ZONE_STACK,
    TD_GPU_ZONE_CPU_START,
    TD_GPU_ZONE_CPU_DURATION,
    TD_GPU_ZONE_THREAD,
    TD_GPU_ZONE_QUERY,
    TD_GPU_ZONE_COLUMN_COUNT
};
#endif
