/* A folder with a file of comma separated values for each table. */
#include "host/base/stream.h"
#include "host/tools/export/export_folder.h"
#include "host/tools/export/export_tables.h"
#include "host/tools/query/print.h"

struct csv_folder {
    const struct export_work *work;
    const char *path;
};

static int write_table(void *self, const struct export_table *table, struct td_err *err)
{
    const struct csv_folder *folder = self;
    FILE *file = export_open_file(folder->path, table->name, ".csv", err);
    if (!file)
        return err->code;
    struct query_print *print = query_print_create(file, QUERY_CSV, NULL, NULL);
    int rc = print ? 0 : td_fail_no_memory(err, NULL);
    if (rc == 0) {
        const struct td_sql_sink sink = query_print_sink(print);
        rc = export_table_rows(folder->work, table, &sink, err);
    }
    query_print_destroy(print);
    if (!td_stream_close(file) && rc == 0)
        rc = td_fail_errno(err, "cannot write '%s'", folder->path);
    return rc;
}

static int fill_folder(const struct export_work *work, const char *path, struct td_err *err)
{
    struct csv_folder folder = {work, path};
    return export_each_table(work, write_table, &folder, err);
}

int export_csv(const struct export_work *work, struct td_err *err)
{
    return export_folder(work, ".csv", fill_folder, err);
}
