/* Sums of samples against a trace whose sums are known. */
#include "host/query/code/call_tree.h"
#include "host/query/code/code.h"
#include "host/query/code/dependencies.h"
#include "host/query/code/line_sums.h"
#include "host/query/code/source_text.h"
#include "host/query/code/symbol_sums.h"
#include "host/query/code/wait_stacks.h"
#include "host/query/code/zone_site.h"
#include "host/trace/tables.h"
#include "tests/query/made_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct td_samples_choice all = {0};

static int set_up(void **state)
{
    *state = make_up_trace();
    return 0;
}

static int tear_down(void **state)
{
    td_trace_destroy(*state);
    return 0;
}

static struct td_stack_counts count(const struct td_trace *trace, const struct td_samples_choice *choice)
{
    struct td_stack_counts counts;
    assert_int_equal(td_stack_counts_make(trace, choice, NULL, &counts, NULL), 0);
    return counts;
}

static uint32_t string_of(const struct td_trace *trace, const char *text)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (uint32_t s = 0; s < td_dict_string_count(dict); s++)
        if (!strcmp(td_dict_text(dict, s), text))
            return s;
    fail();
    return 0;
}

static void expect_sum(const struct td_trace *trace, const struct td_symbol_sums *sums, const char *name,
                       uint64_t self, uint64_t total)
{
    const struct td_symbol_sum *sum = td_symbol_sums_find(sums, trace, name, NULL);
    assert_non_null(sum);
    assert_int_equal(sum->self, self);
    assert_int_equal(sum->total, total);
}

static void functions_have_their_own_samples_and_those_of_what_they_call(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_symbol_sums sums;
    assert_int_equal(counts.total, 110); /* without the 4 at switches */
    assert_int_equal(td_symbol_sums_make(trace, &all, &counts, true, NULL, &sums, NULL), 0);
    assert_int_equal(sums.samples, 110);
    assert_int_equal(sums.count, 6);
    expect_sum(trace, &sums, "main", 0, 107);
    expect_sum(trace, &sums, "work", 41, 107); /* recursion counts once */
    expect_sum(trace, &sums, "helper", 30, 30);
    expect_sum(trace, &sums, "leaf", 30, 30);
    expect_sum(trace, &sums, "schedule", 6, 6);
    expect_sum(trace, &sums, "[unknown]", 3, 3);
    assert_int_equal(sums.at[0].address, WORK);
    assert_int_equal(sums.at[0].line, 18);
    assert_true(td_symbol_sums_find(&sums, trace, "helper", NULL)->is_inlined);
    assert_true(td_symbol_sums_find(&sums, trace, "schedule", NULL)->is_kernel);
    assert_ptr_equal(td_symbol_sums_find(&sums, trace, "0x2000", NULL), &sums.at[0]);
    assert_null(td_symbol_sums_find(&sums, trace, "wor", NULL));
    td_symbol_sums_free(&sums);
    td_stack_counts_free(&counts);
}

static void inlined_functions_count_for_the_one_around_them_if_asked(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_symbol_sums sums;
    assert_int_equal(td_symbol_sums_make(trace, &all, &counts, false, NULL, &sums, NULL), 0);
    expect_sum(trace, &sums, "work", 71, 107);
    assert_null(td_symbol_sums_find(&sums, trace, "helper", NULL));
    assert_int_equal(td_symbol_sums_find(&sums, trace, "work", NULL)->hardware.samples[TD_HARDWARE_CYCLES],
                     8);
    td_symbol_sums_free(&sums);
    td_stack_counts_free(&counts);
}

