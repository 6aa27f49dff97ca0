/* Implements remote.h. Input becomes events of SDL, so that what imgui_shim.cpp makes of them is the same for all
 * screens. */
#include "host/viewer/ui/imgui_internal.h"
#include "host/viewer/ui/remote.h"

extern "C" {
#include "host/base/clock.h"
}

#include <float.h>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <time.h>
#include <vector>

#define LEAST_SECONDS 1e-4f
#define MOST_EVENTS   4096 /* more wait for no frame: their sender does not wait for pictures */
#define WAIT_MS       20   /* of one call */

struct texture {
    td_remote_texture facts;
    std::vector<uint8_t> pixels;
};

struct td_far_screen {
    std::vector<SDL_Event> events; // from `next` on
    size_t next;
    unsigned changed; // buttons in this poll
    bool pressed;     // a key was, in this poll
    float x, y;
    bool inside;
    int width, height; // of the next frame
    float scale;
    int64_t frame_ns;
    std::vector<texture> textures;
    std::vector<td_remote_texture> texture_facts;
    std::vector<td_remote_list> lists;
    std::vector<td_remote_command> commands;
    uint32_t textures_made, strips;
    bool has_frame, has_copied, has_title;
    std::string clipboard, copied, title;
};

/* ---- opening ---- */

static const char *get_clipboard(void *self)
{
    return static_cast<td_far_screen *>(self)->clipboard.c_str();
}

static void set_clipboard(void *self, const char *text)
{
    td_far_screen *r = static_cast<td_far_screen *>(self);
    r->clipboard = r->copied = text;
    r->has_copied = true;
}

static int open_events(struct td_err *err)
{
    // The program has handlers of its own for signals.
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    if (SDL_InitSubSystem(SDL_INIT_EVENTS) == 0)
        return 0;
    return td_fail(err, TD_E_NOTFOUND, "SDL cannot initialise events: %s", SDL_GetError());
}

int td_ui_open_remote_(struct td_ui *ui, struct td_err *err)
{
    const int rc = open_events(err);
    if (rc < 0)
        return rc;
    ui->events = true;
    ui->remote = new (std::nothrow) td_far_screen();
    if (!ui->remote)
        return td_fail_no_memory(err, NULL);
    ui->remote->scale = 1;
    ui->remote->width = ui->width;
    ui->remote->height = ui->height;
    return 0;
}

void td_ui_start_remote_(struct td_ui *ui)
{
    ImGuiIO &io = ImGui::GetIO();
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset | ImGuiBackendFlags_HasMouseCursors;
    io.ClipboardUserData = ui->remote;
    io.GetClipboardTextFn = get_clipboard;
    io.SetClipboardTextFn = set_clipboard;
    for (int key = 0; key < ImGuiKey_COUNT; key++)
        io.KeyMap[key] = key;
}

void td_ui_close_remote_(struct td_ui *ui)
{
    delete ui->remote;
    ui->remote = nullptr;
    if (ui->events)
        SDL_QuitSubSystem(SDL_INIT_EVENTS);
}

static int SDLCALL call_waker(void *self, SDL_Event *event)
{
    const td_ui_waker *waker = static_cast<const td_ui_waker *>(self);
    if (event->type == SDL_USEREVENT)
        waker->wake(waker->self);
    return 0;
}

int td_ui_add_waker(struct td_ui_waker *waker, struct td_err *err)
{
    const int rc = open_events(err);
    if (rc == 0)
        SDL_AddEventWatch(call_waker, waker);
    return rc;
}

void td_ui_remove_waker(struct td_ui_waker *waker)
{
    SDL_DelEventWatch(call_waker, waker);
    SDL_QuitSubSystem(SDL_INIT_EVENTS);
}

/* ---- pictures ---- */

td_ui_picture td_ui_remote_picture_(struct td_ui *ui, td_ui_picture old, const uint8_t *pixels, int width,
                                    int height, int pixel_bytes)
{
    td_far_screen *r = ui->remote;
    texture *t = nullptr;
    for (texture &each : r->textures)
        if (each.facts.id == old)
            t = &each;
    if (!t) {
        r->textures.push_back(texture());
        t = &r->textures.back();
        t->facts.id = ++r->textures_made;
    }
    t->pixels.assign(pixels, pixels + (size_t)width * (size_t)height * (size_t)pixel_bytes);
    t->facts.version++;
    t->facts.width = width;
    t->facts.height = height;
    t->facts.pixel_bytes = pixel_bytes;
    return t->facts.id;
}

void td_ui_remote_free_picture_(struct td_ui *ui, td_ui_picture picture)
{
    std::vector<texture> &all = ui->remote->textures;
    for (size_t i = 0; i < all.size(); i++)
        if (all[i].facts.id == picture) {
            all.erase(all.begin() + (ptrdiff_t)i);
            return;
        }
}

