#include "host/viewer/model/store.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/file/out_file.h"
#include "host/viewer/model/json_print.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool td_store_path(enum td_store_folder folder, const char *name, char *path, size_t room)
{
    static const struct {
        const char *variable, *at_home;
    } places[] = {{"XDG_CONFIG_HOME", ".config"}, {"XDG_STATE_HOME", ".local/state"}};
    const char *xdg = getenv(places[folder].variable), *home = getenv("HOME");
    int n = -1;
    if (xdg && xdg[0] == '/')
        n = snprintf(path, room, "%s/tendril/viewer/%s", xdg, name);
    else if (home && home[0] == '/')
        n = snprintf(path, room, "%s/%s/tendril/viewer/%s", home, places[folder].at_home, name);
    return n > 0 && (size_t)n < room;
}

/* ---- reading ---- */

cJSON *td_store_parse(const char *text, size_t bytes)
{
    cJSON *object = bytes <= TD_STORE_MAX ? cJSON_ParseWithLength(text, bytes) : NULL;
    if (cJSON_IsObject(object))
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* The bytes of a file; NULL: it cannot be read. */
static char *read_bytes(int fd, size_t *bytes)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > TD_STORE_MAX)
        return NULL;
    char *text = malloc((size_t)st.st_size + 1);
    ssize_t n = text ? read(fd, text, (size_t)st.st_size) : -1;
    *bytes = n < 0 ? 0 : (size_t)n;
    if (n >= 0)
        return text;
    free(text);
    return NULL;
}

cJSON *td_store_read(enum td_store_folder folder, const char *name)
{
    char path[PATH_MAX];
    size_t bytes = 0;
    if (!td_store_path(folder, name, path, sizeof path))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    char *text = read_bytes(fd, &bytes);
    close(fd);
    cJSON *object = text ? td_store_parse(text, bytes) : NULL;
    if (!object)
        fprintf(stderr, "tendril view: %s is damaged and not used\n", TD_PLAIN(path));
    free(text);
    return object;
}

double td_store_number(const cJSON *object, const char *name, double otherwise, double least, double most)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(field) || !(field->valuedouble >= least && field->valuedouble <= most))
        return otherwise;
    return field->valuedouble;
}

const char *td_store_text(const cJSON *object, const char *name)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(field) ? field->valuestring : "";
}

/* ---- writing ---- */

int td_store_write(enum td_store_folder folder, const char *name, const cJSON *object, struct td_err *err)
{
    char path[PATH_MAX];
    if (!td_store_path(folder, name, path, sizeof path))
        return td_fail(err, TD_E_NOTFOUND, "there is no folder for the viewer's settings: set HOME");
    int rc = td_folders_make(path, 0700, err); /* the user's own */
    char *text = rc == 0 ? td_json_print(object, false) : NULL;
    if (rc == 0 && !text)
        rc = td_fail_no_memory(err, NULL);
    if (rc == 0 && strlen(text) > TD_STORE_MAX)
        rc = td_fail(err, TD_E_LIMIT, "%s would be larger than the viewer reads again", TD_PLAIN(path));
    struct td_out_file *file = rc == 0 ? td_out_file_open(path, TD_OUT_PRIVATE, err) : NULL;
    if (rc == 0 && !file)
        rc = TD_E_IO;
    if (rc == 0)
        rc = td_out_file_write(file, text, strlen(text), NULL, NULL, err);
    if (rc == 0)
        rc = td_out_file_commit(file, err);
    td_out_file_close(file);
    free(text);
    return rc;
}
