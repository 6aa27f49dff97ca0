/* Keys by the names of SDL and of imgui_shim.h. */
#include "host/viewer/ui/imgui_internal.h"

static const struct {
    SDL_Keycode sym;
    int key;
} named_keys[] = {
    {SDLK_LEFT, TD_KEY_LEFT},     {SDLK_RIGHT, TD_KEY_RIGHT},    {SDLK_UP, TD_KEY_UP},
    {SDLK_DOWN, TD_KEY_DOWN},     {SDLK_PAGEUP, TD_KEY_PAGE_UP}, {SDLK_PAGEDOWN, TD_KEY_PAGE_DOWN},
    {SDLK_HOME, TD_KEY_HOME},     {SDLK_END, TD_KEY_END},        {SDLK_ESCAPE, TD_KEY_ESCAPE},
    {SDLK_RETURN, TD_KEY_ENTER},  {SDLK_KP_ENTER, TD_KEY_ENTER}, {SDLK_F3, TD_KEY_F3},
    {SDLK_F4, TD_KEY_F4},         {SDLK_F9, TD_KEY_F9},          {SDLK_F10, TD_KEY_F10},
    {SDLK_F11, TD_KEY_F11},       {SDLK_TAB, TD_KEY_TAB},        {SDLK_BACKSPACE, TD_KEY_BACKSPACE},
    {SDLK_DELETE, TD_KEY_DELETE}, {SDLK_KP_PLUS, '+'},           {SDLK_EQUALS, '+'},
    {SDLK_KP_MINUS, '-'},         {SDLK_F1, TD_KEY_F1},          {SDLK_APPLICATION, TD_KEY_MENU},
    {SDLK_MENU, TD_KEY_MENU}};

int td_ui_key_of_sdl_(SDL_Keycode sym)
{
    for (const auto &k : named_keys)
        if (k.sym == sym)
            return k.key;
    return sym >= 0x20 && sym < 0x7f ? (int)sym : TD_KEY_NONE;
}

SDL_Keycode td_ui_sdl_key_(int key)
{
    for (const auto &k : named_keys)
        if (k.key == key && key >= TD_KEY_LEFT)
            return k.sym;
    return key >= 0x20 && key < 0x7f ? key : SDLK_UNKNOWN;
}
