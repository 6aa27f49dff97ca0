-- The time between the operations of each device, in which it did nothing.
SELECT device, run_id, name, start_ns,
       start_ns - max(end_ns) OVER (PARTITION BY device ORDER BY start_ns
                                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_ns
FROM operations
WHERE start_ns IS NOT NULL
ORDER BY idle_ns DESC, start_ns;
