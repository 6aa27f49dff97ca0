/* Which plots belong to a core: those whose names are "WHAT (TRACK)", TRACK being the name of the core's track or its
 * short form "chip/x,y/CORE". */
#pragma once
#include "host/base/err.h"
#include "host/event/dict.h"

#include <stddef.h>
#include <stdint.h>

#define TD_NO_OWNER UINT32_MAX

struct td_plot_owner {
    uint32_t owner, plot; /* a track or TD_NO_OWNER; sorted by both */
};

struct td_plot_owners { /* all zero: none */
    struct td_plot_owner *pair;
    size_t count;
};

/* Looks among `count` tracks. If several have the name, the last one is the owner. 0 or TD_E_NOMEM. */
int td_plot_owners_make(struct td_plot_owners *owners, const struct td_dict *dict, const uint32_t *tracks,
                        size_t count);
void td_plot_owners_free(struct td_plot_owners *owners);
/* The plots of an owner: their number, and the first of them in *first. */
size_t td_plot_owners_of(const struct td_plot_owners *owners, uint32_t owner,
                         const struct td_plot_owner **first);
/* Where TRACK begins in a plot's name, and its length; NULL: the name has another form. */
const char *td_plot_owner_name(const char *name, size_t *bytes);
