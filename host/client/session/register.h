/* Registers a client with the recorder that started its program, where the recorder cannot know the port. */
#pragma once
#include <stdbool.h>

/* A recorder reads registrations: the run folder of `tendril record` is set. */
bool td_register_is_possible(void);
/* Leaves a file "client.PID" with the port in the run folder. Without it, the program is not recorded. */
void td_register_port(int port);
