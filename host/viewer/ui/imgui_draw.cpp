/* Implements imgui_shim.h: regions, drawing, text, widgets. */
#include "host/viewer/ui/imgui_internal.h"
#include "host/viewer/ui/visual_text.h"

#include <imgui_internal.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char ELLIPSIS[] = "\xe2\x80\xa6";
#define LEAST_BYTES    3     // of a shortened text
#define SMALL_ROUNDING 3     // round corners of less are drawn without the pixel in the corner
#define EM_PER_LINE    .859f // ImGui sizes fonts by their line, SVG by their em; of DejaVu Sans

static ImU32 color_of(td_rgba c)
{
    return IM_COL32(c >> 16 & 255, c >> 8 & 255, c & 255, c >> 24);
}

/* ---- plain rectangles ---- */

// Most of a picture is plain rectangles, so room for them is made by the hundred.
void td_ui_flush_boxes_(struct td_ui *ui)
{
    const int count = ui->box_count;
    if (!count)
        return;
    ImDrawList *list = ui->list;
    const ImVec2 uv = ImGui::GetFontTexUvWhitePixel();
    list->PrimReserve(6 * count, 4 * count);
    ImDrawVert *corner = list->_VtxWritePtr;
    ImDrawIdx *index = list->_IdxWritePtr;
    unsigned first = list->_VtxCurrentIdx;
    for (const td_box *b = ui->boxes; b < ui->boxes + count; b++, corner += 4, index += 6, first += 4) {
        corner[0] = {ImVec2(b->x0, b->y0), uv, b->color};
        corner[1] = {ImVec2(b->x1, b->y0), uv, b->color};
        corner[2] = {ImVec2(b->x1, b->y1), uv, b->color};
        corner[3] = {ImVec2(b->x0, b->y1), uv, b->color};
        static const ImDrawIdx corners[6] = {0, 1, 2, 0, 2, 3};
        for (int i = 0; i < 6; i++)
            index[i] = (ImDrawIdx)(first + corners[i]);
    }
    list->_VtxWritePtr = corner;
    list->_IdxWritePtr = index;
    list->_VtxCurrentIdx = first;
    ui->box_count = 0;
}

static void add_box(struct td_ui *ui, float x0, float y0, float x1, float y1, ImU32 color)
{
    if (ui->box_count == TD_MAX_BOXES)
        td_ui_flush_boxes_(ui);
    ui->boxes[ui->box_count++] = {x0, y0, x1, y1, color};
}

// The list for another shape, which covers the rectangles that were drawn before.
static ImDrawList *list_of(struct td_ui *ui)
{
    td_ui_flush_boxes_(ui);
    return ui->list;
}

static void draw_to(struct td_ui *ui, ImDrawList *list)
{
    td_ui_flush_boxes_(ui);
    ui->list = list;
}

/* ---- regions ---- */

void td_ui_region_begin(struct td_ui *ui, const char *id, float x, float y, float w, float h, td_rgba fill,
                        enum td_layer layer)
{
    const bool overlay = layer != TD_LAYER_BASE;
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                             ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
    if (!overlay)
        flags |= ImGuiWindowFlags_NoBringToFrontOnFocus;
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(w > 1 ? w : 1, h > 1 ? h : 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, overlay ? 6 * ui->scale : 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, overlay ? 1 : 0);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, color_of(fill));
    ImGui::Begin(id, nullptr, flags);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
    if (layer == TD_LAYER_TOP) /* also if it was there before a region that covers others */
        ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    draw_to(ui, ImGui::GetWindowDrawList());
    ui->region = id;
    ui->recording = ui->drawing && !strcmp(id, ui->recorded);
    if (ui->recording)
        td_drawing_begin(ui->drawing, x, y, w, h, fill);
}

void td_ui_region_end(struct td_ui *ui)
{
    ui->recording = false;
    td_ui_flush_boxes_(ui);
    ImGui::End();
    ui->list = ImGui::GetForegroundDrawList();
}

