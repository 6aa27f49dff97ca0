/* Descriptions with a base, chips that differ, windows, relays: the parsed values, and errors with the right
 * file and line. */
#include "host/device/board/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define HEAD                                                                                                 \
    "[board]\nname=low\ntransports=shm,pci\nchips=2\n"                                                       \
    "[clock]\nfrequency_mhz=1000\nlow=0xFFB121F0\nlive_high=0xFFB121F4\n"                                    \
    "[reset]\nsoft_reset=0xFFB121B0\n[noc]\nwidth=10\nheight=12\n"                                           \
    "[grid]\ncolumns=1-4,6-9\nrows=1-5,7-11\nharvest_axis=rows\nharvest_order=11,1,10,2,9,3,8,4,7,"          \
    "5\ndefault=2x2\n"
#define TILE                                                                                                 \
    "[tensix]\nl1_base=0\nl1_bytes=1499136\nlane_base=0x400\nring_slots=256\ndata_base=0xC0000\n"            \
    "[core A]\nreset_bit=11\nstart=0\ncode_base=0x20000\ncode_bytes=0x20000\nlocal_base=0xFFB00000\n"        \
    "local_bytes=4096\n"                                                                                     \
    "[core B]\nreset_bit=12\nstart=0x40000\ncode_base=0x40000\ncode_bytes=0x20000\nlocal_base=0xFFB00000\n"  \
    "local_bytes=4096\n"
#define WINDOW                                                                                               \
    "[pci]\nvendor=0x1E52\ndevice=0x401E,0x401F\n"                                                           \
    "[window "                                                                                               \
    "small]\nbytes=0x100000\ncount=156\nbar=0\nbar_offset=0\nregisters=0x1FC00000\nregister_bytes=8\n"       \
    "first_index=0\nx_end=16\ny_end=22\nx_start=28\ny_start=34\nnoc=40\nmcast=41\nordering=42\nlinked="      \
    "44\nvc=45\n"                                                                                            \
    "[window "                                                                                               \
    "large]\nbytes=0x1000000\ncount=20\nreserved=1\nbar=0\nbar_offset=0xB000000\nregisters=0x1FC00000\n"     \
    "register_bytes=8\nfirst_index=166\nx_end=12\ny_end=18\nx_start=24\ny_start=30\nnoc=36\nmcast="          \
    "37\nordering=38\n"                                                                                      \
    "linked=40\nvc=41\n"
static const char low[] = HEAD TILE WINDOW;

struct library {
    const char *name, *text;
};

static char *read_from(void *self, const char *name, const char *from, char *origin, size_t bytes,
                       struct td_err *err)
{
    for (const struct library *l = self; l->name; l++)
        if (strcmp(l->name, name) == 0) {
            snprintf(origin, bytes, "%s", name);
            return strdup(l->text);
        }
    td_fail(err, TD_E_NOTFOUND, "there is none");
    return NULL;
}

static struct library library[] = {{"low", low},
                                   {"circle", "[board]\nbase=round\nname=circle\n"},
                                   {"round", "[board]\nname=round\nbase=circle\n"},
                                   {"broken", "[board]\nname=broken\nbase=low\n[grid]\ncolumns=1-99\n"},
                                   {"bad", "[board]\nname=bad\nbase=low\n[tensix]\nring_slots=300\n"},
                                   {NULL, NULL}};

static int parse(struct td_board *b, const char *text, char **flat, struct td_err *err)
{
    static const struct td_board_bases bases = {read_from, library};
    return td_board_parse_based(b, text, "top", NULL, &bases, flat, err);
}

static void must(struct td_board *b, const char *text)
{
    struct td_err err = {0};
    if (parse(b, text, NULL, &err))
        fail_msg("%s", err.text);
}

/* `where` is how the error begins, `what` is in it. */
static void refused(const char *text, const char *where, const char *what)
{
    struct td_board b;
    struct td_err err = {0};
    int rc = parse(&b, text, NULL, &err);
    if (rc != TD_E_FORMAT || strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, what))
        fail_msg("%s: %d, %s; wanted %s ... %s", text, rc, err.text, where, what);
}

