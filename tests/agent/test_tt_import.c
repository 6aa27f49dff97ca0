/* What becomes of tt-metal's files: device logs with their pairs of markers, NoC traces, reports of
 * operations. */
#include "tests/agent/tt_import_check.h"
#include "host/trace/fill.h"
#include "host/trace/trace.h"
#include "tests/tt/tt_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEAD                                                                                                 \
    "ARCH: blackhole, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 130\n"                                        \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "             \
    "run host ID, trace id, trace id counter,  zone name, type, source line, source file, meta data\n"
#define CORE                  "0,1,2,BRISC,"
#define ROW(time, zone, type) CORE "7," #time ",0,1024,,," zone "," type ",9,a.cc,\n"
#define BEGIN(time, zone)     ROW(time, zone, "ZONE_START")
#define END(time, zone)       ROW(time, zone, "ZONE_END")
#define CLOCK(zero)                                                                                          \
    "tendril.chip_clock: chip 0 blackhole 1000.000000 MHz 130 cores, time 0 is cycle " zero "\n"
#define TRACK "chip 0 tile 1,2 BRISC\n"

static struct tt_check check_text(const char *log, const char *text)
{
    struct tt_check check = {.files[0] = {"log.csv", log, strlen(log)}, .piece = 50};
    if (tt_import_check(&check))
        fail_msg("%s", check.err.text);
    assert_string_equal(check.text, text);
    free(check.text);
    return check;
}

static void markers_are_put_in_order_of_time_and_paired(void **state)
{
    (void)state;
    /* As the firmware leaves them: its own four markers first. */
    const struct tt_check check = check_text(
        HEAD BEGIN(1000, "BRISC-FW") END(1900, "BRISC-FW") BEGIN(1100, "BRISC-KERNEL")
            END(1800, "BRISC-KERNEL") BEGIN(1200, "in") END(1300, "in") BEGIN(1300, "in")
                BEGIN(1400, "CB-COMPUTE-WAIT-FRONT") END(1500, "CB-COMPUTE-WAIT-FRONT") END(1800, "in"),
        TRACK "  BRISC-FW 0 900 op 1024|flow in launch #1024\n"
              "    BRISC-KERNEL 100 700 \n"
              "      in 200 100 \n"
              "      in 300 500 \n"
              "        CB-COMPUTE-WAIT-FRONT 400 100 \n" CLOCK("1000"));
    assert_int_equal(check.counts.rows, 10);
    assert_int_equal(check.counts.lanes.zones, 5);
    assert_int_equal(check.counts.lanes.open, 0);
}

static void equal_times_nest_the_inner_zone_in_the_outer_one(void **state)
{
    (void)state;
    check_text(HEAD BEGIN(10, "BRISC-FW") END(20, "BRISC-FW") BEGIN(10, "BRISC-KERNEL")
                   END(20, "BRISC-KERNEL") BEGIN(10, "none") END(10, "none") BEGIN(20, "none") END(20, "none")
                       BEGIN(20, "BRISC-FW") END(20, "BRISC-FW"),
               TRACK "  BRISC-FW 0 10 op 1024|flow in launch #1024\n"
                     "    BRISC-KERNEL 0 10 \n"
                     "      none 0 0 \n"
                     "  none 10 0 op 1024|flow in launch #1024\n"
                     "  BRISC-FW 10 0 op 1024|flow in launch #1024\n" CLOCK("10"));
}

