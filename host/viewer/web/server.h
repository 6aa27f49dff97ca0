/* The server of `tendril view --web`: the page over HTTP, and a WebSocket for each browser. A thread serves; the
 * functions are for the viewer's thread, which takes what browsers send from a queue and is woken when there is
 * something. Only browsers that know the token get a WebSocket (access.h). */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_WEB_CLIENTS       16         /* connections of browsers at a time */
#define TD_WEB_UPLOAD_BYTES  (1u << 20) /* longest piece of a trace */
#define TD_WEB_SESSION_BYTES 32         /* name of a view, chosen by the page */

struct td_web_server;

struct td_web_server_options {
    const char *where;             /* "[ADDRESS:]PORT"; port 0: a free one */
    const char *certificate, *key; /* files of TLS; NULL: none */
    void (*wake)(void *self);      /* by the thread */
    void *self;
};

enum td_web_input_kind { TD_WEB_OPENED, TD_WEB_CLOSED, TD_WEB_TEXT_CAME, TD_WEB_BYTES_CAME };

struct td_web_input {
    enum td_web_input_kind kind;
    uint32_t client;
    char session[TD_WEB_SESSION_BYTES + 1]; /* of OPENED */
    uint8_t *bytes;                         /* of the others; a NUL follows */
    size_t count;
};

/* NULL: *err says why, such as that the port is taken. */
struct td_web_server *td_web_server_open(const struct td_web_server_options *options, struct td_err *err);
void td_web_server_close(struct td_web_server *server); /* NULL is allowed */
/* The address for a browser on this machine, with the token. */
const char *td_web_server_url(const struct td_web_server *server);
/* The next input; false: none. To be freed. */
bool td_web_server_take(struct td_web_server *server, struct td_web_input *input);
void td_web_input_free(struct td_web_input *input);
/* Sends a copy. A client that is gone gets nothing. 0, or TD_E_NOMEM. */
int td_web_server_send(struct td_web_server *server, uint32_t client, bool is_text, const void *bytes,
                       size_t count);
void td_web_server_drop(struct td_web_server *server, uint32_t client);
/* The path, on this server, at which a file can be got once. 0, or TD_E_NOMEM. */
int td_web_server_offer(struct td_web_server *server, const char *path, char *to, size_t room);
