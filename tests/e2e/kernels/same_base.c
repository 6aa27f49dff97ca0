/* Zones of sources that are compiled separately and linked; the argument is the count of each. */
#include "tendril/tendril.h"

void left_part(unsigned n);
void right_part(unsigned n);
void left_function(void);
void right_function(void);
void first_time(unsigned n);
void second_time(unsigned n);

int main(void)
{
    left_part(3);
    right_part(5);
    left_function();
    right_function();
    first_time(2);
    second_time(4);
    return 0;
}
