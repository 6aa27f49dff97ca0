#include "host/viewer/timeline/row_choices.h"

#include <stdlib.h>
#include <string.h>

int td_row_set_ghosts(struct td_row_choices *choices, uint32_t track, enum td_row_switch to)
{
    if (track >= choices->tracks) {
        uint8_t *ghosts = realloc(choices->ghosts, (size_t)track + 1);
        if (!ghosts)
            return TD_E_NOMEM;
        memset(ghosts + choices->tracks, 0, track + 1 - choices->tracks);
        choices->ghosts = ghosts;
        choices->tracks = track + 1;
    }
    choices->ghosts[track] = (uint8_t)to;
    return 0;
}

int td_row_join(struct td_row_choices *choices, uint32_t plot, uint32_t host)
{
    const uint32_t need = (plot > host ? plot : host) + 1;
    if (need > choices->plots) {
        uint32_t *hosts = realloc(choices->host, need * sizeof *hosts);
        if (!hosts)
            return TD_E_NOMEM;
        memset(hosts + choices->plots, 0, (need - choices->plots) * sizeof *hosts);
        choices->host = hosts;
        choices->plots = need;
    }
    if (plot == host) {
        choices->host[plot] = 0;
        return 0;
    }
    host = td_row_host(choices, host);
    for (uint32_t p = 0; p < choices->plots && host != plot; p++)
        if (p == plot || choices->host[p] == plot + 1)
            choices->host[p] = host + 1;
    return 0;
}

void td_row_choices_free(struct td_row_choices *choices)
{
    free(choices->ghosts);
    free(choices->host);
    *choices = (struct td_row_choices){0};
}