static void a_description_replaces_keys_of_the_one_that_it_stands_on(void **state)
{
    struct td_board b;
    must(&b, "[board]\nbase=low\nname=high\n[tensix]\nring_slots=512\n[core "
             "B]\nlocal_bytes=2048\n[grid]\nrows=1-3\n"
             "harvest_order=3,1,2\n");
    assert_string_equal(b.name, "high");
    assert_int_equal(b.chips, 2);
    assert_int_equal(b.ring_slots, 512);
    assert_int_equal(b.core_count, 2);
    assert_string_equal(b.cores[0].name, "A");
    assert_int_equal(b.cores[1].local_bytes, 2048);
    assert_int_equal(b.all_rows, 3);
    assert_int_equal(b.clock_latched_high, 0);
    assert_int_equal(b.pci_device_count, 2);
    assert_int_equal(b.pci_device[1], 0x401F);
    assert_int_equal(b.probe_core, -1);
}

static void the_text_that_goes_to_a_simulator_stands_for_itself(void **state)
{
    static const char top[] =
        "[board]\nbase=low\nname=high\n[core A]\nreset_bit=1\nstart=0\ncode_base=0x20000\n"
        "code_bytes=0x20000\nlocal_base=0xFFB00000\nlocal_bytes=8192\n[grid]\nrows=1-4\nrows=7-11\n"
        "harvest_order=11,1,10,2,9,3,8,4,7\n[chip 0]\nharvest_mask=1\n[chip 1]\nharvest_fuses=1\n";
    struct td_board b, again;
    char *flat = NULL;
    struct td_err err = {0};
    assert_int_equal(parse(&b, top, &flat, &err), 0);
    assert_null(strstr(flat, "base=low"));
    if (td_board_parse(&again, flat, "flat", NULL, &err))
        fail_msg("%s\n%s", err.text, flat);
    assert_memory_equal(&b, &again, sizeof b);
    assert_string_equal(again.cores[0].name, "A");
    free(flat);
}

static void what_a_board_sends_cannot_have_files_read(void **state)
{
    struct td_board b;
    struct td_err err = {0};
    assert_int_equal(td_board_parse(&b, "[board]\nbase=low\nname=high\n", "sent", NULL, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "sent:2: base=low cannot be followed"));
    refused("[board]\nbase=../low\nname=high\n", "top:2:", "base=../low does not make sense");
}

static void errors_name_the_file_in_which_they_are(void **state)
{
    refused("[board]\nname=x\nbase=nowhere\n", "top:3:", "base=nowhere: there is none");
    refused("[board]\nname=x\nbase=circle\n", "round:3:", "makes a circle");
    refused("[board]\nname=x\nbase=broken\n", "broken:5:", "columns=1-99");
    refused("[board]\nname=x\nbase=bad\n", "bad:5:", "power of two");
    refused("[board]\nname=x\nbase=low\n[tensix]\nlane_base=0x1F000\n", "low:29:", "overlaps the lanes");
    refused("[board]\nname=x\nbase=low\n[tensix]\nlane_base=0x404\n", "top:5:", "multiple of 16");
    refused("[board]\nbase=low\nchips=1\n", "top:", "lacks name");
    refused("[board]\nname=x\nbase=low\n[tensix]\nlane_base=0x400\nlane_base=0x400\n",
            "top:6:", "given twice");
    refused("[board]\nname=x\nbase=low\nbase=low\n", "top:4:", "given twice");
    refused("[board]\nname=x\nbase=low\nnonsense\n", "top:4:", "neither");
}

static void descriptions_do_not_stand_on_each_other_without_end(void **state)
{
    struct library tower[12] = {{0}};
    char texts[11][64], names[11][8];
    for (int i = 0; i < 11; i++) {
        snprintf(names[i], sizeof names[i], "t%d", i);
        snprintf(texts[i], sizeof texts[i], "[board]\nname=t%d\nbase=t%d\n", i, i + 1);
        tower[i] = (struct library){names[i], texts[i]};
    }
    const struct td_board_bases bases = {read_from, tower};
    struct td_board b;
    struct td_err err = {0};
    assert_int_equal(td_board_parse_based(&b, texts[0], "top", NULL, &bases, NULL, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "stand on each other"));
}

