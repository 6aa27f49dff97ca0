#include "host/viewer/model/json_print.h"
#include "host/base/json_text.h"

char *td_json_print(const cJSON *value, bool one_line)
{
    return td_json_repair(one_line ? cJSON_PrintUnformatted(value) : cJSON_Print(value));
}