static void missing_ends_become_ends_at_the_last_time(void **state)
{
    (void)state;
    const struct tt_check check = check_text(
        HEAD BEGIN(10, "BRISC-FW") BEGIN(11, "BRISC-KERNEL") BEGIN(12, "in") END(20, "BRISC-KERNEL")
            BEGIN(30, "BRISC-FW") END(35, "other") BEGIN(40, "BRISC-KERNEL") BEGIN(50, "in") END(60, "in"),
        TRACK "  BRISC-FW 0 10 op 1024|flow in launch #1024|no end in the file\n"
              "    BRISC-KERNEL 1 9 \n"
              "      in 2 8 no end in the file\n"
              "  BRISC-FW 20 30 op 1024|flow in launch #1024|no end in the file\n"
              "    BRISC-KERNEL 30 20 no end in the file\n"
              "      in 40 10 \n" CLOCK("10"));
    assert_int_equal(check.counts.lanes.open, 4);
    assert_int_equal(check.counts.lanes.unmatched, 1);
}

/* As NoC traces may have them: `b` ends after `a`, in which it began, and `c` lies in both. */
static void zones_that_end_crosswise_keep_their_times(void **state)
{
    (void)state;
    const struct tt_check check = check_text(
        HEAD BEGIN(10, "BRISC-KERNEL") BEGIN(20, "a") BEGIN(30, "b") BEGIN(32, "c") END(35, "c") END(40, "a")
            END(45, "b") BEGIN(50, "a") BEGIN(52, "a") BEGIN(54, "b") END(56, "a") END(58, "b") END(59, "a")
                BEGIN(60, "a") BEGIN(61, "b") END(62, "b") END(62, "a") END(70, "BRISC-KERNEL"),
        TRACK "  BRISC-KERNEL 0 60 op 1024|flow in launch #1024\n"
              "    b 20 15 \n"
              "      c 22 3 \n"
              "    a 40 9 \n"
              "      b 44 4 \n"
              "    a 50 2 \n"
              "      b 51 1 \n"
              "chip 0 tile 1,2 BRISC, line 2\n"
              "  a 10 20 \n"
              "  a 42 4 \n" CLOCK("10"));
    assert_int_equal(check.counts.lanes.zones, 9);
    assert_int_equal(check.counts.lanes.crossing, 2);
    assert_int_equal(check.counts.lanes.open + check.counts.lanes.unmatched, 0);
}

static void other_markers_become_messages_and_plots(void **state)
{
    (void)state;
    const struct tt_check check = check_text(
        HEAD CORE "3,10,77,1024,5,2,size,TS_DATA,1,a.cc,\n" CORE "33,11,0,0,,,,TS_EVENT,0,,\n" CORE
                  "4,12,500,1024,,,CB-COMPUTE-WAIT-FRONT,ZONE_TOTAL,1,a.cc,\n" CORE
                  "5,13,3,1024,,,,TS_DATA,0,,{\"counter type\": \"FPU_COUNTER\"; \"value\": 30; \"ref cnt\": "
                  "120}\n" CORE "6,14,9,0,,,process_cmd,TS_DATA,0,,{\"dispatch_command_type\": \"CQ_WAIT\"}\n"
                  "0,1,2,DRISC,7,15,0,2048,5,2,X,ZONE_START,1,b.cc,{\"workers_runtime_id\": 9; \"a\": 1}\n"
                  "0,1,2,DRISC,7,16,0,2048,5,2,X,ZONE_END,1,b.cc,\n" CORE "6,17,9,0,,,x,TS_WHAT,0,,\n",
        TRACK
        "chip 0 tile 1,2 DRISC\n"
        "  X 5 1 op 2048|flow in launch #2048|trace 5 replay 2|{\"workers_runtime_id\": 9, \"a\": 1}\n"
        "0 chip 0 tile 1,2 BRISC: size: 77\n"
        "1 chip 0 tile 1,2 BRISC: event 33\n"
        "2 chip 0 tile 1,2 BRISC: CB-COMPUTE-WAIT-FRONT: 500 ticks\n"
        "3 chip 0 tile 1,2 BRISC: counter FPU_COUNTER: 30 of 120\n"
        "4 chip 0 tile 1,2 BRISC: process_cmd: 9 {\"dispatch_command_type\": \"CQ_WAIT\"}\n" CLOCK("10"));
    assert_int_equal(check.counts.lanes.plot_points, 1);
    assert_int_equal(check.counts.odd, 1);
}