static void chips_are_harvested_each_in_its_own_way(void **state)
{
    struct td_board b;
    must(&b, "[board]\nbase=low\nname=x\n[chip 0]\nharvest_mask=65\n[chip "
             "1]\nharvested_rows=3\nharvested_columns=9\n");
    assert_int_equal(b.chip[0].rows, 8);
    assert_int_equal(b.chip[0].columns, 8);
    assert_int_equal(td_board_tile(&b, 0, 0, 0).y, 2);
    assert_int_equal(b.chip[0].row_y[8], 1); /* harvested ones come last */
    assert_int_equal(b.chip[0].row_y[9], 8);
    assert_int_equal(b.chip[1].rows, 9);
    assert_int_equal(b.chip[1].columns, 7);
    assert_int_equal(td_board_tile(&b, 1, 0, 2).y, 4);
    assert_int_equal(td_board_tile(&b, 1, 0, 2).chip, 1);
    /* fuses have another order: bit 0 is row 11, bit 3 row 2 */
    must(&b, "[board]\nbase=low\nname=x\n[chip 0]\nharvest_fuses=0x9\n[chip 1]\nharvest_fuses=0\n");
    assert_int_equal(b.chip[0].rows, 8);
    assert_int_equal(td_board_tile(&b, 0, 0, 1).y, 3);
    assert_int_equal(b.chip[0].row_y[9], 11);
    assert_int_equal(b.chip[1].rows, 10);
}

static void contradictions_between_chips_are_refused(void **state)
{
#define ON_LOW "[board]\nbase=low\nname=x\n"
    refused(ON_LOW "[chip 0]\nharvest_mask=1\n", "top:5:", "chip 1 is not described");
    refused(ON_LOW "[chip 2]\nharvest_mask=1\n", "top:5:", "chip 0 is not described");
    refused(ON_LOW "[chip 0]\nharvest_mask=1\n[chip 1]\nharvest_mask=1\n[chip 2]\nharvest_mask=1\n",
            "top:9:", "there is no chip 2");
    refused(ON_LOW "[chip 64]\nharvest_mask=1\n", "top:5:", "number of a chip");
    refused(ON_LOW "[chip x]\nharvest_mask=1\n", "top:5:", "number of a chip");
    refused(ON_LOW "[chip 0]\nharvest_mask=0x400\n[chip 1]\nharvest_mask=1\n",
            "top:5:", "more rows than the 10");
    refused(ON_LOW "[chip 0]\nharvest_mask=0x3ff\n[chip 1]\nharvest_mask=1\n", "top:5:", "no row is left");
    refused(ON_LOW "[chip 0]\nharvest_mask=0x1ff\n[chip 1]\nharvest_mask=1\n",
            "low:19:", "larger than the 8x1");
    refused(ON_LOW "[chip 0]\nharvest_mask=1\nharvest_fuses=1\n[chip 1]\nharvest_mask=1\n",
            "top:6:", "twice");
    refused(ON_LOW "[chip 0]\nharvest_mask=1\nharvested_rows=1\n[chip 1]\nharvest_mask=1\n",
            "top:5:", "twice");
    refused(ON_LOW "[chip 0]\nharvested_rows=6\n[chip 1]\nharvest_mask=1\n",
            "top:5:", "none of the board's rows");
    refused(ON_LOW "[grid]\nharvest_order=1-5\n", "top:5:", "does not name each of rows once");
    refused(ON_LOW "[grid]\nharvest_axis=sideways\n", "top:5:", "is not one of columns|rows");
}

