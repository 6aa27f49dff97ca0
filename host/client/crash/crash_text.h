/* Describes a fatal signal in lines of text. For signal handlers: neither allocates nor locks. */
#ifndef TD_HOST_CLIENT_CRASH_CRASH_TEXT_H
#define TD_HOST_CLIENT_CRASH_CRASH_TEXT_H
#include <signal.h>

#define TD_CRASH_TEXT_MAX 256
void td_crash_text(char text[TD_CRASH_TEXT_MAX], int signal_number, const siginfo_t *info);
#endif
