/* Compile-time arguments by tt-metal's path: get_compile_time_arg_val(0), get_named_compile_time_arg_val("name"). */
#include "api/dataflow/kernel_args.h"
