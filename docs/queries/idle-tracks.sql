-- The longest times in which a track had no zone, between two of its zones.
WITH gaps AS (
  SELECT track, name, start_ns, start_ns - lag(end_ns) OVER (PARTITION BY track_id ORDER BY start_ns, id) AS idle_ns,
         lag(name) OVER (PARTITION BY track_id ORDER BY start_ns, id) AS after
  FROM zones WHERE depth = 0)
SELECT track, idle_ns, start_ns - idle_ns AS from_ns, after, name AS before
FROM gaps WHERE idle_ns > 0
ORDER BY idle_ns DESC, track, from_ns
LIMIT 20;
