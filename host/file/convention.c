#include "host/file/convention.h"
#include "proto/device/packet.h"
#include "proto/device/site.h"
#include "proto/track.h"

#include <string.h>

uint32_t td_file_swap_color(uint32_t color)
{
    return (color & 0xff) << 16 | (color & 0xff00) | (color >> 16 & 0xff);
}

uint32_t td_file_color(const struct td_srcloc *srcloc)
{
    uint32_t flags = srcloc->flags & (TD_SRCLOC_WAIT | TD_SRCLOC_LOST);
    uint32_t color = srcloc->color & 0xffffff;
    if (!color && flags)
        color = flags & TD_SRCLOC_LOST ? TD_LOST_COLOR : TD_WAIT_COLOR;
    return td_file_swap_color(color) | flags << 24;
}

void td_file_uncolor(struct td_srcloc *srcloc, uint32_t color, const char *name)
{
    uint32_t flags = color >> 24 & (TD_SRCLOC_WAIT | TD_SRCLOC_LOST);
    srcloc->color = td_file_swap_color(color & 0xffffff);
    if (!flags && (!strcmp(name, TD_NAME_STALL) || !strcmp(name, TD_NAME_LOST)))
        flags = TD_SRCLOC_LOST;
    if (!flags && srcloc->color == TD_WAIT_COLOR)
        flags = TD_SRCLOC_WAIT;
    if (srcloc->color == (flags & TD_SRCLOC_LOST ? TD_LOST_COLOR : TD_WAIT_COLOR) && flags)
        srcloc->color = 0;
    srcloc->flags |= flags;
}

void td_file_track_place(struct td_track *track)
{
    if (!td_track_is_device(track->thread))
        return;
    track->kind = TD_TRACK_CORE;
    track->chip = (uint16_t)td_track_chip(track->thread);
    track->x = (uint16_t)td_track_x(track->thread);
    track->y = (uint16_t)td_track_y(track->thread);
    track->core = (uint8_t)td_track_core(track->thread);
}

int32_t td_file_group_hint(const struct td_track *track)
{
    if (track->group_hint || track->kind != TD_TRACK_CORE)
        return track->group_hint;
    int32_t place = (int32_t)(track->thread & 0x7fffffff);
    return place < INT32_MAX ? place + 1 : place;
}
