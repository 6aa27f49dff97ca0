/* By the path of 2026. */
#include "api/dataflow/banked_buffers.h"