/* 4095 bytes of meta data are kept, after the first 90 bytes of a name and a number of 20 digits. */
static void long_meta_data_is_kept_whole(void **state)
{
    (void)state;
    char name[100], meta[4096], log[5000], text[4400];
    memset(name, 'n', 90);
    name[90] = 0;
    memset(meta, 'm', 4095);
    meta[0] = '{';
    meta[4094] = '}';
    meta[4095] = 0;
    snprintf(log, sizeof log, HEAD CORE "3,10,18446744073709551615,0,,,%s,TS_DATA,0,,%s\n", name, meta);
    snprintf(text, sizeof text, TRACK "0 chip 0 tile 1,2 BRISC: %s: 18446744073709551615 %s\n" CLOCK("10"),
             name, meta);
    check_text(log, text);
}

static void the_log_of_2025_has_its_launches_and_noc_events(void **state)
{
    (void)state;
    struct tt_check check = {.files[0].name = "log.csv", .piece = 1000};
    uint8_t *bytes = tt_file_read(tt_file_data("profile_log_device.wh_13col.csv"), &check.files[0].count);
    check.files[0].bytes = bytes;
    assert_int_equal(tt_import_check(&check), 0);
    assert_non_null(
        strstr(check.text,
               "chip 0 tile 1,1 BRISC\n"
               "  BRISC-FW 0 9241 op 1024|flow in launch #1024\n    BRISC-KERNEL 880 8181 \n"
               "  BRISC-FW 480790142 8608 op 2048|flow in launch #2048\n    BRISC-KERNEL 480791104 7467 \n"
               "  BRISC-FW 490395041 9204 op 3072|flow in launch #3072\n    BRISC-KERNEL 490395919 8147 \n"
               "  BRISC-FW 490521232 8533 op 4096|flow in launch #4096\n    BRISC-KERNEL 490522203 7380 \n"));
    assert_non_null(strstr(check.text, " op 5120|flow in launch #5120|no end in the file\n"));
    assert_non_null(strstr(
        check.text, "4068 chip 0 tile 1,1 BRISC: NoC WRITE_ dx=9 dy=0 noc=NOC_1 num_bytes=256 vc=1\n"));
    assert_non_null(strstr(
        check.text, "8676 chip 0 tile 1,1 BRISC: NoC WRITE_BARRIER_START noc=NOC_1 num_bytes=0 vc=-1\n"));
    assert_non_null(strstr(check.text, "time 0 is cycle 2170879416545\n"));
    assert_int_equal(check.counts.noc_events, 182);
    assert_int_equal(check.counts.lanes.open, 2);
    free(check.text);
    free(bytes);
}

#define NOC(core, rest)  "{\"proc\":\"BRISC\",\"sx\":" #core ",\"sy\":2," rest "}"
#define NOC_ZONE(phase)  "\"zone\":\"Z\",\"zone_phase\":\"" phase "\""
#define NOC_ON(chip, at) "\"src_device_id\":" #chip ",\"type\":\"READ\",\"timestamp\":" #at

static void zones_have_the_phases_of_today_and_of_before(void **state)
{
    (void)state;
    static const char now[] = "[" NOC(1, NOC_ZONE("ZONE_START") ",\"timestamp\":0") "," NOC(
        1, NOC_ZONE("ZONE_END") ",\"timestamp\":100") "]";
    static const char before[] =
        "[" NOC(1, NOC_ZONE("begin") ",\"timestamp\":0") "," NOC(1, NOC_ZONE("end") ",\"timestamp\":100") "]";
    const char *const files[] = {now, before};
    for (int i = 0; i < 2; i++) {
        struct tt_check check = {.files[0] = {"noc_trace_dev0_k_ID1.json", files[i], strlen(files[i])}};
        assert_int_equal(tt_import_check(&check), 0);
        assert_non_null(strstr(check.text, "chip 0 tile 1,2 BRISC\n  Z 0 100 op 1"));
        free(check.text);
    }
    static const char other[] = "[" NOC(1, NOC_ZONE("ZONE_TOTAL") ",\"timestamp\":0") "]";
    struct tt_check check = {.files[0] = {"noc_trace_dev0_k_ID1.json", other, sizeof other - 1}};
    assert_int_equal(tt_import_check(&check), TD_E_FORMAT);
    free(check.text);
}

