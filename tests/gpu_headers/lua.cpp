// Runs a script with the markers of tracy/TracyLua.hpp, then its function `hooked` with every call a zone.
// Usage: lua SCRIPT [FILE that gets what LuaRemove leaves of the script]
#include <stdio.h>
#include <string.h>

#include <lua.hpp>

#include "linger.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyLua.hpp"

static char script[65536];

static int load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    const size_t size = fread(script, 1, sizeof script - 1, file);
    fclose(file);
    script[size] = 0;
    tracy::LuaRemove(script);
    return 1;
}

static int failed(lua_State *L)
{
    const char *why = lua_tostring(L, -1);
    printf("%s\n", why ? why : "failed");
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !load(argv[1]))
        return 2;
    if (argc > 2) {
        FILE *file = fopen(argv[2], "wb");
        if (!file)
            return 2;
        fputs(script, file);
        fclose(file);
    }
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    tracy::LuaRegister(L);
    {
        ZoneScopedN("script");
        if (luaL_loadbuffer(L, script, strlen(script), "@script.lua") || lua_pcall(L, 0, 0, 0))
            return failed(L);
    }
    lua_getglobal(L, "result");
    if (lua_tointeger(L, -1) != 10)
        return failed(L);
#ifndef WITHOUT_HOOK // as releases before 0.12
    {
        ZoneScopedN("hook");
        lua_getglobal(L, "hooked");
        lua_sethook(L, tracy::LuaHook, LUA_MASKCALL | LUA_MASKRET, 0);
        const int bad = lua_pcall(L, 0, 1, 0);
        lua_sethook(L, nullptr, 0, 0);
        if (bad || lua_tointeger(L, -1) != 9)
            return failed(L);
    }
#endif
#if defined TENDRIL_TRACY_LUA_HPP && defined TRACY_ENABLE
    // An end without a begin, texts that are none: nothing happens.
    if (luaL_dostring(
            L, "tracy.ZoneEnd() tracy.ZoneText(nil) tracy.Message() tracy.ZoneBeginN() tracy.ZoneEnd()"))
        return failed(L);
#endif
    lua_close(L);
    linger();
    return 0;
}
