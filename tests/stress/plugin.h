/* The functions of the libraries of plugin.c. */
#pragma once
/* Marks zones. Each has a copied message with a call stack of the given depth, and a literal message. */
void plugin_mark(int count, int depth);
int plugin_wait_connected(int ms);