static void a_noc_trace_may_have_several_chips(void **state)
{
    (void)state;
    /* clang-format off */
    static const char two[] = "["
        NOC(1, NOC_ZONE("ZONE_START") ",\"timestamp\":5") ","
        NOC(1, NOC_ON(0, 10)) ","
        NOC(1, NOC_ON(0, 90)) ","
        NOC(1, NOC_ZONE("ZONE_END") ",\"timestamp\":95") ","
        NOC(2, NOC_ZONE("ZONE_START") ",\"timestamp\":6") ","
        NOC(2, NOC_ON(3, 13)) ","
        NOC(2, NOC_ZONE("ZONE_END") ",\"timestamp\":93") ","
        NOC(1, NOC_ZONE("ZONE_START") ",\"timestamp\":7") ","
        NOC(1, NOC_ON(3, 14)) ","
        NOC(1, NOC_ZONE("ZONE_END") ",\"timestamp\":94") "]";
    /* clang-format on */
    static const char *const names[] = {"unnamed.json", "noc_trace_dev3_k_ID1.json"};
    for (int i = 0; i < 2; i++) {
        struct tt_check check = {.files[0] = {names[i], two, sizeof two - 1}};
        assert_int_equal(tt_import_check(&check), 0);
        assert_int_equal(check.counts.lanes.chips, 2);
        assert_non_null(strstr(check.text, "chip 0 tile 1,2 BRISC: NoC READ"));
        assert_non_null(strstr(check.text, "chip 3 tile 2,2 BRISC: NoC READ"));
        /* The file's name decides about objects that do not say their chip. */
        assert_int_equal(!strstr(check.text, "chip 0 tile 1,2 BRISC\n  Z 0 90"), i);
        assert_int_equal(!strstr(check.text, "chip 3 tile 1,2 BRISC\n  Z 1 87"), i);
        assert_int_equal(check.counts.lanes.unmatched + check.counts.lanes.open, 0);
        free(check.text);
    }
}

static void noc_traces_are_put_one_after_the_other(void **state)
{
    (void)state;
    static const char first[] =
        "[{\"proc\":\"BRISC\",\"sx\":1,\"sy\":2,\"timestamp\":0,\"zone\":\"BRISC-KERNEL\","
        "\"zone_phase\":\"begin\",\"run_host_id\":1027,\"op_name\":\"Gather\"},"
        "{\"proc\":\"BRISC\",\"sx\":1,\"sy\":2,\"timestamp\":40,\"type\":\"READ\","
        "\"noc\":\"NOC_0\",\"num_bytes\":64,\"dx\":3,\"dy\":4,\"vc\":-1},"
        "{\"proc\":\"BRISC\",\"sx\":1,\"sy\":2,\"timestamp\":90,\"zone\":\"BRISC-KERNEL\","
        "\"zone_phase\":\"end\"}]";
    struct tt_check check = {.files[0] = {"noc_trace_dev3_Gather_ID1027.json", first, sizeof first - 1},
                             .files[1] = {"noc_trace_dev3_Gather_ID2051.json", first, sizeof first - 1}};
    assert_int_equal(tt_import_check(&check), 0);
    assert_string_equal(check.text,
                        "chip 3 tile 1,2 BRISC\n"
                        "  BRISC-KERNEL 0 90 op 1027|flow in launch #1027|name Gather\n"
                        "  BRISC-KERNEL 1090 90 op 1027|flow in launch #1027|name Gather\n"
                        "40 chip 3 tile 1,2 BRISC: NoC READ dx=3 dy=4 noc=NOC_0 num_bytes=64 vc=-1\n"
                        "1130 chip 3 tile 1,2 BRISC: NoC READ dx=3 dy=4 noc=NOC_0 num_bytes=64 vc=-1\n"
                        "tendril.chip_clock: chip 3 unknown 1000.000000 MHz 0 cores, time 0 is cycle 0\n");
    assert_int_equal(check.counts.moved, 1);
    free(check.text);
}

