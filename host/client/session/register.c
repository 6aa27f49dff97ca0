#include "host/client/session/register.h"
#include "host/client/platform/settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

bool td_register_is_possible(void)
{
    return td_setting_text(TD_SETTING_RUN_DIR) != NULL;
}

void td_register_port(int port)
{
    const char *folder = td_setting_text(TD_SETTING_RUN_DIR);
    char path[4096], temporary[4096], text[16];
    if (!folder)
        return;
    const int bytes = snprintf(text, sizeof text, "%d\n", port);
    const int used = snprintf(path, sizeof path, "%s/client.%ld", folder, (long)getpid());
    snprintf(temporary, sizeof temporary, "%s/.client.%ld", folder, (long)getpid());
    if (used < 0 || used >= (int)sizeof path - 1)
        return;
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    /* The recorder sees the file when it is complete. */
    const bool is_whole = write(fd, text, (size_t)bytes) == bytes;
    close(fd);
    if (!is_whole || rename(temporary, path) != 0)
        unlink(temporary);
}
