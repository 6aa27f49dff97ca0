#include "host/viewer/app/recent.h"
#include "host/base/plain_text.h"
#include "host/viewer/model/store.h"

#include <stdlib.h>
#include <string.h>

#define FILE_NAME "recent.json"

static const char *const names[] = {"files", "addresses"};

static void drop_text(struct td_recent_list *list, int index)
{
    free(list->texts[index]);
    list->count--;
    memmove(&list->texts[index], &list->texts[index + 1],
            (size_t)(list->count - index) * sizeof *list->texts);
}

/* At the begin of the list or at its end. */
static void put_text(struct td_recent_list *list, const char *text, int first)
{
    for (int i = list->count - 1; i >= 0; i--)
        if (!strcmp(list->texts[i], text)) {
            if (!first)
                return;
            drop_text(list, i);
        }
    if (list->count == TD_RECENT_MAX && !first)
        return;
    if (list->count == TD_RECENT_MAX)
        drop_text(list, TD_RECENT_MAX - 1);
    char *copy = *text && strlen(text) < TD_RECENT_BYTES ? strdup(text) : NULL;
    if (!copy)
        return;
    const int at = first ? 0 : list->count;
    memmove(&list->texts[at + 1], &list->texts[at], (size_t)(list->count - at) * sizeof *list->texts);
    list->texts[at] = copy;
    list->count++;
}

void td_recent_read(struct td_recent *recent)
{
    td_recent_free(recent);
    cJSON *object = td_store_read(TD_STORE_STATE, FILE_NAME);
    for (int kind = 0; kind < TD_RECENT_KINDS; kind++) {
        const cJSON *entry;
        cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(object, names[kind]))
        {
            if (cJSON_IsString(entry))
                put_text(&recent->lists[kind], entry->valuestring, 0);
        }
    }
    cJSON_Delete(object);
}

static void write_recent(const struct td_recent *recent)
{
    cJSON *object = cJSON_CreateObject();
    for (int kind = 0; kind < TD_RECENT_KINDS; kind++) {
        const struct td_recent_list *list = &recent->lists[kind];
        cJSON_AddItemToObject(object, names[kind],
                              cJSON_CreateStringArray((const char *const *)list->texts, list->count));
    }
    td_store_write(TD_STORE_STATE, FILE_NAME, object, NULL);
    cJSON_Delete(object);
}

/* JSON has no other texts: as U+FFFD, the name of a file would be that of another one. */
static bool is_utf8(const char *text)
{
    size_t left = strlen(text), n = 1;
    for (; left && n; text += n, left -= n)
        n = td_utf8_bytes(text, left);
    return left == 0;
}

void td_recent_add(struct td_recent *recent, enum td_recent_kind kind, const char *text)
{
    if (!is_utf8(text))
        return;
    td_recent_read(recent);
    put_text(&recent->lists[kind], text, 1);
    write_recent(recent);
}

void td_recent_remove(struct td_recent *recent, enum td_recent_kind kind, int index)
{
    if (index < 0 || index >= recent->lists[kind].count)
        return;
    drop_text(&recent->lists[kind], index);
    write_recent(recent);
}

void td_recent_free(struct td_recent *recent)
{
    for (int kind = 0; kind < TD_RECENT_KINDS; kind++)
        while (recent->lists[kind].count)
            drop_text(&recent->lists[kind], recent->lists[kind].count - 1);
}