#define OPS                                                                                                  \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,HOST END TS,DEVICE FW START CYCLE,"           \
    "DEVICE FW END CYCLE,DEVICE FW DURATION [ns],PROGRAM CACHE HIT\r\n"

static void reports_relate_the_chip_to_the_host(void **state)
{
    (void)state;
    static const char report[] = OPS "start,signpost,,,1000,,,,,\r\n"
                                     "Add,tt_dnn_device,1024,0,2000,2500,500000,502700,2000,False\r\n"
                                     "(torch) numel,python_fallback,3,,3000,3100,,,,\r\n"
                                     "Mul,tt_dnn_device,2048,0,4000,4200,503375,504725,1000,True\r\n";
    static const char log[] =
        "ARCH: blackhole, CHIP_FREQ[MHz]: 1350\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
        "data, run host ID, zone name, type, source line, source file, meta data\n"
        "0,1,2,NCRISC,7,503375,0,2048,NCRISC-FW,ZONE_START,9,a.cc,\n"
        "0,1,2,NCRISC,7,504725,0,2048,NCRISC-FW,ZONE_END,9,a.cc,\n";
    struct tt_check check = {.files[0] = {"report.csv", report, sizeof report - 1},
                             .files[1] = {"log.csv", log, sizeof log - 1},
                             .piece = 9};
    assert_int_equal(tt_import_check(&check), 0);
    /* Add began soonest after the host: Mul began 2500 ns after it on the chip, 2000 ns on the host. */
    assert_non_null(
        strstr(check.text, "chip 0 tile 1,2 NCRISC\n  NCRISC-FW 4500 1000 op 2048|flow in launch #2048\n"));
    assert_non_null(strstr(
        check.text, "host\n  Add 2000 500 id:1024|flow out launch #1024\n  (torch) numel 3000 100 id:3\n"
                    "  Mul 4000 200 id:2048|flow out launch #2048\n"));
    assert_non_null(strstr(check.text, "chip 0 operations\n  Add 2000 2000 op 1024|flow in launch #1024\n  "
                                       "Mul 4500 1000 op 2048|flow in launch #2048\n"));
    assert_non_null(strstr(check.text, "1000 host: TENDRIL_REPORT_COLUMNS: [\"OP CODE\", \"OP TYPE\","));
    assert_non_null(strstr(check.text, "1000 host: `TT_SIGNPOST: start`\n"));
    assert_non_null(
        strstr(check.text,
               "2000 host: `TT_DNN_DEVICE_OP: \"Add\", 0, 0, false, 1024 ->|{\"global_call_count\": 1024, "
               "\"op_code\": \"Add\", \"op_type\": \"tt_dnn_device\", \"device_id\": 0, \"report\": "
               "{\"OP CODE\": \"Add\", \"OP TYPE\": \"tt_dnn_device\", \"GLOBAL CALL COUNT\": \"1024\","));
    assert_non_null(strstr(check.text, "3000 host: `TT_DNN_FALL_BACK_OP: \"(torch) numel\" ->|{"));
    assert_int_equal(check.counts.ops.device, 2);
    assert_int_equal(check.counts.ops.host, 1);
    assert_int_equal(check.counts.ops.signposts, 1);
    free(check.text);
}

