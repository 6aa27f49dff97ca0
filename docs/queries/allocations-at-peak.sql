-- The allocations that were active when most memory was in use.
WITH changes AS (
  SELECT time_ns, bytes FROM allocations
  UNION ALL
  SELECT free_ns, -bytes FROM allocations WHERE free_ns IS NOT NULL),
used AS (
  SELECT time_ns, sum(bytes) OVER (ORDER BY time_ns, bytes ROWS UNBOUNDED PRECEDING) AS bytes FROM changes),
peak AS (
  SELECT time_ns, bytes FROM used ORDER BY bytes DESC, time_ns LIMIT 1)
SELECT peak.time_ns AS peak_ns, peak.bytes AS in_use, pool, zone, count(*) AS allocations, sum(allocations.bytes) AS bytes
FROM peak JOIN allocations ON allocations.time_ns <= peak.time_ns
                          AND (allocations.free_ns IS NULL OR allocations.free_ns > peak.time_ns)
GROUP BY pool, zone
ORDER BY 6 DESC, pool, zone;
