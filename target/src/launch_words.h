/* What the loader reads of a launch, kept in images with and without markers alike (proto/device/lane.h). */
#ifndef TD_TARGET_LAUNCH_WORDS_H
#define TD_TARGET_LAUNCH_WORDS_H
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "riscv/fence.h"
#include "riscv/rt_words.h"
#include "target/src/places.h"

#include <stdint.h>

static inline void td_launch_running(void)
{
    const uint32_t *id = (const uint32_t *)(td_build_id_note + 16); /* after the note's head and owner */
    td_rt_words[TD_RT_ARG / 4] = td_lane[TD_LANE_arg / 4];
    td_lane[TD_LANE_proto_version / 4] = TD_DEVICE_PROTO_VERSION;
    td_lane[TD_LANE_build_id0 / 4] = id[0];
    td_lane[TD_LANE_build_id1 / 4] = id[1];
    td_fence();
    td_lane[TD_LANE_state / 4] = TD_CORE_RUNNING;
}

/* `done` is last: the loader waits for it. */
static inline void td_launch_done(int code)
{
    td_lane[TD_LANE_exit_code / 4] = (uint32_t)code;
    td_fence();
    td_lane[TD_LANE_state / 4] = TD_CORE_DONE;
    td_fence();
    td_lane[TD_LANE_done / 4] = td_lane[TD_LANE_launch / 4];
    td_fence();
}

/* Called by crt0. */
void td_launch_begin(void);
void td_launch_end(int code);
#endif
