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

#define TD_X(name, symbol, most) extern const int td_client_switch_##symbol __attribute__((weak));
TD_SETTINGS(TD_X)
#undef TD_X
extern const char *const td_client_switch_TRACY_CLIENT_ADDRESS __attribute__((weak));

static const struct {
    const char *variable;
    const int *built; /* NULL: the program was built without it */
    int most;
} settings[TD_SETTING_COUNT] = {
#define TD_X(name, symbol, most) {#symbol, &td_client_switch_##symbol, most},
    TD_SETTINGS(TD_X)
#undef TD_X
};
static atomic_int values[TD_SETTING_COUNT]; /* the value + 1; 0: not looked up yet */

const char *td_client_text(const char *name)
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
    const char *text = td_client_text(name);
    int value = text ? number_in(text, most) : TD_E_NOTFOUND;
    return value < 0 ? otherwise : value;
}

int td_client_option(const char *name, int otherwise)
{
    return number_of(name, otherwise, 1000000000);
}

int td_setting_built(enum td_setting which)
{
    return settings[which].built ? *settings[which].built : 0;
}

int td_setting_value(enum td_setting which)
{
    int value = atomic_load_explicit(&values[which], memory_order_relaxed);
    if (!value) {
        value = number_of(settings[which].variable, td_setting_built(which), settings[which].most) + 1;
        atomic_store_explicit(&values[which], value, memory_order_relaxed);
    }
    return value - 1;
}

const char *td_setting_address(void)
{
    const char *text = td_client_text("TRACY_CLIENT_ADDRESS");
    if (text)
        return text;
    return &td_client_switch_TRACY_CLIENT_ADDRESS ? td_client_switch_TRACY_CLIENT_ADDRESS : NULL;
}

/* Does not allocate: the first marker may be in the program's malloc(). */
static void warn_ignored(const char *name, const char *wanted)
{
    char line[200];
    int bytes = snprintf(line, sizeof line, "tendril: %s=%.80s is ignored: it takes %s\n", name,
                         TD_PLAIN(td_client_text(name)), wanted);
    if (write(STDERR_FILENO, line, (size_t)bytes) < 0)
        return; /* no standard error: no warning */
}

static void check_number(const char *name, int most)
{
    char wanted[40];
    const char *text = td_client_text(name);
    if (!text || number_in(text, most) >= 0)
        return;
    snprintf(wanted, sizeof wanted, "a number from 0 to %d", most);
    warn_ignored(name, wanted);
}

void td_settings_check(void)
{
    static const char *const numbers[] = {"TENDRIL_WAIT_CONNECT_MS", "TENDRIL_EXIT_WAIT_MS",
                                          "TENDRIL_MEMORY_MB",       "TENDRIL_ANNOUNCE",
                                          "TENDRIL_MALLOC_DEPTH",    "TENDRIL_NO_CRASH_HANDLER"};
    static const char *const words[][2] = {{"TENDRIL_LISTEN", "any"}, {"TENDRIL_PEER", "tt"}};
    for (size_t i = 0; i < TD_SETTING_COUNT; i++)
        check_number(settings[i].variable, settings[i].most);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_number(numbers[i], 1000000000);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *text = td_client_text(words[i][0]);
        if (text && strcmp(text, words[i][1]) != 0)
            warn_ignored(words[i][0], words[i][1]);
    }
    const char *address = td_client_text("TRACY_CLIENT_ADDRESS");
    struct in_addr four;
    if (address && inet_pton(AF_INET, address, &four) != 1)
        warn_ignored("TRACY_CLIENT_ADDRESS", "an address like 192.168.1.255");
}
