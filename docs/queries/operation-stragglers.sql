-- By how much the last core of each operation was later than the median, and which one it was.
SELECT run_id, name, duration_ns, spread_ns, last
FROM operations
ORDER BY spread_ns DESC, run_id;
