/* Board descriptions: the parsed values, and contradictions, which are refused with their line number. */
#include "host/device/board/board.h"
#include "proto/device/lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char good[] =
    "[board]\nname=demo\ntransports=shm\nchips=2\n"
    "[clock]\nfrequency_mhz=1000.5\nlow=0xFFB121F0\nlive_high=0xFFB121F4\nlatched_high=0xFFB121F8\n"
    "[reset]\nsoft_reset=0xFFB121B0\n"
    "[noc]\nwidth=17\nheight=12\nregs=0xFFB20000\n"
    "[grid]\ncolumns=1-7,10-16\nrows=2-11\nharvested_columns=3\nharvested_rows=\ndefault=2x2\n"
    "[tensix]\nl1_base=0\nl1_bytes=1499136\nlane_base=0x400\nring_slots=256\ndata_base=0xC0000\n"
    "; a comment\n"
    "[core BRISC]\nreset_bit=11\nstart=0\ncode_base=0x20000\ncode_bytes=0x20000\n"
    "local_base=0xFFB00000\nlocal_bytes=4096\n"
    "[core TRISC0]\nreset_bit=12\nstart=0x6000\ncode_base=0x60000\ncode_bytes=0x20000\n"
    "local_base=0xFFB00000\nlocal_bytes=2048\n"
    "[dram]\nbanks=3\nbank_bytes=16777216\npositions=0,0 0,1\npositions=9,0\n";

