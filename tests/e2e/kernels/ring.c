/* Arguments: address of a semaphore in L1, whether to wait for it, x and y of the tile to tell afterwards. */
#define TD_DATAFLOW_WAITS
#include "tendril/tendril.h"
#include "tendril/sem.h"

int main(void)
{
    ZoneScopedN("exchange");
    td_sem *from_left = (td_sem *)td_arg_at(0);
    if (td_arg_at(1))
        td_sem_wait(from_left, 1);
    td_sem_add_remote(td_arg_at(2), td_arg_at(3), td_arg_at(0), 1);
    return 0;
}
