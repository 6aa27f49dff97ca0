/* Who runs the program, and on which processor, as the welcome says it. */
#ifndef TD_HOST_CLIENT_SESSION_HOST_INFO_H
#define TD_HOST_CLIENT_SESSION_HOST_INFO_H
#include <stddef.h>

/* The login of the user with that number in a file like /etc/passwd; the number where the file has none. No
 * name service is asked: that would run code of libraries in the client's thread. */
void td_host_info_login(const char *passwd, unsigned user, char *login, size_t room);
/* The name of the first processor in a text like AArch64's /proc/cpuinfo: "ARM Cortex-A72 r0p3", with numbers
 * for what is not in the table. Empty if the text describes no such processor. */
void td_host_info_arm_processor(const char *cpuinfo, char *name, size_t room);
#endif
