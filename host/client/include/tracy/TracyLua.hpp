// Markers for Lua scripts: tracy::LuaRegister(L) makes the table `tracy` with ZoneBegin(), ZoneBeginN(name),
// ZoneBeginS(depth), ZoneBeginNS(name, depth), ZoneEnd(), ZoneText(text), ZoneName(text), Message(text),
// SectionEnter(text [, category]) and SectionLeave(id). Depths are of call stacks: the script's frames, then
// those of the program. Every ZoneBegin needs its ZoneEnd on all ways out of the function.
//
// lua_sethook(L, tracy::LuaHook, LUA_MASKCALL | LUA_MASKRET, 0) makes every call a zone instead.
// Without TRACY_ENABLE the functions do nothing; tracy::LuaRemove(script) blanks the calls in the text of a
// script, so that they cost nothing. With it, LuaRemove does nothing.
//
// Include it after Lua's headers: 5.1 to 5.4, LuaJIT. docs/client-gpu.md
#ifndef TENDRIL_TRACY_LUA_HPP
#define TENDRIL_TRACY_LUA_HPP

#ifndef LUA_VERSION_NUM
#error "include Lua's headers before tracy/TracyLua.hpp"
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef TRACY_ENABLE

namespace tracy
{
namespace detail
{
inline int LuaNothing(lua_State *)
{
    return 0;
}
inline int LuaZero(lua_State *L)
{
    lua_pushinteger(L, 0);
    return 1;
}

inline bool LuaIsWord(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// The character after the bracket that closes the first one from `at` on; null: none does. Brackets in quotes
// do not count.
inline char *LuaCallEnd(char *at)
{
    int depth = 0;
    for (char quote = 0; *at; at++) {
        if (quote) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == quote)
                quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '(') {
            depth++;
        } else if (*at == ')' && --depth == 0) {
            return at + 1;
        }
    }
    return nullptr;
}
// The opening bracket if the call of a marker is at `at`; null: it is not.
inline char *LuaMarkerCall(char *at)
{
    static const char *const names[] = {"ZoneBegin",    "ZoneBeginN",  "ZoneBeginS", "ZoneBeginNS",
                                        "ZoneEnd",      "ZoneText",    "ZoneName",   "Message",
                                        "SectionEnter", "SectionLeave"};
    size_t size = 0;
    while (LuaIsWord(at[size]))
        size++;
    for (const char *name : names)
        if (strlen(name) == size && strncmp(name, at, size) == 0)
            return at[size] == '(' ? at + size : nullptr;
    return nullptr;
}
} // namespace detail

inline void LuaRegister(lua_State *L)
{
    static const char *const nothing[] = {"ZoneBegin", "ZoneBeginN", "ZoneBeginS", "ZoneBeginNS", "ZoneEnd",
                                          "ZoneText",  "ZoneName",   "Message",    "SectionLeave"};
    lua_newtable(L);
    for (const char *name : nothing) {
        lua_pushcfunction(L, detail::LuaNothing);
        lua_setfield(L, -2, name);
    }
    lua_pushcfunction(L, detail::LuaZero);
    lua_setfield(L, -2, "SectionEnter");
    lua_setglobal(L, "tracy");
}

// Replaces the calls of markers in a script by spaces, and those of SectionEnter by 0. Line breaks stay.
inline void LuaRemove(char *script)
{
    char before = 0;
    while (*script) {
        char *call = nullptr, *end = nullptr;
        if (!detail::LuaIsWord(before) && before != '.' && strncmp(script, "tracy.", 6) == 0 &&
            (call = detail::LuaMarkerCall(script + 6)) != nullptr)
            end = detail::LuaCallEnd(call);
        if (!end) {
            before = *script++;
            continue;
        }
        if (strncmp(script + 6, "SectionEnter", 12) == 0)
            *script++ = '0';
        for (; script < end; script++)
            if (*script != '\n')
                *script = ' ';
        before = ' ';
    }
}

inline void LuaHook(lua_State *, lua_Debug *)
{
}
} // namespace tracy

#else

#include "../tendril/client.h"
#include "TracyC.h"

