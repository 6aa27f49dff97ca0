#include "target/src/lane.h"

void td_mute(int mute)
{
    td_slow_begin();
    td_state.mute = mute;
    td_lane_settle();
}
