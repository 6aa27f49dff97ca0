/* By tt-metal's path. */
#include "api/compile_time_args.h"