bool td_ui_region_hovered(const struct td_ui *)
{
    return ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
}

void td_ui_on_top(struct td_ui *ui, bool on)
{
    draw_to(ui, on ? ImGui::GetForegroundDrawList() : ImGui::GetWindowDrawList());
    ui->on_top = on;
}

void td_ui_record(struct td_ui *ui, struct td_drawing *drawing, const char *region)
{
    ui->drawing = drawing;
    ui->recorded = region;
}

// The file that gets the next shape, too; nullptr: none.
static struct td_drawing *recorder(const struct td_ui *ui)
{
    return ui->recording && !ui->on_top ? ui->drawing : nullptr;
}

/* ---- drawing ---- */

void td_ui_rect(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float rounding)
{
    if (recorder(ui))
        td_drawing_rect(ui->drawing, x0, y0, x1, y1, color, rounding);
    if (!(color >> 24))
        return;
    if (rounding < .5f) {
        add_box(ui, x0, y0, x1, y1, color_of(color));
    } else if (rounding < SMALL_ROUNDING && x1 - x0 > 2 && y1 - y0 > 2) {
        add_box(ui, x0 + 1, y0, x1 - 1, y0 + 1, color_of(color));
        add_box(ui, x0, y0 + 1, x1, y1 - 1, color_of(color));
        add_box(ui, x0 + 1, y1 - 1, x1 - 1, y1, color_of(color));
    } else {
        list_of(ui)->AddRectFilled(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), rounding);
    }
}

void td_ui_frame_rect(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float rounding,
                      float thickness)
{
    if (recorder(ui))
        td_drawing_frame(ui->drawing, x0, y0, x1, y1, color, rounding, thickness);
    list_of(ui)->AddRect(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), rounding, 0, thickness);
}

void td_ui_line(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float thickness)
{
    const float xy[4] = {x0, y0, x1, y1};
    if (recorder(ui))
        td_drawing_polyline(ui->drawing, xy, 2, color, thickness);
    list_of(ui)->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), thickness);
}

void td_ui_triangle(struct td_ui *ui, const float xy[6], td_rgba color)
{
    if (recorder(ui))
        td_drawing_polygon(ui->drawing, xy, 3, color);
    list_of(ui)->AddTriangleFilled(ImVec2(xy[0], xy[1]), ImVec2(xy[2], xy[3]), ImVec2(xy[4], xy[5]),
                                   color_of(color));
}

void td_ui_polyline(struct td_ui *ui, const float *xy, int points, td_rgba color, float thickness)
{
    if (recorder(ui))
        td_drawing_polyline(ui->drawing, xy, points, color, thickness);
    static_assert(sizeof(ImVec2) == 2 * sizeof(float), "points are pairs of floats");
    list_of(ui)->AddPolyline(reinterpret_cast<const ImVec2 *>(xy), points, color_of(color), 0, thickness);
}

void td_ui_bezier(struct td_ui *ui, const float xy[8], td_rgba color, float thickness)
{
    if (recorder(ui))
        td_drawing_bezier(ui->drawing, xy, color, thickness);
    list_of(ui)->AddBezierCubic(ImVec2(xy[0], xy[1]), ImVec2(xy[2], xy[3]), ImVec2(xy[4], xy[5]),
                                ImVec2(xy[6], xy[7]), color_of(color), thickness);
}

void td_ui_area(struct td_ui *ui, const float *xy, int points, float base, td_rgba color)
{
    if (recorder(ui))
        td_drawing_area(ui->drawing, xy, points, base, color);
    ImDrawList *list = list_of(ui);
    ImDrawListFlags flags = list->Flags;
    list->Flags &= ~ImDrawListFlags_AntiAliasedFill; // smooth edges would show between the pieces
    for (int i = 0; i + 1 < points; i++)
        list->AddQuadFilled(ImVec2(xy[2 * i], xy[2 * i + 1]), ImVec2(xy[2 * i + 2], xy[2 * i + 3]),
                            ImVec2(xy[2 * i + 2], base), ImVec2(xy[2 * i], base), color_of(color));
    list->Flags = flags;
}