namespace tracy
{
namespace detail
{
// The number of zones that the scripts of this thread have open, and the connection in which the outermost
// one began: no other connection may get their ends.
struct LuaZones {
    uint32_t open, live;
};
inline LuaZones &LuaZonesHere()
{
    static thread_local LuaZones zones = {0, 0};
    return zones;
}
inline bool LuaIsLive()
{
    const LuaZones &zones = LuaZonesHere();
    return zones.open && zones.live && zones.live == td_client_is_live();
}
inline TracyCZoneCtx LuaZone()
{
    const TracyCZoneCtx zone = {TD_CLIENT_INNERMOST, 1};
    return zone;
}
inline bool LuaOpenZone()
{
    LuaZones &zones = LuaZonesHere();
    if (zones.open++ == 0)
        zones.live = td_client_is_live();
    return LuaIsLive();
}

constexpr size_t LuaNameMax = 255, LuaFramesMax = 64;

// Lua gives a script without a file its text as source. This keeps its beginning, in one line.
struct LuaText {
    char text[LuaNameMax];
    size_t size;

    explicit LuaText(const char *from) : size(0)
    {
        for (; from && size < LuaNameMax && from[size]; size++)
            text[size] = from[size] == '\n' ? ' ' : from[size];
    }
};

inline uint64_t LuaLocation(const lua_Debug *at, const char *file, const char *name, size_t nameSz)
{
    const LuaText source(file), function(at->name ? at->name : at->short_src);
    return ___tracy_alloc_srcloc_name(at->currentline > 0 ? uint32_t(at->currentline) : 0, source.text,
                                      source.size, function.text, function.size, name, nameSz, 0);
}

// The script's call stack as traces have it: a count, and for each frame line, function, file.
class LuaStack
{
  public:
    LuaStack(lua_State *L, size_t depth) : m_size(1)
    {
        lua_Debug at;
        m_data[0] = 0;
        for (int level = 1; m_data[0] < LuaFramesMax && m_data[0] < depth && lua_getstack(L, level, &at);
             level++) {
            lua_getinfo(L, "Snl", &at);
            const uint32_t line = at.currentline > 0 ? uint32_t(at.currentline) : 0;
            memcpy(m_data + m_size, &line, sizeof line);
            m_size += sizeof line;
            Put(LuaText(at.name ? at.name : at.short_src));
            Put(LuaText(at.source));
            m_data[0]++;
        }
    }
    const void *Data() const
    {
        return m_data;
    }
    size_t Size() const
    {
        return m_data[0] ? m_size : 0;
    }

