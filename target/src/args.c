/* The arguments of a launch, written by the host before it: their number, then the words. Linked into images that use
 * td_arg_at() or td_arg_count(). */
#include "tendril/tendril.h"
#include "proto/device/site.h"

TD_L1_NOINIT uint32_t td_launch_args[1 + TD_MAX_LAUNCH_ARGS];
