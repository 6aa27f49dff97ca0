WITH r AS (SELECT * FROM overlaps('SELECT id, start_ns, end_ns, track_id FROM zones', 'SELECT frame, start_ns, end_ns, 1 FROM frames'))
SELECT left_id, overlap(start_ns, end_ns, 5, 9), duration('2us'), stack_text(left_id) FROM r, json_each((SELECT histogram(duration_ns) FROM zones));
