#include "host/client/platform/thread.h"
#include "host/client/platform/client_api.h"

#include <sys/syscall.h>
#include <unistd.h>

static __thread uint32_t thread_id __attribute__((tls_model("initial-exec")));

uint32_t td_client_thread_id(void)
{
    if (!thread_id)
        thread_id = (uint32_t)syscall(SYS_gettid);
    return thread_id;
}

void td_thread_forked(void)
{
    thread_id = 0;
}
