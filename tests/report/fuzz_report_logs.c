/* Any bytes as a device log and as the host's messages: the first two bytes say how long the messages are. */
#include "host/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    if (!to || fwrite(data, 1, size, to) != size)
        abort();
    fclose(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct td_report_result result;
    struct td_err err = {0};
    if (size < 2)
        return 0;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/td-fuzz-report-XXXXXX");
        if (!mkdtemp(folder) || atexit(remove_folder) != 0)
            abort();
    }
    const size_t rest = size - 2, wanted = (size_t)data[0] | (size_t)data[1] << 8;
    const size_t messages = wanted < rest ? wanted : rest;
    write_file("tracy_ops_data.csv", data + 2, messages);
    write_file("profile_log_device.csv", data + 2 + messages, rest - messages);
    const struct td_report_options options = {
        .out = folder, .date = "D", .files = TD_REPORT_BIT(OPS) | TD_REPORT_BIT(OP_TO_OP), .log_columns = 15};
    td_report_logs(folder, &options, &result, &err);
    return 0;
}
