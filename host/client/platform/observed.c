#include "host/client/platform/observed.h"

static const struct td_observed *others;

const struct td_observed *td_client_observed(void)
{
    return others;
}

void td_observe(const struct td_observed *observed)
{
    others = observed;
}
