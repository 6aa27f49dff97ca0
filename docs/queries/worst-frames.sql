-- The ten longest frames, with the three zones that took most of each.
WITH worst AS (
  SELECT * FROM frames WHERE set_id = 0 AND frame > 0 AND duration_ns > 0 ORDER BY duration_ns DESC, frame LIMIT 10),
parts AS (
  SELECT frame, label, worst.duration_ns AS frame_ns, name, sum(self_ns) AS self_ns,
         row_number() OVER (PARTITION BY frame ORDER BY sum(self_ns) DESC, name) AS place
  FROM worst JOIN zones ON zones.start_ns >= worst.start_ns AND zones.start_ns < worst.end_ns
  GROUP BY frame, name)
SELECT label, frame_ns, name, self_ns FROM parts WHERE place <= 3
ORDER BY frame_ns DESC, frame, place;
