/* The newer path of compute_kernel_api.h. */
#include <compute_kernel_api.h>
