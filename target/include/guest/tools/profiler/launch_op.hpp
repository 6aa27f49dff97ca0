/* The op id of a guest's launch in tt-metal's firmware: the id that tt-metal's host gives the program, in the launch
 * message that the firmware has read. Releases without such a message, and firmware that is not tt-metal's, have none. */
#ifndef TENDRIL_GUEST_LAUNCH_OP_HPP
#define TENDRIL_GUEST_LAUNCH_OP_HPP
#include <stdint.h>

#if defined(__cplusplus) && defined(__has_include)
#if __has_include("hostdev/dev_msgs.h")
#include "hostdev/dev_msgs.h"
#define TD_HAS_LAUNCH_MESSAGE_
#elif __has_include("dev_msgs.h") /* until 2025 */
#include "dev_msgs.h"
#define TD_HAS_LAUNCH_MESSAGE_
#endif
#endif

#if defined(TD_HAS_LAUNCH_MESSAGE_) && defined(MEM_MAILBOX_BASE)
/* The names are looked up where the type is known, so that another release's struct is no error. */
template <typename T>
static inline auto td_say_launch_op(volatile T *mailboxes, int)
    -> decltype(static_cast<uint32_t>(
                    mailboxes->launch[mailboxes->launch_msg_rd_ptr].kernel_config.host_assigned_id),
                void())
{
    td_op(mailboxes->launch[mailboxes->launch_msg_rd_ptr].kernel_config.host_assigned_id);
}
template <typename T> static inline void td_say_launch_op(volatile T *, long)
{
}
#define TD_LAUNCH_OP() td_say_launch_op(reinterpret_cast<volatile mailboxes_t *>(MEM_MAILBOX_BASE), 0)
#else
#define TD_LAUNCH_OP() ((void)0)
#endif
#endif
