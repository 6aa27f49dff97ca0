#include "host/tools/report/report_html.h"
#include "host/file/out_stream.h"
#include "host/report/ops/op_label.h"

int report_html_of_trace(const char *out, const char *input, const struct td_trace *trace,
                         struct td_html_ops *ops, struct td_err *err)
{
    struct td_out_stream stream;
    int rc = td_out_stream_open(&stream, out, TD_OUT_TEXT, err);
    return rc < 0 ? rc : td_out_stream_close(&stream, td_html_write_trace(stream.to, input, trace, ops, err));
}

int report_html_of_ops(const char *out, const char *input, const struct td_html_ops *ops, struct td_err *err)
{
    struct td_out_stream stream;
    int rc = td_out_stream_open(&stream, out, TD_OUT_TEXT, err);
    return rc < 0 ? rc : td_out_stream_close(&stream, td_html_write(stream.to, input, NULL, ops, err));
}

int report_html_take(void *self, const struct td_op_sum *op, struct td_err *err)
{
    char label[512];
    td_op_label(NULL, op, label, sizeof label);
    return td_html_ops_add(self, op, label) < 0 ? td_fail_no_memory(err, NULL) : 0;
}
