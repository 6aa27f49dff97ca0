/* SPDX-License-Identifier: GPL-2.0 */
/* For the layouts under proto/, which user space and this module share. */
#include <linux/types.h>
#ifndef UINT64_C
#define UINT64_C(number) number##ULL
#endif
