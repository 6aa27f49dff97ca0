#include "host/client/session/host_info.h"

#include <stdbool.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- login ---- */

/* A line is login:password:number:... . 1: the line is the user's. */
static bool take_login(const char *line, unsigned user, char *login, size_t room)
{
    const char *password = strchr(line, ':'), *number = password ? strchr(password + 1, ':') : NULL;
    char *end;
    size_t bytes = number ? (size_t)(password - line) : 0;
    if (!bytes || bytes >= room || strtoul(number + 1, &end, 10) != user || end == number + 1 || *end != ':')
        return 0;
    memcpy(login, line, bytes);
    login[bytes] = 0;
    return 1;
}

void td_host_info_login(const char *passwd, unsigned user, char *login, size_t room)
{
    char text[4096];
    size_t have = 0;
    int found = 0, fd = open(passwd, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && !found && (n = read(fd, text + have, sizeof text - 1 - have)) > 0;) {
        text[have += (size_t)n] = 0;
        char *line = text;
        for (char *end; !found && (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            found = take_login(line, user, login, room);
        }
        have = line == text && have == sizeof text - 1 ? 0 : strlen(line); /* a line of 4 KB is dropped */
        memmove(text, line, have + 1);
    }
    found = found || (have && take_login(text, user, login, room)); /* the last line may have no end */
    if (fd >= 0)
        close(fd);
    if (!found)
        snprintf(login, room, "%u", user);
}

/* ---- processors of AArch64 ---- */

struct arm_name {
    uint32_t number;
    const char *name;
};
#define PART(implementer, part) ((uint32_t)(implementer) << 16 | (part))

static const struct arm_name implementers[] = {
    {0x41, "ARM"},    {0x42, "Broadcom"}, {0x43, "Cavium"},    {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"}, {0x50, "APM"},      {0x51, "Qualcomm"},  {0x53, "Samsung"}, {0x56, "Marvell"},
    {0x61, "Apple"},  {0x69, "Intel"},    {0x6d, "Microsoft"}, {0x70, "Phytium"}, {0xc0, "Ampere"},
};

static const struct arm_name parts[] = {
    {PART(0x41, 0xd02), "Cortex-A34"},     {PART(0x41, 0xd03), "Cortex-A53"},
    {PART(0x41, 0xd04), "Cortex-A35"},     {PART(0x41, 0xd05), "Cortex-A55"},
    {PART(0x41, 0xd06), "Cortex-A65"},     {PART(0x41, 0xd07), "Cortex-A57"},
    {PART(0x41, 0xd08), "Cortex-A72"},     {PART(0x41, 0xd09), "Cortex-A73"},
    {PART(0x41, 0xd0a), "Cortex-A75"},     {PART(0x41, 0xd0b), "Cortex-A76"},
    {PART(0x41, 0xd0c), "Neoverse-N1"},    {PART(0x41, 0xd0d), "Cortex-A77"},
    {PART(0x41, 0xd0e), "Cortex-A76AE"},   {PART(0x41, 0xd40), "Neoverse-V1"},
    {PART(0x41, 0xd41), "Cortex-A78"},     {PART(0x41, 0xd42), "Cortex-A78AE"},
    {PART(0x41, 0xd43), "Cortex-A65AE"},   {PART(0x41, 0xd44), "Cortex-X1"},
    {PART(0x41, 0xd46), "Cortex-A510"},    {PART(0x41, 0xd47), "Cortex-A710"},
    {PART(0x41, 0xd48), "Cortex-X2"},      {PART(0x41, 0xd49), "Neoverse-N2"},
    {PART(0x41, 0xd4a), "Neoverse-E1"},    {PART(0x41, 0xd4b), "Cortex-A78C"},
    {PART(0x41, 0xd4c), "Cortex-X1C"},     {PART(0x41, 0xd4d), "Cortex-A715"},
    {PART(0x41, 0xd4e), "Cortex-X3"},      {PART(0x41, 0xd4f), "Neoverse-V2"},
    {PART(0x41, 0xd80), "Cortex-A520"},    {PART(0x41, 0xd81), "Cortex-A720"},
    {PART(0x41, 0xd82), "Cortex-X4"},      {PART(0x41, 0xd84), "Neoverse-V3"},
    {PART(0x41, 0xd85), "Cortex-X925"},    {PART(0x41, 0xd87), "Cortex-A725"},
    {PART(0x41, 0xd8e), "Neoverse-N3"},    {PART(0x43, 0x0a1), "ThunderX"},
    {PART(0x43, 0x0af), "ThunderX2"},      {PART(0x46, 0x001), "A64FX"},
    {PART(0x48, 0xd01), "TaiShan v110"},   {PART(0x4e, 0x003), "Denver 2"},
    {PART(0x4e, 0x004), "Carmel"},         {PART(0x50, 0x000), "X-Gene"},
    {PART(0x51, 0x001), "Oryon"},          {PART(0x61, 0x022), "Icestorm (M1)"},
    {PART(0x61, 0x023), "Firestorm (M1)"}, {PART(0x61, 0x032), "Blizzard (M2)"},
    {PART(0x61, 0x033), "Avalanche (M2)"}, {PART(0x6d, 0xd49), "Azure Cobalt 100"},
    {PART(0xc0, 0xac3), "Ampere-1"},       {PART(0xc0, 0xac4), "Ampere-1a"},
};

static const char *name_of(const struct arm_name *names, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

/* The number after "KEY<blanks>:" in the description of the first processor, which ends at an empty line. */
static bool find_field(const char *cpuinfo, const char *key, uint32_t *value)
{
    size_t bytes = strlen(key);
    for (const char *line = cpuinfo; *line && *line != '\n';
         line += strcspn(line, "\n"), line += *line != 0) {
        const char *rest = line + bytes;
        if (strncmp(line, key, bytes) != 0)
            continue;
        rest += strspn(rest, " \t");
        if (*rest != ':')
            continue;
        *value = (uint32_t)strtoul(rest + 1, NULL, 0);
        return 1;
    }
    return 0;
}

void td_host_info_arm_processor(const char *cpuinfo, char *name, size_t room)
{
    uint32_t implementer, part, variant = 0, revision = 0;
    char maker[24], kind[24];
    *name = 0;
    if (!find_field(cpuinfo, "CPU implementer", &implementer) || !find_field(cpuinfo, "CPU part", &part))
        return;
    find_field(cpuinfo, "CPU variant", &variant);
    find_field(cpuinfo, "CPU revision", &revision);
    const char *known = name_of(implementers, sizeof implementers / sizeof *implementers, implementer);
    snprintf(maker, sizeof maker, "0x%x", implementer);
    const char *model =
        part > 0xffff ? NULL : name_of(parts, sizeof parts / sizeof *parts, PART(implementer, part));
    snprintf(kind, sizeof kind, "0x%x", part);
    snprintf(name, room, "%s %s r%up%u", known ? known : maker, model ? model : kind, variant, revision);
}
