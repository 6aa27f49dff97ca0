/* The values of arguments that were checked. */
#include "host/base/time_text.h"
#include "host/tools/mcp/mcp.h"

const cJSON *mcp_given(const cJSON *arguments, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(arguments, name);
    return cJSON_IsNull(value) ? NULL : value;
}

const char *mcp_text(const cJSON *arguments, const char *name)
{
    return cJSON_GetStringValue(mcp_given(arguments, name));
}

uint64_t mcp_whole(const cJSON *arguments, const char *name, uint64_t otherwise)
{
    const cJSON *value = mcp_given(arguments, name);
    return value ? (uint64_t)value->valuedouble : otherwise;
}

bool mcp_flag(const cJSON *arguments, const char *name)
{
    return cJSON_IsTrue(mcp_given(arguments, name));
}

int mcp_range(const cJSON *arguments, int64_t *from_ns, int64_t *to_ns, struct td_err *err)
{
    const char *range = mcp_text(arguments, "range");
    double from = 0, to = 0;
    if (!range)
        return 0;
    if (td_range_parse(range, &from, &to) < 0 || from < 0 || to > 9e18)
        return td_fail(err, TD_E_USAGE,
                       "range \"%.60s\" is not two times as in 1.2ms..1.5ms (" TD_TIME_UNITS ")", range);
    *from_ns = (int64_t)from;
    *to_ns = (int64_t)to;
    return 0;
}