static void what_came_before_the_report_moves_the_begin(void **state)
{
    (void)state;
    static const char report[] = OPS "Add,tt_dnn_device,1024,0,7000,7500,500000,502000,1990,\r\n";
    static const char later[] = OPS "Mul,tt_dnn_device,2048,0,6800,6900,520000,522000,2000,\r\n";
    static const char log[] = HEAD BEGIN(492000, "BRISC-FW") END(492500, "BRISC-FW");
    struct tt_check check = {.files[0] = {"report.csv", report, sizeof report - 1},
                             .files[1] = {"log.csv", log, sizeof log - 1},
                             .files[2] = {"later.csv", later, sizeof later - 1}};
    assert_int_equal(tt_import_check(&check), 0);
    assert_non_null(strstr(check.text, TRACK "  BRISC-FW 0 500 op 1024"));
    assert_non_null(strstr(check.text, "\n  Add 8000 500 id:1024"));
    assert_non_null(strstr(check.text, "host\n  Mul 7800 100 id:2048"));
    assert_non_null(strstr(check.text, "chip 0 operations\n  Add 8000 2000 op 1024"));
    assert_int_equal(check.counts.lanes.late, 0);
    free(check.text);
}

static void messages_of_programs_relate_the_chip_to_the_host(void **state)
{
    (void)state;
    static const char data[] = "MessageName;total_ns\n"
                               "`TT_DNN_DEVICE_OP: \"Add; fast\", 5, 0, false, 1024 ->\n{\"a\": 1}`;2000\n"
                               "plain; text;2500\n"
                               "`TT_DNN_DEVICE_OP: \"Add; fast\", 5, 0, true, 2048`;9000\n"
                               "`TT_SIGNPOST: end`;9500\n";
    static const char log[] = HEAD BEGIN(70000, "BRISC-FW") END(70500, "BRISC-FW") CORE
        "7,76500,0,2048,,,BRISC-FW,ZONE_START,9,a.cc,\n" CORE "7,77000,0,2048,,,BRISC-FW,ZONE_END,9,a.cc,\n";
    struct tt_check check = {.files[0] = {"data.csv", data, sizeof data - 1},
                             .files[1] = {"log.csv", log, sizeof log - 1},
                             .piece = 11};
    assert_int_equal(tt_import_check(&check), 0);
    /* Operation 2048 began 500 ns sooner after its message than 1024: it begins with the message. */
    assert_string_equal(check.text, TRACK
                        "  BRISC-FW 2500 500 op 1024|flow in launch #1024\n"
                        "  BRISC-FW 9000 500 op 2048|flow in launch #2048\n"
                        "host\n"
                        "2000 host: `TT_DNN_DEVICE_OP: \"Add; fast\", 5, 0, false, 1024 ->|{\"a\": 1}`\n"
                        "2500 host: plain; text\n"
                        "9000 host: `TT_DNN_DEVICE_OP: \"Add; fast\", 5, 0, true, 2048`\n"
                        "9500 host: `TT_SIGNPOST: end`\n" CLOCK("67500"));
    assert_int_equal(check.counts.messages, 4);
    free(check.text);
}

static void measured_clocks_relate_all_chips_to_the_host(void **state)
{
    (void)state;
    /* Chip 0 is at cycle 70000 at the host's 2000 ns; chip 1 is 1000 cycles before it. */
    static const char clocks[] =
        "device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,frequency,"
        "tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n"
        "0,1,1,70000,0,0.00,9,5000,70000.00,1.000000,0.5,1000,1.0,0\n"
        "0,,,,,,,,,,,,1.0,0\n1,,,,,,,,,,,,1.0,1000\n";
    static const char log[] = HEAD BEGIN(70000, "BRISC-FW")
        END(70500, "BRISC-FW") "1,1,1,BRISC,7,69100,0,1024,,,BRISC-FW,ZONE_START,9,a.cc,\n"
                               "1,1,1,BRISC,7,69400,0,1024,,,BRISC-FW,ZONE_END,9,a.cc,\n";
    struct tt_check check = {.files[0] = {"sync_device_info.csv", clocks, sizeof clocks - 1},
                             .files[1] = {"log.csv", log, sizeof log - 1},
                             .piece = 5};
    assert_int_equal(tt_import_check(&check), 0);
    assert_non_null(strstr(check.text, TRACK "  BRISC-FW 2000 500 op 1024"));
    assert_non_null(strstr(check.text, "chip 1 tile 1,1 BRISC\n  BRISC-FW 2100 300 op 1024"));
    assert_int_equal(check.counts.clocks, 2);
    free(check.text);
}