uint32_t td_ui_remote_strips_(struct td_ui *ui)
{
    if (!ui->remote->strips)
        ui->remote->strips = ++ui->remote->textures_made;
    return ui->remote->strips;
}

/* ---- frames ---- */

void td_ui_begin_remote_(struct td_ui *ui)
{
    td_far_screen *r = ui->remote;
    ImGuiIO &io = ImGui::GetIO();
    const int64_t now_ns = td_mono_ns();
    const float seconds = r->frame_ns ? (float)(now_ns - r->frame_ns) / 1e9f : 1.f / 60;
    r->frame_ns = now_ns;
    io.DeltaTime = seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS;
    ui->width = r->width;
    ui->height = r->height;
    io.MousePos = r->inside ? ImVec2(r->x, r->y) : ImVec2(-FLT_MAX, -FLT_MAX);
    r->has_frame = false;
}

static void add_list(td_far_screen *r, const ImDrawList *list)
{
    static_assert(sizeof(ImDrawVert) == sizeof(td_remote_vertex) && sizeof(ImDrawIdx) == sizeof(uint16_t),
                  "the layout of Dear ImGui");
    td_remote_list to = {};
    to.vertices = reinterpret_cast<const td_remote_vertex *>(list->VtxBuffer.Data);
    to.indices = list->IdxBuffer.Data;
    to.vertex_count = (size_t)list->VtxBuffer.Size;
    to.index_count = (size_t)list->IdxBuffer.Size;
    for (const ImDrawCmd &c : list->CmdBuffer) {
        if (!c.ElemCount)
            continue;
        r->commands.push_back({{c.ClipRect.x, c.ClipRect.y, c.ClipRect.z, c.ClipRect.w},
                               (uint32_t)(uintptr_t)c.GetTexID(),
                               c.VtxOffset,
                               c.IdxOffset,
                               c.ElemCount});
        to.command_count++;
    }
    if (to.command_count)
        r->lists.push_back(to);
}

void td_ui_end_remote_(struct td_ui *ui)
{
    td_far_screen *r = ui->remote;
    const ImDrawData *data = ImGui::GetDrawData();
    r->lists.clear();
    r->commands.clear();
    for (int i = 0; i < data->CmdListsCount; i++)
        add_list(r, data->CmdLists[i]);
    size_t at = 0; // pointers, after the array has its size
    for (td_remote_list &list : r->lists) {
        list.commands = r->commands.data() + at;
        at += list.command_count;
    }
    r->has_frame = true;
}

static enum td_remote_cursor cursor_now()
{
    switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_TextInput:
        return TD_CURSOR_TEXT;
    case ImGuiMouseCursor_Hand:
        return TD_CURSOR_HAND;
    case ImGuiMouseCursor_ResizeAll:
        return TD_CURSOR_MOVE;
    case ImGuiMouseCursor_ResizeEW:
        return TD_CURSOR_WIDE;
    case ImGuiMouseCursor_ResizeNS:
        return TD_CURSOR_HIGH;
    default:
        return TD_CURSOR_ARROW;
    }
}

bool td_ui_remote_frame(struct td_ui *ui, struct td_remote_frame *frame)
{
    td_far_screen *r = ui->remote;
    if (!r->has_frame)
        return false;
    r->has_frame = false;
    ImGui::SetCurrentContext(ui->imgui);
    r->texture_facts.clear();
    for (const texture &t : r->textures) {
        r->texture_facts.push_back(t.facts);
        r->texture_facts.back().pixels = t.pixels.data();
    }
    const td_strips *s = &ui->strips;
    *frame = {};
    frame->width = ui->width;
    frame->height = ui->height;
    frame->cursor = cursor_now();
    frame->lists = r->lists.data();
    frame->list_count = r->lists.size();
    frame->textures = r->texture_facts.data();
    frame->texture_count = r->texture_facts.size();
    if (s->used)
        frame->strips = {s->textures[s->turn], s->width, s->lines, s->pixels};
    return true;
}

const char *td_ui_remote_copied(struct td_ui *ui)
{
    const bool any = ui->remote->has_copied;
    ui->remote->has_copied = false;
    return any ? ui->remote->copied.c_str() : nullptr;
}

void td_ui_remote_set_title_(struct td_ui *ui, const char *title)
{
    ui->remote->title = title;
    ui->remote->has_title = true;
}

const char *td_ui_remote_title(struct td_ui *ui)
{
    const bool any = ui->remote->has_title;
    ui->remote->has_title = false;
    return any ? ui->remote->title.c_str() : nullptr;
}

float td_ui_remote_scale_(const struct td_ui *ui)
{
    return ui->remote->scale;
}

/* ---- input ---- */

