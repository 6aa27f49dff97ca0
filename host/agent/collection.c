#include "host/agent/collection.h"

int td_collection_begin(struct td_collection *collection, struct td_err *err)
{
    struct td_memory_limit *limit = &collection->options.memory;
    int rc = limit->bytes ? 0 : td_memory_limit_parse(NULL, limit, err);
    collection->memory.limit = *limit;
    return rc ? rc : td_memory_watch_begin(&collection->memory, &collection->trace, &collection->hub, err);
}

bool td_collection_look(struct td_collection *collection, const struct td_client_source *source,
                        uint64_t waiting_bytes, uint64_t waiting_in_file)
{
    char line[sizeof(struct td_err)];
    const struct td_collection_options *options = &collection->options;
    if (td_journal_trouble(options->journal, line, sizeof line) && options->tell)
        options->tell(options->tell_self, line);
    return td_memory_watch_look(&collection->memory, collection->trace, source, waiting_bytes,
                                waiting_in_file) != TD_MEMORY_FINE;
}

void td_collection_tell(const struct td_collection *collection, char *line, size_t bytes)
{
    td_memory_watch_tell(&collection->memory, line, bytes);
}

void td_collection_end(struct td_collection *collection)
{
    td_hub_destroy(collection->hub);
    td_trace_destroy(collection->trace);
    collection->hub = NULL;
    collection->trace = NULL;
}
