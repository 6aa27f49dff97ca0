/* The header line of tables, and the first cells of rows of zones. */
#include "host/tools/csv/csv.h"

void csv_header(struct csv *c, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++) {
        csv_out_text(&c->out, i ? c->separator : "");
        csv_out_text(&c->out, columns[i]);
    }
    csv_out_bytes(&c->out, "\n", 1);
}

void csv_location(const struct csv *c, struct csv_out *out, uint32_t srcloc)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(c->dict, srcloc);
    csv_out_text(out, c->own_name ? c->own_name : td_dict_zone_name(c->dict, srcloc));
    csv_out_text(out, c->separator);
    csv_out_text(out, td_dict_text(c->dict, loc->file));
    csv_out_text(out, c->separator);
    csv_out_u64(out, loc->line);
}
