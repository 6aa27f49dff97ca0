/* The lanes (tracks) to which a table is limited: a copy of what passes the filter, which a job may read. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct td_lane_choice { /* all zero: every lane */
    uint8_t *passes;    /* of each track; NULL: all pass */
    uint32_t tracks;    /* further tracks pass, too: they are new */
};

/* `choice` may be NULL. */
static inline bool td_lane_chosen(const struct td_lane_choice *choice, uint32_t track)
{
    return !choice || !choice->passes || track >= choice->tracks || choice->passes[track];
}

static inline void td_lane_choice_free(struct td_lane_choice *choice)
{
    free(choice->passes);
    *choice = (struct td_lane_choice){0};
}
