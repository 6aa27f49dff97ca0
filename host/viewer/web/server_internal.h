/* The parts of the server: server.c has the WebSockets and the thread, http.c the rest. All but what the lock protects is of
 * the thread. */
#pragma once
#include "host/base/thread.h"
#include "host/viewer/web/server.h"

#include <libwebsockets.h>

#define MOST_OFFERS 8
#define MOST_HTTP   32 /* connections that are no WebSocket; another one takes the place of the oldest */

struct client;
struct queued;

struct offer {
    char id[TD_WEB_TOKEN_BYTES + 1];
    char *path;
};

struct td_web_server {
    struct td_web_server_options options;
    struct lws_context *context;
    char address[256], token[TD_WEB_TOKEN_BYTES + 1], url[400];
    int port;
    pthread_t thread;
    bool started;
    struct lws *http[MOST_HTTP]; /* the oldest first; of the thread */
    size_t http_count;
    pthread_mutex_t lock; /* protects what follows */
    bool ends;
    uint32_t clients_made;
    struct client *clients;
    size_t client_count;
    struct queued *first, **last;
    struct offer offers[MOST_OFFERS];
    size_t offered;
};

/* What libwebsockets keeps for a connection. */
struct td_web_link {
    struct client *client;          /* of a WebSocket */
    const struct td_web_file *file; /* of HTTP: to be sent */
};

static inline struct td_web_server *td_web_server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* A connection has come; it is a WebSocket now, or is gone. */
void td_web_http_note(struct td_web_server *server, struct lws *wsi);
void td_web_http_forget(struct td_web_server *server, const struct lws *wsi);
/* Whether a request has the token. */
bool td_web_http_knows_token(struct lws *wsi);
/* What a callback of libwebsockets returns: not 0 ends the connection. */
int td_web_http_answer(struct lws *wsi, struct td_web_link *connection, const char *path);
int td_web_http_send(struct lws *wsi, struct td_web_link *connection);
int td_web_http_status(struct lws *wsi, unsigned status);