static void add_event(struct td_ui *ui, const SDL_Event &event)
{
    td_far_screen *r = ui->remote;
    if (r->next == r->events.size()) {
        r->events.clear();
        r->next = 0;
    }
    if (r->events.size() - r->next >= MOST_EVENTS)
        return;
    // Of positions that follow each other, the last one counts.
    if (event.type == SDL_MOUSEMOTION && r->next < r->events.size() &&
        r->events.back().type == SDL_MOUSEMOTION)
        r->events.back() = event;
    else
        r->events.push_back(event);
}

void td_ui_remote_resize(struct td_ui *ui, int width, int height, double scale)
{
    td_far_screen *r = ui->remote;
    r->width = width < TD_UI_MIN_SIZE ? TD_UI_MIN_SIZE : width > TD_UI_MAX_SIZE ? TD_UI_MAX_SIZE : width;
    r->height = height < TD_UI_MIN_SIZE ? TD_UI_MIN_SIZE : height > TD_UI_MAX_SIZE ? TD_UI_MAX_SIZE : height;
    r->scale = scale >= TD_UI_MIN_SCALE && scale <= TD_UI_MAX_SCALE ? (float)scale : 1;
    SDL_Event event = {};
    event.type = SDL_WINDOWEVENT;
    event.window.event = SDL_WINDOWEVENT_SIZE_CHANGED;
    add_event(ui, event);
}

// A position that is not in the picture: the mouse has left.
static void add_motion(struct td_ui *ui, float x, float y)
{
    SDL_Event event = {};
    event.type = SDL_MOUSEMOTION;
    event.motion.x = (int)x;
    event.motion.y = (int)y;
    add_event(ui, event);
}

void td_ui_remote_move(struct td_ui *ui, float x, float y)
{
    const float most = TD_UI_MAX_SIZE;
    add_motion(ui, x > 0 ? x < most ? x : most : 0, y > 0 ? y < most ? y : most : 0);
}

void td_ui_remote_leave(struct td_ui *ui)
{
    add_motion(ui, -1, -1);
}

static int sdl_button(int button)
{
    return button == TD_MOUSE_LEFT    ? SDL_BUTTON_LEFT
           : button == TD_MOUSE_RIGHT ? SDL_BUTTON_RIGHT
                                      : SDL_BUTTON_MIDDLE;
}

void td_ui_remote_button(struct td_ui *ui, int button, bool down, int clicks)
{
    SDL_Event event = {};
    event.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
    event.button.button = (Uint8)sdl_button(button);
    event.button.clicks = (Uint8)(clicks & 0xff);
    add_event(ui, event);
}

void td_ui_remote_wheel(struct td_ui *ui, float x, float y)
{
    SDL_Event event = {};
    event.type = SDL_MOUSEWHEEL;
    event.wheel.preciseX = x;
    event.wheel.preciseY = y;
    add_event(ui, event);
}

void td_ui_remote_key(struct td_ui *ui, const struct td_key_press *press, bool down)
{
    SDL_Event event = {};
    event.type = down ? SDL_KEYDOWN : SDL_KEYUP;
    event.key.keysym.sym = press->key == TD_KEY_NONE ? SDLK_LCTRL : td_ui_sdl_key_(press->key);
    event.key.keysym.mod = (Uint16)((press->shift ? KMOD_SHIFT : 0) | (press->ctrl ? KMOD_CTRL : 0) |
                                    (press->alt ? KMOD_ALT : 0));
    if (event.key.keysym.sym != SDLK_UNKNOWN)
        add_event(ui, event);
}

void td_ui_remote_text(struct td_ui *ui, const char *text)
{
    SDL_Event event = {};
    event.type = SDL_TEXTINPUT;
    if (!*text || strlen(text) >= sizeof event.text.text)
        return;
    strcpy(event.text.text, text);
    add_event(ui, event);
}

void td_ui_remote_paste(struct td_ui *ui, const char *text)
{
    ui->remote->clipboard = text;
    const td_key_press press = {'v', false, true, false, false};
    td_ui_remote_key(ui, &press, true);
    td_ui_remote_key(ui, &press, false);
}

void td_ui_remote_drop(struct td_ui *ui, const char *path)
{
    SDL_Event event = {};
    event.type = SDL_DROPFILE;
    event.drop.file = SDL_strdup(path);
    if (event.drop.file)
        add_event(ui, event);
}

void td_ui_remote_wake(struct td_ui *ui)
{
    SDL_Event event = {};
    event.type = SDL_USEREVENT;
    add_event(ui, event);
}

void td_ui_remote_blur(struct td_ui *ui)
{
    SDL_Event event = {};
    event.type = SDL_WINDOWEVENT;
    event.window.event = SDL_WINDOWEVENT_FOCUS_LOST;
    add_event(ui, event);
}

