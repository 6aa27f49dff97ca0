#include "host/agent/journal/journal_replay.h"
#include "host/base/grow.h"

#include <stdio.h>

#define SETTINGS_MAX 64

struct setting {
    char *name; /* name, 0, value, 0 */
    const char *value;
};

struct td_journal_replay {
    struct td_hub *hub;
    struct setting settings[SETTINGS_MAX];
    size_t setting_count;
    struct td_client_replay **clients; /* by source; NULL: the source is no client */
    size_t client_count, client_capacity;
    bool collected;
    char trouble[400];
};

struct td_journal_replay *td_journal_replay_create(struct td_hub *hub)
{
    struct td_journal_replay *replay = calloc(1, sizeof *replay);
    if (replay)
        replay->hub = hub;
    return replay;
}

void td_journal_replay_destroy(struct td_journal_replay *replay)
{
    if (!replay)
        return;
    for (size_t i = 0; i < replay->client_count; i++)
        td_client_replay_destroy(replay->clients[i]);
    for (size_t i = 0; i < replay->setting_count; i++)
        free(replay->settings[i].name);
    free(replay->clients);
    free(replay);
}

/* A later setting replaces an earlier one of its name. */
static int add_setting(struct td_journal_replay *replay, const uint8_t *bytes, size_t count)
{
    const size_t name_bytes = strnlen((const char *)bytes, count);
    if (name_bytes == count || replay->setting_count == SETTINGS_MAX)
        return 0;
    char *copy = malloc(count + 1);
    if (!copy)
        return TD_E_NOMEM;
    memcpy(copy, bytes, count);
    copy[count] = 0;
    replay->settings[replay->setting_count++] = (struct setting){copy, copy + name_bytes + 1};
    return 0;
}

/* The client of a source, added if it is new. NULL: no memory. */
static struct td_client_replay *client_of(struct td_journal_replay *replay, uint16_t source)
{
    if (td_grow(&replay->clients, &replay->client_capacity, (size_t)source + 1, sizeof(void *)))
        return NULL;
    while (replay->client_count <= source)
        replay->clients[replay->client_count++] = NULL;
    if (!replay->clients[source])
        replay->clients[source] = td_client_replay_create();
    return replay->clients[source];
}

static bool is_of_client(enum td_journal_kind kind)
{
    return kind >= TD_JOURNAL_CLIENT && kind <= TD_JOURNAL_CLIENT_END;
}

int td_journal_replay_prepare(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                              size_t count, struct td_err *err)
{
    struct td_journal_replay *replay = self;
    if (kind == TD_JOURNAL_SETTING && add_setting(replay, bytes, count))
        return td_fail_no_memory(err, "for the journal's settings");
    if (kind == TD_JOURNAL_COLLECTED)
        replay->collected = true;
    if (!is_of_client(kind))
        return 0;
    struct td_client_replay *client = client_of(replay, source);
    return client ? td_client_replay_prepare(client, kind, bytes, count, err)
                  : td_fail_no_memory(err, "for the journal's clients");
}

static void note_trouble(struct td_journal_replay *replay, const struct td_err *why)
{
    if (!replay->trouble[0])
        snprintf(replay->trouble, sizeof replay->trouble, "%s", why->text);
}

int td_journal_replay_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                             size_t count, struct td_err *err)
{
    struct td_journal_replay *replay = self;
    struct td_err why = {0};
    if (!is_of_client(kind) || source >= replay->client_count || !replay->clients[source])
        return 0;
    int bad = td_client_replay_record(replay->clients[source], replay->hub, kind, bytes, count, &why);
    if (bad != TD_E_FORMAT && bad != TD_E_VERSION)
        return bad ? td_fail(err, bad, "%s", why.text) : 0;
    note_trouble(replay, &why);
    return 0;
}

int td_journal_replay_close(struct td_journal_replay *replay, struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; !bad && i < replay->client_count; i++)
        bad = replay->clients[i] ? td_client_replay_close(replay->clients[i], err) : 0;
    return bad;
}

const char *td_journal_replay_setting(const struct td_journal_replay *replay, const char *name)
{
    for (size_t i = replay->setting_count; i--;)
        if (!strcmp(replay->settings[i].name, name))
            return replay->settings[i].value;
    return NULL;
}

bool td_journal_replay_is_collected(const struct td_journal_replay *replay)
{
    return replay->collected;
}

const struct td_client_replay *td_journal_replay_client(const struct td_journal_replay *replay, size_t index)
{
    for (size_t i = 0; i < replay->client_count; i++)
        if (replay->clients[i] && td_client_replay_began(replay->clients[i]) && !index--)
            return replay->clients[i];
    return NULL;
}

const char *td_journal_replay_trouble(const struct td_journal_replay *replay)
{
    return replay->trouble;
}
