#include "host/viewer/web/server.h"
#include "host/viewer/web/access.h"

#ifdef TD_HAVE_WEB
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/viewer/web/message.h"
#include "host/viewer/web/server_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_QUEUED  256 /* inputs of a client; then it is not read from */
#define MOST_SENDING 512 /* messages to a client; one that does not take them is dropped */
#define MOST_FDS     64
#define TIMEOUT_S    20
#define PING_S       20
#define HANGUP_S     45

struct queued {
    struct queued *next;
    struct td_web_input input;
};

struct web_sending {
    struct web_sending *next;
    bool is_text;
    size_t count;
    uint8_t bytes[]; /* LWS_PRE of room, then the message */
};

struct client {
    struct client *next;
    struct lws *wsi;
    uint32_t id;
    uint8_t *in; /* the message that comes; of the thread */
    size_t in_count, in_room;
    unsigned queued, sending_count;
    bool stopped, dropped; /* stopped: it is not read from */
    struct web_sending *first, **last;
};

/* ---- the queue ---- */

static void push_input(struct td_web_server *server, struct client *client, const struct td_web_input *input)
{
    struct queued *q = malloc(sizeof *q);
    if (!q) {
        free(input->bytes);
        return;
    }
    *q = (struct queued){.input = *input};
    q->input.client = client->id;
    pthread_mutex_lock(&server->lock);
    *server->last = q;
    server->last = &q->next;
    client->queued++;
    if (client->queued >= MOST_QUEUED && !client->stopped) {
        client->stopped = true;
        lws_rx_flow_control(client->wsi, 0);
    }
    pthread_mutex_unlock(&server->lock);
    server->options.wake(server->options.self);
}

static struct client *find_client(const struct td_web_server *server, uint32_t id)
{
    struct client *client = server->clients;
    while (client && client->id != id)
        client = client->next;
    return client;
}

bool td_web_server_take(struct td_web_server *server, struct td_web_input *input)
{
    pthread_mutex_lock(&server->lock);
    struct queued *q = server->first;
    bool resumes = false;
    if (q) {
        server->first = q->next;
        if (!server->first)
            server->last = &server->first;
        struct client *client = find_client(server, q->input.client);
        if (client) {
            client->queued--;
            resumes = client->stopped && client->queued < MOST_QUEUED / 2;
        }
    }
    pthread_mutex_unlock(&server->lock);
    if (resumes)
        lws_cancel_service(server->context);
    if (q)
        *input = q->input;
    free(q);
    return q != NULL;
}

void td_web_input_free(struct td_web_input *input)
{
    free(input->bytes);
    input->bytes = NULL;
}

int td_web_server_send(struct td_web_server *server, uint32_t id, bool is_text, const void *bytes,
                       size_t count)
{
    struct web_sending *s = malloc(sizeof *s + LWS_PRE + count);
    if (!s)
        return TD_E_NOMEM;
    s->next = NULL;
    s->is_text = is_text;
    s->count = count;
    memcpy(s->bytes + LWS_PRE, bytes, count);
    pthread_mutex_lock(&server->lock);
    struct client *client = find_client(server, id);
    if (client && client->sending_count < MOST_SENDING) {
        *client->last = s;
        client->last = &s->next;
        client->sending_count++;
        s = NULL;
    } else if (client) {
        client->dropped = true;
    }
    pthread_mutex_unlock(&server->lock);
    free(s);
    lws_cancel_service(server->context);
    return 0;
}

void td_web_server_drop(struct td_web_server *server, uint32_t id)
{
    pthread_mutex_lock(&server->lock);
    struct client *client = find_client(server, id);
    if (client)
        client->dropped = true;
    pthread_mutex_unlock(&server->lock);
    lws_cancel_service(server->context);
}

int td_web_server_offer(struct td_web_server *server, const char *path, char *to, size_t room)
{
    char id[TD_WEB_TOKEN_BYTES + 1];
    char *copy = strdup(path);
    if (!copy || td_web_token_make(id, NULL) < 0) {
        free(copy);
        return TD_E_NOMEM;
    }
    pthread_mutex_lock(&server->lock);
    struct offer *offer = &server->offers[server->offered++ % MOST_OFFERS];
    free(offer->path);
    offer->path = copy;
    memcpy(offer->id, id, sizeof id);
    pthread_mutex_unlock(&server->lock);
    snprintf(to, room, "/file/%s", id);
    return 0;
}

/* ---- WebSocket ---- */

