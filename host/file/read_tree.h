/* Internals of the reader: adds nested lists of zones, depth first, to the rows of a track. Times rise from
 * zone to zone; a time that does not is corrected and counted. */
#pragma once
#include "host/file/reader.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#define TD_TREE_HEAD_BYTES 18 /* of a zone of a thread: location, start, extra, number of children */
#define TD_TREE_ZONE_BYTES 26 /* of a zone without children: head and end */

struct read_tree {
    struct td_fill fill; /* its depth is that of the list being read */
    int64_t low_ns;      /* the latest time so far, which no later time may precede */
    /* The depths [open_first, open_end) at which the row's last zone was read without an end. */
    uint32_t open_first, open_end;
};

/* Begins the list of the `zones` zones at depth 0. Returns 0, or the negative code with which the reader has
 * failed. */
int td_tree_begin_(struct reader *r, struct read_tree *tree, uint32_t track, uint64_t zones);
void td_tree_end_(struct read_tree *tree);
/* Begins the list of the `zones` children of the zone just entered. Returns like td_tree_begin_(). */
int td_tree_down_(struct reader *r, struct read_tree *tree, uint64_t zones);
/* Ends the zones without an end at `time_ns`, the time of the next start or end. Returns their number. */
uint32_t td_tree_end_open_(struct read_tree *tree, int64_t time_ns);
/* The fast path: reads a thread's zones up to the end of the block or to one that needs checks; may read
 * none. */
void td_tree_run_(struct reader *r, struct read_tree *tree);
/* Fills r->locations. Returns like td_tree_begin_(). */
int td_tree_locations_(struct reader *r);

/* The location for the number in a zone; UINT32_MAX: the file is damaged. */
static inline uint32_t td_tree_location_(const struct reader *r, uint16_t number)
{
    return r->locations[number];
}

/* A time from the file, corrected to be in range and not before the latest one. */
static inline int64_t td_tree_time_(struct read_tree *tree, int64_t time_ns)
{
    int64_t sound = time_ns < tree->low_ns ? tree->low_ns : time_ns;
    sound = sound < TD_FILE_TIME_LIMIT ? sound : TD_FILE_TIME_LIMIT - 1;
    tree->fill.clamped += sound != time_ns;
    return tree->low_ns = sound;
}

/* The zone just entered (or left) has no end. */
static inline void td_tree_opened_(struct read_tree *tree)
{
    if (tree->open_first == tree->open_end)
        tree->open_end = tree->fill.depth + 1;
    tree->open_first = tree->fill.depth;
}
