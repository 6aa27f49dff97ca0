/* Colours and sizes of the widgets. */
#include "host/viewer/ui/imgui_internal.h"

static void set_style(float scale)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowRounding = 0;
    style.ChildRounding = 0;
    style.FrameRounding = 4;
    style.ScrollbarRounding = 4;
    style.ScrollbarSize = 10;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.FrameBorderSize = 1;
    style.WindowPadding = ImVec2(0, 0);
    style.FramePadding = ImVec2(8, 5);
    style.AntiAliasedLinesUseTex = true;
    ImVec4 *c = style.Colors;
    c[ImGuiCol_Text] = ImColor(0xd9, 0xde, 0xe7);
    c[ImGuiCol_TextDisabled] = ImColor(0x7c, 0x86, 0x96);
    c[ImGuiCol_Border] = ImColor(0x3a, 0x42, 0x4f);
    c[ImGuiCol_FrameBg] = ImColor(0x15, 0x18, 0x1e);
    c[ImGuiCol_FrameBgHovered] = ImColor(0x1b, 0x1f, 0x27);
    c[ImGuiCol_FrameBgActive] = ImColor(0x1b, 0x1f, 0x27);
    c[ImGuiCol_Button] = ImColor(0x2a, 0x30, 0x3b);
    c[ImGuiCol_ButtonHovered] = ImColor(0x35, 0x3d, 0x4b);
    c[ImGuiCol_ButtonActive] = ImColor(0x3f, 0x49, 0x5a);
    c[ImGuiCol_CheckMark] = ImColor(0x6c, 0xb6, 0xd9);
    c[ImGuiCol_ScrollbarBg] = ImColor(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = ImColor(0x3a, 0x42, 0x4f);
    c[ImGuiCol_TextSelectedBg] = ImColor(0x2f, 0x5f, 0x7d);
    c[ImGuiCol_NavHighlight] = ImColor(0, 0, 0, 0);
    style.ScaleAllSizes(scale);
    style.FrameBorderSize = 1;
}

void td_ui_set_style_(struct td_ui *ui, float scale)
{
    ui->scale = scale;
    ImGui::GetStyle() = ImGuiStyle();
    set_style(scale);
}
