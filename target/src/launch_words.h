/* What the loader reads of a launch, kept in images with and without markers alike (proto/device/lane.h). */
#pragma once
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "riscv/clock.h"
#include "riscv/fence.h"
#include "riscv/rt_words.h"
#include "target/src/places.h"

#include <stdbool.h>
#include <stdint.h>

static inline void td_launch_image(void)
{
    const uint32_t *id = td_image_id();
    td_lane[TD_LANE_proto_version / 4] = TD_DEVICE_PROTO_VERSION;
    td_lane[TD_LANE_build_id0 / 4] = id[0];
    td_lane[TD_LANE_build_id1 / 4] = id[1];
}

static inline void td_launch_running(void)
{
    td_rt_words[TD_RT_ARG / 4] = td_lane[TD_LANE_arg / 4];
    td_launch_image();
    td_fence();
    td_lane[TD_LANE_state / 4] = TD_CORE_RUNNING;
}

#ifdef TD_NATIVE
static inline void td_check_stack(int code)
{
}
#else
int main(void);

/* If the stack has grown over the words at its end, the launch ends as by a fault, and not here. */
static inline void td_check_stack(int code)
{
    bool whole = true;
    for (uint32_t i = 0; i < TD_GUARD_WORDS; i++)
        whole &= td_stack_guard[i] == TD_STACK_GUARD;
    if (whole)
        return;
    const uint64_t now = td_clock64();
    td_lane[TD_LANE_exit_code / 4] = (uint32_t)code;
    td_lane[TD_LANE_fault_time / 4] = (uint32_t)now;
    td_lane[TD_LANE_fault_time_high / 4] = (uint32_t)(now >> 32);
    td_lane[TD_LANE_fault_cause / 4] = TD_FAULT_STACK;
    td_lane[TD_LANE_fault_pc / 4] = (uint32_t)(uintptr_t)main;
    td_lane[TD_LANE_fault_address / 4] = (uint32_t)(uintptr_t)td_stack_guard;
    td_fence();
    td_lane[TD_LANE_state / 4] = TD_CORE_FAULT;
    td_fence();
    for (;;)
        ;
}
#endif

/* `done` is last: the loader waits for it. */
static inline void td_launch_done(int code)
{
    td_check_stack(code);
    td_launch_image();
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