void td_ui_clip(struct td_ui *ui, float x0, float y0, float x1, float y1)
{
    if (recorder(ui))
        td_drawing_clip(ui->drawing, x0, y0, x1, y1);
    list_of(ui)->PushClipRect(ImVec2(x0, y0), ImVec2(x1, y1), true);
}

void td_ui_unclip(struct td_ui *ui)
{
    if (recorder(ui))
        td_drawing_unclip(ui->drawing);
    list_of(ui)->PopClipRect();
}

/* ---- text ---- */

static const char *line_end(const char *text)
{
    return text + strcspn(text, "\r\n");
}

// The first line of a text as it is drawn.
struct td_line {
    const char *text, *end;   // as it is written
    const char *first, *last; // of what is drawn; in `room` if that is something else
    char room[TD_VISUAL_BYTES];
};

static void set_line(struct td_ui *ui, td_line &line, const char *text, const char *end)
{
    line.text = line.first = text;
    line.end = line.last = end;
    if (td_text_turns(text, (size_t)(end - text))) {
        line.first = line.room;
        line.last = line.room + td_text_visual(text, (size_t)(end - text), line.room);
    }
    td_ui_note_text_(ui, line.first, line.last);
}

static float width_of(const ImFont *f, const char *first, const char *last)
{
    return f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, first, last).x;
}

float td_ui_text_width(struct td_ui *ui, enum td_font font, const char *text)
{
    td_line line;
    set_line(ui, line, text, line_end(text));
    return width_of(ui->fonts[font], line.first, line.last);
}

float td_ui_text_height(struct td_ui *ui, enum td_font font)
{
    return ui->fonts[font]->FontSize;
}

// `whole`: the text that was shortened; nullptr: it is whole.
static float draw_line(struct td_ui *ui, ImFont *f, float x, float y, td_rgba color, const td_line &line,
                       const char *whole)
{
    // Glyphs are sharp at whole pixels only.
    list_of(ui)->AddText(f, f->FontSize, ImVec2(floorf(x), floorf(y)), color_of(color), line.first,
                         line.last);
    const float wide = width_of(f, line.first, line.last);
    if (recorder(ui))
        td_drawing_text(ui->drawing, floorf(x), floorf(y) + f->Ascent, f->FontSize * EM_PER_LINE, wide,
                        f == ui->fonts[TD_FONT_BOLD], color, line.text, (size_t)(line.end - line.text),
                        whole);
    return wide;
}

float td_ui_text(struct td_ui *ui, enum td_font font, float x, float y, td_rgba color, const char *text)
{
    td_line line;
    set_line(ui, line, text, line_end(text));
    return draw_line(ui, ui->fonts[font], x, y, color, line, nullptr);
}

// The first `bytes` of the text with an ellipsis, in `room`.
static void cut_line(struct td_ui *ui, td_line &line, const char *text, size_t bytes,
                     char room[TD_VISUAL_BYTES])
{
    const size_t n = bytes < TD_VISUAL_BYTES - sizeof ELLIPSIS ? bytes : TD_VISUAL_BYTES - sizeof ELLIPSIS;
    memcpy(room, text, n);
    memcpy(room + n, ELLIPSIS, sizeof ELLIPSIS);
    set_line(ui, line, room, room + n + sizeof ELLIPSIS - 1);
}

