#include "host/tools/shared/collect_options.h"

int collect_options_parse(const struct collect_options *given, struct td_collection_options *options,
                          struct td_err *err)
{
    return td_memory_limit_parse(given->memory_limit, &options->memory, err);
}
