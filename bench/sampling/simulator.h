/* What sampled cores cost the simulator. */
#pragma once
#include "host/base/err.h"

/* Runs `rounds` of the kernel hot on the cores of one tile, with the debug bus on or off. *ns: of the
 * simulator's processor time for each instruction. */
int simulator_ns_per_instruction(int bus_is_on, unsigned rounds, double *ns, struct td_err *err);
