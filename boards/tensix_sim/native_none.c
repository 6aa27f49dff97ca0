/* Where the cores' runtime is not compiled natively (target/native), every core needs an emulator. */
#include "boards/tensix_sim/sim.h"

int native_init(struct sim *sim, const char *elfs, struct td_err *err)
{
    return td_fail(err, TD_E_USAGE, "--native: this simulator was built without native cores");
}

void native_finish(struct sim *sim)
{
}

int native_release(struct core *core)
{
    return TD_E_NOTFOUND;
}

void native_run(struct core *core)
{
}

void native_core_finish(struct core *core)
{
}
