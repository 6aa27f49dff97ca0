/* What the libraries of plugin.c offer. */
#ifndef TD_TESTS_STRESS_PLUGIN_H
#define TD_TESTS_STRESS_PLUGIN_H
/* Marks so many zones, each with a message copied, with a call stack so deep, and one that is not. */
void plugin_mark(int count, int depth);
int plugin_wait_connected(int ms);
#endif
