/* By the path before the middle of 2026. */
#include "api/dataflow/noc_semaphore.h"
#include "experimental/noc.h"