  private:
    void Put(const LuaText &text)
    {
        const uint16_t size = uint16_t(text.size);
        memcpy(m_data + m_size, &size, sizeof size);
        memcpy(m_data + m_size + sizeof size, text.text, size);
        m_size += sizeof size + size;
    }
    size_t m_size;
    uint8_t m_data[1 + LuaFramesMax * (4 + 2 * (2 + LuaNameMax))];
};

inline int LuaBegin(lua_State *L, const char *name, size_t nameSz, lua_Integer depth)
{
    if (!LuaOpenZone())
        return 0;
    lua_Debug at = {};
    at.currentline = -1;
    if (lua_getstack(L, 1, &at))
        lua_getinfo(L, "Snl", &at);
    const uint64_t srcloc = LuaLocation(&at, at.source, name, nameSz);
#if defined TRACY_CALLSTACK && TRACY_CALLSTACK > 0
    depth = TRACY_CALLSTACK;
#endif
    if (depth <= 0) {
        ___tracy_emit_zone_begin_alloc(srcloc, 1);
        return 0;
    }
    const LuaStack stack(L, size_t(depth));
    td_client_zone_begin_script(srcloc, stack.Data(), stack.Size(), depth < 63 ? int(depth) : 63);
    return 0;
}
inline int LuaZoneBegin(lua_State *L)
{
    return LuaBegin(L, nullptr, 0, 0);
}
inline int LuaZoneBeginS(lua_State *L)
{
    return LuaBegin(L, nullptr, 0, lua_tointeger(L, 1));
}
inline int LuaZoneBeginN(lua_State *L)
{
    size_t size = 0;
    const char *name = lua_tolstring(L, 1, &size);
    return LuaBegin(L, name, size, 0);
}
inline int LuaZoneBeginNS(lua_State *L)
{
    size_t size = 0;
    const char *name = lua_tolstring(L, 1, &size);
    return LuaBegin(L, name, size, lua_tointeger(L, 2));
}
inline int LuaZoneEnd(lua_State *)
{
    if (LuaIsLive())
        ___tracy_emit_zone_end(LuaZone());
    if (LuaZonesHere().open)
        LuaZonesHere().open--;
    return 0;
}
inline int LuaZoneText(lua_State *L)
{
    size_t size = 0;
    const char *text = lua_tolstring(L, 1, &size);
    if (text && LuaIsLive())
        ___tracy_emit_zone_text(LuaZone(), text, size);
    return 0;
}
inline int LuaZoneName(lua_State *L)
{
    size_t size = 0;
    const char *text = lua_tolstring(L, 1, &size);
    if (text && LuaIsLive())
        ___tracy_emit_zone_name(LuaZone(), text, size);
    return 0;
}
inline int LuaMessage(lua_State *L)
{
    size_t size = 0;
    const char *text = lua_tolstring(L, 1, &size);
    if (text)
        ___tracy_emit_message(text, size, 0);
    return 0;
}
inline int LuaSectionEnter(lua_State *L)
{
    size_t size = 0;
    const char *text = lua_tolstring(L, 1, &size);
    const uint16_t category = lua_isnumber(L, 2) ? uint16_t(lua_tointeger(L, 2)) : 0;
    lua_pushinteger(L, text ? td_client_section_enter(category, "%.*s", int(size), text) : 0);
    return 1;
}
inline int LuaSectionLeave(lua_State *L)
{
    td_client_section_leave(uint32_t(lua_tointeger(L, 1)));
    return 0;
}
} // namespace detail

inline void LuaRegister(lua_State *L)
{
    static const struct {
        const char *name;
        lua_CFunction function;
    } markers[] = {{"ZoneBegin", detail::LuaZoneBegin},       {"ZoneBeginN", detail::LuaZoneBeginN},
                   {"ZoneBeginS", detail::LuaZoneBeginS},     {"ZoneBeginNS", detail::LuaZoneBeginNS},
                   {"ZoneEnd", detail::LuaZoneEnd},           {"ZoneText", detail::LuaZoneText},
                   {"ZoneName", detail::LuaZoneName},         {"Message", detail::LuaMessage},
                   {"SectionEnter", detail::LuaSectionEnter}, {"SectionLeave", detail::LuaSectionLeave}};
    lua_newtable(L);
    for (const auto &marker : markers) {
        lua_pushcfunction(L, marker.function);
        lua_setfield(L, -2, marker.name);
    }
    lua_setglobal(L, "tracy");
}

inline void LuaRemove(char *)
{
}

// A tail call replaces its caller. From Lua 5.2 on both have one return, and the call's event is
// LUA_HOOKTAILCALL, which begins no zone here. In Lua 5.1 the call's event is LUA_HOOKCALL, and the caller's
// return is LUA_HOOKTAILRET. LuaJIT reports calls of C functions, but not their returns.
inline void LuaHook(lua_State *L, lua_Debug *ar)
{
    if (ar->event == LUA_HOOKCALL) {
        lua_getinfo(L, "Snl", ar);
#ifdef LUAJIT_VERSION
        if (strcmp(ar->what, "C") == 0)
            return;
#endif
        if (detail::LuaOpenZone())
            ___tracy_emit_zone_begin_alloc(detail::LuaLocation(ar, ar->short_src, nullptr, 0), 1);
    } else if (ar->event == LUA_HOOKRET) {
        detail::LuaZoneEnd(L);
    }
#ifdef LUA_HOOKTAILRET
    else if (ar->event == LUA_HOOKTAILRET) {
        detail::LuaZoneEnd(L);
    }
#endif
}
} // namespace tracy

#endif
#endif
