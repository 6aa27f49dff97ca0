-- How much of all frames each outermost zone covers, by name.
SELECT name, count(DISTINCT left_id) AS frames, sum(o.duration_ns) AS in_frames_ns
FROM overlaps('SELECT frame, start_ns, end_ns FROM frames WHERE set_id = 0 AND frame > 0',
              'SELECT id, start_ns, end_ns FROM zones WHERE depth = 0') AS o
JOIN zones ON zones.id = right_id
GROUP BY name
ORDER BY in_frames_ns DESC, name;
