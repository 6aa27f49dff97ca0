/* Describes a fatal signal in lines of text. For signal handlers: neither allocates nor locks. */
#pragma once
#include <signal.h>

#define TD_CRASH_TEXT_MAX 256
void td_crash_text(char text[TD_CRASH_TEXT_MAX], int signal_number, const siginfo_t *info);
