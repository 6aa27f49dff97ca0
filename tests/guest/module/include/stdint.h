/* SPDX-License-Identifier: GPL-2.0 */
/* For layouts that are shared with user space. */
#include <linux/types.h>
#ifndef UINT64_C
#define UINT64_C(number) number##ULL
#endif
