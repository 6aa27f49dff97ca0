/* A launch without markers. */
#include "target/src/launch_words.h"

void td_launch_begin(void)
{
    td_launch_running();
}

void td_launch_end(int code)
{
    td_launch_done(code);
}
