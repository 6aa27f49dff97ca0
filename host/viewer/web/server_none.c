/* server.h without libwebsockets. */
#include "host/viewer/web/server.h"

#ifndef TD_HAVE_WEB
struct td_web_server *td_web_server_open(const struct td_web_server_options *options, struct td_err *err)
{
    td_fail(err, TD_E_NOTFOUND, "--web needs libwebsockets, which this program was built without");
    return NULL;
}

void td_web_server_close(struct td_web_server *server)
{
}

const char *td_web_server_url(const struct td_web_server *server)
{
    return "";
}

bool td_web_server_take(struct td_web_server *server, struct td_web_input *input)
{
    return false;
}

void td_web_input_free(struct td_web_input *input)
{
}

int td_web_server_send(struct td_web_server *server, uint32_t client, bool is_text, const void *bytes,
                       size_t count)
{
    return 0;
}

void td_web_server_drop(struct td_web_server *server, uint32_t client)
{
}

int td_web_server_offer(struct td_web_server *server, const char *path, char *to, size_t room)
{
    return TD_E_NOMEM;
}
#endif