static void threads_and_times_are_chosen(void **state)
{
    const struct td_trace *trace = *state;
    const uint32_t second = 1;
    static const struct {
        struct td_samples_choice choice;
        uint64_t total;
    } cases[] = {
        {{.from_ns = 1000, .to_ns = 41000}, 50}, /* 40 and 10 */
        {{.from_ns = 41000, .to_ns = 41001}, 1},
        {{.from_ns = 200000, .to_ns = 300000}, 0},
        {{.kind = TD_SAMPLES_WAITING}, 4},
        {{.kind = TD_SAMPLES_ALL}, 114},
        {{.kind = TD_SAMPLES_RUNNING, .from_ns = 103000, .to_ns = 200000}, 0},
        {{.kind = TD_SAMPLES_WAITING, .from_ns = 103000, .to_ns = 200000}, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_stack_counts counts = count(trace, &cases[i].choice);
        assert_int_equal(counts.total, cases[i].total);
        td_stack_counts_free(&counts);
    }
    struct td_stack_counts counts =
        count(trace, &(struct td_samples_choice){.tracks = &second, .track_count = 1});
    assert_int_equal(counts.total, 10);
    assert_int_equal(counts.at[IN_LEAF], 10);
    td_stack_counts_free(&counts);
    assert_int_equal(td_samples_of_track(trace, &all, 0), 100);
}

static void lines_have_own_inlined_and_called_samples(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_line_sums sums;
    for (uint64_t symbol = 0; symbol <= WORK; symbol += WORK) { /* of the whole file, and of the function */
        assert_int_equal(
            td_line_sums_make(trace, &counts, string_of(trace, "work.c"), symbol, NULL, &sums, NULL), 0);
        assert_int_equal(sums.count, 3);
        assert_int_equal(td_line_sums_find(&sums, 21)->self, 41);
        assert_int_equal(td_line_sums_find(&sums, 22)->inlined, 30);
        assert_int_equal(td_line_sums_find(&sums, 22)->self, 0);
        assert_int_equal(td_line_sums_find(&sums, 20)->called, 37); /* 30 leaf, 6 kernel, 1 recursive */
        assert_int_equal(sums.all.self + sums.all.inlined + sums.all.called, 107);
        assert_null(td_line_sums_find(&sums, 23));
        td_line_sums_free(&sums);
    }
    assert_int_equal(
        td_line_sums_make(trace, &counts, string_of(trace, "helper.h"), HELPER, NULL, &sums, NULL), 0);
    assert_int_equal(sums.count, 1);
    assert_int_equal(sums.at[0].self, 30);
    td_line_sums_free(&sums);
    td_stack_counts_free(&counts);
}

static const struct td_call_node *child(const struct td_call_tree *tree, const struct td_trace *trace,
                                        const struct td_call_node *node, const char *name)
{
    for (uint32_t c = node->child; c != TD_CALL_NONE; c = tree->at[c].next)
        if (!strcmp(td_dict_text(td_trace_dict(trace), tree->at[c].name), name))
            return &tree->at[c];
    return NULL;
}

static void callers_of_a_function_are_a_tree(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_call_tree tree;
    struct td_call_tree_choice choice = {.inlines = true, .key = WORK};
    assert_int_equal(td_call_tree_make(trace, &counts, &choice, NULL, &tree, NULL), 0);
    assert_int_equal(tree.at[0].total, 41);
    const struct td_call_node *work = child(&tree, trace, &tree.at[0], "work");
    assert_non_null(work);
    assert_int_equal(child(&tree, trace, work, "main")->total, 40);
    assert_int_equal(child(&tree, trace, work, "work")->total, 1);
    assert_ptr_equal(&tree.at[work->child], child(&tree, trace, work, "main")); /* the greatest comes first */
    td_call_tree_free(&tree);
    choice.anywhere = true;
    assert_int_equal(td_call_tree_make(trace, &counts, &choice, NULL, &tree, NULL), 0);
    assert_int_equal(tree.at[0].total, 107);
    td_call_tree_free(&tree);
    td_stack_counts_free(&counts);
}

static void the_whole_program_is_a_tree_from_the_outside(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_call_tree tree;
    assert_int_equal(td_call_tree_make(trace, &counts,
                                       &(struct td_call_tree_choice){.inwards = true, .inlines = true}, NULL,
                                       &tree, NULL),
                     0);
    const struct td_call_node *top = child(&tree, trace, &tree.at[0], "main"), *work;
    assert_int_equal(tree.at[0].total, 110);
    assert_int_equal(top->total, 107);
    work = child(&tree, trace, top, "work");
    assert_int_equal(work->total, 107);
    assert_int_equal(work->self, 40);
    assert_int_equal(child(&tree, trace, work, "helper")->self, 30);
    assert_int_equal(child(&tree, trace, work, "leaf")->total, 30);
    assert_int_equal(child(&tree, trace, work, "work")->self, 1);
    td_call_tree_free(&tree);
    td_stack_counts_free(&counts);
}

static void instructions_have_samples_lines_and_targets(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_code_view code;
    const struct td_code_options options = {0};
    assert_int_equal(td_code_make(trace, &all, &counts, HELPER, &options, NULL, &code, NULL), 0);
    assert_int_equal(code.address, WORK);
    assert_int_equal(code.arch, TD_CODE_X64);
    assert_int_equal(code.count, 6);
    assert_null(code.missing);
    assert_int_equal(code.at[0].self, 41);
    assert_int_equal(code.at[2].self, 30);
    assert_int_equal(code.at[3].called, 36); /* 30 leaf, 6 kernel; the recursive one is in line 21 */
    assert_int_equal(code.at[3].kind, TD_INSN_CALL);
    assert_int_equal(code.at[3].target, 0x3000);
    assert_int_equal(code.at[4].target, WORK);
    assert_int_equal(code.self, 71);
    assert_int_equal(code.called, 36);
    assert_int_equal(code.hardware.samples[TD_HARDWARE_RETIRED], 4);
    assert_int_equal(code.at[2].level_count, 2);
    assert_int_equal(code.levels.at[code.at[2].first_level].line, 5);
    assert_int_equal(code.levels.at[code.at[2].first_level + 1].line, 22);
    struct td_insn insn;
    td_code_text(&code, 2, &insn);
    assert_string_equal(insn.mnemonic, "add");
    assert_int_equal(td_code_find(&code, 0x2004), 2);
    assert_int_equal(td_code_find(&code, 0x200e), SIZE_MAX);
    td_code_free(&code);
    assert_int_equal(td_code_make(trace, &all, &counts, NOWHERE, &options, NULL, &code, NULL), TD_E_NOTFOUND);
    td_code_free(&code);
    td_stack_counts_free(&counts);
}

static void a_function_without_code_has_its_sampled_addresses(void **state)
{
    const struct td_trace *trace = *state;
    struct td_stack_counts counts = count(trace, &all);
    struct td_code_view code;
    assert_int_equal(
        td_code_make(trace, &all, &counts, MAIN, &(struct td_code_options){0}, NULL, &code, NULL), 0);
    assert_int_equal(code.count, 1);
    assert_int_equal(code.at[0].called, 107);
    assert_int_equal(code.at[0].address, MAIN_CALL - 1);
    assert_non_null(code.missing);
    td_code_free(&code);
    td_stack_counts_free(&counts);
}

static uint32_t place_of(struct td_trace *trace, const char *function, const char *file, uint32_t line)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    return td_dict_srcloc(dict, &(struct td_srcloc){.function = td_dict_cstring(dict, function),
                                                    .file = td_dict_cstring(dict, file),
                                                    .line = line});
}

