/* What markers cost on a core: retired instructions, bytes, and cycles by published latencies, of a kernel
 * with a marker against the same kernel without it.
 *
 *   build/bench/device [--json]
 *
 * Baselines are tt-metal's own profiler: 45 instructions inlined and 66 out of line (its streaming producer,
 * compiled for rv32im), 59 cycles a zone (published, Blackhole), 8 to 20 bytes.
 */
#include "bench/device/firmware.h"
#include "bench/device/kernel.h"

#include <stdio.h>
#include <string.h>

#define INLINED TD_BINARY_DIR "/bench/kernels/bench_inlined.elf"
#define STAMPED TD_BINARY_DIR "/bench/kernels/bench_stamped.elf"
#define TINY    TD_BINARY_DIR "/bench/kernels/bench_tiny.elf"
#define GUEST   TD_BINARY_DIR "/bench/kernels/bench_guest"
#define ZONES   100000u

struct cost {
    double instructions, cycles[2], bytes;
};

static int failed;

static struct firmware_result run(const char *elf, uint32_t which, uint32_t zones,
                                  const struct firmware_run *how)
{
    struct firmware_run run = *how;
    struct firmware_result result = {0};
    run.elf = elf;
    run.arg = which << BENCH_CASE_SHIFT | zones;
    failed |= firmware_run(&run, &result) != 0;
    return result;
}

/* Of one marker: the difference that it makes. */
static struct cost cost_of(const char *elf, uint32_t with, uint32_t without, uint32_t zones,
                           const struct firmware_run *how)
{
    struct firmware_result a = run(elf, with, zones, how), b = run(elf, without, zones, how);
    struct cost c = {.instructions = ((double)a.instructions - (double)b.instructions) / zones,
                     .bytes = ((double)a.slots - (double)b.slots) * 8 / zones};
    for (int i = 0; i < 2; i++)
        c.cycles[i] = ((double)a.cycles[i] - (double)b.cycles[i]) / zones;
    return c;
}

static struct cost cost(const char *elf, uint32_t with, uint32_t zones, const struct firmware_run *how)
{
    return cost_of(elf, with, with - 1, zones, how);
}

static void print(int json, const char *name, const char *unit, double ours, const char *baseline,
                  const char *limit)
{
    if (json)
        printf("{\"name\":\"%s\",\"unit\":\"%s\",\"ours\":%.4g,\"baseline\":%s,\"limit\":%s}\n", name, unit,
               ours, *baseline ? baseline : "null", *limit ? limit : "null");
    else
        printf("%-36s %8.4g %-13s %8s %8s\n", name, ours, unit, *baseline ? baseline : "-",
               *limit ? limit : "-");
}

/* Markers other than short zones, one of each. */
static void print_others(int json, const struct firmware_run *how)
{
    static const struct {
        const char *name;
        uint32_t with, without;
        const char *bytes_name, *elf;
    } markers[] = {
        {"log_instructions", LOG, LOG_WITHOUT, "log_bytes", INLINED},
        {"log_instructions_no_arguments", LOG_PLAIN, LINE_WITHOUT, "log_bytes_no_arguments", INLINED},
        {"log_instructions_8_arguments", LOG_EIGHT, LINE_WITHOUT, "log_bytes_8_arguments", INLINED},
        {"plot_instructions", PLOT, LINE_WITHOUT, "plot_bytes", INLINED},
        {"flow_instructions", FLOW, LINE_WITHOUT, "flow_bytes", INLINED},
        {"value_instructions", VALUE, LINE_WITHOUT, "value_bytes", INLINED},
        {"text_instructions", TEXT, LINE_WITHOUT, "text_bytes", INLINED},
        {"long_zone_instructions", LONG_ZONE, LONG_WITHOUT, "long_zone_bytes", INLINED},
        {"long_zone_instructions_outlined", LONG_ZONE, LONG_WITHOUT, "long_zone_bytes_outlined", TINY},
    };
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        const struct cost c = cost_of(markers[i].elf, markers[i].with, markers[i].without, 1, how);
        print(json, markers[i].name, "instructions", c.instructions, "",
              markers[i].with == LOG_EIGHT ? "" : "60");
        print(json, markers[i].bytes_name, "bytes", c.bytes, "", markers[i].with == LOG_EIGHT ? "" : "24");
    }
}

/* Of a guest, whose linker has removed no instruction. Limits of zones: what the kit's own images take, the load and
 * the store of the write pointer (which is a word of local RAM), and the upper parts of that word's address. */
