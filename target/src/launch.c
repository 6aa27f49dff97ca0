/* A launch with markers: the lane opens, the kernel's own zone begins; at the end all of it is in the lane.
 */
#include "target/src/launch_words.h"
#include "target/src/lane.h"
#include "target/src/open.h"

/* The host sees in .td_image that this image has markers. */
__asm__(".globl td_rt_profile\n\t.set td_rt_profile,1");

/* Kept only where something else brings them into the image. */
void td_sum_flush(void) __attribute__((weak));
void td_text_flush(void) __attribute__((weak));

#ifdef TD_NATIVE
#define kernel_zone (td_native_current_core()->kernel_zone)
#else
static struct td_main_zone kernel_zone;
#endif

void td_launch_begin(void)
{
    const enum td_core_state left = (enum td_core_state)TD_LANE(left);
    td_launch_running();
    td_lane_begin_launch();
    td_open_begin_launch(left);
    TD_SITE_AT_SYMBOL(0, TD_KIND_MAIN, "td_kernel_zone_name");
    TD_SWITCHED(td_unit, 0, td_main_begin(&kernel_zone, TD_SITE_ID(0)));
}

static void write_exit(int code)
{
    uint32_t room[TD_PACKET_WORDS_EXIT];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_EXIT, 0, td_clock64());
    td_packet_add(&p, (uint32_t)code);
    td_packet_write(&p, 0);
}

void td_launch_end(int code)
{
    if (td_text_flush)
        td_text_flush();
    if (td_sum_flush)
        td_sum_flush();
    td_open_end_launch();
    /* Kernel zones that _exit left open end here, inner ones first; the last one is the launch's own. */
    while (td_state.open)
        td_main_end(td_state.open);
    td_state.mute = false;
    write_exit(code);
    td_lane_rewrite();
    td_lane_settle();
    td_launch_done(code);
}
