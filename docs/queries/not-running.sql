-- For how much of each name's outermost zones their threads ran on a processor.
WITH runs AS (
  SELECT tracks.id AS track_id, switches.start_ns, switches.end_ns
  FROM switches JOIN tracks ON tracks.thread = switches.thread AND tracks.kind = 'thread'
  WHERE switches.end_ns >= switches.start_ns)
SELECT name, count(DISTINCT zones.id) AS zones,
       sum(overlap(zones.start_ns, zones.end_ns, runs.start_ns, runs.end_ns)) AS ran_ns
FROM runs JOIN zones ON zones.track_id = runs.track_id AND zones.depth = 0
                    AND zones.start_ns < runs.end_ns AND zones.end_ns > runs.start_ns
GROUP BY name
ORDER BY ran_ns DESC, name;
