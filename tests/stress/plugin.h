/* The functions of the libraries of plugin.c. */
#ifndef TD_TESTS_STRESS_PLUGIN_H
#define TD_TESTS_STRESS_PLUGIN_H
/* Marks zones. Each has a copied message with a call stack of the given depth, and a literal message. */
void plugin_mark(int count, int depth);
int plugin_wait_connected(int ms);
#endif
