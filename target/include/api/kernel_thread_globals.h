/* By tt-metal's path: threads of a core, which only Quasar has. */
#include "api/dataflow/kernel_args.h"