static void the_code_at_a_zone_is_found_by_file_and_line(void **state)
{
    static const struct {
        const char *function, *file;
        uint32_t line;
        uint64_t in, address; /* 0: there is none */
    } zones[] = {
        {"work", "work.c", 21, WORK, WORK_LINE_21},
        {"another", "../src/work.c", 21, WORK, WORK_LINE_21}, /* the line is enough */
        {"helper", "helper.h", 5, WORK, WORK_HELPER},         /* inlined */
        {"work", "work.c", 19, WORK, WORK_CALL},              /* the next line with code */
        {"main", "src/main.c", 3, MAIN, MAIN_CALL},
        {"main", "other_main.c", 10, 0, 0}, /* a function of the name in another file */
        {"other", "work.c", 19, 0, 0},
        {"work", "work.c", 90, WORK, WORK}, /* no such line: the function */
    };
    struct td_trace *trace = *state;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        struct td_zone_site site;
        const uint32_t place = place_of(trace, zones[i].function, zones[i].file, zones[i].line);
        assert_int_equal(td_zone_site_find(trace, place, NULL, &site, NULL), zones[i].in ? 0 : TD_E_NOTFOUND);
        assert_int_equal(site.function, zones[i].in);
        assert_int_equal(site.address, zones[i].address);
    }
}

