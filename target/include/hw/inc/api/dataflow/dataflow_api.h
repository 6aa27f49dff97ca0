/* By tt-metal's path. */
#include "api/dataflow/dataflow_api.h"
