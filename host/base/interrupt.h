/* Signals that ask a program to stop: they are counted, and the program checks the count where it can stop.
 * One count for each process. */
#pragma once

/* From now on SIGINT, SIGTERM and SIGHUP are counted and do not end the process. An ignored SIGHUP (nohup)
 * stays ignored. Calls that wait return with EINTR. Writing to a pipe without a reader fails with EPIPE,
 * without SIGPIPE. */
void td_interrupt_catch(void);
/* The count; the pointer is valid until the process ends. */
const volatile int *td_interrupt_count(void);
/* The same for SIGUSR1, by which a user asks a running command to do something now. */
void td_user_signal_catch(void);
const volatile int *td_user_signal_count(void);
