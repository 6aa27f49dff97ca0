/* A base firmware that is not Tendril's. It waits for the host, copies a kernel's image from where the host
 * put it to where it runs, and calls it. It uses gp and, without FREE_TP, tp for itself. */
#include "layout.h"

struct thread {
    uint32_t seen;
};
static struct thread thread = {0};

#define MY_MAILBOX (&((volatile struct mailbox *)MAILBOX)->core[FIRMWARE_CORE])

#ifdef FREE_TP
#define self (&thread)
static int is_mine(void)
{
    return 1;
}
#else
register struct thread *self __asm__("tp");
static int is_mine(void)
{
    return self == &thread;
}
#endif

static uintptr_t global_pointer(void)
{
    uintptr_t gp;
    __asm__ volatile("mv %0,gp" : "=r"(gp));
    return gp;
}

static void copy_image(uint32_t *to, const volatile uint32_t *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes / 4; i++)
        to[i] = from[i];
    __asm__ volatile("fence\n\t.word 0x0000100f" ::: "memory"); /* fence.i: the core fetches the new code */
}

void firmware_main(void);
void firmware_main(void)
{
    volatile struct mailbox_core *mailbox = MY_MAILBOX;
    const uintptr_t gp = global_pointer();
#ifndef FREE_TP
    self = &thread;
#endif
    ((volatile struct mailbox *)MAILBOX)->lanes = LANES;
    for (;;) {
        while (mailbox->go == self->seen)
            __asm__ volatile("fence" ::: "memory");
        self->seen = mailbox->go;
        copy_image((uint32_t *)mailbox->at, (const volatile uint32_t *)mailbox->image, mailbox->bytes);
        mailbox->result = ((uint32_t(*)(void))mailbox->at)();
        if (!is_mine() || global_pointer() != gp)
            mailbox->wrong++;
        mailbox->done = thread.seen;
    }
}
