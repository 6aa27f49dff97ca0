/* Implements strip.h: a texture has a line for each strip, and each strip is a rectangle with that line. */
#include "host/viewer/ui/imgui_internal.h"
#include "host/viewer/ui/strip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WIDTH 8192
#define MORE_LINES 128

// Room for the strips of a frame. It does not grow while strips are filled: they have pointers into it.
static void make_room(struct td_ui *ui)
{
    td_strips *s = &ui->strips;
    const int width = (ui->width + 63) & ~63;
    int lines = s->lines;
    while (lines <= s->wanted && lines < TD_MAX_STRIPS)
        lines += MORE_LINES;
    if (width > MOST_WIDTH || (width == s->width && lines == s->lines))
        return;
    free(s->pixels);
    s->pixels = static_cast<td_rgba *>(malloc((size_t)width * (size_t)lines * sizeof *s->pixels));
    s->width = s->pixels ? width : 0;
    s->lines = s->pixels ? lines : 0;
}

void td_ui_start_strips_(struct td_ui *ui)
{
    td_strips *s = &ui->strips;
    make_room(ui);
    s->used = s->wanted = 0;
    s->turn ^= 1;
    if (ui->remote)
        s->textures[s->turn] = td_ui_remote_strips_(ui);
    else if (!s->textures[s->turn])
        ui->gl.GenTextures(1, &s->textures[s->turn]);
}

void td_ui_strips_begin(struct td_ui *ui)
{
    td_ui_flush_boxes_(ui);
    ui->list->ChannelsSplit(2);
    ui->list->ChannelsSetCurrent(1);
    ui->strips.list = ui->list;
    ui->strips.first = ui->strips.used;
}

void td_strip_open_(struct td_pixel_strip *strip)
{
    struct td_ui *ui = strip->ui;
    td_strips *s = &ui->strips;
    strip->opened = true;
    strip->first = (int)fmaxf(floorf(strip->x0), 0);
    strip->end = (int)fminf(ceilf(strip->x1), (float)s->width);
    if (s->list != ui->list || ui->recording || strip->first >= strip->end)
        return;
    s->wanted++;
    if (s->used >= s->lines)
        return;
    strip->pixels = s->pixels + (size_t)s->used * (size_t)s->width;
    memset(strip->pixels, 0, (size_t)(strip->end - strip->first) * sizeof *strip->pixels);
    s->boxes[s->used++] = {(float)strip->first, strip->y0, (float)strip->end, strip->y1, 0};
}

static void draw_strip(const td_strips *s, ImDrawList *list, int line)
{
    const td_box *b = &s->boxes[line];
    const float v = ((float)line + .5f) / (float)s->lines, u = (b->x1 - b->x0) / (float)s->width;
    list->PrimReserve(6, 4);
    list->PrimRectUV(ImVec2(b->x0, b->y0), ImVec2(b->x1, b->y1), ImVec2(0, v), ImVec2(u, v), IM_COL32_WHITE);
}

void td_ui_strips_end(struct td_ui *ui)
{
    td_strips *s = &ui->strips;
    td_ui_flush_boxes_(ui);
    ImDrawList *list = s->list;
    list->ChannelsSetCurrent(0);
    if (s->first < s->used) {
        list->PushTextureID((ImTextureID)(intptr_t)s->textures[s->turn]);
        for (int i = s->first; i < s->used; i++)
            draw_strip(s, list, i);
        list->PopTextureID();
    }
    list->ChannelsMerge();
    s->list = nullptr;
}

// Two textures take turns, because the last picture may still be drawn.
void td_ui_send_strips_(struct td_ui *ui)
{
    td_strips *s = &ui->strips;
    const int t = s->turn;
    if (!s->used)
        return;
    ui->gl.BindTexture(GL_TEXTURE_2D, s->textures[t]);
    ui->gl.PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (s->sizes[t][0] != s->width || s->sizes[t][1] != s->lines) {
        ui->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        ui->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        ui->gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, s->width, s->lines, 0, GL_BGRA,
                          GL_UNSIGNED_INT_8_8_8_8_REV, nullptr);
        s->sizes[t][0] = s->width;
        s->sizes[t][1] = s->lines;
    }
    ui->gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, s->width, s->used, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
                         s->pixels);
}

void td_ui_close_strips_(struct td_ui *ui)
{
    free(ui->strips.pixels);
    ui->strips.pixels = nullptr;
}
