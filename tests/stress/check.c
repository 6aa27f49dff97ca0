/* Checks a trace of stress_load or stress_numbered, from any recorder. Usage: stress_check FILE; prints as
 * stress_watch does. */
#include "host/file/file.h"
#include "host/trace/tables.h"
#include "tests/stress/order.h"

#include <stdlib.h>
#include <string.h>

/* The zones of one row. The value of one is the first line of its text. A zone that a core has not closed is left
 * out: those before it may not have arrived. */
static void take_row(struct stress_order *order, const struct td_trace *trace, uint32_t track, uint32_t row)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (size_t i = 0; i < td_trace_row_zones(trace, track, row); i++) {
        struct td_zone zone = td_trace_zone(trace, track, row, i);
        const char *text = td_dict_text(dict, zone.text);
        int place = stress_index(td_dict_zone_name(dict, zone.srcloc), "place");
        if (place < 0 || strstr(text, "open when"))
            continue;
        stress_order_zone(order, track, (unsigned)place);
        if (*text)
            stress_order_value(order, track, strtoull(text, NULL, 10));
    }
}

int main(int argc, char **argv)
{
    struct stress_order order;
    struct td_err err = {0};
    struct td_trace *trace;
    if (argc != 2)
        return 2;
    if (td_file_read(argv[1], &trace, &err) < 0) {
        printf("%s\n", err.text);
        return 1;
    }
    stress_order_init(&order);
    const struct td_dict *dict = td_trace_dict(trace);
    /* If the connection began within a batch, its first zones are in row 0: the surrounding zone is
     * missing. */
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        for (uint32_t row = 0; row < td_trace_rows(trace, t); row++)
            take_row(&order, trace, t, row);
    for (size_t i = 0; i < td_trace_messages(trace); i++) {
        struct td_message message = td_trace_message(trace, i);
        stress_order_message(&order, message.track, td_dict_text(dict, message.text), 0);
    }
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++) {
        int thread = stress_index(td_dict_text(dict, td_dict_get_plot(dict, p)->name), "plot");
        for (size_t i = 0; thread >= 0 && i < td_trace_plot_points(trace, p); i++)
            stress_order_point(&order, thread, td_trace_plot_point(trace, p, i).value);
    }
    printf("session\n");
    int bad = stress_order_print(&order, stdout);
    printf("end left\n");
    td_trace_destroy(trace);
    return bad;
}
