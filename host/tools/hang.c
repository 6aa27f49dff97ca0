/* tendril hang: what each core does, read from outside; names the cores that make no progress. */
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/tools/commands.h"
#include "host/base/json.h"
#include "host/tools/files/open_look.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double seconds(const struct td_board *board, uint64_t ticks)
{
    return board->frequency_hz > 0 ? (double)ticks / board->frequency_hz : 0;
}

/* The zone in which a core waits: the innermost one, if it is a wait. */
static const struct td_look_zone *wait_of(const struct td_core_look *core)
{
    const struct td_look_zone *last = core->zone_count ? &core->zones[core->zone_count - 1] : NULL;
    return last && last->site->kind == TD_SITE_WAIT ? last : NULL;
}

static void print_zone(const struct td_board *board, const struct td_core_look *core,
                       const struct td_look_zone *zone)
{
    printf("%s (%s:%u) for %.6g s", TD_PLAIN(zone->site->name), TD_PLAIN(zone->site->file), zone->site->line,
           seconds(board, td_look_age(core, zone)));
}

/* Where a core is: that of its fault, or what the debug bus has shown. */
static uint32_t pc_of(const struct td_core_look *core)
{
    return core->state == TD_LOOK_FAULT ? core->words[TD_LANE_fault_pc / 4] : core->pc;
}

static void print_pc(const struct td_core_look *core, uint32_t pc, const char *before)
{
    uint32_t offset = 0;
    const char *file, *symbol = core->image ? td_image_symbol(core->image, pc, &offset) : NULL;
    const uint32_t line = core->image ? td_image_line(core->image, pc, &file) : 0;
    printf("%s pc 0x%08x", before, pc);
    if (symbol)
        printf(" (%s+0x%x", TD_PLAIN(symbol), offset);
    if (symbol && line)
        printf(", %s:%u", TD_PLAIN(file), line);
    printf("%s", symbol ? ")" : "");
}

static void print_core(const struct td_board *board, const struct td_core_look *core)
{
    const bool fault = core->state == TD_LOOK_FAULT;
    printf("%-7s chip %u, tile %u,%u, %-7s op %u", td_look_state_name(core->state), core->tile.chip, core->x,
           core->y, board->cores[core->core].name, core->words[TD_LANE_op / 4]);
    if (fault)
        printf(": %s", td_look_fault(core));
    const char *before = fault ? " at" : ":";
    if (fault || core->has_pc) {
        print_pc(core, pc_of(core), before);
        before = ",";
    }
    if (fault)
        printf(", address 0x%08x", core->words[TD_LANE_fault_address / 4]);
    const struct td_look_zone *wait = wait_of(core);
    if (wait) {
        printf("%s waits in ", before);
        before = ",";
        print_zone(board, core, wait);
    }
    for (size_t i = core->zone_count - (wait != NULL); i-- > 0;) {
        printf("%s in ", before);
        before = ",";
        print_zone(board, core, &core->zones[i]);
    }
    if (!core->image && core->build_id) {
        char id[17];
        td_build_id_text(core->build_id, id);
        printf("; the ELF with build id %s is not known (--elf)", id);
    }
    printf("\n");
}

static bool is_listed(const struct td_core_look *core, int all)
{
    return all || core->state == TD_LOOK_STUCK || core->state == TD_LOOK_FAULT;
}

static void count_states(const struct td_board_look *look, size_t counts[TD_LOOK_STATE_COUNT])
{
    for (size_t i = 0; i < look->count; i++)
        counts[look->cores[i].state]++;
}

static void print_all(const struct td_board_look *look, int all, double waited_s)
{
    size_t counts[TD_LOOK_STATE_COUNT] = {0};
    count_states(look, counts);
    printf("%s:", look->board->name);
    const char *comma = "";
    for (int s = 0; s < TD_LOOK_STATE_COUNT; s++)
        if (counts[s] || s == TD_LOOK_STUCK) {
            printf("%s %zu %s", comma, counts[s], td_look_state_name((enum td_look_state)s));
            comma = ",";
        }
    printf("; stuck: no marker in %g s\n", waited_s);
    for (size_t i = 0; i < look->count; i++)
        if (is_listed(&look->cores[i], all))
            print_core(look->board, &look->cores[i]);
}

