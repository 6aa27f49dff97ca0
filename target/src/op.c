#include "target/src/lane.h"

/* The OP packet goes before the next packet, and so does not get lost when the lane is full now. */
void td_op(uint32_t op)
{
    td_slow_begin();
    td_state.op = op;
    TD_RT(LIMIT) = (uint32_t)(uintptr_t)td_tp();
#ifdef TD_GUEST /* no loader says it: the images that the firmware calls next read it here */
    if (!td_state.dead)
        TD_LANE(op) = op;
#endif
}
