#include "host/tools/recording/source_options.h"
#include "host/agent/remote/remote_layout.h"
#include "host/device/image/zone_rules.h"
#include "host/wire/hello.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_option(const struct source_options *given, size_t i, const char *name)
{
    return !strcmp(given->boards.given[i].option, name);
}

static size_t count_option(const struct source_options *given, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < given->boards.count; i++)
        count += is_option(given, i, name);
    return count;
}

static void set_value(struct td_recorder_board_options *board, const char *option, const char *value)
{
    if (!strcmp(option, "board"))
        board->board = value;
    else if (!strcmp(option, "at"))
        board->at = value;
    else if (!strcmp(option, "grid"))
        board->grid = value;
    else if (!strcmp(option, "drain"))
        board->drain = (enum td_recorder_drain)td_option_choice(TD_RECORDER_DRAIN_CHOICES, value);
    else if (!strcmp(option, "policy"))
        board->policy = (enum td_policy)(TD_POLICY_BLOCK + td_option_choice(BOARD_POLICIES, value));
    else if (!strcmp(option, "offset-ns"))
        board->offset_ns = value;
    else
        board->drift_ppm = value;
}

/* One board, or none: the order of its options does not matter. */
static void parse_one(struct source_options *given, struct td_recorder_options *options)
{
    struct td_recorder_board_options *board = &given->board[0];
    for (size_t i = 0; i < given->boards.count; i++)
        set_value(board, given->boards.given[i].option, given->boards.given[i].value);
    if (board->board && !strcmp(board->board, "none") && !board->at)
        return;
    if (!board->board && !board->at && (!options->program || given->addresses.count || given->agents.count))
        return;
    if (!board->board && !board->at)
        board->board = "tensix_sim";
    options->board_count = 1;
}

static bool begins_board(const struct source_options *given, size_t i,
                         const struct td_recorder_board_options *last)
{
    return is_option(given, i, "board") || (is_option(given, i, "at") && (!last || last->at));
}

static int parse_several(struct source_options *given, struct td_recorder_options *options,
                         struct td_err *err)
{
    struct td_recorder_board_options all = given->board[0], *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < given->boards.count; i++) {
        if (begins_board(given, i, last)) {
            if (count == SOURCE_OPTIONS_BOARDS)
                return td_fail(err, TD_E_USAGE, "at most %d boards can be recorded together",
                               SOURCE_OPTIONS_BOARDS);
            last = &given->board[count++];
            *last = all;
        }
        set_value(last ? last : &all, given->boards.given[i].option, given->boards.given[i].value);
    }
    for (size_t i = 0; i < count; i++)
        if (given->board[i].board && !strcmp(given->board[i].board, "none"))
            return td_fail(err, TD_E_USAGE, "-b none and another board exclude each other");
    options->board_count = count;
    return 0;
}

/* "HOST:PORT", "HOST", ":PORT", "[V6]:PORT". */
static int parse_address(const char *option, const char *text, long port,
                         struct td_recorder_client_options *to, char host[260], struct td_err *err)
{
    const char *const whole = text, *end = text + strlen(text), *host_end = end;
    const char *colon = strrchr(text, ':');
    char *rest = NULL;
    if (colon && (strchr(text, ':') == colon || (text[0] == '[' && colon[-1] == ']'))) {
        errno = 0;
        port = strtol(colon + 1, &rest, 10);
        host_end = colon;
    }
    if (host_end - text >= 2 && text[0] == '[' && host_end[-1] == ']') {
        text++;
        host_end--;
    }
    const size_t bytes = (size_t)(host_end - text);
    if ((rest && (*rest || rest == colon + 1 || errno)) || port < 1 || port > 65535 || bytes >= 260)
        return td_fail(err, TD_E_USAGE, "%s '%.280s' is not HOST:PORT", option, whole);
    memcpy(host, text, bytes);
    host[bytes] = 0;
    *to = (struct td_recorder_client_options){.host = bytes ? host : NULL, .port = (int)port};
    return 0;
}

static int parse_addresses(const char *option, const struct td_words *words, long port,
                           struct td_recorder_client_options *to, char (*hosts)[260], struct td_err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        int rc = parse_address(option, words->words[i], port, &to[i], hosts[i], err);
        if (rc)
            return rc;
        for (size_t k = 0; k < i; k++)
            if (to[k].port == to[i].port && !strcmp(hosts[k], hosts[i]))
                return td_fail(err, TD_E_USAGE, "%s %.280s is given twice", option, words->words[i]);
    }
    return 0;
}