void td_ui_start_poll_(struct td_ui *ui)
{
    ui->remote->changed = 0;
    ui->remote->pressed = false;
    SDL_FlushEvent(SDL_USEREVENT); // of td_ui_wake()
}

// A frame shows one change of a button or key, and what a shortcut opens gets the keys that follow.
bool td_ui_remote_event_(struct td_ui *ui, bool shortcut, SDL_Event *event)
{
    td_far_screen *r = ui->remote;
    if (r->next == r->events.size())
        return false;
    *event = r->events[r->next];
    if ((event->type == SDL_KEYDOWN && shortcut) || (event->type == SDL_KEYUP && r->pressed))
        return false;
    r->pressed |= event->type == SDL_KEYDOWN;
    if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP) {
        const unsigned bit = 1u << event->button.button;
        if (r->changed & bit)
            return false;
        r->changed |= bit;
    } else if (r->changed && event->type == SDL_MOUSEMOTION) {
        return false; // the button changes where the mouse was
    }
    r->next++;
    return true;
}

void td_ui_remote_wait_(const struct td_ui *ui, int wait_ms)
{
    const struct timespec wait = {0, (wait_ms > 0 && wait_ms < WAIT_MS ? wait_ms : WAIT_MS) * 1000000l};
    if (wait_ms && ui->remote->next == ui->remote->events.size())
        nanosleep(&wait, nullptr);
}

static ImGuiKey imgui_key(SDL_Keycode sym)
{
    static const struct {
        SDL_Keycode sym;
        ImGuiKey key;
    } keys[] = {{SDLK_TAB, ImGuiKey_Tab},
                {SDLK_LEFT, ImGuiKey_LeftArrow},
                {SDLK_RIGHT, ImGuiKey_RightArrow},
                {SDLK_UP, ImGuiKey_UpArrow},
                {SDLK_DOWN, ImGuiKey_DownArrow},
                {SDLK_PAGEUP, ImGuiKey_PageUp},
                {SDLK_PAGEDOWN, ImGuiKey_PageDown},
                {SDLK_HOME, ImGuiKey_Home},
                {SDLK_END, ImGuiKey_End},
                {SDLK_DELETE, ImGuiKey_Delete},
                {SDLK_BACKSPACE, ImGuiKey_Backspace},
                {SDLK_SPACE, ImGuiKey_Space},
                {SDLK_RETURN, ImGuiKey_Enter},
                {SDLK_ESCAPE, ImGuiKey_Escape},
                {SDLK_a, ImGuiKey_A},
                {SDLK_c, ImGuiKey_C},
                {SDLK_v, ImGuiKey_V},
                {SDLK_x, ImGuiKey_X},
                {SDLK_y, ImGuiKey_Y},
                {SDLK_z, ImGuiKey_Z}};
    for (const auto &k : keys)
        if (k.sym == sym)
            return k.key;
    return ImGuiKey_COUNT;
}

// What the back end of Dear ImGui makes of events.
void td_ui_remote_take_(struct td_ui *ui, const SDL_Event *event)
{
    ImGuiIO &io = ImGui::GetIO();
    td_far_screen *r = ui->remote;
    switch (event->type) {
    case SDL_MOUSEMOTION:
        r->inside = event->motion.x >= 0;
        r->x = (float)event->motion.x;
        r->y = (float)event->motion.y;
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        io.MouseDown[event->button.button == SDL_BUTTON_LEFT    ? ImGuiMouseButton_Left
                     : event->button.button == SDL_BUTTON_RIGHT ? ImGuiMouseButton_Right
                                                                : ImGuiMouseButton_Middle] =
            event->type == SDL_MOUSEBUTTONDOWN;
        break;
    case SDL_MOUSEWHEEL:
        io.MouseWheelH += event->wheel.preciseX;
        io.MouseWheel += event->wheel.preciseY;
        break;
    case SDL_TEXTINPUT:
        io.AddInputCharactersUTF8(event->text.text);
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        if (imgui_key(event->key.keysym.sym) != ImGuiKey_COUNT)
            io.KeysDown[imgui_key(event->key.keysym.sym)] = event->type == SDL_KEYDOWN;
        io.KeyShift = (event->key.keysym.mod & KMOD_SHIFT) != 0;
        io.KeyCtrl = (event->key.keysym.mod & KMOD_CTRL) != 0;
        io.KeyAlt = (event->key.keysym.mod & KMOD_ALT) != 0;
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST) {
            memset(io.KeysDown, 0, sizeof io.KeysDown);
            memset(io.MouseDown, 0, sizeof io.MouseDown);
            io.KeyShift = io.KeyCtrl = io.KeyAlt = false;
        }
        break;
    default:
        break;
    }
}
