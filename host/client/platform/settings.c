#include "host/client/platform/settings.h"
#include "host/base/err.h"
#include "host/base/plain_text.h"
#include "host/client/include/tendril/settings.h" /* settings of the library's own build, if it has any */

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TD_CLIENT_LIST_
#define TD_CLIENT_SETTING_(id, name, value, most)                                                            \
    extern const int td_client_switch_##name __attribute__((weak));
#define TD_CLIENT_SETTING_TEXT_(id, name, value)                                                             \
    extern const char *const td_client_switch_##name __attribute__((weak));
#define TD_CLIENT_VARIABLE_(id, name, otherwise, most)
#define TD_CLIENT_VARIABLE_WORD_(id, name, word)
#define TD_CLIENT_VARIABLE_TEXT_(id, name)
#include "host/client/include/tendril/settings_list.h"

enum { IS_TEXT = -1 };

static const struct {
    const char *variable;
    const int *built; /* NULL: the program was built without it */
    const char *const *built_text;
    const char *word; /* the only value that is not ignored; NULL: a number or a text */
    int otherwise, most;
} settings[TD_SETTING_COUNT] = {
#define TD_CLIENT_LIST_
#define TD_CLIENT_SETTING_(id, name, value, highest)                                                         \
    {.variable = #name, .built = &td_client_switch_##name, .most = highest},
#define TD_CLIENT_SETTING_TEXT_(id, name, value)                                                             \
    {.variable = #name, .built_text = &td_client_switch_##name, .most = IS_TEXT},
#define TD_CLIENT_VARIABLE_(id, name, default_value, highest)                                                \
    {.variable = #name, .otherwise = default_value, .most = highest},
#define TD_CLIENT_VARIABLE_WORD_(id, name, the_word) {.variable = #name, .word = the_word},
#define TD_CLIENT_VARIABLE_TEXT_(id, name)           {.variable = #name, .most = IS_TEXT},
#include "host/client/include/tendril/settings_list.h"
};
static atomic_int values[TD_SETTING_COUNT]; /* the value + 1; 0: not looked up yet */

static const char *text_of(const char *name)
{
    const char *text = secure_getenv(name);
    return text && *text ? text : NULL;
}

/* Negative: not a number from 0 to `most`. */
static int number_in(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > most ? TD_E_FORMAT : (int)value;
}

static int number_of(const char *name, int otherwise, int most)
{
    const char *text = text_of(name);
    int value = text ? number_in(text, most) : TD_E_NOTFOUND;
    return value < 0 ? otherwise : value;
}

int td_client_option(const char *name, int otherwise)
{
    return number_of(name, otherwise, 1000000000);
}

int td_setting_built(enum td_setting which)
{
    return settings[which].built ? *settings[which].built : settings[which].otherwise;
}

static int variable_or(enum td_setting which, int otherwise)
{
    const char *word = settings[which].word, *text = word ? text_of(settings[which].variable) : NULL;
    if (word)
        return text && !strcmp(text, word);
    return number_of(settings[which].variable, otherwise, settings[which].most);
}

int td_setting_variable(enum td_setting which)
{
    return variable_or(which, 0);
}

int td_setting_value(enum td_setting which)
{
    int value = atomic_load_explicit(&values[which], memory_order_relaxed);
    if (!value) {
        value = variable_or(which, td_setting_built(which)) + 1;
        atomic_store_explicit(&values[which], value, memory_order_relaxed);
    }
    return value - 1;
}

const char *td_setting_text(enum td_setting which)
{
    const char *text = text_of(settings[which].variable);
    if (text)
        return text;
    return settings[which].built_text ? *settings[which].built_text : NULL;
}

/* Does not allocate: the first marker may be in the program's malloc(). */
static void warn_ignored(const char *name, const char *wanted)
{
    char line[200];
    int bytes = snprintf(line, sizeof line, "tendril: %s=%.80s is ignored: it takes %s\n", name,
                         TD_PLAIN(text_of(name)), wanted);
    if (write(STDERR_FILENO, line, (size_t)bytes) < 0)
        return; /* no standard error: no warning */
}

static void check_setting(enum td_setting which)
{
    const char *name = settings[which].variable, *word = settings[which].word, *text = text_of(name);
    char wanted[40];
    struct in_addr four;
    if (!text)
        return;
    if (word) {
        if (strcmp(text, word) != 0)
            warn_ignored(name, word);
    } else if (settings[which].most != IS_TEXT) {
        snprintf(wanted, sizeof wanted, "a number from 0 to %d", settings[which].most);
        if (number_in(text, settings[which].most) < 0)
            warn_ignored(name, wanted);
    } else if (which == TD_SETTING_CLIENT_ADDRESS && inet_pton(AF_INET, text, &four) != 1) {
        warn_ignored(name, "an address like 192.168.1.255");
    }
}

void td_settings_check(void)
{
    for (size_t i = 0; i < TD_SETTING_COUNT; i++)
        check_setting((enum td_setting)i);
}