static void operations_that_overlap_get_another_track(void **state)
{
    (void)state;
    static const char report[] = OPS "A,tt_dnn_device,1024,0,,,1000,3000,2000,\r\n"
                                     "B,tt_dnn_device,2048,0,,,2000,4000,2000,\r\n"
                                     "C,tt_dnn_device,3072,0,,,3000,3500,500,\r\n";
    struct tt_check check = {.files[0] = {"report.csv", report, sizeof report - 1}};
    assert_int_equal(tt_import_check(&check), 0);
    assert_non_null(strstr(check.text, "chip 0 operations\n  A 0 2000 op 1024|flow in launch #1024\n  C 2000 "
                                       "500 op 3072|flow in launch #3072\n"
                                       "chip 0 operations 2\n  B 1000 2000 op 2048|flow in launch #2048\n"));
    free(check.text);
}

static void expect_error(const char *first, const char *second, const char *error)
{
    struct tt_check check = {.files[0] = {"a.csv", first, strlen(first)}, .piece = 3};
    if (second) {
        check.files[1].name = "b.csv";
        check.files[1].bytes = second;
        check.files[1].count = strlen(second);
    }
    assert_int_equal(tt_import_check(&check), TD_E_FORMAT);
    assert_string_equal(check.err.text, error);
}

static void bad_files_are_one_line_with_file_and_row(void **state)
{
    (void)state;
    static const char other[] = "ARCH: blackhole, CHIP_FREQ[MHz]: 1350\n"
                                "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
                                "time[cycles since reset]\n0,1,2,BRISC,7,10\n";
    expect_error(HEAD "0,64,2,BRISC,7,10,0,1024,,,X,ZONE_START,9,a.cc,\n", NULL,
                 "a.csv:3: chip 0, core 64,2 is no place: chips are below 2048, x and y below 64");
    expect_error(HEAD BEGIN(10, "X"), other,
                 "b.csv:3: chip 0 has 1350 MHz here, and 1000 MHz in another file");
    expect_error(OPS "A,tt_dnn_device,1024,0,,,3000,1000,2000,\r\n", NULL,
                 "a.csv:2: the operation ends before it begins");
    expect_error(OPS "A,tt_dnn_device,1024,x,,,1000,3000,2000,\r\n", NULL,
                 "a.csv:2: DEVICE ID is 'x', which is no number");
    expect_error("MessageName;total_ns\n`TT_SIGNPOST: a`;5\nno time\nx;6\n", NULL,
                 "a.csv:3: the message has no time");
    expect_error("[{\"proc\":\"BRISC\",\"sx\":99,\"sy\":2,\"timestamp\":5,\"type\":\"READ\"}]", NULL,
                 "a.csv:1: chip 0, core 99,2 is no place: chips are below 2048, x and y below 64");
}

/* Markers of two cores as the firmware leaves them, of many more launches than may wait. Returns the
 * counts after `late` more cycles were taken from the last marker's time. */
