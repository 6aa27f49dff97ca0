/* What a host of tt-metal's firmware has to know, as words in the order of FACTS in chip.py. */
#include <cstddef>
#include <cstdint>

#include "hostdev/dev_msgs.h"

#define FIELD(name)  MEM_MAILBOX_BASE + offsetof(mailboxes_t, name)
#define CONFIG(name) offsetof(kernel_config_msg_t, name)
extern const uint32_t facts[] = {
    FIELD(go_messages[0].signal),
    FIELD(go_message_index),
    FIELD(launch_msg_rd_ptr),
    FIELD(launch),
    sizeof(launch_msg_t),
    FIELD(core_info),
    offsetof(core_info_msg_t, absolute_logical_x),
    CONFIG(kernel_config_base),
    CONFIG(sem_offset),
    CONFIG(local_cb_offset),
    CONFIG(remote_cb_offset),
    CONFIG(rta_offset),
    CONFIG(mode),
    CONFIG(kernel_text_offset),
    CONFIG(local_cb_mask),
    CONFIG(brisc_noc_id),
    CONFIG(min_remote_cb_start_index),
    CONFIG(host_assigned_id),
    CONFIG(enables),
    CONFIG(ncrisc_kernel_size16),
    RUN_MSG_INIT,
    RUN_MSG_GO,
    RUN_MSG_DONE,
    DISPATCH_MODE_HOST,
    MEM_BRISC_FIRMWARE_BASE,
    MEM_BRISC_INIT_LOCAL_L1_BASE_SCRATCH,
    MEM_NCRISC_INIT_LOCAL_L1_BASE_SCRATCH,
    MEM_TRISC0_INIT_LOCAL_L1_BASE_SCRATCH,
    MEM_TRISC1_INIT_LOCAL_L1_BASE_SCRATCH,
    MEM_TRISC2_INIT_LOCAL_L1_BASE_SCRATCH,
    MEM_BANK_TO_NOC_SCRATCH,
    MEM_LOGICAL_TO_VIRTUAL_SCRATCH,
    MEM_MAP_END,
    NOC_COORD_REG_OFFSET,
    NOC_ADDR_NODE_ID_BITS,
    FIELD(profiler),
    sizeof(profiler_msg_t),
};
