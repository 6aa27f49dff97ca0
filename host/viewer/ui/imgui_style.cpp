/* Colours and sizes of the widgets. */
#include "host/viewer/ui/imgui_internal.h"
#include "host/viewer/ui/theme.h"

// The colours of the theme, which the user may have changed.
void td_ui_set_colors_(void)
{
    static const struct {
        ImGuiCol_ of;
        td_theme_index color;
    } colors[] = {
        {ImGuiCol_Text, TD_THEME_TEXT},           {ImGuiCol_TextDisabled, TD_THEME_TEXT_FAINT},
        {ImGuiCol_Border, TD_THEME_EDGE},         {ImGuiCol_FrameBg, TD_THEME_FIELD},
        {ImGuiCol_FrameBgHovered, TD_THEME_LIT},  {ImGuiCol_FrameBgActive, TD_THEME_FIELD},
        {ImGuiCol_Button, TD_THEME_BUTTON},       {ImGuiCol_ButtonHovered, TD_THEME_LIT},
        {ImGuiCol_ButtonActive, TD_THEME_CHOSEN}, {ImGuiCol_CheckMark, TD_THEME_ACCENT},
        {ImGuiCol_ScrollbarGrab, TD_THEME_EDGE},  {ImGuiCol_TextSelectedBg, TD_THEME_CHOSEN},
    };
    ImVec4 *c = ImGui::GetStyle().Colors;
    for (const auto &set : colors) {
        const td_rgba rgb = td_theme(set.color);
        c[set.of] = ImColor((int)(rgb >> 16 & 255), (int)(rgb >> 8 & 255), (int)(rgb & 255));
    }
    c[ImGuiCol_ScrollbarBg] = c[ImGuiCol_NavHighlight] = ImVec4(0, 0, 0, 0);
}

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
    style.ScaleAllSizes(scale);
    style.FrameBorderSize = 1;
}

void td_ui_set_style_(struct td_ui *ui, float scale)
{
    ui->scale = scale;
    ImGui::GetStyle() = ImGuiStyle();
    set_style(scale);
}
