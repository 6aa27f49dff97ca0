/* A note (trace.h): the number of lanes that a kernel has written over, so that it is not known what they lost. The
 * numbers of the other notes about losses are then the least ones. Missing: all losses are known. */
#ifndef TD_HOST_TRACE_LOST_NOTE_H
#define TD_HOST_TRACE_LOST_NOTE_H
#define TD_NOTE_LOST_UNKNOWN "tendril.lost_unknown"
#endif
