/* Inside of the reader: lists of zones that hold lists of zones, depth first, on their way into the rows of a
 * track. Times of a sound file rise from zone to zone; what does not is moved to where it has to be, and
 * counted. */
#ifndef TD_HOST_FILE_READ_TREE_H
#define TD_HOST_FILE_READ_TREE_H
#include "host/file/reader.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#define TD_TREE_HEAD_BYTES 18 /* of a zone of a thread: location, start, extra, number of children */
#define TD_TREE_ZONE_BYTES 26 /* without children: the end, too */

struct read_tree {
    struct td_fill fill; /* its depth is that of the list being read */
    int64_t low_ns;      /* the latest time so far: what follows must not lie before it */
    /* Depths of the last zones of their rows that have no end, though their list may go on. */
    uint32_t open_first, open_end;
};

/* Begins with the list of the zones at depth 0. 0, or -1 and the reader has failed. */
int td_tree_begin_(struct reader *r, struct read_tree *tree, uint32_t track, uint64_t zones);
void td_tree_end_(struct read_tree *tree);
/* A list of so many children of the zone just entered; 0, or -1 and the reader has failed. */
int td_tree_down_(struct reader *r, struct read_tree *tree, uint64_t zones);
/* Ends the zones that have no end where something follows them. */
uint32_t td_tree_end_open_(struct read_tree *tree, int64_t time_ns);
/* Reads a thread's zones as long as they lie in the block and nothing is odd about them; may read none. */
void td_tree_run_(struct reader *r, struct read_tree *tree);
/* Fills r->locations. 0, or -1 and the reader has failed. */
int td_tree_locations_(struct reader *r);

/* Numbers that stand in a zone -> location; UINT32_MAX: damage. */
static inline uint32_t td_tree_location_(const struct reader *r, uint16_t number)
{
    return r->locations[number];
}

/* A time of the file, moved to where it may be. */
static inline int64_t td_tree_time_(struct read_tree *tree, int64_t time_ns)
{
    int64_t sound = time_ns < tree->low_ns ? tree->low_ns : time_ns;
    sound = sound < TD_FILE_TIME_LIMIT ? sound : TD_FILE_TIME_LIMIT - 1;
    tree->fill.clamped += sound != time_ns;
    return tree->low_ns = sound;
}

/* Of the zone just entered (or left), which has no end. */
static inline void td_tree_opened_(struct read_tree *tree)
{
    if (tree->open_first == tree->open_end)
        tree->open_end = tree->fill.depth + 1;
    tree->open_first = tree->fill.depth;
}
#endif
