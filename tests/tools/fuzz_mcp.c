/* Any lines from a client of tendril mcp about a small trace. Each answer is a line of JSON. */
#include "host/tools/mcp/mcp.h"
#include "tests/query/demo_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answers(const char *text)
{
    while (*text) {
        const size_t bytes = strcspn(text, "\n");
        cJSON *answer = cJSON_ParseWithLength(text, bytes);
        if (!answer || !text[bytes])
            abort();
        cJSON_Delete(answer);
        text += bytes + 1;
    }
}

static void open_server(struct mcp *m)
{
    m->most.rows = 3;
    m->most.bytes = 1000;
    m->most.seconds = 0.2;
    m->sources.none_else = true;
    struct mcp_trace *t = &m->traces[m->trace_count++];
    *t = (struct mcp_trace){.name = "demo", .path = strdup("/demo.tracy"), .trace = demo_trace(1)};
    if (mcp_init(m, NULL, 32 << 20, NULL) < 0 || !t->path)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mcp m;
    char *text = NULL;
    size_t bytes = 0;
    if (!m.sql)
        open_server(&m);
    m.to = open_memstream(&text, &bytes);
    if (!m.to)
        return 0;
    while (size) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t line = end ? (size_t)(end - data) : size;
        enum mcp_problem problem;
        cJSON *message = mcp_parse((const char *)data, line, &problem);
        if (!mcp_cancelled(message))
            mcp_answer_message(&m, message, problem);
        cJSON_Delete(message);
        data += line + (end != NULL);
        size -= line + (end != NULL);
    }
    fclose(m.to);
    check_answers(text);
    free(text);
    return 0;
}
