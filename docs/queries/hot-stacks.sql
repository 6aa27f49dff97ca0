-- The call stacks with most samples, innermost function first.
SELECT count(*) AS samples, stack_text(stack) AS functions
FROM samples
GROUP BY stack
ORDER BY samples DESC, functions
LIMIT 20;
