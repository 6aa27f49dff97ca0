-- The functions that were sampled in zones, by the name of the innermost zone around the sample.
WITH found AS (
  SELECT function,
         (SELECT name FROM zones
          WHERE zones.track_id = samples.track_id AND start_ns <= samples.time_ns AND end_ns > samples.time_ns
          ORDER BY depth DESC LIMIT 1) AS zone
  FROM samples)
SELECT zone, function, count(*) AS samples
FROM found
GROUP BY zone, function
ORDER BY samples DESC, zone, function;
