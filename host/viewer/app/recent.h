/* What was opened before: files, and addresses of programs; newest first, each once. */
#pragma once
#include <stddef.h>

#define TD_RECENT_MAX   20
#define TD_RECENT_BYTES 4096

enum td_recent_kind { TD_RECENT_FILES, TD_RECENT_ADDRESSES, TD_RECENT_KINDS };

struct td_recent { /* all zero: empty */
    struct td_recent_list {
        char *texts[TD_RECENT_MAX];
        int count;
    } lists[TD_RECENT_KINDS];
};

void td_recent_read(struct td_recent *recent);
/* Writes it, after what another viewer has written meanwhile was read. Failing does no harm. */
void td_recent_add(struct td_recent *recent, enum td_recent_kind kind, const char *text);
void td_recent_remove(struct td_recent *recent, enum td_recent_kind kind, int index);
void td_recent_free(struct td_recent *recent);