// Of a text whose order changes when it is shortened: the longest beginning that fits.
static float fit_turned(struct td_ui *ui, ImFont *f, float x, float y, float width, td_rgba color,
                        const char *text, const char *end)
{
    char room[TD_VISUAL_BYTES];
    td_line line;
    size_t low = 0, high = (size_t)(end - text);
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        cut_line(ui, line, text, middle, room);
        if (width_of(f, line.first, line.last) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    while (low && (text[low] & 0xc0) == 0x80) // inside a character
        low--;
    if (low < LEAST_BYTES)
        return 0;
    cut_line(ui, line, text, low, room);
    return draw_line(ui, f, x, y, color, line, text);
}

float td_ui_text_fit(struct td_ui *ui, enum td_font font, float x, float y, float width, td_rgba color,
                     const char *text)
{
    ImFont *f = ui->fonts[font];
    td_line line;
    const char *const end = line_end(text), *rest = nullptr;
    if (width <= 0 || text == end)
        return 0;
    set_line(ui, line, text, end);
    f->CalcTextSizeA(f->FontSize, width + 1, 0, line.first, line.last,
                     &rest); // text of exactly this width fits
    if (rest == line.last)
        return draw_line(ui, f, x, y, color, line, nullptr);
    if (line.first != text)
        return fit_turned(ui, f, x, y, width, color, text, end);
    const float dots = width_of(f, ELLIPSIS, nullptr);
    f->CalcTextSizeA(f->FontSize, width - dots, 0, text, end, &rest);
    // CalcTextSizeA counts at least one character, even one that does not fit.
    if (width_of(f, text, rest) + dots > width || rest - text < LEAST_BYTES)
        return 0;
    line.end = line.last = rest;
    const float wide = draw_line(ui, f, x, y, color, line, text);
    set_line(ui, line, ELLIPSIS, ELLIPSIS + sizeof ELLIPSIS - 1);
    return wide + draw_line(ui, f, x + wide, y, color, line, nullptr);
}

/* ---- pictures ---- */

td_ui_picture td_ui_make_picture(struct td_ui *ui, td_ui_picture old, const uint8_t *rgba, int width,
                                 int height)
{
    if (ui->remote)
        return td_ui_remote_picture_(ui, old, rgba, width, height, 4);
    GLuint picture = old;
    if (!picture)
        ui->gl.GenTextures(1, &picture);
    ui->gl.BindTexture(GL_TEXTURE_2D, picture);
    ui->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    ui->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    ui->gl.PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    ui->gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    return picture;
}

void td_ui_free_picture(struct td_ui *ui, td_ui_picture picture)
{
    const GLuint texture = picture;
    if (ui->remote)
        td_ui_remote_free_picture_(ui, picture);
    else
        ui->gl.DeleteTextures(1, &texture);
}

void td_ui_draw_picture(struct td_ui *ui, td_ui_picture picture, float x, float y, float w, float h,
                        bool flip)
{
    list_of(ui)->AddImage((ImTextureID)(intptr_t)picture, ImVec2(x, y), ImVec2(x + w, y + h),
                          ImVec2(0, flip ? 1 : 0), ImVec2(1, flip ? 0 : 1));
}

/* ---- widgets ---- */

bool td_ui_button(struct td_ui *ui, const char *label, float x, float y, float w, float h)
{
    td_ui_flush_boxes_(ui);
    ImGui::PushFont(ui->fonts[TD_FONT_TEXT]);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    td_ui_note_text_(ui, label, nullptr);
    td_ui_note_control_(ui, label, x, y, w, h);
    bool clicked = ImGui::Button(label, ImVec2(w, h));
    ImGui::PopFont();
    return clicked;
}

bool td_ui_click_area(struct td_ui *ui, const char *id, float x, float y, float w, float h, bool *hovered)
{
    td_ui_note_control_(ui, id, x, y, w, h);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    bool clicked = ImGui::InvisibleButton(id, ImVec2(w > 1 ? w : 1, h > 1 ? h : 1));
    if (hovered)
        *hovered = ImGui::IsItemHovered();
    return clicked;
}

struct editing {
    td_ui_edit *edit;
    void *self;
};

static int edit_text(ImGuiInputTextCallbackData *data)
{
    const editing *e = static_cast<const editing *>(data->UserData);
    int key = data->EventKey == ImGuiKey_UpArrow     ? TD_KEY_UP
              : data->EventKey == ImGuiKey_DownArrow ? TD_KEY_DOWN
                                                     : TD_KEY_TAB;
    char *text = strdup(data->Buf);
    char *copy = static_cast<char *>(realloc(text, (size_t)data->BufSize));
    if (copy) {
        e->edit(e->self, key, copy, (size_t)data->BufSize);
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, copy);
    }
    free(copy ? copy : text);
    return 0;
}