static void put_core(struct td_json *j, const struct td_board *board, const struct td_core_look *core)
{
    char id[17];
    uint32_t offset = 0;
    const bool fault = core->state == TD_LOOK_FAULT;
    const uint32_t pc = pc_of(core);
    td_build_id_text(core->build_id, id);
    td_json_object(j, NULL);
    td_json_uint(j, "chip", core->tile.chip);
    td_json_uint(j, "x", core->x);
    td_json_uint(j, "y", core->y);
    td_json_string(j, "core", board->cores[core->core].name);
    td_json_string(j, "state", td_look_state_name(core->state));
    td_json_uint(j, "op", core->words[TD_LANE_op / 4]);
    td_json_uint(j, "launch", core->words[TD_LANE_launch / 4]);
    td_json_string(j, "build_id", core->build_id ? id : NULL);
    td_json_bool(j, "elf_known", core->image != NULL);
    td_json_string(j, "fault", fault ? td_look_fault(core) : NULL);
    if (fault || core->has_pc) {
        const char *file = NULL;
        const uint32_t line = core->image ? td_image_line(core->image, pc, &file) : 0;
        td_json_uint(j, "pc", pc);
        td_json_string(j, "symbol", core->image ? td_image_symbol(core->image, pc, &offset) : NULL);
        td_json_string(j, "file", line ? file : NULL);
        td_json_uint(j, "line", line);
    }
    if (fault)
        td_json_uint(j, "address", core->words[TD_LANE_fault_address / 4]);
    const struct td_look_zone *wait = wait_of(core);
    td_json_string(j, "waits_in", wait ? wait->site->name : NULL);
    td_json_array(j, "open_zones");
    for (size_t i = 0; i < core->zone_count; i++) {
        td_json_object(j, NULL);
        td_json_string(j, "name", core->zones[i].site->name);
        td_json_string(j, "file", core->zones[i].site->file);
        td_json_uint(j, "line", core->zones[i].site->line);
        td_json_double(j, "age_s", seconds(board, td_look_age(core, &core->zones[i])));
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_json_end_object(j);
}

static void put_all(const struct td_board_look *look, int all, double waited_s)
{
    struct td_json j = {.to = stdout};
    size_t counts[TD_LOOK_STATE_COUNT] = {0};
    count_states(look, counts);
    td_json_object(&j, NULL);
    td_json_string(&j, "board", look->board->name);
    td_json_double(&j, "waited_s", waited_s);
    td_json_object(&j, "states");
    for (int s = 0; s < TD_LOOK_STATE_COUNT; s++)
        td_json_uint(&j, td_look_state_name((enum td_look_state)s), counts[s]);
    td_json_end_object(&j);
    td_json_array(&j, "cores");
    for (size_t i = 0; i < look->count; i++)
        if (is_listed(&look->cores[i], all))
            put_core(&j, look->board, &look->cores[i]);
    td_json_end_array(&j);
    td_json_end_object(&j);
}

const char td_summary_hang[] = "Prints what the cores of a board do, and names those that make no progress.";

int td_cmd_hang(int argc, char **argv, struct td_err *err)
{
    struct td_open_look o = {0};
    double wait_s = 0.25;
    int all = 0, json = 0;
    const struct td_option options[] = {
        TD_OPEN_LOOK_OPTIONS(o),
        {0, "wait", TD_OPT_DOUBLE, &wait_s, "SECONDS", "a core without a marker for so long is stuck (0.25)",
         NULL, 0, 0},
        {0, "all", TD_OPT_FLAG | TD_OPT_LOOKS, &all, NULL,
         "list all cores, not only those that are stuck or faulted", NULL, 0, 0},
        {0, "json", TD_OPT_FLAG | TD_OPT_LOOKS, &json, NULL, "as a JSON object", NULL, 0, 0},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril hang",
        .usage = "[options]",
        .summary = td_summary_hang,
        .options = options,
        .details = "The command reads control words and open zones from outside, twice, and program counters "
                   "from the "
                   "tiles' debug buses, unless a recorder samples the cores. Cores and a recorder take no "
                   "notice. It "
                   "exits with 1 if a core is stuck or has faulted.",
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    int rc = td_look_check_seconds("--wait", wait_s, err);
    rc = rc ? rc : td_look_open(&o, err);
    rc = rc ? rc : td_board_look_show_pcs(&o.look, err);
    rc = rc ? rc : td_board_look_now(&o.look, err);
    if (rc == 0) {
        const time_t whole = (time_t)wait_s;
        nanosleep(&(struct timespec){whole, (long)((wait_s - (double)whole) * 1e9)}, NULL);
        rc = td_board_look_now(&o.look, err);
    }
    if (rc == 0) {
        if (json)
            put_all(&o.look, all, wait_s);
        else
            print_all(&o.look, all, wait_s);
        for (size_t i = 0; i < o.look.count; i++)
            if (is_listed(&o.look.cores[i], 0))
                rc = 1;
    }
    td_look_close(&o);
    return rc;
}
