#include "host/agent/journal/journal_files.h"
#include "host/base/err.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

void td_journal_files_free(struct td_journal_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->all[i].name);
        free(files->all[i].text);
    }
    free(files->all);
    *files = (struct td_journal_files){.all = NULL};
}

int td_journal_files_add(struct td_journal_files *files, const uint8_t *bytes, size_t count)
{
    if (!count)
        return 0;
    files->skips = files->room &&
                   (!td_journal_room_begin(files->room) || !td_journal_room_grow(files->room, 0, count - 1));
    if (files->skips)
        return 0;
    if (td_grow(&files->all, &files->capacity, files->count + 1, sizeof *files->all))
        return TD_E_NOMEM;
    struct td_journal_source file = {.found = bytes[0] == 1, .name_bytes = count - 1};
    file.name = malloc(count);
    if (!file.name)
        return TD_E_NOMEM;
    memcpy(file.name, bytes + 1, count - 1);
    files->all[files->count++] = file;
    return 0;
}

int td_journal_files_add_text(struct td_journal_files *files, const uint8_t *bytes, size_t count)
{
    struct td_journal_source *file = files->count ? &files->all[files->count - 1] : NULL;
    if (!file || !file->found || files->skips)
        return 0;
    if (files->room && !td_journal_room_grow(files->room, file->name_bytes + file->bytes, count)) {
        free(file->text);
        *file = (struct td_journal_source){.name = file->name, .name_bytes = file->name_bytes};
        return 0;
    }
    if (td_grow(&file->text, &file->capacity, file->bytes + count, 1))
        return TD_E_NOMEM;
    if (count)
        memcpy(file->text + file->bytes, bytes, count);
    file->bytes += count;
    return 0;
}

void *td_journal_files_read(const struct td_journal_files *files, const char *name, size_t name_bytes,
                            size_t *bytes)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct td_journal_source *file = &files->all[i];
        if (file->name_bytes != name_bytes || memcmp(file->name, name, name_bytes) != 0)
            continue;
        void *copy = file->found ? malloc(file->bytes + 1) : NULL;
        if (copy && file->bytes)
            memcpy(copy, file->text, file->bytes);
        *bytes = copy ? file->bytes : 0;
        return copy;
    }
    return NULL;
}
