/* Zones that are open when a launch ends, or were when the previous launch was stopped. Private to the
 * runtime. */
#pragma once
#include "target/src/lane.h"

#ifdef TD_NATIVE /* native cores do not mark open zones */
static inline void td_open_begin_launch(enum td_core_state left)
{
    (void)left;
}
static inline void td_open_end_launch(void)
{
}
#else
/* Right after td_lane_begin_launch(): writes packets for the zones that the previous launch left open, if it
 * was stopped (`left`: RUNNING or FAULT), and begins with no zone open. */
void td_open_begin_launch(enum td_core_state left);
/* Writes packets for the zones that are open now. */
void td_open_end_launch(void);
#endif
