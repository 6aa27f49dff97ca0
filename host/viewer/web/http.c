/* HTTP: the page's files, the token, and files that are offered. */
#include "host/viewer/web/server.h"

#ifdef TD_HAVE_WEB
#include "host/viewer/web/access.h"
#include "host/viewer/web/page_files.h"
#include "host/viewer/web/server_internal.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 2048
#define HEADER_ROOM  (LWS_PRE + HEADER_BYTES)

void td_web_http_forget(struct td_web_server *server, const struct lws *wsi)
{
    for (size_t i = 0; i < server->http_count; i++)
        if (server->http[i] == wsi) {
            server->http_count--;
            memmove(server->http + i, server->http + i + 1, (server->http_count - i) * sizeof *server->http);
            return;
        }
}

/* Connections that never ask for anything must not keep others out until they time out. */
void td_web_http_note(struct td_web_server *server, struct lws *wsi)
{
    td_web_http_forget(server, wsi);
    if (server->http_count == MOST_HTTP) {
        struct lws *oldest = server->http[0];
        td_web_http_forget(server, oldest);
        lws_set_timeout(oldest, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
    server->http[server->http_count++] = wsi;
}

/* The file of an offer, which free() frees; NULL: there is none. */
static char *take_offer(struct td_web_server *server, const char *id)
{
    char *path = NULL;
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < MOST_OFFERS && !path; i++)
        if (server->offers[i].path && td_web_token_is(server->offers[i].id, id)) {
            path = server->offers[i].path;
            server->offers[i].path = NULL;
        }
    pthread_mutex_unlock(&server->lock);
    return path;
}

static bool add_header(struct lws *wsi, const char *name, const char *value, uint8_t **at, uint8_t *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

static const struct {
    const char *name, *value;
} headers[] = {
    {"content-security-policy:",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
    {"cache-control:", "no-store"},
};

static int begin_file(struct lws *wsi, struct td_web_link *connection, const struct td_web_file *file)
{
    uint8_t room[HEADER_ROOM], *start = room + LWS_PRE, *at = start, *end = room + sizeof room - 1;
    bool good =
        lws_add_http_common_headers(wsi, HTTP_STATUS_OK, file->type, strlen(file->text), &at, end) == 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        good = good && add_header(wsi, headers[i].name, headers[i].value, &at, end);
    if (!good || lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return 1;
    connection->file = file;
    lws_callback_on_writable(wsi);
    return 0;
}

int td_web_http_send(struct lws *wsi, struct td_web_link *connection)
{
    const struct td_web_file *file = connection->file;
    if (!file)
        return 0;
    connection->file = NULL;
    const size_t count = strlen(file->text);
    uint8_t *copy = malloc(LWS_PRE + count);
    if (!copy)
        return 1;
    memcpy(copy + LWS_PRE, file->text, count);
    const int sent = lws_write(wsi, copy + LWS_PRE, count, LWS_WRITE_HTTP_FINAL);
    free(copy);
    return sent < (int)count || lws_http_transaction_completed(wsi) != 0;
}

/* Answers without a body end the connection. */
int td_web_http_status(struct lws *wsi, unsigned status)
{
    lws_return_http_status(wsi, status, NULL);
    return 1;
}

bool td_web_http_knows_token(struct lws *wsi)
{
    char room[TD_WEB_TOKEN_BYTES + 16];
    const char *given = lws_get_urlarg_by_name(wsi, "token=", room, sizeof room);
    return given && td_web_token_is(td_web_server_of(wsi)->token, given);
}

int td_web_http_answer(struct lws *wsi, struct td_web_link *connection, const char *path)
{
    static const char offers[] = "/file/";
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI))
        return td_web_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    const struct td_web_file *file = td_web_file_find(path);
    if (file)
        return begin_file(wsi, connection, file);
    if (!strcmp(path, "/check"))
        return td_web_http_status(wsi, td_web_http_knows_token(wsi) ? HTTP_STATUS_NO_CONTENT
                                                                    : HTTP_STATUS_FORBIDDEN);
    char *offered = strncmp(path, offers, strlen(offers)) == 0
                        ? take_offer(td_web_server_of(wsi), path + strlen(offers))
                        : NULL;
    if (!offered)
        return td_web_http_status(wsi, HTTP_STATUS_NOT_FOUND);
    td_web_http_forget(td_web_server_of(wsi), wsi); /* a long download is not in the way */
    static const char attached[] = "content-disposition: attachment\r\nx-content-type-options: nosniff\r\n";
    const int rc =
        lws_serve_http_file(wsi, offered, "application/octet-stream", attached, (int)strlen(attached));
    free(offered);
    return rc < 0 || (rc > 0 && lws_http_transaction_completed(wsi));
}
#endif
