/* For commands: the panel of notes. */
#pragma once

struct td_view;

/* Opens the panel, and gives the text of the chosen note the keyboard. */
void td_notes_edit(struct td_view *view);
