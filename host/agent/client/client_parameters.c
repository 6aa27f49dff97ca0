/* Parameters: values of the running program that a viewer's user may change. */
#include "host/agent/client/client_parameters.h"
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

#include <stdlib.h>

/* A second set-up of an index changes the parameter, maybe its name. */
int td_take_parameter(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_ParamSetup item = TD_GET(ParamSetup);
    const int64_t values[TD_PARAMETER_COLUMN_COUNT] = {
        [TD_PARAMETER_INDEX] = item.idx,
        [TD_PARAMETER_TYPE] = item.type,
        [TD_PARAMETER_VALUE] = item.val,
    };
    uint32_t name = td_names_see(&stream->names, TD_NAME_TEXT, item.name);
    if (name == TD_NO_NUMBER)
        return TD_E_NOMEM;
    stream->counts.parameters++;
    int64_t row = td_map_get(&stream->parameters, item.idx, TD_NO_NUMBER);
    int bad = 0;
    if (row == TD_NO_NUMBER) {
        row = td_stream_row(stream, TD_TABLE_PARAMETER, 0, values);
        if (row < 0 || td_map_add(&stream->parameters, item.idx, (uint32_t)row) < 0)
            return row < 0 ? (int)row : TD_E_NOMEM;
    } else {
        for (unsigned c = TD_PARAMETER_TYPE; !bad && c <= TD_PARAMETER_VALUE; c++)
            bad = td_stream_set(stream, TD_TABLE_PARAMETER, 0, (uint64_t)row, c, values[c]);
    }
    return bad ? bad
               : td_pending_set(stream, TD_TABLE_PARAMETER, 0, (uint64_t)row, TD_PARAMETER_NAME, TD_REF_TEXT,
                                name);
}

int td_client_stream_set_parameter(struct td_client_stream *stream, uint32_t index, int32_t value,
                                   struct td_err *err)
{
    uint32_t row = td_map_get(&stream->parameters, index, TD_NO_NUMBER);
    if (row == TD_NO_NUMBER)
        return td_fail(err, TD_E_NOTFOUND, "the program has no parameter %u", index);
    if (td_names_request(&stream->names, TD_QUERY_Parameter, (uint64_t)index << 32 | (uint32_t)value) != 0)
        return td_fail_no_memory(err, "for a parameter");
    return td_hub_set(stream->hub, TD_TABLE_PARAMETER, 0, row, TD_PARAMETER_VALUE, value, err);
}

void td_parameter_queue_init(struct td_parameter_queue *queue)
{
    *queue = (struct td_parameter_queue){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void td_parameter_queue_free(struct td_parameter_queue *queue)
{
    free(queue->all);
}

int td_parameter_queue_add(struct td_parameter_queue *queue, uint32_t index, int32_t value,
                           struct td_err *err)
{
    pthread_mutex_lock(&queue->lock);
    int bad = td_grow(&queue->all, &queue->capacity, queue->count + 1, sizeof *queue->all);
    if (!bad)
        queue->all[queue->count++] = (struct td_parameter_value){index, value};
    atomic_store(&queue->waiting, queue->count != 0);
    pthread_mutex_unlock(&queue->lock);
    return bad ? td_fail_no_memory(err, "for a parameter") : 0;
}

bool td_parameter_queue_is_waiting(const struct td_parameter_queue *queue)
{
    return atomic_load(&queue->waiting);
}

int td_parameter_queue_take(struct td_parameter_queue *queue, struct td_client_stream *stream,
                            struct td_err *err)
{
    int bad = 0;
    if (!td_parameter_queue_is_waiting(queue))
        return 0;
    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < queue->count && (!bad || bad == TD_E_NOTFOUND); i++)
        bad = td_client_stream_set_parameter(stream, queue->all[i].index, queue->all[i].value, err);
    queue->count = 0;
    atomic_store(&queue->waiting, 0);
    pthread_mutex_unlock(&queue->lock);
    return bad == TD_E_NOTFOUND ? 0 : bad;
}
