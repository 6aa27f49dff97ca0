/* tt-metal's path of the attributes of pointers. */
#ifndef TENDRIL_RISC_ATTRIBS_H
#define TENDRIL_RISC_ATTRIBS_H
#include "tools/profiler/kernel_profiler.hpp"
#endif
