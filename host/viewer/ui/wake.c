#include "host/viewer/ui/imgui_shim.h"

#include <SDL.h>

void td_ui_wake(void)
{
    SDL_Event event = {.type = SDL_USEREVENT};
    if (SDL_WasInit(SDL_INIT_EVENTS))
        SDL_PushEvent(&event);
}
