-- The allocations that were never freed, by pool, thread and call stack.
SELECT pool, threads, zone, stack, count(*) AS allocations, sum(bytes) AS bytes, min(time_ns) AS first_ns
FROM allocations
WHERE free_ns IS NULL
GROUP BY pool, threads, zone, stack
ORDER BY 6 DESC, pool, threads, zone, stack;
