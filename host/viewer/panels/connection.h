/* The panel Connection. */
#ifndef TD_HOST_VIEWER_PANELS_CONNECTION_H
#define TD_HOST_VIEWER_PANELS_CONNECTION_H
struct td_view;

/* Opens the panel, and gives the name of the file to save the keyboard. */
void td_connection_save(struct td_view *view);
#endif
