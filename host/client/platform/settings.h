/* The client's settings. Most are a build setting of the program and an environment variable of the same name,
 * which wins. tendril/settings_list.h is the list, docs/client.md says what each does. Thread-safe. */
#pragma once
#include "host/base/export.h"

enum td_setting {
#define TD_CLIENT_LIST_
#define TD_CLIENT_SETTING_(id, name, value, most)      TD_SETTING_##id,
#define TD_CLIENT_SETTING_TEXT_(id, name, value)       TD_SETTING_##id,
#define TD_CLIENT_VARIABLE_(id, name, otherwise, most) TD_SETTING_##id,
#define TD_CLIENT_VARIABLE_WORD_(id, name, word)       TD_SETTING_##id,
#define TD_CLIENT_VARIABLE_TEXT_(id, name)             TD_SETTING_##id,
#include "host/client/include/tendril/settings_list.h"
    TD_SETTING_COUNT
};

/* The number of a setting that is no text; when it is not set, its default or 0. The environment variable is
 * read once, at the first call. */
int td_setting_value(enum td_setting which);
int td_setting_built(enum td_setting which);    /* the build setting alone */
int td_setting_variable(enum td_setting which); /* the environment variable alone */
/* The text of a setting; NULL when it is empty or not set. No variable is read in set-user-ID programs: the
 * caller must not choose where they write or listen. */
const char *td_setting_text(enum td_setting which);
/* The number in an environment variable, `otherwise` when it is not set or not a number. For variables that
 * are not settings of the client, and for libtendril-malloc, which may use a client of another release. */
TD_CLIENT_API int td_client_option(const char *name, int otherwise);
/* Prints a line to standard error for each variable whose value is ignored. */
void td_settings_check(void);