static void tiles_at_impossible_places_are_refused(void **state)
{
    struct td_board b;
    must(&b, ON_LOW "[grid]\nharvested_rows=8\n[relay]\ncore=B\npositions=1,8 0,2\n[arc]\npositions=0,10\n");
    assert_int_equal(b.relay_core, 1);
    assert_string_equal(b.relay_firmware, "x");
    assert_int_equal(td_board_relays(&b), 4);
    assert_int_equal(td_board_relay(&b, 1, 0).y, 8);
    assert_int_equal(td_board_relay(&b, 1, 0).chip, 1);
    refused(ON_LOW "[relay]\ncore=B\npositions=2,2\n",
            "top:6:", "inside the 2x2 tiles of chip 0's logical grid");
    must(&b,
         ON_LOW "[relay]\ncore=B\nfirmware=low\npositions=3,2 1,3\n"); /* tiles that this grid leaves out */
    assert_string_equal(b.relay_firmware, "low");
    refused(ON_LOW "[relay]\ncore=C\npositions=0,2\n", "top:5:", "no core C");
    refused(ON_LOW "[relay]\npositions=0,2\n", "top: ", "[relay] lacks core");
    refused(ON_LOW "[relay]\ncore=B\npositions=0,2 0,2\n", "top:6:", "given twice");
    refused(ON_LOW "[relay]\ncore=B\npositions=10,2\n", "top:6:", "outside the NoC");
    refused(ON_LOW "[relay]\ncore=B\npositions=0,2\n[arc]\npositions=0,2\n",
            "top:6:", "is where an ARC tile is");
    refused(ON_LOW "[arc]\npositions=0,10\n[pcie]\npositions=0,10\n", "top:7:", "is where an ARC tile is");
    refused(ON_LOW "[ethernet]\npositions=1,1\n", "top:5:", "where a Tensix tile is");
    refused(ON_LOW "[ethernet]\npositions=0,12\n", "top:5:", "outside the NoC");
    refused(ON_LOW "[ethernet]\npositions=0,1\ntranslated=1,2 3,4\n", "top:6:", "more translated");
    refused(ON_LOW "[dram]\nbanks=2\nbank_bytes=4096\npositions=0,0 0,1\nother_ports=5,0\n",
            "top:8:", "same number");
    refused(ON_LOW "[grid]\ntranslated_columns=18-25\n", "top:5:", "want each other");
    refused(ON_LOW "[grid]\ntranslated_columns=18-25\ntranslated_rows=18-20\n",
            "top:6:", "for 10 columns or rows");
    refused(ON_LOW "[chip 0]\nrelays=0,2\n[chip 1]\nrelays=0,2\n", "top:5:", "relays want [relay] core");
}

static void windows_are_read_and_their_contradictions_refused(void **state)
{
    struct td_board b;
    must(&b, ON_LOW);
    assert_int_equal(b.window_count, 2);
    assert_int_equal(b.windows[0].reserved, 0);
    assert_int_equal(b.windows[1].reserved, 1);
    assert_int_equal(b.windows[1].first_index, 166);
    assert_int_equal(b.windows[1].shift.vc, 41);
    refused(ON_LOW "[window small]\nbytes=0x180000\n", "top:5:", "not a power of two");
    refused(ON_LOW "[window small]\nreserved=157\n", "top:5:", "more windows small are reserved");
    refused(ON_LOW "[window small]\ny_end=21\n", "top:5:", "y_end overlaps x_end");
    refused(ON_LOW "[window small]\nx_end=23\n", "low:", "y_end overlaps the address");
    refused(ON_LOW "[window small]\nordering=44\n", "low:", "linked overlaps ordering");
    refused(ON_LOW "[window small]\nvc=64\n", "top:5:", "leaves the register of 8 bytes");
    refused(ON_LOW "[window small]\nregister_bytes=6\n", "top:5:", "multiple of 4");
    refused(ON_LOW "[window large]\nbar_offset=0x9000000\n", "top:5:", "windows large overlap windows small");
    refused(ON_LOW "[window large]\nfirst_index=155\n",
            "top:5:", "registers of windows large overlap registers");
    refused(ON_LOW "[window large]\nregisters=0\n", "low:", "overlap windows small");
    refused(ON_LOW "[window third]\nbytes=4096\n", "top: ", "[window third] lacks count");
    refused(HEAD TILE
            "[window w]\nbytes=4096\ncount=1\nbar=0\nbar_offset=0\nregisters=4096\nregister_bytes=8\n"
            "first_index=0\nx_end=16\ny_end=22\nx_start=28\ny_start=34\nnoc=40\nmcast=41\nordering="
            "42\nlinked=44\n"
            "vc=45\n",
            "top:", "want the PCI device");
    refused(ON_LOW "[pci]\ndevice=0x401E,,1\n", "top:5:", "does not make sense");
    refused(ON_LOW "[pci]\nvendor=0x10000\n", "top:5:", "1 to 65535");
}