static void waits_have_counts_and_lengths(void **state)
{
    const struct td_trace *trace = *state;
    struct td_wait_stacks waits;
    assert_int_equal(td_wait_stacks_make(trace, &all, NULL, &waits, NULL), 0);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.at[0].stack, IN_KERNEL);
    assert_int_equal(waits.at[0].count, 4);
    assert_int_equal(waits.at[0].timed, 4);
    assert_int_equal(waits.at[0].total_ns, 4000);
    assert_int_equal(waits.at[0].max_ns, 1000);
    assert_int_equal(waits.at[0].woken_ns, 1600);
    assert_int_equal(waits.times_ns.at[IN_KERNEL], 4000);
    td_wait_stacks_free(&waits);
}

static void hardware_samples_give_rates(void **state)
{
    const struct td_trace *trace = *state;
    struct td_hardware found;
    double value;
    td_hardware_of_row(trace, &all, 0, &found);
    assert_true(td_hardware_ipc(&found, &value));
    assert_true(value == 0.5);
    assert_false(td_hardware_branch_miss_rate(&found, &value));
    td_hardware_of_row(trace, &(struct td_samples_choice){.from_ns = 2000, .to_ns = 4000}, 0, &found);
    assert_int_equal(found.samples[TD_HARDWARE_CYCLES], 2);
}

static void source_text_comes_from_the_trace_first(void **state)
{
    const struct td_trace *trace = *state;
    struct td_source_text source;
    size_t bytes;
    assert_int_equal(td_source_text_open(&source, trace, string_of(trace, "work.c"), NULL, NULL, NULL), 0);
    assert_int_equal(source.origin, TD_SOURCE_IN_TRACE);
    assert_int_equal(source.line_count, 3);
    assert_memory_equal(td_source_text_line(&source, 1, &bytes), "int work(void)", 14);
    assert_int_equal(bytes, 14);
    assert_null(td_source_text_line(&source, 4, &bytes));
    assert_null(td_source_text_line(&source, 0, &bytes));
    td_source_text_free(&source);
    assert_int_equal(td_source_text_open(&source, trace, string_of(trace, "main.c"), NULL, NULL, NULL), 0);
    assert_int_equal(source.origin, TD_SOURCE_NONE);
    td_source_text_free(&source);
}

static void source_text_is_found_on_disk_with_a_substitution(void **state)
{
    const struct td_trace *trace = *state;
    const struct td_words words = {.words = {"^main(.*)$;" TD_SOURCE_DIR "/tests/query/made_up$1"},
                                   .count = 1};
    struct td_path_substitutions paths = {0};
    struct td_source_text source;
    assert_int_equal(td_path_substitutions_init(&paths, &words, NULL), 0);
    assert_int_equal(td_source_text_open(&source, trace, string_of(trace, "main.c"), &paths, NULL, NULL), 0);
    assert_int_equal(source.origin, TD_SOURCE_ON_DISK);
    assert_string_equal(source.path, TD_SOURCE_DIR "/tests/query/made_up.c");
    assert_true(source.line_count > 100);
    td_source_text_free(&source);
    td_path_substitutions_free(&paths);
}

static void code_of_other_processors_is_known_by_its_image(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    assert_non_null(trace);
    const uint32_t program = td_dict_string(td_trace_fill_dict(trace), "program", 7);
    const uint32_t kernel = td_dict_string(td_trace_fill_dict(trace), "rv32 kernel 01", 14);
    td_trace_edit_info(trace)->cpu_arch = 4;
    assert_int_equal(td_code_arch_of(trace, kernel), TD_CODE_RISCV32);
    assert_int_equal(td_code_arch_of(trace, program), TD_CODE_ARM64);
    td_trace_destroy(trace);
}

static int stop(void *self, uint64_t done, uint64_t total)
{
    return 1;
}

