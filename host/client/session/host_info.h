/* The user and the processor that run the program, for the welcome. Thread-safe. */
#pragma once
#include <stddef.h>

/* The login of the user with that number in a file like /etc/passwd; the number if the file lacks it. Asks
 * no name service, which would run other libraries' code in the client's thread. */
void td_host_info_login(const char *passwd, unsigned user, char *login, size_t room);
/* The name of the first processor in a text like AArch64's /proc/cpuinfo, such as "ARM Cortex-A72 r0p3".
 * Makers and models that the table lacks are given as numbers. Empty if the text describes no such
 * processor. */
void td_host_info_arm_processor(const char *cpuinfo, char *name, size_t room);
