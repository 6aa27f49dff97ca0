#include "host/agent/journal/journal_room.h"

#include <inttypes.h>
#include <stdio.h>

#define PAGE 4096u

struct td_journal_room td_journal_room_within(const char *what, uint64_t memory_bytes)
{
    const uint64_t part = memory_bytes / 8;
    return (struct td_journal_room){.what = what,
                                    .most = part && part < TD_JOURNAL_ALL_MOST ? part : TD_JOURNAL_ALL_MOST};
}

/* What a file of so many bytes takes. */
static uint64_t pages_of(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE + PAGE;
}

bool td_journal_room_begin(struct td_journal_room *room)
{
    if (room->used + pages_of(0) > room->most) {
        room->left_out++;
        return false;
    }
    room->used += pages_of(0);
    return true;
}

bool td_journal_room_grow(struct td_journal_room *room, uint64_t bytes, uint64_t more)
{
    const uint64_t wanted = pages_of(bytes + more) - pages_of(bytes);
    if (bytes + more > TD_JOURNAL_ONE_MOST || room->used + wanted > room->most) {
        td_journal_room_leave_out(room, bytes);
        return false;
    }
    room->used += wanted;
    return true;
}

void td_journal_room_leave_out(struct td_journal_room *room, uint64_t bytes)
{
    room->used -= pages_of(bytes);
    room->left_out++;
}

void td_journal_room_tell(const struct td_journal_room *room, char *line, size_t bytes)
{
    line[0] = 0;
    if (room->left_out)
        snprintf(line, bytes,
                 "%u %s are left out: one has at most %" PRIu64 " MB, and all together %" PRIu64
                 " MB, a part of the memory limit (-m)",
                 room->left_out, room->what, TD_JOURNAL_ONE_MOST >> 20, room->most >> 20);
}
