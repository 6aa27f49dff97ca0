/* By the path of 2026. */
#include "api/dataflow/dataflow_api.h"