/* Whether the request for a WebSocket comes from the server's own page, and has the token. */
static bool may_connect(struct lws *wsi)
{
    char origin[300] = "", host[280] = "";
    struct td_web_server *server = td_web_server_of(wsi);
    lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN);
    lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST);
    const bool own = td_web_origin_is_own(origin, host, server->options.certificate != NULL);
    const bool knows = td_web_http_knows_token(wsi);
    pthread_mutex_lock(&server->lock);
    const bool room = server->client_count < TD_WEB_CLIENTS;
    pthread_mutex_unlock(&server->lock);
    td_debug(viewer, "a browser connects: page %s, token %s, %s", own ? "own" : "foreign",
             knows ? "right" : "wrong", room ? "there is room" : "too many are connected");
    return own && knows && room;
}

static int open_client(struct lws *wsi, struct td_web_link *connection)
{
    struct td_web_server *server = td_web_server_of(wsi);
    struct client *client = calloc(1, sizeof *client);
    struct td_web_input input = {.kind = TD_WEB_OPENED};
    if (!client)
        return 1;
    client->wsi = wsi;
    client->last = &client->first;
    char room[sizeof input.session + 16];
    const char *name = lws_get_urlarg_by_name(wsi, "view=", room, sizeof room);
    snprintf(input.session, sizeof input.session, "%s", name ? name : "");
    pthread_mutex_lock(&server->lock);
    client->id = ++server->clients_made;
    client->next = server->clients;
    server->clients = client;
    server->client_count++;
    pthread_mutex_unlock(&server->lock);
    connection->client = client;
    push_input(server, client, &input);
    return 0;
}

static void free_client(struct client *client)
{
    while (client->first) {
        struct web_sending *s = client->first;
        client->first = s->next;
        free(s);
    }
    free(client->in);
    free(client);
}

static void close_client(struct lws *wsi, struct td_web_link *connection)
{
    struct td_web_server *server = td_web_server_of(wsi);
    struct client *client = connection->client;
    if (!client)
        return;
    push_input(server, client, &(struct td_web_input){.kind = TD_WEB_CLOSED});
    pthread_mutex_lock(&server->lock);
    struct client **at = &server->clients;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    server->client_count--;
    pthread_mutex_unlock(&server->lock);
    connection->client = NULL;
    free_client(client);
}

/* Collects the pieces of a message. */
static int receive(struct lws *wsi, struct client *client, const void *bytes, size_t count)
{
    const bool is_bytes = lws_frame_is_binary(wsi);
    const size_t most = is_bytes ? TD_WEB_UPLOAD_BYTES : TD_WEB_MESSAGE_BYTES;
    if (!client || client->in_count + count > most ||
        td_grow(&client->in, &client->in_room, client->in_count + count + 1, 1) < 0) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return 1;
    }
    memcpy(client->in + client->in_count, bytes, count);
    client->in_count += count;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi))
        return 0;
    client->in[client->in_count] = 0;
    const struct td_web_input input = {.kind = is_bytes ? TD_WEB_BYTES_CAME : TD_WEB_TEXT_CAME,
                                       .bytes = client->in,
                                       .count = client->in_count};
    client->in = NULL;
    client->in_count = client->in_room = 0;
    push_input(td_web_server_of(wsi), client, &input);
    return 0;
}

static int send_next(struct lws *wsi, struct client *client)
{
    struct td_web_server *server = td_web_server_of(wsi);
    pthread_mutex_lock(&server->lock);
    struct web_sending *s = client->first;
    const bool dropped = client->dropped;
    if (s) {
        client->first = s->next;
        client->sending_count--;
        if (!client->first)
            client->last = &client->first;
    }
    const bool more = client->first != NULL;
    pthread_mutex_unlock(&server->lock);
    int rc = dropped && !s;
    if (s && lws_write(wsi, s->bytes + LWS_PRE, s->count, s->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) <
                 (int)s->count)
        rc = 1;
    free(s);
    if (more || dropped)
        lws_callback_on_writable(wsi);
    return rc;
}

