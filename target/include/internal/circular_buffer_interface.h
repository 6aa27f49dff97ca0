/* By the path of 2026. */
#include "api/dataflow/circular_buffers.h"
