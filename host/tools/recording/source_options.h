/* Options of `tendril record` that say what is recorded: boards and running programs. */
#pragma once
#include "host/agent/recorder.h"
#include "host/base/options.h"

#define SOURCE_OPTIONS_BOARDS 64
#define SOURCE_OPTIONS_RULES  8192
#define BOARD_POLICIES        "block|drop|overwrite" /* from TD_POLICY_BLOCK on */

struct source_options {
    struct td_option_list boards; /* options of boards, in their order */
    struct td_words addresses, agents;
    long core_hz, core_reads; /* of sampling; core_hz -1: the usual rate, 0: none */
    int any_children;
    struct td_words zones, no_zones, only_tiles, only_cores;
    long every_launch;
    char zone_rules[SOURCE_OPTIONS_RULES]; /* what these say, for the program's device library */
    struct td_recorder_board_options board[SOURCE_OPTIONS_BOARDS];
    struct td_recorder_client_options client[TD_WORDS_MAX], agent[TD_WORDS_MAX];
    char hosts[TD_WORDS_MAX][260], agent_hosts[TD_WORDS_MAX][260];
};

/* Entries for the command's table of options; `o` is its struct source_options. BOARD_OPTIONS: those of boards
 * alone. */
/* clang-format off */
#define BOARD_OPTIONS(o)                                                                                     \
    {'b', "board", TD_OPT_ORDERED, &(o).boards, "BOARD",                                                     \
     "board, or its description file (default tensix_sim), or none; may be repeated", 0, 0, 0},              \
    {0, "at", TD_OPT_ORDERED, &(o).boards, "WHERE",                                                          \
     "attach to a board that runs: FILE, pci:BDF, tenstorrent:N, usb, serial:DEVICE, tcp:HOST:PORT, "        \
     "unix:PATH", 0, 0, 0},                                                                                  \
    {0, "drain", TD_OPT_ORDERED, &(o).boards, "D",                                                           \
     "who drains lanes: the host, a spare core, or the one that suits the board",                            \
     TD_RECORDER_DRAIN_CHOICES, 0, 0},                                                                       \
    {0, "grid", TD_OPT_ORDERED, &(o).boards, "WxH", "tiles to use (default: the board's)", 0, 0, 0},         \
    {0, "policy", TD_OPT_ORDERED, &(o).boards, "P", "what a core does when its lane is full",                \
     BOARD_POLICIES, 0, 0},                                                                                  \
    {0, "offset-ns", TD_OPT_ORDERED, &(o).boards, "N",                                                       \
     "simulator: offset injected into the board's clock", 0, 0, 0},                                          \
    {0, "drift-ppm", TD_OPT_ORDERED, &(o).boards, "X",                                                       \
     "simulator: drift injected into the board's clock", 0, 0, 0},                                           \
    {0, "sample-cores", TD_OPT_MAYBE, &(o).core_hz, "HZ",                                                    \
     "sample where cores are, at most HZ times a second each (1000)", 0, 1, 1000000},                        \
    {0, "sample-reads", TD_OPT_INT, &(o).core_reads, "N",                                                    \
     "with --sample-cores: read a board at most N times a second (20000)", 0, 10, 100000000},               \
    {0, "zones", TD_OPT_WORDS, &(o).zones, "GLOB",                                                           \
     "record only markers of kernels whose names match; may be repeated", 0, 0, 0},                            \
    {0, "no-zones", TD_OPT_WORDS, &(o).no_zones, "GLOB",                                                     \
     "do not record markers of kernels whose names match; may be repeated", 0, 0, 0},                          \
    {0, "only-tiles", TD_OPT_WORDS, &(o).only_tiles, "X,Y",                                                  \
     "record markers of these tiles only: 3,2 or 0-3,* ...; may be repeated", 0, 0, 0},                        \
    {0, "only-cores", TD_OPT_WORDS, &(o).only_cores, "GLOB",                                                 \
     "record markers of such cores only: BRISC, 'TRISC*' ...; may be repeated", 0, 0, 0},                      \
    {0, "every-launch", TD_OPT_INT, &(o).every_launch, "K",                                                  \
     "record markers of the first of K launches", 0, 1, 999999}
#define SOURCE_OPTIONS(o)                                                                                    \
    BOARD_OPTIONS(o),                                                                                        \
    {0, "agent", TD_OPT_WORDS, &(o).agents, "HOST:PORT",                                                     \
     "record the boards of a machine where 'tendril agent' runs; may be repeated", NULL, 0, 0},              \
    {'a', "address", TD_OPT_WORDS, &(o).addresses, "HOST:PORT",                                              \
     "record a program that listens there; may be repeated", NULL, 0, 0},                                    \
    {0, "tracy-children", TD_OPT_FLAG, &(o).any_children, NULL,                                              \
     "record all children of PROGRAM that have a client of Tracy, at ports 8086 to 8105", NULL, 0, 0}
/* clang-format on */

/* Sets boards and clients of *options, which refer to *given. With several boards, -b begins a board, as a
 * second --at does; an option before the first board is for all of them, a later one for the last board.
 * options->program is set by the caller. 0 or TD_E_USAGE. */
int source_options_parse(struct source_options *given, struct td_recorder_options *options,
                         struct td_err *err);