int td_ui_input(struct td_ui *ui, const char *id, const char *hint, float x, float y, float w, float h,
                char *text, size_t bytes, bool focus)
{
    return td_ui_input_line(ui, id, hint, x, y, w, h, text, bytes, focus, nullptr, nullptr);
}

int td_ui_input_line(struct td_ui *ui, const char *id, const char *hint, float x, float y, float w, float h,
                     char *text, size_t bytes, bool focus, td_ui_edit *edit, void *self)
{
    editing e = {edit, self};
    ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue;
    if (edit)
        flags |= ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackHistory;
    td_ui_flush_boxes_(ui);
    ImGui::PushFont(ui->fonts[TD_FONT_TEXT]);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::SetNextItemWidth(w);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * ui->scale, (h - ImGui::GetFontSize()) / 2));
    if (focus) {
        ImGui::SetKeyboardFocusHere();
        ui->focusing = true;
    }
    td_ui_note_text_(ui, hint, nullptr);
    td_ui_note_control_(ui, id, x, y, w, h);
    bool enter = ImGui::InputTextWithHint(id, hint, text, bytes, flags, edit ? edit_text : nullptr, &e);
    int result = enter ? TD_INPUT_ENTER : 0;
    td_ui_note_text_(ui, text, nullptr);
    ImGui::PopStyleVar();
    if (ImGui::IsItemEdited())
        result |= TD_INPUT_CHANGED;
    if (ImGui::IsItemActive()) {
        result |= TD_INPUT_ACTIVE;
        ui->focusing = false;
        ui->typing = true; // keys come before the next frame, which would say so
    }
    ImGui::PopFont();
    return result;
}

void td_ui_type(struct td_ui *ui, const char *text)
{
    ui->focusing = true;
    snprintf(ui->early, sizeof ui->early, "%s", text);
}

void td_ui_blur(struct td_ui *ui)
{
    ui->focusing = false;
    ui->early[0] = 0;
    ImGui::SetWindowFocus(nullptr);
}

void td_ui_list_begin(struct td_ui *ui, const char *id, float x, float y, float w, float h, int rows,
                      float row_height, int *first, int *last, float *top)
{
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::BeginChild(id, ImVec2(w, h), false, ImGuiWindowFlags_NoNav);
    float scroll = ImGui::GetScrollY();
    int from = (int)(scroll / row_height), to = (int)((scroll + h) / row_height) + 1;
    *first = from < 0 ? 0 : from;
    *last = to > rows ? rows : to;
    *top = y - scroll + (float)*first * row_height;
    ImGui::SetCursorPos(ImVec2(0, 0));
    ImGui::Dummy(ImVec2(1, row_height * (float)rows));
    draw_to(ui, ImGui::GetWindowDrawList());
}

void td_ui_list_show(struct td_ui *, float y, float row_height)
{
    float scroll = ImGui::GetScrollY(), high = ImGui::GetWindowHeight();
    if (y < scroll)
        ImGui::SetScrollY(y);
    else if (y + row_height > scroll + high)
        ImGui::SetScrollY(y + row_height - high);
}

void td_ui_list_end(struct td_ui *ui)
{
    td_ui_flush_boxes_(ui);
    ImGui::EndChild();
    ui->list = ImGui::GetWindowDrawList();
}

void td_ui_set_clipboard(struct td_ui *ui, const char *text)
{
    if (ui->remote)
        ImGui::SetClipboardText(text);
    else
        SDL_SetClipboardText(text);
}
