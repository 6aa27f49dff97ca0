/* A dictionary for the images of frames, as stock's update makes one: programs that show the trace keep its
 * images smaller in memory with it. */
#ifndef TD_HOST_SYMBOLS_OFFLINE_IMAGE_DICTIONARY_H
#define TD_HOST_SYMBOLS_OFFLINE_IMAGE_DICTIONARY_H
#include "host/base/err.h"
#include "host/trace/trace.h"

/* Trains one on the trace's images and puts it into the trace; one that has a dictionary keeps it, too few or
 * too small images make none. */
int td_image_dictionary(struct td_trace *trace, struct td_err *err);
#endif
