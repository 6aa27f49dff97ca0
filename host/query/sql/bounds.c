#include "host/query/sql/sql_internal.h"

#include <math.h>

char td_sql_op(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
        return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
        return ']';
    case SQLITE_INDEX_CONSTRAINT_LT:
        return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
        return '[';
    default:
        return 0;
    }
}

static void raise_from(struct td_sql_bounds *b, int64_t from)
{
    b->from = from > b->from ? from : b->from;
}

static void lower_to(struct td_sql_bounds *b, int64_t to)
{
    b->to = to < b->to ? to : b->to;
}

static void nothing(struct td_sql_bounds *b)
{
    *b = (struct td_sql_bounds){INT64_MAX, INT64_MIN};
}

/* `low` and `high` are the whole numbers next to the value, equal if it is one. */
static void bound_between(struct td_sql_bounds *b, char op, int64_t low, int64_t high)
{
    if (op == '=' && low != high)
        nothing(b);
    if (op == '=' || op == ']')
        raise_from(b, high);
    if (op == '=' || op == '[')
        lower_to(b, low);
    if (op == '>' && low == INT64_MAX)
        nothing(b);
    else if (op == '>')
        raise_from(b, low + 1);
    if (op == '<' && high == INT64_MIN)
        nothing(b);
    else if (op == '<')
        lower_to(b, high - 1);
}

static void bound_real(struct td_sql_bounds *b, char op, double value)
{
    const bool is_high = value >= 9223372036854775808.0, is_low = value < -9223372036854775808.0;
    if (!is_high && !is_low)
        bound_between(b, op, (int64_t)floor(value),
                      ceil(value) >= 9223372036854775808.0 ? INT64_MAX : (int64_t)ceil(value));
    else if (op == '=' || (is_high && (op == '>' || op == ']')) || (is_low && (op == '<' || op == '[')))
        nothing(b);
}

void td_sql_bound(struct td_sql_bounds *bounds, char op, sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        bound_between(bounds, op, sqlite3_value_int64(value), sqlite3_value_int64(value));
        break;
    case SQLITE_FLOAT:
        bound_real(bounds, op, sqlite3_value_double(value));
        break;
    case SQLITE_NULL:
        nothing(bounds);
        break;
    default:
        break;
    }
}

bool td_sql_constant(sqlite3_index_info *info, int constraint, double *value)
{
    sqlite3_value *constant;
    if (sqlite3_vtab_rhs_value(info, constraint, &constant) != SQLITE_OK)
        return false;
    *value = sqlite3_value_double(constant);
    return sqlite3_value_numeric_type(constant) == SQLITE_INTEGER ||
           sqlite3_value_numeric_type(constant) == SQLITE_FLOAT;
}

void td_sql_plan_add(struct td_sql_plan *plan, sqlite3_index_info *info, int constraint, int column, char op)
{
    if (2 * (size_t)plan->arguments + 3 > sizeof plan->text)
        return;
    plan->text[2 * plan->arguments] = (char)('A' + column);
    plan->text[2 * plan->arguments + 1] = op;
    info->aConstraintUsage[constraint].argvIndex = ++plan->arguments;
}

int td_sql_plan_take(const struct td_sql_plan *plan, sqlite3_index_info *info)
{
    info->idxStr = sqlite3_mprintf("%s", plan->text);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
