-- The slowest 1 % of the zones of each name, with their texts.
WITH limits AS (
  SELECT name, percentile(duration_ns, 0.99) AS p99_ns FROM zones GROUP BY name HAVING count(duration_ns) >= 20)
SELECT zones.name, track, start_ns, duration_ns, p99_ns, text
FROM limits JOIN zones ON zones.name = limits.name AND duration_ns > p99_ns
ORDER BY duration_ns DESC, id;
