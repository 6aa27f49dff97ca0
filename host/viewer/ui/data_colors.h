/* Colours of data that mean something. Those of a group, which are next to each other, can be told apart by people who do
 * not see red, green or blue, too: a test simulates that. */
#pragma once

/* What threads do: the strip above their zones. */
#define TD_DATA_RUNS     0xff4fc3a0u
#define TD_DATA_WAITS    0xffb0413eu
#define TD_DATA_MIGRATES 0xff4f7fe8u
#define TD_DATA_WOKEN    0xfff2d27cu

/* What processors run. */
#define TD_DATA_OWN         0xff4fc3a0u
#define TD_DATA_OWN_UNKNOWN 0xff2f56a8u /* of this program, without a track */
#define TD_DATA_OTHER       0xff6d7686u

/* Locks, with WAIT of the theme. */
#define TD_DATA_HELD      0xff62b09cu
#define TD_DATA_CONTENDED 0xfff0cf6au

/* Frames: at most half of the target, the target, twice as long, longer. */
#define TD_DATA_FRAME_SHORT  0xff3f74c4u
#define TD_DATA_FRAME_MEETS  0xff59c2a2u
#define TD_DATA_FRAME_LONG   0xfff0cf6au
#define TD_DATA_FRAME_LONGER 0xffb83a34u

/* Addresses of memory. */
#define TD_DATA_IN_USE 0xff58c8a0u
#define TD_DATA_FREED  0xffc0443fu