/* What can be recorded without a program that uses the boards. */
static int check_without_program(const struct td_recorder_options *options, struct td_err *err)
{
    if (options->boards_only && !options->board_count)
        return td_fail(
            err, TD_E_USAGE,
            "there is no board to drain: give --at WHERE of one that runs, or a PROGRAM that uses one");
    if (!options->board_count && !options->client_count && !options->agent_count)
        return td_fail(err, TD_E_USAGE,
                       "there is nothing to record: give a PROGRAM to run, -a HOST:PORT of one that runs, "
                       "--at WHERE of a board that runs, or --agent HOST:PORT");
    for (size_t i = 0; i < options->board_count; i++) {
        struct td_board board;
        struct td_err unknown;
        if (!options->boards[i].at &&
            (td_board_load(&board, options->boards[i].board, options->boards[i].grid, NULL, &unknown) < 0 ||
             board.simulated))
            return td_fail(err, TD_E_USAGE,
                           "the simulated board %.100s would end with the recording: give a PROGRAM that "
                           "uses it, or --at WHERE of one that runs",
                           options->boards[i].board);
    }
    return 0;
}

static int parse_sampling(const struct source_options *given, struct td_recorder_options *options,
                          struct td_err *err)
{
    if (given->core_reads && !given->core_hz)
        return td_fail(err, TD_E_USAGE, "--sample-reads is for --sample-cores");
    if (!given->core_hz)
        return 0;
    if (!options->board_count)
        return td_fail(err, TD_E_USAGE,
                       "--sample-cores: there is no board here whose cores could be sampled");
    options->sampling = (struct td_core_sampling){
        .hz = given->core_hz > 0 ? (double)given->core_hz : TD_CORE_SAMPLING_HZ,
        .reads = given->core_reads ? (double)given->core_reads : TD_CORE_SAMPLING_READS};
    return 0;
}

static void add_rules(struct source_options *given, const char *rule, const struct td_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const size_t length = strlen(given->zone_rules);
        snprintf(given->zone_rules + length, sizeof given->zone_rules - length, "%s=%s\n", rule,
                 words->words[i]);
    }
}

/* What the program's device library is to switch off. */
static int parse_zones(struct source_options *given, struct td_recorder_options *options, struct td_err *err)
{
    char every[20];
    struct td_words launches = {{every}, given->every_launch > 0};
    snprintf(every, sizeof every, "%ld", given->every_launch);
    add_rules(given, "zones", &given->zones);
    add_rules(given, "not", &given->no_zones);
    add_rules(given, "tiles", &given->only_tiles);
    add_rules(given, "cores", &given->only_cores);
    add_rules(given, "every", &launches);
    if (!given->zone_rules[0])
        return 0;
    if (strlen(given->zone_rules) == sizeof given->zone_rules - 1)
        return td_fail(err, TD_E_USAGE,
                       "the names of zones, tiles and cores are longer than %zu bytes together",
                       sizeof given->zone_rules);
    struct td_zone_rules *rules = td_zone_rules_create(given->zone_rules, err);
    td_zone_rules_destroy(rules);
    if (rules && (!options->program || !options->board_count)) {
        rules = NULL;
        td_fail(err, TD_E_USAGE,
                "zones are switched off when PROGRAM loads its kernels on a board: give both, or "
                "set " TD_ZONE_RULES_VARIABLE " for the program that runs");
    }
    options->zone_rules = given->zone_rules;
    return rules ? 0 : TD_E_USAGE;
}

int source_options_parse(struct source_options *given, struct td_recorder_options *options,
                         struct td_err *err)
{
    const size_t boards = count_option(given, "board"), places = count_option(given, "at");
    int rc = 0;
    given->board[0].policy = TD_POLICY_BLOCK;
    options->boards = given->board;
    options->clients = given->client;
    options->client_count = given->addresses.count;
    options->agents = given->agent;
    options->agent_count = given->agents.count;
    options->any_children = given->any_children;
    rc = parse_addresses("-a", &given->addresses, TD_WIRE_PORT, given->client, given->hosts, err);
    rc = rc ? rc
            : parse_addresses("--agent", &given->agents, TD_REMOTE_PORT, given->agent, given->agent_hosts,
                              err);
    if (rc == 0 && boards <= 1 && places <= 1)
        parse_one(given, options);
    else if (rc == 0)
        rc = parse_several(given, options, err);
    rc = rc ? rc : parse_sampling(given, options, err);
    rc = rc ? rc : parse_zones(given, options, err);
    if (rc == 0 && given->any_children && (!options->program || options->insn_clock))
        rc = td_fail(err, TD_E_USAGE, "--tracy-children needs a PROGRAM that runs in real time");
    if (rc == 0 && options->sample_hz && (!options->program || options->insn_clock))
        rc = td_fail(err, TD_E_USAGE, "--sample needs a PROGRAM that runs in real time");
    if (rc == 0 && !options->program)
        rc = check_without_program(options, err);
    if (rc == 0 && options->insn_clock &&
        (options->board_count != 1 || options->client_count || options->agent_count))
        rc = td_fail(err, TD_E_USAGE, "--clock insn is for one simulated board without other programs");
    return rc;
}
