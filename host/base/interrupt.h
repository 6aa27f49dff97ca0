/* Signals that ask a program to end what it does: it counts them and looks at the count where it can stop.
 * One count a process. */
#ifndef TD_HOST_BASE_INTERRUPT_H
#define TD_HOST_BASE_INTERRUPT_H

/* From now on SIGINT, SIGTERM and SIGHUP are counted and end nothing by themselves; SIGHUP is left alone
 * where it is ignored already (nohup). Calls that wait return with EINTR. A pipe without a reader is an error
 * of the call that writes, not SIGPIPE. */
void td_interrupt_catch(void);
/* The count; it stays where it is. */
const volatile int *td_interrupt_count(void);
#endif
