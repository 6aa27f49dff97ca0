/* Settings of parameters on their way from any thread to the one that pumps. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_PARAMETERS_H
#define TD_HOST_AGENT_CLIENT_CLIENT_PARAMETERS_H
#include "host/agent/client/client_stream.h"

#include <pthread.h>
#include <stdatomic.h>

struct td_settings {
    pthread_mutex_t lock;
    struct td_setting {
        uint32_t index;
        int32_t value;
    } * all;
    size_t count, capacity;
    atomic_int waiting; /* count != 0, for who looks without the lock */
};

void td_settings_init(struct td_settings *settings);
void td_settings_finish(struct td_settings *settings);
int td_settings_add(struct td_settings *settings, uint32_t index, int32_t value, struct td_err *err);
int td_settings_wait(const struct td_settings *settings); /* 1: some have not been taken */
/* Hands all of them, in their order, to the stream. 0 or TD_E_NOMEM. */
int td_settings_take(struct td_settings *settings, struct td_client_stream *stream, struct td_err *err);
#endif
