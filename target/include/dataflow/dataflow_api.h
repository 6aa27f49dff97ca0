/* tt-metal's path of this header before 2025. */
#ifndef TENDRIL_OLD_DATAFLOW_DATAFLOW_API_H
#define TENDRIL_OLD_DATAFLOW_DATAFLOW_API_H
#include "api/dataflow/dataflow_api.h"
#endif
