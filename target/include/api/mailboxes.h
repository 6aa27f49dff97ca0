/* Words from one core of a tile to another, by tt-metal's names. C++. Four wait at most; a core that writes more, and one
 * that reads where none is, waits. BRISC and the cores that compute have them. */
#ifndef TENDRIL_API_MAILBOXES_H
#define TENDRIL_API_MAILBOXES_H
#include "api/dataflow/kernel_args.h"

namespace ckernel
{
enum ThreadId : uint8_t { UnpackThreadId, MathThreadId, PackThreadId, BriscThreadId };
#ifdef COMPILE_FOR_TRISC
constexpr ThreadId td_thread_ = static_cast<ThreadId>(COMPILE_FOR_TRISC);
#else
constexpr ThreadId td_thread_ = BriscThreadId;
#endif

static inline volatile struct td_kernel_mailbox *td_mailbox_(ThreadId from, ThreadId to)
{
    return reinterpret_cast<volatile struct td_kernel_mailbox *>(
               static_cast<uintptr_t>(td_kernel_env_()->mailboxes)) +
           from * TD_KERNEL_MAILBOX_CORES + to;
}
static inline bool mailbox_not_empty(ThreadId from)
{
    td_fence();
    return td_mailbox_(from, td_thread_)->sent != td_mailbox_(from, td_thread_)->received;
}
static inline void mailbox_write(ThreadId to, uint32_t word)
{
    volatile struct td_kernel_mailbox *box = td_mailbox_(td_thread_, to);
    while (box->sent - box->received >= TD_KERNEL_MAILBOX_WORDS)
        td_fence();
    box->words[box->sent % TD_KERNEL_MAILBOX_WORDS] = word;
    td_fence();
    box->sent = box->sent + 1;
}
static inline uint32_t mailbox_read(ThreadId from)
{
    volatile struct td_kernel_mailbox *box = td_mailbox_(from, td_thread_);
    while (!mailbox_not_empty(from))
        ;
    td_fence();
    const uint32_t word = box->words[box->received % TD_KERNEL_MAILBOX_WORDS];
    td_fence();
    box->received = box->received + 1;
    return word;
}
} // namespace ckernel
#endif
