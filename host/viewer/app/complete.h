/* Completion of a typed path: the folders and traces that begin with it. */
#pragma once
#include <stddef.h>

#define TD_COMPLETE_MAX 200

struct td_completion {            /* all zero: empty */
    char *paths[TD_COMPLETE_MAX]; /* sorted; folders end with a slash */
    int count;
};

/* "~/" is the user's home. */
void td_complete(struct td_completion *completion, const char *typed);
void td_completion_free(struct td_completion *completion);
/* Copies the path with "~/" replaced. */
void td_expand_home(char *to, size_t room, const char *typed);