static void all_work_can_be_stopped(void **state)
{
    const struct td_trace *trace = *state;
    const struct td_progress progress = {stop, NULL};
    struct td_stack_counts counts, whole = count(trace, &all);
    struct td_symbol_sums symbols;
    struct td_line_sums lines;
    struct td_call_tree tree;
    struct td_code_view code;
    struct td_wait_stacks waits;
    assert_int_equal(td_stack_counts_make(trace, &all, &progress, &counts, NULL), TD_E_STOPPED);
    assert_int_equal(td_symbol_sums_make(trace, &all, &whole, true, &progress, &symbols, NULL), TD_E_STOPPED);
    assert_int_equal(td_line_sums_make(trace, &whole, 1, 0, &progress, &lines, NULL), TD_E_STOPPED);
    assert_int_equal(
        td_call_tree_make(trace, &whole, &(struct td_call_tree_choice){0}, &progress, &tree, NULL),
        TD_E_STOPPED);
    assert_int_equal(
        td_code_make(trace, &all, &whole, WORK, &(struct td_code_options){0}, &progress, &code, NULL),
        TD_E_STOPPED);
    assert_int_equal(td_wait_stacks_make(trace, &all, &progress, &waits, NULL), TD_E_STOPPED);
    td_stack_counts_free(&counts);
    td_stack_counts_free(&whole);
    td_symbol_sums_free(&symbols);
    td_line_sums_free(&lines);
    td_call_tree_free(&tree);
    td_code_free(&code);
    td_wait_stacks_free(&waits);
}

/* A loop: what it adds comes from before it, and from the instruction after it. */
static void dependencies_of_registers_follow_jumps(void **state)
{
    enum { PUSH, MOVE, CLEAR, ADD, COUNT, JUMP, POP, RETURN, INSNS };
    static const uint8_t loop[] = {0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x48, 0x01,
                                   0xf8, 0x48, 0xff, 0xcf, 0x75, 0xf8, 0x5d, 0xc3};
    enum { RAX = 1 << 0, RSP = 1 << 4, RBP = 1 << 5, RDI = 1 << 7, FLAGS = 1 << 16 };
    const struct td_code_options options = {.arch = TD_CODE_X64};
    struct td_dependency of[INSNS];
    struct td_code_view code;
    assert_int_equal(td_code_make_of_bytes(loop, sizeof loop, 0x1000, &options, &code, NULL), 0);
    assert_int_equal(code.count, INSNS);
    assert_int_equal(td_code_depend(&code, ADD, of), 0);
    assert_int_equal(of[ADD].uses.bits[0], RAX | RDI);
    assert_int_equal(of[ADD].makes.bits[0], RAX | FLAGS);
    assert_int_equal(of[CLEAR].makes.bits[0], RAX);
    assert_int_equal(of[COUNT].makes.bits[0], RDI);
    assert_int_equal(of[COUNT].replaces.bits[0], FLAGS);
    assert_false(td_dependency_is_any(&of[MOVE]) || td_dependency_is_any(&of[JUMP]));
    assert_int_equal(td_code_depend(&code, COUNT, of), 0);
    assert_int_equal(of[ADD].uses.bits[0], RDI);
    assert_int_equal(of[ADD].replaces.bits[0], FLAGS); /* the jump back has used them */
    assert_int_equal(of[JUMP].uses.bits[0], FLAGS);
    assert_int_equal(td_code_depend(&code, POP, of), 0);
    assert_int_equal(of[MOVE].makes.bits[0], 0);
    assert_int_equal(of[PUSH].makes.bits[0], RSP);
    assert_int_equal(of[RETURN].uses.bits[0], RSP);
    td_code_free(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_own_samples_and_those_of_what_they_call),
        cmocka_unit_test(inlined_functions_count_for_the_one_around_them_if_asked),
        cmocka_unit_test(threads_and_times_are_chosen),
        cmocka_unit_test(lines_have_own_inlined_and_called_samples),
        cmocka_unit_test(callers_of_a_function_are_a_tree),
        cmocka_unit_test(the_whole_program_is_a_tree_from_the_outside),
        cmocka_unit_test(instructions_have_samples_lines_and_targets),
        cmocka_unit_test(a_function_without_code_has_its_sampled_addresses),
        cmocka_unit_test(the_code_at_a_zone_is_found_by_file_and_line),
        cmocka_unit_test(waits_have_counts_and_lengths),
        cmocka_unit_test(hardware_samples_give_rates),
        cmocka_unit_test(source_text_comes_from_the_trace_first),
        cmocka_unit_test(source_text_is_found_on_disk_with_a_substitution),
        cmocka_unit_test(code_of_other_processors_is_known_by_its_image),
        cmocka_unit_test(all_work_can_be_stopped),
        cmocka_unit_test(dependencies_of_registers_follow_jumps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
