#include "host/serve/track.h"
#include "host/wire/items.h"

uint8_t *td_track_put(struct td_viewer *v, uint8_t *p, struct td_track_place *track, uint32_t number,
                      int64_t ns)
{
    if (!track->wire_thread)
        track->wire_thread = td_key_track(v, number);
    p = td_put_thread(v, p, track->wire_thread);
    const struct td_track *known = td_dict_get_track(v->dict, number);
    if (!known->fiber || track->is_fiber_entered)
        return p;
    track->is_fiber_entered = true;
    struct td_wire_FiberEnter item = {.time = td_put_delta(&v->thread_time, ns),
                                      .fiber = td_key(TD_KEY_FIBER, number),
                                      .thread = track->wire_thread,
                                      .groupHint = known->group_hint};
    return td_wire_put_FiberEnter(p, v->release, &item);
}