/* The good text with `from` replaced by `to`. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(good, from);
    assert_non_null(at);
    char *text = malloc(sizeof good + strlen(to));
    sprintf(text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    return text;
}

static void what_a_description_says_is_read(void **state)
{
    struct td_board b;
    struct td_err err = {0};
    assert_int_equal(td_board_parse(&b, good, "demo", NULL, &err), 0);
    assert_string_equal(b.name, "demo");
    assert_string_equal(b.transports[0], "shm");
    assert_int_equal(b.chips, 2);
    assert_true(b.frequency_hz == 1000.5e6);
    assert_int_equal(b.clock_live_high, 0xFFB121F4);
    assert_int_equal(b.core_count, 2);
    assert_string_equal(b.cores[1].name, "TRISC0");
    assert_int_equal(b.cores[1].local_bytes, 2048);
    assert_int_equal(b.grid_width, 2);
    assert_int_equal(b.dram_banks, 3);
    assert_int_equal(b.dram_x[2], 9);
    assert_int_equal(td_board_lane_ctrl(&b, 1), 0x400 + 64 + 128);
    assert_int_equal(td_board_ring(&b, 1), 0x400 + 64 + 2 * 128 + 2048);
}

static void harvested_columns_are_left_out_of_the_logical_grid(void **state)
{
    struct td_board b;
    assert_int_equal(td_board_parse(&b, good, "demo", "13x10", NULL), 0);
    assert_int_equal(b.grid_width, 13);
    struct td_tile_at at = td_board_tile(&b, 1, 2, 9);
    assert_int_equal(at.chip, 1);
    assert_int_equal(at.x, 4);
    assert_int_equal(at.y, 11);
    assert_int_equal(td_board_tile(&b, 0, 12, 0).x, 16);
}

static void a_grid_that_does_not_fit_is_refused(void **state)
{
    struct td_board b;
    static const char *const grids[] = {"14x10", "13x11", "0x1",  "2", "2x2x2",
                                        "axb",   "-1x2",  "2 x2", "",  "64x1"};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        struct td_err err = {0};
        assert_int_equal(td_board_parse(&b, good, "demo", grids[i], &err), TD_E_USAGE);
        assert_non_null(strstr(err.text, "grid"));
    }
}

static void two_cores_do_not_have_one_signal_of_the_debug_bus(void **state)
{
    static const char bus[] = "[debug_bus]\ncontrol=0xFFB12054\ndata=0xFFB1205C\npc_mask=0x3FFFFFFF\n";
    char text[4096];
    struct td_board b;
    struct td_err err = {0};
    char *half = changed("start=0x6000\n", "start=0x6000\npc_select=13\n");
    snprintf(text, sizeof text, "%s%s[core BRISC]\npc_select=11\n", half, bus);
    assert_int_equal(td_board_parse(&b, text, "demo", NULL, &err), 0);
    assert_int_equal(b.debug_control, 0xFFB12054);
    assert_int_equal(b.debug_data, 0xFFB1205C);
    assert_int_equal(b.debug_pc_mask, 0x3FFFFFFF);
    assert_int_equal(b.cores[0].pc_select, 11);
    assert_int_equal(b.cores[1].pc_select, 13);
    snprintf(text, sizeof text, "%s%s[core BRISC]\npc_select=13\n", half, bus);
    assert_int_equal(td_board_parse(&b, text, "demo", NULL, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "belongs to core BRISC already"));
    free(half);
}

static void a_contradiction_is_refused_with_file_and_line(void **state)
{
    static const struct {
        const char *from, *to, *where, *what;
    } cases[] = {
        {"ring_slots=256", "ring_slots=300", "demo:26:", "power of two"},
        {"ring_slots=256", "ring_slots=32768", "demo:", "overlaps"},
        {"ring_slots=256", "ring_slots=-256", "demo:26:", "ring_slots=-256"},
        {"ring_slots=256", "ring_slots=256k", "demo:26:", "ring_slots=256k"},
        {"lane_base=0x400", "lane_base=0x404", "demo:25:", "multiple of 16"},
        {"reset_bit=12", "reset_bit=11", "demo:37:", "belongs to core BRISC"},
        {"reset_bit=12", "reset_bit=32", "demo:37:", "0 to 31"},
        {"code_base=0x60000", "code_base=0x30000", "demo:39:", "overlaps BRISC's code"},
        {"code_base=0x60000", "code_base=0x1000000", "demo:39:", "outside L1"},
        {"start=0x6000", "start=0x500", "demo:38:", "overlaps the lanes"},
        {"data_base=0xC0000", "data_base=0x70000", "demo:", "overlaps"},
        {"local_base=0xFFB00000\nlocal_bytes=2048", "local_base=0x1000\nlocal_bytes=2048",
         "demo:41:", "overlaps L1"},
        {"low=0xFFB121F0", "low=0x100", "demo:7:", "lies in L1"},
        {"low=0xFFB121F0", "low=0xFFB121F4", "demo:8:", "another register"},
        {"low=0xFFB121F0", "low=0xFFB00010", "demo:7:", "local RAM"},
        {"chips=2", "chips=0", "demo:4:", "chips=0"},
        {"start=0x6000", "start=0x6000\npc_select=3", "demo:39:", "needs a section [debug_bus]"},
        {"[reset]", "[debug_bus]\ncontrol=0xFFB12054\n[reset]", "demo:", "lacks data"},
        {"[reset]", "[debug_bus]\ncontrol=0xFFB12054\ndata=0xFFB121F0\npc_mask=1\n[reset]",
         "demo:12:", "another register"},
        {"[reset]", "[debug_bus]\ncontrol=0xFFB12056\ndata=0xFFB1205C\npc_mask=1\n[reset]",
         "demo:11:", "multiple of 4"},
        {"[reset]", "[timestamper]\nregister=0xFFB121FC\nbase=0x1F000\n[reset]",
         "demo:", "lacks buffer_bytes"},
        {"[reset]", "[timestamper]\nregister=0xFFB121FC\nbase=0x1F000\nbuffer_bytes=0x1000\n[reset]",
         "demo:", "overlaps"},
        {"[reset]", "[timestamper]\nregister=0xFFB121FC\nbase=0x14008\nbuffer_bytes=0x1000\n[reset]",
         "demo:11:", "multiples of 16"},
        {"chips=2", "chips=2\nchips=2", "demo:5:", "given twice"},
        {"chips=2", "chips=2\nchip=2", "demo:5:", "unknown key"},
        {"[reset]", "[rest]", "demo:11:", "unknown section"},
        {"chips=2", "chips=2\nnonsense", "demo:5:", "neither"},
        {"columns=1-7,10-16", "columns=1-7,10-17", "demo:17:", "outside the NoC"},
        {"columns=1-7,10-16", "columns=1-7,7-16", "demo:17:", "columns=1-7,7-16"},
        {"columns=1-7,10-16", "columns=7-1", "demo:17:", "columns=7-1"},
        {"columns=1-7,10-16\nrows=2-11\nharvested_columns=3", "columns=\nrows=2-11",
         "demo:17:", "no column is left"},
        {"harvested_columns=3", "harvested_columns=8", "demo:19:", "none of the board's columns"},
        {"default=2x2", "default=20x2", "demo:21:", "larger than the 13x10"},
        {"positions=9,0", "positions=0,1", "demo:47:", "a DRAM tile is already"},
        {"positions=9,0", "positions=1,2", "demo:47:", "where a Tensix tile is"},
        {"positions=9,0", "positions=9,12", "demo:47:", "outside the NoC"},
        {"positions=9,0", "positions=9;0", "demo:47:", "does not make sense"},
        {"positions=9,0", "", "demo:46:", "2 DRAM positions for 3 banks"},
        {"frequency_mhz=1000.5", "frequency_mhz=nan", "demo:6:", "frequency_mhz=nan"},
        {"name=demo", "name=../demo", "demo:2:", "name=../demo"},
        {"name=demo", "name=demo-demo-demo-demo-demo-demo-demo", "demo:2:", "name="},
        {"start=0x6000\n", "", "demo: ", "[core TRISC0] lacks start"},
        {"chips=2\n", "", "demo: ", "[board] lacks chips"},
        {"[core BRISC]", "[core BRISC RISC BRISC]", "demo:30:", "core's name"},
        {"l1_bytes=1499136", "l1_bytes=1499137", "demo:24:", "multiple of 4096"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = changed(cases[i].from, cases[i].to);
        struct td_board b;
        struct td_err err = {0};
        int rc = td_board_parse(&b, text, "demo", NULL, &err);
        if (rc != TD_E_FORMAT || strncmp(err.text, cases[i].where, strlen(cases[i].where)) != 0 ||
            !strstr(err.text, cases[i].what))
            fail_msg("%s -> %s: %d, %s", cases[i].from, cases[i].to, rc, err.text);
        free(text);
    }
}

static void a_line_too_long_is_refused_and_not_cut(void **state)
{
    char line[400] = "positions=";
    while (strlen(line) < 300)
        strcat(line, " 0,2");
    char *text = changed("positions=9,0", line);
    struct td_board b;
    struct td_err err = {0};
    assert_int_equal(td_board_parse(&b, text, "demo", NULL, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "demo:47: line is too long"));
    free(text);
}

static void every_truncation_is_an_error_or_a_board(void **state)
{
    char text[sizeof good];
    struct td_board b;
    for (size_t n = 0; n < sizeof good; n++) {
        memcpy(text, good, n);
        text[n] = 0;
        struct td_err err = {0};
        if (td_board_parse(&b, text, "demo", NULL, &err))
            assert_true(err.text[0] != 0);
    }
}

static void a_board_is_found_by_name_in_the_folders_of_the_environment(void **state)
{
    char folder[] = "/tmp/tendril-board-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/demo.board", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(good, f);
    fclose(f);
    setenv("TENDRIL_BOARDS", "/nowhere", 1);
    struct td_board b;
    struct td_err err = {0};
    assert_int_equal(td_board_load(&b, "demo-nowhere", NULL, NULL, &err), TD_E_NOTFOUND);
    char folders[200];
    snprintf(folders, sizeof folders, "/nowhere:%s", folder);
    setenv("TENDRIL_BOARDS", folders, 1);
    char *text = NULL;
    err = (struct td_err){0};
    assert_int_equal(td_board_load(&b, "demo", "4x3", &text, &err), 0);
    assert_int_equal(b.grid_width, 4);
    assert_string_equal(text, good);
    free(text);
    assert_int_equal(td_board_load(&b, path, NULL, NULL, NULL), 0);
    unlink(path);
    assert_int_equal(td_board_load(&b, path, NULL, NULL, &err), TD_E_NOTFOUND);
    rmdir(folder);
    unsetenv("TENDRIL_BOARDS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_description_says_is_read),
        cmocka_unit_test(harvested_columns_are_left_out_of_the_logical_grid),
        cmocka_unit_test(a_grid_that_does_not_fit_is_refused),
        cmocka_unit_test(two_cores_do_not_have_one_signal_of_the_debug_bus),
        cmocka_unit_test(a_contradiction_is_refused_with_file_and_line),
        cmocka_unit_test(a_line_too_long_is_refused_and_not_cut),
        cmocka_unit_test(every_truncation_is_an_error_or_a_board),
        cmocka_unit_test(a_board_is_found_by_name_in_the_folders_of_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
