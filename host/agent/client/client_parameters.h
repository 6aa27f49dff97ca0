/* A queue of parameter values from any thread to the thread that pumps. */
#pragma once
#include "host/agent/client/client_stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct td_parameter_queue {
    pthread_mutex_t lock;
    struct td_parameter_value {
        uint32_t index;
        int32_t value;
    } * all;
    size_t count, capacity;
    atomic_int waiting; /* count != 0; may be read without the lock */
};

void td_parameter_queue_init(struct td_parameter_queue *queue);
void td_parameter_queue_free(struct td_parameter_queue *queue);
int td_parameter_queue_add(struct td_parameter_queue *queue, uint32_t index, int32_t value,
                           struct td_err *err);
bool td_parameter_queue_is_waiting(const struct td_parameter_queue *queue);
/* Passes all waiting values, in their order, to the stream. 0 or TD_E_NOMEM. */
int td_parameter_queue_take(struct td_parameter_queue *queue, struct td_client_stream *stream,
                            struct td_err *err);
