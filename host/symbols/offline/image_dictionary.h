/* A compression dictionary for the frame images of a trace, as Tracy's update makes one: with it, viewers
 * keep the images in less memory. */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"

/* Trains a dictionary on the trace's images and adds it to the trace. Does nothing if the trace has one, or
 * if its images are too few or too small. 0 or TD_E_NOMEM. */
int td_image_dictionary(struct td_trace *trace, struct td_err *err);
