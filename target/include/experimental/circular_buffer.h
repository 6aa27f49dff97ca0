/* By the path before the middle of 2026. */
#include "api/dataflow/circular_buffer.h"
#include "experimental/noc.h"
