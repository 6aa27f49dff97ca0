/* A note (trace.h): the number of lanes of which it is not known what they lost, because a kernel has written over
 * them or the board was lost during a launch. The numbers of the other notes about losses are then the least ones. Missing: all losses are known. */
#ifndef TD_HOST_TRACE_LOST_NOTE_H
#define TD_HOST_TRACE_LOST_NOTE_H
#define TD_NOTE_LOST_UNKNOWN "tendril.lost_unknown"
#endif