static void small_machines_are_described_too(void **state)
{
    struct td_board b;
    must(&b, ON_LOW
         "[reset]\nkind=word\nsoft_reset=0xFF00\n[uart]\nbase=0x10000000\nclock_hz=3686400\nbaud=115200\n"
         "[probe]\ncore=A\n");
    assert_int_equal(b.reset_kind, TD_RESET_WORD);
    assert_int_equal(b.probe_core, 0);
    assert_int_equal(b.uart_baud, 115200);
    assert_int_equal(b.noc_regs, 0);
    refused(ON_LOW "[reset]\nkind=word\nsoft_reset=0x400\n", "top:6:", "the soft reset word");
    refused(ON_LOW "[reset]\nkind=word\n", "low:", "outside L1");
    refused(ON_LOW "[uart]\nbase=0x10000000\n", "top: ", "[uart] lacks clock_hz");
    refused(ON_LOW "[uart]\nbase=0x1000\nclock_hz=1\nbaud=1\n", "top:5:", "lies in L1");
    refused(ON_LOW "[probe]\ncore=Z\n", "top:5:", "no core Z");
    refused("[board]\nbase=low\nname=x\nsimulated=yes\n", "top:4:", "a simulated board needs");
    refused("[board]\nbase=low\nname=x\ntransports=shm,,pci\n", "top:4:", "does not make sense");
    refused("[board]\nbase=low\nname=x\ntransports=shm,shm\n", "top:4:", "does not make sense");
}

static int note(void *self, const char *name, const char *path)
{
    char *names = self;
    strcat(strcat(names, name), " ");
    if (strcmp(name, "wormhole") == 0)
        assert_int_equal(strncmp(path, "/tmp/", 5), 0);
    return 0;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void every_board_is_listed_once_and_the_first_of_a_name_counts(void **state)
{
    char folder[] = "/tmp/tendril-boards-XXXXXX", path[200], names[2000] = "";
    assert_non_null(mkdtemp(folder));
    write_file(folder, "low.board", low);
    write_file(folder, "wormhole.board", "[board]\nbase=low\nname=wormhole\n");
    setenv("TENDRIL_BOARDS", folder, 1);
    assert_int_equal(td_board_each(note, names), 0);
    struct td_board b;
    struct td_err err = {0};
    if (td_board_load(&b, "wormhole", NULL, NULL, &err))
        fail_msg("%s", err.text);
    unsetenv("TENDRIL_BOARDS");
    assert_int_equal(b.chips, 2); /* ours, based on the description next to it */
    char *first = strstr(names, "wormhole ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "wormhole "));
    assert_non_null(strstr(names, "tensix_sim "));
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_replaces_keys_of_the_one_that_it_stands_on),
        cmocka_unit_test(the_text_that_goes_to_a_simulator_stands_for_itself),
        cmocka_unit_test(what_a_board_sends_cannot_have_files_read),
        cmocka_unit_test(errors_name_the_file_in_which_they_are),
        cmocka_unit_test(descriptions_do_not_stand_on_each_other_without_end),
        cmocka_unit_test(chips_are_harvested_each_in_its_own_way),
        cmocka_unit_test(contradictions_between_chips_are_refused),
        cmocka_unit_test(tiles_at_impossible_places_are_refused),
        cmocka_unit_test(windows_are_read_and_their_contradictions_refused),
        cmocka_unit_test(small_machines_are_described_too),
        cmocka_unit_test(every_board_is_listed_once_and_the_first_of_a_name_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