/* The viewer's thread has something for clients. */
static void look_at_clients(struct td_web_server *server)
{
    pthread_mutex_lock(&server->lock);
    for (struct client *client = server->clients; client; client = client->next) {
        if (client->first || client->dropped)
            lws_callback_on_writable(client->wsi);
        if (client->stopped && client->queued < MOST_QUEUED / 2) {
            client->stopped = false;
            lws_rx_flow_control(client->wsi, 1);
        }
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- the thread ---- */

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
    struct td_web_link *connection = user;
    switch ((int)reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        td_web_http_note(td_web_server_of(wsi), wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        td_web_http_forget(td_web_server_of(wsi), wsi);
        return 0;
    case LWS_CALLBACK_HTTP:
        return td_web_http_answer(wsi, connection, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return connection ? td_web_http_send(wsi, connection) : 0;
    case LWS_CALLBACK_HTTP_FILE_COMPLETION:
        return lws_http_transaction_completed(wsi) != 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_connect(wsi) ? 0 : td_web_http_status(wsi, HTTP_STATUS_FORBIDDEN);
    case LWS_CALLBACK_ESTABLISHED:
        td_web_http_forget(td_web_server_of(wsi), wsi);
        return open_client(wsi, connection);
    case LWS_CALLBACK_CLOSED:
        close_client(wsi, connection);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive(wsi, connection->client, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return connection->client ? send_next(wsi, connection->client) : 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        look_at_clients(td_web_server_of(wsi));
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_event, .per_session_data_size = sizeof(struct td_web_link)},
    {.name = "tendril",
     .callback = on_event,
     .per_session_data_size = sizeof(struct td_web_link),
     .rx_buffer_size = 65536},
    {0}};

static const lws_retry_bo_t pings = {.secs_since_valid_ping = PING_S, .secs_since_valid_hangup = HANGUP_S};

static void *serve(void *self)
{
    struct td_web_server *server = self;
    bool ends = false;
    while (!ends && lws_service(server->context, 0) >= 0) {
        pthread_mutex_lock(&server->lock);
        ends = server->ends;
        pthread_mutex_unlock(&server->lock);
    }
    return NULL;
}

static void note_line(int level, const char *line)
{
    td_debug(viewer, "libwebsockets: %s", line);
}

static int open_context(struct td_web_server *server, struct td_err *err)
{
    const struct td_web_server_options *o = &server->options;
    const bool ipv6 = strchr(server->address, ':') != NULL;
    struct lws_context_creation_info info = {.port = server->port,
                                             .iface = server->address[0] ? server->address : NULL,
                                             .protocols = protocols,
                                             .user = server,
                                             .gid = (gid_t)-1,
                                             .uid = (uid_t)-1,
                                             .timeout_secs = TIMEOUT_S,
                                             .fd_limit_per_thread = MOST_FDS,
                                             .retry_and_idle_policy = &pings,
                                             .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                                                        LWS_SERVER_OPTION_VALIDATE_UTF8 |
                                                        (ipv6 ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6)};
    if (o->certificate) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = o->certificate;
        info.ssl_private_key_filepath = o->key;
        info.alpn = "http/1.1";
    }
    lws_set_log_level(LLL_ERR | LLL_WARN, note_line);
    server->context = lws_create_context(&info);
    struct lws_vhost *host = server->context ? lws_get_vhost_by_name(server->context, "default") : NULL;
    if (!host)
        return td_fail(err, TD_E_IO,
                       o->certificate
                           ? "cannot listen at %s with this certificate and key, or the port is taken"
                           : "cannot listen at %s; is the port taken?",
                       o->where);
    server->port = lws_get_vhost_listen_port(host);
    snprintf(server->url, sizeof server->url, ipv6 ? "%s://[%s]:%d/?token=%s" : "%s://%s:%d/?token=%s",
             o->certificate ? "https" : "http", server->address[0] ? server->address : "127.0.0.1",
             server->port, server->token);
    return 0;
}

static int check_files(const struct td_web_server_options *o, struct td_err *err)
{
    const char *const files[] = {o->certificate, o->key};
    for (size_t i = 0; i < 2; i++)
        if (files[i] && access(files[i], R_OK) != 0)
            return td_fail_errno(err, "cannot read '%s'", files[i]);
    return 0;
}

struct td_web_server *td_web_server_open(const struct td_web_server_options *options, struct td_err *err)
{
    struct td_web_server *server = calloc(1, sizeof *server);
    if (!server) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    server->options = *options;
    server->last = &server->first;
    pthread_mutex_init(&server->lock, NULL);
    int rc =
        td_web_address_parse(options->where, server->address, sizeof server->address, &server->port, err);
    rc = rc ? rc : check_files(options, err);
    rc = rc ? rc : td_web_token_make(server->token, err);
    rc = rc ? rc : open_context(server, err);
    if (rc == 0 && td_thread_create(&server->thread, NULL, serve, server) != 0)
        rc = td_fail(err, TD_E_IO, "no thread can be started for browsers");
    server->started = rc == 0;
    if (rc == 0)
        return server;
    td_web_server_close(server);
    return NULL;
}

void td_web_server_close(struct td_web_server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    server->ends = true;
    pthread_mutex_unlock(&server->lock);
    if (server->started) {
        lws_cancel_service(server->context);
        pthread_join(server->thread, NULL);
    }
    if (server->context)
        lws_context_destroy(server->context);
    struct td_web_input input;
    while (td_web_server_take(server, &input))
        td_web_input_free(&input);
    for (size_t i = 0; i < MOST_OFFERS; i++)
        free(server->offers[i].path);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

const char *td_web_server_url(const struct td_web_server *server)
{
    return server->url;
}
#endif