static void print_guest(int json, const struct firmware_run *how)
{
    static const struct {
        const char *name, *elf;
        uint32_t with, without, count;
        const char *baseline, *limit;
    } cases[] = {
        {"guest_zone_instructions", GUEST ".elf", LINE_WITH, LINE_WITHOUT, 1, "45", "22"},
        {"guest_zone_instructions_loop", GUEST ".elf", LOOP_WITH, LOOP_WITHOUT, 32, "45", "18"},
        {"guest_zone_instructions_outlined", GUEST "_tiny.elf", LINE_WITH, LINE_WITHOUT, 1, "66", "27"},
        {"guest_zone_instructions_tp", GUEST "_tp.elf", LINE_WITH, LINE_WITHOUT, 1, "45", "20"},
        {"guest_zone_instructions_no_lanes", GUEST "_alone.elf", LOOP_WITH, LOOP_WITHOUT, 32, "", ""},
        {"guest_log_instructions", GUEST ".elf", LOG, LOG_WITHOUT, 1, "", "60"},
        {"guest_plot_instructions", GUEST ".elf", PLOT, LINE_WITHOUT, 1, "", "60"},
        {"guest_flow_instructions", GUEST ".elf", FLOW, LINE_WITHOUT, 1, "", "60"},
        {"guest_value_instructions", GUEST ".elf", VALUE, LINE_WITHOUT, 1, "", "60"},
        {"guest_text_instructions", GUEST ".elf", TEXT, LINE_WITHOUT, 1, "", "60"},
        {"guest_long_zone_instructions", GUEST ".elf", LONG_ZONE, LONG_WITHOUT, 1, "", "60"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cost c = cost_of(cases[i].elf, cases[i].with, cases[i].without, cases[i].count, how);
        print(json, cases[i].name, "instructions", c.instructions, cases[i].baseline, cases[i].limit);
    }
}

int main(int argc, char **argv)
{
    int json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 1 && !json) {
        fprintf(stderr, "usage: device [--json]\n");
        return 2;
    }
    const struct firmware_run off = {.policy = TD_POLICY_OFF};
    const struct firmware_run switched = {.policy = TD_POLICY_OFF, .zones_off = 1};
    const struct firmware_run drained = {.policy = TD_POLICY_BLOCK, .drains = 1};
    const struct firmware_run full = {.policy = TD_POLICY_DROP, .starts_full = 1};
    const struct firmware_run overwrite = {.policy = TD_POLICY_OVERWRITE};
    struct cost line = cost(INLINED, LINE_WITH, 1, &off), loop = cost(INLINED, LOOP_WITH, 32, &off);
    struct cost tiny = cost(TINY, LINE_WITH, 1, &off), tiny_loop = cost(TINY, LOOP_WITH, 32, &off);
    struct cost lane = cost(INLINED, LOOP_WITH, ZONES, &drained);
    struct cost dropped = cost(INLINED, LOOP_WITH, ZONES, &full);
    struct cost newest = cost(INLINED, LOOP_WITH, ZONES, &overwrite);
    struct cost stamped = cost(STAMPED, LINE_WITH, 1, &off),
                stamped_loop = cost(STAMPED, LOOP_WITH, ZONES, &off);
    struct cost stamped_off = cost_of(STAMPED, LONG_ZONE, LONG_WITHOUT, 1, &switched);
    /* A begin and an end with an instruction between them; those of an empty zone in a loop are together. */
    struct cost disabled = cost_of(INLINED, LONG_ZONE, LONG_WITHOUT, 1, &switched);
    struct cost disabled_loop = cost(INLINED, LOOP_WITH, ZONES, &switched);
    double code = (double)(firmware_function_bytes(INLINED, "line_with") -
                           firmware_function_bytes(INLINED, "line_without"));
    double tiny_code =
        (double)(firmware_function_bytes(TINY, "line_with") - firmware_function_bytes(TINY, "line_without"));
    if (failed)
        return 1;
    if (!json)
        printf("%-36s %8s %-13s %8s %8s\n", "one empty zone (open and close)", "ours", "", "baseline",
               "limit");
    print(json, "zone_instructions_inlined", "instructions", line.instructions, "45", "20");
    print(json, "zone_instructions_loop", "instructions", loop.instructions, "45", "20");
    print(json, "zone_instructions_outlined", "instructions", tiny.instructions, "66", "");
    print(json, "zone_instructions_outlined_loop", "instructions", tiny_loop.instructions, "66", "");
    print(json, "zone_instructions_drained", "instructions", lane.instructions, "45", "");
    print(json, "zone_instructions_full_drop", "instructions", dropped.instructions, "", "");
    print(json, "zone_instructions_full_overwrite", "instructions", newest.instructions, "", "");
    print(json, "timestamper_instructions", "instructions", stamped.instructions, "45", "4");
    print(json, "timestamper_instructions_loop", "instructions", stamped_loop.instructions, "45", "4");
    print(json, "timestamper_disabled_site_instructions", "instructions", stamped_off.instructions / 2, "",
          "1");
    print(json, "zone_bytes", "bytes", loop.bytes, "8", "8");
    print(json, "zone_code_bytes", "bytes", code, "", "");
    print(json, "zone_code_bytes_tiny", "bytes", tiny_code, "", "");
    print(json, "zone_cycles_wormhole", "cycles", loop.cycles[0], "59", "");
    print(json, "zone_cycles_blackhole", "cycles", loop.cycles[1], "59", "");
    print(json, "zone_cycles_drained_wormhole", "cycles", lane.cycles[0], "59", "");
    print(json, "zone_cycles_drained_blackhole", "cycles", lane.cycles[1], "59", "");
    print(json, "disabled_site_instructions", "instructions", disabled.instructions / 2, "", "1");
    print(json, "disabled_site_instructions_loop", "instructions", disabled_loop.instructions, "", "1");
    static const struct {
        const char *name;
        uint32_t with, without;
    } others[] = {{"disabled_log_instructions", LOG, LINE_WITHOUT},
                  {"disabled_plot_instructions", PLOT, LINE_WITHOUT},
                  {"disabled_flow_instructions", FLOW, LINE_WITHOUT},
                  {"disabled_value_instructions", VALUE, LINE_WITHOUT},
                  {"disabled_text_instructions", TEXT, LINE_WITHOUT}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        print(json, others[i].name, "instructions",
              cost_of(INLINED, others[i].with, others[i].without, 1, &switched).instructions, "", "1");
    print_others(json, &off);
    print_guest(json, &off);
    return failed;
}