static struct td_tt_lane_counts push_many(size_t launches, int64_t late)
{
    struct td_err err = {0};
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = td_hub_create(td_trace_fill_dict(trace));
    struct td_tt_lanes *lanes = td_tt_lanes_create(hub, 4096);
    assert_non_null(lanes);
    assert_int_equal(td_hub_add_sink(hub, td_trace_sink(trace)), 0);
    td_tt_lanes_chip(lanes, 0)->mhz = 1000;
    const struct td_srcloc outer = {.name = td_dict_cstring(td_hub_dict(hub), "BRISC-FW")};
    const struct td_srcloc inner = {.name = td_dict_cstring(td_hub_dict(hub), "in")};
    const uint32_t what[] = {td_dict_srcloc(td_hub_dict(hub), &outer),
                             td_dict_srcloc(td_hub_dict(hub), &inner)};
    static const struct {
        int64_t cycle;
        int zone, kind;
    } markers[] = {{0, 0, TD_TT_ITEM_BEGIN}, {90, 0, TD_TT_ITEM_END},   {10, 1, TD_TT_ITEM_BEGIN},
                   {20, 1, TD_TT_ITEM_END},  {30, 1, TD_TT_ITEM_BEGIN}, {80, 1, TD_TT_ITEM_END}};
    for (size_t launch = 0; launch < launches; launch++)
        for (size_t i = 0; i < 6; i++) {
            const int64_t earlier = launch + 1 == launches && i == 5 ? late : 0;
            const struct td_tt_item item = {.cycle =
                                                5000000 + (int64_t)launch * 100 + markers[i].cycle - earlier,
                                            .what = what[markers[i].zone],
                                            .kind = (uint32_t)markers[i].kind};
            const int64_t lane = td_tt_lanes_find(lanes, 0, launch % 2, 1, td_tt_text_of("BRISC"), &err);
            assert_int_equal(td_tt_lanes_add(lanes, (uint32_t)lane, &item, &err), 0);
        }
    assert_int_equal(td_tt_lanes_end_stream(lanes, &err), 0);
    assert_int_equal(td_trace_finish(trace, &err), 0);
    const struct td_tt_lane_counts counts = *td_tt_lanes_get_counts(lanes);
    assert_int_equal(td_trace_track_zones(trace, 0) + td_trace_track_zones(trace, 1), counts.zones);
    td_tt_lanes_destroy(lanes);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return counts;
}

static void long_logs_are_put_in_order_piece_by_piece(void **state)
{
    (void)state;
    const struct td_tt_lane_counts counts = push_many(20000, 0);
    assert_int_equal(counts.zones, 60000);
    assert_int_equal(counts.late, 0);
    assert_int_equal(counts.open, 0);
    assert_int_equal(counts.unmatched, 0);
}

static void what_comes_too_late_is_counted(void **state)
{
    (void)state;
    const struct td_tt_lane_counts counts = push_many(20000, 1900000);
    assert_int_equal(counts.late, 1);
    assert_int_equal(counts.zones, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_are_put_in_order_of_time_and_paired),
        cmocka_unit_test(equal_times_nest_the_inner_zone_in_the_outer_one),
        cmocka_unit_test(missing_ends_become_ends_at_the_last_time),
        cmocka_unit_test(zones_that_end_crosswise_keep_their_times),
        cmocka_unit_test(other_markers_become_messages_and_plots),
        cmocka_unit_test(long_meta_data_is_kept_whole),
        cmocka_unit_test(the_log_of_2025_has_its_launches_and_noc_events),
        cmocka_unit_test(zones_have_the_phases_of_today_and_of_before),
        cmocka_unit_test(a_noc_trace_may_have_several_chips),
        cmocka_unit_test(noc_traces_are_put_one_after_the_other),
        cmocka_unit_test(reports_relate_the_chip_to_the_host),
        cmocka_unit_test(what_came_before_the_report_moves_the_begin),
        cmocka_unit_test(messages_of_programs_relate_the_chip_to_the_host),
        cmocka_unit_test(measured_clocks_relate_all_chips_to_the_host),
        cmocka_unit_test(operations_that_overlap_get_another_track),
        cmocka_unit_test(bad_files_are_one_line_with_file_and_row),
        cmocka_unit_test(long_logs_are_put_in_order_piece_by_piece),
        cmocka_unit_test(what_comes_too_late_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
