/* The panel Connection. */
#pragma once
struct td_view;

/* Opens the panel, and gives the name of the file to save the keyboard. */
void td_connection_save(struct td_view *view);
